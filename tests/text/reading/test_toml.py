"""TOML: each thing that can be wrong, where it is shown, and what is read in spite of it."""

from __future__ import annotations

import sys
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.text.node import Document, Mapping, Missing, Scalar, Sequence
from skillstudio.text.reading.toml import read_toml
from skillstudio.text.source import BOM, Source, Span


def read(text: str) -> Document:
    return read_toml(Source(text), Span(0, len(text)))


def said(document: Document) -> list[tuple[str, str]]:
    text = document.source.text
    return [(fault.rule, text[fault.start : fault.end]) for fault in document.faults]


FAULTS = [
    ("a = \nb = 1", ("syntax-toml", "="), {"b": 1}),
    ("a\nb = 1", ("syntax-toml", "a"), {"b": 1}),
    ("a: 1\nb = 1", ("syntax-toml", ":"), {"b": 1}),
    ("= 1\nb = 1", ("syntax-toml", "="), {"b": 1}),
    ('a = "x\nb = 1', ("syntax-toml", '"x'), {"a": "x", "b": 1}),
    ('a = """x\nb = 1', ("syntax-toml", '"""x'), {"a": "x", "b": 1}),
    ("a = word\nb = 1", ("syntax-toml", "word"), {"b": 1}),
    ("a = True\nb = 1", ("syntax-toml", "True"), {"a": True, "b": 1}),
    ("a = 01\nb = 1", ("syntax-toml", "01"), {"b": 1}),
    ("a = 2024-13-01\nb = 1", ("syntax-toml", "2024-13-01"), {"a": "2024-13-01", "b": 1}),
    ("a = 2023-02-29\nb = 1", ("syntax-toml", "2023-02-29"), {"a": "2023-02-29", "b": 1}),
    ("a = 1 2\nb = 1", ("syntax-toml", "2"), {"a": 1, "b": 1}),
    ("a = [1\nb = 1", ("syntax-toml", "["), {"a": [1], "b": 1}),
    ("a = [\n  1,\n\nb = 1\n[t]", ("syntax-toml", "["), {"a": [1], "b": 1, "t": {}}),
    ("a = [\n[t]\nb = 1", ("syntax-toml", "["), {"a": [], "t": {"b": 1}}),
    ("a = [1 2]\nb = 1", ("syntax-toml", "1"), {"a": [1, 2], "b": 1}),
    ("a = [1,, 2]\nb = 1", ("syntax-toml", ","), {"a": [1, 2], "b": 1}),
    ('a = [\n  "x,\n  "y",\n]\nb = 1', ("syntax-toml", '"x'), {"a": ["x", "y"], "b": 1}),
    ("a = { x = 1\nb = 1", ("syntax-toml", "{"), {"a": {"x": 1}, "b": 1}),
    ("a = {\nb = 1", ("syntax-toml", "{"), {"a": {}, "b": 1}),
    ("[t\nb = 1", ("syntax-toml", "[t"), {"t": {"b": 1}}),
    ("[\nb = 1", ("syntax-toml", "\n"), {}),
    ("a = 1\na = 2", ("key-duplicate", "a"), {"a": 2}),
    ("[t]\na = 1\n[t]\nb = 2", ("key-duplicate", "t"), {"t": {"a": 1, "b": 2}}),
    ("t = {a = 1}\n[t]\nb = 2", ("key-duplicate", "t"), {"t": {"a": 1}}),
    ("t.a = 1\n[t]\nb = 2", ("key-duplicate", "t"), {"t": {"a": 1, "b": 2}}),
    ("t = [1]\n[[t]]\nb = 2", ("key-duplicate", "t"), {"t": [1]}),
    ("[t.u]\na = 1\n[t]\nu.b = 2", ("key-duplicate", "u"), {"t": {"u": {"a": 1}}}),
    ("a = '''\x01'''", ("control-character", "\x01"), {"a": "\x01"}),
    ("# \x01\na = 1", ("control-character", "\x01"), {"a": 1}),
    ('a = "\\q"\nb = 1', ("syntax-toml", "\\q"), {"a": "\\q", "b": 1}),
    ('a = "\\ud800"', ("syntax-toml", "\\ud800"), {"a": "\ufffd"}),
    ("a = 1\rb = 2", ("syntax-toml", "\rb = 2"), {"a": 1}),
    ("a = {\n x = 1\n}", ("syntax-toml-1.1", "{"), {"a": {"x": 1}}),
    ("a = {x = 1,}", ("syntax-toml-1.1", ","), {"a": {"x": 1}}),
    ('a = "\\e"', ("syntax-toml-1.1", "\\e"), {"a": "\x1b"}),
    ('a = "\\x41"', ("syntax-toml-1.1", "\\x41"), {"a": "A"}),
    ("a = 07:32", ("syntax-toml-1.1", "07:32"), {"a": "07:32"}),
]


@pytest.mark.parametrize(("text", "fault", "value"), FAULTS)
def test_a_fault_is_shown_once_and_the_rest_is_read(
    text: str, fault: tuple[str, str], value: object
) -> None:
    document = read(text)
    assert said(document) == [fault]
    assert document.value == value


