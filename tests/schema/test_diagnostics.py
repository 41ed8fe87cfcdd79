"""Where each broken keyword stands, what it is called, and how it can be mended."""

from __future__ import annotations

from typing import Any

import pytest

from skillstudio.schema.diagnostics import schema_diagnostics
from skillstudio.schema.engine import compile_schema
from skillstudio.schema.outcome import SchemaError
from skillstudio.text.diagnostic import Diagnostic, Fix, Rename, Set
from skillstudio.text.node import Document, Entry, Mapping, Missing, Scalar, Sequence
from skillstudio.text.reading import read
from skillstudio.text.source import Source, Span

SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {
        "name": {
            "type": "string",
            "pattern": "^[a-z]+$",
            "maxLength": 5,
            "x-rule": {"pattern": "name-format"},
            "x-message": {"pattern": "a name is lower-case letters"},
        },
        "kind": {"type": "string", "enum": ["cli", "rust"]},
        "level": {"type": "integer", "minimum": 1},
        "const": {"const": "1.0"},
        "items": {
            "type": "array",
            "uniqueItems": True,
            "items": {
                "type": "object",
                "required": ["id"],
                "properties": {"id": {"type": "string"}},
                "additionalProperties": False,
                "x-unknown": "warning",
            },
        },
        "table": {
            "type": "object",
            "required": ["z"],
            "properties": {"z": {"default": 3}},
            "x-rule": {"required": "z-missing"},
        },
        "names": {"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}},
    },
}
VALIDATOR = compile_schema(SCHEMA)


def check(syntax: str, text: str, before: str = "") -> list[Diagnostic]:
    source = Source(before + text)
    opening = Span(0, 3) if before else None
    doc = read(source, syntax, Span(len(before), len(source.text)), opening)
    return schema_diagnostics(doc, SCHEMA, VALIDATOR.errors(doc.value))


def rows(syntax: str, text: str, before: str = "") -> list[tuple[str, str]]:
    """Each finding as its rule and its place, `line:column-line:column`."""
    source = Source(before + text)
    found = []
    for each in check(syntax, text, before):
        assert each.span is not None
        start, end = source.position(each.span.start), source.position(each.span.end)
        found.append((each.rule, f"{start.line}:{start.column}-{end.line}:{end.column}"))
    return found


@pytest.mark.parametrize(
    ("syntax", "text", "expected"),
    [
        ("yaml", "name: abc\n", []),
        ("yaml", "name: 'A b'\n", [("name-format", "1:7-1:12")]),
        ("yaml", "name: abcdefg\n", [("value-length", "1:7-1:14")]),
        ("yaml", "name: a\nnme: 3\n", [("key-unknown", "2:1-2:4")]),
        ("yaml", 'name: a\n"nme": 3\n', [("key-unknown", "2:1-2:6")]),
        ("yaml", "name: a\nx-mine: 3\n", [("key-extension", "2:1-2:7")]),
        ("yaml", "name: a\nkind: rus\n", [("value-enum", "2:7-2:10")]),
        ("yaml", "name: a\nlevel: 0\n", [("value-range", "2:8-2:9")]),
        ("yaml", "name: a\nconst: '2'\n", [("value-enum", "2:8-2:11")]),
        ("yaml", "name: 3\n", [("value-type", "1:7-1:8")]),
        ("yaml", "name: a\nkind: 3\n", [("value-type", "2:7-2:8")]),
        ("yaml", "name:\n", [("value-type", "1:1-1:5")]),
        ("yaml", "name: a\ntable: {}\n", [("z-missing", "2:1-2:6")]),
        ("yaml", "name: a\ntable:\n  z: 1\n", []),
        ("yaml", "name: a\nitems:\n  - ix: 1\n    id: a\n", [("key-unknown", "3:5-3:7")]),
        (
            "yaml",
            "name: a\nitems:\n  - {}\n  - id: a\n  - id: a\n",
            [("value-duplicate", "3:3-5:10"), ("key-missing", "3:5-3:6")],
        ),
        (
            "yaml",
            "name: a\nitems:\n  - ix: 1\n",
            [("key-missing", "3:5-3:7"), ("key-unknown", "3:5-3:7")],
        ),
        ("yaml", "name: a\nnames: {B: 1}\n", [("value-format", "2:9-2:10")]),
        ("json", '{"name": "abc"}', []),
        ("json", ' {"kind": "cli"}', [("key-missing", "1:2-1:3")]),
        ("json", '{"name": "A"}', [("name-format", "1:10-1:13")]),
        ("json", '{"name": "a", "items": [\n{}]}', [("key-missing", "2:1-2:2")]),
        ("json", '{"name": "a", "table": {}}', [("z-missing", "1:15-1:22")]),
        ("toml", 'name = "a"\n', []),
        ("toml", 'kind = "cli"\n', [("key-missing", "1:1-1:1")]),
        ("toml", 'name = "a"\n[table]\n', [("z-missing", "2:2-2:7")]),
        ("toml", 'name = "a"\n[[items]]\n', [("key-missing", "2:3-2:8")]),
        (
            "toml",
            'name = "a"\n[["items"]]\nix = 1\n[[items]]\nid = "b"\n',
            [("key-missing", "2:3-2:10"), ("key-unknown", "3:1-3:3")],
        ),
        ("toml", 'name = "a"\n[kind]\na = 1\n', [("value-type", "2:2-2:6")]),
    ],
)
def test_rule_and_place(syntax: str, text: str, expected: list[tuple[str, str]]) -> None:
    assert rows(syntax, text) == expected


