"""TOML 1.0 with places, read to the end whatever is wrong with it.

A broken line costs that line and no other, and its key stays known where it can be read.

A table is a `Mapping` whose span goes from the last key of its header to the end of its last
value; its entry's key is that same key. A table that only stands in the header of another has
its key there; one that a dotted key makes spans the rest of that key and the value. Tables and
lists of tables are not `flow`.
"""

from __future__ import annotations

import re

from skillstudio.text.node import Document, Entry, Fault, Mapping, Missing, Node, Scalar, Sequence
from skillstudio.text.reading.toml_values import read_bare, read_string
from skillstudio.text.source import BOM, Source, Span

MAX_DEPTH = 100

_BLANK = re.compile(r"(?:[ \t\n]|\r\n)*+")
_SPACE = re.compile(r"[ \t]*")
_COMMENT = re.compile(r"#[^\n]*")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_LINE_END = re.compile(r"[ \t]*(?:\r?\n|\Z)")
_LINE = re.compile(r"[^\n]*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_PAIR = re.compile(r"([A-Za-z0-9_-]+)[ \t]*=[ \t]*")
_STRING = re.compile(r'"([^"\\\x00-\x08\x0a-\x1f\x7f]+)"')
_ANY_KEY = r"(?:[A-Za-z0-9_-]+|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*')"
_KEYS = rf"{_ANY_KEY}(?:[ \t]*\.[ \t]*{_ANY_KEY})*+"
_PAIR_LINE = re.compile(rf"{_KEYS}[ \t]*=")
_STATEMENT = re.compile(
    rf"\n[ \t]*(?={_KEYS}[ \t]*=|\[\[?[ \t]*(?=[A-Za-z_\"']){_KEYS}[ \t]*\]\]?[ \t]*(?:#|\r?\n|\Z))"
)


def read_toml(source: Source, span: Span, opening: Span | None = None) -> Document:
    """Read the part of a source that `span` covers as TOML."""
    reader = _Reader(source.text, span)
    root = reader.read()
    reader.faults.sort(key=lambda fault: fault.start)
    opening = opening or Span(span.start, span.start)
    return Document(source, "toml", span, root, reader.faults, opening)


class _Table:
    """What TOML's rules ask about a table: how it came to be, and what each key holds.

    `made` is `header`, `implicit` (by the header of a table within it), `dotted` or `inline`.
    A name maps to its entry and the table, the tables of a list, or None for any other value.
    """

    __slots__ = ("made", "names", "node")

    def __init__(self, node: Mapping, made: str) -> None:
        self.node = node
        self.made = made
        self.names: dict[str, tuple[Entry, _Table | list[_Table] | None]] = {}

    def add(self, key: Scalar, value: Node, inner: _Table | list[_Table] | None = None) -> Entry:
        entry = Entry(key, value)
        self.node.entries.append(entry)
        self.names[key.value] = (entry, inner)
        return entry


class _Reader:
    __slots__ = ("broken", "end", "faults", "pos", "root", "said", "start", "text")

    def __init__(self, text: str, span: Span) -> None:
        self.text = text
        self.start, self.end = span
        self.pos = span.start
        self.faults: list[Fault] = []
        self.said = -1
        self.broken = False
        self.root = _Table(Mapping(span.start, span.end, [], flow=False), "header")

    def read(self) -> Mapping:
        text, end = self.text, self.end
        if self.pos == 0 and text.startswith(BOM, 0, end):
            self.pos = 1
        table = self.root
        while True:
            self.blank()
            pos = self.pos
            if pos >= end:
                return self.root.node
            self.broken = False
            if text[pos] == "[":
                table = self.header()
            else:
                self.pair(table, flow=False)
            if not self.broken:
                self.line_end(table)

    # Lines

    def line_end(self, table: _Table) -> None:
        """Pass the end of a line; anything but a comment before it is a fault."""
        found = _LINE_END.match(self.text, self.pos, self.end)
        if found:
            self.pos = found.end()
            return
        space = _SPACE.match(self.text, self.pos, self.end)
        pos = space.end() if space else self.pos
        if self.text[pos] == "#":
            self.pos = pos
            self.comment()
            return
        self.pos = self.rest(pos)
        self.fault(pos, self.pos, "There is text after the end of the value")
        table.node.incomplete = True

    def rest(self, pos: int) -> int:
        """The end of a line's text."""
        line = _LINE.match(self.text, pos, self.end)
        return pos + len(line[0].rstrip("\r")) if line else pos

    def blank(self) -> bool:
        """Go to the next character that means something; True where a line ended before it."""
        start = self.pos
        while True:
            found = _BLANK.match(self.text, self.pos, self.end)
            self.pos = pos = found.end() if found else self.pos
            if pos < self.end and self.text[pos] == "#":
                self.comment()
            elif pos < self.end and self.text[pos] == "\r":
                self.fault(pos, pos + 1, "A carriage return alone does not end a line")
                self.pos += 1
            else:
                return self.text.find("\n", start, pos) >= 0

    def comment(self) -> None:
        found = _COMMENT.match(self.text, self.pos, self.end)
        if not found:
            return
        written = found[0]
        ended = found.end() < self.end
        control = _CONTROL.search(written[:-1] if ended and written.endswith("\r") else written)
        if control:
            at = self.pos + control.start()
            message = f"A comment cannot hold the control character U+{ord(control[0]):04X}"
            self.faults.append(Fault("control-character", message, at, at + 1))
        self.pos = found.end()

    def fault(
        self, start: int, end: int, message: str, title: str = "",
        edit: tuple[int, int, str] | None = None,
    ) -> None:  # fmt: skip
        """Report a fault, the first of each line: what follows it there is its consequence."""
        if start < self.said:
            return
        self.said = self.rest(start) + 1
        self.faults.append(
            Fault("syntax-toml", message, start, end, title, (edit,) if edit else ())
        )

    def duplicate(self, key: Scalar, message: str = "") -> None:
        message = message or f"The key {key.value} stands twice"
        self.faults.append(Fault("key-duplicate", message, key.start, key.end))

    # Keys

    def header(self) -> _Table:
        """Read `[a.b]` or `[[a.b]]`; the table that the lines below fill."""
        text = self.text
        many = text.startswith("[[", self.pos, self.end)
        start = self.pos
        self.pos += 2 if many else 1
        keys = self.keys()
        closing = "]]" if many else "]"
        aside = _Table(Mapping(start, start, [], flow=False), "header")
        if keys and text.startswith(closing, self.pos, self.end):
            self.pos += len(closing)
        else:
            end = self.rest(self.pos)
            self.fault(start, end, f"This table's header needs a name and {closing}")
            self.root.node.incomplete = True
            self.pos = end
            if not keys:
                return aside
        if len(keys) > MAX_DEPTH:
            self.too_deep(keys)
            return aside
        table = self.root
        for key in keys[:-1]:
            inner = self.passed(table, key)
            if inner is None:
                return aside
            table = inner
        return self.opened(table, keys[-1], many) or aside

    def passed(self, table: _Table, key: Scalar) -> _Table | None:
        """The table that a header names before its own."""
        slot = table.names.get(key.value)
        if slot is None:
            inner = _Table(Mapping(key.start, key.end, [], flow=False), "implicit")
            table.add(key, inner.node, inner)
            return inner
        found = slot[1]
        if isinstance(found, list):
            return found[-1]
        if found is None or found.made == "inline":
            self.duplicate(key, f"{key.value} is not a table that can be added to")
            return None
        return found

    def opened(self, table: _Table, key: Scalar, many: bool) -> _Table | None:
        """The table that a header opens."""
        made = _Table(Mapping(key.start, key.end, [], flow=False), "header")
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
        if not many and isinstance(found, _Table) and found.made == "implicit":
            found.made = "header"
            found.node.start, found.node.end = key.start, key.end
            entry.key = key
            return found
        self.duplicate(key)
        return found if isinstance(found, _Table) and found.made != "inline" else None

    def keys(self) -> list[Scalar]:
        """A key with the dots in it; empty where it cannot be read to its end."""
        keys: list[Scalar] = []
        while True:
            self.space()
            pos = self.pos
            char = self.text[pos : min(pos + 1, self.end)]
            if char in ("'", '"') and char:
                if self.text.startswith(char * 3, pos, self.end):
                    self.fault(pos, pos + 3, "A key cannot be a string of several lines")
                count = len(self.faults)
                keys.append(read_string(self.text, pos, self.end, self.faults))
                if len(self.faults) > count:
                    self.said = self.rest(pos) + 1
            else:
                bare = _BARE.match(self.text, pos, self.end)
                if not bare:
                    self.fault(pos, min(pos + 1, self.end), "A key must stand here")
                    return keys
                keys.append(Scalar(pos, bare.end(), bare[0], "bare"))
            self.pos = keys[-1].end
            self.space()
            if not self.text.startswith(".", self.pos, self.end):
                return keys
            self.pos += 1

    def space(self) -> None:
        found = _SPACE.match(self.text, self.pos, self.end)
        self.pos = found.end() if found else self.pos

    def too_deep(self, keys: list[Scalar]) -> None:
        message = f"Tables nest more than {MAX_DEPTH} deep here"
        first, last = keys[0], keys[-1]
        self.faults.append(Fault("nesting-too-deep", message, first.start, last.end))

    def pair(self, table: _Table, flow: bool, depth: int = 0) -> None:
        """Read a key, its equals sign and its value."""
        text = self.text
        found = _PAIR.match(text, self.pos, self.end)
        if found:
            keys = [Scalar(self.pos, found.end(1), found[1], "bare")]
            self.pos = found.end()
        else:
            start = self.pos
            keys = self.keys()
            if not keys:
                table.node.incomplete = True
                self.pos = self.rest(start) if not flow else self.pos
                return
            if not text.startswith("=", self.pos, self.end):
                self.equals(table, keys, flow)
                return
            self.pos += 1
            self.space()
        pos = self.pos
        value: Node
        if pos >= self.end or text[pos] in "\r\n#,}]":
            self.fault(keys[0].start, keys[-1].end, "This key has no value")
            table.node.incomplete = True
            value = Missing(pos, pos)
        else:
            value = self.value(depth)
        self.assign(table, keys, value, flow)

    def equals(self, table: _Table, keys: list[Scalar], flow: bool) -> None:
        """Report a key without its equals sign; the key stays known."""
        pos = self.pos
        table.node.incomplete = True
        if self.text.startswith(":", pos, self.end):
            self.fault(pos, pos + 1, "TOML has = here", "Put =", (pos, pos + 1, " ="))
        else:
            self.fault(keys[0].start, keys[-1].end, "= and a value are missing after this key")
        self.assign(table, keys, Missing(pos, pos), flow)
        if not flow:
            self.pos = self.rest(pos)

    def assign(self, table: _Table, keys: list[Scalar], value: Node, flow: bool) -> None:
        """Give a table the value of a key, through the tables that its dots make."""
        if len(keys) > 1:
            if len(keys) > MAX_DEPTH:
                self.too_deep(keys)
                return
            for index, key in enumerate(keys[:-1]):
                slot = table.names.get(key.value)
                if slot is None:
                    node = Mapping(keys[index + 1].start, value.end, [], flow=flow)
                    inner: _Table | list[_Table] | None = _Table(node, "dotted")
                    table.add(key, node, inner)
                else:
                    inner = slot[1]
                if not isinstance(inner, _Table) or inner.made in ("header", "inline"):
                    self.duplicate(key, f"{key.value} is not a table that dots can add to")
                    return
                if inner.made == "implicit":
                    inner.made = "dotted"
                table.node.end = max(table.node.end, value.end)
                table = inner
        key = keys[-1]
        if key.value in table.names:
            self.duplicate(key)
        holder = _Table(value, "inline") if isinstance(value, Mapping) else None
        table.add(key, value, holder)
        if table.node.end < value.end:
            table.node.end = value.end

    # Values

    def value(self, depth: int) -> Node:
        text, pos = self.text, self.pos
        char = text[pos]
        node: Node
        if char == '"':
            found = _STRING.match(text, pos, self.end)
            if found:
                self.pos = end = found.end()
                return Scalar(pos, end, found[1], "basic")
        if char in "[{":
            if depth >= MAX_DEPTH:
                message = f"Lists and tables nest more than {MAX_DEPTH} deep here"
                self.faults.append(Fault("nesting-too-deep", message, pos, pos + 1))
                self.pos = self.end
                self.broken = True
                return Missing(pos, pos + 1)
            return self.array(depth) if char == "[" else self.inline(depth)
        faults: list[Fault] = []
        if char in "\"'":
            node = read_string(text, pos, self.end, faults)
        else:
            node = read_bare(text, pos, self.end, faults)
        if faults:
            self.faults += [
                fault for fault in faults if fault.rule != "syntax-toml" or fault.start >= self.said
            ]
            if any(fault.rule == "syntax-toml" for fault in faults):
                self.said = max(self.said, self.rest(node.end) + 1)
        self.pos = node.end
        return node

    def array(self, depth: int) -> Sequence:
        text, start = self.text, self.pos
        node = Sequence(start, start + 1, [])
        self.pos += 1
        comma = True
        while True:
            below = self.blank()
            pos = self.pos
            if pos >= self.end or text[pos] in "}=" or (below and _PAIR_LINE.match(text, pos)):
                self.unclosed(node)
                return node
            char = text[pos]
            if char == "]":
                self.pos = node.end = pos + 1
                return node
            if char == ",":
                if comma:
                    edit = (pos, pos + 1, "")
                    self.fault(pos, pos + 1, "There is a comma too many", "Remove it", edit)
                comma = True
                self.pos += 1
                continue
            if not comma:
                last = node.items[-1].end
                self.fault(last - 1, last, "A comma is missing here", "Add it", (last, last, ","))
            item = self.value(depth + 1)
            node.items.append(item)
            node.end = item.end
            if self.broken:
                node.incomplete = True
                return node
            if self.pos == pos:
                self.pos = pos + 1
            comma = False

    def inline(self, depth: int) -> Mapping:
        """Read an inline table. TOML 1.0 wants it on one line and without a last comma."""
        text, start = self.text, self.pos
        node = Mapping(start, start + 1, [])
        table = _Table(node, "inline")
        self.pos += 1
        comma = -1
        ended = True
        newer: Fault | None = None
        while True:
            if self.blank() and newer is None:
                message = "An inline table of several lines is new in TOML 1.1"
                newer = Fault("syntax-toml-1.1", message, start, start + 1)
            pos = self.pos
            char = text[pos : min(pos + 1, self.end)]
            if char == "}":
                if newer:
                    self.faults.append(newer)
                if comma >= 0:
                    message = "A comma after the last key is new in TOML 1.1"
                    self.faults.append(
                        Fault("syntax-toml-1.1", message, comma, comma + 1, "Remove it",
                              ((comma, comma + 1, ""),))
                    )  # fmt: skip
                self.pos = node.end = pos + 1
                return node
            if char == "," and not ended:
                comma, ended = pos, True
                self.pos += 1
                continue
            if not ended or not char or char in ",]=[{":
                self.unclosed(node)
                return node
            self.pair(table, flow=True, depth=depth + 1)
            comma, ended = -1, False
            if self.broken:
                node.incomplete = True
                return node
            if self.pos == pos:
                self.unclosed(node)
                return node

    def unclosed(self, node: Mapping | Sequence) -> None:
        """Give up a bracket that is not closed, and go back to the next line that reads alone."""
        start, text = node.start, self.text
        node.incomplete = True
        line = _STATEMENT.search(text, start, self.end)
        if line and line.end() <= self.pos:
            self.pos = pos = line.end()
            self.broken = True
            self.faults = [fault for fault in self.faults if fault.start < pos]
            self.said = start
            if isinstance(node, Mapping):
                node.entries = [entry for entry in node.entries if entry.key.start < pos]
            else:
                node.items = [item for item in node.items if item.start < pos]
        elif self.pos >= self.end:
            self.broken = True
        node.end = max(start + 1, min(node.end, self.pos))
        stop = self.rest(start)
        if not any(start <= fault.start < stop for fault in self.faults[-3:]):
            message = f"This {text[start]} is not closed"
            self.faults.append(Fault("syntax-toml", message, start, start + 1))
            self.said = max(self.said, stop + 1)
