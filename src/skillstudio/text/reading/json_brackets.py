"""Track the open brackets of JSON, and find the one that a line belongs to.

If brackets pair, only they decide. Otherwise the indentation decides: a line that is not deeper
than the line of an open bracket is outside it.
"""

from __future__ import annotations

import re

from skillstudio.text.node import Fault, Mapping, Node, Scalar, Sequence
from skillstudio.text.reading.json_scalars import LINE_END, SPACE, Scanner
from skillstudio.text.source import Span

MAX_DEPTH = 100

_LINE = re.compile(r"(?:\r\n|\n|\r)([ \t]*)([^ \t\n\r])")


class Frame:
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


class Brackets(Scanner):
    """A scanner with open brackets; `unpaired` once one of them did not pair."""

    __slots__ = ("by_indent", "frames", "unpaired")

    def __init__(self, text: str, span: Span, by_indent: bool) -> None:
        super().__init__(text, span)
        self.by_indent = by_indent
        self.frames: list[Frame] = []
        self.unpaired = False

    def open(self, node: Mapping | Sequence, bracket: bool = True) -> None:
        self.frames.append(Frame(node, self.indent(node.start) if self.by_indent else 0, bracket))

    def close(self, frame: Frame, char: str) -> None:
        """Read a closing bracket, which closes a frame or is unmatched."""
        pos = self.pos
        depth = self.closes(char, pos)
        if depth is None:
            self.unpaired = True
            frame.node.incomplete = True
            message = f"unmatched {char}"
            self.fault(pos, pos + 1, message, "Remove it", (pos, pos + 1, ""))
            self.pos = pos + 1
            return
        while len(self.frames) > depth + 1:
            self.unclosed(self.frames[-1])
        frame = self.frames[-1]
        comma = frame.comma
        if comma >= 0:
            self.fault(
                comma, comma + 1, "JSON does not allow a trailing comma", "Remove it",
                (comma, comma + 1, ""),
            )  # fmt: skip
        self.pos = frame.node.end = pos + 1
        self.pop()

    def closes(self, char: str, pos: int) -> int | None:
        """The frame that a closing bracket belongs to."""
        kind = Mapping if char == "}" else Sequence
        frames = self.frames
        if not self.by_indent:
            return len(frames) - 1 if frames[-1].node.__class__ is kind else None
        if self.first_on_line(pos):
            indent = self.indent(pos)
            for depth in range(len(frames) - 1, -1, -1):
                if frames[depth].indent == indent and frames[depth].node.__class__ is kind:
                    return depth
            return None
        for depth in range(len(frames) - 1, max(len(frames) - 3, -1), -1):
            if frames[depth].node.__class__ is kind:
                return depth
        return None

    def unclosed(self, frame: Frame) -> None:
        """Close a frame without a bracket in the text."""
        node = frame.node
        end = self.pos
        while end > node.start + 1 and self.text[end - 1] in " \t\r\n":
            end -= 1
        node.end = end
        node.incomplete = True
        self.unpaired = True
        if frame.bracket:
            char = self.text[node.start]
            message = f"unclosed {char}"
            self.faults.append(Fault("syntax-json", message, node.start, node.start + 1))
        self.pop()

    def pop(self) -> None:
        self.frames.pop()
        if self.frames:
            self.after(self.frames[-1])

    def indented(self, frame: Frame, pos: int) -> bool:
        """Check a member's indentation; False if it belongs to another bracket."""
        if not self.first_on_line(pos):
            return True
        indent = self.indent(pos)
        own = LINE_END.search(self.text, frame.node.start, pos) is not None
        if own and len(self.frames) > 1 and indent <= frame.indent:
            self.unclosed(frame)
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
        found = _LINE.search(self.text, key.end, self.end)
        if found is None or len(found[1]) <= indent:
            return None
        return self.closed_below(found.start(2), indent)

    def enter(self, node: Mapping | Sequence, indent: int) -> None:
        node.incomplete = True
        if len(self.frames) < MAX_DEPTH:
            self.open(node, bracket=False)
            self.frames[-1].indent = indent

    def closed_below(self, pos: int, indent: int) -> Mapping | Sequence | None:
        """The container of the lines from `pos`, if the next line at `indent` closes it."""
        for line in _LINE.finditer(self.text, pos, self.end):
            if len(line[1]) <= indent:
                if len(line[1]) < indent or line[2] not in "}]":
                    return None
                return Mapping(pos, pos, []) if line[2] == "}" else Sequence(pos, pos, [])
        return None

    def after(self, frame: Frame) -> None:
        """Read the comma after a member, or record that there was none."""
        end = self.pos
        space = SPACE.match(self.text, end, self.end)
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
