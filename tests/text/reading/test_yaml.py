"""YAML read with places, broken or not."""

from __future__ import annotations

import math
import re
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from skillstudio.text.node import Document, Fault, Mapping, Missing, Scalar, Sequence, to_value
from skillstudio.text.reading.markdown import read_markdown
from skillstudio.text.reading.yaml import read_yaml
from skillstudio.text.reading.yaml_scalars import older_reading, resolve_plain
from skillstudio.text.source import Source, Span

WORKLOG = (Path(__file__).parent / "examples" / "worklog.yaml").read_text()


def read(text: str) -> Document:
    return read_yaml(Source(text), Span(0, len(text)))


def faults(doc: Document) -> list[tuple[str, str]]:
    text = doc.source.text
    return [(fault.rule, text[fault.start : fault.end]) for fault in doc.faults]


def mended(text: str, fault: Fault) -> str:
    for start, end, new in sorted(fault.edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def spans(doc: Document) -> dict[str, str]:
    return {pointer: doc.source.text[node.start : node.end] for pointer, node in doc.walk()}


class Oracle(yaml.CSafeLoader):
    """Another reading of sound YAML: the loader of PyYAML with the words of YAML 1.2."""


def _construct(loader: Oracle, node: yaml.ScalarNode) -> Any:
    text = node.value
    if node.style:
        return text
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if text.lower() in ("true", "false") and text in (text.lower(), text.title(), text.upper()):
        return text.lower() == "true"
    if re.fullmatch(r"[-+]?[0-9]+", text):
        return int(text)
    if re.fullmatch(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", text):
        return float(text)
    return text


Oracle.yaml_implicit_resolvers = {}
Oracle.add_constructor("tag:yaml.org,2002:str", _construct)

SCALARS = [
    ("", None), ("~", None), ("null", None), ("NULL", None), ("nUll", "nUll"),
    ("true", True), ("False", False), ("tRue", "tRue"),
    ("yes", "yes"), ("no", "no"), ("on", "on"), ("Off", "Off"), ("y", "y"),
    ("0", 0), ("-7", -7), ("+12", 12), ("012", 12), ("0o14", 12), ("0xC", 12), ("-0xC", "-0xC"),
    ("1_000", "1_000"), ("0b11", "0b11"), ("1:30", "1:30"),
    ("1.5", 1.5), (".5", 0.5), ("1.", 1.0), ("1e3", 1000.0), ("-1.5E-2", -0.015), ("2.40", 2.4),
    (".inf", math.inf), ("-.INF", -math.inf), ("1.0.0", "1.0.0"), (".", "."), ("-", "-"),
    ("2025-01-01", "2025-01-01"), ("2025-12-23T10:00:00Z", "2025-12-23T10:00:00Z"),
    ("=", "="), ("<<", "<<"), ("9" * 5000, math.inf), ("inf", "inf"), ("nan", "nan"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), SCALARS)
def test_plain_scalars_have_the_values_of_the_core_schema(text: str, value: object) -> None:
    found = resolve_plain(text)
    assert found == value
    assert type(found) is type(value)


OLDER = [
    ("yes", "a boolean"), ("NO", "a boolean"), ("On", "a boolean"), ("off", "a boolean"),
    ("012", "an octal number"), ("0", ""), ("00", ""), ("07", ""), ("08", "a string"),
    ("0o14", "a string"), ("0xC", ""), ("1e3", "a string"), ("1.5e3", "a string"),
    ("1.5e+3", ""), ("1_000", "a number"), ("0b11", "a number"), ("1:30", "a number"),
    ("1:30:00", "a number"), ("2025-01-01", "a date"), ("2025-1-1", ""),
    ("2001-12-14t21:59:43.10-05:00", "a date"), ("=", "a special value"), ("<<", "a special value"),
    ("1.0.0", ""), ("2.40", ""), ("true", ""), ("null", ""), ("word", ""), ("none", ""), ("y", ""),
    ("", ""), ("-5", ""), ("+.inf", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "older"), OLDER)
def test_what_readers_of_yaml_1_1_see_otherwise(text: str, older: str) -> None:
    assert older_reading(text, resolve_plain(text)) == older
    assert [fault.rule for fault in read(f"key: {text}\n").faults] == ["value-yaml-1.1"] * bool(
        older
    )


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("a: yes\n", 'a: "yes"\n'),
        ("a: 012 # c\n", 'a: "012" # c\n'),
        ("a: 1e3\n", "a: 1000.0\n"),
        ("a: 0o14\n", "a: 12\n"),
        ("[2025-01-01]\n", '["2025-01-01"]\n'),
        ("on: 1\n", '"on": 1\n'),
    ],
)
def test_a_value_that_yaml_1_1_sees_otherwise_can_be_mended(text: str, after: str) -> None:
    (fault,) = read(text).faults
    assert mended(text, fault) == after
    assert read(after).faults == []


