"""Edits of YAML as splices, in the style of the lines around them.

A comment belongs to the key or item on its own line, and to the one right below a line of
nothing but comment at the same indent; with it, it is removed. All other comments and blank
lines stay. What an alias refers to is not edited: that would change another value too.
"""

from __future__ import annotations

import re
from typing import Any

from skillstudio.text.diagnostic import Splice
from skillstudio.text.editing import EditRefused
from skillstudio.text.editing.yaml_writing import (
    Style,
    is_leaf,
    write_block,
    write_block_scalar,
    write_entry,
    write_flow,
    write_item,
    write_key,
    write_scalar,
)
from skillstudio.text.node import Alias, Document, Mapping, Missing, Node, Scalar, Sequence, child

_LINE_END = re.compile(r"\r\n|\n|\r")
_PROPERTY = re.compile(r"(?<![^\s:,\[{-])[&!]\S*")
_COMMENT_LINE = re.compile(r"[ \t]*#")


def set_value(doc: Document, tokens: list[str], value: Any) -> list[Splice]:
    """Give a value; a missing key is added, and `-` or the index past the end appends."""
    if not tokens:
        return _set_root(doc, value)
    holder = _holder(doc, tokens)
    last = tokens[-1]
    if isinstance(holder, Mapping):
        entry = holder.entry(last)
        if entry is None:
            return _add_key(doc, holder, last, value)
        slot = _after_colon(doc, holder, entry.key.end, entry.value)
        return _replace(doc, holder, slot, entry.value, value)
    index = _index(last, len(holder.items))
    if index == len(holder.items):
        return _add_item(doc, holder, index, value)
    slot = holder.items[index].start if holder.flow else _dashes(doc, holder)[index] + 1
    return _replace(doc, holder, slot, holder.items[index], value)


def insert(doc: Document, tokens: list[str], value: Any) -> list[Splice]:
    """Add a key, or a list item before the one at the index."""
    if not tokens:
        return _set_root(doc, value)
    holder = _holder(doc, tokens)
    if isinstance(holder, Mapping):
        return set_value(doc, tokens, value)
    return _add_item(doc, holder, _index(tokens[-1], len(holder.items)), value)


def remove(doc: Document, tokens: list[str]) -> list[Splice]:
    """Take out a key with its value, or a list item, with its lines and comments."""
    if not tokens:
        raise EditRefused("the whole document cannot be removed")
    holder = _holder(doc, tokens)
    node = child(holder, tokens[-1])
    if node is None:
        raise EditRefused(f"there is nothing at {tokens[-1]}")
    _refuse_shared(doc, node)
    if isinstance(holder, Mapping):
        index = next(i for i, entry in enumerate(holder.entries) if entry.value is node)
        starts = [_key_start(doc, entry.key) for entry in holder.entries]
        ends = [max(entry.value.end, entry.key.end) for entry in holder.entries]
    else:
        index = int(tokens[-1])
        ends = [item.end for item in holder.items]
        starts = (
            [_with_properties(doc, item.start, holder.start + 1) for item in holder.items]
            if holder.flow
            else _dashes(doc, holder)
        )
    if len(starts) == 1 and not holder.flow:
        return _empty(doc, tokens[:-1], holder)
    if holder.flow:
        return [_flow_removal(doc, holder, starts, ends, index)]
    return _block_removal(doc, starts, ends, index)


def rename(doc: Document, tokens: list[str], name: str) -> list[Splice]:
    """Give a key another name; its quotes stay where they can."""
    holder = _holder(doc, tokens) if tokens else None
    entry = holder.entry(tokens[-1]) if isinstance(holder, Mapping) else None
    if not isinstance(holder, Mapping) or entry is None:
        raise EditRefused("there is no key here")
    if holder.entry(name):
        raise EditRefused(f"there is a key {name} already")
    new = write_key(name, entry.key.style, holder.flow)
    return [Splice(entry.key.start, entry.key.end, new)]


# Finding places


