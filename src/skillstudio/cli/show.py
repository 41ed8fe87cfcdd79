"""`skillstudio show`: show a skill's interface."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.compared import find_version
from skillstudio.cli.lists import MOST_SHOWN, cut_json, left_out
from skillstudio.cli.output import Paint, Result, say
from skillstudio.interface.model import (
    Input,
    Interface,
    Operation,
    OutputField,
    Stdout,
    Term,
    VersionRange,
)
from skillstudio.interface.type_words import type_words
from skillstudio.interface.wording import masked_schema
from skillstudio.present.interface import input_words
from skillstudio.skill.versions.reading import shown_path
from skillstudio.text.safe import safe_text

_WIDEST = 28  # Columns of a name; a longer one is not aligned.
_LONGEST = 300
Shaped = TypeVar("Shaped", Input, OutputField, Stdout)
InterfaceRow = tuple[str, str, str]  # A name, its properties, and its description.


def run(options: CommandOptions) -> Result:
    version = find_version(options.path)
    if not options.quiet:
        say(*version.notes)
    interface = _without_values(version.interface._replace(version=version.version))

    operand = version.operand
    value = {
        "path": shown_path(operand),
        "ref": operand.ref,
        "content_hash": version.content_hash,
        **interface._asdict(),
    }
    return Result(
        lambda: cut_json(value, options.all),
        lambda paint: interface_lines(interface, paint, None if options.all else MOST_SHOWN),
    )


def _without_values(interface: Interface) -> Interface:
    every = interface.sensitive

    def mask_schema(element: Shaped, sensitive: bool = every) -> Shaped:
        return element._replace(schema=masked_schema(element.schema)) if sensitive else element

    def terms(unmasked_terms: tuple[Term, ...]) -> tuple[Term, ...]:
        return tuple(
            term._replace(value=masked_schema(term.value))
            if every and term.comparer in ("schema-in", "schema-out")
            else term
            for term in unmasked_terms
        )

    operations = tuple(
        operation._replace(
            inputs=tuple(
                mask_schema(input_, every or input_.sensitive) for input_ in operation.inputs
            ),
            fields=tuple(map(mask_schema, operation.fields)),
            stdout=operation.stdout and mask_schema(operation.stdout),
            terms=terms(operation.terms),
        )
        for operation in interface.operations
    )
    return interface._replace(operations=operations, terms=terms(interface.terms))


def interface_lines(interface: Interface, paint: Paint, most: int | None = None) -> Iterator[str]:
    """The interface for a terminal, at most `most` entries of each list; texts are made safe."""
    version = safe_text(interface.version) or "without a version"
    dialect_names = ", ".join(interface.dialects) or "no manifest"
    yield f"{paint(safe_text(interface.name), 'place')}  {version}  ({safe_text(dialect_names)})"
    if interface.description:
        yield f"  {_short(interface.description)}"
    if not interface.declared:
        yield "  It declares no interface: agents only read its text."
    if interface.sensitive:
        yield "  Every value of the skill counts as sensitive."
    once = _effects_of_all(interface)
    for operation in interface.operations[:most]:
        printed_operation = operation._replace(effects=()) if once else operation
        yield from _operation(printed_operation, interface.sensitive, paint, most)
    if omission := left_out(len(interface.operations), most):
        yield from ("", paint(omission, "quiet"))
    rows: dict[str, Iterable[InterfaceRow]] = {
        "effects": [(", ".join(once), "", "")] if once else [],
        "environment": _environment(interface),
        "requirements": _requirements(interface),
        "execution": _execution(interface),
        "permissions": _terms(interface.permissions),
        "guarantees": _terms(interface.promises),
        "terms": _terms(interface.terms),
        "about": [
            *([("license", interface.license, "")] if interface.license else []),
            *((key, value, "") for key, value in interface.metadata.items()),
            *((key, f"version {value}", "") for key, value in interface.manifest_versions.items()),
        ],
    }
    for title, block in rows.items():
        yield from _block(title, list(block), paint, most)


def _operation(
    operation: Operation, sensitive: bool, paint: Paint, most: int | None
) -> Iterator[str]:
    indent = ""
    if operation.name:
        about = f"  {_short(operation.description)}" if operation.description else ""
        yield ""
        yield f"{paint(safe_text(operation.name), 'place')}{about}"
        indent = "  "
    rows: dict[str, Iterable[InterfaceRow]] = {
        "inputs": [
            (
                declared_input.name,
                input_words(declared_input, sensitive),
                declared_input.description,
            )
            for declared_input in operation.inputs
        ],
        "outputs": [
            *(
                (output.pattern, f"in {output.base}", output.description)
                for output in operation.outputs
            ),
            *(
                (artifact.name, artifact.kind, artifact.description)
                for artifact in operation.artifacts
            ),
        ],
        "prints": _prints(operation),
        "effects": [(", ".join(operation.effects), "", "")] if operation.effects else [],
        "started by": [
            (entrypoint.platform, " ".join(map(_argument, entrypoint.argv)), "")
            for entrypoint in operation.entrypoints
        ],
        "call": _terms(operation.terms),
    }
    for title, block in rows.items():
        yield from _block(title, list(block), paint, most, indent)


def _effects_of_all(interface: Interface) -> tuple[str, ...]:
    effects_place = interface.places.get("/effects")
    operation_places = {
        interface.places.get(f"{operation.pointer}/effects") for operation in interface.operations
    }
    several = len(interface.operations) > 1
    return (
        interface.operations[0].effects
        if several and operation_places == {effects_place} != {None}
        else ()
    )


def _prints(operation: Operation) -> Iterator[InterfaceRow]:
    if operation.stdout is not None:
        format_text = "JSON" if operation.stdout.last_line_json else "no format declared"
        yield "the last line", format_text, ""
    yield from ((field.name, field.text, "") for field in operation.fields)


def _environment(interface: Interface) -> Iterator[InterfaceRow]:
    for variable in interface.env:
        sensitive = ", sensitive" if variable.sensitive else ""
        yield (
            variable.name,
            ("required" if variable.required else "optional") + sensitive,
            variable.description,
        )


def _requirements(interface: Interface) -> Iterator[InterfaceRow]:
    for requirement in interface.requirements:
        minimum = f" from {requirement.minimum}" if requirement.minimum else ""
        maximum = f" up to {requirement.maximum}" if requirement.maximum else ""
        base = f" in {requirement.base}" if requirement.base else ""
        yield requirement.name, f"{requirement.kind}{minimum}{maximum}{base}", ""


def _execution(interface: Interface) -> Iterator[InterfaceRow]:
    hints = interface.execution
    if hints is not None:
        for name in ("idempotent", "destructive", "network", "interactive"):
            yield name, "yes" if getattr(hints, name) else "no", ""
        if hints.timeout is not None:
            yield "timeout", f"{hints.timeout:g} s", ""


def _terms(terms: Iterable[Term]) -> list[InterfaceRow]:
    return [
        (f"{term.name} {term.key}".rstrip(), _term(term), "")
        for term in terms
        if term.value not in ("", ())
    ]


def _term(term: Term) -> str:
    value = term.value
    if term.shown:
        return term.shown
    if value == ("*",):
        return "everything"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, VersionRange):
        return value.text
    if term.comparer in ("schema-in", "schema-out") and not isinstance(value, str):
        return type_words(value)
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _block(
    title: str, rows: list[InterfaceRow], paint: Paint, most: int | None, indent: str = ""
) -> Iterator[str]:
    if not rows:
        return
    if not indent:
        yield ""
    yield indent + paint(title, "quiet")
    visible_rows = [tuple(map(_short, row)) for row in rows[:most]]
    first = min(max(len(row[0]) for row in visible_rows), _WIDEST)
    second = min(max(len(row[1]) for row in visible_rows), 2 * _WIDEST)
    for name, properties, about in visible_rows:
        yield f"{indent}  {name:<{first}}  {properties:<{second}}  {about}".rstrip()
    if omission := left_out(len(rows), most):
        yield f"{indent}  {paint(omission, 'quiet')}"


def _argument(argument: str) -> str:
    plain = argument and not any(
        character.isspace() or character in "'\"" for character in argument
    )
    return argument if plain else _json_of(argument)


def _json_of(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _short(text: str) -> str:
    text = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return safe_text(" ".join(text.split("\n")).strip())
