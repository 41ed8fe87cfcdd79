"""What is around git: the diff driver, the hook before a commit, the workflow on a pull request."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.repositories import Repo, needs_git, plain

ROOT = Path(__file__).parents[2]
PROGRAM = Path(sys.executable).parent / "skillstudio"
pytestmark = [
    needs_git,
    pytest.mark.skipif(os.name == "nt", reason="hooks are shell scripts"),
    pytest.mark.skipif(not PROGRAM.exists(), reason="skillstudio is not installed"),
]


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    made = Repo(tmp_path / "repo")
    made.commit({"one/SKILL.md": plain("one"), "other.txt": "x\n"}, "one@1.0.0")
    monkeypatch.chdir(made.root)
    monkeypatch.setenv("PATH", f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}")
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        monkeypatch.delenv(name, raising=False)
    return made


@pytest.fixture
def driven(repo: Repo) -> Repo:
    """A repository in which SKILL.md is shown by the driver, as the guide says."""
    guide = (ROOT / "docs" / "comparing.md").read_text()
    command = "git config diff.skill.command 'skillstudio diff --git-driver'"
    attribute = "echo 'SKILL.md diff=skill' >> .gitattributes"
    for line in (command, attribute):
        assert line in guide
        subprocess.run(line, shell=True, check=True, cwd=repo.root)
    return repo


def test_git_diff_shows_the_interface_above_the_text(driven: Repo) -> None:
    driven.write({"one/SKILL.md": plain("one", "1.1.0", "^[a-f]+$"), "other.txt": "y\n"})
    out = driven.git("diff")
    assert "skill a/one/SKILL.md b/one/SKILL.md\n" in out
    assert '  the pattern of "topic" rejects strings it used to accept: ' in out
    assert 'counterexample: "g", which only the old version accepts  ' in out
    assert "needs a major bump: 1.0.0 → 2.0.0; minor is too small" in out
    assert "-version: 1.0.0\n+version: 1.1.0\n" in out
    assert "-x\n+y" in out
    assert "the pattern of" not in driven.git("diff", "--no-ext-diff")


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"one/SKILL.md": None}, "one: removed"),
        ({"two/SKILL.md": plain("two")}, "two: added"),
        ({"one/SKILL.md": plain("one") + "More.\n"}, "needs a patch bump"),
        ({"one/SKILL.md": plain("one").replace("required:", "required: [")}, "one/SKILL.md:7:13"),
        ({"one/SKILL.md": "\0\x1b[31m"}, "-name: one"),
    ],
    ids=["gone", "new", "text", "broken", "binary"],
)
def test_git_diff_never_fails(driven: Repo, files: dict[str, str | None], said: str) -> None:
    driven.write(files)
    driven.git("add", "-A")
    out = driven.git("diff", "--cached", "HEAD")
    assert said in out
    assert "\x1b" not in out


def test_a_renamed_file_is_one_skill(driven: Repo) -> None:
    driven.git("mv", "one", "moved")
    driven.write({"moved/SKILL.md": plain("one", "1.1.0", "^[a-z]*$")})
    driven.git("add", "-A")
    out = driven.git("diff", "--cached", "-M30")
    assert "skill a/one/SKILL.md b/moved/SKILL.md" in out
    assert "minor bump, as required" in out


def test_wrong_use_of_the_driver_prints_the_commands_that_set_it_up(repo: Repo) -> None:
    done = subprocess.run([PROGRAM, "diff", "--git-driver"], capture_output=True, text=True)
    first, *commands = done.stderr.splitlines()[:3]
    assert (done.returncode, done.stdout) == (2, "")
    assert first == "skillstudio: --git-driver is only for git, which starts it after"
    guide = (ROOT / "docs" / "comparing.md").read_text().splitlines()
    assert {command.strip() for command in commands} <= set(guide)
    for command in commands:
        subprocess.run(command, shell=True, check=True, cwd=repo.root)
    repo.write({"one/SKILL.md": plain("one", "1.1.0")})
    assert "skill a/one/SKILL.md b/one/SKILL.md\n" in repo.git("diff")


def test_a_path_that_is_not_merged_is_named(repo: Repo) -> None:
    done = subprocess.run(
        [PROGRAM, "diff", "--git-driver", "one/SKILL.md"], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "* Unmerged path one/SKILL.md\n")


def hook() -> dict[str, Any]:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    return next(each for each in hooks if each["id"] == "skillstudio-bump")


@pytest.fixture
def guarded(repo: Repo) -> Repo:
    """A repository whose commits the hook looks at."""
    assert hook()["entry"] in (ROOT / "docs" / "comparing.md").read_text()
    file = repo.root / ".git" / "hooks" / "pre-commit"
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#!/bin/sh\nexec {hook()['entry']}\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return repo


@pytest.mark.slow
def test_the_hook_refuses_a_change_without_a_bump(guarded: Repo) -> None:
    guarded.write({"one/SKILL.md": plain("one", "1.0.0", "^[a-f]+$")})
    with pytest.raises(subprocess.CalledProcessError) as refused:
        guarded.git("commit", "-q", "-a", "-m", "unbumped")
    said = refused.value.stdout + refused.value.stderr
    assert "needs a major bump: 1.0.0 → 2.0.0" in said
    assert guarded.git("rev-list", "--count", "HEAD") == "1"
    guarded.write({"one/SKILL.md": plain("one", "2.0.0", "^[a-f]+$")})
    guarded.git("commit", "-q", "-a", "-m", "bumped")
    assert guarded.git("rev-list", "--count", "HEAD") == "2"


@pytest.mark.slow
def test_the_hook_judges_what_is_committed_and_not_what_lies_there(guarded: Repo) -> None:
    guarded.write({"one/SKILL.md": plain("one", "1.0.0", "^[a-f]+$")})
    guarded.git("add", "-A")
    guarded.write({"one/SKILL.md": plain("one", "2.0.0", "^[a-f]+$")})
    with pytest.raises(subprocess.CalledProcessError):
        guarded.git("commit", "-q", "-m", "the bump is not staged")
    guarded.git("commit", "-q", "-m", "all of it", "one/SKILL.md")
    guarded.write({"other.txt": "no skill\n"})
    guarded.git("commit", "-q", "-a", "-m", "elsewhere")
    assert guarded.git("rev-list", "--count", "HEAD") == "3"


WORKFLOW = ROOT / "docs" / "workflows" / "skill-changes.yml"
GH = """#!/bin/sh
echo "$*" >> "$CALLS"
case "$*" in *--paginate*) printf '%s' "$OLD_COMMENT" ;; esac
"""


def steps() -> dict[str, dict[str, Any]]:
    found = yaml.safe_load(WORKFLOW.read_text())["jobs"]["diff"]["steps"]
    return {step["name"]: step for step in found if "name" in step}


def shell(repo: Repo, step: str, **values: str) -> int:
    """Run a step's script as the runner does."""
    environment = {**os.environ, **values}
    script = steps()[step]["run"]
    done = subprocess.run(["bash", "-e", "-c", script], cwd=repo.root, env=environment, check=False)
    return done.returncode


