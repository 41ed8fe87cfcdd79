"""Find the fenced blocks of a Markdown text (CommonMark)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.source import Span


class Fence(NamedTuple):
    """A fenced block: its info string, the opening line, and the lines inside."""

    info: str
    opening_line: Span
    inner: Span
    is_closed: bool
    top_level: bool = True  # False inside a list item or a quotation.


_LINE = lazy_pattern(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_PLAIN = lazy_pattern(r"(?:[^\s\d`~<>#*+_-][^\r\n]*\r?\n)+")
"""Lines that only begin or continue a paragraph if no list is open."""
_FENCE = lazy_pattern(r"(`{3,}|~{3,})[ \t]*(.*?)[ \t]*$")
_ITEM = lazy_pattern(r"([-+*]|\d{1,9}[.)])(?=[ \t]|$)")
_RULE = lazy_pattern(r"(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_QUOTES = lazy_pattern(r">(?: {0,4}>)* ?")
_MOST_CONTAINERS = 100
"""Maximum number of list items and quotations that one line opens; deeper ones are text."""
_HEADING = lazy_pattern(r"#{1,6}(?:[ \t]|$)")
_HTML = (
    (lazy_pattern(r"<(?:script|pre|style|textarea)(?:[ \t>]|$)", re.I),
     lazy_pattern(r"</(?:script|pre|style|textarea)>", re.I)),
    (lazy_pattern(r"<!--"), lazy_pattern(r"-->")),
    (lazy_pattern(r"<\?"), lazy_pattern(r"\?>")),
    (lazy_pattern(r"<!\[CDATA\["), lazy_pattern(r"\]\]>")),
    (lazy_pattern(r"<![A-Za-z]"), lazy_pattern(r">")),
)  # fmt: skip
_BLANK = lazy_pattern(r"\A[ \t]*\Z")
_TAG_ALONE = lazy_pattern(
    r"(?:<[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s\"'=<>`]+|'[^']*'"
    r"|\"[^\"]*\"))?)*\s*/?>|</[A-Za-z][A-Za-z0-9-]*\s*>)[ \t]*$"
)
_HTML_BLOCK = lazy_pattern(
    r"</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd"
    r"|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]"
    r"|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup"
    r"|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)"
    r"(?:[ \t]|/?>|$)",
    re.I,
)


@lru_cache(maxsize=3)  # A check asks several times, a conversion a dozen times.
def fences(text: str, body: Span) -> tuple[Fence, ...]:
    """The fenced blocks in a span of a text, in order."""
    blocks: list[Fence] = []
    scanner = _Scanner()
    at = body.start
    until: re.Pattern[str] | None = None
    minimum, is_quoted, is_fence, marker = 0, False, False, ""
    while at < body.end:
        if until is None and not scanner.items:
            if plain := _PLAIN.match(text, at, body.end):
                scanner.paragraph = True
                at = plain.end()
                continue
        elif is_fence and until is not None and not minimum and not is_quoted:
            # No line before the next run of the fence's character can close it.
            near = text.find(marker, at, body.end)
            if near < 0:
                break
            at = max(text.rfind("\n", at, near), text.rfind("\r", at, near), at - 1) + 1
        line_match = _LINE.match(text, at)
        if line_match is None or line_match.end() == at:
            break
        line, next_start = line_match.group().rstrip("\r\n"), line_match.end()
        if until:
            inside = _inside(line, minimum, is_quoted)
            is_closed = inside is not None and until.search(inside) is not None
            if is_fence and (is_closed or inside is None):
                inner = Span(blocks[-1].inner.start, at)
                blocks[-1] = blocks[-1]._replace(inner=inner, is_closed=is_closed)
            if is_closed or inside is None:
                until = None
            if inside is not None:
                at = next_start
                continue
        rest, indent, is_nested = scanner.enter(line)
        fence = _FENCE.match(rest) if rest and indent < 4 and rest[0] in "`~" else None
        if fence and not (fence[1][0] == "`" and "`" in fence[2]):
            start = text.index(fence[1], at)
            opening = Span(start, at + len(line.rstrip()))
            inner = Span(next_start, body.end)
            blocks.append(Fence(fence[2], opening, inner, is_closed=False, top_level=not is_nested))
            minimum, is_quoted = scanner.container(line)
            until = re.compile(rf"\A(?! {{4}})\s*{fence[1][0]}{{{len(fence[1])},}}\s*\Z")
            is_fence, marker, scanner.paragraph = True, fence[1], False
        elif rest.startswith("<") and indent < 4:
            until, is_fence = _html_end(rest, scanner.paragraph), False
            minimum, is_quoted = scanner.container(line)
            scanner.paragraph = until is None
        elif rest:
            is_text = scanner.paragraph or indent < 4
            scanner.paragraph = is_text and not (_HEADING.match(rest) or _RULE.match(rest))
        at = next_start
    return tuple(blocks)


class _Scanner:
    """The open containers, line by line: list items by their indent, and quotations."""

    def __init__(self) -> None:
        self.items: list[int] = []
        self.paragraph = False

    def enter(self, line: str) -> tuple[str, int, bool]:
        """Remove the containers from a line: the rest, its indent within them, and whether it is
        inside any. Opens the list items that start on the line."""
        is_quoted = False
        rest = line.expandtabs(4)
        indent = len(rest) - len(rest.lstrip(" "))
        bare = rest.strip()
        if not bare:
            self.paragraph = False
            return "", 0, bool(self.items)
        lazy = self.paragraph and not _begins_block(bare)
        while self.items and indent < self.items[-1] and not lazy:
            self.items.pop()
            self.paragraph = False
        offset = min(self.items[-1], indent) if self.items else 0
        rest = rest[offset:]
        for _ in range(_MOST_CONTAINERS):
            inner = len(rest) - len(rest.lstrip(" "))
            content = rest[inner:]
            if inner > 3:
                break
            if marks := _QUOTES.match(content):
                is_quoted = True
                rest = content[marks.end() :]
                continue
            item = _ITEM.match(content)
            if not item or _RULE.match(content) or (self.paragraph and _no_interruption(content)):
                break
            after = content[item.end() :]
            gap = len(after) - len(after.lstrip(" "))
            width = item.end() + (gap if 1 <= gap <= 4 and after.strip() else 1)
            offset += inner + width
            if not is_quoted:
                self.items.append(offset)
            self.paragraph = False
            rest = content[width:]
        inner = len(rest) - len(rest.lstrip(" "))
        return rest[inner:].rstrip(), inner, is_quoted or bool(self.items)

    def container(self, line: str) -> tuple[int, bool]:
        """What a line needs to stay in the block that starts on this line: indent, or `>`."""
        bare = line.lstrip()
        is_quoted = bare.startswith(">") or bool(re.match(r"(?:[-+*]|\d{1,9}[.)])[ \t]+>", bare))
        return (self.items[-1] if self.items else 0), is_quoted


def _begins_block(bare: str) -> bool:
    return bool(
        bare[0] == ">"
        or _FENCE.match(bare)
        or _HEADING.match(bare)
        or _RULE.match(bare)
        or (_ITEM.match(bare) and not _no_interruption(bare))
    )


def _no_interruption(content: str) -> bool:
    """Whether a list item cannot interrupt a paragraph: it is empty, or a number other than 1."""
    item = _ITEM.match(content)
    if not item or not content[item.end() :].strip():
        return True
    return item.group()[0].isdigit() and item.group()[:-1] != "1"


def _html_end(rest: str, in_paragraph: bool) -> re.Pattern[str] | None:
    """The end of an HTML block that starts here, on a later line; None if there is none."""
    for begins, ends in _HTML:
        if begins.match(rest):
            return None if ends.search(rest, 2) else ends
    alone = not in_paragraph and _TAG_ALONE.match(rest)
    return _BLANK if alone or _HTML_BLOCK.match(rest) else None


def _inside(line: str, minimum: int, is_quoted: bool) -> str | None:
    """A line without the marks of its container; None if it is outside."""
    expanded_line = line.expandtabs(4)
    bare = expanded_line.lstrip(" ")
    if is_quoted:
        return bare.lstrip("> ") if bare.startswith(">") else None
    if bare and len(expanded_line) - len(bare) < minimum:
        return None
    return expanded_line[minimum:]
