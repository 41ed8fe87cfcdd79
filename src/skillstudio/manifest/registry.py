"""The dialects: one folder each, with a `dialect.json`, and the modules in their folders."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from skillstudio.manifest.dialect import Dialect
from skillstudio.manifest.installed import (
    EntryPoint,
    GuardedModule,
    attribute_errors,
    entry_points,
    folder_of,
    sentence,
    table_fault,
)

if TYPE_CHECKING:
    from types import ModuleType

    from skillstudio.schema.outcome import Validator

HERE = os.path.dirname(__file__)


class Registry(NamedTuple):
    """Every dialect, and a sentence for each installed package that cannot be used."""

    dialects: tuple[Dialect, ...]
    unusable: tuple[str, ...]


@cache
def registry() -> Registry:
    """The dialects of skillstudio, then the installed ones."""
    all_dialects: list[Dialect] = []
    for folder in sorted(name for name in os.listdir(HERE) if "." not in name):
        path = os.path.join(HERE, folder)
        if os.path.isfile(os.path.join(path, "dialect.json")):
            all_dialects += _dialects(path, folder, f"{__package__}.{folder}")
    unusable = []
    for entry in entry_points():
        try:
            all_dialects += _read_installed(entry, all_dialects)
        except Exception as error:
            unusable.append(sentence(entry.distribution, error))
    return Registry(tuple(all_dialects), tuple(unusable))


def unusable_found() -> tuple[str, ...]:
    """The sentences about packages that cannot be used; () while no dialect was needed."""
    return registry().unusable if registry.cache_info().currsize else ()


def dialects() -> tuple[Dialect, ...]:
    """All dialects; those with the same carrier in the order of detection."""
    return registry().dialects


def dialect_ids() -> tuple[str, ...]:
    """The names of all dialects, as settings and commands have them."""
    return tuple(dialect.id for dialect in dialects())


@cache
def folders() -> tuple[Dialect, ...]:
    """One dialect of each folder."""
    return tuple({dialect.folder: dialect for dialect in reversed(dialects())}.values())[::-1]


def dialect(name: str) -> Dialect | None:
    """The dialect with an id."""
    return next((dialect for dialect in dialects() if dialect.id == name), None)


def base_dialect() -> Dialect:
    """The dialect that the frontmatter of every SKILL.md has; others extend it."""
    return next(
        dialect
        for dialect in dialects()
        if dialect.carrier == "frontmatter" and not dialect.extends
    )


def carriers() -> tuple[str, ...]:
    """The names of the files that can carry a manifest."""
    return tuple(dict.fromkeys(dialect.file for dialect in dialects()))


def manifest_files() -> str:
    """The files that make a folder a skill, for people."""
    *files, last = carriers()
    return f"{', '.join(files)} or {last} of a known dialect"


def no_skill(place: str) -> str:
    """The message for a folder that is not a skill."""
    return f"{place} does not contain a skill: no {manifest_files()}"


def schema_of(dialect: Dialect, part: str = "manifest") -> dict[str, Any]:
    """The JSON Schema of a dialect's manifest, or of a further part. Do not change it."""
    return _schema(_schema_path(dialect, part))


def validator_of(dialect: Dialect, part: str = "manifest", definition: str = "") -> Validator:
    """The compiled schema of a dialect's manifest or of a further part, or a definition of it."""
    return _validator(_schema_path(dialect, part), dialect.distribution, definition)


def rules_of(dialect: Dialect) -> ModuleType:
    """The module with the rules that a schema cannot express."""
    rules: ModuleType = module_of(dialect, "rules")
    return rules


def module_of(dialect: Dialect, name: str) -> Any:
    """A module of a dialect's folder; None if there is none. `hooks.hook` has the types."""
    return _module(dialect.package, name, dialect.distribution)


def tables_of(name: str, table: str) -> Iterator[tuple[list[str], dict[str, Any]]]:
    """The rows of a table in the files of all dialects, each with the dialects it applies to."""
    import tomllib

    for folder in folders():
        path = os.path.join(folder.path, name)
        if os.path.isfile(path):
            with open(path, "rb") as file:
                rows = tomllib.load(file).get(table, [])
            ids = [dialect.id for dialect in dialects() if dialect.folder == folder.folder]
            for row in rows if isinstance(rows, list) else [rows]:
                yield row.get("dialects", ids), row


