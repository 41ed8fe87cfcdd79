"""Edits of YAML: what is asked for changes, in the style of its neighbours, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.text import edit
from skillstudio.text.edit import EditRefused
from skillstudio.text.editing.yaml_writing import is_plain, write_scalar
from skillstudio.text.node import Document, Mapping, Missing, Node, Sequence, join_pointer, to_value
from skillstudio.text.reading.yaml import read_yaml
from skillstudio.text.source import Source, Span


def read(text: str, newline: str = "\n") -> Document:
    """The text as frontmatter: an edit that leaves its lines would be seen."""
    before = f"---{newline}"
    whole = f"{before}{text}---{newline}# Title{newline}a: body"
    return read_yaml(Source(whole), Span(len(before), len(before) + len(text)), Span(0, 3))


def result(doc: Document, splices: list[Any]) -> str:
    old = doc.source.text
    new = edit.apply(old, splices)
    before, rest = old[: doc.span.start], old[doc.span.end :]
    assert new.startswith(before)
    assert new.endswith(rest)
    return new[len(before) : len(new) - len(rest)]


def after(text: str, pointer: str, value: Any, newline: str = "\n") -> str:
    doc = read(text, newline)
    return result(doc, edit.set_value(doc, pointer, value))


SET = [
    # quotes stay where they can carry the value, plain stays plain where it means the same
    ("a: x # c\n", "/a", "y z", "a: y z # c\n"),
    ("a: 'x'\n", "/a", "it's", "a: 'it''s'\n"),
    ("a: 'x'\n", "/a", "two\nlines", 'a: "two\\nlines"\n'),
    ('a: "x"   # c\n', "/a", 'say "hi"', 'a: "say \\"hi\\""   # c\n'),
    ("a: x\n", "/a", "b: c", 'a: "b: c"\n'),
    ("a: x\n", "/a", "yes", 'a: "yes"\n'),
    ("a: x\n", "/a", "1.10", 'a: "1.10"\n'),
    ("a: x\n", "/a", "2025-01-01", 'a: "2025-01-01"\n'),
    ("a: x\n", "/a", "", 'a: ""\n'),
    ('a: "x"\n', "/a", 5, "a: 5\n"),
    ("a: x\n", "/a", True, "a: true\n"),
    ("a: x\n", "/a", None, "a: null\n"),
    ("a: x\n", "/a", 1e16, "a: 1.0e+16\n"),
    ("a:\n", "/a", "x", "a: x\n"),
    ("a:   # c\nb: 1\n", "/a", "x", "a: x   # c\nb: 1\n"),
    ("a: one\n  two # c\nb: 1\n", "/a", "x", "a: x # c\nb: 1\n"),
    ("a: !!str 12\n", "/a", 7, "a: 7\n"),
    # block scalars
    ("a: |\n    x\n    y\n\nb: 1\n", "/a", "one\n  two\n", "a: |\n    one\n      two\n\nb: 1\n"),
    ("a: |\n  x\nb: 1\n", "/a", "one\ntwo", "a: |-\n  one\n  two\nb: 1\n"),
    ("a: |-  # c\n  x\n  y\n", "/a", "one\ntwo\n", "a: |  # c\n  one\n  two\n"),
    ("a: >\n  x\n  y\n", "/a", "one\ntwo\n", "a: >\n  one\n\n  two\n"),
    ("a: |\n  x\n  y\nb: 1\n", "/a", "one", "a: one\nb: 1\n"),
    ("a: |+\n  x\n\nb: 1\n", "/a", "one", "a: one\n\nb: 1\n"),
    # containers
    ("a: 1 # c\nb: 2\n", "/a", {"k": [1, {"l": "m"}]},
     "a: # c\n  k:\n    - 1\n    - l: m\nb: 2\n"),
    ("a:\n  b: 1\n\nc: 2\n", "/a", "x", "a: x\n\nc: 2\n"),
    ("a: # c\n  # own\n  b: 1 # d\nc: 2\n", "/a", [], "a: [] # c # d\nc: 2\n"),
    ("a:\n- x\n- y\n", "/a", [], "a: []\n"),
    ("a: [x]\n", "/a", {}, "a: {}\n"),
    ("- a: 1\n  b: 2\n- c\n", "/0", "x", "- x\n- c\n"),
    ("- x\n- c\n", "/0", {"a": 1, "b": 2}, "- a: 1\n  b: 2\n- c\n"),
    # flow
    ("a: [x, 'y', {k: v}]\n", "/a/0", "p, q", "a: [\"p, q\", 'y', {k: v}]\n"),
    ("a: [x, 'y', {k: v}]\n", "/a/2/k", {"m": [1]}, "a: [x, 'y', {k: {m: [1]}}]\n"),
    ("a: {b: , c: 1}\n", "/a/b", "x", "a: {b: x, c: 1}\n"),
    ("a: {b, c: 1}\n", "/a/b", "x", "a: {b: x, c: 1}\n"),
    # new keys
    ("a: 1\n", "/b", "x", "a: 1\nb: x\n"),
    ("a: 1 # c\n\n# end\n", "/b", "x", "a: 1 # c\nb: x\n\n# end\n"),
    ("", "/a", "x", "a: x\n"),
    ("# c\n", "/a", {"b": 1}, "# c\na:\n  b: 1\n"),
    ("a: |\n  x\n", "/b", 1, "a: |\n  x\nb: 1\n"),
    ("a: |+\n  x\n\n", "/b", 1, "a: |+\n  x\n\nb: 1\n"),
    ("a:\n    b: 1\nc: 2\n", "/a/d", {"e": 1}, "a:\n    b: 1\n    d:\n        e: 1\nc: 2\n"),
    ("a:\n- x: 1\n", "/b", ["z"], "a:\n- x: 1\nb:\n- z\n"),
    ("a:\n  - x: 1\n", "/b", ["z"], "a:\n  - x: 1\nb:\n  - z\n"),
    ("a:\n  - x: 1\n    y: 2\n", "/a/0/z", 3, "a:\n  - x: 1\n    y: 2\n    z: 3\n"),
    ('"a": "x"\n', "/b", "y", '"a": "x"\n"b": "y"\n'),
    ("a: {}\n", "/a/b", 1, "a: {b: 1}\n"),
    ("a: {}\n", "/a/b", {"c": 1}, "a:\n  b:\n    c: 1\n"),
    ("a: {x: 1}\n", "/a/b", [2], "a: {x: 1, b: [2]}\n"),
    ('{"a": 1}\n', "/b", "x", '{"a": 1, "b": "x"}\n'),
    ("a:\n  b: 1\n  # still a\nc: 2\n", "/a/d", 3, "a:\n  b: 1\n  d: 3\n  # still a\nc: 2\n"),
    ("a:\n  b: 1\n  # still a\n", "/c", 2, "a:\n  b: 1\n  # still a\nc: 2\n"),
    ("a: 1\n", "/b: c", 2, 'a: 1\n"b: c": 2\n'),
    ("a: 1\n", "/no", 2, 'a: 1\n"no": 2\n'),
    # lists
    ("a:\n  - x\nb: 1\n", "/a/-", "z", "a:\n  - x\n  - z\nb: 1\n"),
    ("a:\n-   x\n", "/a/1", {"k": 1, "l": 2}, "a:\n-   x\n-   k: 1\n    l: 2\n"),
    ("a: [x, y]\n", "/a/-", "z", "a: [x, y, z]\n"),
    ("a: [\n  x,\n  y,\n]\n", "/a/-", "z", "a: [\n  x,\n  y,\n  z,\n]\n"),
    ("a: [\n  x, # of x\n  y  # of y\n]\n", "/a/-", "z",
     "a: [\n  x, # of x\n  y,  # of y\n  z\n]\n"),
    ("a: [\n  x,  # of x\n]\n", "/a/-", "z", "a: [\n  x,  # of x\n  z,\n]\n"),
    ("a: {\n  x: 1,  # of x\n}\n", "/a/k", 2, "a: {\n  x: 1,  # of x\n  k: 2,\n}\n"),
    ("a: [\n  x # of x\n  , y]\n", "/a/-", "z", "a: [\n  x # of x\n  , y, z]\n"),
    ("a: [x, # of x\n]\n", "/a/-", "z", "a: [x, z, # of x\n]\n"),
    ("a: []\n", "/a/-", "z", "a: [z]\n"),
    ("a: []\n", "/a/-", {"k": 1}, "a:\n  - k: 1\n"),
    # broken lines elsewhere do not hinder
    ('a: x\nb: "half\nc: d\n', "/c", "e", 'a: x\nb: "half\nc: e\n'),
    ("a: x\nb: c: d\n", "/a", "z", "a: z\nb: c: d\n"),
]  # fmt: skip


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(("text", "pointer", "value", "expected"), SET)
def test_set(text: str, pointer: str, value: Any, expected: str, newline: str) -> None:
    text, expected = text.replace("\n", newline), expected.replace("\n", newline)
    assert after(text, pointer, value, newline) == expected


INSERT = [
    ("- a\n- b\n", "/0", "x", "- x\n- a\n- b\n"),
    ("- a\n- b\n", "/1", "x", "- a\n- x\n- b\n"),
    ("- a # c\n# of b\n- b\n", "/1", {"k": 1, "l": 2}, "- a # c\n- k: 1\n  l: 2\n# of b\n- b\n"),
    ("- - a\n  - b\n", "/0/0", "x", "- - x\n  - a\n  - b\n"),
    ("a: [x, y]\n", "/a/0", 1, "a: [1, x, y]\n"),
    ("a: [\n  x,\n  z\n]\n", "/a/1", 1, "a: [\n  x,\n  1,\n  z\n]\n"),
    ("a: 1\n", "/b", 2, "a: 1\nb: 2\n"),
]


@pytest.mark.parametrize(("text", "pointer", "value", "expected"), INSERT)
def test_insert_comes_before_what_is_there(
    text: str, pointer: str, value: Any, expected: str
) -> None:
    doc = read(text)
    assert result(doc, edit.insert(doc, pointer, value)) == expected


REMOVE = [
    ("a: 1\nb: 2 # c\nc: 3\n", "/b", "a: 1\nc: 3\n"),
    ("a: 1\nb:\n  c: 2\n\nd: 3\n", "/b", "a: 1\n\nd: 3\n"),
    ("# of the file\n\n# of a\na: 1\nb: 2\n", "/a", "# of the file\n\nb: 2\n"),
    ("a: 1\n# of b\n# too\nb: 2\n# of c\nc: 3\n", "/b", "a: 1\n# of c\nc: 3\n"),
    ("a:\n  b: 1\n  # deeper\nc: 2\n", "/a", "c: 2\n"),
    ("a: 1\nb: |\n  x\n\n  y\nc: 3\n", "/b", "a: 1\nc: 3\n"),
    ("a: 1\n", "/a", ""),
    ("a:\n  b: 1\nc: 2\n", "/a/b", "a: {}\nc: 2\n"),
    ("a:\n- x\n", "/a/0", "a: []\n"),
    ("- a: 1\n  b: 2\n  c: 3\n", "/0/a", "- b: 2\n  c: 3\n"),
    ("- a: 1\n  # of b\n  b: 2\n", "/0/a", "-\n  # of b\n  b: 2\n"),
    ("a:\n  - x # c\n  # of y\n  - y\n  - z\n", "/a/1", "a:\n  - x # c\n  - z\n"),
    ("a: [x, y, z]\n", "/a/0", "a: [y, z]\n"),
    ("a: [x, y, z]\n", "/a/2", "a: [x, y]\n"),
    ("a: [x, y,]\n", "/a/1", "a: [x,]\n"),
    ("a: [x]\n", "/a/0", "a: []\n"),
    ("a: {b: 1, c: 2}\n", "/a/b", "a: {c: 2}\n"),
    ("a: [\n  x, # c\n  y\n]\n", "/a/0", "a: [\n   # c\n  y\n]\n"),
]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(("text", "pointer", "expected"), REMOVE)
def test_remove(text: str, pointer: str, expected: str, newline: str) -> None:
    doc = read(text.replace("\n", newline))
    assert result(doc, edit.remove(doc, pointer)) == expected.replace("\n", newline)


RENAME = [
    ("a: 1\n", "/a", "b", "b: 1\n"),
    ("'a': 1\n", "/a", "b c", "'b c': 1\n"),
    ("a: 1\n", "/a", "b: c", '"b: c": 1\n'),
    ("a: 1\n", "/a", "404", '"404": 1\n'),
    ("x: {a: 1}\n", "/x/a", "b", "x: {b: 1}\n"),
    ("- a:\n    - 1\n", "/0/a", "b", "- b:\n    - 1\n"),
]


@pytest.mark.parametrize(("text", "pointer", "name", "expected"), RENAME)
def test_rename(text: str, pointer: str, name: str, expected: str) -> None:
    doc = read(text)
    assert result(doc, edit.rename(doc, pointer, name)) == expected


MOVE = [
    ("- a # c\n# of b\n- 'b'\n- c\n", "/1", "/0", "# of b\n- 'b'\n- a # c\n- c\n"),
    (
        "- a\n- b: 1 # c\n  # d\n  c: 2\n\n- d\n",
        "/1",
        "/2",
        "- a\n\n- d\n- b: 1 # c\n  # d\n  c: 2\n",
    ),
    ("x:\n  - a\n  - b\n  - c\ny: 1\n", "/x/0", "/x/-", "x:\n  - b\n  - c\n  - a\ny: 1\n"),
    ("x: [a,  'b', c]\n", "/x/2", "/x/0", "x: [c,  a, 'b']\n"),
    ("- - a\n  - b\n", "/0/0", "/0/1", "- - b\n  - a\n"),
    ("a: 1\nb: 2\n", "/a", "/c", "c: 1\nb: 2\n"),
    ("a:\n  b: 1\n  c: 2\nd: 3\n", "/a/b", "/b", "a:\n  c: 2\nd: 3\nb: 1\n"),
]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(("text", "here", "there", "expected"), MOVE)
def test_move(text: str, here: str, there: str, expected: str, newline: str) -> None:
    doc = read(text.replace("\n", newline), newline)
    assert result(doc, edit.move(doc, here, there)) == expected.replace("\n", newline)


REFUSED = [
    ("a: &x 1\nb: *x\n", "/a", "refers to this value"),
    ("a: &x {b: 1}\nc: *x\n", "/a/b", "would change"),
    ("a: &x {b: 1}\nc: *x\n", "/c/b", "is an alias"),
]


@pytest.mark.parametrize(("text", "pointer", "reason"), REFUSED)
def test_what_an_alias_shares_is_not_edited(text: str, pointer: str, reason: str) -> None:
    with pytest.raises(EditRefused, match=reason):
        edit.set_value(read(text), pointer, 2)
    with pytest.raises(EditRefused):
        edit.remove(read(text), pointer)


def test_an_alias_itself_can_be_replaced() -> None:
    assert after("a: &x 1\nb: *x\n", "/b", 2) == "a: &x 1\nb: 2\n"


def test_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(EditRefused, match="surrogate"):
        edit.set_value(read("a: 1\n"), "/a", "\ud800")


EXAMPLES = [
    "a: 1 # c\nb: \"x\"   # d\nc: 'y'\nd:\n- 1\n- 2 # two\n# own\n- 3\n\n# attached\ne: |\n"
    "  text\n  more\n\nf: >-\n  folded\n  text\n\n  para\ng:\nh: &unused 1\n",
    '{"a": 1, "b": [1, 2], "c": {"d": "e"}}\n',
    "a: [x, y, {k: v}]\nb: {c: d, e: [f]}\nc: [\n  one, # c\n  two\n  ]\nd: []\ne: {}\n",
    "- a: 1\n  b: 2\n-   c: 3\n    d: 4\n- - x\n  - y\n-\n  e: f\n- plain\n",
    '? k\n: v\nw: !!str 12\n"q": 1\nm:\n    n:\n        o: p\n    l:\n        - r\n',
    'a: text over\n  two lines # c\nb: "dq\n  two"\nlast: |+\n  z\n\n',
]
NASTY = st.sampled_from(
    ["a: b", "x # y", "yes", "1.0", "2025-01-01", "", "\n", "tab\tx", "😀", "*a", "%d", "x" * 300,
     "True", "null", "~", "-", "- a", "?", "{", "[a", "a,b", "it's", 'say "hi"', "\\", "one\ntwo\n",
     "one\ntwo", "  lead", "trail ", " ", "a\n\nb\n", "\u2028", "\x01", "\ufeff", "\xa0x", "\x85",
     "#x", "a:", ":a", "012", "0o7", "1e3", "1:30", "=", "<<", "---", "...", "@x", "`", "!t", "&a",
     "|", ">", "'", '"', "\r\n", "a\n b\nc\n", "word " * 60 + "\nnext\n"]
)  # fmt: skip
LEAVES = (
    NASTY
    | st.text(st.characters(codec="utf-8"), max_size=20)
    | st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NASTY, inner, max_size=3),
    max_leaves=5,
)
DOCUMENTS = st.sampled_from([*EXAMPLES, *(text.replace("\n", "\r\n") for text in EXAMPLES)])


@st.composite
def places(draw: st.DrawFn) -> tuple[Document, str]:
    """A document and the pointer of one of its nodes."""
    doc = read(draw(DOCUMENTS))
    pointers = [pointer for pointer, _ in doc.walk() if pointer]
    return doc, draw(st.sampled_from(pointers))


@given(places(), VALUES)
def test_any_value_can_be_set_anywhere(place: tuple[Document, str], value: Any) -> None:
    doc, pointer = place
    text = result(doc, edit.set_value(doc, pointer, value))
    new = read(text)
    found = new.at(pointer)
    assert found is not None
    assert not isinstance(found, Missing)
    assert same(read(text).value, replaced(doc.value, pointer, value))
    assert comments(text) >= comments_outside(doc, pointer)


@given(places(), VALUES)
def test_any_value_can_be_added_anywhere(place: tuple[Document, str], value: Any) -> None:
    doc, pointer = place
    node = doc.at(pointer)
    if isinstance(node, Mapping):
        keys = [f"{pointer}/new"]
    elif isinstance(node, Sequence):
        keys = [f"{pointer}/{index}" for index in range(len(node.items) + 1)]
    else:
        keys = []
    for key in keys:
        splices = edit.insert(doc, key, value)
        assert same(read(result(doc, splices)).at(key), value)
        for start, end, _ in splices:
            assert doc.source.text[start:end].strip() in ("", "[]", "{}")


@given(places())
def test_anything_can_be_removed_and_nothing_else_goes(place: tuple[Document, str]) -> None:
    doc, pointer = place
    text = result(doc, edit.remove(doc, pointer))
    assert same(read(text).value, without(doc.value, pointer))


def replaced(value: Any, pointer: str, new: Any) -> Any:
    if not pointer:
        return new
    token, _, rest = pointer[1:].partition("/")
    rest = f"/{rest}" if rest else ""
    if isinstance(value, dict):
        return {**value, token: replaced(value[token], rest, new)}
    index = int(token)
    return [*value[:index], replaced(value[index], rest, new), *value[index + 1 :]]


def without(value: Any, pointer: str) -> Any:
    *parents, last = pointer[1:].split("/")
    holder = value
    for token in parents:
        holder = holder[token] if isinstance(holder, dict) else holder[int(token)]
    if isinstance(holder, dict):
        left: Any = {key: inner for key, inner in holder.items() if key != last}
    else:
        left = [item for index, item in enumerate(holder) if index != int(last)]
    return replaced(value, join_pointer(parents), left)


def same(own: Any, other: Any) -> bool:
    """Equality in which 1 is neither 1.0 nor true."""
    if isinstance(own, Node):
        own = to_value(own)
    if isinstance(own, dict) and isinstance(other, dict):
        return own.keys() == other.keys() and all(same(own[key], other[key]) for key in own)
    if isinstance(own, list) and isinstance(other, list):
        return len(own) == len(other) and all(map(same, own, other))
    return type(own) is type(other) and own == other


def comments(text: str) -> set[str]:
    return {word for word in ("# c", "# d", "# two", "# own", "# attached") if word in text}


def comments_outside(doc: Document, pointer: str) -> set[str]:
    node = doc.at(pointer)
    assert node is not None
    text = doc.source.text
    return comments(text[doc.span.start : node.start] + "\n" + text[node.end : doc.span.end])


@given(st.text(st.characters(codec="utf-8")) | NASTY, st.booleans())
def test_a_written_string_is_read_as_itself(text: str, flow: bool) -> None:
    for quote in ("", "single", "double"):
        written = write_scalar(text, quote, flow)
        holder = f"[{written}]" if flow else f"- {written}"
        doc = read(holder + "\n")
        assert doc.value == [text]
        assert doc.faults == []


@given(st.text(st.characters(codec="utf-8"), max_size=12) | NASTY)
def test_what_stands_without_quotes_is_one_string_to_all_readers(text: str) -> None:
    if is_plain(text):
        assert yaml.safe_load(f"- {text}\n") == [text]
        assert read(f"- {text}\n").faults == []