@pytest.mark.parametrize("text", ['a: "yes"', "a: 'no'", "a: |\n  on\n", "a: !!str 012", "404: x"])
def test_quotes_and_tags_leave_nothing_to_see_otherwise(text: str) -> None:
    assert read(text).faults == []


SPANS = [
    ("a: 1\nb: x y # c\n", {"": "a: 1\nb: x y", "/a": "1", "/b": "x y"}),
    ("a: \"q\"\nb: 'r'\n", {"": "a: \"q\"\nb: 'r'", "/a": '"q"', "/b": "'r'"}),
    ("a:\n  - x\n  - y\n\n# c\nb: z\n",
     {"": "a:\n  - x\n  - y\n\n# c\nb: z", "/a": "- x\n  - y", "/a/0": "x", "/a/1": "y",
      "/b": "z"}),
    ("a: |\n  x\n\n\nb: >-\n  y\n",
     {"": "a: |\n  x\n\n\nb: >-\n  y", "/a": "|\n  x", "/b": ">-\n  y"}),
    ("a: |+\n  x\n\nb: 1\n", {"": "a: |+\n  x\n\nb: 1", "/a": "|+\n  x\n\n", "/b": "1"}),
    ("a:   # c\nb:\n", {"": "a:   # c\nb:", "/a": "", "/b": ""}),
    ("a: &x 1\nb: !!str 2\nc: &y\n  d: e\n",
     {"": "a: &x 1\nb: !!str 2\nc: &y\n  d: e", "/a": "1", "/b": "2", "/c": "d: e", "/c/d": "e"}),
    ("a: {b: [c, {}], 'd': }\n",
     {"": "a: {b: [c, {}], 'd': }", "/a": "{b: [c, {}], 'd': }", "/a/b": "[c, {}]", "/a/b/0": "c",
      "/a/b/1": "{}", "/a/d": ""}),
    ("a: one\n  two\nb: \"x\n  y\"\n",
     {"": "a: one\n  two\nb: \"x\n  y\"", "/a": "one\n  two", "/b": '"x\n  y"'}),
    ("é: 😀\r\nb: 1\r\n", {"": "é: 😀\r\nb: 1", "/é": "😀", "/b": "1"}),
    ("\ufeffa: 1\n", {"": "a: 1", "/a": "1"}),
    ("- - a\n  - b\n-\n  c: d\n",
     {"": "- - a\n  - b\n-\n  c: d", "/0": "- a\n  - b", "/0/0": "a", "/0/1": "b", "/1": "c: d",
      "/1/c": "d"}),
    ("", {"": ""}),
    ("# only a comment\n", {"": ""}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), SPANS)
def test_every_node_has_its_span(text: str, expected: dict[str, str]) -> None:
    doc = read(text)
    assert spans(doc) == expected
    assert doc.faults == []


def test_only_the_span_is_read_and_offsets_are_those_of_the_whole_source() -> None:
    text = "---\nname: é\nage: yes\n---\nbody: [\n"
    doc = read_yaml(Source(text), Span(4, 21), Span(0, 3))
    assert doc.value == {"name": "é", "age": "yes"}
    assert spans(doc)["/name"] == "é"
    assert faults(doc) == [("value-yaml-1.1", "yes")]
    assert doc.opening_line == Span(0, 3)


def test_an_empty_text_is_an_empty_mapping() -> None:
    root = read("\n# comment\n").root
    assert isinstance(root, Mapping)
    assert not root.entries
    assert not root.incomplete


