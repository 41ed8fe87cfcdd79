"""Splices for TOML, in the style of the surrounding keys and tables.

A table may be in several places of the text, so an edit depends on how the table is made: `root`,
`header` (with its own `[line]`), `implicit` (only part of other headers), `dotted` or `inline`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeGuard

from skillstudio.text.diagnostic import Splice
from skillstudio.text.editing import (
    EditRefused,
    begins_line,
    entry_at,
    indent_at,
    line_start,
    next_line,
    node_at,
    without_member,
)
from skillstudio.text.editing.toml_render import are_all, key_text, render, section
from skillstudio.text.node import Document, Entry, Mapping, Node, Scalar, Sequence, join_pointer
from skillstudio.text.reading.toml import Table

_BLANK_LINES = re.compile(r"(?:[ \t]*(?:\r\n|\n))*")
_TOP_COMMENT = re.compile(r"(?:[ \t]*#[^\n]*(?:\n|\Z))+(?:[ \t]*(?:\r?\n|\Z))+")


def set_value(doc: Document, tokens: list[str], value: Any) -> list[Splice]:
    """Replace the existing value."""
    if not tokens:
        raise EditRefused("a TOML document cannot be replaced by one value")
    node = node_at(doc, tokens)
    if isinstance(node, Mapping | Sequence) and not node.flow:
        if _form_of(node) == "header" and isinstance(value, dict):
            return _rewrite_section(doc, tokens, node, value)
        return _replaced_by_key(doc, tokens, value)
    if node.start == node.end:
        return _first_value(doc, tokens, node, value)
    return [Splice(node.start, node.end, render(doc, value, node, indent_at(doc, node.start)))]


def insert(doc: Document, tokens: list[str], value: Any) -> list[Splice]:
    """Add a key after a table's own lines, or an item before an index of a list."""
    parent = node_at(doc, tokens[:-1])
    if isinstance(parent, Sequence):
        if parent.flow:
            return _insert_item(doc, parent, int(tokens[-1]), value)
        return _insert_table(doc, tokens, parent, int(tokens[-1]), value)
    if not isinstance(parent, Mapping):
        raise EditRefused(f"no table at {join_pointer(tokens[:-1]) or '/'}")
    form = _form_of(parent)
    if form == "inline":
        return _insert_inline(doc, parent, tokens[-1], value)
    if form != "dotted" and _wants_section(parent, value):
        runs = _runs_of(doc, parent) if tokens[:-1] else []
        at = max((end for _, end in runs), default=doc.span.end)
        return _section_at(doc, at, section(doc, _names_of(doc, tokens), value))
    return _insert_line(doc, tokens, parent, form, value)


def remove(doc: Document, tokens: list[str]) -> list[Splice]:
    """Remove a key with its line, a table with its sections, or an item of a list."""
    parent, node = node_at(doc, tokens[:-1]), node_at(doc, tokens)
    if isinstance(parent, Sequence):
        if parent.flow:
            return _remove_item(doc, parent, int(tokens[-1]))
        if len(parent.items) == 1:
            return _replaced_by_key(doc, tokens[:-1], [])
        return _without(doc, _runs_of(doc, node))
    entry = entry_at(doc, tokens)
    form = _form_of(parent)
    if isinstance(parent, Mapping) and form == "inline":
        _refuse_dotted(doc, parent)
        return [without_member(parent, parent.entries, parent.entries.index(entry))]
    lines = _runs_of(doc, node, entry.key)
    if isinstance(parent, Mapping) and len(parent.entries) == 1 and form in ("dotted", "implicit"):
        return _left_empty(doc, tokens, entry, lines)
    return _without(doc, lines)


def rename(doc: Document, tokens: list[str], name: str) -> list[Splice]:
    """Rename a key in all places of the text."""
    entry = entry_at(doc, tokens)
    value = entry.value
    tables = value.items if _is_array_of_tables(value) else [value]
    keys = {
        entry.key,
        *(key for table in tables if isinstance(table, Table) for key in table.places),
    }
    text = doc.source.text
    return [Splice(*key.span, key_text(name, text[key.start])) for key in keys]


def _without(doc: Document, runs: list[tuple[int, int]]) -> list[Splice]:
    """Remove runs of lines; a table includes the blank lines below it."""
    text = doc.source.text
    splices: list[Splice] = []
    for start, end in runs:
        if text[start:end].lstrip(" \t").startswith("["):
            blank = _BLANK_LINES.match(text, end, doc.span.end)
            end = blank.end() if blank else end
            if end >= doc.span.end:
                text_above = text[doc.span.start : start].rstrip(" \t\r\n")
                start = next_line(doc, doc.span.start + len(text_above)) if text_above else start
        start = max(start, splices[-1].end if splices else 0)
        splices.append(Splice(start, max(start, end), ""))
    return splices