def _holder(doc: Document, tokens: list[str]) -> Mapping | Sequence:
    """The container that the last token speaks of, reached without an alias."""
    node: Node | None = doc.root
    shared = {id(alias.target) for _, alias in doc.walk() if isinstance(alias, Alias)}
    for token in tokens[:-1]:
        if id(node) in shared:
            break
        node = child(node, token)
        if isinstance(node, Alias):
            raise EditRefused(f"*{node.name} stands for another value; edit that one")
    if id(node) in shared:
        raise EditRefused("an alias refers to this value; the change would alter both")
    if not isinstance(node, Mapping | Sequence):
        raise EditRefused("there is no list and no mapping here")
    return node


def _refuse_shared(doc: Document, node: Node) -> None:
    """Refuse where an alias elsewhere refers to the node, or to something inside it."""
    for _, alias in doc.walk():
        if isinstance(alias, Alias) and alias.target is not None:
            inside = node.start <= alias.start < node.end
            if not inside and node.start <= alias.target.start < max(node.end, node.start + 1):
                raise EditRefused(
                    f"*{alias.name} refers to this value; the change would alter both"
                )


def _index(token: str, count: int) -> int:
    if token in ("-", str(count)):
        return count
    if not (token.isascii() and token.isdecimal()) or int(token) > count:
        raise EditRefused(f"the list has no place {token}")
    return int(token)


def _line_start(doc: Document, offset: int) -> int:
    text = doc.source.text
    found = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    return max(found, 1 if text.startswith("\ufeff") else 0)


def _line_end(doc: Document, offset: int) -> int:
    """The end of the line's text."""
    found = _LINE_END.search(doc.source.text, offset, doc.span.end)
    return found.start() if found else doc.span.end


def _next_line(doc: Document, offset: int) -> int:
    found = _LINE_END.search(doc.source.text, offset, doc.span.end)
    return found.end() if found else doc.span.end


def _newline(doc: Document, offset: int) -> str:
    found = _LINE_END.search(doc.source.text, offset)
    return found.group() if found else doc.source.newline


def _column(doc: Document, offset: int) -> int:
    return offset - _line_start(doc, offset)


def _padding(doc: Document, offset: int) -> str:
    """What puts new text below what stands at `offset`."""
    start = _line_start(doc, offset)
    lead = doc.source.text[start:offset]
    return lead if not lead.strip(" ") else " " * len(lead)


def _begins_line(doc: Document, offset: int) -> bool:
    return not doc.source.text[_line_start(doc, offset) : offset].strip(" \t")


def _with_properties(doc: Document, start: int, least: int) -> int:
    """Where a value starts with its anchor and tag, looking back no further than `least`."""
    line = max(_line_start(doc, start), least)
    found = _PROPERTY.search(doc.source.text, line, start)
    return found.start() if found and "#" not in doc.source.text[line : found.start()] else start


def _key_start(doc: Document, key: Scalar) -> int:
    """Where the line of a key begins to be its own: at `? ` or an anchor, if it has them."""
    start = _line_start(doc, key.start)
    lead = re.search(r"(?:\?[ \t]+)?(?:[&!]\S*[ \t]+)*$", doc.source.text[start : key.start])
    return start + lead.start() if lead else key.start


def _after_colon(doc: Document, holder: Mapping, key_end: int, value: Node) -> int:
    found = re.compile(r"\s*:").match(doc.source.text, key_end, max(value.start, key_end))
    if found:
        return found.end()
    if holder.flow or isinstance(value, Missing):
        return key_end
    raise EditRefused("this key has no colon after it")


def _dashes(doc: Document, holder: Sequence) -> list[int]:
    """The offset of each item's dash."""
    column = _column(doc, holder.start)
    text = doc.source.text
    found = [holder.start]
    dash = re.compile(r"(?:\n|\r)[ ]*(-)(?=[ \t\r\n]|\Z)")
    for item in holder.items[:-1]:
        at = max(item.end - 1, found[-1] + 1)
        match = dash.search(text, at)
        while match and _column(doc, match.start(1)) != column:
            match = dash.search(text, match.end() - 1)
        if match is None:
            raise EditRefused("the list's dashes could not be told apart")
        found.append(match.start(1))
    return found


# Style


def _style(doc: Document, holder: Mapping | Sequence) -> Style:
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
    style.quote = quotes.pop() if len(quotes) == 1 else ""
    return style