@cache
def _module(package: str, name: str, distribution: str) -> Any:
    full = f"{package}.{name}"
    with attribute_errors(distribution):
        try:
            module = import_module(full)
        except ModuleNotFoundError as error:
            if error.name != full:
                raise
            return None
    return GuardedModule(module, distribution) if distribution else module


def _read_installed(entry: EntryPoint, known_dialects: list[Dialect]) -> list[Dialect]:
    """The dialects of an entry point. Raises an exception for the first problem."""
    path = folder_of(entry.package)
    new_dialects = _dialects(path, entry.package, entry.package, entry.distribution)
    ids = [dialect.id for dialect in (*known_dialects, *new_dialects)]
    fences = [dialect.fence for dialect in (*known_dialects, *new_dialects) if dialect.fence]
    frontmatters = {dialect.id for dialect in known_dialects if dialect.carrier == "frontmatter"}
    for dialect in new_dialects:
        if ids.count(dialect.id) > 1:
            raise ValueError(f"another dialect has the id {dialect.id}")
        if fences.count(dialect.fence) > 1:
            raise ValueError(f"another dialect has the fence {dialect.fence}")
        if dialect.carrier == "frontmatter" and dialect.extends not in frontmatters:
            raise ValueError(f"{dialect.id} must extend {' or '.join(sorted(frontmatters))}")
        for part in ("manifest", *dialect.parts):
            if not isinstance(schema_of(dialect, part).get("properties"), dict):
                raise ValueError(f"the schema of {dialect.id} must have properties")
        required_files = ("rules.py", "rules.toml", "project.py", *["draft.py"] * dialect.drafts)
        for file in required_files:
            if not os.path.isfile(os.path.join(dialect.path, file)):
                raise ValueError(f"{file} is missing")
    _check_tables(path)
    return new_dialects


def _check_tables(path: str) -> None:
    """Raise ValueError for a table of an installed dialect that is not as documented."""
    import tomllib

    for name in ("rules.toml", "effects.toml", "adopt.toml", "pack.toml", "extensions.toml"):
        file = os.path.join(path, name)
        if not os.path.isfile(file):
            continue
        with open(file, "rb") as stream:
            try:
                value = tomllib.load(stream)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
        if fault := table_fault(name, value):
            raise ValueError(fault)


def _dialects(path: str, folder: str, package: str, distribution: str = "") -> list[Dialect]:
    new_dialects = []
    declaration = _read(os.path.join(path, "dialect.json"))
    for fields in declaration if isinstance(declaration, list) else [declaration]:
        if distribution and (fault := table_fault("dialect.json", fields)):
            raise ValueError(fault)
        fields["versions"] = tuple(fields["versions"])
        new_dialects.append(
            Dialect(folder=folder, package=package, path=path, distribution=distribution, **fields)
        )
    return new_dialects


def _schema_path(dialect: Dialect, part: str) -> str:
    file = dialect.schema if part == "manifest" else str(dialect.parts[part]["schema"])
    return os.path.join(dialect.path, file)


@cache
def _schema(path: str) -> dict[str, Any]:
    schema: dict[str, Any] = _read(path)
    return schema


@cache
def _validator(path: str, distribution: str, definition: str) -> Validator:
    with attribute_errors(distribution):
        schema = _schema(path)
        schema = schema["$defs"][definition] if definition else schema
        if distribution:
            return _compile(schema)
        from skillstudio.schema.accepts import QuickValidator

        return QuickValidator(schema, lambda: _compile(schema))


def _compile(schema: Any) -> Validator:
    from skillstudio.schema.engine import compile_schema

    return compile_schema(schema)


def _read(path: str) -> Any:
    import json

    with open(path, encoding="utf-8") as file:
        try:
            return json.load(file)
        except ValueError as error:
            raise ValueError(f"{os.path.basename(path)}: {error}") from None
