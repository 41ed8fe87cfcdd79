"""The editor's document is the text, whatever is in it and however it is edited."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.document._document import DocumentBase

from skillstudio.tui.widgets.editor.text_document import TextDocument

ALPHABET = "ab\n\r\t \x00\x0b\x0c\x1b\x1c\x85\u2028\u2029\u202e\ufeff\u00e9\U0001f600\"'{}:,"
texts = st.text(ALPHABET, max_size=40) | st.text(st.characters(codec="utf-8"), max_size=20)
edits = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60), texts), max_size=12)


def rows_of(text: str) -> list[str]:
    return re.split(r"\r\n|\n|\r", text)


def same(document: TextDocument, text: str) -> None:
    """Everything the document says of itself agrees with the text alone."""
    assert document.text == text
    rows = rows_of(text)
    assert [document.raw_line(row) for row in range(document.line_count)] == rows
    assert [len(line) for line in document.lines] == [len(row) for row in rows]
    assert document.end == (len(rows) - 1, len(rows[-1]))
    for row, line in enumerate(rows):
        for column in (0, len(line)):
            assert document.location_of(document.offset_of((row, column))) == (row, column)


@given(texts, edits)
def test_any_edits_of_any_text(text: str, edits: list[tuple[int, int, str]]) -> None:
    document = TextDocument(text)
    same(document, text)
    for one, other, new in edits:
        start, end = sorted((min(one, len(text)), min(other, len(text))))
        rows = document.splice(start, end, new)
        before, text = text, text[:start] + new + text[end:]
        same(document, text)
        old_rows, new_rows = rows_of(before), rows_of(text)
        assert old_rows[: rows.top] == new_rows[: rows.top]
        assert old_rows[rows.old + 1 :] == new_rows[rows.new + 1 :]


@given(texts, st.integers(0, 60), st.integers(0, 60), texts)
def test_the_ranges_that_textual_asks_for(text: str, one: int, other: int, new: str) -> None:
    document: DocumentBase = TextDocument(text)
    assert isinstance(document, TextDocument)
    first, last = document.location_of(one), document.location_of(other)
    start, end = sorted((document.offset_of(first), document.offset_of(last)))
    assert document.get_text_range(first, last) == text[start:end]
    result = document.replace_range(first, last, new)
    assert result.replaced_text == text[start:end]
    assert document.text == text[:start] + new + text[end:]


@given(texts)
def test_nothing_that_a_terminal_obeys_is_in_a_line(text: str) -> None:
    hostile = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff]")
    assert not [line for line in TextDocument(text).lines if hostile.search(line)]


@pytest.mark.parametrize(
    ("text", "newline"),
    [("", "\n"), ("a", "\n"), ("a\r\nb\n", "\r\n"), ("a\rb\n", "\r"), ("a\nb\r\n", "\n")],
)
def test_a_new_line_ends_as_the_first_one(text: str, newline: str) -> None:
    assert TextDocument(text).newline == newline


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("a\x1b[31mb", "a\u241b[31mb"),
        ("\x00\x07\x7f", "\u2400\u2407\u2421"),
        ("a\u202eb\u2066", "a\u21c4b\u21c4"),
        ("\ufeffname", "\u2423name"),
        ("a\u2028b\x85c\x0cd", "a\u2424b\u2424c\u240cd"),
        ("tab\tstays, \u00e9 and \U0001f600 too", "tab\tstays, \u00e9 and \U0001f600 too"),
        ("tag\U000e0041", "tag\ufffd"),
    ],
)
def test_pictures(raw: str, shown: str) -> None:
    assert TextDocument(raw).lines == [shown]


def test_the_size_counts_what_is_shown() -> None:
    document = TextDocument("ab\x1b\n\tx")
    assert document.get_size(4) == (5, 2)
    document.splice(0, 0, "longer ")
    assert document.get_size(4) == (10, 2)