def _indents(doc: Document, node: Node) -> list[tuple[str, int]]:
    if not isinstance(node, Mapping) or node.flow:
        return []
    found = []
    for entry in node.entries:
        value = entry.value
        if isinstance(value, Mapping | Sequence) and not value.flow:
            kind = "step" if isinstance(value, Mapping) else "dash"
            found.append((kind, _column(doc, value.start) - _column(doc, entry.key.start)))
    return found


def _key_quote(holder: Mapping) -> str:
    styles = {entry.key.style for entry in holder.entries}
    return styles.pop() if len(styles) == 1 else ""


# Values


def _replace(
    doc: Document, holder: Mapping | Sequence, slot: int, node: Node, value: Any
) -> list[Splice]:
    """Another value for a node; `slot` is where a value may begin, after the colon or dash."""
    _refuse_shared(doc, node)
    style = _style(doc, holder)
    start = _with_properties(doc, node.start, slot)
    text = doc.source.text
    if holder.flow:
        new = _scalar_like(node, value, style, flow=True)
        return [Splice(start, node.end, _spaced(text, slot, start, node.end, new))]
    block = isinstance(node, Mapping | Sequence) and not node.flow
    if isinstance(node, Missing) and text[slot - 1 : slot] not in (":", "-"):
        raise EditRefused("this key has no colon after it")
    if block and not _begins_line(doc, node.start):
        return [Splice(start, node.end, _inline(doc, node.start, value, style))]
    if is_leaf(value):
        new = _block_scalar(doc, node, value) or _scalar_like(node, value, style, flow=False)
        if not block:
            end = _text_end(doc, node)
            return [Splice(start, end, _spaced(text, slot, start, end, new))]
        line_end = _line_end(doc, slot)
        found = _PROPERTY.search(text, slot, line_end)
        end = line_end if found else slot
        return [Splice(slot, end, " " + new), Splice(line_end, node.end, "")]
    if isinstance(holder, Sequence):
        new = _inline(doc, max(start, slot + 1), value, style)
        return [Splice(start, _text_end(doc, node), _spaced(text, slot, start, node.end, new))]
    # A container goes below its key; a comment behind the key stays there.
    newline = _newline(doc, slot)
    key = _line_key(holder, slot)
    offset = style.step if isinstance(value, dict) else style.dash
    pad = _padding(doc, key.start) + " " * offset
    lines = newline.join(pad + line for line in write_block(value, style))
    if block:
        return [Splice(_line_start(doc, node.start), node.end, lines)]
    end = _text_end(doc, node)
    if _LINE_END.search(text, slot, end):
        return [Splice(slot, end, newline + lines)]
    return [
        Splice(slot, end, ""),
        Splice(_line_end(doc, end), _line_end(doc, end), newline + lines),
    ]


def _line_key(holder: Mapping | Sequence, slot: int) -> Scalar:
    entries = holder.entries if isinstance(holder, Mapping) else []
    return [entry.key for entry in entries if entry.key.end <= slot][-1]


def _text_end(doc: Document, node: Node) -> int:
    """The end of a value without the line end that a block scalar may keep as its own."""
    found = re.search(r"[\r\n]+\Z", doc.source.text[node.start : node.end])
    return node.start + found.start() if found else node.end


def _spaced(text: str, slot: int, start: int, end: int, new: str) -> str:
    """New text with a colon and the space that it needs before and behind it."""
    if start == end and start == slot and text[slot - 1] not in ":-":
        new = f": {new}"
    elif start == slot and text[slot - 1] in ":-":
        new = f" {new}"
    return f"{new} " if text[end : end + 1] == "#" else new


def _scalar_like(node: Node, value: Any, style: Style, flow: bool) -> str:
    if flow and not is_leaf(value):
        return write_flow(value, style)
    if isinstance(value, dict | list):
        return "{}" if isinstance(value, dict) else "[]"
    quote = style.quote
    if isinstance(node, Scalar) and node.start < node.end:
        quote = node.style
    return write_scalar(value, quote, flow)


def _block_scalar(doc: Document, node: Node, value: Any) -> str | None:
    if not isinstance(node, Scalar) or node.style not in ("literal", "folded"):
        return None
    if not isinstance(value, str) or _text_end(doc, node) == doc.span.end:
        return None
    old = doc.source.text[node.start : _text_end(doc, node)]
    return write_block_scalar(old, value, _newline(doc, node.start))


