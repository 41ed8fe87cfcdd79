"""The places of an interface's elements in documents, looked up on demand."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping
from typing import Any, NamedTuple

from skillstudio.interface.model import Place, Term, token
from skillstudio.manifest.dialect import Manifest
from skillstudio.text.node import Document, Node, Sequence, escape, resolve
from skillstudio.text.node import Mapping as MappingNode


class _Statement(NamedTuple):
    document: Document
    path: str
    pointer: str  # Into the document.
    is_key: bool = True
    """Whether the element is at the last key of the pointer rather than at its value."""

    def place(self, below: str = "") -> Place | None:
        start = self.document.start(self.pointer + below, self.is_key)
        if start is None:
            return None
        return Place(self.path, *self.document.source.position(start))


class Places(Mapping[str, Place]):
    """Pointers into an interface, mapped to places in documents."""

    def __init__(self, manifest: Manifest | None = None) -> None:
        self._manifest = manifest
        self._statements: dict[str, list[_Statement]] = {}
        self._trees: dict[str, list[_Statement]] = {}

    def key(self, element: str, pointer: str) -> None:
        """Map an element to the key at the end of a JSON Pointer."""
        self._add(self._statements, element, pointer)

    def value(self, element: str, pointer: str) -> None:
        """Map an element to the value at a JSON Pointer."""
        self._add(self._statements, element, pointer, False)

    def tree(self, element: str, pointer: str) -> None:
        """Map all keys and items below a value to elements below an element."""
        self._add(self._trees, element, pointer)

    def text_term(
        self, name: str, text: str | None, pointer: str, key: str = "", above: str = "/terms"
    ) -> Iterator[Term]:
        """A term with the text at a key; none without a text."""
        if text:
            self.key(f"{above}/{name}" + (f"/{token(key)}" if key else ""), pointer)
            yield Term(name, text, "text", key)

    def set_term(
        self, name: str, items: Mapping[str, str], pointer: str, above: str = "/terms"
    ) -> Iterator[Term]:
        """A term with the items of the list at a key, each with its pointer; none without items."""
        if items:
            self.key(f"{above}/{name}", pointer)
            for item, where in items.items():
                self.value(f"{above}/{name}/{token(item)}", where)
            yield Term(name, tuple(items), "set")

    def add(self, other: Places) -> None:
        """Add the places of other documents; existing places take precedence."""
        for index, other_index in (
            (self._statements, other._statements),
            (self._trees, other._trees),
        ):
            for element, statements in other_index.items():
                index.setdefault(element, []).extend(statements)

    def copy(self, element: str, other: Places, of: str) -> None:
        """Give an element the places of another one."""
        self._statements.setdefault(element, []).extend(other._statements.get(of, ()))

    def pointers(self, element: str) -> list[tuple[Document, str]]:
        """The JSON Pointers of an element in documents, whether they exist or not."""
        return [
            (statement.document, statement.pointer + below)
            for statement, below in self._candidates(element, element)
        ]

    def __getitem__(self, element: str) -> Place:
        place = self._find(element)
        if place is None:
            raise KeyError(element)
        return place

    def get(self, element: str, default: Any = None) -> Any:
        """The place of an element, else the default; without an exception, which takes long."""
        return self._find(element) or default

    def __contains__(self, element: object) -> bool:
        return isinstance(element, str) and self._find(element) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self.everything())

    def __len__(self) -> int:
        return len(self.everything())

    def items(self) -> ItemsView[str, Place]:
        return self.everything().items()

    def everything(self) -> dict[str, Place]:
        """All places at once, which is many times faster than one by one."""
        places: dict[str, Place] = {}
        for element, statements in self._statements.items():
            for statement in statements:
                if (place := statement.place()) is not None:
                    places[element] = place
                    break
        for element, statements in self._trees.items():
            for statement in statements:
                for below, place in _below(element, statement):
                    places.setdefault(below, place)
        return places

    def _add(
        self, index: dict[str, list[_Statement]], element: str, pointer: str, is_key: bool = True
    ) -> None:
        if self._manifest is not None:
            document, path = self._manifest.document, self._manifest.path
            index.setdefault(element, []).append(_Statement(document, path, pointer, is_key))

    def _find(self, element: str) -> Place | None:
        for statement, below in self._candidates(element, element.rpartition("/")[0]):
            if (place := statement.place(below)) is not None:
                return place
        return None

    def _candidates(self, element: str, above: str) -> Iterator[tuple[_Statement, str]]:
        """The statements of an element, then those of trees from `above` upwards, with the rest."""
        yield from ((statement, "") for statement in self._statements.get(element, ()))
        while above:
            yield from (
                (statement, element[len(above) :]) for statement in self._trees.get(above, ())
            )
            above = above.rpartition("/")[0]


def _below(element: str, statement: _Statement) -> Iterator[tuple[str, Place]]:
    document, path, pointer, _ = statement
    position = document.source.position
    stack: list[tuple[str, Node | None]] = [(element, resolve(document.at(pointer)))]
    while stack:
        above, node = stack.pop()
        if isinstance(node, MappingNode):
            for entry in node.entries:
                below = f"{above}/{escape(entry.name)}"
                yield below, Place(path, *position(entry.key.start))
                stack.append((below, entry.value))
        elif isinstance(node, Sequence):
            for index, item in enumerate(node.items):
                below = f"{above}/{index}"
                yield below, Place(path, *position(item.start))
                stack.append((below, item))
