"""The check as a hook of git alone, of lefthook and of husky: what would be committed counts."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.repositories import IDENTITY, Repo, needs_git

BIN = Path(sys.executable).parent
GOOD = "---\nname: tea\ndescription: Makes tea. Use when tea is wanted.\n---\nMake tea.\n"
WRONG = GOOD.replace("Makes tea.", "Makes: tea.")
LINE = "skillstudio check --hook\n"
pytestmark = [
    needs_git,
    pytest.mark.slow,
    pytest.mark.skipif(not (BIN / "skillstudio").exists(), reason="skillstudio is not installed"),
]


def git_alone(repo: Repo) -> None:
    hook = repo.root / ".git" / "hooks" / "pre-commit"
    hook.write_text(f"#!/bin/sh\nexec {LINE}")
    hook.chmod(0o755)


def lefthook(repo: Repo) -> None:
    repo.write({"lefthook.yml": f"pre-commit:\n  jobs:\n    - run: {LINE}"})
    start(repo, "lefthook", "install")


def husky(repo: Repo) -> None:
    repo.write({"package.json": "{}\n", ".husky/pre-commit": LINE})
    start(repo, "husky")


def start(repo: Repo, program: str, *arguments: str) -> None:
    """Run a program of npm in the repository; the test is skipped without it."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed (npm install {program})")
    subprocess.run([program, *arguments], cwd=repo.root, check=True, capture_output=True)


def commit(repo: Repo, *arguments: str) -> tuple[int, str]:
    """Commit; the exit status and what git and the hook printed."""
    done = subprocess.run(
        ["git", "commit", "-m", "change", *arguments],
        cwd=repo.root, env=os.environ | IDENTITY, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("install", [git_alone, lefthook, husky])
def test_commits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, install: Callable[[Repo], None]
) -> None:
    monkeypatch.setenv("PATH", f"{BIN}{os.pathsep}{os.environ['PATH']}")
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "HUSKY", "LEFTHOOK"):
        monkeypatch.delenv(name, raising=False)
    repo = Repo(tmp_path / "repo")
    repo.commit({"public/manifest.json": '{"name": "App", "icons": []}\n'}, "base")
    install(repo)
    file = "skills/tea/SKILL.md"
    # The staged text is wrong, that on disk is right.
    repo.write({file: WRONG})
    repo.git("add", "-A")
    repo.write({file: GOOD})
    status, out = commit(repo)
    assert status == 1, out
    assert f"{file}:3" in out
    assert (repo.root / file).read_text() == GOOD
    # The staged text is right, that on disk is wrong and stays so.
    repo.git("add", "-A")
    repo.write({file: WRONG})
    status, out = commit(repo)
    assert status == 0, out
    assert (repo.root / file).read_text() == WRONG
    assert repo.git("show", f"HEAD:{file}") == GOOD.strip()
    # `git commit FILE` stages in an index of its own.
    status, out = commit(repo, file)
    assert status == 1, out
    # A web app, and a deletion of the whole skill.
    repo.git("checkout", "-q", "-f", "HEAD", "--", ".")
    repo.write({"public/manifest.json": "{", file: None})
    repo.git("add", "-A")
    status, out = commit(repo)
    assert status == 0, out
