"""Project a recipe to an operation: its parameters, requirements and confirmations."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from skillstudio.interface.model import ABSENT, Input, Operation, Term, token
from skillstudio.manifest.dialect import Manifest
from skillstudio.manifest.places import Places
from skillstudio.manifest.values import mapping, mappings, strings, text

LEVELS = {"auto": 0, "prompt": 1, "always": 2}
"""Confirmation levels, from least to most careful."""
_TYPES = frozenset(("string", "integer", "number", "boolean", "array"))


def recipe(part: Manifest, default_confirmation: str, places: Places) -> Operation | None:
    """The operation of one recipe file, or None if it has no id."""
    value = part.document.value
    id = text(value, "id")
    if not id:
        return None
    at = f"/operations/{token(id)}"
    places.value(at, "/id")
    places.key(f"{at}/description", "/description")
    return Operation(
        id,
        text(value, "description") or "",
        inputs=tuple(_inputs(value, at, places)),
        terms=(
            *_confirmations(value, default_confirmation, at, places),
            *_needs(value, at, places),
            *_triggers(value, at, places),
        ),
    )


def _inputs(value: Any, at: str, places: Places) -> Iterator[Input]:
    seen: set[str] = set()
    for where, given in mappings(value, "parameters"):
        name = text(given, "name")
        if not name or name in seen:
            continue
        seen.add(name)
        element = f"{at}/inputs/{token(name)}"
        places.tree(element, where)
        places.value(element, f"{where}/name")
        kind = text(given, "type") or "string"
        schema: dict[str, Any] = {"type": kind} if kind in _TYPES else {}
        pattern = text(given, "validation")
        places.key(f"{element}/schema", f"{where}/type")
        places.key(f"{element}/schema/type", f"{where}/type")
        if pattern is not None:
            places.key(f"{element}/schema/pattern", f"{where}/validation")
            schema["pattern"] = pattern
        default = given.get("default")
        yield Input(
            name,
            schema,
            given.get("required") is True,
            ABSENT if default is None else default,
            description=text(given, "description") or "",
        )


def _confirmations(value: Any, default: str, at: str, places: Places) -> Iterator[Term]:
    """The confirmation of each step, by the step's id, else its name, else its command."""
    seen: set[str] = set()
    for steps in ("steps", "rollback"):
        for where, step in mappings(value, steps):
            key = text(step, "id") or text(step, "name") or text(step, "command")
            own = text(step, "confirmation")
            said = own or default
            if key and key not in seen and said in LEVELS:
                seen.add(key)
                places.key(f"{at}/terms/recipe-confirmation/{token(key)}", f"{where}/confirmation")
                yield confirmation(said, key, inherited=not own)


def confirmation(said: str, key: str, inherited: bool = False) -> Term:
    """A confirmation level, one of `LEVELS`."""
    rank = LEVELS[said]
    return Term(
        "recipe-confirmation", rank, "order", key, shown=said, detail=True, inherited=inherited
    )


def _needs(value: Any, at: str, places: Places) -> Iterator[Term]:
    found: dict[str, dict[str, str]] = {"command_exists": {}, "env_set": {}}
    for where, each in mappings(value, "preconditions"):
        check = text(each, "check")
        if check in found:
            found[check].update((item, where + below) for below, item in strings(each, "args"))
    for check, name in (("command_exists", "recipe-command"), ("env_set", "recipe-variable")):
        yield from places.set_term(name, found[check], "/preconditions", f"{at}/terms")


def _triggers(value: Any, at: str, places: Places) -> Iterator[Term]:
    found: dict[str, str] = {}
    for where, each in mappings(value, "triggers"):
        for below, item in strings(each, "keywords"):
            found[f"keyword: {item}"] = where + below
        intent, context = text(each, "intent"), mapping(each, "context")
        if intent:
            found[f"intent: {intent}"] = f"{where}/intent"
        if context:
            shown = json.dumps(context, sort_keys=True, ensure_ascii=False)
            found[f"context: {shown}"] = f"{where}/context"
    return places.set_term("recipe-trigger", found, "/triggers", f"{at}/terms")
