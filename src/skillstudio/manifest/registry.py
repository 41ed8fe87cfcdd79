"""The dialects that are there: one folder each, found by its `dialect.json`."""

from __future__ import annotations

import json
import os
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from skillstudio.manifest.dialect import Dialect

if TYPE_CHECKING:
    from types import ModuleType

    from skillstudio.schema.outcome import Validator

HERE = os.path.dirname(__file__)


@cache
def dialects() -> tuple[Dialect, ...]:
    """Every dialect, those of one carrier in the order in which they are tried."""
    found: list[Dialect] = []
    for folder in sorted(os.listdir(HERE)):
        path = os.path.join(HERE, folder, "dialect.json")
        if os.path.isfile(path):
            for fields in _read(path):
                fields["versions"] = tuple(fields["versions"])
                found.append(Dialect(folder=folder, **fields))
    return tuple(found)


def dialect(name: str) -> Dialect | None:
    """The dialect of an id."""
    return next((each for each in dialects() if each.id == name), None)


def schema_of(dialect: Dialect, part: str = "manifest") -> dict[str, Any]:
    """The JSON Schema of a dialect's manifest, or of a further part. Do not change it."""
    file = dialect.schema if part == "manifest" else str(dialect.parts[part]["schema"])
    return _schema(dialect.folder, file)


def validator_of(dialect: Dialect, part: str = "manifest") -> Validator:
    """The compiled schema of a dialect's manifest, or of a further part."""
    file = dialect.schema if part == "manifest" else str(dialect.parts[part]["schema"])
    return _validator(dialect.folder, file)


def rules_of(dialect: Dialect) -> ModuleType:
    """The module with what a schema cannot say."""
    return import_module(f"skillstudio.manifest.{dialect.folder}.rules")


@cache
def _schema(folder: str, file: str) -> dict[str, Any]:
    schema: dict[str, Any] = _read(os.path.join(HERE, folder, file))
    return schema


@cache
def _validator(folder: str, file: str) -> Validator:
    from skillstudio.schema.engine import compile_schema

    return compile_schema(_schema(folder, file))


def _read(path: str) -> Any:
    with open(path, encoding="utf-8") as file:
        return json.load(file)
