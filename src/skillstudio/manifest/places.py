"""Where the elements of an interface are stated, collected while a manifest is read."""

from __future__ import annotations

from skillstudio.interface.model import Place
from skillstudio.manifest.dialect import Manifest
from skillstudio.text.node import Mapping, Node, Sequence, escape, resolve


class Places:
    """The places of one document; `found` maps pointers into the interface to them."""

    def __init__(self, manifest: Manifest) -> None:
        self.found: dict[str, Place] = {}
        self._document = manifest.document
        self._path = manifest.path

    def key(self, element: str, pointer: str) -> None:
        """An element stands at the key that a JSON Pointer into the document ends in."""
        span = self._document.key_span(pointer)
        if span is None:
            self.value(element, pointer)
        else:
            self._put(element, span.start)

    def value(self, element: str, pointer: str) -> None:
        """An element stands at the value below a JSON Pointer into the document."""
        node = self._document.at(pointer)
        if node is not None:
            self._put(element, node.start)

    def entries(self, element: str, pointer: str) -> None:
        """The keys of a mapping are elements below an element."""
        node = resolve(self._document.at(pointer))
        if isinstance(node, Mapping):
            for entry in node.entries:
                self._put(f"{element}/{escape(entry.name)}", entry.key.start)

    def tree(self, element: str, pointer: str) -> None:
        """Every key and item below a value is an element below an element."""
        stack: list[tuple[str, Node | None]] = [(element, resolve(self._document.at(pointer)))]
        while stack:
            above, node = stack.pop()
            if isinstance(node, Mapping):
                for entry in node.entries:
                    at = f"{above}/{escape(entry.name)}"
                    self._put(at, entry.key.start)
                    stack.append((at, entry.value))
            elif isinstance(node, Sequence):
                for index, item in enumerate(node.items):
                    at = f"{above}/{index}"
                    self._put(at, item.start)
                    stack.append((at, item))

    def _put(self, element: str, offset: int) -> None:
        self.found[element] = Place(self._path, *self._document.source.position(offset))
