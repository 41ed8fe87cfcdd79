"""Make diagnostics at a key or a value of a document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from skillstudio.manifest.values import text
from skillstudio.text.diagnostic import Diagnostic, Fix, Remove, Severity
from skillstudio.text.node import Document


def at_value(
    document: Document,
    pointer: str,
    rule: str,
    message: str,
    fixes: tuple[Fix, ...] = (),
    severity: Severity | None = None,
) -> Diagnostic:
    """A diagnostic at the value of a JSON Pointer."""
    node = document.at(pointer)
    return Diagnostic(rule, message, node.span if node else None, pointer, fixes, severity)


def at_key(
    document: Document, pointer: str, rule: str, message: str, fixes: tuple[Fix, ...] = ()
) -> Diagnostic:
    """A diagnostic at the last key of a JSON Pointer."""
    return Diagnostic(rule, message, document.key_span(pointer), pointer, fixes)


def default_on_required(document: Document, default: str, *fixes: Fix) -> Diagnostic:
    """`default-on-required` at the JSON Pointer of a default."""
    message = "`required` has no effect: calls that omit this input get its default"
    remove = Fix("Remove the default", (Remove(default),))
    return at_value(document, default, "default-on-required", message, (*fixes, remove))


def duplicate_names(
    document: Document, items: Iterable[tuple[str, dict[str, Any]]], key: str, what: str
) -> Iterator[Diagnostic]:
    """`name-duplicate` at each name of an item, given with its pointer, that an earlier one has."""
    seen_names: set[str] = set()
    for where, item in items:
        name = text(item, key)
        if name in seen_names:
            yield at_value(document, f"{where}/{key}", "name-duplicate", f"duplicate {what} {name}")
        if name is not None:
            seen_names.add(name)
