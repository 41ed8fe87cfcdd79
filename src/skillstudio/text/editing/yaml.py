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
    without_member,
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
    write_leaf,
    write_scalar,
)
from skillstudio.text.node import Alias, Document, Mapping, Missing, Node, Scalar, Sequence, child
from skillstudio.text.source import Span

_TRAILING_COMMENT = re.compile(r"[ \t]*(?P<comma>,?)[ \t]+#[^\r\n]*")
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
    style = _style_of(doc, holder)
    spans = _spans(doc, holder)
    if isinstance(holder, Mapping):
        name, index, quote = tokens[-1], len(spans), _key_quote(holder)
    else:
        name, index, quote = None, int(tokens[-1]), ""
    if holder.flow:
        above = node_at(doc, tokens[:-2]) if len(tokens) > 1 else None
        if not spans and not is_leaf(value) and isinstance(above, Mapping) and not above.flow:
            # An empty `[]` or `{}` becomes block style for a container.
            return set_value(doc, tokens[:-1], [value] if name is None else {name: value})
        new = write_flow(value, style)
        if name is not None:
            new = f"{write_key(name, quote, flow=True)}: {new}"
        return _flow_insertion(doc, holder, spans, index, new)
    if isinstance(holder, Sequence):
        lines = write_item(value, style, _gap(doc, holder, spans))
    else:
        lines = write_entry(tokens[-1], value, style, quote)
    if not spans:
        return [_at_end(doc, doc.source.newline.join(lines))]
    pad = _padding_below(doc, spans[0].start)
    if index == len(spans):
        end = _with_comments(doc, spans[-1].end, _column_of(doc, spans[0].start))
        return [_lines_after(doc, end, pad, lines)]
    at = spans[index].start
    newline = _newline_at(doc, at)
    if not begins_line(doc, at):
        return [Splice(at, at, "".join(line + newline + pad for line in lines))]
    at = _find_comment_start(doc, at, spans[index - 1].start if index else holder.start)
    return [Splice(at, at, "".join(pad + line + newline for line in lines))]


def remove(doc: Document, tokens: list[str]) -> list[Splice]:
    """Remove a key with its value, or a list item, with its lines and comments."""
    holder = _find_holder(doc, tokens)
    _refuse_shared(doc, node_at(doc, tokens))
    spans = _spans(doc, holder)
    if isinstance(holder, Mapping):
        index = holder.entries.index(entry_at(doc, tokens))
    else:
        index = int(tokens[-1])
    if holder.flow:
        return [_flow_removal(doc, holder, spans, index)]
    return _block_removal(doc, spans, index) if len(spans) > 1 else _empty(doc, tokens[:-1], holder)


def move(doc: Document, here: list[str], new: int) -> list[Splice]:
    """Move an item within its list without changing its text and comments.

    `new` is its index among the other items, as in JSON Patch.
    """
    holder = _find_holder(doc, here)
    if not isinstance(holder, Sequence):
        raise EditRefused("items can only be moved within one list")
    old = int(here[-1])
    text = doc.source.text
    spans = _spans(doc, holder)
    if holder.flow:
        texts = [text[start:end] for start, end in spans]
        texts.insert(new, texts.pop(old))
        return [Splice(*span, item_text) for span, item_text in zip(spans, texts, strict=True)]
    lines: list[tuple[int, int]] = []
    for index, (dash, _) in enumerate(spans):
        start, end = _with_own_comments(doc, spans, index)
        after = _past_line(doc, end)
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
        return [Splice(start, node.end, _add_spacing(text, slot, start, node.end, new))]
    block = isinstance(node, Mapping | Sequence) and not node.flow
    if isinstance(node, Missing) and text[slot - 1 : slot] not in (":", "-"):
        raise EditRefused("this key has no colon")
    if block and not begins_line(doc, node.start):
        return [Splice(start, node.end, _inline(doc, node.start, value, style))]
    text_end = _text_end(doc, node)
    if is_leaf(value):
        new = _block_scalar(doc, node, value) or _scalar_like(node, value, style, flow=False)
        if not block:
            return [Splice(start, text_end, _add_spacing(text, slot, start, text_end, new))]
        stop = line_end(doc, slot)
        end = stop if _PROPERTY.search(text, slot, stop) else slot
        owner = slot - 1 if isinstance(holder, Sequence) else _line_key(holder, slot).start
        last = _with_comments(doc, node.end, _column_of(doc, owner))
        return [Splice(slot, end, " " + new), Splice(stop, last, "")]
    if isinstance(holder, Sequence):
        new = _inline(doc, max(start, slot + 1), value, style)
        return [Splice(start, text_end, _add_spacing(text, slot, start, node.end, new))]
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
    line_breaks = re.search(r"[\r\n]+\Z", doc.source.text[node.start : node.end])
    return node.start + line_breaks.start() if line_breaks else node.end


