"""Both engines against the public test suite of JSON Schema, draft 2020-12."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from skillstudio.schema.engine import ENGINES, compile_schema

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("SKILLSTUDIO_DATA") or ROOT.parent / "shared")
SUITE = DATA / "vectors" / "json-schema-test-suite"
FILES = sorted(SUITE.glob("*.json"))


@pytest.mark.skipif(not FILES, reason=f"the JSON Schema test suite is not at {SUITE}")
@pytest.mark.parametrize("engine", ENGINES)
def test_every_verdict_is_the_suites(engine: str) -> None:
    wrong, count = [], 0
    for file in FILES:
        for group in json.loads(file.read_text("utf-8")):
            validator = compile_schema(group["schema"], engine)
            for test in group["tests"]:
                count += 1
                if validator.is_valid(test["data"]) is not test["valid"]:
                    wrong.append((file.stem, group["description"], test["description"]))
    assert wrong == []
    assert count > 100


CASES: list[tuple[Any, list[Any], list[Any]]] = [
    ({"type": "integer"}, [1, 1.0, -(10**40)], [1.5, "1", True, None]),
    ({"type": "number"}, [1, 0.1], [True, "1", float("nan"), float("inf")]),
    ({"type": ["string", "null"]}, ["", None], [0, [], {}]),
    ({"enum": [1, "a", None]}, [1, 1.0, "a", None], [True, "1", 0, False]),
    ({"const": {"a": [1]}}, [{"a": [1.0]}], [{"a": [True]}, {"a": 1}]),
    ({"minimum": 0, "maximum": 10**30}, [0, 10**30], [-1, 10**31]),
    ({"exclusiveMaximum": 1.5}, [1, 1.4], [1.5, 2]),
    ({"maxLength": 2}, ["ab", "😀😀", "\ud83d\ud83d"], ["abc", "\ud83d\ud83d\ud83d"]),
    ({"pattern": "^\\p{L}+$"}, ["é", 3], ["1", ""]),
    ({"pattern": "^\\d+$"}, ["12"], ["٣"]),
    ({"items": {"type": "string"}}, [[], ["a"], "x"], [[1]]),
    ({"properties": {"a": {"type": "string"}}}, [{}, {"a": "b"}, 3], [{"a": 1}]),
    ({"patternProperties": {"^x-": True}, "additionalProperties": False}, [{"x-a": 1}], [{"a": 1}]),
    ({"default": 3, "type": "string"}, ["a"], [3]),
    ({"$defs": {"n": {"type": "null"}}, "$ref": "#/$defs/n"}, [None], [0]),
    ({"$ref": "#"}, [1, {}], []),
    ({"properties": {"next": {"$ref": "#"}}, "type": "object"}, [{"next": {}}], [{"next": 1}]),
    ({"$id": "urn:a", "$ref": "urn:a#/$defs/x", "$defs": {"x": {"type": "null"}}}, [None], [1]),
    ({"uniqueItems": True}, [[1, True], []], [[1, 1.0]]),
    ({"format": "date"}, ["2024-02-29", 3], ["2023-02-29", "2024-2-1"]),
    ({"format": "uuid"}, ["123e4567-e89b-12d3-a456-426614174000"], ["123e4567"]),
    (True, [1], []),
    (False, [], [1, None]),
]  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("schema", "valid", "invalid"), CASES)
def test_own_cases(engine: str, schema: Any, valid: list[Any], invalid: list[Any]) -> None:
    validator = compile_schema(schema, engine)
    assert [value for value in valid if not validator.is_valid(value)] == []
    assert [value for value in invalid if validator.is_valid(value)] == []
