"""Build the tables of TOML, and check the order of keys, headers and arrays of tables.

Spans are described in `toml`.
"""

from __future__ import annotations

from skillstudio.text.node import Entry, Fault, Mapping, Node, Scalar, Sequence

MAX_DEPTH = 100


class TomlTable:
    """The state of a table: how it was made, and the values of its keys.

    `made` is `header`, `implicit` (by the header of a subtable), `dotted` or `inline`. A name maps
    to its entry and the table, the tables of an array, or None for any other value.
    """

    __slots__ = ("made", "names", "node")

    def __init__(self, node: Mapping, made: str) -> None:
        self.node = node
        self.made = made
        self.names: dict[str, tuple[Entry, TomlTable | list[TomlTable] | None]] = {}

    def add(
        self, key: Scalar, value: Node, inner: TomlTable | list[TomlTable] | None = None
    ) -> Entry:
        entry = Entry(key, value)
        self.node.entries.append(entry)
        self.names[key.value] = (entry, inner)
        return entry


class Tables:
    """The tree of a document as it is built, and its faults."""

    __slots__ = ("faults", "root")

    def __init__(self, root: Mapping, faults: list[Fault]) -> None:
        self.root = TomlTable(root, "header")
        self.faults = faults

    def open(self, keys: list[Scalar], many: bool) -> TomlTable | None:
        """The table that a header opens; None if the header is not allowed."""
        if len(keys) > MAX_DEPTH:
            self._too_deep(keys)
            return None
        table = self.root
        for key in keys[:-1]:
            inner = self._passed(table, key)
            if inner is None:
                return None
            table = inner
        return self._opened(table, keys[-1], many)

    def _passed(self, table: TomlTable, key: Scalar) -> TomlTable | None:
        """A parent table in a header."""
        slot = table.names.get(key.value)
        if slot is None:
            inner = TomlTable(Mapping(key.start, key.end, [], flow=False), "implicit")
            table.add(key, inner.node, inner)
            return inner
        found = slot[1]
        if isinstance(found, list):
            return found[-1]
        if found is None or found.made == "inline":
            self._duplicate(key, f"{key.value} is not a table that can be extended")
            return None
        return found

    def _opened(self, table: TomlTable, key: Scalar, many: bool) -> TomlTable | None:
        """The table of the last key of a header."""
        made = TomlTable(Mapping(key.start, key.end, [], flow=False), "header")
        slot = table.names.get(key.value)
        if slot is None:
            if many:
                table.add(key, Sequence(key.start, key.end, [made.node], flow=False), [made])
            else:
                table.add(key, made.node, made)
            return made
        entry, found = slot
        if many and isinstance(found, list) and isinstance(entry.value, Sequence):
            entry.value.items.append(made.node)
            entry.value.end = key.end
            found.append(made)
            return made
        if not many and isinstance(found, TomlTable) and found.made == "implicit":
            found.made = "header"
            found.node.start, found.node.end = key.start, key.end
            entry.key = key
            return found
        self._duplicate(key)
        return found if isinstance(found, TomlTable) and found.made != "inline" else None

    def assign(self, table: TomlTable, keys: list[Scalar], value: Node, flow: bool) -> None:
        """Assign a value to a key, through the tables of a dotted key."""
        if len(keys) > 1:
            if len(keys) > MAX_DEPTH:
                self._too_deep(keys)
                return
            for index, key in enumerate(keys[:-1]):
                slot = table.names.get(key.value)
                if slot is None:
                    node = Mapping(keys[index + 1].start, value.end, [], flow=flow)
                    inner: TomlTable | list[TomlTable] | None = TomlTable(node, "dotted")
                    table.add(key, node, inner)
                else:
                    inner = slot[1]
                if not isinstance(inner, TomlTable) or inner.made in ("header", "inline"):
                    self._duplicate(key, f"{key.value} cannot be extended with dotted keys")
                    return
                if inner.made == "implicit":
                    inner.made = "dotted"
                table.node.end = max(table.node.end, value.end)
                table = inner
        key = keys[-1]
        if key.value in table.names:
            self._duplicate(key)
        holder = TomlTable(value, "inline") if isinstance(value, Mapping) else None
        table.add(key, value, holder)
        if table.node.end < value.end:
            table.node.end = value.end

    def _duplicate(self, key: Scalar, message: str = "") -> None:
        message = message or f"duplicate key {key.value}"
        self.faults.append(Fault("key-duplicate", message, key.start, key.end))

    def _too_deep(self, keys: list[Scalar]) -> None:
        message = f"tables are nested more than {MAX_DEPTH} levels deep"
        first, last = keys[0], keys[-1]
        self.faults.append(Fault("nesting-too-deep", message, first.start, last.end))