def _add_spacing(text: str, slot: int, start: int, end: int, new: str) -> str:
    """New text with a colon and the required spaces around it."""
    if start == end and start == slot and text[slot - 1] not in ":-":
        new = f": {new}"
    elif start == slot and text[slot - 1] in ":-":
        new = f" {new}"
    return f"{new} " if text[end : end + 1] == "#" else new


def _scalar_like(node: Node, value: Any, style: Style, flow: bool) -> str:
    if isinstance(value, dict | list):
        return write_flow(value, style)
    quote = node.style if isinstance(node, Scalar) and node.start < node.end else style.quote
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
        return write_leaf(value, style)
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


def _lines_after(doc: Document, end: int, pad: str, lines: list[str]) -> Splice:
    newline = _newline_at(doc, end)
    text = doc.source.text
    if end > doc.span.start and text[end - 1] in "\r\n":
        newline = "\r\n" if text.endswith("\r\n", 0, end) else text[end - 1]
        return Splice(end, end, "".join(pad + line + newline for line in lines))
    at = line_end(doc, end)
    return Splice(at, at, "".join(newline + pad + line for line in lines))


def _gap(doc: Document, holder: Sequence, spans: list[Span]) -> int:
    """The number of spaces after a dash, as before the first item on the line of its dash."""
    for item, (dash, _) in zip(holder.items, spans, strict=True):
        if item.end > item.start:
            same_line = line_start(doc, item.start) == line_start(doc, dash)
            return _with_properties(doc, item.start, dash + 1) - dash - 1 if same_line else 1
    return 1


def _flow_insertion(
    doc: Document, holder: Mapping | Sequence, spans: list[Span], index: int, new: str
) -> list[Splice]:
    text = doc.source.text
    if not spans:
        start, end = holder.start + 1, holder.end - 1
        return [Splice(end if text[start:end].strip() else start, end, new)]
    end = spans[-1].end
    own_line = begins_line(doc, spans[min(index, len(spans) - 1)].start)
    pad = " "
    if own_line:
        pad = _newline_at(doc, holder.start) + _padding_below(doc, spans[-1].start)
    if index < len(spans):
        at = spans[index].start
        return [Splice(at, at, f"{new},{pad}")]
    comment = _TRAILING_COMMENT.match(text, end, line_end(doc, end))
    if not own_line or comment is None:
        return [Splice(end, end, f",{pad}{new}")]
    # A comment stays after the same item.
    at = comment.end()
    if comment["comma"]:
        return [Splice(at, at, f"{pad}{new},")]
    return [Splice(end, end, ","), Splice(at, at, pad + new)]


def _empty(doc: Document, tokens: list[str], holder: Mapping | Sequence) -> list[Splice]:
    """Remove the only entry of a block container and write `{}` or `[]` instead."""
    if tokens:
        return set_value(doc, tokens, {} if isinstance(holder, Mapping) else [])
    if isinstance(holder, Mapping):
        start = _find_comment_start(doc, holder.start, doc.span.start)
        return [Splice(start, next_line(doc, holder.end), "")]
    return [Splice(holder.start, holder.end, "[]")]