def test_keys_are_strings_by_their_text() -> None:
    assert read("1: a\ntrue: b\nnull: c\n2.50: d\n").value == {
        "1": "a", "true": "b", "null": "c", "2.50": "d",
    }  # fmt: skip


def test_each_later_key_of_the_same_name_is_a_fault() -> None:
    doc = read("a: 1\nb: {c: 1, c: 2}\n'a': 3\n")
    assert faults(doc) == [("key-duplicate", "c"), ("key-duplicate", "'a'")]
    assert doc.value == {"a": 3, "b": {"c": 2}}


def test_an_alias_has_its_own_span_and_its_target() -> None:
    doc = read("a: &x {b: 1}\nc: *x\n")
    assert doc.value == {"a": {"b": 1}, "c": {"b": 1}}
    assert spans(doc)["/c"] == "*x"
    assert faults(doc) == [("alias-used", "*x")]


def test_an_alias_of_itself_ends() -> None:
    doc = read("a: &x\n  b: *x\n  c: 1\n")
    assert ("alias-recursive", "*x") in faults(doc)
    assert doc.value == {"a": {"b": None, "c": 1}}


def test_aliases_of_aliases_expand_to_a_thousand_values_and_no_further() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    doc = read("\n".join(lines))
    assert "alias-expansion" in [fault.rule for fault in doc.faults]
    assert len(str(doc.value)) < 100_000


@pytest.mark.parametrize("bracket", ["[", "{a: ", "- "])
def test_nesting_stops_at_a_hundred_levels(bracket: str) -> None:
    doc = read("name: x\nd:\n  " + bracket * 40_000 + "\nversion: 1\n")
    assert "nesting-too-deep" in [fault.rule for fault in doc.faults]
    assert doc.value["name"] == "x"


@pytest.mark.parametrize("char", ["\0", "\x07", "\x1b", "\x7f", "\x9b", "\ud800", "\uffff"])
def test_a_control_character_is_a_fault_at_its_place(char: str) -> None:
    doc = read(f"a: x{char}y\nb: 2\n")
    assert faults(doc) == [("control-character", char)]
    assert doc.value == {"a": "x y", "b": 2}


def test_a_second_document_is_not_read() -> None:
    doc = read("a: 1\n---\nb: 2\n")
    assert doc.value == {"a": 1}
    assert faults(doc) == [("syntax-yaml", "---")]


# Values that need quotes. Each stands between two sound lines, and is the only fault.

