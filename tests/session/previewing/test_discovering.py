"""Discovery without a screen: what is read, what is found, and what is given up."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillstudio.preview.spans import plain
from skillstudio.session.previewing.discovering import Discovering, Prompted
from skillstudio.session.workspace import Workspace

TEXTS = {"": "Fill in forms", "a/pdf": "Fill in PDF forms", "b": "Write commit messages"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for path, text in TEXTS.items():
        made = tmp_path / "w" / path
        made.mkdir(parents=True, exist_ok=True)
        name = path.rpartition("/")[2] or "w"
        (made / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {text}\n---\n")
    return tmp_path / "w"


def discovering(folder: Path, unsaved: dict[str, str] | None = None) -> Discovering:
    workspace = Workspace(str(folder))
    workspace.take(workspace.find())
    made = Discovering(workspace)
    assert made.read(unsaved or {}, lambda: True, lambda *_: None)
    return made


def found(of: Discovering, prompt: str) -> Prompted:
    run_state = of.find(prompt, lambda: True)
    assert run_state is not None
    return run_state


def lines(of: Prompted, skill: str) -> str:
    return "\n".join(plain(each) for hit in of.hits if hit.skill == skill for each in hit.lines)


def test_each_skill_has_its_place_and_its_reasons(tmp_path: Path) -> None:
    for path, text in {"pdf": "Fill in PDF forms", "b": "Write commit messages"}.items():
        (tmp_path / path).mkdir()
        (tmp_path / path / "SKILL.md").write_text(f"---\nname: {path}\ndescription: {text}\n---\n")
    run_state = found(discovering(tmp_path), "a pdf")
    assert run_state.summary == "1 of 2 skills match"
    assert [(each.skill, each.place, each.about[:12], each.style) for each in run_state.hits] == [
        ("pdf", "1", "description ", "good"),
        ("b", "·", "no match", "quiet"),
    ]
    assert "description  Fill in PDF forms" in lines(run_state, "pdf")
    assert "no word of the prompt is in its topics" in lines(run_state, "b")
    assert "Write commit messages" in lines(run_state, "b")


def test_those_that_compete_say_with_whom_each_from_its_own_side(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        about = "Fill in PDF forms" + (" well" if name == "two" else "")
        (tmp_path / name / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {about}\n---\n")
    run_state = found(discovering(tmp_path), "pdf forms")
    assert run_state.summary == "2 of 2 skills match, 2 compete"
    first, second = (
        lines(run_state, name).split("competes with ")[1].split("\n") for name in ("one", "two")
    )
    assert (first[0], second[0]) == ("two (two)", "one (one)")
    told = first[1].split(",")[0].split()
    assert second[1].split(",")[0].split() == [told[2], told[1], told[0]]
    assert "form, pdf" in first[1]


def test_the_workspace_itself_may_be_the_skill(folder: Path) -> None:
    (folder / "a" / "pdf" / "SKILL.md").unlink()
    (folder / "b" / "SKILL.md").unlink()
    [hit] = found(discovering(folder), "forms").hits
    assert (hit.skill, hit.name) == ("", "w")


def test_unsaved_text_is_what_is_looked_at(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    file = tmp_path / "b" / "SKILL.md"
    file.write_text("---\nname: b\ndescription: Old\n---\n")
    of = discovering(tmp_path, {str(file): "---\nname: b\ndescription: Zebras\n---\n"})
    assert found(of, "zebra").summary == "1 of 1 skill match"
    assert found(of, "old").summary == "0 of 1 skill match"


def test_reading_says_how_far_it_is_and_ends_when_nobody_wants_it(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).mkdir()
        (tmp_path / name / "SKILL.md").write_text(f"---\nname: {name}\ndescription: x\n---\n")
    workspace = Workspace(str(tmp_path))
    workspace.take(workspace.find())
    told: list[tuple[int, int]] = []
    of = Discovering(workspace)
    assert not of.read({}, lambda: len(told) < 2, lambda *each: told.append(each))
    assert told == [(1, 3), (2, 3)]
    assert of.read({}, lambda: True, lambda *_: None)
    assert of.find("x", lambda: False) is None


def test_what_cannot_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "SKILL.md").write_text("---\nname: a\ndescription: x\n---\n")

    def refuse(*_: object) -> None:
        raise PermissionError(13, os.strerror(13))

    monkeypatch.setattr("skillstudio.session.previewing.discovering.locate", refuse)
    run_state = found(discovering(tmp_path), "x")
    assert run_state.notes == ("a cannot be read: Permission denied",)


@pytest.mark.parametrize(
    ("prompt", "told"),
    [
        ("", "enter a prompt for an agent"),
        (" \t ", "enter a prompt for an agent"),
        ("…", "the prompt has no words"),
    ],
)
def test_a_prompt_without_words_finds_nothing(folder: Path, prompt: str, told: str) -> None:
    run_state = found(discovering(folder), prompt)
    assert (run_state.summary, run_state.hits) == (told, ())
