"""What holds for every edit: the value asked for is there, and every other byte is as it was."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.text.diagnostic import CreateFile, Remove, Rename, Set, Splice
from skillstudio.text.edit import (
    EditRefused,
    apply,
    insert,
    move,
    remove,
    rename,
    resolve_edits,
    set_value,
)
from skillstudio.text.node import Document, Mapping, Scalar, Sequence, split_pointer
from skillstudio.text.reading import read
from skillstudio.text.source import Source, Span
from skillstudio.text.splicing import Rounds

JSON = """\
{
\t"id": "skill",
\t"n": 1.50, "f": false,
\t"list": ["a", 2, null, {"k": "v"}],
\t"deep": {
\t\t"er": [
\t\t\t{ "x": 1, "y": [] },
\t\t\t"last"
\t\t],
\t\t"é/~": {}
\t}
}"""
TOML = """\
# about
title = 'literal' # why
multi = \"\"\"
two
lines\"\"\"
date = 2024-02-29
dotted.a = 1
dotted."b c" = [ 1, 2 ]

[table]   # head
  key   = "v"
  list = [
    "x", # first
    'y',
  ]
  inline = { a = 1, b = "z" }

[table.sub]
n = 1.0

[[many]]
n = 1
[many.inner]
m = true

[[many]]
n = 2
"""
DOCUMENTS = [
    ("json", JSON), ("json", JSON.replace("\n", "\r\n")),
    ("json", '{"a":[{"b":1},[2,"3"]],"c":{}}'),
    ("toml", TOML), ("toml", TOML.replace("\n", "\r\n")), ("toml", "a = 1"),
]  # fmt: skip
NASTY = [
    "", " ", " lead", "trail ", "a: b", "x # y", "yes", "True", "null", "~", "1.0", "2025-01-01",
    "\n", "two\nlines\n", "\r\n", "\t", "\x00", "\x7f", "\u2028", "😀", "*a", "%d", "'", '"', "'''",
    '"""', "\\", "---", "```", "x" * 300, 42, -1, 1e300, 1.0, True, False,
]  # fmt: skip
VALUES = [*NASTY, [], {}, [1, "a"], {"k": 1}, {"k": {"z": [1]}}, [{"a": 1}, {"b": 2}]]


def document(syntax: str, text: str) -> Document:
    return read(Source(text), syntax, Span(0, len(text)))