UNQUOTED = [
    ("description: Use when: files arrive", ":", "Use when: files arrive",
     'description: "Use when: files arrive"'),
    ("description: Use when: a: b", ":", "Use when: a: b", 'description: "Use when: a: b"'),
    ("description: Use when:", ":", "Use when:", 'description: "Use when:"'),
    ('description: The "x": it\'s', ":", 'The "x": it\'s', "description: 'The \"x\": it''s'"),
    ("description: C:\\x: y", ":", "C:\\x: y", "description: 'C:\\x: y'"),
    ("description: Fix #1 and # 2", "#", "Fix #1 and # 2", 'description: "Fix #1 and # 2"'),
    ("description: a: b # c", ":", "a: b # c", 'description: "a: b # c"'),
    ("description: [TODO] write", "[", "[TODO] write", 'description: "[TODO] write"'),
    ("description: [TODO", "[", "[TODO", 'description: "[TODO"'),
    ("description: {x} y", "{", "{x} y", 'description: "{x} y"'),
    ("description: *important* text", "*", "*important* text", 'description: "*important* text"'),
    ("description: *name", "*", "*name", 'description: "*name"'),
    ("description: & more", "&", "& more", 'description: "& more"'),
    ("description: @home", "@", "@home", 'description: "@home"'),
    ("description: %d files", "%", "%d files", 'description: "%d files"'),
    ("description: `code` here", "`", "`code` here", 'description: "`code` here"'),
    ("description: !important x", "!", "!important x", 'description: "!important x"'),
    ("description: > 5 items", ">", "> 5 items", 'description: "> 5 items"'),
    ("description: - item", "-", "- item", 'description: "- item"'),
    ('description: "Fast" sorting', '"', '"Fast" sorting', "description: '\"Fast\" sorting'"),
    ("description: 'It's here'", "'", "It's here", "description: 'It''s here'"),
    ("description: one\n  two three: four", ":", "one two three: four",
     'description: "one\n  two three: four"'),
    ("pattern: {{dir}}/x.org", "{", "{{dir}}/x.org", 'pattern: "{{dir}}/x.org"'),
    ("pattern: {{dir}}", "{", "{{dir}}", 'pattern: "{{dir}}"'),
    ("key: a: b # comment", ":", "a: b", 'key: "a: b" # comment'),
    ("argument-hint: [a] [b]", "[", "[a] [b]", 'argument-hint: "[a] [b]"'),
    ("argument-hint: [a, [b]] [c] # d", "[", "[a, [b]] [c]", 'argument-hint: "[a, [b]] [c]" # d'),
    ("argument-hint: [a, b] [c]", "[", "[a, b] [c]", 'argument-hint: "[a, b] [c]"'),
    ("argument-hint: {a} {b}", "{", "{a} {b}", 'argument-hint: "{a} {b}"'),
]  # fmt: skip


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(("line", "at", "value", "after"), UNQUOTED)
def test_a_value_that_needs_quotes_is_one_fault_and_read_all_the_same(
    line: str, at: str, value: str, after: str, newline: str
) -> None:
    text = f"name: x\n{line}\nversion: 1.0.0\ntags: [a]\n".replace("\n", newline)
    key = line.split(":")[0]
    doc = read(text)
    assert faults(doc) == [("value-unquoted", at)]
    assert doc.value == {"name": "x", key: value, "version": "1.0.0", "tags": ["a"]}
    assert not any(getattr(node, "incomplete", False) for _, node in doc.walk())
    (fault,) = doc.faults
    new = mended(text, fault)
    assert new == text.replace(line.replace("\n", newline), after.replace("\n", newline))
    assert read(new).faults == []
    assert read(new).value == doc.value


def test_text_after_a_list_of_several_items_is_no_text_to_quote() -> None:
    (fault,) = read("name: x\ntags: [a, b, c]  - d\n").faults
    assert (fault.rule, fault.edits) == ("syntax-yaml", ())


def test_the_fault_of_a_second_colon_stands_at_the_colon() -> None:
    (fault,) = read("description: Use when: files arrive\n").faults
    assert (fault.start, fault.end) == (21, 22)


def test_many_values_that_need_quotes_are_all_reported() -> None:
    text = "".join(f"k{n}: say: {n}\n" for n in range(20))
    doc = read(text)
    assert [fault.rule for fault in doc.faults] == ["value-unquoted"] * 20
    assert doc.value == {f"k{n}": f"say: {n}" for n in range(20)}


@pytest.mark.parametrize("text", ["timeout: 30 # seconds\n", "description:\n  type: string # c\n"])
def test_a_comment_is_a_comment(text: str) -> None:
    assert read(text).faults == []


# Broken lines. Each stands between sound lines, which must be read as if it were not there.