_LINE_END = re.compile(r"\r\n|\n|\r")
_PROPERTY = re.compile(r"(?<![^\s:,\[{-])[&!]\S*")
_COMMENT_LINE = re.compile(r"[ \t]*#")


def _find_holder(doc: Document, tokens: list[str]) -> Mapping | Sequence:
    """The container that the last token refers to, reached without an alias."""
    node: Node | None = doc.root
    alias_targets = {id(alias.target) for alias in _aliases(doc)}
    for token in tokens[:-1]:
        if id(node) in alias_targets:
            break
        node = child(node, token)
        if isinstance(node, Alias):
            raise EditRefused(f"*{node.name} is an alias; edit the anchored value")
    if id(node) in alias_targets:
        raise EditRefused("an alias refers to this value; the edit would change both")
    if not isinstance(node, Mapping | Sequence):
        raise EditRefused("no list or mapping here")
    return node


def _refuse_shared(doc: Document, node: Node) -> None:
    """Refuse a node that an alias elsewhere refers to, wholly or in part."""
    for alias in _aliases(doc):
        inside = node.start <= alias.start < node.end
        at = alias.target.start if alias.target else -1
        if not inside and node.start <= at < max(node.end, node.start + 1):
            raise EditRefused(f"*{alias.name} refers to this value; the edit would change both")


def _aliases(doc: Document) -> list[Alias]:
    if "*" not in doc.source.text:
        return []
    return [node for _, node in doc.walk() if isinstance(node, Alias)]


def _newline_at(doc: Document, offset: int) -> str:
    line_break = _LINE_END.search(doc.source.text, offset)
    return line_break.group() if line_break else doc.source.newline


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
    properties = _PROPERTY.search(doc.source.text, line, start)
    return (
        properties.start()
        if properties and "#" not in doc.source.text[line : properties.start()]
        else start
    )


def _key_start(doc: Document, key: Scalar) -> int:
    """The start of a key on its line, including `? ` or an anchor."""
    start = line_start(doc, key.start)
    lead = re.search(r"(?:\?[ \t]+)?(?:[&!]\S*[ \t]+)*$", doc.source.text[start : key.start])
    return start + lead.start() if lead else key.start


def _after_colon(doc: Document, holder: Mapping, key_end: int, value: Node) -> int:
    colon = re.compile(r"\s*:").match(doc.source.text, key_end, max(value.start, key_end))
    if colon:
        return colon.end()
    if holder.flow or isinstance(value, Missing):
        return key_end
    raise EditRefused("this key has no colon")


def _spans(doc: Document, holder: Mapping | Sequence) -> list[Span]:
    """Where each key with its value, or each item with its dash, starts and ends."""
    if isinstance(holder, Mapping):
        return [Span(_key_start(doc, entry.key), entry.end) for entry in holder.entries]
    if holder.flow:
        least = holder.start + 1
        return [Span(_with_properties(doc, item.start, least), item.end) for item in holder.items]
    dashes = zip(_dashes_of(doc, holder), holder.items, strict=True)
    return [Span(dash, max(item.end, dash + 1)) for dash, item in dashes]


def _dashes_of(doc: Document, holder: Sequence) -> list[int]:
    column = _column_of(doc, holder.start)
    text = doc.source.text
    dashes = [holder.start]
    dash = re.compile(r"(?:\n|\r)[ ]*(-)(?=[ \t\r\n]|\Z)")
    for item in holder.items[:-1]:
        at = max(item.end - 1, dashes[-1] + 1)
        match = dash.search(text, at)
        while match and _column_of(doc, match.start(1)) != column:
            match = dash.search(text, match.end() - 1)
        if match is None:
            raise EditRefused("cannot find the dashes of the list items")
        dashes.append(match.start(1))
    return dashes


def _with_comments(doc: Document, end: int, column: int) -> int:
    """The end of an entry, or of comment lines directly below that are deeper than `column`."""
    text = doc.source.text
    at = _past_line(doc, end)
    while at < doc.span.end:
        stop = line_end(doc, at)
        line = text[at:stop]
        if not _COMMENT_LINE.match(line) or len(line) - len(line.lstrip(" ")) <= column:
            break
        end, at = stop, next_line(doc, stop)
    return end