@pytest.mark.parametrize("syntax", ["yaml", "json"])
def test_a_document_in_another_file_lacks_keys_at_its_opening_line(syntax: str) -> None:
    text = "kind: cli\n" if syntax == "yaml" else '{"kind": "cli"}\n'
    assert rows(syntax, text, "---\n") == [("key-missing", "1:1-1:4")]


@pytest.mark.parametrize(
    ("syntax", "text"),
    [
        ("json", '{"name": '),
        ("json", '{"nam'),
        ("json", '{"name": "a", "table": {"z'),
        ("json", '{"name": "a", "table": {'),
        ("toml", "name = \n"),
        ("toml", 'name = "a"\n[table]\nz = \n'),
        ("json", ""),
    ],
)
def test_nothing_is_missing_that_may_be_half_typed(syntax: str, text: str) -> None:
    assert rows(syntax, text) == []


def test_items_that_could_not_be_read_do_not_shift_the_others() -> None:
    items = Sequence(0, 9, [Missing(1, 2), Scalar(3, 4, 7, "number")])
    root = Mapping(0, 9, [Entry(Scalar(0, 0, "items", "double"), items)])
    doc = Document(Source("[? 7]"), "json", Span(0, 9), root, [])
    error = SchemaError("type", ("items", 0), (), ["string"], "must be a string")
    found = schema_diagnostics(doc, SCHEMA, [error])
    assert [(each.pointer, each.span) for each in found] == [("/items/1", (3, 4))]


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("name: a\nknd: cli\n", Fix('Rename to "kind"', (Rename("/knd", "kind"),))),
        ("name: a\nkind: rus\n", Fix('Change to "rust"', (Set("/kind", "rust"),))),
        ("name: 1.0\n", Fix("Quote this value", (Set("/name", "1.0"),), safe=True)),
        ("name: a\nlevel: '3'\n", Fix("Write 3", (Set("/level", 3),))),
        ("name: a\nconst: 1\n", Fix('Set to "1.0"', (Set("/const", "1.0"),))),
        ("name: a\ntable: {}\n", Fix('Add "z"', (Set("/table/z", 3),))),
        ("kind: cli\n", Fix('Add "name"', (Set("/name", ""),))),
    ],
)
def test_fixes(text: str, fix: Fix) -> None:
    assert [each.fixes for each in check("yaml", text)] == [(fix,)]


def test_no_rename_to_a_key_that_is_there() -> None:
    assert [each.fixes for each in check("yaml", "name: a\nnam: b\n")] == [()]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: A\n", "a name is lower-case letters"),
        ("name: abcdefg\n", '"name" must have at most 5 characters'),
        ("name: a\nknd: 1\n", 'unknown key "knd"; did you mean "kind"?'),
        ("kind: cli\n", 'missing key "name"'),
        ("name: a\nitems: [1]\n", "item 1 must be a mapping"),
        ("name: a\nkind: clo\n", '"kind" must be one of "cli", "rust"; did you mean "cli"?'),
    ],
)
def test_messages(text: str, message: str) -> None:
    assert [each.message for each in check("yaml", text)] == [message]


def test_severity_of_unknown_keys_is_the_schemas_word() -> None:
    found = check("yaml", "name: a\nzzz: 1\nitems: [{id: a, zzz: 1}]\n")
    assert [each.severity for each in found] == [None, "warning"]


def test_a_value_behind_an_alias_is_shown_where_it_is_written() -> None:
    text = "name: a\nitems: &i\n  - id: 1\nnames: *i\n"
    assert rows("yaml", text) == [("value-type", "3:9-3:10"), ("value-type", "4:8-4:10")]