BROKEN = [
    ('key: "half', {"key": Missing}, False),
    ("key: 'half", {"key": Missing}, False),
    ("key: [a, b", {"key": Missing}, False),
    ("key: {a: b", {"key": Missing}, False),
    ("key: [a, b]]", {"key": Missing}, False),
    ("key: [\n  a,\n  b", {"key": Missing}, False),
    ("key", {"key": Missing}, False),
    ("key:value", {"key": "value"}, False),
    ('key:"value"', {"key": "value"}, False),
    ("key:12", {"key": 12}, False),
    ("two words", {}, True),
    ("k", {}, True),
    ("- item", {}, True),
    ("  deeper: 1", {}, True),
    ('"key', {}, True),
    ("@", {}, True),
    ("}", {}, True),
    ('key: "\\d+"', {"key": "\\d+"}, False),
    ("key:\n\ta: 1\n\tb: 2", {"key": {"a": 1, "b": 2}}, False),
    ("key: |x\n  text", {"key": "|x text"}, False),
    ("key:\n  a: 1\n b: 2", {"key": {"a": 1}}, True),
]  # fmt: skip


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(("line", "read_as", "is_lost"), BROKEN)
def test_a_broken_line_leaves_its_neighbours_alone(
    line: str, read_as: dict[str, Any], is_lost: bool, newline: str
) -> None:
    text = f'name: "x"\n{line}\nversion: 1.0.0\nlist:\n  - a\n  - b: c\n'.replace("\n", newline)
    doc = read(text)
    root = doc.root
    assert isinstance(root, Mapping)
    found = {
        entry.name: Missing if isinstance(entry.value, Missing) else doc.value[entry.name]
        for entry in root.entries
    }
    around = {"name": "x", "version": "1.0.0", "list": ["a", {"b": "c"}]}
    assert found == {**around, **read_as}
    assert root.incomplete == is_lost
    assert doc.faults


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("name: x\nkey\n", "name: x\nkey:\n"),
        ("key:value\nname: x\n", "key: value\nname: x\n"),
        ('p: "^\\d{4}-\\w$"\n', 'p: "^\\\\d{4}-\\\\w$"\n'),
        ("key:\n\ta: 1\n\tb: 2\n", "key:\n  a: 1\n  b: 2\n"),
        ("name", "name:"),
    ],
)
def test_what_is_meant_can_be_written(text: str, after: str) -> None:
    (fault,) = read(text).faults
    assert (fault.rule, mended(text, fault)) == ("syntax-yaml", after)
    assert read(after).faults == []


def test_a_line_left_out_marks_the_mapping_it_was_in_and_no_other() -> None:
    doc = read("a:\n  b: 1\n  @@@\nc:\n  d: 2\n")
    marked = [p for p, node in doc.walk() if isinstance(node, Mapping) and node.incomplete]
    assert marked == ["/a"]


@pytest.mark.parametrize("at", range(len(WORKLOG.splitlines())))
def test_while_a_line_is_typed_the_other_keys_stay(at: int) -> None:
    """Every prefix of every line of an example, the rest of the file below it."""
    lines = WORKLOG.splitlines()
    keys = keys_by_line(read(WORKLOG))
    wanted = {(line, name) for line, name in keys if line != at + 1}
    survived = total = 0
    for length in range(1, len(lines[at])):
        text = "\n".join([*lines[:at], lines[at][:length], *lines[at + 1 :]])
        found = keys_by_line(read(text))
        survived += len(wanted & found)
        total += len(wanted)
    # A key of one letter above a nested block is a word too short to be told from text.
    assert survived >= 0.9 * total


@pytest.mark.slow
def test_while_examples_are_typed_the_keys_elsewhere_survive() -> None:
    lines = WORKLOG.splitlines()
    keys = keys_by_line(read(WORKLOG))
    survived = total = 0
    for at, line in enumerate(lines):
        wanted = {(number, name) for number, name in keys if number != at + 1}
        for length in range(1, len(line)):
            text = "\n".join([*lines[:at], line[:length], *lines[at + 1 :]])
            if is_sound(text):
                continue
            survived += len(wanted & keys_by_line(read(text)))
            total += len(wanted)
    assert survived >= 0.99 * total


def keys_by_line(doc: Document) -> set[tuple[int, str]]:
    return {
        (doc.source.position(entry.key.start).line, entry.name)
        for _, node in doc.walk()
        if isinstance(node, Mapping)
        for entry in node.entries
    }


def is_sound(text: str) -> bool:
    try:
        yaml.load(text, Loader=yaml.CBaseLoader)
    except (yaml.YAMLError, UnicodeEncodeError):
        return False
    return True


PIECES = ["a", "b: ", ": ", "- ", "\n", "\n  ", "\r\n", "[", "]", "{", "}", ",", '"', "'", "|", ">",
          "# c", " #", "&x ", "*x", "!t ", "!!str ", "? ", "---\n", "...\n", "\t", "\\", "yes",
          "012", "é", "\ufeff", "\u2028", "\x85", "😀", "\0", "%", "@", "`", "<<: ", "{{x}}",
          "\ue000", "description: ", "'It's'", "key:value"]  # fmt: skip
TEXTS = st.one_of(
    st.text(st.characters(codec=None), max_size=60),
    st.lists(st.sampled_from(PIECES), max_size=25).map("".join),
)


