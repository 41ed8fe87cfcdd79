"""Edits of JSON: the text before, what is asked, the text after."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from skillstudio.text.diagnostic import Splice
from skillstudio.text.edit import EditRefused, apply, insert, move, remove, rename, set_value
from skillstudio.text.node import Document
from skillstudio.text.reading.json import read_json
from skillstudio.text.source import Source, Span

Change = Callable[..., list[Splice]]


def edited(text: str, change: Change, *asked: Any) -> str:
    return apply(text, change(read(text), *asked))


def read(text: str) -> Document:
    return read_json(Source(text), Span(0, len(text)))


WIDE = '{\n  "a": 1,\n  "b": {\n    "c": [\n      1,\n      2\n    ]\n  }\n}\n'
FLAT = '{"a":1,"b":[1,2],"c":{}}'
AIRY = '{ "a": 1, "b": [ 1, 2 ] }'

CHANGES = [
    (FLAT, (set_value, "/a", "x"), '{"a":"x","b":[1,2],"c":{}}'),
    (FLAT, (set_value, "/a", 1.0), '{"a":1.0,"b":[1,2],"c":{}}'),
    (FLAT, (set_value, "/a", {"k": [1]}), '{"a":{"k":[1]},"b":[1,2],"c":{}}'),
    (FLAT, (set_value, "/b", [2]), '{"a":1,"b":[2],"c":{}}'),
    (FLAT, (set_value, "/new", None), '{"a":1,"b":[1,2],"c":{},"new":null}'),
    (FLAT, (set_value, "/b/-", 3), '{"a":1,"b":[1,2,3],"c":{}}'),
    (FLAT, (insert, "/b/0", 0), '{"a":1,"b":[0,1,2],"c":{}}'),
    (FLAT, (insert, "/c/k", "v"), '{"a":1,"b":[1,2],"c":{"k":"v"}}'),
    (FLAT, (remove, "/a"), '{"b":[1,2],"c":{}}'),
    (FLAT, (remove, "/c"), '{"a":1,"b":[1,2]}'),
    (FLAT, (remove, "/b/0"), '{"a":1,"b":[2],"c":{}}'),
    (FLAT, (rename, "/b", 'q"'), '{"a":1,"q\\"":[1,2],"c":{}}'),
    (FLAT, (move, "/b/0", "/b/1"), '{"a":1,"b":[2,1],"c":{}}'),
    (FLAT, (move, "/a", "/c/a"), '{"b":[1,2],"c":{"a":1}}'),
    (FLAT, (move, "/a", "/z"), '{"z":1,"b":[1,2],"c":{}}'),
    (AIRY, (insert, "/c", True), '{ "a": 1, "b": [ 1, 2 ], "c": true }'),
    (AIRY, (insert, "/b/-", 3), '{ "a": 1, "b": [ 1, 2, 3 ] }'),
    (WIDE, (set_value, "/a", "x\n"), WIDE.replace("1,", '"x\\n",', 1)),
    (WIDE, (insert, "/b/c/-", 3), WIDE.replace("2\n", "2,\n      3\n")),
    (WIDE, (insert, "/b/c/0", 0), WIDE.replace("      1", "      0,\n      1")),
    (WIDE, (remove, "/b/c/1"), WIDE.replace("1,\n      2", "1")),
    (WIDE, (remove, "/a"), WIDE.replace('"a": 1,\n  ', "")),
    (WIDE, (remove, "/b"), '{\n  "a": 1\n}\n'),
    (WIDE, (insert, "/b/d", {}), WIDE.replace("    ]\n", '    ],\n    "d": {}\n')),
    (WIDE, (set_value, "/b", {"c": [1]}), WIDE.replace("1,\n      2", "1")),
    ('{\r\n\t"a": {}\r\n}', (insert, "/a/b", 1), '{\r\n\t"a": {\r\n\t\t"b": 1\r\n\t}\r\n}'),
    ("{}", (insert, "/a", 1), '{\n  "a": 1\n}'),
    ('\ufeff{"a" : 1}', (insert, "/b", 2), '\ufeff{"a" : 1, "b" : 2}'),
    ('{"a": }', (set_value, "/a", 1), '{"a": 1}'),
    ('{"a":1,}', (insert, "/b", 2), '{"a":1,"b":2}'),
    ("1", (set_value, "", [1]), "[\n  1\n]"),
]


@pytest.mark.parametrize(("before", "asked", "after"), CHANGES)
def test_an_edit_is_written_as_its_neighbours_are(
    before: str, asked: tuple[Any, ...], after: str
) -> None:
    assert edited(before, *asked) == after


REFUSED = [
    (FLAT, (remove, "")),
    (FLAT, (remove, "/x")),
    (FLAT, (insert, "/x/y", 1)),
    (FLAT, (insert, "/b/7", 1)),
    (FLAT, (insert, "/b/01x", 1)),
    (FLAT, (insert, "/a/b", 1)),
    (FLAT, (rename, "/a", "b")),
    (FLAT, (rename, "/b/0", "x")),
    (FLAT, (set_value, "/a", float("nan"))),
    (FLAT, (set_value, "/a", {1, 2})),
    (FLAT, (set_value, "a", 1)),
    (FLAT, (move, "/c", "/c/d")),
    ('{"a":1,"a":2}', (remove, "/a")),
    ('{"a":1,"a":2}', (rename, "/a", "b")),
]


@pytest.mark.parametrize(("text", "asked"), REFUSED)
def test_what_cannot_be_done_alone_is_refused(text: str, asked: tuple[Any, ...]) -> None:
    with pytest.raises(EditRefused) as refused:
        edited(text, *asked)
    assert str(refused.value)


@pytest.mark.parametrize("value", [1, 1.0, True, "1", None, [], {}])
def test_the_same_value_changes_nothing_and_another_type_is_another_value(value: Any) -> None:
    text = edited('{"a": 0}', set_value, "/a", value)
    again = read(text)
    assert set_value(again, "/a", value) == []
    assert repr(again.value) == repr({"a": value})
