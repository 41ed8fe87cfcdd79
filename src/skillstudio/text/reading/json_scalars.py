"""Read the strings, numbers, words and white space of JSON, with their faults."""

from __future__ import annotations

import re
from json import JSONDecodeError, dumps, loads

from skillstudio.text.node import LONG_INTEGER, Fault, Missing, Node, Scalar
from skillstudio.text.source import Span

SPACE = re.compile(r"[ \t\n\r]*")
STRING = re.compile(r'"([^"\\\x00-\x1f]*)"')
WORD = re.compile(r"[^ \t\n\r,:\[\]{}\"]+")
LINE_END = re.compile(r"\r\n|\n|\r")
WORDS: dict[str, object] = {"true": True, "false": False, "null": None}
_COMMENT = re.compile(r"//[^\n\r]*|#[^\n\r]*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)")
_CLOSED = re.compile(r'"(?:[^"\\\n\r]|\\[^\n\r])*"')
_SINGLE = re.compile(r"'((?:[^'\\\n\r]|\\[^\n\r])*)'")
_NUMBER = re.compile(
    r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][+-]?[0-9]+)?(?![^ \t\n\r,:\]}\[{\"'/#])"
)
_REST = re.compile(r"[^\n\r]*")
_PROSE_END = re.compile(
    r",(?=[ \t]*(?:[\"{\[\n\r]|-?[0-9]|(?:true|false|null)\b|\Z))"
    r"|[\]}](?=[ \t]*(?:[,\]}\n\r]|\Z))|[\n\r]|\Z"
)
"""The possible end of unquoted words: before valid JSON continues."""
_FOREIGN: dict[str, str] = {
    "True": "true", "TRUE": "true", "False": "false", "FALSE": "false",
    "None": "null", "Null": "null", "NULL": "null", "nil": "null", "undefined": "null",
}  # fmt: skip


class Scanner:
    """A position in a text, and the faults found so far."""

    __slots__ = ("end", "faults", "pos", "said", "start", "text")

    def __init__(self, text: str, span: Span) -> None:
        self.text = text
        self.start, self.end = span
        self.pos = span.start
        self.faults: list[Fault] = []
        self.said = -1

    def mark(self) -> None:
        """Mark the container of this place as incomplete."""

    def scalar(self, pos: int) -> Node:
        """A value without brackets, or a replacement for it."""
        text = self.text
        char = text[pos]
        if char == '"':
            return self.string(pos)
        number = _NUMBER.match(text, pos, self.end)
        if number:
            return self.number(number)
        if char == "'":
            return self.single(pos)
        word = WORD.match(text, pos, self.end)
        if not word:
            self.fault(pos, pos + 1, "expected a value")
            self.mark()
            return Missing(pos, pos)
        self.pos = end = word.end()
        if word[0] in WORDS:
            return Scalar(pos, end, WORDS[word[0]], "word")
        right = _FOREIGN.get(word[0])
        if right:
            self.fault(pos, end, f"write {right} in JSON", f"Write {right}", (pos, end, right))
            return Scalar(pos, end, WORDS[right], "word")
        if char in "-+.0123456789":
            message = "not a valid JSON number"
        elif word[0] in ("NaN", "Infinity"):
            message = f"{word[0]} is not valid in JSON"
        else:
            message = "not a JSON value; put a string in double quotes"
            found = _PROSE_END.search(text, end, self.end)
            end = found.start() if found else end
            self.pos = end = pos + len(text[pos:end].rstrip(" \t"))
        self.fault(pos, end, message)
        self.mark()
        return Missing(pos, end)

    def number(self, found: re.Match[str]) -> Node:
        start, end = found.span()
        self.pos = end
        value: int | float
        if found[2] is None and found[3] is None:
            if end - start > LONG_INTEGER:
                return self.too_large(start, end)
            value = int(found[1])
        else:
            value = float(found[0])
            if value in (float("inf"), float("-inf")):
                return self.too_large(start, end)
        return Scalar(start, end, value, "number")

    def too_large(self, start: int, end: int) -> Missing:
        self.fault(start, end, "this number is too large")
        return Missing(start, end)

    def string(self, pos: int) -> Scalar:
        """A string in double quotes; an unclosed one ends with its line."""
        text = self.text
        found = STRING.match(text, pos, self.end)
        if found:
            self.pos = end = found.end()
            return Scalar(pos, end, found[1], "double")
        closed = _CLOSED.match(text, pos, self.end)
        if not closed:
            self.pos = end = self.rest(pos + 1)
            self.fault(pos, end, "unclosed string", "Close it", (end, end, '"'))
            self.mark()
            return Scalar(pos, end, text[pos + 1 : end], "double")
        self.pos = end = closed.end()
        try:
            return Scalar(pos, end, loads(closed[0]), "double")
        except JSONDecodeError as error:
            at = pos + error.pos
            if text[at] < " ":
                written = dumps(text[at])[1:-1]
                self.faults.append(
                    Fault(
                        "control-character",
                        f"write this control character as {written}",
                        at, at + 1, f"Write {written}", ((at, at + 1, written),),
                    )
                )  # fmt: skip
            else:
                at = text.rfind("\\", pos, at + 1) if text[at] != "\\" else at
                self.fault(at, min(at + 2, end), "unknown escape in JSON")
            return Scalar(pos, end, text[pos + 1 : end - 1], "double")

    def single(self, pos: int) -> Scalar:
        """A string in single quotes, as in JavaScript and Python."""
        found = _SINGLE.match(self.text, pos, self.end)
        self.pos = end = found.end() if found else self.rest(pos + 1)
        inner = found[1].replace("\\'", "'") if found else self.text[pos + 1 : end]
        quoted = dumps(inner, ensure_ascii=False)
        self.fault(
            pos, end, "put the string in double quotes", "Use double quotes", (pos, end, quoted)
        )
        return Scalar(pos, end, inner, "single")

    def space(self) -> None:
        """Skip white space and comments; report the comments."""
        text, end = self.text, self.end
        while True:
            blank = SPACE.match(text, self.pos, end)
            self.pos = pos = blank.end() if blank else self.pos
            if pos >= end or text[pos] not in "/#":
                return
            found = _COMMENT.match(text, pos, end)
            if not found:
                return
            self.fault(
                pos, found.end(), "JSON does not allow comments", "Remove it", (*found.span(), "")
            )
            self.pos = found.end()

    def rest(self, pos: int) -> int:
        """The end of a line's text, before the commas and brackets that close it."""
        line = _REST.match(self.text, pos, self.end)
        return pos + len(line[0].rstrip(" \t,]}")) if line else pos

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
        if start < self.said:
            return
        line_end = LINE_END.search(self.text, start, self.end)
        self.said = line_end.end() if line_end else self.end + 1
        edits = (edit,) if edit else ()
        self.faults.append(Fault("syntax-json", message, start, end, title, edits))
