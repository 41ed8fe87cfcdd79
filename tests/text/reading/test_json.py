"""JSON: each thing that can be wrong, where it is shown, and what is read in spite of it."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skillstudio.text.node import Document, Mapping, Missing, Scalar
from skillstudio.text.reading.json import read_json
from skillstudio.text.source import Source, Span


def read(text: str) -> Document:
    return read_json(Source(text), Span(0, len(text)))


def said(document: Document) -> list[tuple[str, str]]:
    text = document.source.text
    return [(fault.rule, text[fault.start : fault.end]) for fault in document.faults]


FAULTS = [
    ('{"a": 1,}', ("syntax-json", ","), {"a": 1}),
    ('{"a": 1 "b": 2}', ("syntax-json", "1"), {"a": 1, "b": 2}),
    ("[1 2, 3]", ("syntax-json", "1"), [1, 2, 3]),
    ("[1,, 2]", ("syntax-json", ","), [1, 2]),
    ('{"a": , "b": 2}', ("syntax-json", '"a"'), {"b": 2}),
    ('{"a" "x", "b": 2}', ("syntax-json", '"a"'), {"a": "x", "b": 2}),
    ('{"a" = 1}', ("syntax-json", "="), {"a": 1}),
    ('{"a": "x\n"b": 2}', ("syntax-json", '"x'), {"a": "x", "b": 2}),
    ('{"a": "x,\n"b": 2}', ("syntax-json", '"x'), {"a": "x", "b": 2}),
    ('{"a": ["x]}', ("syntax-json", '"x'), {"a": ["x"]}),
    ('{"a": "say "hi" now",\n"b": 2}', ("syntax-json", 'hi" now"'), {"a": "say ", "b": 2}),
    ('[tru, {"a": 1}]', ("syntax-json", "tru"), [{"a": 1}]),
    ('{"a": [tru, {"b": 1}], "c": 2}', ("syntax-json", "tru"), {"a": [{"b": 1}], "c": 2}),
    ('{"a": Use when: files, ok, "b": 2}', ("syntax-json", "Use when: files, ok"), {"b": 2}),
    ('{"a": hello world\n}', ("syntax-json", "hello world"), {}),
    ('{"a": [yes], "b": 2}', ("syntax-json", "yes"), {"a": [], "b": 2}),
    ("{'a': 1}", ("syntax-json", "'a'"), {"a": 1}),
    ("{\"a\": 'it\\'s'}", ("syntax-json", "'it\\'s'"), {"a": "it's"}),
    ("{a: 1}", ("syntax-json", "a"), {"a": 1}),
    ('{"a": True}', ("syntax-json", "True"), {"a": True}),
    ('{"a": None}', ("syntax-json", "None"), {"a": None}),
    ('{"a": NaN, "b": 1}', ("syntax-json", "NaN"), {"b": 1}),
    ('{"a": -Infinity, "b": 1}', ("syntax-json", "-Infinity"), {"b": 1}),
    ('{"a": 01, "b": 1}', ("syntax-json", "01"), {"b": 1}),
    ('{"a": 1., "b": 1}', ("syntax-json", "1."), {"b": 1}),
    ('{"a": 1e999, "b": 1}', ("syntax-json", "1e999"), {"b": 1}),
    ('{"a": plain words, "b": 1}', ("syntax-json", "plain words"), {"b": 1}),
    ('{"a": 1} // why', ("syntax-json", "// why"), {"a": 1}),
    ('{/* why */ "a": 1}', ("syntax-json", "/* why */"), {"a": 1}),
    ('{\n# why\n"a": 1}', ("syntax-json", "# why"), {"a": 1}),
    ('{"a": "x\ty"}', ("control-character", "\t"), {"a": "x\ty"}),
    ('{"a": "\\q"}', ("syntax-json", "\\q"), {"a": "\\q"}),
    ('{"a": 1, "a": 2}', ("key-duplicate", '"a"'), {"a": 2}),
    ('{"a": 1, "\\u0061": 2}', ("key-duplicate", '"\\u0061"'), {"a": 2}),
    ('{"a": 1} x', ("syntax-json", "x"), {"a": 1}),
    ('{"a": 1', ("syntax-json", "{"), {"a": 1}),
    ('{"a": {"b": 1, "c": 2}', ("syntax-json", "{"), {"a": {"b": 1, "c": 2}}),
    ("name: x", ("syntax-json", "name: x"), None),
    ("", ("syntax-json", ""), None),
]


@pytest.mark.parametrize(("text", "fault", "value"), FAULTS)
def test_a_fault_is_shown_once_and_the_rest_is_read(
    text: str, fault: tuple[str, str], value: object
) -> None:
    document = read(text)
    assert said(document) == [fault]
    assert document.value == value


MENDED = [
    ('{"a": 1,}', '{"a": 1}'),
    ('{"a": 1 "b": 2}', '{"a": 1, "b": 2}'),
    ("{'a': 1}", '{"a": 1}'),
    ("{a: 1}", '{"a": 1}'),
    ('{"a": None}', '{"a": null}'),
    ("[1] // x", "[1] "),
    ('["a\tb"]', '["a\\tb"]'),
    ('["a', '["a"'),
]


@pytest.mark.parametrize(("text", "mended"), MENDED)
def test_the_edits_of_a_fault_mend_it(text: str, mended: str) -> None:
    start, end, new = next(fault.edits[0] for fault in read(text).faults if fault.edits)
    assert text[:start] + new + text[end:] == mended


LINES = """\
{
  "one": 1,
  "two": {
    "three": [
      "x",
      {
        "four": 4
      }
    ],
    "five": 5
  },
  "six": 6
}
"""


@pytest.mark.parametrize(
    ("gone", "still"),
    [
        ('  "two": {\n', ["/one", "/six"]),
        ("    ],\n", ["/one", "/two/three", "/two/five", "/six"]),
        ("  },\n", ["/one", "/two/three/1/four", "/two/five", "/six"]),
        ("      {\n", ["/one", "/two/three", "/two/five", "/six"]),
        ("      }\n", ["/one", "/two/three/1/four", "/two/five", "/six"]),
        ("{\n        ", ["/one", "/two/five", "/six"]),
        ('"three": [', ["/one", "/two/five", "/six"]),
        ('": [', ["/one", "/two/five", "/six"]),
        ("[", ["/one", "/two/three/1/four", "/two/five", "/six"]),
    ],
)
def test_indentation_shows_what_belongs_together_when_a_bracket_is_missing(
    gone: str, still: list[str]
) -> None:
    document = read(LINES.replace(gone, "", 1))
    assert document.faults
    assert [pointer for pointer in still if document.at(pointer) is None] == []


def test_indentation_does_not_matter_when_the_brackets_pair() -> None:
    text = '{\n"a": {\n"b": 1\n},\n        "c": [\n1\n]\n}'
    document = read(text)
    assert document.faults == []
    assert document.value == json.loads(text)


def test_spans_count_from_the_start_of_the_whole_text() -> None:
    text = 'before\n{"é": "\\u00e9", "n": -1.5e3}\nafter'
    document = read_json(Source(text), Span(7, len(text) - 6))
    assert document.faults == []
    places = {pointer: text[node.start : node.end] for pointer, node in document.walk()}
    assert places["/é"] == '"\\u00e9"'
    assert places["/n"] == "-1.5e3"
    assert document.key_span("/n") == Span(23, 26)
    assert document.opening_line == Span(7, 8)


def test_the_style_of_each_scalar() -> None:
    root = read('["s", 1, 1.5, true, null]').root
    styles = [item.style for item in root.items if isinstance(item, Scalar)]
    assert styles == ["double", "number", "number", "word", "word"]


def test_a_key_without_a_value_stays_known() -> None:
    document = read('{"a": 1, "b": }')
    assert isinstance(document.at("/b"), Missing)
    assert isinstance(document.root, Mapping)
    assert document.root.incomplete


def test_a_byte_order_mark_may_stand_first_in_the_file_only() -> None:
    assert read('\ufeff{"a": 1}').faults == []
    assert said(read('{"a":\ufeff1}'))[0][0] == "syntax-json"


def test_a_number_of_many_digits_is_read_as_it_is() -> None:
    assert read("[123456789012345678901234567890]").value == [123456789012345678901234567890]
    assert said(read("[" + "1" * 5000 + "]")) == [("syntax-json", "1" * 5000)]


def finite(value: object) -> bool:
    """Whether a value holds numbers of JSON only: `1e511` is infinite to Python, a fault to us."""
    if isinstance(value, dict):
        return all(map(finite, value.values()))
    if isinstance(value, list):
        return all(map(finite, value))
    return not isinstance(value, float) or math.isfinite(value)


PIECES = st.lists(
    st.sampled_from(
        ["{", "}", "[", "]", ",", ":", '"a"', '"b', '"', "'", "\n", "\n  ", " ", "1", "-", "true",
         "//", "/*", "#", "\\", "\t", "\x00", "é", "\u2028", '"k": ', "{}", "1e5", "nul"]
    ),
    max_size=40,
).map("".join)  # fmt: skip


@given(PIECES | st.text(max_size=60))
@example('[{"a": 1e5, "\\u00e9": [true, null]}, "x"]\n')
@example('{"a": 1, "a": 2}')
def test_any_text_is_read_and_no_fault_means_that_python_agrees(text: str) -> None:
    document = read(text)
    for pointer, node in document.walk():
        assert 0 <= node.start <= node.end <= len(text), pointer
    for fault in document.faults:
        assert 0 <= fault.start <= fault.end <= len(text)
    try:
        expected = json.loads(text)
    except ValueError:
        assert document.faults
    else:
        if finite(expected):
            assert {fault.rule for fault in document.faults} <= {"key-duplicate"}
            assert document.value == expected
