"""Positions in the editor's units, changes of a text, and URIs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from skillstudio.lsp.documents import EditorText, OpenDocument, open_document, path_of, uri_of
from skillstudio.lsp.edits import find_replacement
from skillstudio.text.splicing import apply

ENCODINGS = ("utf-8", "utf-16", "utf-32")
TEXT = "aé😀b\r\n\u2028x\rlast\n"
#          text: a    é    😀   b       LS  x      last
PLACES = [
    # encoding, line, character: the offset, and what comes back for it
    ("utf-8", 0, 1, 1, 1),
    ("utf-8", 0, 3, 2, 3),
    ("utf-8", 0, 5, 2, 3),  # within the emoji: its start
    ("utf-8", 0, 7, 3, 7),
    ("utf-16", 0, 2, 2, 2),
    ("utf-16", 0, 3, 2, 2),  # between its surrogates
    ("utf-16", 0, 4, 3, 4),
    ("utf-32", 0, 3, 3, 3),
    ("utf-16", 1, 1, 7, 1),  # U+2028 ends no line
    ("utf-16", 2, 0, 9, 0),  # a lone CR does
    ("utf-16", 0, 99, 4, 5),  # beyond the line: its end, before CR LF
    ("utf-8", 0, 2**31 - 1, 4, 8),
]


@pytest.mark.parametrize(("encoding", "line", "character", "offset", "back"), PLACES)
def test_positions_count_the_negotiated_units(
    encoding: str, line: int, character: int, offset: int, back: int
) -> None:
    text = EditorText(TEXT, encoding)
    assert text.offset(types.Position(line, character)) == offset
    assert text.position(offset) == types.Position(line, back)


def test_a_position_beyond_the_text_is_its_end() -> None:
    assert EditorText(TEXT).offset(types.Position(99, 3)) == len(TEXT)
    assert EditorText("").offset(types.Position(0, 0)) == 0
    assert EditorText("ab").position(7) == types.Position(0, 2)


def changed(text: EditorText, start: int, end: int, new: str) -> EditorText:
    place = types.Range(text.position(start), text.position(end))
    return text.apply_change(types.TextDocumentContentChangePartial(place, new))


CHARACTERS = st.text(st.sampled_from("ab \n\ré😀\u2028\ufeff"), max_size=12)


@given(CHARACTERS, CHARACTERS, st.integers(0, 12), st.integers(0, 12), st.sampled_from(ENCODINGS))
def test_a_change_replaces_exactly_its_range(
    before: str, new: str, one: int, other: int, encoding: str
) -> None:
    text = EditorText(before, encoding)
    start, end = sorted(min(each, len(before)) for each in (one, other))
    # A position within CR LF counts as the end of its line.
    if "\r\n" in (before[start - 1 : start + 1], before[end - 1 : end + 1]):
        return
    assert changed(text, start, end, new).text == before[:start] + new + before[end:]


@given(CHARACTERS, CHARACTERS)
def test_the_splice_between_two_texts_makes_one_of_the_other(old: str, new: str) -> None:
    assert apply(old, find_replacement(EditorText(old), new)) == new


def test_a_reversed_range_counts_as_its_opposite() -> None:
    place = types.Range(types.Position(0, 2), types.Position(0, 1))
    change = types.TextDocumentContentChangePartial(place, "x")
    assert EditorText("abc").apply_change(change).text == "axc"


def test_a_lone_surrogate_counts_as_one_unit() -> None:
    whole = types.TextDocumentContentChangeWholeDocument("a\ud83db")
    text = EditorText("").apply_change(whole)
    assert text.text == "a\ufffdb"
    assert text.offset(types.Position(0, 2)) == 2


def item(path: Path, text: str) -> OpenDocument:
    return open_document(types.TextDocumentItem(path.as_uri(), "markdown", 1, text), "utf-16")


def test_a_mark_that_the_editor_hides_stays_in_the_text(tmp_path: Path) -> None:
    path = tmp_path / "SKILL.md"
    path.write_bytes(b"\xef\xbb\xbfab")
    text = item(path, "ab").text
    assert text.text == "\ufeffab"
    assert text.offset(types.Position(0, 1)) == 2
    assert text.position(0) == text.position(1) == types.Position(0, 0)
    whole = types.TextDocumentContentChangeWholeDocument("cd")
    assert text.apply_change(whole).text == "\ufeffcd"
    shown = item(path, "\ufeffab").text
    assert shown.text == "\ufeffab"
    assert shown.offset(types.Position(0, 1)) == 1


URIS = {
    "file:///tea/SKILL.md": "/tea/SKILL.md",
    "file:///my%20tea/%C3%A9%23%3F/SKILL.md": "/my tea/é#?/SKILL.md",
    "FILE://localhost/tea": "/tea",
    "file:///a/../tea": "/tea",
    "file:///tea;v=1/x": "/tea;v=1/x",
    "file:///bad%FFbyte": os.fsdecode(b"/bad\xffbyte"),
    "file://server/share/tea": "",
    "file:///nul%00": "",
    "file:": "",
    "file://[": "",
    "untitled:Untitled-1": "",
    "git:/tea/SKILL.md?ref": "",
    "": "",
}


@pytest.mark.parametrize("uri", URIS)
def test_only_file_uris_have_paths(uri: str) -> None:
    assert path_of(uri) == URIS[uri]


@pytest.mark.parametrize("path", sorted({path for path in URIS.values() if path}))
def test_a_path_survives_its_uri(path: str) -> None:
    assert path_of(uri_of(path)) == path
    assert uri_of(path).isascii()
