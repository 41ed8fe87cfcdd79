"""Read TOML 1.0 with spans, to the end even if it is broken.

A broken line affects no other line, and its key is kept if it is readable.

A table is a `Mapping` whose span goes from the last key of its header to the end of its last value;
its entry's key is that same key. A table that is only part of another header has its key there; one
made by a dotted key spans the rest of that key and the value. Tables and arrays of tables are not
`flow`.
"""

from __future__ import annotations

import re

from skillstudio.text.node import (
    MAX_DEPTH,
    Document,
    Entry,
    Fault,
    Mapping,
    Missing,
    Node,
    Scalar,
    Sequence,
)
from skillstudio.text.reading.toml_values import read_bare, read_string
from skillstudio.text.source import BOM, Source, Span

_BLANK = re.compile(r"(?:[ \t\n]|\r\n)*")
_SPACE = re.compile(r"[ \t]*")
_COMMENT = re.compile(r"#[^\n]*")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_LINE_END = re.compile(r"[ \t]*(?:\r?\n|\Z)")
_LINE = re.compile(r"[^\n]*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_PAIR = re.compile(r"([A-Za-z0-9_-]+)[ \t]*=[ \t]*")
_STRING = re.compile(r'"([^"\\\x00-\x08\x0a-\x1f\x7f]+)"')
_ANY_KEY = r"(?:[A-Za-z0-9_-]+|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*')"
_KEYS = rf"{_ANY_KEY}(?:[ \t]*\.[ \t]*{_ANY_KEY})*"
_PAIR_LINE = re.compile(rf"{_KEYS}[ \t]*=")
_STATEMENT = re.compile(
    rf"\n[ \t]*(?={_KEYS}[ \t]*=|\[\[?[ \t]*(?=[A-Za-z_\"']){_KEYS}[ \t]*\]\]?[ \t]*(?:#|\r?\n|\Z))"
)


def read_toml(source: Source, span: Span, opening: Span | None = None) -> Document:
    """Read the part of a source that `span` covers as TOML."""
    reader = _TomlReader(source.text, span)
    root = reader.read()
    reader.faults.sort(key=lambda fault: fault.start)
    opening = opening or Span(span.start, span.start)
    return Document(source, "toml", span, root, reader.faults, opening)


class Table(Mapping):
    """A table, and how it was made: `root`, `header`, `implicit` (by the header of a subtable),
    `dotted` or `inline`.

    `places` are its name in each header and dotted key that leads to it, `names` its entries.
    """

    __slots__ = ("form", "names", "places")

    def __init__(self, start: int, end: int, form: str, flow: bool = False) -> None:
        super().__init__(start, end, [], flow)
        self.form = form
        self.names: dict[str, Entry] = {}
        self.places: list[Scalar] = []

    def add(self, key: Scalar, value: Node) -> None:
        self.names[key.value] = entry = Entry(key, value)
        self.entries.append(entry)


class _TomlReader:
    __slots__ = ("end", "faults", "is_broken", "pos", "reported_end", "root", "start", "text")

    def __init__(self, text: str, span: Span) -> None:
        self.text = text
        self.start, self.end = span
        self.pos = span.start
        self.faults: list[Fault] = []
        self.reported_end = -1
        self.is_broken = False
        self.root = Table(span.start, span.end, "root")

    def read(self) -> Table:
        text, end = self.text, self.end
        if self.pos == 0 and text.startswith(BOM, 0, end):
            self.pos = 1
        table = self.root
        while True:
            self.blank()
            pos = self.pos
            if pos >= end:
                return self.root
            self.is_broken = False
            if text[pos] == "[":
                table = self.header()
            else:
                self.pair(table, flow=False)
            if not self.is_broken:
                self.line_end(table)

    # Lines

    def line_end(self, table: Table) -> None:
        """Read the end of a line; only a comment may precede it."""
        line_break = _LINE_END.match(self.text, self.pos, self.end)
        if line_break:
            self.pos = line_break.end()
            return
        pos = self.skip(_SPACE, self.pos)
        if self.text[pos] == "#":
            self.pos = pos
            self.comment()
            return
        self.pos = self.rest(pos)
        self.fault(pos, self.pos, "unexpected text after the value")
        table.incomplete = True

    def rest(self, pos: int) -> int:
        """The end of a line's text."""
        line = _LINE.match(self.text, pos, self.end)
        return pos + len(line[0].removesuffix("\r")) if line else pos

    def blank(self) -> bool:
        """Skip white space and comments; True if a line ended."""
        start = self.pos
        while True:
            self.pos = pos = self.skip(_BLANK, self.pos)
            if pos < self.end and self.text[pos] == "#":
                self.comment()
            elif pos < self.end and self.text[pos] == "\r":
                self.fault(pos, pos + 1, "a carriage return alone does not end a line")
                self.pos += 1
            else:
                return self.text.find("\n", start, pos) >= 0

    def comment(self) -> None:
        end = self.skip(_COMMENT, self.pos)
        is_ended = end < self.end and self.text[end - 1] == "\r"
        control = _CONTROL.search(self.text, self.pos, end - is_ended)
        if control:
            message = f"a comment must not contain the control character U+{ord(control[0]):04X}"
            self.faults.append(Fault("control-character", message, *control.span()))
        self.pos = end

    def fault(
        self, start: int, end: int, message: str, title: str = "",
        edit: tuple[int, int, str] | None = None,
    ) -> None:  # fmt: skip
        """Report only the first fault of each line: later ones follow from it."""
        if start < self.reported_end:
            return
        self.reported_end = self.rest(start) + 1
        self.faults.append(
            Fault("syntax-toml", message, start, end, title, (edit,) if edit else ())
        )

    # Keys

    def header(self) -> Table:
        """Read `[a.b]` or `[[a.b]]`; return the table for the lines below."""
        text = self.text
        many = text.startswith("[[", self.pos, self.end)
        start = self.pos
        self.pos += 2 if many else 1
        keys = self.keys()
        closing_bracket = "]]" if many else "]"
        aside = Table(start, start, "header")
        if keys and text.startswith(closing_bracket, self.pos, self.end):
            self.pos += len(closing_bracket)
        else:
            end = self.rest(self.pos)
            self.fault(start, end, f"this table header needs a name and {closing_bracket}")
            self.root.incomplete = True
            self.pos = end
            if not keys:
                return aside
        return self.open_table(keys, many) or aside

    def keys(self) -> list[Scalar]:
        """The parts of a dotted key; empty if it is not fully readable."""
        keys: list[Scalar] = []
        while True:
            self.space()
            pos = self.pos
            char = self.text[pos : min(pos + 1, self.end)]
            if char in ("'", '"') and char:
                if self.text.startswith(char * 3, pos, self.end):
                    self.fault(pos, pos + 3, "a key must not be a multi-line string")
                count = len(self.faults)
                keys.append(read_string(self.text, pos, self.end, self.faults))
                if len(self.faults) > count:
                    self.reported_end = self.rest(pos) + 1
            else:
                bare = _BARE.match(self.text, pos, self.end)
                if not bare:
                    self.fault(pos, min(pos + 1, self.end), "expected a key")
                    return keys
                keys.append(Scalar(pos, bare.end(), bare[0], "bare"))
            self.pos = keys[-1].end
            self.space()
            if not self.text.startswith(".", self.pos, self.end):
                return keys
            self.pos += 1

    def space(self) -> None:
        self.pos = self.skip(_SPACE, self.pos)

    def skip(self, pattern: re.Pattern[str], pos: int) -> int:
        """The end of what a pattern matches at an offset."""
        match = pattern.match(self.text, pos, self.end)
        return match.end() if match else pos

    def pair(self, table: Table, flow: bool, depth: int = 0) -> None:
        """Read a key, its equals sign and its value."""
        text = self.text
        match = _PAIR.match(text, self.pos, self.end)
        if match:
            keys = [Scalar(self.pos, match.end(1), match[1], "bare")]
            self.pos = match.end()
        else:
            start = self.pos
            keys = self.keys()
            if not keys:
                table.incomplete = True
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
            equals = text.rindex("=", keys[-1].end, pos)
            self.fault(equals, equals + 1, "this key has no value")
            table.incomplete = True
            value = Missing(pos, pos)
        else:
            value = self.value(depth)
        self.assign(table, keys, value, flow)

    def equals(self, table: Table, keys: list[Scalar], flow: bool) -> None:
        """Report a key without its equals sign; the key is kept."""
        pos = self.pos
        table.incomplete = True
        if self.text.startswith(":", pos, self.end):
            self.fault(pos, pos + 1, "use = here", "Put =", (pos, pos + 1, " ="))
        else:
            self.fault(keys[0].start, keys[-1].end, "missing = and value after this key")
        self.assign(table, keys, Missing(pos, pos), flow)
        if not flow:
            self.pos = self.rest(pos)

    # Values

    def value(self, depth: int) -> Node:
        text, pos = self.text, self.pos
        char = text[pos]
        node: Node
        if char == '"':
            match = _STRING.match(text, pos, self.end)
            if match:
                self.pos = end = match.end()
                return Scalar(pos, end, match[1], "basic")
        if char in "[{":
            if depth >= MAX_DEPTH:
                message = f"arrays and tables are nested more than {MAX_DEPTH} levels deep"
                self.faults.append(Fault("nesting-too-deep", message, pos, pos + 1))
                self.pos = self.end
                self.is_broken = True
                return Missing(pos, pos + 1)
            return self.array(depth) if char == "[" else self.inline(depth)
        faults: list[Fault] = []
        read = read_string if char in "\"'" else read_bare
        node = read(text, pos, self.end, faults)
        if faults:
            self.faults += [
                fault
                for fault in faults
                if fault.rule != "syntax-toml" or fault.start >= self.reported_end
            ]
            if any(fault.rule == "syntax-toml" for fault in faults):
                self.reported_end = max(self.reported_end, self.rest(node.end) + 1)
        self.pos = node.end
        return node

    def array(self, depth: int) -> Sequence:
        text, start = self.text, self.pos
        node = Sequence(start, start + 1, [])
        before = len(self.faults)
        self.pos += 1
        comma = True
        while True:
            below = self.blank()
            pos = self.pos
            if pos >= self.end or text[pos] in "}=" or (below and _PAIR_LINE.match(text, pos)):
                self.abandon_bracket(node, before)
                return node
            char = text[pos]
            if char == "]":
                self.pos = node.end = pos + 1
                return node
            if char == ",":
                if comma:
                    edit = (pos, pos + 1, "")
                    self.fault(pos, pos + 1, "unexpected comma", "Remove it", edit)
                comma = True
                self.pos += 1
                continue
            if not comma:
                last = node.items[-1].end
                self.fault(last - 1, last, "missing comma", "Add it", (last, last, ","))
            item = self.value(depth + 1)
            node.items.append(item)
            node.end = item.end
            if self.is_broken:
                node.incomplete = True
                return node
            if self.pos == pos:
                self.pos = pos + 1
            comma = False

    def inline(self, depth: int) -> Table:
        """Read an inline table. TOML 1.0 requires one line and no trailing comma."""
        text, start = self.text, self.pos
        node = Table(start, start + 1, "inline", flow=True)
        before = len(self.faults)
        self.pos += 1
        comma = -1
        expects_pair = True
        newer: Fault | None = None
        while True:
            if self.blank() and newer is None:
                message = "a multi-line inline table is only valid in TOML 1.1"
                newer = Fault("syntax-toml-1.1", message, start, start + 1)
            pos = self.pos
            char = text[pos : min(pos + 1, self.end)]
            if char == "}":
                if newer:
                    self.faults.append(newer)
                if comma >= 0:
                    message = "a trailing comma in an inline table is only valid in TOML 1.1"
                    edit = (comma, comma + 1, "")
                    fault = Fault("syntax-toml-1.1", message, *edit[:2], "Remove it", (edit,))
                    self.faults.append(fault)
                self.pos = node.end = pos + 1
                return node
            if char == "," and not expects_pair:
                comma, expects_pair = pos, True
                self.pos += 1
                continue
            if expects_pair and char and char not in ",]=[{":
                self.pair(node, flow=True, depth=depth + 1)
                comma, expects_pair = -1, False
                if self.is_broken:
                    node.incomplete = True
                    return node
            if self.pos == pos:
                self.abandon_bracket(node, before)
                return node

    def abandon_bracket(self, node: Mapping | Sequence, before: int) -> None:
        """Give up an unclosed bracket, and go back to the next line that is valid on its own.

        `before` is the number of faults before the bracket: faults of lines that are read again are
        discarded.
        """
        start, text = node.start, self.text
        node.incomplete = True
        line = _STATEMENT.search(text, start, self.end)
        if line and line.end() <= self.pos:
            self.pos = pos = line.end()
            self.is_broken = True
            self.faults[before:] = [fault for fault in self.faults[before:] if fault.start < pos]
            self.reported_end = start
            if isinstance(node, Mapping):
                node.entries = [entry for entry in node.entries if entry.key.start < pos]
            else:
                node.items = [item for item in node.items if item.start < pos]
        elif self.pos >= self.end:
            self.is_broken = True
        node.end = max(start + 1, min(node.end, self.pos))
        stop = self.rest(start)
        if not any(start <= fault.start < stop for fault in self.faults[-3:]):
            message = f"unclosed {text[start]}"
            self.faults.append(Fault("syntax-toml", message, start, start + 1))
            self.reported_end = max(self.reported_end, stop + 1)

    # Tables

    def open_table(self, keys: list[Scalar], many: bool) -> Table | None:
        """The table that a header opens; None if the header is not allowed."""
        if len(keys) > MAX_DEPTH:
            self.too_deep(keys)
            return None
        table = self.root
        for key in keys[:-1]:
            inner = self.open_parent(table, key)
            if inner is None:
                return None
            table = inner
        return self.opened_last(table, keys[-1], many)

    def open_parent(self, table: Table, key: Scalar) -> Table | None:
        """A parent table in a header."""
        entry = table.names.get(key.value)
        if entry is None:
            inner: Node = Table(key.start, key.end, "implicit")
            table.add(key, inner)
        else:
            inner = entry.value
            if isinstance(inner, Sequence) and not inner.flow:
                inner = inner.items[-1]
        if not isinstance(inner, Table) or inner.form == "inline":
            self.duplicate(key, f"{key.value} is not a table that can be extended")
            return None
        inner.places.append(key)
        return inner

    def opened_last(self, table: Table, key: Scalar, many: bool) -> Table | None:
        """The table of the last key of a header."""
        new_table = Table(key.start, key.end, "header")
        new_table.places.append(key)
        entry = table.names.get(key.value)
        if entry is None:
            value = Sequence(key.start, key.end, [new_table], flow=False) if many else new_table
            table.add(key, value)
            return new_table
        node = entry.value
        if many and isinstance(node, Sequence) and not node.flow:
            node.items.append(new_table)
            node.end = key.end
            return new_table
        if not many and isinstance(node, Table) and node.form == "implicit":
            node.form = "header"
            node.start, node.end = key.start, key.end
            node.places.append(key)
            entry.key = key
            return node
        self.duplicate(key)
        return node if isinstance(node, Table) and node.form != "inline" else None

    def assign(self, table: Table, keys: list[Scalar], value: Node, flow: bool) -> None:
        """Assign a value to a key, through the tables of a dotted key."""
        if len(keys) > 1:
            if len(keys) > MAX_DEPTH:
                self.too_deep(keys)
                return
            for index, key in enumerate(keys[:-1]):
                entry = table.names.get(key.value)
                if entry is None:
                    inner: Node = Table(keys[index + 1].start, value.end, "dotted", flow)
                    table.add(key, inner)
                else:
                    inner = entry.value
                if not isinstance(inner, Table) or inner.form in ("header", "inline"):
                    self.duplicate(key, f"{key.value} cannot be extended with dotted keys")
                    return
                if inner.form == "implicit":
                    inner.form = "dotted"
                inner.places.append(key)
                table.end = max(table.end, value.end)
                table = inner
        key = keys[-1]
        if key.value in table.names:
            self.duplicate(key)
        table.add(key, value)
        if table.end < value.end:
            table.end = value.end

    def duplicate(self, key: Scalar, message: str = "") -> None:
        message = message or f"duplicate key {key.value}"
        self.faults.append(Fault("key-duplicate", message, key.start, key.end))

    def too_deep(self, keys: list[Scalar]) -> None:
        message = f"tables are nested more than {MAX_DEPTH} levels deep"
        first, last = keys[0], keys[-1]
        self.faults.append(Fault("nesting-too-deep", message, first.start, last.end))
