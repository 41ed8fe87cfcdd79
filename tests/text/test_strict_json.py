"""What is JSON, and what only Python takes for it."""

from __future__ import annotations

from functools import reduce
from typing import Any

import pytest

from skillstudio.text.strict_json import NotJson, is_json, read_json


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[" * 101 + "]" * 101, reduce(lambda inner, _: [inner], range(100), [])),
        ("1", 1),
        ("1.5e3", 1500.0),
        ('{"a": [null, true]}', {"a": [None, True]}),
        (' "ž" ', "ž"),
    ],
)
def test_a_value_is_read(text: str, value: Any) -> None:
    assert read_json(text) == value


REFUSED = [
    ("{a: 1}", "syntax", "expecting property name enclosed in double quotes at line 1, column 2"),
    ("", "syntax", "expecting value at line 1, column 1"),
    ("NaN", "constant", "NaN is not a JSON number"),
    ("[-Infinity]", "constant", "-Infinity is not a JSON number"),
    ("1e999", "number", "1e999 is too large"),
    ("9" * 5000, "number", "an integer has too many digits"),
    ('{"a": 1, "b": 2, "a": 3}', "twice", 'duplicate key "a"'),
    ("[" * 100_000, "depth", "nested too deeply"),
    ("[" * 900 + "]" * 900, "depth", "nested too deeply"),
    ('{"a":' * 101 + "[]" + "}" * 101, "depth", "nested too deeply"),
]


@pytest.mark.parametrize(("text", "fault", "message"), REFUSED, ids=[row[1] for row in REFUSED])
def test_anything_else_is_refused_by_its_fault(text: str, fault: str, message: str) -> None:
    with pytest.raises(NotJson) as refused:
        read_json(text)
    assert (refused.value.fault, str(refused.value)) == (fault, message)
    assert not is_json(text)
