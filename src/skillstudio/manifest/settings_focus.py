"""The schema of a file with settings, with the names that this version has."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from skillstudio.manifest.focus import Focus
from skillstudio.manifest.registry import dialect_ids
from skillstudio.manifest.rulebook import all_rules, rule_names
from skillstudio.manifest.targets import recorded_targets, targets
from skillstudio.settings.read import SCHEMA
from skillstudio.settings.settings import table_of
from skillstudio.text.node import split_pointer
from skillstudio.text.source import Source, Span


def settings_focus(path: str, text: str) -> Focus:
    """A file with settings: `skillstudio.toml`, or `pyproject.toml` with a table of ours."""
    schema = _named_schema()
    for name in reversed(split_pointer(table_of(path))):
        schema = {"type": "object", "properties": {name: schema}}
    return Focus(Source(text, path), "toml", Span(0, len(text)), (schema,))


@lru_cache(maxsize=1)
def _named_schema() -> dict[str, Any]:
    """The schema with rules, targets and formats as names to choose from."""
    with open(SCHEMA, encoding="utf-8") as stream:
        schema: dict[str, Any] = json.load(stream)
    properties = schema["properties"]
    rules, severity = all_rules(), properties["rules"]["additionalProperties"]
    properties["rules"]["properties"] = {
        name: {
            **severity,
            "description": rules[name].what if name in rules else "A set of rules.",
        }
        for name in sorted(rule_names())
    }
    titles = {id: targets()[id]["title"] for id in recorded_targets()}
    for part in (properties, properties["folder"]["items"]["properties"]):
        part["targets"]["items"] |= {"enum": list(titles), "x-enum-descriptions": titles}
        part["dialect"]["enum"] = list(dialect_ids())
    properties["ignore"]["items"]["properties"]["rule"]["enum"] = sorted(rules)
    return schema
