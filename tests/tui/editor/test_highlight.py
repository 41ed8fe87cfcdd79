"""Lines are coloured by Pygments, and read again only where an edit reaches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.tui.widgets.editor.highlight import Highlighter, language_of
from skillstudio.tui.widgets.editor.text_document import TextDocument

SKILL = """---
name: memory
tags: [a, "b", true]
text: >
  folded: not a key
n: 3  # comment
---
# Title

A `word`.

~~~json
{"id": "x", "n": 1.5}
~~~
"""


def kinds(lines: list[str], language: str) -> list[list[tuple[str, str]]]:
    highlighter = Highlighter(lambda: lines, language)
    return [
        [(line[run.start : run.end], run.kind) for run in highlighter.runs(row)]
        for row, line in enumerate(lines)
    ]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("---", ("---", "punctuation")),
        ("name: memory", ("name", "key")),
        ("name: memory", ("memory", "string")),
        ('tags: [a, "b", true]', ("true", "word")),
        ("  folded: not a key", ("folded: not a key", "string")),
        ("n: 3  # comment", ("3", "number")),
        ("n: 3  # comment", ("# comment", "comment")),
        ("# Title", ("# Title", "heading")),
        ("A `word`.", ("`word`", "code")),
        ("~~~json", ("~~~json", "code")),
        ('{"id": "x", "n": 1.5}', ('"id"', "key")),
        ('{"id": "x", "n": 1.5}', ("1.5", "number")),
    ],
)
def test_a_skill_in_its_regions(line: str, found: tuple[str, str]) -> None:
    lines = SKILL.split("\n")
    assert found in kinds(lines, "markdown")[lines.index(line)]


def test_toml_keeps_what_is_open_over_lines() -> None:
    lines = ["[a.b]", "list = [", ' 1, "two",', "]", 's = """', "k = 1", '"""', "k = true"]
    found = kinds(lines, "toml")
    assert ("[a.b]", "marker") in found[0]
    assert (found[2]) == [
        ("1", "number"),
        (",", "punctuation"),
        ('"two"', "string"),
        (",", "punctuation"),
    ]
    assert found[3] == [("]", "punctuation")]
    assert found[5] == [("k = 1", "string")]
    assert found[7][-1] == ("true", "word")


def test_only_changed_lines_are_read_again() -> None:
    document = TextDocument("".join(f"key{n}: value\n" for n in range(500)))
    highlighter = Highlighter(lambda: document.lines, "yaml")
    highlighter.runs(400)
    assert highlighter.read == 401
    highlighter.note_edit(
        *document.splice(document.offset_of((3, 0)), document.offset_of((3, 3)), "a")
    )
    highlighter.runs(400)
    assert highlighter.read <= 403
    highlighter.note_edit(*document.splice(0, 0, "new: line\n"))
    highlighter.runs(400)
    assert highlighter.read <= 406


def test_a_state_that_changes_is_carried_on() -> None:
    document = TextDocument("a: b\nc: d\ne: f\n")
    highlighter = Highlighter(lambda: document.lines, "yaml")
    assert {run.kind for run in highlighter.runs(1)} == {"key", "punctuation", "string"}
    highlighter.note_edit(*document.splice(3, 3, "'"))
    assert {run.kind for run in highlighter.runs(1)} == {"string"}


@given(
    st.text("ab: -'\"[]{}#|>&*!?\n\t`~=,\\.", max_size=60),
    st.sampled_from(["markdown", "yaml", "json", "toml", "text"]),
)
def test_any_text_is_read_and_no_run_leaves_its_line(text: str, language: str) -> None:
    lines = text.split("\n")
    highlighter = Highlighter(lambda: lines, language)
    for row, line in enumerate(lines):
        ends = [0]
        for run in highlighter.runs(row):
            assert ends[-1] <= run.start < run.end
            ends.append(run.end)
        assert ends[-1] <= len(line)


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a/SKILL.md", "markdown"),
        ("x.yml", "yaml"),
        ("skill.toml", "toml"),
        ("Makefile", "makefile"),
    ],
)
def test_language_of_a_file(path: str, language: str) -> None:
    assert language_of(path) == language
