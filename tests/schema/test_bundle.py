"""Schemas of several files, read as one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from skillstudio.schema.bundle import read_bundled
from skillstudio.schema.engine import compile_schema

TREE = {"type": "object", "properties": {"of": {"$ref": "#/$defs/tree"}, "n": {"type": "integer"}}}
FILES: dict[str, dict[str, Any]] = {
    "whole.json": {"title": "Whole", "$ref": "in/part.json"},
    "one.json": {"properties": {"a": {"$ref": "in/part.json#/$defs/tree"}}},
    "same.json": {
        "items": {"$ref": "#/$defs/tree"},
        "prefixItems": [{"$ref": "in/part.json#/$defs/tree"}],
        "$defs": {"tree": {"type": "string"}},
    },
    "in/part.json": {"$schema": "x", "items": {"$ref": "#/$defs/tree"}, "$defs": {"tree": TREE}},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    for name, schema in FILES.items():
        (tmp_path / name).write_text(json.dumps(schema))
    return tmp_path


def test_a_definition_of_another_file_is_a_definition_of_this_one(folder: Path) -> None:
    schema = read_bundled(str(folder / "one.json"))
    assert schema == {"properties": {"a": {"$ref": "#/$defs/tree"}}, "$defs": {"tree": TREE}}


def test_a_whole_file_is_a_definition_named_after_it(folder: Path) -> None:
    schema = read_bundled(str(folder / "whole.json"))
    part = {"items": {"$ref": "#/$defs/tree"}}
    assert schema == {
        "title": "Whole", "$ref": "#/$defs/part", "$defs": {"part": part, "tree": TREE},
    }  # fmt: skip


def test_two_definitions_of_one_name_stay_two(folder: Path) -> None:
    validator = compile_schema(read_bundled(str(folder / "same.json")))
    assert validator.is_valid([{"of": {"n": 1}}, "text"])
    assert not validator.is_valid([{"of": {"n": "1"}}, "text"])
    assert not validator.is_valid(["text", {"n": 1}])


def test_a_definition_that_does_not_exist_is_an_error(folder: Path) -> None:
    (folder / "one.json").write_text('{"$ref": "in/part.json#/$defs/none"}')
    with pytest.raises(KeyError):
        read_bundled(str(folder / "one.json"))
