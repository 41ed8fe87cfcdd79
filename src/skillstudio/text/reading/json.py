"""Read JSON with spans, to the end even if it is broken.

Only RFC 8259 is valid, but reading continues after a fault. If brackets do not pair, the text is
read again with the indentation deciding what belongs together, so that a half-typed line does not
hide the keys below it.
"""

from __future__ import annotations

import re
from json import dumps

from skillstudio.text.node import Document, Entry, Fault, Mapping, Missing, Node, Scalar, Sequence
from skillstudio.text.reading.json_brackets import MAX_DEPTH, Brackets, Frame
from skillstudio.text.reading.json_scalars import LINE_END, STRING, WORD, WORDS
from skillstudio.text.source import BOM, Source, Span

_KEY = re.compile(r'"([^"\\\x00-\x1f]*)"[ \t\n\r]*:[ \t\n\r]*')
_PLAIN_MEMBER = re.compile(
    r'[ \t\n\r]*"([^"\\\x00-\x1f]*)"[ \t\n\r]*:[ \t\n\r]*(?:([\[{])|'
    r'(?:"([^"\\\x00-\x1f]*)"|(true|false|null)|(-?(?:0|[1-9][0-9]{0,15})))'
    r"[ \t\n\r]*(?:,|(?=\})))"
)
_PLAIN_ITEM = re.compile(r'[ \t\n\r]*"([^"\\\x00-\x1f]*)"[ \t\n\r]*(?:,|(?=\]))')
_ANY_KEY = re.compile(r'"(?:[^"\\\n\r]|\\.)*"[ \t]*:')
_NAME = re.compile(r"[^\W\d][\w$-]*|\$[\w$-]*")


def read_json(source: Source, span: Span, opening: Span | None = None) -> Document:
    """Read the part of a source that `span` covers as JSON."""
    reader = _JsonReader(source.text, span, by_indent=False)
    root = reader.read()
    if reader.unpaired:
        reader = _JsonReader(source.text, span, by_indent=True)
        root = reader.read()
    reader.faults.sort(key=lambda fault: fault.start)
    if opening is None and isinstance(root, Mapping | Sequence):
        opening = Span(root.start, root.start + 1)
    return Document(source, "json", span, root, reader.faults, opening)


