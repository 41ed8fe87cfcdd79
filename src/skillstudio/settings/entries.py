"""Add an entry to a list of tables in a file with settings, such as `[[waive]]`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skillstudio.settings.read import own_part
from skillstudio.settings.settings import table_of
from skillstudio.text.diagnostic import Splice
from skillstudio.text.edit import insert
from skillstudio.text.editing import EditRefused
from skillstudio.text.node import Sequence, resolve, split_pointer
from skillstudio.text.reading import read
from skillstudio.text.source import Source, Span
from skillstudio.text.splicing import apply


def entries(source: Source, name: str) -> list[Any]:
    """The entries of a list. Raises EditRefused for a file that is not TOML."""
    document = read(source, "toml", Span(0, len(source.text)))
    if document.faults:
        line, column = source.position(document.faults[0].start)
        raise EditRefused(
            f"{source.path}:{line}:{column}: {document.faults[0].message}; fix it first"
        )
    table = own_part(document).value
    values = table.get(name, []) if isinstance(table, dict) else []
    return values if isinstance(values, list) else []


def add_entry(source: Source, name: str, entry: Mapping[str, str]) -> list[Splice]:
    """The splices that add an entry, in the style of the others. Raises EditRefused."""
    document = read(source, "toml", Span(0, len(source.text)))
    table = table_of(source.path)
    node = resolve(document.at(f"{table}/{name}"))
    if node is not None and not isinstance(node, Sequence):
        raise EditRefused(f"`{name}` is not a list of tables")
    if node is not None and node.items:
        return insert(document, f"{table}/{name}/-", dict(entry))
    if node is not None:
        return insert(document, f"{table}/{name}", [dict(entry)])
    return [_append_table(source, document.value, [*split_pointer(table), name], entry)]


def _append_table(
    source: Source, value: dict[str, Any], names: list[str], entry: Mapping[str, str]
) -> Splice:
    """The entry as a new table of this name at the end, verified by parsing the result."""
    from skillstudio.text.editing.toml_render import section

    end = len(source.text)
    document = read(source, "toml", Span(0, end))
    before = source.newline if source.text else ""
    if source.text and not source.text.endswith(("\n", "\r")):
        before += source.newline
    splice = Splice(end, end, before + section(document, names, [dict(entry)]))
    text = apply(source.text, [splice])
    again = read(Source(text, source.path), "toml", Span(0, len(text)))
    if again.faults or again.value != _extend_value(value, names, [dict(entry)]):
        raise EditRefused(
            "the entry would change another value, or the file format cannot represent it"
        )
    return splice


def _extend_value(value: Any, names: list[str], new_value: Any) -> Any:
    """A value with one more entry, below the tables of these names."""
    if not names:
        return new_value
    table = value if isinstance(value, dict) else {}
    return {**table, names[0]: _extend_value(table.get(names[0]), names[1:], new_value)}
