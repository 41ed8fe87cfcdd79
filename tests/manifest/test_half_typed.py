"""Keys on broken lines are read as the keys that they begin."""

from __future__ import annotations

from typing import Any

import pytest

from skillstudio.manifest.half_typed import completed_by
from skillstudio.manifest.whole import is_whole
from skillstudio.text.node import Document
from skillstudio.text.reading import read
from skillstudio.text.source import Source, Span

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "inputs": {"type": "object", "properties": {"required": {}, "optional": {}}},
        "interface": {"type": "object", "properties": {"inputs": {}, "breaking": {}}},
        "steps": {
            "type": "array",
            "items": {"type": "object", "properties": {"id": {}, "command": {}}},
        },
        "stages": {"type": "array", "items": {"type": "object", "properties": {"title": {}}}},
        "table": {
            "type": "object",
            "properties": {"key": {}, "inner": {"type": "object", "properties": {"deep": {}}}},
        },
        "free": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}


def document(syntax: str, text: str) -> Document:
    return read(Source(text), syntax, Span(0, len(text)))


CASES: list[tuple[str, str, Any]] = [
    ("yaml", "name: a\ninp\n  required: []\n", {"name": "a", "inputs": {"required": []}}),
    ("yaml", "in\n  breaking: []\n", {"interface": {"breaking": []}}),
    ("yaml", "name: b\nst\n  - id: a\n", {"name": "b", "steps": [{"id": "a"}]}),
    ("yaml", "name: b\nst\n  - title: a\n", {"name": "b", "stages": [{"title": "a"}]}),
    ("json", '{\n  "na\n}', {}),
    ("json", '{\n  "inp\n    "required": []\n  }\n}', {"inputs": {"required": []}}),
    ("toml", "[tab\nkey = 1\n", {"table": {"key": 1}}),
    ("toml", "[table.inn\ndeep = 1\n", {"table": {"inner": {"deep": 1}}}),
    ("toml", "[table]\nkey = 1\n[tab\ndeep = 1\n", {"table": {"key": 1, "inner": {"deep": 1}}}),
    ("toml", "[tab\ndeep = 1\n[table]\nkey = 1\n", {"table": {"key": 1, "inner": {"deep": 1}}}),
]


@pytest.mark.parametrize(("syntax", "text", "value"), CASES)
def test_a_begun_key_is_completed(syntax: str, text: str, value: Any) -> None:
    assert completed_by(document(syntax, text), [SCHEMA]).value == value


@pytest.mark.parametrize(
    ("syntax", "text"),
    [
        ("yaml", "inp:\n  required: []\n"),
        ("yaml", "i\n  other: 1\n"),
        ("yaml", "inputs: {}\ninp\n  required: []\n"),
        ("yaml", "free:\n  inp\n"),
        ("json", '{"inp": {"required": []}}'),
        ("toml", "[inp]\nrequired = []\n"),
    ],
    ids=lambda text: text.splitlines()[0],
)
def test_no_other_key_is(syntax: str, text: str) -> None:
    """Where the syntax is right the key is as it was meant, and where two fit neither is taken."""
    read_once = document(syntax, text)
    assert completed_by(read_once, [SCHEMA]).value == read_once.value


def test_the_text_and_its_places_stay() -> None:
    before = document("yaml", "inp\n  required: []\n")
    after = completed_by(before, [SCHEMA])
    assert after.source is before.source
    assert after.key_span("/inputs") == before.key_span("/inp") == Span(0, 3)
    assert "inp" in before.value


@pytest.mark.parametrize(
    ("syntax", "text", "pointer", "whole"),
    [
        ("json", '{"a": {"b": 1}, "c": }', "/a", True),
        ("json", '{"a": {"b": 1}, "c": }', "/c", False),
        ("json", '{"a": {"b": [1, tru]}}', "/a", False),
        ("json", '{"a": {"b": 1}}', "/c", True),
        ("json", '{"a": {"b": 1}, "c}', "/d", False),
        ("yaml", "a: [1\nb: {}\n", "/b", True),
        ("yaml", "a: [1\nb: {}\n", "/a", False),
        ("toml", "a = \nb = 1\n", "/b", True),
        ("toml", "a = \nb = 1\n", "/a", False),
    ],
)
def test_what_could_be_read_whole(syntax: str, text: str, pointer: str, whole: bool) -> None:
    assert is_whole(document(syntax, text), pointer) is whole
