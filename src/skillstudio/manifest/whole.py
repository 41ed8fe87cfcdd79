"""Find the readable parts of a broken document, so that rules check only those."""

from __future__ import annotations

from skillstudio.text.node import Document, Mapping, Missing, Node, Sequence, resolve


def broken_lines(document: Document) -> frozenset[int]:
    """The lines with syntax faults."""
    if not document.faults:
        return frozenset()
    line_at = document.source.line_at
    return frozenset(
        [line_at(fault.start) for fault in document.faults if fault.rule.startswith("syntax-")]
    )


def is_whole(document: Document, pointer: str) -> bool:
    """Whether everything below a pointer is readable, so that missing keys are really missing."""
    if not document.faults:
        return True
    node = document.at(pointer)
    if node is None:
        root = resolve(document.root)
        return isinstance(root, Mapping) and not root.incomplete
    stack: list[Node | None] = [resolve(node)]
    while stack:
        node = stack.pop()
        if node is None or isinstance(node, Missing):
            return False
        if isinstance(node, Mapping | Sequence) and node.incomplete:
            return False
        if isinstance(node, Mapping):
            stack += [entry.value for entry in node.entries]
        elif isinstance(node, Sequence):
            stack += node.items
    return True