@given(TEXTS, st.sampled_from(["", "---\n", "x\r\n"]))
def test_any_text_is_read_and_every_place_lies_in_it(text: str, before: str) -> None:
    whole = f"{before}{text}---\n"
    start, end = len(before), len(before) + len(text)
    doc = read_yaml(Source(whole), Span(start, end))
    for _, node in doc.walk():
        assert start <= node.start <= node.end <= end
        if isinstance(node, Mapping):
            for entry in node.entries:
                assert start <= entry.key.start <= entry.key.end <= end
    for fault in doc.faults:
        assert start <= fault.start <= fault.end <= end
        places = [place for begin, stop, _ in fault.edits for place in (begin, stop)]
        assert places == sorted(places)
        assert all(start <= place <= end for place in places)
    assert doc.faults == sorted(doc.faults, key=lambda fault: (fault.start, fault.end))


HARMLESS = {"value-yaml-1.1", "alias-used", "key-duplicate"}


@given(TEXTS)
def test_what_has_no_fault_means_the_same_to_another_reader(text: str) -> None:
    doc = read(text)
    rules = {fault.rule for fault in doc.faults}
    if not is_sound(text):
        assert rules - HARMLESS
        return
    if rules or re.search(r"[!&*?]|0[ox]|\.(inf|nan)", text, re.IGNORECASE):
        return
    expected = yaml.load(text, Loader=Oracle)
    if isinstance(expected, dict | list) and "null" not in text:
        assert same(doc.value, expected)


def same(own: Any, other: Any) -> bool:
    """Whether two values are equal but for keys that are not strings, which own ones always are."""
    if isinstance(own, dict) and isinstance(other, dict):
        named = {key: value for key, value in other.items() if isinstance(key, str)}
        return len(own) >= len(other) and all(same(own[key], named[key]) for key in named)
    if isinstance(own, list) and isinstance(other, list):
        return len(own) == len(other) and all(map(same, own, other))
    return type(own) is type(other) and own == other


PLAIN_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8"), max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(PLAIN_VALUES, st.booleans(), st.booleans())
def test_what_another_writer_wrote_is_read_back(value: Any, flow: bool, unicode: bool) -> None:
    text = yaml.safe_dump({"key": value}, default_flow_style=flow, allow_unicode=unicode)
    assume(yaml.safe_load(text) == {"key": value})  # it loses U+0085 itself
    doc = read(text)
    assume(not doc.faults)  # it leaves 1e0 without quotes, a number in YAML 1.2
    assert doc.value == {"key": value}


@given(PLAIN_VALUES)
def test_the_span_of_a_quoted_scalar_or_a_bracket_reads_as_the_same(value: Any) -> None:
    doc = read(yaml.safe_dump({"key": value}))
    for _, node in doc.walk():
        quoted = isinstance(node, Scalar) and node.style in ("single", "double")
        if quoted or (isinstance(node, Mapping | Sequence) and node.flow):
            text = doc.source.text[node.start : node.end]
            assert read(f"- {text}\n").value == [to_value(node)]


def test_real_frontmatter_is_read_as_another_reader_reads_it(data: Path) -> None:
    files = sorted((data / "corpus").rglob("*.md"))
    assert files
    compared = 0
    for file in files:
        text = file.read_bytes().decode("utf-8", "replace")
        found = read_markdown(Source(text, str(file))).frontmatter
        if found is None:
            continue
        doc = read_yaml(Source(text, str(file)), found)
        inner = text[found.start : found.end]
        if not is_sound(inner):
            assert doc.faults, file
        elif not {fault.rule for fault in doc.faults} - HARMLESS:
            assert doc.value == (yaml.load(inner, Loader=Oracle) or {}), file
            compared += 1
    assert compared > 0.9 * len(files)


def test_without_libyaml_the_reading_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    from skillstudio.text.reading import yaml_composer

    texts = [WORKLOG, "a: |\n  x\n\nb: &x [1, {c: d}]\n", "- - a\n  - b\n", "\ufeffk: é\r\n"]
    texts += [f"name: x\n{line}\ntags: [a]\n" for line, *_ in UNQUOTED]
    expected = [(read(text).value, spans(read(text)), faults(read(text))) for text in texts]
    monkeypatch.setattr(yaml_composer, "_Loader", yaml.SafeLoader)
    found = [(read(text).value, spans(read(text)), faults(read(text))) for text in texts]
    assert found == expected


