"""Convert texts to values by schema, and values to the texts that programs get."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from itertools import islice
from typing import Any

from skillstudio.interface.model import ABSENT
from skillstudio.interface.wording import SENSITIVE
from skillstudio.schema.engine import compile_schema
from skillstudio.schema.outcome import SchemaRefused, Validator
from skillstudio.schema.shape import read_shape
from skillstudio.text.strict_json import NotJson, read_json

Schema = dict[str, Any] | bool
_SHORTEST = 4  # Characters; shorter values occur in too many texts.


def parse_value(text: str, schema: Schema) -> Any:
    """The value that a text means: a string if the schema accepts one, unless only the JSON reading
    is valid; else JSON. Raises NotJson for a schema that accepts anything."""
    if schema is True:
        return read_json(text)
    json_values: list[Any] = []
    with suppress(NotJson):  # Then it can only be a string, if the schema takes one.
        json_values = [_whole(read_json(text), schema)]
    validator = validator_of(schema)
    takes_text = isinstance(schema, bool) or "string" in read_shape(schema).kinds
    candidates = [text, *json_values] if takes_text else [*json_values, text]
    if validator is None:
        return text
    return next(
        (candidate for candidate in candidates if validator.is_valid(candidate)), candidates[0]
    )


def validator_of(schema: Schema) -> Validator | None:
    """The compiled schema; None when it is unusable, which `check` reports."""
    try:
        return compile_schema(schema)
    except SchemaRefused:
        return None


def render_value(value: Any) -> str:
    """A value as an argument or variable: a string unchanged, else compact JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _whole(value: Any, schema: Schema) -> Any:
    """Convert 5.0 to 5 for a schema of type integer, as programs expect."""
    is_asked = isinstance(schema, dict) and schema.get("type") == "integer"
    if is_asked and isinstance(value, float) and value.is_integer():
        return int(value)
    return value


MAX_ARGUMENT = 128 * 1024
"""Bytes of one argument or variable including its end, on Linux (`MAX_ARG_STRLEN`)."""
MAX_COMMAND = 2_000_000  # Bytes of all arguments of a process, a little below the default of Linux.
_SURROGATE = "contains a lone surrogate, which no encoding can represent"


def text_fault(text: str) -> str:
    """Why a text cannot be an argument or variable; "" when it can."""
    if "\0" in text:
        return "contains a NUL character, which ends an argument"
    if not _is_unicode(text):
        return _SURROGATE
    size = len(text.encode()) + 1
    if size > MAX_ARGUMENT:
        return (
            f"has {size - 1:,} bytes, more than the {MAX_ARGUMENT - 1:,} of an argument; pass the "
            "path of a file, or let the program read its standard input"
        )
    return ""


def value_fault(value: Any) -> str:
    """Why a value cannot be written as JSON; "" when it can."""
    return "" if _is_unicode(json.dumps(value, ensure_ascii=False)) else _SURROGATE


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def dummy_text(name: str) -> str:
    """A generated text that is distinguishable from every real secret."""
    return f"skillstudio-dummy-{name}"


def dummy(name: str, schema: Schema) -> Any:
    """A generated value for a secret that fits its schema; ABSENT when none is found."""
    from skillstudio.schema.sample import samples

    text = dummy_text(name)
    validator = validator_of(schema)
    if validator is None or validator.is_valid(text):
        return text
    try:
        return next(islice(samples(schema, 1), 1), ABSENT)
    except SchemaRefused:
        return ABSENT


def mask_secrets(text: str, secrets: Iterable[str]) -> str:
    """A text with the secrets in it masked, longest first."""
    sorted_secrets = sorted(
        {secret for secret in secrets if len(secret) >= _SHORTEST}, key=len, reverse=True
    )
    for secret in sorted_secrets:
        text = text.replace(secret, SENSITIVE)
    return text