def _inline(doc: Document, start: int, value: Any, style: Style) -> str:
    """A value whose first line stands at `start`, further lines below it."""
    if is_leaf(value):
        return _scalar_like(Missing(0, 0), value, style, flow=False)
    pad = " " * _column(doc, start)
    return (_newline(doc, start) + pad).join(write_block(value, style))


def _set_root(doc: Document, value: Any) -> list[Splice]:
    root = doc.root
    style = _style(doc, root) if isinstance(root, Mapping | Sequence) else Style()
    newline = doc.source.newline
    if isinstance(root, Mapping | Sequence) and root.flow:
        new = write_flow(value, style)
    elif is_leaf(value):
        new = _scalar_like(root, value, style, flow=False)
    else:
        new = newline.join(write_block(value, style))
    if root.start < root.end:
        return [Splice(root.start, root.end, new)]
    return [_at_end(doc, new)]


def _at_end(doc: Document, new: str) -> Splice:
    """New lines at the end of the document."""
    text, end, newline = doc.source.text, doc.span.end, doc.source.newline
    before = text[doc.span.start : end].removeprefix("\ufeff")
    lead = newline if before and before[-1] not in "\r\n" else ""
    return Splice(end, end, f"{lead}{new}{newline if not lead else ''}")


def _add_key(doc: Document, holder: Mapping, name: str, value: Any) -> list[Splice]:
    style = _style(doc, holder)
    quote = _key_quote(holder)
    if holder.flow:
        if not holder.entries and not is_leaf(value):
            grown = _grown(doc, holder, {name: value}, style)
            if grown:
                return grown
        new = f"{write_key(name, quote, flow=True)}: {write_flow(value, style)}"
        starts = [_key_start(doc, entry.key) for entry in holder.entries]
        ends = [max(entry.value.end, entry.key.end) for entry in holder.entries]
        return [_flow_insertion(doc, holder, starts, ends, len(starts), new)]
    if not holder.entries:
        newline = doc.source.newline
        return [_at_end(doc, newline.join(write_entry(name, value, style, quote)))]
    last = holder.entries[-1]
    first = _key_start(doc, holder.entries[0].key)
    lines = write_entry(name, value, style, quote)
    return [_lines_after(doc, max(last.value.end, last.key.end), _padding(doc, first), lines)]


def _lines_after(doc: Document, end: int, pad: str, lines: list[str]) -> Splice:
    newline = _newline(doc, max(end - 1, 0))
    text = doc.source.text
    if end > doc.span.start and text[end - 1] in "\r\n":
        return Splice(end, end, "".join(pad + line + newline for line in lines))
    at = _line_end(doc, end)
    return Splice(at, at, "".join(newline + pad + line for line in lines))


def _add_item(doc: Document, holder: Sequence, index: int, value: Any) -> list[Splice]:
    style = _style(doc, holder)
    items = holder.items
    if holder.flow:
        if not items and not is_leaf(value):
            grown = _grown(doc, holder, [value], style)
            if grown:
                return grown
        starts = [_with_properties(doc, item.start, holder.start + 1) for item in items]
        ends = [item.end for item in items]
        return [_flow_insertion(doc, holder, starts, ends, index, write_flow(value, style))]
    dashes = _dashes(doc, holder)
    filled = next((i for i, item in enumerate(items) if item.end > item.start), None)
    gap = 1
    if filled is not None:
        same_line = _line_start(doc, items[filled].start) == _line_start(doc, dashes[filled])
        start = _with_properties(doc, items[filled].start, dashes[filled] + 1)
        gap = start - dashes[filled] - 1 if same_line else 1
    lines = write_item(value, style, gap)
    pad = _padding(doc, dashes[0])
    if index == len(items):
        return [_lines_after(doc, max(items[-1].end, dashes[-1] + 1), pad, lines)]
    newline = _newline(doc, dashes[index])
    if not _begins_line(doc, dashes[index]):
        return [Splice(dashes[index], dashes[index], "".join(one + newline + pad for one in lines))]
    at = _attached(doc, dashes[index], dashes[index - 1] if index else holder.start)
    return [Splice(at, at, "".join(pad + line + newline for line in lines))]


