"""Interfaces written short, as in pairs.yaml."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import yaml

from skillstudio.interface.model import (
    ABSENT,
    Artifact,
    Entrypoint,
    Execution,
    Input,
    Interface,
    Operation,
    Output,
    OutputField,
    Place,
    Requirement,
    Stdout,
    Term,
    Variable,
)

HERE = Path(__file__).parent
_OF_OPERATION = frozenset(
    ("inputs", "outputs", "artifacts", "fields", "stdout", "entrypoints", "effects")
)
_PLAIN = (
    "version",
    "ids",
    "scripts",
    "description",
    "license",
    "metadata",
    "manifest_versions",
    "sensitive",
)


class Pair(NamedTuple):
    """Two interfaces, and what changed in either direction: the bump, then every kind."""

    name: str
    old: Interface | None
    new: Interface | None
    there: tuple[str, ...]
    back: tuple[str, ...]


def pairs() -> list[Pair]:
    """Every pair of the table."""
    rows = yaml.safe_load((HERE / "pairs.yaml").read_text(encoding="utf-8"))
    return [
        Pair(
            row["pair"],
            interface(row.get("old", {})),
            interface(row.get("new", {})),
            tuple(row["there"]),
            tuple(row["back"]),
        )
        for row in rows
    ]


def interface(short: dict[str, Any] | None) -> Interface | None:
    """An interface written short; None is a side without the skill."""
    if short is None:
        return None
    operations = [operation(name, each) for name, each in short.get("operations", {}).items()]
    if not operations:
        operations = [operation("", {key: short[key] for key in _OF_OPERATION & short.keys()})]
    requirements = [
        Requirement("command", name, each.get("min", ""), each.get("max", ""))
        for name, each in short.get("commands", {}).items()
    ]
    requirements += [
        Requirement("file", path, base=base) for path, base in short.get("files", {}).items()
    ]
    return Interface(
        name=short.get("name", "worklog"),
        dialects=tuple(short.get("dialects", ["frontmatter-1.0"])),
        declared=short.get("declared", True),
        operations=tuple(operations),
        env=tuple(_variable(name, each) for name, each in short.get("env", {}).items()),
        requirements=tuple(requirements),
        execution=Execution(**short["execution"]) if "execution" in short else None,
        permissions=terms(short.get("permissions", {})),
        promises=tuple(
            Term(name, tuple(each), "set") for name, each in short.get("promises", {}).items()
        ),
        terms=terms(short.get("terms", {})),
        places={at: Place("SKILL.md", line, 1) for at, line in short.get("places", {}).items()},
        **{key: short[key] for key in _PLAIN if key in short},
    )


def operation(name: str, short: dict[str, Any]) -> Operation:
    """One operation written short."""
    stdout = short.get("stdout")
    return Operation(
        name,
        short.get("description", ""),
        inputs=tuple(given(each, schema) for each, schema in short.get("inputs", {}).items()),
        outputs=tuple(
            Output(pattern, **(each if isinstance(each, dict) else {"base": each}))
            for pattern, each in short.get("outputs", {}).items()
        ),
        artifacts=tuple(
            Artifact(each, **(about if isinstance(about, dict) else {"kind": about}))
            for each, about in short.get("artifacts", {}).items()
        ),
        fields=tuple(_field(each, about) for each, about in short.get("fields", {}).items()),
        stdout=stdout
        and Stdout(stdout.get("json", False), stdout.get("schema"), stdout.get("reference", "")),
        entrypoints=tuple(
            # What cannot be started is `{argv: […], refused: why}`.
            Entrypoint(platform, tuple(argv["argv"]), argv["refused"])
            if isinstance(argv, dict)
            else Entrypoint(platform, tuple(argv))
            for platform, argv in short.get("entrypoints", {}).items()
        ),
        effects=tuple(short.get("effects", ())),
        declared=short.get("declared", True),
    )


def given(name: str, short: dict[str, Any]) -> Input:
    """An input written as its schema, with what else there is to say of it beside the keywords."""
    schema = dict(short)
    required = schema.pop("required", False)
    if isinstance(required, list):
        schema["required"], required = required, False
    return Input(
        name,
        required=required,
        default=schema.pop("default", ABSENT),
        sensitive=schema.pop("sensitive", False),
        description=schema.pop("description", ""),
        schema=schema,
    )


def terms(short: dict[str, dict[str, Any]]) -> tuple[Term, ...]:
    """Terms by name, each with its comparer and value; `key` and `covers` beside them."""
    found = []
    for name, about in short.items():
        rest = dict(about)
        more = {key: rest.pop(key) for key in ("key", "covers", "shown", "detail") if key in rest}
        [(comparer, value)] = rest.items()
        if isinstance(value, list):
            value = tuple(value)
        found.append(Term(name, value, comparer, **more))
    return tuple(found)


def _variable(name: str, short: Any) -> Variable:
    if isinstance(short, str):
        return Variable(name, short == "required")
    return Variable(name, **short)


def _field(name: str, short: Any) -> OutputField:
    if isinstance(short, str):
        return OutputField(name, short)
    schema = dict(short)
    return OutputField(name, schema.pop("text"), schema)