def same(one: Any, other: Any) -> bool:
    """Equal, and of the same types all the way down."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and one == other


def with_value(value: Any, pointer: str, new: Any) -> Any:
    """A copy of a plain value with another at a pointer."""
    value = copy.deepcopy(value)
    *path, last = split_pointer(pointer)
    holder = value
    for token in path:
        holder = holder[int(token)] if isinstance(holder, list) else holder[token]
    holder[int(last) if isinstance(holder, list) else last] = new
    return value


@pytest.mark.parametrize(("syntax", "text"), DOCUMENTS)
def test_every_scalar_takes_every_value(syntax: str, text: str) -> None:
    doc = document(syntax, text)
    scalars = [(p, node) for p, node in doc.walk() if isinstance(node, Scalar)]
    assert scalars
    for pointer, node in scalars:
        for value in NASTY:
            splices = set_value(doc, pointer, value)
            new = document(syntax, apply(text, splices))
            assert same(new.value, with_value(doc.value, pointer, value)), (pointer, value)
            assert all(node.start <= s.start <= s.end <= node.end for s in splices)


CASES = st.sampled_from(DOCUMENTS)


@given(CASES, st.data(), st.sampled_from(VALUES))
def test_any_value_takes_any_other_or_refuses(
    case: tuple[str, str], data: st.DataObject, value: Any
) -> None:
    doc = document(*case)
    pointer = data.draw(st.sampled_from([p for p, _ in doc.walk() if p]))
    try:
        splices = set_value(doc, pointer, value)
    except EditRefused:
        assert case[0] == "toml"
        assert pointer.startswith("/many")
        return
    new = document(case[0], apply(case[1], splices))
    assert same(new.value, with_value(doc.value, pointer, value))
    assert new.faults == []


@given(CASES, st.data(), st.sampled_from(VALUES), st.sampled_from(["new", "a b", "x.y", "é", ""]))
def test_what_is_added_can_be_taken_out_again(
    case: tuple[str, str], data: st.DataObject, value: Any, name: str
) -> None:
    syntax, text = case
    doc = document(syntax, text)
    holders = [
        (pointer, node) for pointer, node in doc.walk() if isinstance(node, Mapping | Sequence)
    ]
    holder, node = data.draw(st.sampled_from(holders))
    last = name if isinstance(node, Mapping) else str(data.draw(st.integers(0, len(node.items))))
    if isinstance(node, Sequence) and not node.flow and not isinstance(value, dict):
        value = {"n": value}
    pointer = f"{holder}/{last}"
    added = apply(text, insert(doc, pointer, value))
    new = document(syntax, added)
    assert new.faults == []
    found = new.at(pointer)
    assert found is not None
    gone = document(syntax, apply(added, remove(new, pointer)))
    assert same(gone.value, doc.value)
    assert gone.faults == []


@given(CASES, st.data(), st.sampled_from(["new", "a b", "x.y", "é", "", 'q"']))
def test_a_name_given_and_taken_back_leaves_the_values(
    case: tuple[str, str], data: st.DataObject, name: str
) -> None:
    syntax, text = case
    doc = document(syntax, text)
    keys = [
        f"{pointer}/{entry.name.replace('~', '~0').replace('/', '~1')}"
        for pointer, node in doc.walk()
        if isinstance(node, Mapping)
        for entry in node.entries
    ]
    pointer = data.draw(st.sampled_from(keys))
    renamed = apply(text, rename(doc, pointer, name))
    new = document(syntax, renamed)
    there = f"{pointer.rpartition('/')[0]}/{name}"
    old_name = split_pointer(pointer)[-1]
    assert new.at(pointer) is None
    back = document(syntax, apply(renamed, rename(new, there, old_name)))
    assert same(back.value, doc.value)


def test_edits_of_a_fix_become_one_list_of_splices() -> None:
    text = '{"a": 1, "b": [1, 2], "c": 3}'
    doc = document("json", text)
    edits = [Set("/b/-", 3), Splice(1, 4, '"A"'), Remove("/c"), Rename("/b", "list")]
    splices = resolve_edits(doc, edits)
    assert apply(text, splices) == '{"A": 1, "list": [1, 2, 3]}'
    assert splices == sorted(splices)


def test_edits_of_files_and_overlapping_splices_are_refused() -> None:
    doc = document("json", '{"a": 1}')
    with pytest.raises(EditRefused):
        resolve_edits(doc, [CreateFile("x", "")])
    with pytest.raises(EditRefused):
        resolve_edits(doc, [Splice(1, 4, ""), Splice(2, 5, "")])
    with pytest.raises(ValueError, match="overlap"):
        apply("abc", [Splice(0, 2, ""), Splice(1, 3, "")])


def test_a_move_is_one_list_of_splices_on_the_old_text() -> None:
    splices = move(document("json", '{"a":{"x":1},"b":{}}'), "/a/x", "/b/y")
    assert apply('{"a":{"x":1},"b":{}}', splices) == '{"a":{},"b":{"y":1}}'


@pytest.mark.parametrize("source", ["/a", "/a/0"])
def test_nothing_moves_to_where_nothing_can_stand(source: str) -> None:
    with pytest.raises(EditRefused):
        move(document("json", '{"a": [1], "b": 2}'), source, "/b/c")


def test_the_rest_of_the_file_is_left_alone() -> None:
    text = 'before {"a": 1} after'
    doc = read(Source(text), "json", Span(7, 15))
    assert apply(text, set_value(doc, "/a", "x")) == 'before {"a": "x"} after'


def test_a_block_of_markdown_keeps_its_fence() -> None:
    text = '# Skill\n\n```skill-manifest\n{\n  "a": 1\n}\n```\n\ntext\n'
    start, end = text.index("{"), text.index("```\n\ntext")
    doc = read(Source(text, "SKILL.md"), "json", Span(start, end))
    assert apply(text, set_value(doc, "/a", "\n```\n")) == text.replace("1", '"\\n```\\n"')


def test_a_key_that_stands_twice_is_not_guessed_at() -> None:
    with pytest.raises(EditRefused, match="duplicated"):
        remove(document("json", '{"a": 1, "a": 2}'), "/a")


def test_a_broken_document_can_be_edited_where_it_is_whole() -> None:
    text = '{\n  "a": 1,\n  "b": ,\n  "c": [1, 2}\n}'
    doc = document("json", text)
    assert doc.faults
    assert apply(text, set_value(doc, "/a", 2)) == text.replace("1", "2", 1)


ROUNDS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 5), st.text("xy", max_size=3)))


@given(st.text("abc", max_size=12), ROUNDS)
def test_rounds_of_splices_come_to_one(text: str, rounds: list[tuple[int, int, str]]) -> None:
    made = Rounds(text)
    for start, size, new in rounds:
        start = min(start, len(made.text))
        made.apply([Splice(start, min(start + size, len(made.text)), new)])
    assert apply(text, made.splices()) == made.text


def test_a_table_that_ends_the_text_is_replaced_key_by_key() -> None:
    doc = document("toml", 'a=1\nb="x"\n')
    splices = set_value(doc, "", {"n": 1, "k": {"l": 2}})
    assert apply(doc.source.text, splices) == "n=1\n\n[k]\nl = 2\n"


@pytest.mark.parametrize("syntax", ["json", "yaml"])
def test_a_value_can_be_moved_to_the_root(syntax: str) -> None:
    doc = document(syntax, '{"a": {"b": 1}, "c": 2}')
    text = apply(doc.source.text, move(doc, "/a", ""))
    assert document(syntax, text).value == {"b": 1}


def test_a_table_is_renamed_in_all_headers_and_dotted_keys() -> None:
    text = "[a.b]\nx = 1\n[a]\nc.y = 1\n[[a.d]]\n['a'.d.e]\n"
    doc = document("toml", text)
    expected = "[n.b]\nx = 1\n[n]\nc.y = 1\n[[n.d]]\n['n'.d.e]\n"
    assert apply(text, rename(doc, "/a", "n")) == expected