def test_sound_text_is_read_fast_enough_for_each_keystroke() -> None:
    many = "".join(
        f"k{n}:\n" + "".join(f"  {line}\n" for line in WORKLOG.splitlines()) for n in range(32)
    )
    for text, limit in ((WORKLOG, 0.005), (many, 0.15)):  # ten times what it takes when idle
        times = []
        for _ in range(5):
            begun = process_time()
            read(text)
            times.append(process_time() - begun)
        assert min(times) < limit


BROKEN = (
    "a: b: c",
    "x: @y",
    "- q",
    '"open: 1',
    "k: [1, 2",
    "&a z: 1",
    "*nope",
    "\tz: 1",
    "? x",
    "}",
)
STRAY = (": ", '"', "'", "\t", "[", "{", "#", "&", "*", "!", " - ", "@", "%", "|", ">", "\x85")
NESTED = (
    "a:\n  - b: 1\n    c: 2\n  - d:\n      e: f\ng: &x {h: 1}\ni: *x\nj: |\n  k: l: m\nn: 'o'\n"
)


def broken(text: str, random: Random) -> str:
    """The text with one to five lines inserted, changed, moved or removed."""
    lines = text.split("\n")
    for _ in range(random.randint(1, 5)):
        at = random.randrange(len(lines))
        line = lines[at]
        column = random.randrange(len(line) + 1)
        indent = line[: len(line) - len(line.lstrip())]
        lines[at : at + 1] = random.choice(
            [
                [indent + random.choice(BROKEN), line],
                [line[:column] + random.choice(STRAY) + line[column:]],
                [line.replace('"', "", 1)],
                [f" {line}"],
                [line[1:]],
                [] if len(lines) > 1 else [line],
            ]
        )
    return random.choice(["\n", "\r\n"]).join(lines)


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [300, pytest.param(5000, marks=pytest.mark.slow)])
def test_a_resumed_reading_finds_the_same(rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    from skillstudio.text.reading import yaml_recovery

    unchanged = yaml_recovery._find_restart
    resumed = 0

    def counted(*values: Any) -> Any:
        nonlocal resumed
        found = unchanged(*values)
        resumed += bool(found[0])
        return found

    def found(text: str) -> tuple[Any, ...]:
        doc = read(text)
        nodes = [
            (at, type(node), node.span, getattr(node, "incomplete", None))
            for at, node in doc.walk()
        ]
        faults = [(each.rule, each.message, each.start, each.edits) for each in doc.faults]
        return repr(doc.value), nodes, faults

    random = Random(rounds)
    for _ in range(rounds):
        text = broken(random.choice([WORKLOG, NESTED]), random)
        monkeypatch.setattr(yaml_recovery, "_find_restart", counted)
        quick = found(text)
        monkeypatch.setattr(yaml_recovery, "_find_restart", lambda *_: ([], 0))
        assert quick == found(text), text
    assert resumed > rounds / 2


@pytest.mark.parametrize(
    ("text", "value", "fixed"),
    [
        ("d: One\nand two.\n", {"d": "One and two."}, "d: One\n  and two.\n"),
        (
            "d: One\nand two\nand three.\nn: x\n",
            {"d": "One and two and three.", "n": "x"},
            "d: One\n  and two\n  and three.\nn: x\n",
        ),
        ("d: >\n    One\nand two.\n", {"d": "One and two."}, "d: >\n    One\n    and two.\n"),
        ("d: |\n  One\nand two.\n", {"d": "One\nand two."}, "d: |\n  One\n  and two.\n"),
    ],
)
def test_lines_that_should_be_indented(text: str, value: object, fixed: str) -> None:
    document = read_yaml(Source(text, "x.yaml"), Span(0, len(text)))
    (fault,) = document.faults
    assert document.value == value
    assert "indent it" in fault.message
    assert not fault.safe
    for start, end, new in sorted(fault.edits, reverse=True):
        text = text[:start] + new + text[end:]
    assert text == fixed