class _JsonReader(Brackets):
    __slots__ = ()

    def read(self) -> Node:
        if self.pos == 0 and self.text.startswith(BOM, 0, self.end):
            self.pos = 1
        self.space()
        if self.pos >= self.end:
            self.fault(self.end, self.end, "empty document; JSON needs a value")
            return Missing(self.pos, self.pos)
        root = self.value()
        frames = self.frames
        while frames:
            frame = frames[-1]
            if isinstance(frame.node, Mapping):
                self.member(frame, frame.node)
            else:
                self.item(frame, frame.node)
        self.space()
        if self.pos < self.end:
            self.unpaired = True
            self.fault(self.pos, self.rest(self.pos), "unexpected text after the end of the JSON")
        return root

    # Members of a bracket

    def member(self, frame: Frame, node: Mapping) -> None:
        """Read one key with its value, or the end of the object."""
        if not self.by_indent and self.plain_members(frame, node):
            return
        if not self.arrive(frame):
            return
        text, pos = self.text, self.pos
        found = _KEY.match(text, pos, self.end)
        if found:
            name = found[1]
            key = Scalar(pos, pos + len(name) + 2, name, "double")
            self.pos = found.end()
        else:
            slow = self.key(frame, node)
            if slow is None:
                return
            key, name = slow, slow.value
        if name in frame.names:
            self.duplicate(key)
        frame.names.add(name)
        entry = Entry(key, Missing(self.pos, self.pos))
        node.entries.append(entry)
        if not found and not self.colon(key):
            node.incomplete = True
            entry.value = self.without_bracket(key) or Missing(key.end, key.end)
            return
        if self.lacks_value(key):
            node.incomplete = True
            entry.value = self.without_bracket(key) or Missing(self.pos, self.pos)
            return
        entry.value = self.value()
        if frame is self.frames[-1]:
            self.after(frame)

    def item(self, frame: Frame, node: Sequence) -> None:
        """Read one item, or the end of the list."""
        if not self.by_indent:
            self.plain_items(frame, node)
        if not self.arrive(frame):
            return
        start = self.pos
        node.items.append(self.value())
        if frame is self.frames[-1]:
            if self.pos == start:
                node.items.pop()
                self.pos += 1
            self.after(frame)

    def plain_members(self, frame: Frame, node: Mapping) -> bool:
        """Read simple members, each with its comma, in one match.

        True if the last of them opened a bracket.
        """
        if frame.last >= 0:
            return False
        text, end, entries, names = self.text, self.end, node.entries, frame.names
        while found := _PLAIN_MEMBER.match(text, self.pos, end):
            name, bracket, string, word, number = found.groups()
            start, stop = found.span(1)
            key = Scalar(start - 1, stop + 1, name, "double")
            if name in names:
                self.duplicate(key)
            names.add(name)
            value: Node
            if bracket:
                self.pos = found.start(2)
                frame.comma = -1
                entry = Entry(key, Missing(self.pos, self.pos))
                entries.append(entry)
                entry.value = self.value()
                return True
            if string is not None:
                start, stop = found.span(3)
                value = Scalar(start - 1, stop + 1, string, "double")
            elif word:
                start, stop = found.span(4)
                value = Scalar(start, stop, WORDS[word], "word")
            else:
                start, stop = found.span(5)
                value = Scalar(start, stop, int(number), "number")
            entries.append(Entry(key, value))
            self.pos = stop = found.end()
            if text[stop - 1] != ",":
                frame.comma, frame.last = -1, value.end
                return False
            frame.comma = stop - 1
        return False

    def plain_items(self, frame: Frame, node: Sequence) -> None:
        if frame.last >= 0:
            return
        text, end, items = self.text, self.end, node.items
        while found := _PLAIN_ITEM.match(text, self.pos, end):
            start, stop = found.span(1)
            items.append(Scalar(start - 1, stop + 1, found[1], "double"))
            self.pos = found.end()
            if text[self.pos - 1] != ",":
                frame.comma, frame.last = -1, stop + 1
                return
            frame.comma = self.pos - 1

    def duplicate(self, key: Scalar) -> None:
        message = f"duplicate key {dumps(key.value)}"
        self.faults.append(Fault("key-duplicate", message, key.start, key.end))

    def arrive(self, frame: Frame) -> bool:
        """Go to the next member; False if there is none, or none is allowed here."""
        self.space()
        text, pos = self.text, self.pos
        if pos >= self.end:
            self.unclosed(frame)
            return False
        char = text[pos]
        if char in "}]":
            self.close(frame, char)
            return False
        if self.by_indent and not self.indented(frame, pos):
            return False
        if char == ",":
            self.fault(pos, pos + 1, "unexpected comma", "Remove it", (pos, pos + 1, ""))
            self.pos = pos + 1
            return False
        if frame.last >= 0:
            if self.junk(frame, pos):
                return False
            last = frame.last
            self.fault(last - 1, last, "missing comma", "Add it", (last, last, ","))
            frame.last = -1
        frame.comma = -1
        if char == ":":
            self.fault(pos, pos + 1, "missing key before the colon")
            frame.node.incomplete = True
            self.pos = pos + 1
            return False
        return True

    def junk(self, frame: Frame, pos: int) -> bool:
        """Skip text after a value on its line that is not a member."""
        text = self.text
        if LINE_END.search(text, frame.last, pos) or text[pos] in "{[":
            return False
        if _ANY_KEY.match(text, pos, self.end):
            return False
        if frame.node.__class__ is Sequence and (STRING.match(text, pos) or text[pos] not in '"'):
            return False
        end = self.rest(pos)
        self.fault(pos, end, "unexpected text between a value and its comma")
        frame.node.incomplete = True
        self.pos = end
        self.after(frame)
        return True

    # Keys and values

    def key(self, frame: Frame, node: Mapping) -> Scalar | None:
        """A key that is not a plain string followed by a colon."""
        text, pos = self.text, self.pos
        char = text[pos]
        if char == '"':
            return self.string(pos)
        if char == "'":
            return self.single(pos)
        name = _NAME.match(text, pos, self.end)
        if name:
            self.pos = name.end()
            quoted = dumps(name[0], ensure_ascii=False)
            self.fault(
                pos, self.pos, "put the key in double quotes", "Add quotes", (pos, self.pos, quoted)
            )
            return Scalar(pos, self.pos, name[0], "plain")
        node.incomplete = True
        self.fault(pos, pos + 1, "expected a key in double quotes")
        if char in "{[":
            self.value()
            return None
        word = WORD.match(text, pos, self.end)
        self.pos = word.end() if word else pos + 1
        self.after(frame)
        return None

    def colon(self, key: Scalar) -> bool:
        """Read the colon after a key; False if neither it nor a value follows."""
        before = self.pos
        self.space()
        text, pos = self.text, self.pos
        if text.startswith(":", pos, self.end):
            self.pos = pos + 1
            return True
        message = "missing colon after this key"
        if text.startswith("=", pos, self.end):
            self.fault(pos, pos + 1, "use a colon", "Replace with a colon", (pos, pos + 1, ":"))
            self.pos = pos + 1
            return True
        self.fault(key.start, key.end, message)
        if pos >= self.end or text[pos] in ",}]" or LINE_END.search(text, before, pos):
            frame = self.frames[-1]
            if pos < self.end and text[pos] not in ",}]":
                frame.last = -1
                self.pos = pos
            else:
                self.pos = before
                self.after(frame)
            return False
        return True

    def lacks_value(self, key: Scalar) -> bool:
        """Whether a comma, a bracket or the next line's key follows instead of a value."""
        before = self.pos
        self.space()
        text, pos = self.text, self.pos
        if pos < self.end and text[pos] not in ",}]":
            if not LINE_END.search(text, key.end, pos):
                return False
            if not _ANY_KEY.match(text, pos, self.end) and self.below(key) is None:
                return False
            self.unpaired = True
            self.frames[-1].last = -1
        else:
            self.pos = before
            self.after(self.frames[-1])
        self.fault(key.start, key.end, "this key has no value")
        return True

    def value(self) -> Node:
        """Read a value; a list or an object is opened, and filled by the loop in `read`."""
        text, pos = self.text, self.pos
        char = text[pos]
        if char == "{" or char == "[":
            if len(self.frames) >= MAX_DEPTH:
                return self.too_deep(pos)
            node = Mapping(pos, pos, []) if char == "{" else Sequence(pos, pos, [])
            self.open(node)
            self.pos = pos + 1
            return node
        return self.scalar(pos)

    def too_deep(self, pos: int) -> Missing:
        """Stop reading: no manifest is this deep, but a hostile text may be."""
        message = f"arrays and objects are nested more than {MAX_DEPTH} levels deep"
        self.faults.append(Fault("nesting-too-deep", message, pos, pos + 1))
        self.by_indent = False
        for frame in self.frames:
            frame.node.incomplete = True
            frame.node.end = self.end
        self.frames.clear()
        self.frames.append(Frame(Sequence(pos, self.end, []), 0, False))
        self.pos = self.end
        return Missing(pos, self.end)