def _left_empty(
    doc: Document, tokens: list[str], entry: Entry, lines: list[tuple[int, int]]
) -> list[Splice]:
    """Remove the only key of a table that would disappear with it: write the empty table out."""
    if _form_of(node_at(doc, tokens[:-1])) == "dotted":
        start = _statement_start(doc, entry.key.start)
        before = doc.source.text[start : entry.key.start].rstrip(" \t")
        holder = before.removesuffix(".").rstrip(" \t")
        value = entry.value
        while isinstance(value, Mapping) and not value.flow and value.entries:
            value = value.entries[-1].value
        return [Splice(start, value.end, f"{holder} = {{}}"), *_without(doc, lines[1:])]
    header = _header(doc, tokens[:-1]) + doc.source.newline
    return [Splice(*lines[0], header), *_without(doc, lines[1:])]


def _header(doc: Document, tokens: list[str]) -> str:
    return f"[{'.'.join(key_text(name) for name in _names_of(doc, tokens))}]"


# Added keys and tables


def _wants_section(parent: Mapping, value: Any) -> bool:
    """Whether a new value becomes a table with a header, like its siblings."""
    values = [entry.value for entry in parent.entries]
    tables = [
        sibling.flow
        for sibling in values
        if isinstance(sibling, Mapping)
        or (isinstance(sibling, Sequence) and are_all(sibling.items, Mapping))
    ]
    if isinstance(value, dict):
        return not all(tables) or not tables
    return isinstance(value, list) and are_all(value, dict) and not all(tables)


def _insert_line(
    doc: Document, tokens: list[str], parent: Mapping, form: str, value: Any
) -> list[Splice]:
    """Add `key = value` after the table's last own line."""
    text, newline = doc.source.text, doc.source.newline
    line_entries = [entry for entry in parent.entries if _has_line(entry.value)]
    name = key_text(tokens[-1])
    if line_entries:
        last = max(line_entries, key=lambda entry: entry.value.end)
        start = _statement_start(doc, last.key.start)
        indent = indent_at(doc, start)
        prefix = text[start : last.key.start] if form == "dotted" else ""
        line = indent + prefix + name + _equals(doc, line_entries, len(prefix + name))
        return _after(doc, last.value.end, line + render(doc, value, None, indent))
    line = f"{name} = {render(doc, value, None, '')}"
    if form == "header":
        return _after(doc, parent.end, indent_at(doc, parent.start) + line)
    if form == "implicit":
        at = line_start(doc, min(start for start, _ in _runs_of(doc, parent)))
        header = _header(doc, tokens[:-1])
        return [Splice(at, at, f"{header}{newline}{line}{newline}{newline}")]
    at = doc.span.start + text.startswith("\ufeff", doc.span.start)
    top = _TOP_COMMENT.match(text, at, doc.span.end)
    at = top.end() if top else at
    before = newline if at > doc.span.start and text[at - 1] not in "\n\ufeff" else ""
    after = newline * 2 if text[at : doc.span.end].strip() else newline
    return [Splice(at, at, before + line + after)]


def _after(doc: Document, offset: int, line: str) -> list[Splice]:
    """Add a line after the line of an offset."""
    at = next_line(doc, offset)
    newline = doc.source.newline
    if at > doc.span.start and doc.source.text[at - 1] == "\n":
        return [Splice(at, at, line + newline)]
    return [Splice(at, at, newline + line)]


def _equals(doc: Document, entries: list[Entry], length: int) -> str:
    """The equals sign with its spaces, aligned with the entries above if they are aligned."""
    text = doc.source.text
    layouts = []
    for entry in entries:
        if isinstance(entry.value, Mapping) and not entry.value.flow:
            continue
        start = _statement_start(doc, entry.key.start)
        before, sign, after = text[entry.key.end : entry.value.start].partition("=")
        if sign:
            layouts.append((entry.key.end - start + len(before), before, after))
    if not layouts:
        return " = "
    columns = {column for column, _, _ in layouts}
    if len(layouts) > 1 and len(columns) == 1 and any(len(before) > 1 for _, before, _ in layouts):
        return " " * max(columns.pop() - length, 1) + "=" + layouts[-1][2]
    _, before, after = layouts[-1]
    return ("" if not before else " ") + "=" + ("" if not after else " ")


