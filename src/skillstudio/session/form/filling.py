"""The edits of a form as splices of the text.

`text.edit` checks that no other value changes, else `EditRefused` is raised.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any, Literal

from skillstudio.session.fields import Field, FieldChoice, FieldKind, default_text
from skillstudio.session.form.fields import FormField
from skillstudio.text import edit
from skillstudio.text.diagnostic import Splice
from skillstudio.text.editing import EditRefused
from skillstudio.text.node import (
    Document,
    Mapping,
    Scalar,
    Sequence,
    escape,
    join_pointer,
    resolve,
    split_pointer,
)
from skillstudio.text.safe import safe_text

Purpose = Literal["value", "item", "name", "rename"]
NOT_SET: Any = object()  # The choice that removes an optional field.
_NUMBER = re.compile(r"[+-]?(\d+)(\.\d+)?([eE][+-]?\d+)?", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_LARGEST_DIGITS = 300
_HINTS = {"number": "a number", "json": "JSON, or plain text"}


def format_value(field: FormField) -> str:
    """The text of a field to edit."""
    value = field.value
    if field.kind == "json" and field.present:
        if isinstance(value, str) and _parse_json(value) is value:
            return value
        return field.literal or json.dumps(value, ensure_ascii=False)
    if isinstance(value, str):
        return value
    return field.literal


def entry(field: FormField, purpose: Purpose, used_values: Collection[Any] = ()) -> Field:
    """The field to edit: the value of `field`, a new item or key of it, or its name.

    `used_values` are the existing values of a list.
    """
    is_name = purpose in ("name", "rename")
    shape = field.item if purpose == "item" and field.item else field
    if shape.kind in ("choice", "switch") and not is_name:
        return _choice(field, shape, purpose, used_values)
    text = format_value(field) if purpose == "value" else field.label if purpose == "rename" else ""
    kind: FieldKind = "line"
    if "\n" in text or (shape.kind == "multiline" and not is_name):
        kind = "box"
    hint = f"such as {shape.example}" if shape.example else _HINTS.get(shape.kind, "")
    if purpose == "value" and field.default is not None:
        hint = unset_text(field)
    return Field(field.pointer, field.name, kind, text=text, hint="a name" if is_name else hint)


def unset_text(field: FormField) -> str:
    """What a field has that is not in the text."""
    return "not set" if field.default is None else default_text(field.default, field.choices)


def _choice(
    field: FormField, shape: FormField, purpose: Purpose, used_values: Collection[Any]
) -> Field:
    choices = [choice for choice in shape.choices if choice.value not in used_values]
    kind: FieldKind = "switch" if shape.kind == "switch" else "one"
    current = field.value if field.present else NOT_SET
    unset = "" if field.required else unset_text(field)
    if purpose == "value" and kind == "one":
        if field.present and current not in [choice.value for choice in choices]:
            choices.insert(0, FieldChoice(str(current), current, "the current value"))
        if unset:
            choices.insert(0, FieldChoice(unset, NOT_SET))
    selection = tuple(choice.value for choice in choices if choice.value == current)
    return Field(
        field.pointer, field.name, kind, choices=tuple(choices), selection=selection, unset=unset
    )  # fmt: skip


def explain_lock(field: FormField) -> str:
    """Why a field cannot be edited in the form; empty if it can."""
    if field.kind == "raw":
        return field.note
    if safe_text(format_value(field), keep_newlines=True) != format_value(field):
        return "it contains invisible characters; edit it in the text"
    return ""


def read(field: FormField, text: str) -> Any:
    """Read a typed value. Raises EditRefused if it is invalid."""
    if safe_text(text, keep_newlines=True) != text:
        raise EditRefused("the value contains invisible characters; enter it in the text")
    if field.kind == "number":
        return _number(text.strip())
    return _parse_json(text) if field.kind == "json" else text


def fill(document: Document, field: FormField, text: str) -> list[Splice]:
    """Set a field to a typed text; an empty text removes an optional key."""
    if field.present and text == format_value(field):
        return []
    if not text and field.place == "key" and not field.required:
        return clear(document, field)
    return put(document, field, read(field, text))


def put(document: Document, field: FormField, value: Any) -> list[Splice]:
    """Set the value of a field, and create missing mappings and lists around it."""
    return _put(document, split_pointer(field.pointer), value)


def clear(document: Document, field: FormField) -> list[Splice]:
    """Remove a field from the text."""
    if field.place == "key" and field.required:
        raise EditRefused(f"{field.label} is required")
    return edit.remove(document, field.pointer) if field.present else []


def add_item(document: Document, field: FormField, value: Any) -> list[Splice]:
    """Append an item to a list."""
    return _put(document, [*split_pointer(field.pointer), "-"], value)


def add_entry(document: Document, field: FormField, name: str, value: Any) -> list[Splice]:
    """Add a key to a map."""
    name = _key(name)
    node = resolve(document.at(field.pointer))
    if isinstance(node, Mapping) and node.entry(name):
        raise EditRefused(f"the key {name} already exists")
    return _put(document, [*split_pointer(field.pointer), name], value)


def rename_entry(document: Document, field: FormField, name: str) -> list[Splice]:
    """Rename a key of a map."""
    return edit.rename(document, field.pointer, _key(name))


def move_item(document: Document, field: FormField, by: int) -> list[Splice]:
    """Move an item of a list."""
    *above, last = split_pointer(field.pointer)
    around = resolve(document.at(join_pointer(above)))
    if field.place != "item" or not isinstance(around, Sequence):
        raise EditRefused("only items of a list can be moved")
    to = int(last) + by
    if not 0 <= to < len(around.items):
        raise EditRefused(f"this is the {'first' if by < 0 else 'last'} item")
    return edit.move(document, field.pointer, join_pointer([*above, str(to)]))


def below(field: FormField, token: str | int) -> str:
    """The pointer of a child of a field."""
    return f"{field.pointer}/{escape(str(token))}"


def _put(document: Document, tokens: list[str], value: Any) -> list[Splice]:
    """Set a value below the innermost existing mapping or list."""
    depth = len(tokens)
    while depth > 0:
        around = resolve(document.at(join_pointer(tokens[: depth - 1])))
        if isinstance(around, Mapping | Sequence):
            break
        if isinstance(around, Scalar) and around.value is not None:
            name = tokens[depth - 2] if depth > 1 else "the manifest"
            raise EditRefused(f"{name} is a single value; change it in the text")
        depth -= 1
    for key in reversed(tokens[depth:]):
        value = [value] if key == "-" else {key: value}
    return edit.set_value(document, join_pointer(tokens[:depth]), value)


def _key(name: str) -> str:
    name = name.strip()
    if not name:
        raise EditRefused("enter a name for the key")
    if safe_text(name) != name:
        raise EditRefused("the name contains invisible characters")
    return name


def _number(text: str) -> int | float:
    if len(text) <= _LARGEST_DIGITS and _INTEGER.fullmatch(text):
        return int(text)
    if len(text) <= _LARGEST_DIGITS and _NUMBER.fullmatch(text):
        number = float(text)
        if abs(number) != float("inf"):
            return number
    raise EditRefused(f'"{text}" is not a number' if text else "enter a number")


def _parse_json(text: str) -> Any:
    """The value of a JSON text; the text itself if it is no JSON."""
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return text


def _no_constant(name: str) -> Any:
    raise ValueError(name)
