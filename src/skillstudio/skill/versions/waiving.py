"""Write waivers into the settings."""

from __future__ import annotations

import os
import re
from typing import Any

from skillstudio.settings.read import own_part
from skillstudio.settings.settings import FILE, find_settings, table_of
from skillstudio.skill.lookup import workspace_of
from skillstudio.text.diagnostic import Splice
from skillstudio.text.edit import insert
from skillstudio.text.editing import EditRefused
from skillstudio.text.node import Sequence, resolve, split_pointer
from skillstudio.text.reading import read
from skillstudio.text.source import Source, Span
from skillstudio.text.splicing import apply


class WaiverRefused(Exception):
    """A waiver that cannot be written; the message says why."""


def waivers_file(folder: str) -> str:
    """The settings file for waivers of the skills in a folder, which may not exist yet.

    Never the user's own file: a waiver belongs to the workspace.
    """
    settings_file = find_settings(folder)
    if settings_file is not None and settings_file.origin != "user":
        return settings_file.path
    return os.path.join(workspace_of(folder), FILE)


def waive(source: Source, fingerprint: str, reason: str) -> list[Splice]:
    """The splices that add a waiver to a settings file. Raises WaiverRefused."""
    reason = reason.strip()
    if not re.fullmatch(r"[0-9a-f]{12}", fingerprint):
        raise WaiverRefused(
            f"{fingerprint} is not a fingerprint: use the 12 hexadecimal digits that diff prints"
        )
    if not reason:
        raise WaiverRefused("a waiver needs a reason")
    document = read(source, "toml", Span(0, len(source.text)))
    if document.faults:
        line, column = source.position(document.faults[0].start)
        raise WaiverRefused(
            f"{source.path}:{line}:{column}: {document.faults[0].message}; fix it first"
        )
    table = table_of(source.path)
    settings_table = own_part(document).value
    waivers = settings_table.get("waive", []) if isinstance(settings_table, dict) else []
    for entry in waivers if isinstance(waivers, list) else ():
        if isinstance(entry, dict) and entry.get("fingerprint") == fingerprint:
            raise WaiverRefused(f"{fingerprint} is already waived: {entry.get('reason', '')}")
    waiver = {"fingerprint": fingerprint, "reason": reason}
    try:
        node = resolve(document.at(f"{table}/waive"))
        if node is not None and not isinstance(node, Sequence):
            raise WaiverRefused(f"{source.path}: `waive` is not a list of tables")
        if node is not None and node.items:
            return insert(document, f"{table}/waive/-", waiver)
        if node is not None:
            return insert(document, f"{table}/waive", [waiver])
        return [_append_table(source, document.value, [*split_pointer(table), "waive"], waiver)]
    except EditRefused as error:
        raise WaiverRefused(f"{source.path}: {error}") from None


def _append_table(
    source: Source, value: dict[str, Any], names: list[str], waiver: dict[str, str]
) -> Splice:
    """The waiver as a new table of this name at the end, verified by parsing the result."""
    from skillstudio.text.editing.toml_render import section

    end = len(source.text)
    document = read(source, "toml", Span(0, end))
    before = source.newline if source.text else ""
    if source.text and not source.text.endswith(("\n", "\r")):
        before += source.newline
    splice = Splice(end, end, before + section(document, names, [waiver]))
    text = apply(source.text, [splice])
    again = read(Source(text, source.path), "toml", Span(0, len(text)))
    if again.faults or again.value != _extend_value(value, names, [waiver]):
        raise EditRefused(
            "the waiver would change another value, or the file format cannot represent it"
        )
    return splice


def _extend_value(value: Any, names: list[str], new_value: Any) -> Any:
    """A value with one more entry, below the tables of these names."""
    if not names:
        return new_value
    table = value if isinstance(value, dict) else {}
    return {**table, names[0]: _extend_value(table.get(names[0]), names[1:], new_value)}
