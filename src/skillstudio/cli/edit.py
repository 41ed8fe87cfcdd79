"""`skillstudio edit`: change a value, the name of an input or the operations of a manifest.

No other byte of a file changes.
"""

from __future__ import annotations

import json
from typing import Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.output import CommandRefused, Result, UsageError, refuse_on, say
from skillstudio.cli.saving import Texts, write_or_show
from skillstudio.cli.skill_paths import one_skill_path
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.dialect import Manifest
from skillstudio.manifest.locate import locate
from skillstudio.present.lines import count
from skillstudio.text.diagnostic import Splice
from skillstudio.text.node import Document, join_pointer, split_pointer


def run(options: CommandOptions) -> Result:
    """Make the edit. Raises CommandRefused, UsageError."""
    has_value = options.action not in ("remove", "add-operation")
    if (options.value is not None) != has_value:
        problem = "needs a" if has_value else "does not accept a"
        raise UsageError(f"{options.action} {problem} VALUE")
    if options.action == "rename-input":
        return _rename_input(options)
    return _add_operation(options) if options.action == "add-operation" else _edit_value(options)


def _edit_value(options: CommandOptions) -> Result:
    from skillstudio.text.edit import EditRefused, apply

    target, inside = one_skill_path(options.path)
    disk = DiskTree(target.disk)
    where = target.label

    def make() -> Texts:
        nonlocal where
        manifest = _manifest_of(locate(disk, target.settings).skill.manifests, options, inside)
        where = f"{target.label}/{manifest.path}"
        old = manifest.document.source.text
        return {manifest.path: (old, apply(old, _splices(manifest.document, options)))}

    try:
        return write_or_show(disk, target.label, make, options)
    except EditRefused as error:
        raise CommandRefused(f"{where}: {error}") from None


def _rename_input(options: CommandOptions) -> Result:
    """Rename it wherever it is used."""
    from skillstudio.manifest.rename import RenameRefused, rename_input
    from skillstudio.text.edit import apply

    if options.dialect:
        raise UsageError("rename-input changes every manifest of the skill; omit --dialect")
    target, _ = one_skill_path(options.path)
    disk = DiskTree(target.disk)
    mentions = 0

    def make() -> Texts:
        nonlocal mentions
        rename_result = rename_input(
            locate(disk, target.settings).skill, options.what, options.value
        )
        mentions = sum(map(len, rename_result.mentions.values()))
        changes = {}
        for path, old in rename_result.texts.items():
            splices = list(rename_result.splices.get(path, []))
            splices += rename_result.mentions.get(path, []) if options.prose else []
            if splices:
                changes[path] = (old, apply(old, sorted(splices)))
        return changes

    with refuse_on(RenameRefused, kind=CommandRefused, of=target.label):
        result = write_or_show(disk, target.label, make, options)
    if mentions and not options.prose:
        say(f"{count(mentions, 'mention')} in prose not changed; --prose also changes them")
    return result


def _add_operation(options: CommandOptions) -> Result:
    """Add an operation for a script, if it is readable and a manifest accepts it."""
    from skillstudio.scaffold.new.scripts.adding import AddRefused, add_operation
    from skillstudio.text.edit import EditRefused

    target, _ = one_skill_path(options.path)
    disk = DiskTree(target.disk)
    notes: list[str] = []

    def make() -> Texts:
        addition = add_operation(
            locate(disk, target.settings).skill, options.what, options.name, options.dialect
        )
        action = "would add" if options.diff else "added"
        notes[:] = [f"{action} the operation {addition.name}", *addition.notes]
        return {addition.path: (addition.old, addition.new)}

    with refuse_on(AddRefused, EditRefused, kind=CommandRefused, of=target.label):
        result = write_or_show(disk, target.label, make, options)
    say(*notes)
    return result


def _splices(document: Document, options: CommandOptions) -> list[Splice]:
    from skillstudio.text import edit

    pointer = options.what
    if options.action == "remove":
        return edit.remove(document, pointer)
    if options.action == "rename":
        return edit.rename(document, pointer, options.value)
    change = edit.insert if options.action == "add" else edit.set_value
    value = options.value if options.string else _parse_value(options.value)
    return change(document, *edit.in_new_mapping(document, pointer, value))


def _parse_value(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=str)
    except (ValueError, RecursionError):
        return text


def _manifest_of(manifests: tuple[Manifest, ...], options: CommandOptions, inside: str) -> Manifest:
    with refuse_on(ValueError):
        tokens = split_pointer(options.what)
    if options.dialect:
        manifests = tuple(m for m in manifests if m.dialect.id == options.dialect)
    files = [m for m in manifests if m.path == inside]
    candidates = list({id(m.document): m for m in files or manifests}.values())
    if not candidates:
        dialect_text = f" of dialect {options.dialect}" if options.dialect else ""
        raise UsageError(f"{options.path} has no manifest{dialect_text} to edit")
    for pointer in (options.what, join_pointer(tokens[:-1])):
        matching_manifests = [m for m in candidates if m.document.at(pointer) is not None]
        if len(matching_manifests) == 1 or (matching_manifests and inside):
            return matching_manifests[0]
        if matching_manifests:
            ids = ", ".join(m.dialect.id for m in matching_manifests)
            raise UsageError(
                f"{options.what} fits several manifests; choose one with --dialect: {ids}"
            )
    if len(candidates) == 1:
        return candidates[0]
    raise UsageError(f"{options.what} fits no manifest of {options.path}")
