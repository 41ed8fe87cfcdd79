"""Locate nodes in the lines of a YAML text, and detect its style."""

from __future__ import annotations

import re

from skillstudio.text.editing import EditRefused
from skillstudio.text.editing.yaml_writing import Style
from skillstudio.text.node import Alias, Document, Mapping, Missing, Node, Scalar, Sequence, child

LINE_END = re.compile(r"\r\n|\n|\r")
PROPERTY = re.compile(r"(?<![^\s:,\[{-])[&!]\S*")
_COMMENT_LINE = re.compile(r"[ \t]*#")


def find_holder(doc: Document, tokens: list[str]) -> Mapping | Sequence:
    """The container that the last token refers to, reached without an alias."""
    node: Node | None = doc.root
    shared = {id(alias.target) for _, alias in doc.walk() if isinstance(alias, Alias)}
    for token in tokens[:-1]:
        if id(node) in shared:
            break
        node = child(node, token)
        if isinstance(node, Alias):
            raise EditRefused(f"*{node.name} is an alias; edit the anchored value")
    if id(node) in shared:
        raise EditRefused("an alias refers to this value; the edit would change both")
    if not isinstance(node, Mapping | Sequence):
        raise EditRefused("no list or mapping here")
    return node


def refuse_shared(doc: Document, node: Node) -> None:
    """Refuse a node that an alias elsewhere refers to, wholly or in part."""
    for _, alias in doc.walk():
        if isinstance(alias, Alias) and alias.target is not None:
            inside = node.start <= alias.start < node.end
            if not inside and node.start <= alias.target.start < max(node.end, node.start + 1):
                raise EditRefused(f"*{alias.name} refers to this value; the edit would change both")


def place_in(token: str, count: int) -> int:
    if token in ("-", str(count)):
        return count
    if not (token.isascii() and token.isdecimal()) or int(token) > count:
        raise EditRefused(f"the list has no item {token}")
    return int(token)


def line_start_at(doc: Document, offset: int) -> int:
    text = doc.source.text
    found = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    return max(found, 1 if text.startswith("\ufeff") else 0)


def line_end_at(doc: Document, offset: int) -> int:
    """The end of the line's text."""
    found = LINE_END.search(doc.source.text, offset, doc.span.end)
    return found.start() if found else doc.span.end


def next_line_at(doc: Document, offset: int) -> int:
    found = LINE_END.search(doc.source.text, offset, doc.span.end)
    return found.end() if found else doc.span.end


def newline_at(doc: Document, offset: int) -> str:
    found = LINE_END.search(doc.source.text, offset)
    return found.group() if found else doc.source.newline


def column_of(doc: Document, offset: int) -> int:
    return offset - line_start_at(doc, offset)


def padding_below(doc: Document, offset: int) -> str:
    """The line break and padding before new text below an offset."""
    start = line_start_at(doc, offset)
    lead = doc.source.text[start:offset]
    return lead if not lead.strip(" ") else " " * len(lead)


def begins_line(doc: Document, offset: int) -> bool:
    return not doc.source.text[line_start_at(doc, offset) : offset].strip(" \t")


def with_properties(doc: Document, start: int, least: int) -> int:
    """The start of a value with its anchor and tag, not before `least`."""
    line = max(line_start_at(doc, start), least)
    found = PROPERTY.search(doc.source.text, line, start)
    return found.start() if found and "#" not in doc.source.text[line : found.start()] else start


def key_start(doc: Document, key: Scalar) -> int:
    """The start of a key on its line, including `? ` or an anchor."""
    start = line_start_at(doc, key.start)
    lead = re.search(r"(?:\?[ \t]+)?(?:[&!]\S*[ \t]+)*$", doc.source.text[start : key.start])
    return start + lead.start() if lead else key.start


def after_colon(doc: Document, holder: Mapping, key_end: int, value: Node) -> int:
    found = re.compile(r"\s*:").match(doc.source.text, key_end, max(value.start, key_end))
    if found:
        return found.end()
    if holder.flow or isinstance(value, Missing):
        return key_end
    raise EditRefused("this key has no colon")


def dashes_of(doc: Document, holder: Sequence) -> list[int]:
    """The offset of each item's dash."""
    column = column_of(doc, holder.start)
    text = doc.source.text
    found = [holder.start]
    dash = re.compile(r"(?:\n|\r)[ ]*(-)(?=[ \t\r\n]|\Z)")
    for item in holder.items[:-1]:
        at = max(item.end - 1, found[-1] + 1)
        match = dash.search(text, at)
        while match and column_of(doc, match.start(1)) != column:
            match = dash.search(text, match.end() - 1)
        if match is None:
            raise EditRefused("cannot find the dashes of the list items")
        found.append(match.start(1))
    return found


def with_comments(doc: Document, end: int, column: int) -> int:
    """The end of an entry with the comment lines directly below it that are deeper than
    `column`.

    Without such lines it is `end` itself, not the end of its line.
    """
    text = doc.source.text
    at = next_line_at(doc, end) if text[end - 1 : end] not in ("\r", "\n") else end
    while at < doc.span.end:
        line_end = line_end_at(doc, at)
        line = text[at:line_end]
        if not _COMMENT_LINE.match(line) or len(line) - len(line.lstrip(" ")) <= column:
            break
        end, at = line_end, next_line_at(doc, line_end)
    return end


def attached(doc: Document, start: int, least: int) -> int:
    """The start of the line at `start`, or of the comment lines directly above at its indent."""
    at = line_start_at(doc, start)
    column = start - at
    text = doc.source.text
    while at > max(least, doc.span.start):
        above = line_start_at(doc, at - (2 if text.startswith("\r\n", at - 2) else 1))
        line = text[above:at]
        lead = len(line) - len(line.lstrip(" "))
        if above < least or not _COMMENT_LINE.match(line) or lead != column:
            break
        at = above
    return at


def style_of(doc: Document, holder: Mapping | Sequence) -> Style:
    """Indents as in the document, those within `holder` first; quotes as in `holder`."""
    style = Style()
    own = list(_indents(doc, holder))
    found = own or [indent for _, node in doc.walk() for indent in _indents(doc, node)]
    steps = [step for kind, step in found if kind == "step" and step > 0]
    dashes = [step for kind, step in found if kind == "dash" and step >= 0]
    if not own or not dashes or not steps:
        every = [indent for _, node in doc.walk() for indent in _indents(doc, node)]
        steps = steps or [step for kind, step in every if kind == "step" and step > 0]
        dashes = dashes or [step for kind, step in every if kind == "dash" and step >= 0]
    style.step = steps[0] if steps else 2
    style.dash = dashes[0] if dashes else style.step
    values = holder.items if isinstance(holder, Sequence) else [e.value for e in holder.entries]
    quotes = {
        node.style for node in values if isinstance(node, Scalar) and isinstance(node.value, str)
    } - {"literal", "folded"}
    if len(quotes) == 1:
        style.quote = quotes.pop()
    elif not quotes and holder.flow and isinstance(holder, Mapping):
        style.quote = key_quote(holder)
    return style


def _indents(doc: Document, node: Node) -> list[tuple[str, int]]:
    if not isinstance(node, Mapping) or node.flow:
        return []
    found = []
    for entry in node.entries:
        value = entry.value
        if isinstance(value, Mapping | Sequence) and not value.flow:
            kind = "step" if isinstance(value, Mapping) else "dash"
            found.append((kind, column_of(doc, value.start) - column_of(doc, entry.key.start)))
    return found


def key_quote(holder: Mapping) -> str:
    styles = {entry.key.style for entry in holder.entries}
    return styles.pop() if len(styles) == 1 else ""
