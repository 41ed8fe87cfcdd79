"""`skillstudio bump`: the version that a skill's changes ask for, and the writing of it."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from datetime import date

from skillstudio.cli.compared import ComparedVersions, Governing, compared, notes
from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.output import Parser, UsageError, print_json, say
from skillstudio.cli.saving import NotSaved, Texts, save_made
from skillstudio.files.disk import DiskTree
from skillstudio.files.git import GitError
from skillstudio.files.repository import open_repository
from skillstudio.manifest.versions import is_semver
from skillstudio.present.comparison import comparison_bump
from skillstudio.skill.versions.bumping import (
    BumpRefused,
    NotSemver,
    asked_for,
    bumped,
    check_versions,
    places_of,
    tag_command,
)
from skillstudio.skill.versions.comparison import shown_path
from skillstudio.skill.versions.operands import Operand, OperandError, before, resolve
from skillstudio.text.safe import safe_text


def parser() -> Parser:
    made = Parser(
        "bump",
        "Print the version that a skill's changes ask for, since its last tag, else HEAD.",
    )
    add = made.add_argument
    add("path", nargs="?", default=".", metavar="PATH", help="a skill on disk")
    add("--against", metavar="VERSION", help="the old version: a git ref, or what diff takes")
    add("--ruleset", choices=("default", "strict", "lenient", "security"), default="default")
    add("--write", action="store_true", help="write it to the manifests and CHANGELOG.md")
    add("--diff", action="store_true", help="show what --write would change and write nothing")
    add("--tag", action="store_true", help="print the command that tags it; refused while dirty")
    add("--format", choices=("text", "json"), default="text")
    return made


def run(arguments: list[str]) -> int:
    """Print the version. Exit status 1 when writing or tagging is refused, with the reason."""
    options = parser().parse_args(arguments)
    row = _compared(options)
    for note in notes([row]):
        say(safe_text(note))
    version = _version(row)
    if options.diff:
        status = _show(row, version)
        if status != OK or not options.tag:
            return status
    elif options.write:
        status, row, version = _write(row, version, options)
        if status != OK or not options.tag:
            _print(row, version, options)
            return status
    if options.tag:
        return _tag(row, version, options.format)
    _print(row, version, options)
    return OK


def _compared(options: Namespace) -> ComparedVersions:
    try:
        new = resolve(options.path)
        if not new.folder or new.commit:
            raise UsageError(f"{options.path} is not on disk, so it cannot be bumped")
        old = _against(options, new)
    except OperandError as error:
        raise UsageError(str(error)) from None
    return compared(old, new, Governing(), options.ruleset)


def _version(row: ComparedVersions) -> str:
    """The version that is asked for. Raises UsageError where the one there cannot be followed."""
    try:
        check_versions(row.comparison)
    except NotSemver as error:
        path = shown_path(error.operand, error.place.path)
        place = f"{path}:{error.place.line}:{error.place.column}"
        raise UsageError(f"{place}: {error}") from None
    return asked_for(row.comparison)


def _against(options: Namespace, new: Operand) -> Operand:
    if not options.against:
        return before(new)
    try:
        with open_repository(new.folder) as repository:
            known = repository.has(options.against)
    except GitError:
        known = False
    if known or is_semver(options.against):
        return resolve(f"{new.folder}@{options.against}")
    try:
        return resolve(options.against)
    except OperandError as error:
        raise OperandError(
            f"--against {options.against}: git knows no such revision here, and {error}"
        ) from None


def _print(row: ComparedVersions, version: str, options: Namespace) -> None:
    if options.format == "json":
        from skillstudio.cli.formats.changes_json import bump_json

        print_json(
            {"path": row.new.path, "version": version, "bump": bump_json(row.comparison.bump)}
        )
        return
    bump = comparison_bump(row.comparison)
    said = bump.text if bump is not None else ""
    if said:
        say(safe_text(f"{row.name} since {row.old.label}: {said}"))
    new = row.comparison.new
    if new is not None and not new.interface.version and not options.write:
        places = places_of(new.skill)
        where = f"it would go to {places[0].shown}" if places else "no manifest has a place for it"
        say(safe_text(f"{row.name} states no version; {where}"))
    print(safe_text(version))


def _made(row: ComparedVersions, version: str) -> Texts:
    """The files with the new version; none where nothing changed. Raises BumpRefused."""
    made = row.comparison
    if made.new is None:
        raise UsageError(f"{row.new.label} holds no skill to bump")
    if not made.content_differs:
        say(safe_text(f"nothing changed since {row.old.label}, so nothing was written"))
        return {}
    return bumped(made.new.skill, version, made.changes, date.today().isoformat())


def _show(row: ComparedVersions, version: str) -> int:
    from skillstudio.text.hunks import unified

    try:
        files = _made(row, version)
    except BumpRefused as error:
        say(f"skillstudio: {safe_text(str(error))}")
        return PROBLEMS
    for path, (old, new) in files.items():
        name = f"{row.new.path}/{path}"
        names = ("/dev/null" if old is None else f"a/{name}", f"b/{name}")
        sys.stdout.write(safe_text(unified(old or "", new, *names), True))
    return OK


def _write(
    row: ComparedVersions, version: str, options: Namespace
) -> tuple[int, ComparedVersions, str]:
    """Write the version; the status, and what was compared and written in the end.

    Where another program changed a file meanwhile, all is compared once more.
    """
    is_stale = False

    def make() -> Texts:
        nonlocal row, version, is_stale
        if is_stale:
            row = _compared(options)
            version = _version(row)
        is_stale = True
        return _made(row, version)

    try:
        files = save_made(DiskTree(row.new.folder), make)
    except BumpRefused as error:
        say(f"skillstudio: {safe_text(str(error))}")
        return PROBLEMS, row, version
    except NotSaved as error:
        say(f"skillstudio: {safe_text(f'{row.new.path}/{error.path}: {error}')}")
        return PROBLEMS, row, version
    for path in files:
        say(f"wrote {safe_text(f'{row.new.path}/{path}')}")
    return OK, row, version


def _tag(row: ComparedVersions, version: str, format: str) -> int:
    """Name the command that tags a version whose files are all committed."""
    folder = os.path.realpath(row.new.folder)
    stated = row.comparison.new.interface.version if row.comparison.new else ""
    try:
        with open_repository(folder) as repository:
            dirty = repository.dirty(repository.prefix(folder))
            tags = {tag.name for tag in repository.tags()}
    except GitError as error:
        raise UsageError(f"a tag needs a repository: {error}") from None
    tag = f"{row.name}@{version}"
    trouble = command = ""
    if dirty:
        names = ", ".join(dirty[:5]) + (", …" if len(dirty) > 5 else "")
        trouble = f"{row.name} has uncommitted changes ({names}); commit them, then tag"
    elif stated and stated != version:
        trouble = f"{row.name} states {stated} and asks for {version}; bump --write, then commit"
    elif tag in tags:
        trouble = f"there is a tag {tag} already"
    else:
        try:
            command = tag_command(row.name, version)
        except BumpRefused as error:
            trouble = str(error)
    if trouble:
        say(f"skillstudio: {safe_text(trouble)}")
        return PROBLEMS
    if format == "json":
        print_json({"path": row.new.path, "version": version, "tag": tag, "command": command})
    else:
        print(safe_text(command))
    return OK
