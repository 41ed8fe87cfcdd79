"""Samples: named inputs of one run, without sensitive values, and how to generate them."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from itertools import chain
from typing import Any, NamedTuple

from skillstudio.files.paths import normalise
from skillstudio.interface.model import ABSENT, Operation
from skillstudio.schema.engine import compile_schema
from skillstudio.schema.outcome import SchemaRefused
from skillstudio.schema.sample import samples, stated_values
from skillstudio.schema.work import Work

FOLDER = "samples"
SUFFIX = ".yaml"
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")
_NOTHING: Mapping[str, Any] = {}


REPO_ROOT = "repo_root"


class SampleWorkspace(NamedTuple):
    """The folder that a sample is tested in, by default a new and empty one."""

    folder: str = ""
    """A folder of the skill to copy, `repo_root` for the repository around the skill, or ""."""
    git: bool = False  # Whether to make it a repository with one commit of everything.


class Sample(NamedTuple):
    """Named inputs of one run."""

    name: str
    operation: str
    inputs: Any = ABSENT  # By name; for an operation that reads one JSON value, that value.
    arguments: tuple[str, ...] = ()
    env: Mapping[str, str] = _NOTHING
    expect: Mapping[str, Any] = _NOTHING
    """Any of `exit`, `stdout`, `stderr`, `json`, `files`, `modes`, `effects`; others are not
    compared."""
    path: str = ""  # Relative to the skill's folder, or absolute in the user's state.
    workspace: SampleWorkspace = SampleWorkspace()
    stdin: str | None = None  # Text for standard input.
    fixtures: Mapping[str, Any] = _NOTHING
    """Path in the workspace to a text, or to `{from: PATH}` of a file beside the sample."""
    net: tuple[str, ...] = ()  # The values of `--net`, except `record`.


class SampleRefused(Exception):
    """A sample that cannot be read, written or found: a sentence, with a position if known."""


def path_of(operation: str, name: str) -> str:
    """The path of a sample below `samples`. Raises SampleRefused."""
    if not _NAME.fullmatch(name) or name.endswith("."):
        raise SampleRefused(
            f"invalid sample name {name}; use letters, digits, dots, - and _, no dot or - first"
        )
    folder = operation_folder(operation)
    return f"{folder}/{name}{SUFFIX}" if folder else name + SUFFIX


def operation_folder(operation: str) -> str:
    """The folder of an operation below `samples`. Raises SampleRefused."""
    inside = normalise(operation)
    is_plain = inside == operation.removeprefix("./") and not any(
        each in operation for each in '\\:*?"<>|\0\n\r'
    )
    if inside is None or not is_plain or any(len(os.fsencode(p)) > 200 for p in inside.split("/")):
        raise SampleRefused(f"the operation {operation!r} is not usable as a folder name")
    return inside


_TRIED = 20  # Values of a schema to try; the first that is not empty is used.
_MOST_STEPS = 300_000  # For the values of all inputs together; at most 2 s.


def generate(
    operation: Operation, optional: bool = False, given: Collection[str] = frozenset()
) -> Any:
    """Generate the required inputs, with `optional` the others too, except sensitive and `given`
    ones. Deterministic. Raises SampleRefused."""
    work = Work(_MOST_STEPS)
    schema = operation.value_schema
    if schema is not None:
        whole = schema if isinstance(schema, dict) else True
        return _object(schema, work) or _value("input", whole, work)
    found: dict[str, Any] = {}
    for each in operation.inputs:
        if each.sensitive or each.name in given:
            continue
        if each.required:
            found[each.name] = _value(each.name, each.schema, work)
        elif optional:
            has_default = each.default is not ABSENT
            found[each.name] = each.default if has_default else _value(each.name, each.schema, work)
    return found


def _object(schema: Any, work: Work) -> dict[str, Any] | None:
    parts = schema.get("properties") if isinstance(schema, dict) else None
    required = schema.get("required") if isinstance(parts, dict) else None
    if not isinstance(parts, dict) or not isinstance(required, list):
        return None
    try:
        made = {name: _value(name, parts.get(name, True), work) for name in required}
        return made if compile_schema(schema).is_valid(made) else None
    except (SampleRefused, SchemaRefused):
        return None


def _value(name: str, schema: dict[str, Any] | bool, work: Work) -> Any:
    """An example from the schema, else the name itself if valid, else the first non-empty value."""
    try:
        validator = compile_schema(schema)
        stated = [each for each in stated_values(schema) if validator.is_valid(each)]
        tried = [*stated, *([] if stated or not validator.is_valid(name) else [name])]
        found = iter(tried or samples(schema, _TRIED, validator, work))
        first = next(found, ABSENT)
        if first is ABSENT:
            reason = "no value for its schema could be generated; give one with -i"
            raise SampleRefused(f"{name}: {reason}")
        usable = (each for each in chain([first], found) if each not in ("", {}, [], None))
        return next(usable, first)  # Values are generated on demand, because each takes long.
    except SchemaRefused as refused:
        raise SampleRefused(f"{name}: its schema cannot be used: {refused}") from None
