"""Find values with TODO, which the author must fill in."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.node import Document, Scalar

TODO = "TODO: "  # The start of a drafted value that only the author can fill in.

_TODO_START = lazy_pattern(r"\s*\[?TODO(?::|\]|\s*\Z)")
_LONGEST = 60


def check_todos(document: Document) -> Iterator[Diagnostic]:
    """`todo-left` at each value that starts with `TODO:` or `[TODO`, or is that word alone."""
    if document.source.text.find("TODO", document.span.start, document.span.end) < 0:
        return
    for pointer, node in document.walk():
        if (
            isinstance(node, Scalar)
            and isinstance(node.value, str)
            and _TODO_START.match(node.value)
        ):
            note = node.value.replace("TODO", "", 1).strip(" :[]\r\n\t").split("\n")[0]
            note = note if len(note) <= _LONGEST else note[: _LONGEST - 1] + "…"
            message = f"TODO: {note}" if note else "TODO: fill in this value"
            yield Diagnostic("todo-left", message, node.span, pointer)
