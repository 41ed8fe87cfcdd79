"""What an author left to be decided: values of a manifest that say TODO in place of a text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.node import Document, Scalar

TODO = "TODO: "
"""What a drafted value begins with where only the author can say what is meant."""

_LEFT = re.compile(r"\s*\[?TODO(?::|\]|\s*\Z)")
_LONGEST = 60


def check_todos(document: Document) -> Iterator[Diagnostic]:
    """`todo-left` at each value that begins with `TODO:` or `[TODO`, or is that word alone."""
    if document.source.text.find("TODO", document.span.start, document.span.end) < 0:
        return
    for pointer, node in document.walk():
        if isinstance(node, Scalar) and isinstance(node.value, str) and _LEFT.match(node.value):
            said = node.value.replace("TODO", "", 1).strip(" :[]\r\n\t").split("\n")[0]
            said = said if len(said) <= _LONGEST else said[: _LONGEST - 1] + "…"
            message = f"TODO: {said}" if said else "TODO: fill in this value"
            yield Diagnostic("todo-left", message, node.span, pointer)
