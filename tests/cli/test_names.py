"""Skills by their names, where a command takes a path; and folders without any."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import CLEAN, Run

Skill = Callable[..., Path]
TEA = CLEAN.format(name="tea")


@pytest.fixture
def workspace(skill: Skill, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    skill("skills/tea", text=TEA)
    (tmp_path / "docs").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("folder", "path"), [(".", "skills/tea"), ("skills", "tea"), ("docs", "../skills/tea")]
)
@pytest.mark.parametrize("verb", ["why", "check"])
def test_a_name_means_the_skill_of_the_workspace(
    run: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch, verb: str, folder: str, path: str
) -> None:
    monkeypatch.chdir(workspace / folder)
    value = run(verb, "tea", "--format", "json").json
    row = value["skills"][0] if verb == "check" else value
    assert row["path"] == path


@pytest.mark.parametrize("verb", ["why", "check", "fix", "test"])
def test_a_name_of_several_skills_is_refused(
    run: Run, workspace: Path, skill: Skill, verb: str
) -> None:
    skill("other/tea", text=TEA)
    ran = run(verb, "tea")
    assert ran.status == 2
    assert "2 skills are named tea: other/tea and skills/tea; use a path instead" in ran.err


@pytest.mark.parametrize("verb", ["why", "check"])
def test_a_path_is_no_name(run: Run, workspace: Path, skill: Skill, verb: str) -> None:
    skill("tea", text=CLEAN.format(name="other"))
    assert run(verb, "tea", "--format", "json").json.get("path", "tea") == "tea"
    ran = run(verb, "coffee")
    assert ran.status == 2
    assert "coffee: no such file or folder, and no skill of the workspace has this name" in ran.err
    ran = run(verb, "skills/coffee")
    assert ran.status == 2
    assert ran.err.strip().endswith("skills/coffee: no such file or folder")


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("docs",), 0),
        (("docs", "--fail-on", "empty"), 1),
        (("skills", "docs", "--fail-on", "empty"), 1),
        (("skills", "--fail-on", "empty"), 0),
        (("docs", "--fail-on", "empty", "--exit-zero"), 0),
        (("bad", "--fail-on", "empty"), 0),
        (("bad", "--fail-on", "empty,warning"), 1),
        (("bad", "--fail-on", "warning", "--fail-on", "empty"), 1),
        (("docs", "--fail-on", "warning", "--fail-on", "empty"), 1),
        (("bad", "--fail-on", "warning", "--fail-on", "error"), 0),
        (("docs", "--fail-on", "none"), 2),
    ],
)
def test_a_folder_without_a_skill_fails_if_asked(
    run: Run, workspace: Path, skill: Skill, words: tuple[str, ...], status: int
) -> None:
    text = "---\nname: bad\ndescription: Warns. Use it.\nlicence: MIT\n---\n[a](gone.md)\n"
    skill("bad", text=text)
    assert run("check", *words).status == status