@pytest.mark.slow_cases("first-bumped", "first-too little")
@pytest.mark.parametrize(
    ("version", "status"), [("2.0.0", 0), ("1.0.1", 1)], ids=["bumped", "too little"]
)
@pytest.mark.parametrize("old_comment", ["", "77"], ids=["first", "again"])
def test_the_workflow_comments_and_fails_where_it_should(
    repo: Repo, tmp_path: Path, version: str, status: int, old_comment: str
) -> None:
    repo.git("checkout", "-q", "-b", "topic")
    head = repo.commit({"one/SKILL.md": plain("one", version, "^[a-f]+$")})
    repo.git("checkout", "-q", "main")
    base = repo.commit({"later/SKILL.md": plain("later")})
    summary, output, calls = (str(tmp_path / name) for name in ("summary", "output", "calls"))
    assert steps()["compare"]["env"].keys() == {"BASE", "HEAD"}
    assert shell(
        repo, "compare", BASE=base, HEAD=head, GITHUB_STEP_SUMMARY=summary, GITHUB_OUTPUT=output
    ) == 0  # fmt: skip
    report = (repo.root / "report.md").read_text()
    assert report.startswith("<!-- skillstudio diff -->\n\n**Skill changes:** 1 major\n")
    assert "later" not in report
    assert Path(summary).read_text() == report
    said = Path(output).read_text().strip()
    assert said == f"status={status}"
    fake = tmp_path / "bin" / "gh"
    fake.parent.mkdir()
    fake.write_text(GH)
    fake.chmod(0o755)
    path = f"{fake.parent}{os.pathsep}{os.environ['PATH']}"
    more = {"NUMBER": "5", "REPOSITORY": "a/b", "CALLS": calls, "OLD_COMMENT": old_comment}
    assert shell(repo, "comment", PATH=path, GH_TOKEN="x", **more) == 0
    last = Path(calls).read_text().splitlines()[-1]
    if old_comment:
        assert last == "api --method PATCH repos/a/b/issues/comments/77 -F body=@report.md"
    else:
        assert last == "pr comment 5 --repo a/b --body-file report.md"
    assert shell(repo, "verdict", STATUS=said.removeprefix("status=")) == status
