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


def slots(interface: Interface, resolution: ResolvedOperation) -> tuple[Slot, ...]:
    """The fields of an operation: inputs, variables, arguments of a script, run options."""
    return tuple(_slots(interface, resolution))


def _slots(interface: Interface, resolution: ResolvedOperation) -> Iterator[Slot]:
    operation = resolution.operation
    whole = operation.value_schema
    at = f"{operation.pointer}/terms/{SCHEMA_TERM}"
    if whole is not None:
        parts = properties(whole)
        for part in parts:
            # Only a required property gets its default.
            form_input = part if part.required else part._replace(default=ABSENT)
            yield _input(form_input, f"{at}/properties/{token(part.name)}", interface.sensitive)
        if not parts:
            schema = whole if isinstance(whole, dict | bool) else True
            hint = "one JSON value"
            kind: FieldKind = "secret" if interface.sensitive else "box"
            yield Slot(WHOLE, "input", kind, at, "", hint, "an empty object", schema)
    for input_ in operation.inputs:
        yield _input(
            input_, f"{operation.pointer}/inputs/{token(input_.name)}", interface.sensitive
        )
    for variable in (*interface.env, *resolution.launch_spec.variables):
        if not variable.name.endswith("*"):
            yield _variable(variable, interface.sensitive)
    if resolution.launch_spec.script is not None:
        label = "further arguments" if resolution.launch_spec.command is not None else "arguments"
        help_ = f"{label} of the script as they are, one per line"
        yield Slot(ARGUMENTS, "arguments", "box", "@arguments", help_, absent="none")
    if not resolution.launch_spec.module:
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


def _input(entry: Input, pointer: str, all_sensitive: bool) -> Slot:
    is_secret = entry.sensitive or all_sensitive
    choices = () if is_secret else _choices(entry)
    kind: FieldKind = "secret" if is_secret else "switch" if choices else _kind(entry.schema)
    absent = _DUMMY if is_secret and entry.required else "not set"
    if not is_secret and entry.default is not ABSENT:
        absent = default_text(entry.default, choices)
    about = entry.schema.get("description", "") if isinstance(entry.schema, dict) else ""
    return Slot(
        INPUT + entry.name, entry.name, kind, pointer, entry.description or str(about),
        takes(entry.schema), absent, entry.schema, entry.must_be_given, is_secret, choices,
    )  # fmt: skip


def _variable(entry: Variable, all_sensitive: bool) -> Slot:
    is_secret = entry.sensitive or all_sensitive
    absent = "the value of this machine"
    if is_secret:
        absent = _DUMMY if entry.required else "not set"
    kind: FieldKind = "secret" if is_secret else "line"
    return Slot(
        VARIABLE + entry.name,
        f"${entry.name}",
        kind,
        f"/env/{token(entry.name)}",
        entry.description,
        absent=absent,
        required=entry.required,
        sensitive=is_secret,
    )


def _kind(schema: Schema) -> FieldKind:
    schema_kinds = kinds(schema)
    if schema is True or ("string" not in schema_kinds and schema_kinds & {"array", "object"}):
        return "box"
    longest = schema.get("maxLength", 0) if isinstance(schema, dict) else 0
    return "box" if isinstance(longest, int) and longest > _LONG else "line"


def kinds(schema: Schema) -> frozenset[str]:
    """The types of values that a schema accepts; none if it is invalid."""
    try:
        return read_shape(schema).kinds
    except SchemaRefused:
        return frozenset()


def _choices(entry: Input) -> tuple[FieldChoice, ...]:
    schema = entry.schema
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
