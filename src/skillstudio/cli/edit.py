"""`skillstudio edit`: change one value of a manifest and no other byte."""

from __future__ import annotations

import json
from typing import Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.output import CommandRefused, Result, UsageError, refusing
from skillstudio.cli.saving import Texts, write_or_show
from skillstudio.cli.skill_paths import one_skill_path
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.dialect import Manifest
from skillstudio.manifest.locate import locate
from skillstudio.text.diagnostic import Splice
from skillstudio.text.node import Document, join_pointer, split_pointer


def run(options: CommandOptions) -> Result:
    """Make the edit. Raises Refused, UsageError."""
    from skillstudio.text.edit import EditRefused, apply

    if (options.value is None) != (options.action == "remove"):
        problem = "does not accept a" if options.action == "remove" else "needs a"
        raise UsageError(f"{options.action} {problem} VALUE")
    target, inside = one_skill_path(options.path)
    disk = DiskTree(target.disk)
    where = target.shown

    def make() -> Texts:
        nonlocal where
        manifest = _manifest_of(locate(disk, target.settings).skill.manifests, options, inside)
        where = f"{target.shown}/{manifest.path}"
        old = manifest.document.source.text
        return {manifest.path: (old, apply(old, _splices(manifest.document, options)))}

    try:
        return write_or_show(disk, target.shown, make, options)
    except EditRefused as error:
        raise CommandRefused(f"{where}: {error}") from None


def _splices(document: Document, options: CommandOptions) -> list[Splice]:
    from skillstudio.text import edit

    pointer = options.pointer
    if options.action == "remove":
        return edit.remove(document, pointer)
    if options.action == "rename":
        return edit.rename(document, pointer, options.value)
    change = edit.insert if options.action == "add" else edit.set_value
    return change(document, pointer, options.value if options.string else _parsed(options.value))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=str)
    except (ValueError, RecursionError):
        return text


def _manifest_of(manifests: tuple[Manifest, ...], options: CommandOptions, inside: str) -> Manifest:
    with refusing(ValueError):
        tokens = split_pointer(options.pointer)
    if options.dialect:
        manifests = tuple(m for m in manifests if m.dialect.id == options.dialect)
    files = [m for m in manifests if m.path == inside]
    candidates = list({id(m.document): m for m in files or manifests}.values())
    if not candidates:
        asked = f" of dialect {options.dialect}" if options.dialect else ""
        raise UsageError(f"{options.path} has no manifest{asked} to edit")
    for pointer in (options.pointer, join_pointer(tokens[:-1])):
        fitting = [m for m in candidates if m.document.at(pointer) is not None]
        if len(fitting) == 1 or (fitting and inside):
            return fitting[0]
        if fitting:
            ids = ", ".join(m.dialect.id for m in fitting)
            raise UsageError(
                f"{options.pointer} fits several manifests; choose one with --dialect: {ids}"
            )
    if len(candidates) == 1:
        return candidates[0]
    raise UsageError(f"{options.pointer} fits no manifest of {options.path}")