def _grown(
    doc: Document, holder: Mapping | Sequence, value: Any, style: Style
) -> list[Splice] | None:
    """An empty `[]` or `{}` in block style, now that it holds a container; None inside flow."""
    parent: Node | None = None
    for _, node in doc.walk():
        if isinstance(node, Mapping) and any(e.value is holder for e in node.entries):
            parent = node
    if not isinstance(parent, Mapping) or parent.flow:
        return None
    entry = next(entry for entry in parent.entries if entry.value is holder)
    slot = _after_colon(doc, parent, entry.key.end, holder)
    style.step, style.dash = _style(doc, parent).step, _style(doc, parent).dash
    return _replace(doc, parent, slot, holder, value)


def _flow_insertion(
    doc: Document,
    holder: Mapping | Sequence,
    starts: list[int],
    ends: list[int],
    index: int,
    new: str,
) -> Splice:
    text = doc.source.text
    if not starts:
        inside = text[holder.start + 1 : holder.end - 1]
        if inside.strip():
            return Splice(holder.end - 1, holder.end - 1, new)
        return Splice(holder.start + 1, holder.end - 1, new)
    own_line = _begins_line(doc, starts[min(index, len(starts) - 1)])
    pad = _newline(doc, holder.start) + _padding(doc, starts[-1]) if own_line else " "
    if index == len(starts):
        return Splice(ends[-1], ends[-1], f",{pad}{new}")
    return Splice(starts[index], starts[index], f"{new},{pad}")


# Removal


def _attached(doc: Document, start: int, least: int) -> int:
    """The start of the line at `start`, or of the comment lines right above at its indent."""
    at = _line_start(doc, start)
    column = start - at
    text = doc.source.text
    while at > max(least, doc.span.start):
        above = _line_start(doc, at - (2 if text.startswith("\r\n", at - 2) else 1))
        line = text[above:at]
        lead = len(line) - len(line.lstrip(" "))
        if above < least or not _COMMENT_LINE.match(line) or lead != column:
            break
        at = above
    return at


def _block_removal(doc: Document, starts: list[int], ends: list[int], index: int) -> list[Splice]:
    text = doc.source.text
    start, end = starts[index], ends[index]
    end = max(end, start + 1)
    if not _begins_line(doc, start):
        # The first of a list item or of a document line: the next one takes its place.
        between = text[_line_end(doc, end) : starts[index + 1]]
        if between.strip():
            return [Splice(start, _line_end(doc, end), "")]
        return [Splice(start, starts[index + 1], "")]
    least = ends[index - 1] if index else doc.span.start
    first = _attached(doc, start, least)
    after = end if text[end - 1] in "\r\n" else _next_line(doc, end)
    if after == doc.span.end and text[after - 1 : after] not in ("\r", "\n"):
        before = _LINE_END.search(text, max(first - 2, doc.span.start), first)
        first = before.start() if before else first
    return [Splice(first, after, "")]


def _flow_removal(
    doc: Document, holder: Mapping | Sequence, starts: list[int], ends: list[int], index: int
) -> Splice:
    text = doc.source.text
    if index + 1 < len(starts):
        between = text[ends[index] : starts[index + 1]]
        if "#" not in between:
            return Splice(starts[index], starts[index + 1], "")
        return Splice(starts[index], ends[index] + between.index(",") + 1, "")
    if index:
        return Splice(ends[index - 1], ends[index], "")
    inside = text[ends[0] : holder.end - 1]
    comma = re.match(r"[ \t]*,", inside)
    return Splice(starts[0], ends[0] + (comma.end() if comma else 0), "")


def _empty(doc: Document, tokens: list[str], holder: Mapping | Sequence) -> list[Splice]:
    """Remove the only entry of a block container: `{}` or `[]` takes its place."""
    if tokens:
        return set_value(doc, tokens, {} if isinstance(holder, Mapping) else [])
    if isinstance(holder, Mapping):
        start = _attached(doc, holder.start, doc.span.start)
        return [Splice(start, _next_line(doc, holder.end), "")]
    return [Splice(holder.start, holder.end, "[]")]