def _insert_table(
    doc: Document, tokens: list[str], parent: Sequence, index: int, value: Any
) -> list[Splice]:
    """Add an item to an array of tables with headers."""
    if not isinstance(value, dict):
        raise EditRefused("this array may only contain tables")
    text = section(doc, _names_of(doc, tokens[:-1]), [value])
    if index < len(parent.items):
        at = line_start(doc, parent.items[index].start)
        return [Splice(at, at, text + doc.source.newline)]
    return _section_at(doc, max(end for _, end in _runs_of(doc, parent)), text)


def _section_at(doc: Document, at: int, text: str) -> list[Splice]:
    """Insert a section at a line boundary, with a blank line before and after it."""
    newline, whole = doc.source.newline, doc.source.text
    before = whole[doc.span.start : at].rstrip(" \t\ufeff")
    lead = newline if before.endswith("\n") else newline * 2
    if before.endswith(("\n\n", "\n\r\n")) or not before.strip():
        lead = ""
    follows = whole[at : doc.span.end].lstrip(" \t")
    tail = newline if follows and not follows.startswith(("\n", "\r")) else ""
    return [Splice(at, at, lead + text + tail)]


def _rewrite_section(doc: Document, tokens: list[str], node: Node, value: Any) -> list[Splice]:
    start, end = line_start(doc, node.start), next_line(doc, node.end)
    inside_list = isinstance(node_at(doc, tokens[:-1]), Sequence)
    text = section(doc, _names_of(doc, tokens), [value] if inside_list else value)
    below = [run for run in _runs_of(doc, node) if run[0] >= end]
    return [Splice(start, end, text), *_without(doc, below)]


def _replaced_by_key(doc: Document, tokens: list[str], value: Any) -> list[Splice]:
    """Remove a table with all its sections, and write the key into its parent."""
    parent = node_at(doc, tokens[:-1])
    node = node_at(doc, tokens)
    if not isinstance(parent, Mapping):
        raise EditRefused("this array may only contain tables")
    removals = _without(doc, _runs_of(doc, node))
    form = _form_of(parent)
    if form == "implicit":
        raise EditRefused("its table is not a block of lines")
    entries = [entry for entry in parent.entries if entry.name != tokens[-1]]
    siblings = Mapping(parent.start, parent.end, entries, flow=False)
    if form == "header" and parent.end > node.start > parent.start:
        raise EditRefused("the keys of this table are mixed with other keys")
    return sorted([*removals, *_insert_line(doc, tokens, siblings, form, value)])


def _first_value(doc: Document, tokens: list[str], node: Node, value: Any) -> list[Splice]:
    """Write the value of a key that has none yet."""
    entry = entry_at(doc, tokens)
    value_text = render(doc, value, None, indent_at(doc, entry.key.start))
    between = doc.source.text[entry.key.end : node.start]
    if "=" not in between:
        return [Splice(entry.key.end, entry.key.end, f" = {value_text}")]
    return [Splice(node.start, node.start, value_text if between[-1] != "=" else f" {value_text}")]


# Inline tables


def _insert_inline(doc: Document, parent: Mapping, name: str, value: Any) -> list[Splice]:
    member = key_text(name) + " = " + render(doc, value, None, "", flat=True)
    _refuse_dotted(doc, parent)
    if not parent.entries:
        return [Splice(parent.start + 1, parent.end - 1, f" {member} ")]
    at = parent.entries[-1].value.end
    return [Splice(at, at, f", {member}")]


def _refuse_dotted(doc: Document, parent: Mapping) -> None:
    if not doc.source.text.startswith("{", parent.start):
        raise EditRefused("an inline table contains a dotted key here")


_TO_COMMA = re.compile(r"(?:[ \t\r\n]|#[^\n]*\n)*,")
_REST = re.compile(r"[ \t]*,?[ \t]*(?:#[^\n]*)?(?:\n|\Z)")


def _insert_item(doc: Document, node: Sequence, index: int, value: Any) -> list[Splice]:
    text, newline = doc.source.text, doc.source.newline
    items = node.items
    if not items:
        return _only(doc, node, value)
    near = items[min(index, len(items) - 1)]
    has_own_line = begins_line(doc, near.start)
    start = line_start(doc, near.start)
    indent = text[start : near.start] if has_own_line else ""
    item_text = render(doc, value, None, indent, flat=not has_own_line)
    if index < len(items):
        if has_own_line:
            return [Splice(start, start, f"{indent}{item_text},{newline}")]
        return [Splice(near.start, near.start, f"{item_text}, ")]
    comma = _TO_COMMA.match(text, near.end, node.end)
    at = comma.end() if comma else near.end
    before, after = ("", ",") if comma else (",", "")
    if not has_own_line:
        return [Splice(at, at, f"{before} {item_text}{after}")]
    line = text.find("\n", at, node.end)
    if line < 0 or not _REST.match(text, at, node.end):
        return [Splice(at, at, f"{before}{newline}{indent}{item_text}{after}")]
    insertion = Splice(line + 1, line + 1, f"{indent}{item_text}{after}{newline}")
    return [insertion] if comma else [Splice(at, at, ","), insertion]


