"""Edits of YAML as splices, in the style of the surrounding lines.

A comment belongs to the key or item on its own line, and a comment line to the key or item directly
below at the same indent; it is removed with it. All other comments and blank lines stay. The target
of an alias is not edited, because that would change another value too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

from skillstudio.text.diagnostic import Splice
from skillstudio.text.editing import (
    EditRefused,
    begins_line,
    entry_at,
    line_end,
    line_start,
    next_line,
    node_at,
)
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

_COMMENTED = re.compile(r"[ \t]*(?P<comma>,?)[ \t]+#[^\r\n]*")
"""A comment after the last item of a flow container."""


def set_value(doc: Document, tokens: list[str], value: Any) -> list[Splice]:
    """Replace the existing value."""
    if not tokens:
        return _set_root(doc, value)
    holder = _find_holder(doc, tokens)
    if isinstance(holder, Mapping):
        entry = entry_at(doc, tokens)
        slot = _after_colon(doc, holder, entry.key.end, entry.value)
        return _replace(doc, holder, slot, entry.value, value)
    index = int(tokens[-1])
    slot = holder.items[index].start if holder.flow else _dashes_of(doc, holder)[index] + 1
    return _replace(doc, holder, slot, holder.items[index], value)


def insert(doc: Document, tokens: list[str], value: Any) -> list[Splice]:
    """Add a key, or a list item before the one at the index."""
    holder = _find_holder(doc, tokens)
    if isinstance(holder, Mapping):
        return _add_key(doc, holder, tokens[-1], value)
    return _add_item(doc, holder, int(tokens[-1]), value)


def remove(doc: Document, tokens: list[str]) -> list[Splice]:
    """Remove a key with its value, or a list item, with its lines and comments."""
    holder = _find_holder(doc, tokens)
    node = node_at(doc, tokens)
    _refuse_shared(doc, node)
    if isinstance(holder, Mapping):
        index = holder.entries.index(entry_at(doc, tokens))
        starts, ends = _entry_spans(doc, holder)
    else:
        index = int(tokens[-1])
        starts, ends = _item_spans(doc, holder)
    if not holder.flow:
        column = _column_of(doc, starts[0])
        ends = [_with_comments(doc, end, column) for end in ends]
    if len(starts) == 1 and not holder.flow:
        return _empty(doc, tokens[:-1], holder)
    if holder.flow:
        return [_flow_removal(doc, holder, starts, ends, index)]
    return _block_removal(doc, starts, ends, index)


def move(doc: Document, here: list[str], new: int) -> list[Splice]:
    """Move an item within its list without changing its text and comments.

    `new` is its index among the other items, as in JSON Patch.
    """
    holder = _find_holder(doc, here)
    if not isinstance(holder, Sequence):
        raise EditRefused("items can only be moved within one list")
    old = int(here[-1])
    text = doc.source.text
    starts, _ = _item_spans(doc, holder)
    if holder.flow:
        texts = [text[start : item.end] for start, item in zip(starts, holder.items, strict=True)]
        texts.insert(new, texts.pop(old))
        slots = zip(starts, holder.items, texts, strict=True)
        return [Splice(start, item.end, moved) for start, item, moved in slots]
    column = _column_of(doc, starts[0])
    lines: list[tuple[int, int]] = []
    for index, (dash, item) in enumerate(zip(starts, holder.items, strict=True)):
        end = _with_comments(doc, max(item.end, dash + 1), column)
        after = end if text[end - 1] in "\r\n" else next_line(doc, end)
        start = _attached(doc, dash, lines[index - 1][1] if index else doc.span.start)
        if not begins_line(doc, dash) or text[after - 1] not in "\r\n":
            raise EditRefused("the list shares lines with other values")
        lines.append((start, after))
    start, end = lines[old]
    at = lines[new][1] if new > old else lines[new][0]
    return [Splice(start, end, ""), Splice(at, at, text[start:end])]


def rename(doc: Document, tokens: list[str], name: str) -> list[Splice]:
    """Rename a key; its quotes are kept if possible."""
    holder = _find_holder(doc, tokens)
    key = entry_at(doc, tokens).key
    return [Splice(*key.span, write_key(name, key.style, holder.flow))]


def _replace(
    doc: Document, holder: Mapping | Sequence, slot: int, node: Node, value: Any
) -> list[Splice]:
    """Replace the value of a node; `slot` is where a value may start, after the colon or dash."""
    _refuse_shared(doc, node)
    style = _style_of(doc, holder)
    start = _with_properties(doc, node.start, slot)
    text = doc.source.text
    if holder.flow:
        new = _scalar_like(node, value, style, flow=True)
        return [Splice(start, node.end, _spaced(text, slot, start, node.end, new))]
    block = isinstance(node, Mapping | Sequence) and not node.flow
    if isinstance(node, Missing) and text[slot - 1 : slot] not in (":", "-"):
        raise EditRefused("this key has no colon")
    if block and not begins_line(doc, node.start):
        return [Splice(start, node.end, _inline(doc, node.start, value, style))]
    text_end = _text_end(doc, node)
    if is_leaf(value):
        new = _block_scalar(doc, node, value) or _scalar_like(node, value, style, flow=False)
        if not block:
            return [Splice(start, text_end, _spaced(text, slot, start, text_end, new))]
        stop = line_end(doc, slot)
        end = stop if _PROPERTY.search(text, slot, stop) else slot
        owner = slot - 1 if isinstance(holder, Sequence) else _line_key(holder, slot).start
        last = _with_comments(doc, node.end, _column_of(doc, owner))
        return [Splice(slot, end, " " + new), Splice(stop, last, "")]
    if isinstance(holder, Sequence):
        new = _inline(doc, max(start, slot + 1), value, style)
        return [Splice(start, text_end, _spaced(text, slot, start, node.end, new))]
    # A container goes below its key; a comment after the key stays there.
    newline = _newline_at(doc, slot)
    key = _line_key(holder, slot)
    offset = style.step if isinstance(value, dict) else style.dash
    pad = _padding_below(doc, key.start) + " " * offset
    lines = newline.join(pad + line for line in write_block(value, style))
    if block:
        return [Splice(line_start(doc, node.start), node.end, lines)]
    if _LINE_END.search(text, slot, text_end):
        return [Splice(slot, text_end, newline + lines)]
    stop = line_end(doc, text_end)
    return [Splice(slot, text_end, ""), Splice(stop, stop, newline + lines)]


def _line_key(holder: Mapping, slot: int) -> Scalar:
    return [entry.key for entry in holder.entries if entry.key.end <= slot][-1]


def _text_end(doc: Document, node: Node) -> int:
    """The end of a value without the final newline of a block scalar."""
    found = re.search(r"[\r\n]+\Z", doc.source.text[node.start : node.end])
    return node.start + found.start() if found else node.end


def _spaced(text: str, slot: int, start: int, end: int, new: str) -> str:
    """New text with a colon and the required spaces around it."""
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
    return write_block_scalar(old, value, _newline_at(doc, node.start))


def _inline(doc: Document, start: int, value: Any, style: Style) -> str:
    """A value whose first line starts at `start`, with further lines below it."""
    if is_leaf(value):
        return _scalar_like(Missing(0, 0), value, style, flow=False)
    pad = " " * _column_of(doc, start)
    return (_newline_at(doc, start) + pad).join(write_block(value, style))


def _set_root(doc: Document, value: Any) -> list[Splice]:
    root = doc.root
    style = _style_of(doc, root) if isinstance(root, Mapping | Sequence) else Style()
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
    text, end, newline = doc.source.text, doc.span.end, doc.source.newline
    before = text[doc.span.start : end].removeprefix("\ufeff")
    lead = newline if before and before[-1] not in "\r\n" else ""
    return Splice(end, end, f"{lead}{new}{newline if not lead else ''}")


def _add_key(doc: Document, holder: Mapping, name: str, value: Any) -> list[Splice]:
    style = _style_of(doc, holder)
    quote = _key_quote(holder)
    if holder.flow:
        if not holder.entries and (grown := _grown(doc, holder, value, {name: value})):
            return grown
        new = f"{write_key(name, quote, flow=True)}: {write_flow(value, style)}"
        return _flow_insertion(doc, holder, *_entry_spans(doc, holder), len(holder.entries), new)
    if not holder.entries:
        newline = doc.source.newline
        return [_at_end(doc, newline.join(write_entry(name, value, style, quote)))]
    last = holder.entries[-1]
    first = _key_start(doc, holder.entries[0].key)
    lines = write_entry(name, value, style, quote)
    end = _with_comments(doc, max(last.value.end, last.key.end), _column_of(doc, first))
    return [_lines_after(doc, end, _padding_below(doc, first), lines)]


def _lines_after(doc: Document, end: int, pad: str, lines: list[str]) -> Splice:
    newline = _newline_at(doc, end)
    text = doc.source.text
    if end > doc.span.start and text[end - 1] in "\r\n":
        newline = "\r\n" if text.endswith("\r\n", 0, end) else text[end - 1]
        return Splice(end, end, "".join(pad + line + newline for line in lines))
    at = line_end(doc, end)
    return Splice(at, at, "".join(newline + pad + line for line in lines))


def _add_item(doc: Document, holder: Sequence, index: int, value: Any) -> list[Splice]:
    style = _style_of(doc, holder)
    items = holder.items
    if holder.flow:
        if not items and (grown := _grown(doc, holder, value, [value])):
            return grown
        new = write_flow(value, style)
        return _flow_insertion(doc, holder, *_item_spans(doc, holder), index, new)
    dashes = _dashes_of(doc, holder)
    filled = next((i for i, item in enumerate(items) if item.end > item.start), None)
    gap = 1
    if filled is not None:
        same_line = line_start(doc, items[filled].start) == line_start(doc, dashes[filled])
        start = _with_properties(doc, items[filled].start, dashes[filled] + 1)
        gap = start - dashes[filled] - 1 if same_line else 1
    lines = write_item(value, style, gap)
    pad = _padding_below(doc, dashes[0])
    if index == len(items):
        end = _with_comments(doc, max(items[-1].end, dashes[-1] + 1), _column_of(doc, dashes[0]))
        return [_lines_after(doc, end, pad, lines)]
    newline = _newline_at(doc, dashes[index])
    if not begins_line(doc, dashes[index]):
        return [Splice(dashes[index], dashes[index], "".join(one + newline + pad for one in lines))]
    at = _attached(doc, dashes[index], dashes[index - 1] if index else holder.start)
    return [Splice(at, at, "".join(pad + line + newline for line in lines))]


def _grown(doc: Document, holder: Mapping | Sequence, part: Any, value: Any) -> list[Splice] | None:
    """Convert an empty `[]` or `{}` to block style for a container; None inside flow."""
    if is_leaf(part):
        return None
    mappings = (node for _, node in doc.walk() if isinstance(node, Mapping) and not node.flow)
    for parent in mappings:
        for entry in parent.entries:
            if entry.value is holder:
                slot = _after_colon(doc, parent, entry.key.end, holder)
                return _replace(doc, parent, slot, holder, value)
    return None


def _flow_insertion(
    doc: Document,
    holder: Mapping | Sequence,
    starts: list[int],
    ends: list[int],
    index: int,
    new: str,
) -> list[Splice]:
    text = doc.source.text
    if not starts:
        inside = text[holder.start + 1 : holder.end - 1]
        if inside.strip():
            return [Splice(holder.end - 1, holder.end - 1, new)]
        return [Splice(holder.start + 1, holder.end - 1, new)]
    own_line = begins_line(doc, starts[min(index, len(starts) - 1)])
    pad = _newline_at(doc, holder.start) + _padding_below(doc, starts[-1]) if own_line else " "
    if index < len(starts):
        return [Splice(starts[index], starts[index], f"{new},{pad}")]
    commented = _COMMENTED.match(text, ends[-1], line_end(doc, ends[-1]))
    if not own_line or commented is None:
        return [Splice(ends[-1], ends[-1], f",{pad}{new}")]
    # A comment stays after the same item.
    if commented["comma"]:
        return [Splice(commented.end(), commented.end(), f"{pad}{new},")]
    return [Splice(ends[-1], ends[-1], ","), Splice(commented.end(), commented.end(), pad + new)]


def _empty(doc: Document, tokens: list[str], holder: Mapping | Sequence) -> list[Splice]:
    """Remove the only entry of a block container and write `{}` or `[]` instead."""
    if tokens:
        return set_value(doc, tokens, {} if isinstance(holder, Mapping) else [])
    if isinstance(holder, Mapping):
        start = _attached(doc, holder.start, doc.span.start)
        return [Splice(start, next_line(doc, holder.end), "")]
    return [Splice(holder.start, holder.end, "[]")]


_LINE_END = re.compile(r"\r\n|\n|\r")
_PROPERTY = re.compile(r"(?<![^\s:,\[{-])[&!]\S*")
_COMMENT_LINE = re.compile(r"[ \t]*#")


def _find_holder(doc: Document, tokens: list[str]) -> Mapping | Sequence:
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


def _refuse_shared(doc: Document, node: Node) -> None:
    """Refuse a node that an alias elsewhere refers to, wholly or in part."""
    for _, alias in doc.walk():
        if isinstance(alias, Alias) and alias.target is not None:
            inside = node.start <= alias.start < node.end
            if not inside and node.start <= alias.target.start < max(node.end, node.start + 1):
                raise EditRefused(f"*{alias.name} refers to this value; the edit would change both")


def _newline_at(doc: Document, offset: int) -> str:
    found = _LINE_END.search(doc.source.text, offset)
    return found.group() if found else doc.source.newline


def _column_of(doc: Document, offset: int) -> int:
    return offset - line_start(doc, offset)


def _padding_below(doc: Document, offset: int) -> str:
    """The line break and padding before new text below an offset."""
    start = line_start(doc, offset)
    lead = doc.source.text[start:offset]
    return lead if not lead.strip(" ") else " " * len(lead)


def _with_properties(doc: Document, start: int, least: int) -> int:
    """The start of a value with its anchor and tag, not before `least`."""
    line = max(line_start(doc, start), least)
    found = _PROPERTY.search(doc.source.text, line, start)
    return found.start() if found and "#" not in doc.source.text[line : found.start()] else start


def _key_start(doc: Document, key: Scalar) -> int:
    """The start of a key on its line, including `? ` or an anchor."""
    start = line_start(doc, key.start)
    lead = re.search(r"(?:\?[ \t]+)?(?:[&!]\S*[ \t]+)*$", doc.source.text[start : key.start])
    return start + lead.start() if lead else key.start


def _after_colon(doc: Document, holder: Mapping, key_end: int, value: Node) -> int:
    found = re.compile(r"\s*:").match(doc.source.text, key_end, max(value.start, key_end))
    if found:
        return found.end()
    if holder.flow or isinstance(value, Missing):
        return key_end
    raise EditRefused("this key has no colon")


def _entry_spans(doc: Document, holder: Mapping) -> tuple[list[int], list[int]]:
    """Where each key with its value starts, and where it ends."""
    starts = [_key_start(doc, entry.key) for entry in holder.entries]
    return starts, [max(entry.value.end, entry.key.end) for entry in holder.entries]


def _item_spans(doc: Document, holder: Sequence) -> tuple[list[int], list[int]]:
    """Where each item starts, with its anchor and tag or its dash, and where it ends."""
    ends = [item.end for item in holder.items]
    if not holder.flow:
        return _dashes_of(doc, holder), ends
    least = holder.start + 1
    return [_with_properties(doc, item.start, least) for item in holder.items], ends


def _dashes_of(doc: Document, holder: Sequence) -> list[int]:
    column = _column_of(doc, holder.start)
    text = doc.source.text
    found = [holder.start]
    dash = re.compile(r"(?:\n|\r)[ ]*(-)(?=[ \t\r\n]|\Z)")
    for item in holder.items[:-1]:
        at = max(item.end - 1, found[-1] + 1)
        match = dash.search(text, at)
        while match and _column_of(doc, match.start(1)) != column:
            match = dash.search(text, match.end() - 1)
        if match is None:
            raise EditRefused("cannot find the dashes of the list items")
        found.append(match.start(1))
    return found


def _with_comments(doc: Document, end: int, column: int) -> int:
    """The end of an entry, or of comment lines directly below that are deeper than `column`."""
    text = doc.source.text
    at = next_line(doc, end) if text[end - 1 : end] not in ("\r", "\n") else end
    while at < doc.span.end:
        stop = line_end(doc, at)
        line = text[at:stop]
        if not _COMMENT_LINE.match(line) or len(line) - len(line.lstrip(" ")) <= column:
            break
        end, at = stop, next_line(doc, stop)
    return end


def _attached(doc: Document, start: int, least: int) -> int:
    """The start of the line at `start`, or of the comment lines directly above at its indent."""
    at = line_start(doc, start)
    column = start - at
    text = doc.source.text
    while at > max(least, doc.span.start):
        above = line_start(doc, at - (2 if text.startswith("\r\n", at - 2) else 1))
        line = text[above:at]
        lead = len(line) - len(line.lstrip(" "))
        if above < least or not _COMMENT_LINE.match(line) or lead != column:
            break
        at = above
    return at


def _style_of(doc: Document, holder: Mapping | Sequence) -> Style:
    """Indents as in the document, those within `holder` first; quotes as in `holder`."""
    style = Style()
    every = chain(_indents(doc, holder), *(_indents(doc, node) for _, node in doc.walk()))
    found = list(every)
    style.step = next((step for kind, step in found if kind == "step" and step > 0), 2)
    dashes = (step for kind, step in found if kind == "dash" and step >= 0)
    style.dash = next(dashes, style.step)
    values = holder.items if isinstance(holder, Sequence) else [e.value for e in holder.entries]
    quotes = {
        node.style for node in values if isinstance(node, Scalar) and isinstance(node.value, str)
    } - {"literal", "folded"}
    if len(quotes) == 1:
        style.quote = quotes.pop()
    elif not quotes and holder.flow and isinstance(holder, Mapping):
        style.quote = _key_quote(holder)
    return style


def _indents(doc: Document, node: Node) -> Iterator[tuple[str, int]]:
    for entry in node.entries if isinstance(node, Mapping) and not node.flow else ():
        value = entry.value
        if isinstance(value, Mapping | Sequence) and not value.flow:
            kind = "step" if isinstance(value, Mapping) else "dash"
            yield kind, _column_of(doc, value.start) - _column_of(doc, entry.key.start)


def _key_quote(holder: Mapping) -> str:
    styles = {entry.key.style for entry in holder.entries}
    return styles.pop() if len(styles) == 1 else ""


def _block_removal(doc: Document, starts: list[int], ends: list[int], index: int) -> list[Splice]:
    """Remove one of the keys or items between `starts` and `ends`, with its lines."""
    text = doc.source.text
    start, end = starts[index], ends[index]
    end = max(end, start + 1)
    if not begins_line(doc, start):
        # The first of a list item or of a document line: the next one takes its place.
        between = text[line_end(doc, end) : starts[index + 1]]
        if between.strip():
            start = len(text[:start].rstrip(" "))
            return [Splice(start, line_end(doc, end), "")]
        return [Splice(start, starts[index + 1], "")]
    least = ends[index - 1] if index else doc.span.start
    first = _attached(doc, start, least)
    after = end if text[end - 1] in "\r\n" else next_line(doc, end)
    if after == doc.span.end and text[after - 1 : after] not in ("\r", "\n"):
        before = _LINE_END.search(text, max(first - 2, doc.span.start), first)
        first = before.start() if before else first
    return [Splice(first, after, "")]


def _flow_removal(
    doc: Document, holder: Mapping | Sequence, starts: list[int], ends: list[int], index: int
) -> Splice:
    """The same within brackets, with one of the adjacent commas."""
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
