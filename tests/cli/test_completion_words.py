"""`completion words`: what completes a line and depends on files, and nothing a shell would run."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import CLEAN, Run
from tests.dryrun.skills import block_skill
from tests.repositories import Repo, needs_git, plain

WORKLOG = Path(__file__).parents[2] / "examples" / "worklog"
HOSTILE = ("$(touch owned)", "`touch owned`", "a b", "-x", "a;b", "a\nb", "*", "~", "a'b", "\x1b[")


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with two skills, one of them with an operation and two samples."""
    tool = block_skill(
        tmp_path / "work" / "skills" / "tool", "exit 0",
        inputs={"word": {"type": "string", "required": True}},
    )  # fmt: skip
    for name in ("first", "second"):
        sample = tool / "samples" / "go" / f"{name}.yaml"
        sample.parent.mkdir(parents=True, exist_ok=True)
        sample.write_text("inputs: {word: tea}\n")
    folder = tmp_path / "work" / "skills" / "tea"
    folder.mkdir()
    (folder / "SKILL.md").write_text(CLEAN.format(name="tea"))
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("run t", ["tea", "tool"]),
        ("run to", ["tool"]),
        ("check tea to", ["tool"]),
        ("check --fail-on error t", ["tea", "tool"]),
        ("run skills/t", []),  # The shell completes paths.
        ("run tool ", ["go"]),
        ("plan --timeout 3 tool ", ["go"]),
        ("run skills/tool g", ["go"]),
        ("run tool go --sample ", ["first", "second"]),
        ("run tool go --sample = s", ["second"]),  # As bash splits --sample=s.
        ("run tool go --sample =", ["first", "second"]),
        ("run tool --sample f", ["first"]),
        ("run tool go -i ", ["word="]),
        # A sensitive input is given in another way.
        (f"run {WORKLOG} -i ", ["session_date=", "topic=", "output_dir="]),
        ("run nothing ", []),
        ("run", []),
        ("", []),
        ("nothing x", []),
        ("trace sh", ["show"]),
        ("trace show l", ["last"]),
        ("apply la", ["last"]),
        ("new know", ["knowledge"]),
        ("explain name-fol", ["name-folder"]),
        ("check --target claude-c", ["claude-code"]),
        ("doctor -", []),
    ],
)
def test_words(run: Run, work: Path, line: str, words: list[str]) -> None:
    ran = run("completion", "words", "--", *line.split(" "))
    assert ran.out.splitlines() == words


@needs_git
def test_revisions(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = Repo(tmp_path / "repo")
    repo.commit({"tea/SKILL.md": plain("tea")}, "base")
    repo.git("tag", "v1.2.0")
    repo.git("branch", "$(touch${IFS}owned)")
    monkeypatch.chdir(repo.root)
    words = run("completion", "words", "--", "check", "--changed-since", "").out.splitlines()
    assert "v1.2.0" in words
    assert not [word for word in words if "touch" in word]
    assert run("completion", "words", "--", "bump", "--against", "v1").out == "v1.2.0\n"


def test_a_name_that_a_shell_would_not_read_as_one_word_is_left_out(
    run: Run, work: Path, tmp_path: Path
) -> None:
    for name in HOSTILE:
        folder = work / "skills" / name
        folder.mkdir()
        (folder / "SKILL.md").write_text(CLEAN.format(name="x"))
        (work / "skills" / "tool" / "samples" / "go" / f"{name}.yaml").write_text("inputs: {}\n")
    assert run("completion", "words", "--", "run", "").out.splitlines() == ["tea", "tool"]
    samples = run("completion", "words", "--", "run", "tool", "go", "--sample", "").out.splitlines()
    assert samples == ["first", "second"]


def test_a_script_needs_no_words(run: Run) -> None:
    ran = run("completion", "bash", "run")
    assert ran.status == 2
    assert "unexpected argument run" in ran.err
