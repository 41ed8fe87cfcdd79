"""Read JSON with spans, to the end even if it is broken.

Only RFC 8259 is valid, but reading continues after a fault. If brackets do not pair, the text is
read again with the indentation deciding what belongs together, so that a half-typed line does not
hide the keys below it: a line that is not deeper than the line of an open bracket is outside it.
"""

from __future__ import annotations

import re
from json import JSONDecodeError, dumps, loads

from skillstudio.text.node import (
    LONG_INTEGER,
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
from skillstudio.text.source import BOM, Source, Span

_SPACE = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"([^"\\\x00-\x1f]*)"')
_WORD = re.compile(r"[^ \t\n\r,:\[\]{}\"]+")
_LINE_END = re.compile(r"\r\n|\n|\r")
_WORDS: dict[str, object] = {"true": True, "false": False, "null": None}
_COMMENT = re.compile(r"//[^\n\r]*|#[^\n\r]*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)")
_CLOSED_STRING = re.compile(r'"(?:[^"\\\n\r]|\\[^\n\r])*"')
_SINGLE = re.compile(r"'((?:[^'\\\n\r]|\\[^\n\r])*)'")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?(?![^ \t\n\r,:\]}\[{\"'/#])")
_PROSE_END = re.compile(
    r",(?=[ \t]*(?:[\"{\[\n\r]|-?[0-9]|(?:true|false|null)\b|\Z))"
    r"|[\]}](?=[ \t]*(?:[,\]}\n\r]|\Z))|[\n\r]|\Z"
)
"""The possible end of unquoted words: before valid JSON continues."""
_FOREIGN: dict[str, str] = {
    "True": "true", "TRUE": "true", "False": "false", "FALSE": "false",
    "None": "null", "Null": "null", "NULL": "null", "nil": "null", "undefined": "null",
}  # fmt: skip
_KEY = re.compile(r'"([^"\\\x00-\x1f]*)"[ \t\n\r]*:[ \t\n\r]*')
_PLAIN_MEMBER = re.compile(
    r'[ \t\n\r]*"([^"\\\x00-\x1f]*)"[ \t\n\r]*:[ \t\n\r]*(?:([\[{])|'
    r'(?:"([^"\\\x00-\x1f]*)"|(true|false|null)|(-?(?:0|[1-9][0-9]{0,15})))'
    r"[ \t\n\r]*(?:,|(?=\})))"
)
_PLAIN_ITEM = re.compile(r'[ \t\n\r]*"([^"\\\x00-\x1f]*)"[ \t\n\r]*(?:,|(?=\]))')
_ANY_KEY = re.compile(r'"(?:[^"\\\n\r]|\\.)*"[ \t]*:')
_NAME = re.compile(r"[^\W\d][\w$-]*|\$[\w$-]*")
_INDENT = re.compile(r"(?:\r\n|\n|\r)([ \t]*)([^ \t\n\r])")


def read_json(source: Source, span: Span, opening: Span | None = None) -> Document:
    """Read the part of a source that `span` covers as JSON."""
    reader = _JsonReader(source.text, span, by_indent=False)
    root = reader.read()
    if reader.is_unbalanced:
        reader = _JsonReader(source.text, span, by_indent=True)
        root = reader.read()
    reader.faults.sort(key=lambda fault: fault.start)
    if opening is None and isinstance(root, Mapping | Sequence):
        opening = Span(root.start, root.start + 1)
    return Document(source, "json", span, root, reader.faults, opening)


class _JsonFrame:
    """An open bracket.

    `indent` is that of its line, `inner` that of its first member on a separate line. `bracket` is
    False if the indentation shows a bracket that is missing in the text.
    """

    __slots__ = ("bracket", "comma", "indent", "inner", "last", "names", "node")

    def __init__(self, node: Mapping | Sequence, indent: int, bracket: bool) -> None:
        self.node = node
        self.indent = indent
        self.bracket = bracket
        self.inner = -1
        self.comma = -1
        self.last = -1
        self.names: set[str] = set()


class _JsonReader:
    """A position in a text, its open brackets, and the faults found so far."""

    __slots__ = (
        "by_indent",
        "end",
        "faults",
        "frames",
        "is_unbalanced",
        "pos",
        "reported_end",
        "start",
        "text",
    )

    def __init__(self, text: str, span: Span, by_indent: bool) -> None:
        self.text = text
        self.start, self.end = span
        self.pos = span.start
        self.by_indent = by_indent
        self.faults: list[Fault] = []
        self.reported_end = -1
        self.frames: list[_JsonFrame] = []
        self.is_unbalanced = False
        """Whether a bracket did not pair."""

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
            self.is_unbalanced = True
            self.fault(self.pos, self.rest(self.pos), "unexpected text after the end of the JSON")
        return root

    # Members of a bracket

    def member(self, frame: _JsonFrame, node: Mapping) -> None:
        """Read one key with its value, or the end of the object."""
        if not self.by_indent and self.plain_members(frame, node):
            return
        if not self.arrive(frame):
            return
        text, pos = self.text, self.pos
        match = _KEY.match(text, pos, self.end)
        if match:
            name = match[1]
            key = Scalar(pos, pos + len(name) + 2, name, "double")
            self.pos = match.end()
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
        lacks_colon = not match and not self.colon(key)
        if lacks_colon or self.lacks_value(key):
            node.incomplete = True
            at = key.end if lacks_colon else self.pos
            entry.value = self.without_bracket(key) or Missing(at, at)
            return
        entry.value = self.value()
        if frame is self.frames[-1]:
            self.after(frame)

    def item(self, frame: _JsonFrame, node: Sequence) -> None:
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

    def plain_members(self, frame: _JsonFrame, node: Mapping) -> bool:
        """Read simple members in one match each; True if the last of them opened a bracket."""
        if frame.last >= 0:
            return False
        text, end, entries, names = self.text, self.end, node.entries, frame.names
        while match := _PLAIN_MEMBER.match(text, self.pos, end):
            name, bracket, string, word, number = match.groups()
            start, stop = match.span(1)
            key = Scalar(start - 1, stop + 1, name, "double")
            if name in names:
                self.duplicate(key)
            names.add(name)
            value: Node
            if bracket:
                self.pos = at = match.start(2)
                if text.startswith("{},", at, end) and len(self.frames) < MAX_DEPTH:
                    entries.append(Entry(key, Mapping(at, at + 2, [])))
                    self.pos, frame.comma = at + 3, at + 2
                    continue
                frame.comma = -1
                entry = Entry(key, Missing(self.pos, self.pos))
                entries.append(entry)
                entry.value = self.value()
                return True
            if string is not None:
                start, stop = match.span(3)
                value = Scalar(start - 1, stop + 1, string, "double")
            elif word:
                start, stop = match.span(4)
                value = Scalar(start, stop, _WORDS[word], "word")
            else:
                start, stop = match.span(5)
                value = Scalar(start, stop, int(number), "number")
            entries.append(Entry(key, value))
            self.pos = stop = match.end()
            if text[stop - 1] != ",":
                frame.comma, frame.last = -1, value.end
                return False
            frame.comma = stop - 1
        return False

    def plain_items(self, frame: _JsonFrame, node: Sequence) -> None:
        if frame.last >= 0:
            return
        text, end, items = self.text, self.end, node.items
        while match := _PLAIN_ITEM.match(text, self.pos, end):
            start, stop = match.span(1)
            items.append(Scalar(start - 1, stop + 1, match[1], "double"))
            self.pos = match.end()
            if text[self.pos - 1] != ",":
                frame.comma, frame.last = -1, stop + 1
                return
            frame.comma = self.pos - 1

    def duplicate(self, key: Scalar) -> None:
        message = f"duplicate key {dumps(key.value)}"
        self.faults.append(Fault("key-duplicate", message, key.start, key.end))

    def arrive(self, frame: _JsonFrame) -> bool:
        """Go to the next member; False if there is none, or none is allowed here."""
        self.space()
        text, pos = self.text, self.pos
        if pos >= self.end:
            self.force_close(frame)
            return False
        char = text[pos]
        if char in "}]":
            self.close(frame, char)
            return False
        if self.by_indent and not self.check_indent(frame, pos):
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

    def junk(self, frame: _JsonFrame, pos: int) -> bool:
        """Skip text after a value on its line that is not a member."""
        text = self.text
        if _LINE_END.search(text, frame.last, pos) or text[pos] in "{[":
            return False
        if _ANY_KEY.match(text, pos, self.end):
            return False
        if frame.node.__class__ is Sequence and (_STRING.match(text, pos) or text[pos] not in '"'):
            return False
        end = self.rest(pos)
        self.fault(pos, end, "unexpected text between a value and its comma")
        frame.node.incomplete = True
        self.pos = end
        self.after(frame)
        return True

    # Keys and values

    def key(self, frame: _JsonFrame, node: Mapping) -> Scalar | None:
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
            string = dumps(name[0], ensure_ascii=False)
            self.fault(
                pos, self.pos, "put the key in double quotes", "Add quotes", (pos, self.pos, string)
            )
            return Scalar(pos, self.pos, name[0], "plain")
        node.incomplete = True
        self.fault(pos, pos + 1, "expected a key in double quotes")
        if char in "{[":
            self.value()
            return None
        word = _WORD.match(text, pos, self.end)
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
        if text.startswith("=", pos, self.end):
            self.fault(pos, pos + 1, "use a colon", "Replace with a colon", (pos, pos + 1, ":"))
            self.pos = pos + 1
            return True
        self.fault(key.start, key.end, "missing colon after this key")
        if pos >= self.end or text[pos] in ",}]" or _LINE_END.search(text, before, pos):
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
            if not _LINE_END.search(text, key.end, pos):
                return False
            if not _ANY_KEY.match(text, pos, self.end) and self.below(key) is None:
                return False
            self.is_unbalanced = True
            self.frames[-1].last = -1
        else:
            self.pos = before
            self.after(self.frames[-1])
        self.fault(key.start, key.end, "this key has no value")
        return True

    def value(self) -> Node:
        """Read a value; a list or an object is opened, and filled by the loop in `read`."""
        pos = self.pos
        char = self.text[pos]
        if char not in "{[":
            return self.scalar(pos)
        if len(self.frames) >= MAX_DEPTH:
            return self.too_deep(pos)
        node = Mapping(pos, pos, []) if char == "{" else Sequence(pos, pos, [])
        self.open(node)
        self.pos = pos + 1
        return node

    def too_deep(self, pos: int) -> Missing:
        """Stop reading: no manifest is this deep, but a hostile text may be."""
        message = f"arrays and objects are nested more than {MAX_DEPTH} levels deep"
        self.faults.append(Fault("nesting-too-deep", message, pos, pos + 1))
        self.by_indent = False
        for frame in self.frames:
            frame.node.incomplete = True
            frame.node.end = self.end
        self.frames[:] = [_JsonFrame(Sequence(pos, self.end, []), 0, False)]
        self.pos = self.end
        return Missing(pos, self.end)

    # Brackets

    def open(self, node: Mapping | Sequence, bracket: bool = True) -> None:
        self.frames.append(
            _JsonFrame(node, self.indent(node.start) if self.by_indent else 0, bracket)
        )

    def close(self, frame: _JsonFrame, char: str) -> None:
        """Read a closing bracket, which closes a frame or is unmatched."""
        pos = self.pos
        depth = self.closes(char, pos)
        if depth is None:
            self.is_unbalanced = True
            frame.node.incomplete = True
            message = f"unmatched {char}"
            self.fault(pos, pos + 1, message, "Remove it", (pos, pos + 1, ""))
            self.pos = pos + 1
            return
        while len(self.frames) > depth + 1:
            self.force_close(self.frames[-1])
        frame = self.frames[-1]
        comma = frame.comma
        if comma >= 0:
            message, edit = "JSON does not allow a trailing comma", (comma, comma + 1, "")
            self.fault(comma, comma + 1, message, "Remove it", edit)
        self.pos = frame.node.end = pos + 1
        self.pop()

    def closes(self, char: str, pos: int) -> int | None:
        """The frame that a closing bracket belongs to."""
        kind = Mapping if char == "}" else Sequence
        frames = self.frames
        if not self.by_indent:
            return len(frames) - 1 if frames[-1].node.__class__ is kind else None
        indent = self.indent(pos) if self.first_on_line(pos) else None
        least = 0 if indent is not None else max(len(frames) - 2, 0)
        for depth in range(len(frames) - 1, least - 1, -1):
            frame = frames[depth]
            if frame.node.__class__ is kind and indent in (None, frame.indent):
                return depth
        return None

    def force_close(self, frame: _JsonFrame) -> None:
        """Close a frame without a bracket in the text."""
        node = frame.node
        end = self.pos
        while end > node.start + 1 and self.text[end - 1] in " \t\r\n":
            end -= 1
        node.end = end
        node.incomplete = True
        self.is_unbalanced = True
        if frame.bracket:
            char = self.text[node.start]
            message = f"unclosed {char}"
            self.faults.append(Fault("syntax-json", message, node.start, node.start + 1))
        self.pop()

    def pop(self) -> None:
        self.frames.pop()
        if self.frames:
            self.after(self.frames[-1])

    def check_indent(self, frame: _JsonFrame, pos: int) -> bool:
        """Check a member's indentation; False if it belongs to another bracket."""
        if not self.first_on_line(pos):
            return True
        indent = self.indent(pos)
        is_below = _LINE_END.search(self.text, frame.node.start, pos) is not None
        if is_below and len(self.frames) > 1 and indent <= frame.indent:
            self.force_close(frame)
            return False
        if frame.inner < 0:
            frame.inner = indent
        elif indent > frame.inner:
            node = self.closed_below(pos, frame.inner)
            if node is None:
                frame.inner = indent
                return True
            self.fault(pos, self.rest(pos), "missing opening bracket before this line")
            frame.node.incomplete = True
            if isinstance(frame.node, Sequence):
                frame.node.items.append(node)
            self.enter(node, frame.inner)
            return False
        return True

    def without_bracket(self, key: Scalar) -> Node | None:
        """The value of a key with a missing opening bracket, if lines below show one."""
        node = self.below(key)
        if node is not None:
            self.pos = node.start
            self.enter(node, self.indent(key.start))
        return node

    def below(self, key: Scalar) -> Mapping | Sequence | None:
        """The container of deeper lines below a key, if a bracket at its depth closes them."""
        if not self.by_indent or not self.first_on_line(key.start):
            return None
        indent = self.indent(key.start)
        match = _INDENT.search(self.text, key.end, self.end)
        if match is None or len(match[1]) <= indent:
            return None
        return self.closed_below(match.start(2), indent)

    def enter(self, node: Mapping | Sequence, indent: int) -> None:
        node.incomplete = True
        if len(self.frames) < MAX_DEPTH:
            self.open(node, bracket=False)
            self.frames[-1].indent = indent

    def closed_below(self, pos: int, indent: int) -> Mapping | Sequence | None:
        """The container of the lines from `pos`, if the next line at `indent` closes it."""
        for line in _INDENT.finditer(self.text, pos, self.end):
            if len(line[1]) <= indent:
                if len(line[1]) < indent or line[2] not in "}]":
                    return None
                return Mapping(pos, pos, []) if line[2] == "}" else Sequence(pos, pos, [])
        return None

    def after(self, frame: _JsonFrame) -> None:
        """Read the comma after a member, or record that there was none."""
        end = self.pos
        space = _SPACE.match(self.text, end, self.end)
        pos = space.end() if space else end
        if self.text.startswith(",", pos, self.end):
            frame.comma = pos
            frame.last = -1
            self.pos = pos + 1
        else:
            frame.last = end

    def mark(self) -> None:
        if self.frames:
            self.frames[-1].node.incomplete = True

    # Strings, numbers, words and white space

    def scalar(self, pos: int) -> Node:
        """A value without brackets, or a replacement for it."""
        text = self.text
        char = text[pos]
        if char == '"':
            return self.string(pos)
        number = _NUMBER.match(text, pos, self.end)
        if number:
            self.pos = end = number.end()
            is_integer = number.lastindex is None and end - pos <= LONG_INTEGER
            value = int(number[0]) if is_integer else float(number[0])
            if value in (float("inf"), float("-inf")):
                self.fault(pos, end, "this number is too large")
                return Missing(pos, end)
            return Scalar(pos, end, value, "number")
        if char == "'":
            return self.single(pos)
        word = _WORD.match(text, pos, self.end)
        if not word:
            self.fault(pos, pos + 1, "expected a value")
            self.mark()
            return Missing(pos, pos)
        self.pos = end = word.end()
        if word[0] in _WORDS:
            return Scalar(pos, end, _WORDS[word[0]], "word")
        right = _FOREIGN.get(word[0])
        if right:
            self.fault(pos, end, f"write {right} in JSON", f"Write {right}", (pos, end, right))
            return Scalar(pos, end, _WORDS[right], "word")
        if char in "-+.0123456789":
            message = "not a valid JSON number"
        elif word[0] in ("NaN", "Infinity"):
            message = f"{word[0]} is not valid in JSON"
        else:
            message = "not a JSON value; put a string in double quotes"
            prose_end = _PROSE_END.search(text, end, self.end)
            end = prose_end.start() if prose_end else end
            self.pos = end = pos + len(text[pos:end].rstrip(" \t"))
        self.fault(pos, end, message)
        self.mark()
        return Missing(pos, end)

    def string(self, pos: int) -> Scalar:
        """A string in double quotes; an unclosed one ends with its line."""
        text = self.text
        match = _STRING.match(text, pos, self.end)
        if match:
            self.pos = end = match.end()
            return Scalar(pos, end, match[1], "double")
        closed_string = _CLOSED_STRING.match(text, pos, self.end)
        if not closed_string:
            self.pos = end = self.rest(pos + 1)
            self.fault(pos, end, "unclosed string", "Close it", (end, end, '"'))
            self.mark()
            return Scalar(pos, end, text[pos + 1 : end], "double")
        self.pos = end = closed_string.end()
        try:
            return Scalar(pos, end, loads(closed_string[0]), "double")
        except JSONDecodeError as error:
            at = pos + error.pos
            if text[at] < " ":
                escape = dumps(text[at])[1:-1]
                message = f"write this control character as {escape}"
                edits = ((at, at + 1, escape),)
                fault = Fault("control-character", message, at, at + 1, f"Write {escape}", edits)
                self.faults.append(fault)
            else:
                at = text.rfind("\\", pos, at + 1) if text[at] != "\\" else at
                self.fault(at, min(at + 2, end), "unknown escape in JSON")
            return Scalar(pos, end, text[pos + 1 : end - 1], "double")

    def single(self, pos: int) -> Scalar:
        """A string in single quotes, as in JavaScript and Python."""
        match = _SINGLE.match(self.text, pos, self.end)
        self.pos = end = match.end() if match else self.rest(pos + 1)
        inner = match[1].replace("\\'", "'") if match else self.text[pos + 1 : end]
        string = dumps(inner, ensure_ascii=False)
        self.fault(
            pos, end, "put the string in double quotes", "Use double quotes", (pos, end, string)
        )
        return Scalar(pos, end, inner, "single")

    def space(self) -> None:
        """Skip white space and comments; report the comments."""
        text, end = self.text, self.end
        while True:
            blank = _SPACE.match(text, self.pos, end)
            self.pos = pos = blank.end() if blank else self.pos
            if pos >= end or text[pos] not in "/#":
                return
            comment = _COMMENT.match(text, pos, end)
            if not comment:
                return
            self.fault(
                pos,
                comment.end(),
                "JSON does not allow comments",
                "Remove it",
                (*comment.span(), ""),
            )
            self.pos = comment.end()

    def rest(self, pos: int) -> int:
        """The end of a line's text, before the commas and brackets that close it."""
        line_end = _LINE_END.search(self.text, pos, self.end)
        end = line_end.start() if line_end else self.end
        return pos + len(self.text[pos:end].rstrip(" \t,]}"))

    def first_on_line(self, pos: int) -> bool:
        while pos > self.start and self.text[pos - 1] in " \t":
            pos -= 1
        return pos == self.start or self.text[pos - 1] in "\n\r"

    def indent(self, pos: int) -> int:
        """The indentation of the line of an offset, in characters."""
        text = self.text
        line = max(text.rfind("\n", self.start, pos), text.rfind("\r", self.start, pos)) + 1
        line = max(line, self.start)
        end = line
        while end < pos and text[end] in " \t":
            end += 1
        return end - line

    def fault(
        self, start: int, end: int, message: str, title: str = "",
        edit: tuple[int, int, str] | None = None,
    ) -> None:  # fmt: skip
        """Report only the first fault of each line: later ones follow from it."""
        if start < self.reported_end:
            return
        line_end = _LINE_END.search(self.text, start, self.end)
        self.reported_end = line_end.end() if line_end else self.end + 1
        edits = (edit,) if edit else ()
        self.faults.append(Fault("syntax-json", message, start, end, title, edits))
