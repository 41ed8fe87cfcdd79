"""Printed fields compared with those that the manifest declares, and their types."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from skillstudio.dryrun.adopting.finding import (
    AdoptFinding,
    Case,
    below,
    not_declarable,
    suggestion,
)
from skillstudio.dryrun.judging.contract import ERROR, STATUS
from skillstudio.dryrun.traces.key import holds_mask
from skillstudio.interface.model import OutputField
from skillstudio.interface.wording import display_value
from skillstudio.manifest.secrets import looks_like_secret
from skillstudio.schema.engine import compile_schema
from skillstudio.schema.outcome import SchemaRefused
from skillstudio.text.diagnostic import Remove, Set

MOST = 200  # Fields to declare at most; an object with more new ones is a table.
_PRINTED_SENTENCE = "The run printed fields"
_WHY = ("printed in this run",)


def fields(case: Case) -> Iterator[AdoptFinding]:
    """Fields that are undeclared, have another type, or were declared and not printed."""
    value = case.report.contract.value
    if not isinstance(value, dict):
        return
    has_failed = value.get(STATUS) == ERROR or not case.has_succeeded
    declared_fields = {field.name: field for field in case.operation.fields}
    yield from _find_undeclared(case, value, has_failed)
    yield from _types(case, value)
    how = suggestion(case.dialect, "field-unobserved")
    if how.form and case.is_whole and not has_failed:
        for name in declared_fields.keys() - value.keys():
            sentence = (
                f"Remove the field {display_value(name)}: this run did not print it, but other "
                "runs may"
            )
            why = (f"declared as {display_value(declared_fields[name].text)}",)
            edit = Remove(_at(case, how.at, name))
            yield AdoptFinding(f"unobserved:field:{name}", sentence, why, (edit,))


def _find_undeclared(case: Case, value: dict[str, Any], has_failed: bool) -> Iterator[AdoptFinding]:
    how = suggestion(case.dialect, "field")
    declared_names = {field.name for field in case.operation.fields}
    new = [
        name for name in value if name not in declared_names and not (has_failed and name == ERROR)
    ]
    if not new:
        return
    if not how.form:
        if declared_names:
            yield not_declarable("field", _PRINTED_SENTENCE, new, how.cannot)
        return
    if len(new) > MOST:
        reason = f"an object with {len(new)} undeclared fields is a table, not a list of fields"
        yield not_declarable("field", _PRINTED_SENTENCE, new[:MOST], reason)
        return
    # A manifest without any declared field promises nothing about fields.
    is_fault = bool(declared_names)
    for name in new:
        if holds_mask(name) or looks_like_secret(name):
            reason = "its name contains a sensitive value; edit the manifest by hand"
            yield not_declarable("field:sensitive", "The run printed a field", (), reason)
            continue
        word = infer(value[name], name)
        sentence = f"Declare the field {display_value(name)} as {display_value(word)}"
        edit = Set(_at(case, how.at, name), word)
        yield AdoptFinding(f"field:{name}", sentence, _WHY, (edit,), is_preselected=is_fault)


def _types(case: Case, value: dict[str, Any]) -> Iterator[AdoptFinding]:
    how = suggestion(case.dialect, "field-type")
    for field in case.operation.fields:
        if not how.form or field.name not in value or not _is_other(field, value[field.name]):
            continue
        name, old = field.name, display_value(field.text)
        word = widen_type(field.text, value[name], name)
        as_word = f"as {display_value(word)}, the printed type, instead of {old}"
        edit = Set(_at(case, how.at, name), word)
        sentence = f"Declare the field {display_value(name)} {as_word}"
        yield AdoptFinding(f"field:{name}", sentence, _WHY, (edit,), is_preselected=True)


def _is_other(field: OutputField, value: Any) -> bool:
    if field.schema is None or holds_mask(value):
        return False
    try:
        return bool(compile_schema(field.schema).errors(value))
    except SchemaRefused:
        return False


def _at(case: Case, at: str, name: str) -> str:
    parts = [case.operation.name if part == "{operation}" else part for part in at.split("/")[1:]]
    return below("", *parts, name)


_ANY = "json"
_MOST = 8  # Keys of an object are listed up to this number.
_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,40}")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,30}")
_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", dict: "object"}


def infer(value: Any, name: str = "") -> str:
    """The type word of a value; `json` when it is null or masked."""
    if name == STATUS and value in ("ok", ERROR):
        return f"ok | {ERROR}"
    if value is None:
        return _ANY
    if isinstance(value, list):
        return _list(value)
    if not isinstance(value, dict) and holds_mask(value):
        return _ANY
    return _TYPES.get(type(value), _ANY)


def widen_type(text: str, value: Any, name: str = "") -> str:
    """A declared type widened to accept a value by one more word, else the value's own type."""
    new = infer(value, name)
    if {text, new} == {"integer", "number"}:
        return "number"
    if value is None:
        return f"{text} | null"
    words = [word.strip() for word in text.split("|")]
    if len(words) > 1 and "null" in words and text.count("|") == 1:
        return f"{new} | null"
    is_words = len(words) > 1 and all(_WORD.fullmatch(word) for word in words)
    if is_words and not set(words) & {*_TYPES.values(), "array", "null"}:
        is_word = isinstance(value, str) and _WORD.fullmatch(value)
        return f"{text} | {value}" if is_word and not looks_like_secret(value) else new
    return new


def _list(value: list[Any]) -> str:
    kinds = {infer(element) for element in value if not isinstance(element, dict)}
    if value and all(isinstance(element, dict) for element in value):
        keys = list(dict.fromkeys(key for element in value for key in element))
        if keys and len(keys) <= _MOST and all(map(_KEY.fullmatch, keys)):
            return f"array of {{{', '.join(keys)}}}"
        return "array of object"
    if kinds == {"integer", "number"}:
        kinds = {"number"}
    if (
        len(kinds) == 1
        and len(value) > 0
        and not any(isinstance(element, dict) for element in value)
    ):
        kind = kinds.pop()
        return f"array of {kind}" if kind in _TYPES.values() else "array"
    return "array"
