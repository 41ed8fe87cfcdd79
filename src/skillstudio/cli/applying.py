"""Apply the changes of a run or write them as a patch, and report the outcome."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.output import Paint, say
from skillstudio.dryrun.applying.apply import apply, find_interrupted_apply
from skillstudio.dryrun.applying.changes import (
    ApplyChange,
    ApplyConflicts,
    ApplyFailed,
    Conflict,
)
from skillstudio.dryrun.applying.recorded_changes import ExcludedChange, changes_of_run
from skillstudio.files.paths import make_relative
from skillstudio.present.lines import count
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.dryrun.report import RunReport
    from skillstudio.dryrun.run import CompletedRun

_ROWS = 40  # Changes and conflicts that are listed; JSON has all of them.
_GLYPHS = {"added": "+", "modified": "~", "removed": "-"}


class WrittenPatch(NamedTuple):
    """A file with a patch, and what its paths are relative to."""

    file: str
    root: str
    is_repository: bool


class AppliedRun(NamedTuple):
    """The outcome of applying the changes of a run."""

    applied_changes: tuple[ApplyChange, ...] = ()
    already: tuple[ApplyChange, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    exclusions: tuple[ExcludedChange, ...] = ()
    error: str = ""  # Why nothing is applied, except for conflicts.
    notes: tuple[str, ...] = ()
    is_checked_only: bool = False
    patches: tuple[WrittenPatch, ...] = ()
    is_applied: bool = True
    """Whether changes were to be applied; False if only a patch was requested."""

    @property
    def status(self) -> int:
        return PROBLEMS if self.conflicts or self.error else OK


def perform(changes: Sequence[ApplyChange], report: RunReport) -> AppliedRun:
    """Name what will change, then apply it.

    Conflicts and errors are in the outcome, not raised.
    """

    def announce(step: str) -> None:
        # With a conflict, or with everything applied already, nothing is written or announced.
        if step == "begin":
            plan, files = report.plan, _join_names([_line(change) for change in changes])
            say(
                f"applying run {report.run} of the skill {plan.skill} ({plan.roots.skill}) to the "
                f"workspace {plan.roots.workspace}: {files or 'no files'}"
            )

    if error := find_interrupted_apply():
        return AppliedRun(error=error)
    try:
        result = apply(changes, announce)
    except ApplyConflicts as conflict_error:
        return AppliedRun(conflicts=conflict_error.conflicts)
    except ApplyFailed as failure:
        return AppliedRun(error=str(failure))
    return AppliedRun(result.applied_changes, result.already, notes=result.notes)


def ground_value(report: RunReport) -> dict[str, Any]:
    """The skill and the workspace of a run as JSON."""
    plan = report.plan
    return {
        "skill": {"name": plan.skill, "folder": plan.roots.skill},
        "workspace": plan.roots.workspace,
    }


def _join_names(texts: Sequence[str], most: int = _ROWS) -> str:
    remainder = f" and {len(texts) - most:,} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + remainder


def _line(change: ApplyChange) -> str:
    return f"{_GLYPHS[_word(change)]} {make_relative(change.target)}"


def after_run(
    completed_run: CompletedRun, is_applied: bool, patch_file: str | None, skips_sensitive: bool
) -> AppliedRun:
    """Write a patch of what a run changed, and apply the changes if the run succeeded."""
    from skillstudio.dryrun.redaction.searching import why_sensitive

    changes = changes_of_run(completed_run)
    outcome = AppliedRun(is_applied=False)
    if patch_file:
        search = partial(why_sensitive, redactor=completed_run.redactor)
        outcome = write_patch(
            changes.applicable_changes, patch_file, completed_run.report, search, skips_sensitive
        )
    if is_applied and not outcome.error:
        if completed_run.report.ok:
            applied_run = perform(changes.applicable_changes, completed_run.report)
        else:
            applied_run = AppliedRun(
                error="nothing is applied, because the run did not succeed; to apply anyway, run "
                f"skillstudio apply {completed_run.report.run}"
            )
        outcome = applied_run._replace(
            patches=outcome.patches,
            exclusions=outcome.exclusions,
            notes=(*outcome.notes, *applied_run.notes),
        )
    return outcome._replace(exclusions=(*outcome.exclusions, *changes.exclusions))


def outcome_value(outcome: AppliedRun) -> dict[str, Any]:
    """The outcome as JSON."""
    return {
        "applied": [_value(change) for change in outcome.applied_changes],
        "already": [_value(change) for change in outcome.already],
        "checked_only": outcome.is_checked_only,
        "conflicts": [conflict._asdict() for conflict in outcome.conflicts],
        "left": [change._asdict() for change in outcome.exclusions],
        "error": outcome.error or None,
        "patch": outcome.patches[0].file if len(outcome.patches) == 1 else None,
        "patches": [{"file": patch.file, "root": patch.root} for patch in outcome.patches],
        "notes": list(outcome.notes),
    }


def _value(change: ApplyChange) -> dict[str, str]:
    return {
        "root": change.root,
        "path": change.path,
        "change": _word(change),
        "file": change.target,
    }


def outcome_lines(outcome: AppliedRun, paint: Paint) -> Iterator[str]:
    """The outcome for people, without the notes that `say_notes` prints."""
    for conflict in outcome.conflicts[:_ROWS]:
        yield f"{paint('conflict', 'error')} {safe_text(f'{conflict.path} {conflict.message}')}"
    if len(outcome.conflicts) > _ROWS:
        yield f"and {len(outcome.conflicts) - _ROWS:,} more conflicts"
    if outcome.error:
        yield f"{paint('error', 'error')} {safe_text(outcome.error)}"
    for change in outcome.applied_changes[:_ROWS]:
        yield safe_text(_line(change))
    if len(outcome.applied_changes) > _ROWS:
        yield f"and {len(outcome.applied_changes) - _ROWS:,} more"
    for each_patch in outcome.patches:
        yield f"wrote {safe_text(each_patch.file)}"
    if outcome.conflicts:
        yield "nothing is applied"
    elif outcome.is_applied and not outcome.error:
        would = "would be " if outcome.is_checked_only else ""
        if outcome.applied_changes or not outcome.already:
            yield f"{count(len(outcome.applied_changes), 'change')} {would}applied"
        if outcome.already:
            yield f"{count(len(outcome.already), 'change')} already applied"


def say_notes(outcome: AppliedRun) -> None:
    """Print what is left out."""
    for exclusion in outcome.exclusions:
        what = (
            "left out"
            if exclusion.why.endswith("patch") or not outcome.is_applied
            else "not applied"
        )
        say(f"{what}: {exclusion.path} {exclusion.why}".replace("  ", " "))
    for patch in outcome.patches:
        where = "the git root" if patch.is_repository else "the folder"
        say(f"{patch.file}: paths are relative to {where} {patch.root}")
    say(*outcome.notes)


def write_patch(
    changes: Sequence[ApplyChange],
    file: str,
    report: RunReport,
    why_sensitive: Callable[[bytes], str],
    skips_sensitive: bool,
) -> AppliedRun:
    """Write a patch of changes to a file, or one file for each root that they are below.

    Errors are in the outcome, not raised.
    """
    from skillstudio.dryrun.applying.patch import PatchRefused, header, patches

    written_patches: list[WrittenPatch] = []
    try:
        patch_set = patches(changes, why_sensitive, skips_sensitive)
        home = os.path.realpath(os.path.expanduser("~"))
        if not patch_set.patches:
            _write_private(file, b"")
            none = WrittenPatch(file, report.plan.roots.workspace, False)
            return AppliedRun(patches=(none,), exclusions=patch_set.exclusions, is_applied=False)
        names = _patch_files(file, [patch.root for patch in patch_set.patches])
        for name, patch in zip(names, patch_set.patches, strict=True):
            _write_private(name, header(patch, report.run, report.plan.skill, home) + patch.data)
            written_patches.append(WrittenPatch(name, patch.root, patch.is_repository))
    except (PatchRefused, OSError) as error:
        why = str(getattr(error, "strerror", None) or error)
        message = f"cannot write the patch {file}: {why}"
        return AppliedRun(patches=tuple(written_patches), error=message, is_applied=False)
    return AppliedRun(
        patches=tuple(written_patches), exclusions=patch_set.exclusions, is_applied=False
    )


def _write_private(file: str, data: bytes) -> None:
    from skillstudio.files.saving.writer import write_file

    if os.path.isfile(file):
        # A save keeps the mode of the file that it replaces.
        os.chmod(file, 0o600)
    write_file(file, data, 0o600)


def _patch_files(file: str, roots: Sequence[str]) -> list[str]:
    """A file for the patch of each root.

    Raises PatchRefused if it exists and is not a patch of skillstudio, because nobody named it.
    """
    from skillstudio.dryrun.applying.patch import HEADER, PatchRefused

    if len(roots) == 1:
        return [file]
    start, suffix = os.path.splitext(file)
    names: list[str] = []
    for root in roots:
        name = f"{start}-{os.path.basename(root) or 'root'}{suffix}"
        if name in names:
            name = f"{start}-{len(names) + 1}-{os.path.basename(root)}{suffix}"
        names.append(name)
    for name in filter(os.path.lexists, names):
        is_ours = False
        if os.path.isfile(name):
            with open(name, "rb") as stream:
                is_ours = stream.read(len(HEADER)) == HEADER
        if not is_ours:
            raise PatchRefused(
                f"the changes are below {' and '.join(roots)}, and the patch of one of them would "
                f"be written to {name}, which exists; name another file"
            )
    return names


def _word(change: ApplyChange) -> str:
    if change.before is None:
        return "added"
    return "removed" if change.after is None else "modified"
