"""The preview of a new skill: its tree, its files as lines, what the check found."""

from __future__ import annotations

import pytest

from skillstudio.scaffold.new.creation import SkillDraft
from skillstudio.scaffold.new.rendering import RenderedSkill
from skillstudio.session.wizard.preview import (
    MOST_BYTES,
    MOST_LINES,
    FileText,
    file_rows,
    file_text,
    first_file,
)
from skillstudio.skill.analysis import analyse

SKILL = b"---\nname: made\ndescription: Does it. Use when asked.\n---\n# It\n"


def draft(executable: str = "", **files: bytes) -> SkillDraft:
    """A draft of files, in whose names `__` stands for `/`."""
    data = {path.replace("__", "/"): text for path, text in files.items()}
    rendered = RenderedSkill("made", data, frozenset([executable]))
    return SkillDraft(rendered, analyse(rendered.tree))


def test_the_tree_has_folders_before_their_files_and_the_check_last() -> None:
    made = draft("scripts/run.sh", **{
        "SKILL.md": SKILL, "scripts__run.sh": b"#!/bin/sh\n", "scripts__lib__a.sh": b"",
    })  # fmt: skip
    rows = [(row.depth, row.name, row.size, row.executable) for row in file_rows(made)]
    assert rows == [
        (0, "made/", None, False),
        (1, "SKILL.md", len(SKILL), False),
        (1, "scripts/", None, False),
        (2, "lib/", None, False),
        (3, "a.sh", 0, False),
        (2, "run.sh", 10, True),
        (0, "check", None, False),
    ]
    assert first_file(made) == "SKILL.md"
    assert first_file(draft(**{"README.md": b"No skill.\n"})) == "", "the check says so"


def test_todos_are_counted_beside_problems() -> None:
    text = SKILL.replace(b"Does it.", b"TODO: does it.") + b"TODO: the steps. TODO\nTODOS\n"
    answers = {"a.md": b"TODO\n", ".copier-answers.yml": b"x: TODO\n"}
    rows = {row.path: row.counts for row in file_rows(draft(**{"SKILL.md": text}, **answers))}
    assert rows["SKILL.md"] == "✗1 !1 i1 · 3 TODO"
    assert rows["a.md"] == "1 TODO"
    assert rows[".copier-answers.yml"] == "", "a copy of the answers"
    assert rows[""].endswith(" · 4 TODO")


def test_each_file_says_how_much_was_found_in_it() -> None:
    made = draft(**{"SKILL.md": SKILL.replace(b"made", b"Made It"), "a.md": b"x"})
    counts = {row.name: row.counts for row in file_rows(made)}
    assert counts["check"] == counts["SKILL.md"]
    assert counts["check"].startswith("✗"), "the signs of the rest of the screen"
    assert counts["a.md"] == ""


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", FileText((), "an empty file")),
        (b"a\nb\n", FileText(("a", "b"))),
        (b"a\r\nb", FileText(("a", "b"))),
        (b"\n", FileText(("",))),
        (b"\0asm\1", FileText((), "not text: 5 bytes, copied unchanged")),
        (b"\xff\xfe\xfd", FileText((), "not text: 3 bytes, copied unchanged")),
        ("é\u202e".encode(), FileText(("é\u202e",))),
    ],
)
def test_a_file_is_its_lines_or_a_word_on_what_it_is(data: bytes, text: FileText) -> None:
    assert file_text(draft(**{"SKILL.md": SKILL, "f": data}), "f") == text


@pytest.mark.parametrize("data", [b"x\n" * (MOST_LINES + 1), b"x" * (MOST_BYTES + 1)])
def test_of_a_long_file_the_beginning_is_shown(data: bytes) -> None:
    text = file_text(draft(**{"SKILL.md": SKILL, "f": data}), "f")
    assert text.note == f"the start of {len(data):,} bytes"
    assert len(text.lines) <= MOST_LINES
