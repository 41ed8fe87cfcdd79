"""`skillstudio lock`: write or verify a lock file."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.lock_jobs import Job, at, jobs_of, read_source, roots
from skillstudio.cli.output import Result, UsageError, say
from skillstudio.cli.saving import OUTSIDE, leads_out
from skillstudio.files.disk import DiskTree
from skillstudio.present.lines import count
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.files.saving.writer import Write
    from skillstudio.skill.pins.lock import Lock, LockDifference, Locked
    from skillstudio.skill.pins.locking import Ambiguous, Locking, Mode

HOW = {
    "changed": "changed",
    "mode": "executable bit changed",
    "added": "added",
    "removed": "removed",
}
"""How a file differs, in words."""


@dataclass
class LockOutcome:
    """The outcome for one lock file."""

    job: Job
    state: str
    """`written`, `unchanged`, `ok`, `differs` or `refused`."""
    mode: Mode
    lock: Lock
    differences: list[LockDifference]
    locking: Locking


def run(options: CommandOptions) -> Result:
    """Write or verify. Exit status 1 if something differs from its lock or cannot be locked."""
    outcomes = [_carry_out(job, options) for job in jobs_of(options.paths)]
    if options.format != "json":
        for each in outcomes:
            _say(each, options.check)
    failed = any(each.state in ("differs", "refused") for each in outcomes)
    return Result(
        lambda: {"locks": [_as_json(each) for each in outcomes]},
        lambda _: (line for each in outcomes for line in _lines(each)),
        PROBLEMS if failed else OK,
    )


def _carry_out(job: Job, options: CommandOptions) -> LockOutcome:
    if options.check:
        return _checked(job)
    from skillstudio.files.saving.writer import saving

    # The file is locked before the old lock is read, so that no concurrent change is lost.
    with saving([job.path]) as write:
        return _written(job, write)


def _checked(job: Job) -> LockOutcome:
    from skillstudio.skill.pins import lock as locks
    from skillstudio.skill.pins.locking import mode_of

    old = _old(job)
    if old is None:
        raise UsageError(f"{job.path}: there is no such lock file; run {job.command} to write it")
    locking, new = _collect(job, provenance=False)
    outcome = LockOutcome(job, "refused", mode_of(job.references), new, [], locking)
    if not locking.problems:
        outcome.differences = locks.differences(old, new, os.name != "nt")
        outcome.state = "differs" if outcome.differences else "ok"
    return outcome


def _written(job: Job, write: Write) -> LockOutcome:
    from skillstudio.cli.beads import beads_version
    from skillstudio.skill.pins import lock as locks
    from skillstudio.skill.pins.locking import mode_of
    from skillstudio.text.editing import EditRefused

    old = _old(job)
    locking, new = _collect(job, provenance=True)
    outcome = LockOutcome(job, "refused", mode_of(job.references), new, [], locking)
    if locking.problems:
        return outcome
    new = new._replace(beads_version=beads_version(roots(job)))
    outcome.lock = new = locks.kept(new, old) if old is not None else new
    if old is not None and locks.same(old, new):
        outcome.state = "unchanged"
        return outcome
    outcome.lock = new = new._replace(generated_at=_now())
    try:
        text = locks.render(new, safe_text(os.path.basename(job.path)), job.command)
    except EditRefused as error:
        raise UsageError(f"{job.path}: the name of a skill cannot be written: {error}") from None
    write(job.path, text.encode("utf-8"))
    outcome.state = "written"
    return outcome


def _old(job: Job) -> Lock | None:
    from skillstudio.skill.pins.lock import LockUnreadable, read_lock

    if not os.path.lexists(job.path):
        return None
    if leads_out(job.path):
        raise UsageError(f"{job.path}: {OUTSIDE}")
    try:
        return read_lock(read_source(job.path))
    except LockUnreadable as error:
        place = at(job.path, error.line, error.column, str(error))
        raise UsageError(f"{place}; remove the file, then run {job.command}") from None


def _collect(job: Job, provenance: bool) -> tuple[Locking, Lock]:
    from skillstudio.manifest.locate import locate
    from skillstudio.skill.lookup import LocatedSkill, look_up
    from skillstudio.skill.pins import locking as lockings

    locking = lockings.Locking(lambda: look_up(*roots(job)))
    try:
        if job.source is not None:
            locking.take_proto(job.source, job.references)
        for target in job.skills:
            skill = locate(DiskTree(target.disk), target.settings).skill
            locking.take_skill(LocatedSkill(target.disk, skill))
    except lockings.Ambiguous as error:
        raise UsageError(f"{job.path}: {_which(job, error)}") from None
    inside = locking.holds(os.path.realpath(job.path))
    if inside:
        raise UsageError(
            f"{job.path} is in the skill {_shown(inside)} and would change the hash that it locks; "
            "add it to the skill's .skillignore, or lock from a folder above"
        )
    return locking, locking.lock(provenance)


def _which(job: Job, error: Ambiguous) -> str:
    """Which skills share a name, and what to do: a lock identifies skills by name."""
    places = [_shown(folder) for folder in error.folders]
    listed = " and ".join(places[:3]) + (" and others" if len(places) > 3 else "")
    if {target.disk for target in job.skills}.issuperset(error.folders):
        nearest = min(places, key=lambda place: (place.count("/"), place))
        advice = f"lock only one of them: skillstudio lock {shlex.quote(nearest)}"
    else:
        advice = "give them different names"
    return f"{error.reason}: {listed}; {advice}"


def _now() -> str:
    from time import gmtime, strftime

    return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime())


def _shown(path: str) -> str:
    """A path relative to the working directory if it is below."""
    inside = os.path.relpath(path)
    return (path if inside.startswith("..") else inside).replace(os.sep, "/")


def _lines(outcome: LockOutcome) -> Iterator[str]:
    job, mode = outcome.job, outcome.mode
    for problem in outcome.locking.problems:
        place = at(_shown(problem.path), problem.line, problem.column, problem.message)
        yield safe_text(f"{place} ({problem.kind})")
    named: set[str] = set()
    for difference in outcome.differences:
        yield safe_text(f"{job.path}: {_told(difference)}")
        for file in difference.files if difference.skill not in named else ():
            yield safe_text(f"  {difference.skill}/{file.path}: {HOW[file.how]}")
            named.add(difference.skill)
    skills = count(len(outcome.lock.skills), "skill")
    if outcome.state == "ok":
        yield safe_text(f"{job.path}: {skills} as locked")
    elif outcome.state in ("written", "unchanged"):
        yield safe_text(f"{job.path}: {outcome.state}, {skills}")
        yield safe_text(f"  mode: {mode.mode} by {mode.identity}: {mode.why}")


def _say(outcome: LockOutcome, check: bool) -> None:
    job = outcome.job
    for note in outcome.locking.notes:
        say(f"{job.path}: {note}")
    if outcome.state == "refused":
        say(f"{job.path} was not {'checked' if check else 'written'}")
    elif outcome.state == "differs":
        say(f"run {job.command} to update it")


def _told(difference: LockDifference) -> str:
    """A difference in words, with both values."""
    name, field = difference.skill, difference.field
    if not difference.found and not field:
        return f"{name} is locked with the content_hash {difference.locked} and no longer needed"
    if not difference.locked and not field:
        return f"{name} is not locked; it has the content_hash {difference.found}"
    locked, found = difference.locked or "none", difference.found or "none"
    return f"{name}: {field} is locked as {locked} and is {found}"


def _as_json(outcome: LockOutcome) -> dict[str, Any]:
    mode, lock = outcome.mode, outcome.lock
    return {
        "path": outcome.job.path,
        "state": outcome.state,
        "mode": {"mode": mode.mode, "identity": mode.identity, "why": mode.why},
        "generated_at": lock.generated_at or None,
        "beads_version": lock.beads_version or None,
        "skills": {name: _skill_json(locked) for name, locked in sorted(lock.skills.items())},
        "differences": [
            {
                "skill": each.skill,
                "field": each.field or None,
                "locked": each.locked or None,
                "found": each.found or None,
                "files": [{"path": file.path, "how": file.how} for file in each.files],
            }
            for each in outcome.differences
        ],
        "problems": [
            each._asdict() | {"path": _shown(each.path)} for each in outcome.locking.problems
        ],
        "notes": outcome.locking.notes,
    }


def _skill_json(locked: Locked) -> dict[str, Any]:
    value = {name: each or None for name, each in locked._asdict().items() if name != "files"}
    return {**value, "files": dict(locked.files)}