def _with_own_comments(doc: Document, spans: list[Span], index: int) -> tuple[int, int]:
    """Where a key or item in block style starts and ends, including its comments."""
    column = _column_of(doc, spans[0].start)
    start, end = spans[index]
    least = _with_comments(doc, spans[index - 1].end, column) if index else doc.span.start
    return _find_comment_start(doc, start, least), _with_comments(doc, max(end, start + 1), column)


def _past_line(doc: Document, end: int) -> int:
    """The start of the line after the one that ends at or after `end`."""
    is_past = end > 0 and doc.source.text[end - 1] in "\r\n"
    return end if is_past else next_line(doc, end)


def _find_comment_start(doc: Document, start: int, least: int) -> int:
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
    nodes = chain([holder], _containers(doc.root))
    indents = list(chain.from_iterable(_indents(doc, node) for node in nodes))
    step = next((step for kind, step in indents if kind == "step" and step > 0), 2)
    dash = next((step for kind, step in indents if kind == "dash" and step >= 0), step)
    values = (
        holder.items if isinstance(holder, Sequence) else [entry.value for entry in holder.entries]
    )
    quotes = {
        node.style for node in values if isinstance(node, Scalar) and isinstance(node.value, str)
    } - {"literal", "folded"}
    if not quotes and holder.flow and isinstance(holder, Mapping):
        quotes = {_key_quote(holder)}
    return Style(step, dash, quotes.pop() if len(quotes) == 1 else "")


def _containers(root: Node) -> Iterator[Mapping | Sequence]:
    """The mappings and lists of a document, parents first."""
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, Mapping | Sequence):
            yield node
            children = (
                node.items
                if isinstance(node, Sequence)
                else [entry.value for entry in node.entries]
            )
            stack += [member for member in reversed(children) if type(member) is not Scalar]


def _indents(doc: Document, node: Node) -> Iterator[tuple[str, int]]:
    for entry in node.entries if isinstance(node, Mapping) and not node.flow else ():
        value = entry.value
        if isinstance(value, Mapping | Sequence) and not value.flow:
            kind = "step" if isinstance(value, Mapping) else "dash"
            yield kind, _column_of(doc, value.start) - _column_of(doc, entry.key.start)


def _key_quote(holder: Mapping) -> str:
    styles = {entry.key.style for entry in holder.entries}
    return styles.pop() if len(styles) == 1 else ""


def _block_removal(doc: Document, spans: list[Span], index: int) -> list[Splice]:
    """Remove one of several keys or items, with its lines."""
    text = doc.source.text
    start = spans[index].start
    first, end = _with_own_comments(doc, spans, index)
    if not begins_line(doc, start):
        # The first of a list item or of a document line: the next one takes its place.
        next_start = spans[index + 1].start
        if text[line_end(doc, end) : next_start].strip():
            start = len(text[:start].rstrip(" "))
            return [Splice(start, line_end(doc, end), "")]
        return [Splice(start, next_start, "")]
    after = _past_line(doc, end)
    if after == doc.span.end and text[after - 1 : after] not in ("\r", "\n"):
        before = _LINE_END.search(text, max(first - 2, doc.span.start), first)
        first = before.start() if before else first
    return [Splice(first, after, "")]


def _flow_removal(
    doc: Document, holder: Mapping | Sequence, spans: list[Span], index: int
) -> Splice:
    """Remove a key or item between brackets; a comment after it stays."""
    text = doc.source.text
    start, end = spans[index]
    if len(spans) == 1:
        comma = re.match(r"[ \t]*,", text[end : holder.end - 1])
        return Splice(start, end + (comma.end() if comma else 0), "")
    between = text[end : spans[index + 1].start] if index + 1 < len(spans) else ""
    if "#" in between:
        return Splice(start, end + between.index(",") + 1, "")
    return without_member(holder, spans, index)
