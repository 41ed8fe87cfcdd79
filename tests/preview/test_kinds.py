"""Each kind of file: what it is taken for, and what is shown of it first."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from random import Random
from typing import get_type_hints

import pytest
from tests.preview.samples import Sample, samples

from skillstudio.preview.files import HOWS, view_of
from skillstudio.preview.source import MemorySource, open_source
from skillstudio.preview.spans import STYLES
from skillstudio.preview.view import FileView, ViewRequest
from skillstudio.preview.views.colours import tables
from skillstudio.text.safe import safe_text

SAMPLES = samples()


def by_name(sample: Sample) -> str:
    return sample.name


def test_there_are_enough_kinds() -> None:
    assert len(SAMPLES) >= 40
    assert len({each.kind for each in SAMPLES}) >= 30


@pytest.mark.parametrize("name", sorted(set(tables()["view"].values())))
def test_the_table_names_functions(name: str) -> None:
    module, _, function = name.partition(":")
    view = getattr(import_module(f"skillstudio.preview.views.{module}"), function)
    assert get_type_hints(view)["request"] is ViewRequest
    assert get_type_hints(view)["return"] is FileView


@pytest.mark.parametrize("sample", SAMPLES, ids=by_name)
def test_a_file_is_shown_as_what_it_holds(sample: Sample, tmp_path: Path) -> None:
    path = tmp_path / sample.name
    path.write_bytes(sample.data)
    view = view_of(open_source(str(path), sample.name))
    shown = [each.rstrip() for each in view.texts(0, max(len(sample.first), 1))]
    assert (view.title, view.kind) == (sample.name, sample.kind)
    assert tuple(shown) == sample.first
    assert sample.note in view.note


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("sample", SAMPLES, ids=by_name)
def test_every_view_is_safe_and_its_own_text(sample: Sample, how: str) -> None:
    view = view_of(MemorySource(sample.name, sample.data), how)  # type: ignore[arg-type]
    lines = view.lines(0, 400)
    assert view.texts(0, 400) == ["".join(span.text for span in each) for each in lines]
    for line in lines:
        for span in line:
            assert span.text
            assert span.text == safe_text(span.text)
            assert span.style in ("", *STYLES)
    assert view.complete
    assert view.lines(view.count, 10) == []
    assert view.load_more() is None


@pytest.mark.parametrize("sample", SAMPLES, ids=by_name)
def test_hexadecimal_is_the_bytes(sample: Sample) -> None:
    view = view_of(MemorySource(sample.name, sample.data), "hex")
    digits = "".join(text[10:59] for text in view.texts(0, 400)).replace(" ", "")
    assert bytes.fromhex(digits) == sample.data[: 400 * 16]
    assert view.count == -(-len(sample.data) // 16)


@pytest.mark.parametrize("sample", SAMPLES, ids=by_name)
def test_a_file_cut_short_anywhere_is_shown(sample: Sample) -> None:
    for size in range(0, len(sample.data), max(len(sample.data) // 8, 1)):
        view = view_of(MemorySource(sample.name, sample.data[:size]))
        assert view.lines(0, 50) or view.note or not size
        assert all(text == safe_text(text) for text in (view.note, *view.texts(0, 50)))


@pytest.mark.parametrize("sample", SAMPLES, ids=by_name)
def test_a_damaged_file_is_shown(sample: Sample) -> None:
    chance = Random(sample.name)
    for _ in range(12 if sample.data else 0):
        data = bytearray(sample.data)
        for _ in range(chance.choice([1, 3, 9])):
            at = chance.randrange(len(data))
            data[at] = chance.choice([0, 0x80, 0xFF, chance.randrange(256)])
        view = view_of(MemorySource(sample.name, bytes(data)))
        assert view.lines(0, 60) or view.note
        assert all(text == safe_text(text) for text in (view.note, *view.texts(0, 60)))


@pytest.mark.slow
def test_every_lexer_is_there() -> None:
    for kind in tables()["lexer"]:
        view = view_of(MemorySource("x", b""))
        assert view.lines(0, 1) == []
        from skillstudio.preview.views.colours import highlight_lines

        lines = list(highlight_lines(kind, ['a = "b" # c', "", "d"]))
        assert ["".join(span.text for span in each) for each in lines] == ['a = "b" # c', "", "d"]


def test_a_file_of_a_kind_is_coloured() -> None:
    view = view_of(MemorySource("a.py", b'def f():\n    return "x"  # why\n'))
    first, second = view.lines(0, 2)
    assert ("def", "word") in first
    assert ("f", "key") in first
    assert [span.style for span in second if span.text.strip()] == ["word", "string", "comment"]


def test_of_org_what_is_to_be_done_is_not_as_what_is_done() -> None:
    view = view_of(MemorySource("a.org", b"* TODO one\n* DONE two\n"))
    styles = [dict(line)[word] for line, word in zip(view.lines(0, 2), ("TODO", "DONE"),
                                                     strict=True)]  # fmt: skip
    assert styles == ["error", "added"]


def test_where_there_is_little_room_bytes_stand_in_rows_of_eight() -> None:
    source = MemorySource("a.bin", bytes(range(256)))
    for room, row in ((76, 16), (75, 8), (20, 8)):
        view = view_of(source, "hex", room)
        assert view.count == 256 // row
        shown = view.texts(0, 400)
        assert {len(each) for each in shown} == {12 + 4 * row}
        assert shown[1].startswith(f"{row:08x}  {row:02x} ")


def test_a_string_over_many_lines_is_known_further_down() -> None:
    text = "x = 1\n" * 50 + '"""\n' + "word\n" * 20 + '"""\n'
    view = view_of(MemorySource("a.py", text.encode()))
    assert view.lines(60, 1) == [(("word", "string"),)]


def test_names_that_mislead_are_shown() -> None:
    view = view_of(MemorySource(f"a\x1b[2J{os.sep}b\n.txt", b"x"))
    assert view.title == f"a␛[2J{os.sep}b␊.txt"


def test_a_line_that_is_too_long_is_plain_and_whole() -> None:
    long = "x = " + "1" * 3_000
    text = f"def f():\n{long}\ndef g():\n"
    view = view_of(MemorySource("a.py", text.encode()))
    first, second, third = view.lines(0, 3)
    assert first[0] == ("def", "word")
    assert second == ((long, ""),)
    assert [span.text for span in third] == ["def g():"]
    alone = view_of(MemorySource("a.py", long.encode()))
    assert alone.texts(0, 5) == [long]
    assert alone.lines(0, 5) == [((long, ""),)]


def test_colours_go_on_where_the_beginning_ends() -> None:
    text = "".join(f"def f{n}(): pass\n" for n in range(3_000))
    view = view_of(MemorySource("a.py", text.encode()))
    for start in (900, 0, 990, 1_000, 1_500, 2_950):
        lines = view.lines(start, 50)
        assert len(lines) == 50
        assert all(each[0] == ("def", "word") for each in lines)
