"""`skillstudio edit`: change one value of a manifest and no other byte."""

from __future__ import annotations

import json
import os
from argparse import Namespace
from collections.abc import Callable
from typing import Any, NoReturn

from skillstudio.cli.exit_codes import OK
from skillstudio.cli.output import CommandRefused, Parser, UsageError
from skillstudio.cli.saving import NotSaved, Texts, save_made
from skillstudio.cli.skill_paths import Notes, SkillPath, skill_paths
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.dialect import Manifest
from skillstudio.manifest.locate import locate
from skillstudio.text.diagnostic import Splice
from skillstudio.text.node import Document, join_pointer, split_pointer
from skillstudio.text.safe import safe_text

VERBS = ("set", "add", "remove", "rename")


def parser() -> Parser:
    made = Parser(
        "edit",
        "Change one value of a manifest; every other byte stays. A value that begins with - "
        "follows --.",
    )
    add = made.add_argument
    add("path", metavar="PATH", help="a skill, or a file of one")
    add("verb", choices=VERBS)
    add("pointer", metavar="POINTER", help="a JSON Pointer such as /outputs/files/0/pattern")
    add("value", nargs="?", metavar="VALUE", help="JSON where it is JSON, else a string")
    add("--string", action="store_true", help="take the value as a string, whatever it looks like")
    add("--dialect", metavar="ID", help="the manifest meant, where the skill has several")
    add("--diff", action="store_true", help="show the change and write nothing")
    return made


def run(arguments: list[str]) -> int:
    """Make the edit. Exit status 1 when it is refused, with the reason."""
    options = parser().parse_args(arguments)
    if (options.value is None) != (options.verb == "remove"):
        raise UsageError(f"{options.verb} takes {'no' if options.verb == 'remove' else 'a'} VALUE")
    skill_path, inside = one_skill_path(options.path)
    disk = DiskTree(skill_path.disk)
    from skillstudio.text.edit import EditRefused, apply

    where = skill_path.shown

    def make() -> Texts:
        nonlocal where
        manifest = _manifest_of(locate(disk, skill_path.settings).skill.manifests, options, inside)
        where = f"{skill_path.shown}/{manifest.path}"
        old = manifest.document.source.text
        return {manifest.path: (old, apply(old, _splices(manifest.document, options)))}

    try:
        return write_or_show(disk, skill_path, make, options.diff)
    except EditRefused as error:
        return refuse(where, str(error))


def one_skill_path(path: str) -> tuple[SkillPath, str]:
    """The one skill that a path means, and the file in it where the path is one.

    Raises UsageError where it means none or several.
    """
    notes = Notes()
    found = list(skill_paths([path], notes))
    if os.path.isdir(path):
        found = [each for each in found if os.path.samefile(each.disk, path)] or found
    if not found:
        raise UsageError(
            "; ".join(note[1] for note in notes.found) or f"{path} does not contain a skill"
        )
    if len(found) > 1:
        names = ", ".join([*(each.shown for each in found[:5]), *(["…"] if found[5:] else [])])
        raise UsageError(f"{path} holds {len(found)} skills; name one: {names}")
    inside = "" if os.path.isdir(path) else os.path.relpath(path, found[0].disk)
    return found[0], inside.replace(os.sep, "/")


def write_or_show(
    disk: DiskTree, skill_path: SkillPath, make: Callable[[], Texts], diff: bool
) -> int:
    """Write the files that `make` makes, or print what would change.

    `make` is called again where a file has changed meanwhile. The exit status: 1 when a file
    could not be written as it was meant.
    """
    from skillstudio.text.hunks import unified

    if not diff:
        try:
            save_made(disk, make)
        except NotSaved as error:
            return refuse(f"{skill_path.shown}/{error.path}", str(error))
        return OK
    for path, (old, new) in make().items():
        name = f"{skill_path.shown}/{path}"
        shown = unified(old or "", new, f"a/{name}", f"b/{name}")
        print(safe_text(shown, keep_newlines=True), end="")
    return OK


def refuse(where: str, why: str) -> NoReturn:
    """Give up because of what a file holds, with the reason. Raises Refused."""
    raise CommandRefused(safe_text(f"{where}: {why}"))


def _splices(document: Document, options: Namespace) -> list[Splice]:
    from skillstudio.text import edit

    pointer = options.pointer
    if options.verb == "remove":
        return edit.remove(document, pointer)
    if options.verb == "rename":
        return edit.rename(document, pointer, options.value)
    change = edit.insert if options.verb == "add" else edit.set_value
    return change(document, pointer, options.value if options.string else _parsed(options.value))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=str)
    except (ValueError, RecursionError):
        return text


def _manifest_of(manifests: tuple[Manifest, ...], options: Namespace, inside: str) -> Manifest:
    """The manifest that the pointer speaks of. Raises UsageError where that is not one."""
    try:
        tokens = split_pointer(options.pointer)
    except ValueError as error:
        raise UsageError(str(error)) from None
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
                f"{options.pointer} fits more than one manifest; choose with --dialect: {ids}"
            )
    if len(candidates) == 1:
        return candidates[0]
    raise UsageError(f"{options.pointer} fits no manifest of {options.path}")
