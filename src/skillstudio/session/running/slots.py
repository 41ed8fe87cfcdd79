"""The slots of a run's form: inputs, variables, arguments and run options."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from skillstudio.dryrun.planning.make import ResolvedOperation
from skillstudio.dryrun.planning.typed import Schema
from skillstudio.interface.model import (
    ABSENT,
    SCHEMA_TERM,
    Input,
    Interface,
    Variable,
    properties,
    token,
)
from skillstudio.schema.outcome import SchemaRefused
from skillstudio.schema.shape import read_shape
from skillstudio.session.fields import (
    YES_NO,
    FieldChoice,
    FieldKind,
    default_text,
    shown_value,
)

INPUT, VARIABLE = "input:", "variable:"
WHOLE = "input:"  # The field of an operation with one unnamed value.
ARGUMENTS, STDIN = "arguments", "stdin"
NETWORK, TIMEOUT, TWICE = "network", "timeout", "twice"
_DUMMY = "a placeholder is used"
_TWICE_HELP = "a second run shows whether it changes anything"
_LONG = 200
_LONGEST_HINT = 70


class Slot(NamedTuple):
    """An empty field."""

    key: str
    name: str
    kind: FieldKind
    pointer: str  # Its pointer in the interface; problems below it belong to the field.
    help: str = ""
    hint: str = ""
    absent: str = ""  # The effect of an empty field.
    schema: Schema = True
    required: bool = False
    sensitive: bool = False
    choices: tuple[FieldChoice, ...] = ()


def slots(interface: Interface, found: ResolvedOperation) -> tuple[Slot, ...]:
    """The fields of an operation: inputs, variables, arguments of a script, run options."""
    return tuple(_slots(interface, found))


def _slots(interface: Interface, found: ResolvedOperation) -> Iterator[Slot]:
    operation = found.operation
    whole = operation.value_schema
    at = f"{operation.pointer}/terms/{SCHEMA_TERM}"
    if whole is not None:
        parts = properties(whole)
        for part in parts:
            # Only a required property gets its default.
            asked = part if part.required else part._replace(default=ABSENT)
            yield _input(asked, f"{at}/properties/{token(part.name)}", interface.sensitive)
        if not parts:
            schema = whole if isinstance(whole, dict | bool) else True
            hint = "one JSON value"
            kind: FieldKind = "secret" if interface.sensitive else "box"
            yield Slot(WHOLE, "input", kind, at, "", hint, "an empty object", schema)
    for input_ in operation.inputs:
        yield _input(
            input_, f"{operation.pointer}/inputs/{token(input_.name)}", interface.sensitive
        )
    for variable in (*interface.env, *found.launching.variables):
        if not variable.name.endswith("*"):
            yield _variable(variable, interface.sensitive)
    if found.launching.script is not None:
        more = "further arguments" if found.launching.command is not None else "arguments"
        help_ = f"{more} of the script as they are, one per line"
        yield Slot(ARGUMENTS, "arguments", "box", "@arguments", help_, absent="none")
    if not found.launching.module:
        help_ = "the text that the program reads; an empty field closes it"
        yield Slot(STDIN, "standard input", "box", "@stdin", help_, absent="closed")
        help_ = "what the program reaches: none, loopback, or hosts separated by spaces"
        absent = "by the isolation level"
        yield Slot(NETWORK, "network", "line", "@network", help_, absent=absent)
    help_ = "the maximum duration of the run in seconds"
    yield Slot(TIMEOUT, "timeout", "line", "@timeout", help_, absent="by the plan")
    twice = FieldChoice("twice", True)
    choices = (FieldChoice("once", ABSENT), twice)
    yield Slot(TWICE, "repeat", "switch", "@twice", _TWICE_HELP, choices=choices)


def _input(each: Input, pointer: str, all_sensitive: bool) -> Slot:
    hidden = each.sensitive or all_sensitive
    choices = () if hidden else _choices(each)
    kind: FieldKind = "secret" if hidden else "switch" if choices else _kind(each.schema)
    absent = _DUMMY if hidden and each.required else "not set"
    if not hidden and each.default is not ABSENT:
        absent = default_text(each.default, choices)
    about = each.schema.get("description", "") if isinstance(each.schema, dict) else ""
    return Slot(
        INPUT + each.name, each.name, kind, pointer, each.description or str(about),
        takes(each.schema), absent, each.schema, each.must_be_given, hidden, choices,
    )  # fmt: skip


def _variable(each: Variable, all_sensitive: bool) -> Slot:
    hidden = each.sensitive or all_sensitive
    absent = "the value of this machine"
    if hidden:
        absent = _DUMMY if each.required else "not set"
    kind: FieldKind = "secret" if hidden else "line"
    return Slot(
        VARIABLE + each.name, f"${each.name}", kind, f"/env/{token(each.name)}", each.description,
        absent=absent, required=each.required, sensitive=hidden,
    )  # fmt: skip


def _kind(schema: Schema) -> FieldKind:
    found = kinds(schema)
    if schema is True or ("string" not in found and found & {"array", "object"}):
        return "box"
    longest = schema.get("maxLength", 0) if isinstance(schema, dict) else 0
    return "box" if isinstance(longest, int) and longest > _LONG else "line"


def kinds(schema: Schema) -> frozenset[str]:
    """The types of values that a schema accepts; none if it is invalid."""
    try:
        return read_shape(schema).kinds
    except SchemaRefused:
        return frozenset()


def _choices(each: Input) -> tuple[FieldChoice, ...]:
    schema = each.schema
    if not isinstance(schema, dict):
        return ()
    values = schema.get("enum")
    if not isinstance(values, list) or not values:
        return YES_NO if kinds(schema) == frozenset({"boolean"}) else ()
    return tuple(FieldChoice(shown_value(value), value) for value in values)


def takes(schema: Schema) -> str:
    """A short description of a schema, "" for none."""
    if not isinstance(schema, dict):
        return "JSON" if schema else "no value"
    types = schema.get("type")
    words = [
        _WORDS.get(str(type_), "") for type_ in (types if isinstance(types, list) else [types])
    ]
    parts = [" or ".join(word for word in words if word)]
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        parts.append(f"{low} to {high}")
    elif low is not None or high is not None:
        parts.append(f"at least {low}" if low is not None else f"at most {high}")
    texts = [name for name in ("pattern", "format") if isinstance(schema.get(name), str)]
    parts += [f"{name} {schema[name]}" for name in texts]
    text = ", ".join(part for part in parts if part)
    return text if len(text) <= _LONGEST_HINT else f"{text[:_LONGEST_HINT]}…"


_WORDS = {
    "integer": "a whole number",
    "number": "a number",
    "string": "a string",
    "boolean": "true or false",
    "array": "a JSON list",
    "object": "a JSON object",
    "null": "null",
}
