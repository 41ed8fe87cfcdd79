"""Placeholders stand where they are written, escapes and quotes included."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillstudio.manifest.placeholders import DOUBLE, SINGLE, names, placeholders


@pytest.mark.parametrize(
    ("raw", "style", "found"),
    [
        ('"a/{{day}}.md"', DOUBLE, [("day", "{{day}}")]),
        ("{{a}}{{b-c}}", DOUBLE, [("a", "{{a}}"), ("b-c", "{{b-c}}")]),
        ("{{ a }}", DOUBLE, [("", "{{ a }}")]),
        ("{{}}", DOUBLE, [("", "{{}}")]),
        ("{{1}}", DOUBLE, [("", "{{1}}")]),
        ("{{a", DOUBLE, [("", "{{")]),
        ("a}}", DOUBLE, [("", "}}")]),
        ("{a}", DOUBLE, []),
        ("{a} {b}", SINGLE, [("a", "{a}"), ("b", "{b}")]),
        ('{"a": 1} ${HOME}', SINGLE, [("HOME", "{HOME}")]),
        ("{} { a }", SINGLE, []),
        (r'"\"{{a}}"', DOUBLE, [("a", "{{a}}")]),
        (r'"\u007b{a}}"', DOUBLE, [("a", r"\u007b{a}}")]),
        (r'"\x7B\x7bday}\U0000007d"', DOUBLE, [("day", r"\x7B\x7bday}\U0000007d")]),
        (r'"\\{{a}}"', DOUBLE, [("a", "{{a}}")]),
        ("'it''s {{a}}'", DOUBLE, [("a", "{{a}}")]),
    ],
)
def test_what_is_found(raw: str, style: str, found: list[tuple[str, str]]) -> None:
    assert [(p.name, raw[p.start : p.end]) for p in placeholders(raw, style)] == found


@given(st.text(), st.from_regex(r"[a-z_]{1,5}", fullmatch=True), st.text())
def test_every_name_is_found_in_any_json_string(before: str, name: str, after: str) -> None:
    value = f"{before} {{{{{name}}}}} {after}"
    raw = json.dumps(value)
    found = [p.name for p in placeholders(raw) if p.name]
    assert found == [p.name for p in placeholders(value) if p.name]
    assert name in names(value)


PIECES = st.sampled_from(["{{", "}}", "{", "}", "a", " ", "\\", '"', "\\u007b"])


@given(st.text() | st.lists(PIECES, min_size=2).map("".join))
def test_any_text_can_be_looked_through(raw: str) -> None:
    for style in (DOUBLE, SINGLE):
        for found in placeholders(f'"{raw}', style):
            assert 0 <= found.start < found.end <= len(raw) + 1
