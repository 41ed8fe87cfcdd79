"""JSON, YAML and TOML as trees: what can be folded, what a fold says, and what it reads."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.preview.files import view_of
from skillstudio.preview.source import MemorySource, open_source
from skillstudio.preview.spans import plain
from skillstudio.preview.view import FileView
from skillstudio.preview.views.folding import SCANNED_LINES, FoldingView
from skillstudio.preview.views.text import TextView

YAML = """\
# top
steps:
- run: a
  with:
    k: 1

- run: b
text: |
  # Head
  one

  two
# next
last: [1]
"""
TOML = """\
name = "x"
deps = [
  "a",
  "b",
]

[tool.x]
a = 1
# c
b = 2

[[y]]
c = 3
"""
JSON = '{"a":{"b":[1,2,{"c":3}]},"d":[],"e":[1]}'


def opened(name: str, text: str) -> FoldingView:
    view = view_of(MemorySource(name, text.encode()), on_screen=True)
    assert isinstance(view, FoldingView)
    return view


def rows(view: FileView) -> list[str]:
    return [plain(each) for each in view.lines(0, 400)]


def folded(view: FoldingView) -> list[str]:
    return [each[2:].strip() for each in rows(view) if each.startswith("▸")]


def test_lines_with_nested_ones_have_a_mark() -> None:
    marks = {
        name: "".join(each[0] for each in rows(opened(name, text)))
        for name, text in (("a.yaml", YAML), ("a.toml", TOML), ("a.json", JSON))
    }
    assert marks == {
        "a.yaml": " ▾▾▾   ▾      ",
        "a.toml": " ▾    ▾    ▾ ",
        "a.json": "▾▾▾  ▾     ▾   ",
    }


ALL = {
    ("a.yaml", YAML): ["steps: … 2 items", "text: | … 3 lines"],
    ("a.toml", TOML): ["deps = [ … 2 items ]", "[tool.x] … 2 keys", "[[y]] … 1 key"],
    ("a.json", JSON): ['"a": { … 1 key },', '"e": [ … 1 item ]'],
}


@pytest.mark.parametrize(("file", "expected"), ALL.items(), ids=[name for name, _ in ALL])
def test_folding_everything_counts_what_it_hides(
    file: tuple[str, str], expected: list[str]
) -> None:
    view = opened(*file)
    before = rows(view)
    view.fold_all()
    assert folded(view) == expected
    assert view.count == len(rows(view)) < len(before)
    assert not view.fold(next(at for at in range(view.count) if view.is_folded(at)))
    view.unfold_all()
    assert rows(view) == before


def test_a_fold_within_a_fold_is_kept_and_the_line_around_is_found() -> None:
    view = opened("a.yaml", YAML)
    assert view.fold(3)
    assert folded(view) == ["with: … 1 key"]
    assert view.parent(3) == 2
    assert view.parent(2) == 1
    assert view.parent(1) == 1
    assert view.fold(1)
    assert folded(view) == ["steps: … 2 items"]
    assert view.unfold(1)
    assert folded(view) == ["with: … 1 key"]
    assert not view.fold(0), "a comment has nothing nested"
    assert not view.unfold(0)


def test_a_hidden_line_is_unfolded_when_it_is_searched() -> None:
    view = opened("a.yaml", YAML)
    view.fold_all()
    assert view.row(4) == 1, "the line that it is folded into"
    row = view.reveal(4)
    assert rows(view)[row] == "      k: 1"
    assert folded(view) == ["text: | … 3 lines"]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["- a", "b:", "# c", "", "]", "d: |"]))),
    st.lists(st.integers(0, 30), max_size=8),
)
def test_places_and_rows_are_inverse_whatever_is_folded(
    lines: list[tuple[int, str]], keys: list[int]
) -> None:
    text = "".join(f"{'  ' * depth}{bare}\n" for depth, bare in lines) + "end: 1\n---\nb: 2\n"
    view = opened("a.yaml", text)
    whole = [each[2:] for each in rows(view)]
    for key in keys:
        view.unfold(key) or view.fold(key)
        shown = rows(view)
        assert view.count == len(shown)
        for row, each in enumerate(shown):
            place = view.place(row)
            assert view.row(place) == row
            assert each[2:].startswith(whole[place])
    view.unfold_all()
    assert [each[2:] for each in rows(view)] == whole


BROKEN = {
    "a.yaml": ("a: 1\nb: c: d\n", "2:5: unquoted `: ` starts a nested value"),
    "a.toml": ("a = 1\nb =\n", "2:3: this key has no value"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_text_with_its_problem(name: str) -> None:
    text, problem = BROKEN[name]
    view = view_of(MemorySource(name, text.encode()), on_screen=True)
    assert isinstance(view, TextView)
    assert view.texts(0, 9) == text.splitlines()
    assert problem in view.note
    assert "shown as text" in view.note


def test_what_is_printed_has_no_marks() -> None:
    assert rows(view_of(MemorySource("a.yaml", YAML.encode()))) == YAML.splitlines()


def test_only_what_is_shown_or_hidden_is_read_of_a_large_file(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    path.write_text("outer:\n" + "  key:\n    - 1\n" * 400_000)
    source = open_source(str(path))
    read: list[int] = []
    reads = source.read  # type: ignore[union-attr]

    def counted(offset: int, length: int) -> bytes:
        data = reads(offset, length)
        read.append(len(data))
        return data

    source.read = counted  # type: ignore[method-assign, union-attr]
    view = view_of(source, on_screen=True)
    assert isinstance(view, FoldingView)
    view.lines(0, 60)
    assert sum(read) < 1 << 20
    assert view.fold(0)
    assert sum(read) < 40 * 14 * SCANNED_LINES
    assert folded(view)[0].startswith("outer: … more than ")
    assert view.count > 0
