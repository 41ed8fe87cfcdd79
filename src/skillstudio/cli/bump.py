"""`skillstudio bump`: print or write the version that a skill's changes require."""

from __future__ import annotations

import os
import shlex
from contextlib import suppress
from datetime import date
from itertools import islice

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.compared import (
    ComparedVersions,
    Comparisons,
    bump_value,
    compare_operands,
    comparison_parts,
    notes,
)
from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.lists import cut_json, cut_lines
from skillstudio.cli.operands import SettingsReader
from skillstudio.cli.output import CommandRefused, Paint, Result, UsageError, refuse_on, say, warn
from skillstudio.cli.painting import paint_lines
from skillstudio.cli.saving import NotSaved, Texts, diff_lines, save_made
from skillstudio.files.disk import DiskTree
from skillstudio.files.git import GitError, advice_if_shallow
from skillstudio.files.repository import open_repository
from skillstudio.present.comparison import comparison_bump
from skillstudio.skill.versions.between import ends_of
from skillstudio.skill.versions.bumping import (
    BumpRefused,
    NotSemver,
    asked_for,
    check_versions,
    places_of,
    plan_bump,
    tag_command,
    tag_of,
)
from skillstudio.skill.versions.operands import Operand, OperandError, before, resolve
from skillstudio.skill.versions.reading import shown_path
from skillstudio.text.safe import safe_text
from skillstudio.text.versions import is_semver

_MAIN_BRANCHES = ("main", "master", "origin/main", "origin/master")


def run(options: CommandOptions) -> Result:
    """Print, write or tag the version. Raises Refused, UsageError."""
    row = _compare_skill(options)
    if not options.quiet:
        say(*notes([row]))
    version = _version(row)
    diff: list[str] = []
    status = OK
    if options.diff:
        with refuse_on(BumpRefused, kind=CommandRefused):
            diff = diff_lines(row.new.path, _make_texts(row, version))
    elif options.write:
        row, version, status = _write(row, version, options)
    if options.tag and status == OK:
        return _tag(row, version, cut_lines(diff, options.all))
    if options.format != "json" and not options.diff and not options.quiet:
        _say_why(row, options.write)
        if not options.against:
            _say_branch(row, options.path)
        if options.verbose:
            changes = Comparisons([row], whole=options.all, only_changes=True)
            # The first two lines are the bump and the versions.
            lines = islice(paint_lines(comparison_parts(changes), Paint(False)), 2, None)
            say(*filter(None, lines))
    value = {
        "path": row.new.path,
        "version": version,
        "bump": bump_value(row.comparison.bump),
        "no_release": row.old.no_release or None,
    }
    if options.diff:
        value["diff"] = "\n".join(diff)
    return Result(
        lambda: cut_json(value, options.all),
        lambda _: cut_lines(diff, options.all) if options.diff else [safe_text(version)],
        status,
    )


def _compare_skill(options: CommandOptions) -> ComparedVersions:
    with refuse_on(OperandError):
        new = resolve(options.path)
        if not new.folder or new.commit:
            raise UsageError(f"{options.path} is not on disk, so it cannot be bumped")
        old = _against(options, new)
    return compare_operands(old, new, SettingsReader(), options.ruleset)


def _version(row: ComparedVersions) -> str:
    try:
        check_versions(row.comparison)
    except NotSemver as error:
        path = shown_path(error.operand, error.place.path)
        place = f"{path}:{error.place.line}:{error.place.column}"
        raise UsageError(f"{place}: {error}") from None
    return asked_for(row.comparison)


def _against(options: CommandOptions, new: Operand) -> Operand:
    if not options.against:
        try:
            return before(new)
        except OperandError as error:
            raise OperandError(error.reason, "name one with --against") from None
    is_revision, advice = False, ""
    with suppress(GitError), open_repository(new.folder) as repository:
        is_revision = repository.has(options.against)
        advice = "" if is_revision else advice_if_shallow(repository.root)
    if is_revision or is_semver(options.against):
        return resolve(f"{new.folder}@{options.against}")
    try:
        return resolve(options.against)
    except OperandError as error:
        raise OperandError(
            f"--against {options.against}: git has no such revision here, and {error}", advice
        ) from None


