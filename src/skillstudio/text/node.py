"""The common tree of YAML, JSON and TOML documents.

Every node has a span. Values are those of JSON: mappings with string keys, lists, strings, numbers,
booleans and null. Broken texts have a tree too: unreadable values are `Missing`, and a mapping that
may lack keys for that reason is `incomplete`.

Classes with slots instead of dataclasses: a reader makes thousands of them for each keystroke.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from skillstudio.text.source import Source, Span

MANY_ENTRIES = 32  # Mappings with this many keys are indexed, because a file may contain 100,000.

MAX_DEPTH = 100  # The deepest nesting that is read, in every syntax.
MOST_REPORTED = 1000  # Of further faults in a document only the rule and the place are recorded.
MOST_LISTED = 10_000  # Keys of one mapping with a problem of their own; one more counts the rest.

LONG_INTEGER = 3500
"""Integers with more characters are not read: Python formats at most 4,300 decimal digits."""


class Node:
    """A value and its span from `start` to `end`, including quotes and brackets."""

    __slots__ = ("end", "start")

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


class Scalar(Node):
    """A string, number, boolean or null.

    `style`: `plain`, `single`, `double`, `literal` or `folded` in YAML; `double`, `number`, `word`
    (true, false, null) in JSON; `basic`, `literal`, `multi-basic`, `multi-literal`, `bare` (a key),
    `number`, `word`, `date` in TOML.
    """

    __slots__ = ("style", "value")

    def __init__(self, start: int, end: int, value: Any, style: str) -> None:
        # Without a call to the base class, because there are more scalars than all other nodes.
        self.start = start
        self.end = end
        self.value = value
        self.style = style


class Entry:
    """A key of a mapping with its value; `name` is the key as a string."""

    __slots__ = ("key", "name", "value")

    def __init__(self, key: Scalar, value: Node) -> None:
        self.key = key
        self.value = value
        self.name: str = key.value if type(key.value) is str else str(key.value)

    @property
    def start(self) -> int:
        return self.key.start

    @property
    def end(self) -> int:
        return max(self.value.end, self.key.end)


class Mapping(Node):
    """Keys with values in the order of the text, including duplicate keys."""

    __slots__ = ("_index", "entries", "flow", "incomplete")

    def __init__(self, start: int, end: int, entries: list[Entry], flow: bool = True) -> None:
        super().__init__(start, end)
        self.entries = entries
        self.flow = flow
        self.incomplete = False
        self._index: tuple[list[Entry], dict[str, Entry], int] | None = None

    def entry(self, name: str) -> Entry | None:
        """The entry of a key; for a duplicate key the last one, as in parsers."""
        if len(self.entries) > MANY_ENTRIES:
            return self._by_name().get(name)
        for entry in reversed(self.entries):
            if entry.name == name:
                return entry
        return None

    def get(self, name: str) -> Node | None:
        entry = self.entry(name)
        return entry.value if entry else None

    def _by_name(self) -> dict[str, Entry]:
        """The entries by name, updated if a reader has added some."""
        entries, index, count = self._index or (self.entries, {}, 0)
        if entries is not self.entries:
            index, count = {}, 0
        if count < len(self.entries):
            index.update((entry.name, entry) for entry in self.entries[count:])
            self._index = (self.entries, index, len(self.entries))
        return index


class Sequence(Node):
    """A list."""

    __slots__ = ("flow", "incomplete", "items")

    def __init__(self, start: int, end: int, items: list[Node], flow: bool = True) -> None:
        super().__init__(start, end)
        self.items = items
        self.flow = flow
        self.incomplete = False


class Alias(Node):
    """A YAML alias: its own span and its target (None if undefined)."""

    __slots__ = ("name", "target")

    def __init__(self, start: int, end: int, name: str, target: Node | None) -> None:
        super().__init__(start, end)
        self.name = name
        self.target = target


class Missing(Node):
    """A value that is unreadable or not typed yet."""

    __slots__ = ()


def resolve(node: Node | None) -> Node | None:
    """The node itself, or the target of an alias."""
    if type(node) is not Alias:
        return node
    for _ in range(100):
        if not isinstance(node, Alias):
            return node
        node = node.target
    return None


def to_value(node: Node | None, _open: frozenset[int] = frozenset()) -> Any:
    """The plain value: dicts, lists, scalars. `Missing` and recursive aliases are omitted."""
    if type(node) is Scalar:
        return node.value
    if type(node) is Alias:
        return to_value(resolve(node), _open)
    if node is None or id(node) in _open:
        return None
    inside = _open | {id(node)}
    if isinstance(node, Mapping):
        return {
            entry.name: value.value if type(value) is Scalar else to_value(value, inside)
            for entry in node.entries
            if type(value := entry.value) is Scalar or not isinstance(resolve(value), Missing)
        }
    if isinstance(node, Sequence):
        return [
            item.value if type(item) is Scalar else to_value(item, inside)
            for item in node.items
            if not isinstance(item, Missing)
        ]
    return None


def escape(key: str) -> str:
    """One token of a JSON Pointer (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1") if "~" in key or "/" in key else key


def split_pointer(pointer: str) -> list[str]:
    """The tokens of a JSON Pointer (RFC 6901). Raises ValueError if it does not start with /."""
    if pointer == "":
        return []
    if not pointer.startswith("/"):
        raise ValueError(f'a JSON Pointer starts with "/": {pointer!r}')
    return [_unescape(token) for token in pointer[1:].split("/")]


def _unescape(token: str) -> str:
    return token.replace("~1", "/").replace("~0", "~") if "~" in token else token


def join_pointer(tokens: Iterable[str | int]) -> str:
    return "".join("/" + escape(str(token)) for token in tokens)


class Document:
    """A parsed text: its tree and its faults.

    `span` is the part of the source that the syntax covers: the whole file, the lines between two
    `---`, or the lines within a fence. All spans are offsets into the whole source. `opening` is
    the span for problems of the whole document.
    """

    __slots__ = (
        "_containers",
        "_value",
        "faults",
        "opening_line",
        "root",
        "source",
        "span",
        "syntax",
    )

    def __init__(
        self,
        source: Source,
        syntax: str,
        span: Span,
        root: Node,
        faults: list[Fault],
        opening: Span | None = None,
    ) -> None:
        self.source = source
        self.syntax = syntax
        self.span = span
        self.root = root
        self.faults = faults
        self.opening_line = opening or Span(span.start, min(span.start + 1, span.end))
        self._value: list[Any] = []
        self._containers: dict[str, Node | None] = {}

    @property
    def value(self) -> Any:
        """The plain value of the tree, cached. Do not change it."""
        if not self._value:
            self._value.append(to_value(self.root))
        return self._value[0]

    def of(self, source: Source) -> Document:
        """The same document for another source with the same text."""
        twin = Document(
            source, self.syntax, self.span, self.root, [*self.faults], self.opening_line
        )
        twin._value = self._value
        return twin

    def at(self, pointer: str) -> Node | None:
        """The node at a JSON Pointer, through aliases, or None."""
        above, slash, token = pointer.rpartition("/")
        if not slash:
            split_pointer(pointer)
            return self.root
        token = _unescape(token)
        node = self._containers.get(above) or self._container(above)
        return node.get(token) if isinstance(node, Mapping) else child(node, token)

    def _container(self, pointer: str) -> Node | None:
        """The container at a pointer, cached for look-ups of its children."""
        containers = self._containers
        if pointer in containers:
            return containers[pointer]
        above, slash, last = pointer.rpartition("/")
        if above not in containers or not slash:
            # Lists have many items, each of which may be asked for.
            node: Node | None = self.root
            for token in split_pointer(pointer)[:-1]:
                node = child(resolve(node), token)
            containers[above] = resolve(node)
        if slash:
            containers[pointer] = resolve(child(containers[above], _unescape(last)))
        return containers[pointer]

    def key_span(self, pointer: str) -> Span | None:
        """The span of the last key of a JSON Pointer; None for the root and list items."""
        above, slash, token = pointer.rpartition("/")
        if not slash:
            return None
        parent = self._containers.get(above) or self._container(above)
        entry = parent.entry(_unescape(token)) if isinstance(parent, Mapping) else None
        return entry.key.span if entry else None

    def start(self, pointer: str, on_key: bool) -> int | None:
        """Where the value at a JSON Pointer begins, or the key that it ends in if there is one."""
        place = (self.key_span(pointer) if on_key else None) or self.at(pointer)
        return place.start if place else None

    def walk(self) -> Iterator[tuple[str, Node]]:
        """Every node with its JSON Pointer, parents first, each alias as a leaf."""
        stack: list[tuple[str, Node]] = [("", self.root)]
        while stack:
            pointer, node = stack.pop()
            yield pointer, node
            if isinstance(node, Mapping):
                stack += [
                    (f"{pointer}/{escape(entry.name)}", entry.value)
                    for entry in reversed(node.entries)
                ]
            elif isinstance(node, Sequence):
                stack += [
                    (f"{pointer}/{index}", item)
                    for index, item in reversed(list(enumerate(node.items)))
                ]


def child(node: Node | None, token: str) -> Node | None:
    """The child of a node for one token of a pointer."""
    if isinstance(node, Mapping):
        return node.get(token)
    if isinstance(node, Sequence) and token.isdecimal() and token.isascii():
        index = int(token)
        return node.items[index] if index < len(node.items) else None
    return None


class Fault:
    """A problem found by a reader: the rule's id, a message, a span.

    `edits` are splices that fix it, if the reader knows how; `title` describes them. `safe` if they
    change only the spelling of a value that no other place refers to.
    """

    __slots__ = ("edits", "end", "message", "rule", "safe", "start", "title")

    def __init__(
        self,
        rule: str,
        message: str,
        start: int,
        end: int,
        title: str = "",
        edits: tuple[tuple[int, int, str], ...] = (),
        safe: bool = False,
    ) -> None:
        self.rule = rule
        self.message = message
        self.start = start
        self.end = end
        self.title = title
        self.edits = edits
        self.safe = safe