MENDED = [
    ('a = "\\e"', 'a = "\\u001b"'),
    ('a = "\\x41"', 'a = "\\u0041"'),
    ("a = {x = 1,}", "a = {x = 1}"),
    ("a = 2024-01-01T07:32Z", "a = 2024-01-01T07:32:00Z"),
    ("a = True", "a = true"),
    ("a = [1 2]", "a = [1, 2]"),
    ('a = "x', 'a = "x"'),
]


@pytest.mark.parametrize(("text", "mended"), MENDED)
def test_the_edits_of_a_fault_mend_it(text: str, mended: str) -> None:
    start, end, new = read(text).faults[0].edits[0]
    assert text[:start] + new + text[end:] == mended
    assert read(mended).faults == []


VALUES = [
    ("0xff", 255, "number"),
    ("1_000", 1000, "number"),
    ("+1.5e3", 1500.0, "number"),
    ("inf", float("inf"), "number"),
    ("true", True, "word"),
    ('"a\\tb"', "a\tb", "basic"),
    ("'a\\tb'", "a\\tb", "literal"),
    ('"""\na\r\nb\\\n   c"""', "a\nbc", "multi-basic"),
    ("'''\na'b'''", "a'b", "multi-literal"),
    ('"""a"""""', 'a""', "multi-basic"),
    ("2024-02-29", "2024-02-29", "date"),
    ("1979-05-27 07:32:00Z", "1979-05-27 07:32:00Z", "date"),
    ("07:32:00.5", "07:32:00.5", "date"),
]


@pytest.mark.parametrize(("written", "value", "style"), VALUES)
def test_the_value_and_style_of_each_scalar(written: str, value: object, style: str) -> None:
    document = read(f"a = {written} # why")
    node = document.at("/a")
    assert document.faults == []
    assert isinstance(node, Scalar)
    assert (node.value, node.style) == (value, style)
    assert document.source.text[node.start : node.end] == written


TABLES = """\
top = 1
[a.b]   # first
x = 1
[a]
y = { k = 1 }
p.q = 2
[[list]]
n = 1
[list.sub]
[[list]]
n = 2
"""


def test_where_keys_and_tables_stand() -> None:
    document = read(TABLES)
    assert document.faults == []
    assert document.value == tomllib.loads(TABLES)

    def key(pointer: str) -> tuple[int, int]:
        span = document.key_span(pointer)
        assert span is not None
        place = document.source.position(span.start)
        return place.line, place.column

    assert key("/a") == (4, 2)
    assert key("/a/b") == (2, 4)
    assert key("/a/p/q") == (6, 3)
    assert key("/a/y/k") == (5, 7)
    assert key("/list") == (7, 3)
    assert key("/list/0/sub") == (9, 7)
    table = document.at("/a")
    assert isinstance(table, Mapping)
    assert not table.flow
    assert TABLES[table.start : table.end] == "a]\ny = { k = 1 }\np.q = 2"
    tables = document.at("/list")
    assert isinstance(tables, Sequence)
    assert not tables.flow
    assert document.opening_line == Span(0, 0)


def test_a_table_that_only_another_header_names_has_its_key_there() -> None:
    document = read("[a.b]\nx = 1\n")
    assert document.key_span("/a") == Span(1, 2)


def test_a_key_without_a_value_stays_known() -> None:
    assert isinstance(read("[t]\nname =\n").at("/t/name"), Missing)


def test_a_byte_order_mark_may_stand_first_in_the_file_only() -> None:
    assert read("\ufeffa = 1").faults == []
    assert said(read("a = 1\n\ufeffb = 1"))[0][0] == "syntax-toml"


@pytest.mark.parametrize("opened", ["[", "{a="])
def test_the_depth_is_bounded(opened: str) -> None:
    assert "nesting-too-deep" in {rule for rule, _ in said(read("a = " + opened * 200))}
    assert said(read("a." * 200 + "b = 1"))[0][0] == "nesting-too-deep"


PIECES = st.lists(
    st.sampled_from(
        ["a", "b", ".", "=", " = ", "1", "\n", "\n", "[a]\n", "[[a]]\n", "[a.b]\n", "[", "]", "{",
         "}", ",", '"x"', '"', "'", "'''", '"""', "#", "\\", "\\u00e9", "true", "1.5", "\r\n", "\r",
         "2024-01-01", "07:30:00", "\t", "\x00", "é", "a = 1\n", "b.c = 2\n", "x = [\n", "{k = 1}"]
    ),
    max_size=30,
).map("".join)  # fmt: skip


@given(PIECES | st.text(max_size=60))
def test_any_text_is_read_and_no_fault_means_that_python_agrees(text: str) -> None:
    document = read(text)
    for pointer, node in document.walk():
        assert 0 <= node.start <= node.end <= len(text), pointer
    for fault in document.faults:
        assert 0 <= fault.start <= fault.end <= len(text)
    if sys.version_info >= (3, 15):
        return
    try:
        expected = tomllib.loads(text.removeprefix(BOM))
    except ValueError:
        assert document.faults
    else:
        assert document.faults == []
        assert set(document.value) == set(expected)