def _say_why(row: ComparedVersions, is_written: bool) -> None:
    bump = comparison_bump(row.comparison)
    if bump is not None and bump.text:
        say(f"{row.name} since {row.old.label}: {bump.text}")
    new = row.comparison.new
    if new is not None and not new.version and not is_written:
        places = places_of(new.skill)
        if places:
            say(f"{row.name} declares no version; --write adds it to {places[0].label}")
        else:
            say(f"{row.name} declares no version, and it has no manifest that can")


def _say_branch(row: ComparedVersions, path: str) -> None:
    """Name the main branch if the skill changed since it, and not since HEAD."""
    if row.old.ref != "HEAD" or row.comparison.content_differs:
        return
    with suppress(GitError), open_repository(row.new.folder) as repository:
        inside = repository.prefix(row.new.folder)
        branch = next((name for name in _MAIN_BRANCHES if repository.has(name)), "HEAD")
        old, new = ends_of(repository, branch, "HEAD", True)
        changed_files = repository.files_changed(old.commit, new.commit)
        if any(file.startswith(f"{inside}/" if inside else "") for file in changed_files):
            command = f"skillstudio bump {shlex.quote(path)} --against {branch}"
            say(f"{row.name} changed since {branch}; for the bump since then: {command}")


def _make_texts(row: ComparedVersions, version: str) -> Texts:
    comparison = row.comparison
    if comparison.new is None:
        raise UsageError(f"{row.new.label} does not contain a skill to bump")
    if not comparison.content_differs:
        say(f"nothing changed since {row.old.label}, so nothing was written")
        return {}
    if comparison.new.versioned_in:
        raise BumpRefused(
            f"{row.name} has the version of its plugin; set {version} in "
            f"{comparison.new.versioned_in}"
        )
    return plan_bump(comparison.new.skill, version, comparison.changes, date.today().isoformat())


def _write(
    row: ComparedVersions, version: str, options: CommandOptions
) -> tuple[ComparedVersions, str, int]:
    """Write the version; what was compared and written in the end, and the exit status.

    If another program changes a file meanwhile, the versions are compared again.
    """
    is_stale = False

    def make() -> Texts:
        nonlocal row, version, is_stale
        if is_stale:
            row = _compare_skill(options)
            version = _version(row)
        is_stale = True
        return _make_texts(row, version)

    try:
        files = save_made(DiskTree(row.new.folder), make)
    except (BumpRefused, NotSaved) as error:
        where = f"{row.new.path}/{error.path}: " if isinstance(error, NotSaved) else ""
        warn(f"{where}{error}")
        return row, version, PROBLEMS
    for path in files:
        say(f"wrote {row.new.path}/{path}")
    return row, version, OK


def _tag(row: ComparedVersions, version: str, diff: list[str]) -> Result:
    """The command that tags a version whose files are all committed. Raises Refused."""
    folder = os.path.realpath(row.new.folder)
    new = row.comparison.new
    declared_version = (new.version if new.plugin else new.interface.version) if new else ""
    with refuse_on(GitError, of="a tag needs a repository"), open_repository(folder) as repository:
        dirty = repository.dirty(repository.prefix(folder))
        tags = {tag.name for tag in repository.tags()}
    tag = tag_of(row.comparison, row.name, version)
    name = new.plugin if new and new.plugin else row.name
    if dirty:
        names = ", ".join(dirty[:5]) + (", …" if len(dirty) > 5 else "")
        raise CommandRefused(f"{row.name} has uncommitted changes ({names}); commit them, then tag")
    if declared_version and declared_version != version:
        fix = f"set it in {new.versioned_in}" if new and new.plugin else "run bump --write"
        raise CommandRefused(
            f"{name} declares {declared_version} and needs {version}; {fix}, then commit"
        )
    if tag in tags:
        raise CommandRefused(f"the tag {tag} already exists")
    with refuse_on(BumpRefused, kind=CommandRefused):
        command = tag_command(name, version, tag)

    value = {"path": row.new.path, "version": version, "tag": tag, "command": command}
    return Result(lambda: value, lambda _: [*diff, safe_text(command)])