def _remove_item(doc: Document, node: Sequence, index: int) -> list[Splice]:
    """Remove an item with its comma, and with its line if it is the only one on it."""
    text, items = doc.source.text, node.items
    item = items[index]
    comma = _TO_COMMA.match(text, item.end, node.end)
    end = comma.end() if comma else item.end
    rest = _REST.match(text, end, node.end)
    before = items[index - 1] if index else None
    previous_comma = _TO_COMMA.match(text, before.end, item.start) if before else None
    drop = []
    if before and previous_comma and not comma and index == len(items) - 1:
        drop = [Splice(previous_comma.end() - 1, previous_comma.end(), "")]
    if begins_line(doc, item.start) and rest and text[rest.end() - 1] == "\n":
        return [*drop, Splice(line_start(doc, item.start), rest.end(), "")]
    if index + 1 < len(items):
        follows = items[index + 1].start
        if comma and "\n" in text[end:follows]:
            follows = end
        return [Splice(item.start, follows, "")]
    if before and "#" not in text[before.end : item.start]:
        return [Splice(before.end, item.end, "")]
    return [*drop, Splice(item.start, end, "")]


def _only(doc: Document, node: Sequence, value: Any) -> list[Splice]:
    """The first item of an empty list."""
    last = doc.source.text.rfind("\n", node.start, node.end) + 1
    if not last:
        return [Splice(node.start + 1, node.end - 1, render(doc, value, None, "", flat=True))]
    indent = indent_at(doc, node.start) + "    "
    item_text = render(doc, value, None, indent)
    return [Splice(last, last, f"{indent}{item_text},{doc.source.newline}")]


_KEY = r"([A-Za-z0-9_-]+|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*')"
_DOT_BEFORE = re.compile(rf"{_KEY}[ \t]*\.[ \t]*\Z")


# Tables and lines


def _form_of(node: Node) -> str:
    """How a table is made; "" for any other value."""
    if not isinstance(node, Table):
        return ""
    return "inline" if node.flow else node.form


def _names_of(doc: Document, tokens: list[str]) -> list[str]:
    """The tokens that are keys, not indices."""
    holders = [node_at(doc, tokens[:depth]) for depth in range(len(tokens))]
    return [
        token for token, holder in zip(tokens, holders, strict=True) if isinstance(holder, Mapping)
    ]


def _statement_start(doc: Document, start: int) -> int:
    """The offset of the line's key, given its last part: `a` for the b of `a.b = 1`."""
    line = line_start(doc, start)
    while match := _DOT_BEFORE.search(doc.source.text[line:start]):
        start = line + match.start(1)
    return start


def _runs_of(doc: Document, node: Node, key: Scalar | None = None) -> list[tuple[int, int]]:
    """The runs of whole lines of a value with its key, or of a table with the tables below it."""
    runs: list[tuple[int, int]] = []
    for start, end in sorted(_own_runs(doc, node, key)):
        if runs and start <= runs[-1][1]:
            runs[-1] = runs[-1][0], max(end, runs[-1][1])
        else:
            runs.append((start, end))
    return runs


def _own_runs(doc: Document, node: Node, key: Scalar | None) -> Iterator[tuple[int, int]]:
    if isinstance(node, Mapping) and not node.flow:
        if _form_of(node) == "header":
            yield line_start(doc, node.start), next_line(doc, node.end)
        for entry in node.entries:
            yield from _own_runs(doc, entry.value, entry.key)
    elif _is_array_of_tables(node):
        for item in node.items:
            yield from _own_runs(doc, item, None)
    elif key:
        yield line_start(doc, key.start), next_line(doc, node.end)


def _has_line(value: Node) -> bool:
    """Whether a value is written below its table's header, without a header of its own."""
    if isinstance(value, Mapping) and not value.flow:
        return _form_of(value) == "dotted"
    return not _is_array_of_tables(value)


def _is_array_of_tables(node: Node) -> TypeGuard[Sequence]:
    return isinstance(node, Sequence) and not node.flow
