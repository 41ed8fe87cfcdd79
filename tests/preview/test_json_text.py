"""JSON set out by lines, whatever it holds."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.preview.source import MemorySource
from skillstudio.preview.spans import plain
from skillstudio.preview.views.json_text import one_line, pretty
from skillstudio.preview.views.text import SourceLines

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=12,
)


def shown(text: str) -> list[str]:
    return [plain(each) for each in pretty(text)]


@given(JSON, st.sampled_from([None, 0, 3]))
def test_it_is_the_same_value(value: object, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    found = shown(text)
    assert json.loads("\n".join(found)) == value
    assert found == shown("\n".join(found))


@given(JSON)
def test_it_is_set_out_as_the_library_does(value: object) -> None:
    text = json.dumps(value, indent=2)
    assert "\n".join(shown(text)) == text


CASES = [
    ("", []),
    ("  \n", []),
    ("1e400", ["1e400"]),
    ('\ufeff{"a":1}', ["{", '  "a": 1', "}"]),
    ('{"a":1,"a":2}', ["{", '  "a": 1,', '  "a": 2', "}"]),
    ("[ ]", ["[]"]),
    ("[1", ["[", "  1"]),
    ("]", ["]"]),
    ("nul", ["‹invalid JSON from here on›", "nul"]),
    ('["a\nb"]', ["[", "‹invalid JSON from here on›", '"a', 'b"]']),
    ("NaN", ["‹invalid JSON from here on›", "NaN"]),
]


@pytest.mark.parametrize(("text", "lines"), CASES)
def test_what_stands_there(text: str, lines: list[str]) -> None:
    assert shown(text) == lines


@pytest.mark.slow
def test_depth_has_no_end() -> None:
    found = shown("[" * 100_000)
    assert len(found) == 100_000
    assert found[-1] == " " * 80 + "["


def test_a_line_of_json_lines_keeps_its_text() -> None:
    texts = ['{"a" : [1, "x"] }', "oops {", "", "[" * 4_000]
    source = MemorySource("a.jsonl", "\n".join(texts).encode())
    lines = one_line(SourceLines(source), 0, texts)
    assert [plain(each) for each in lines] == texts
    assert ('"a"', "key") in lines[0]
