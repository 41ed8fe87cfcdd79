"""The hooks in a repository with pre-commit: skills, a web app, and a commit that only deletes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from tests.repositories import IDENTITY, Repo, needs_git

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
SKILL = (
    "---\nname: tea\ndescription: Makes tea. Use when tea is wanted.\n---\n"
    "See [the steps](references/steps.md) and run `scripts/brew.sh`.\n"
)
pytestmark = [
    needs_git,
    pytest.mark.slow,
    pytest.mark.skipif(not (BIN / "pre-commit").exists(), reason="pre-commit is not installed"),
    pytest.mark.skipif(not (BIN / "skillstudio").exists(), reason="skillstudio is not installed"),
]


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with the hooks of .pre-commit-hooks.yaml, run with the installed program."""
    made = Repo(tmp_path / "repo")
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    local = [each | {"language": "system"} for each in hooks]
    local[0]["args"] = ["--fail-on", "info"]
    config = {"repos": [{"repo": "local", "hooks": local}]}
    made.commit(
        {
            ".pre-commit-config.yaml": yaml.safe_dump(config),
            "skills/tea/SKILL.md": SKILL,
            "skills/tea/references/steps.md": "Steps.\n",
            "skills/tea/scripts/brew.sh": "exit 0\n",
            "public/manifest.json": '{"name": "App", "icons": []}\n',
        },
        "base",
    )
    monkeypatch.setenv("PATH", f"{BIN}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "cache"))
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        monkeypatch.delenv(name, raising=False)
    subprocess.run([BIN / "pre-commit", "install"], cwd=made.root, check=True, capture_output=True)
    return made


def commit(repo: Repo, **files: str | None) -> tuple[int, str]:
    """Commit changed files; the exit status and what git and the hooks printed."""
    for name, text in files.items():
        if text is None:
            repo.git("rm", "-q", name)
        else:
            repo.write({name: text})
    repo.git("add", "-A")
    done = subprocess.run(
        ["git", "commit", "-m", "change"],
        cwd=repo.root, env=os.environ | IDENTITY, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def test_commits_with_and_without_skills(repo: Repo) -> None:
    # Files of no skill pass, also a web app's manifest, even if it is invalid.
    for files in (
        {"public/manifest.json": "{", "recipes/cake.yaml": "skill: [\n"},
        {"public/manifest.json": None},
    ):
        status, out = commit(repo, **files)
        assert status == 0, out
        assert "Skipped" not in out
    # A deleted file that the skill links to, and then its link.
    status, out = commit(repo, **{"skills/tea/references/steps.md": None})
    assert status == 1
    assert "references/steps.md" in out
    text = SKILL.replace("See [the steps](references/steps.md) and run", "Run")
    status, out = commit(repo, **{"skills/tea/SKILL.md": text})
    assert status == 0, out
    # Any file of the skill counts.
    status, out = commit(repo, **{"skills/tea/SKILL.md": text.replace("Makes tea.", "Makes: tea.")})
    assert status == 1
    assert "fix agent skills" in out
    assert "files were modified by this hook" in out
    status, out = commit(repo)
    assert status == 0, out
    status, out = commit(repo, **{"skills/tea/scripts/pour.sh": "exit 0\n"})
    assert status == 0, out
    assert "Skipped" not in out
    # A whole skill is deleted, and all files are checked as in CI.
    repo.git("rm", "-rq", "skills")
    status, out = commit(repo)
    assert status == 0, out
    status, out = commit(repo, **{"skills/tea/SKILL.md": SKILL})
    assert status == 1
    run_all = [BIN / "pre-commit", "run", "--all-files", "skillstudio-check"]
    done = subprocess.run(run_all, cwd=repo.root, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "skills/tea/SKILL.md" in done.stdout
