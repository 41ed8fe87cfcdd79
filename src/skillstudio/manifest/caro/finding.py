"""Make diagnostics at a key or a value of a document."""

from __future__ import annotations

from skillstudio.manifest.values import pointer
from skillstudio.text.diagnostic import Diagnostic, Fix
from skillstudio.text.node import Document
from skillstudio.text.source import Span


def at_value(
    document: Document, rule: str, message: str, *keys: str | int, fixes: tuple[Fix, ...] = ()
) -> Diagnostic:
    """A diagnostic at the value below some keys."""
    where = pointer(*keys)
    node = document.at(where)
    return Diagnostic(rule, message, node.span if node else None, where, fixes)


def at_key(
    document: Document, rule: str, message: str, *keys: str | int, fixes: tuple[Fix, ...] = ()
) -> Diagnostic:
    """A diagnostic at the last of some keys."""
    where = pointer(*keys)
    span: Span | None = document.key_span(where)
    return Diagnostic(rule, message, span, where, fixes)
