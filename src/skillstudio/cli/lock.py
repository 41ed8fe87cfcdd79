"""`skillstudio lock`: write down which version of each skill something is made with."""

from __future__ import annotations

import os
import shlex
from argparse import Namespace
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.lock_jobs import Job, at, jobs_of, read_source, roots
from skillstudio.cli.output import Parser, UsageError, print_json, say
from skillstudio.cli.saving import OUTSIDE, leads_out
from skillstudio.files.disk import DiskTree
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.files.saving.writer import Write
    from skillstudio.skill.pins.lock import Lock, LockDifference, Locked
    from skillstudio.skill.pins.locking import Ambiguous, Locking, Mode

HOW = {
    "changed": "changed",
    "mode": "may be executed, or not any more",
    "added": "is new",
    "removed": "is gone",
}
"""What became of a file, in words."""


@dataclass
class LockOutcome:
    """What became of a lockfile."""

    job: Job
    state: str
    """`written`, `unchanged`, `ok`, `differs` or `refused`."""
    mode: Mode
    lock: Lock
    differences: list[LockDifference]
    locking: Locking


def parser() -> Parser:
    made = Parser(
        "lock",
        "Write down the content hash, version and source of skills and of those they depend on: "
        "for a proto in NAME.lock beside it, for skills in proto.lock in this folder.",
    )
    add = made.add_argument
    add(
        "paths",
        nargs="*",
        metavar="PATH",
        help="protos, skills, folders of skills; without one what is locked in this folder, or "
        "where nothing is, the skills below it",
    )
    add("--check", action="store_true", help="write nothing; exit with 1 when something differs")
    add("--format", choices=("text", "json"), default="text")
    return made


def run(arguments: list[str]) -> int:
    """Write or check. Exit status 1 when something differs from its lock or cannot be locked."""
    options = parser().parse_args(arguments)
    outcomes = [_carry_out(job, options) for job in jobs_of(options.paths)]
    if options.format == "json":
        print_json({"locks": [_as_json(each) for each in outcomes]})
    else:
        for each in outcomes:
            _print(each, options.check)
    failed = any(each.state in ("differs", "refused") for each in outcomes)
    return PROBLEMS if failed else OK


def _carry_out(job: Job, options: Namespace) -> LockOutcome:
    if options.check:
        return _checked(job)
    from skillstudio.files.saving.writer import saving

    # Held from the reading of the old lock on: of two that are written at once none is lost.
    with saving([job.path]) as write:
        return _written(job, write)


def _checked(job: Job) -> LockOutcome:
    from skillstudio.skill.pins import lock as locks
    from skillstudio.skill.pins.locking import mode_of

    old = _old(job)
    if old is None:
        raise UsageError(f"{job.path}: there is no such lockfile; {job.command} writes it")
    locking, new = _collect(job, provenance=False)
    outcome = LockOutcome(job, "refused", mode_of(job.references), new, [], locking)
    if not locking.problems:
        outcome.differences = locks.differences(old, new, os.name != "nt")
        outcome.state = "differs" if outcome.differences else "ok"
    return outcome


def _written(job: Job, write: Write) -> LockOutcome:
    from skillstudio.skill.pins import lock as locks
    from skillstudio.skill.pins.locking import mode_of
    from skillstudio.text.editing import EditRefused

    old = _old(job)
    locking, new = _collect(job, provenance=True)
    outcome = LockOutcome(job, "refused", mode_of(job.references), new, [], locking)
    if locking.problems:
        return outcome
    new = new._replace(beads_version=_beads_version(job))
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
        raise UsageError(f"{place}; remove the file, then {job.command} makes it anew") from None


def _collect(job: Job, provenance: bool) -> tuple[Locking, Lock]:
    from skillstudio.manifest.locate import locate
    from skillstudio.skill.lookup import LocatedSkill, look_up
    from skillstudio.skill.pins import locking as lockings

    locking = lockings.Locking(lambda: look_up(*roots(job)))
    try:
        if job.source is not None:
            locking.take_proto(job.source, job.references)
        for skill_path in job.skills:
            skill = locate(DiskTree(skill_path.disk), skill_path.settings).skill
            locking.take_skill(LocatedSkill(skill_path.disk, skill))
    except lockings.Ambiguous as error:
        raise UsageError(f"{job.path}: {_which(job, error)}") from None
    inside = locking.holds(os.path.realpath(job.path))
    if inside:
        raise UsageError(
            f"{job.path} would lie in the skill {_shown(inside)} and change the hash that it "
            "locks; name it in the skill's .skillignore, or lock from a folder above"
        )
    return locking, locking.lock(provenance)


def _which(job: Job, error: Ambiguous) -> str:
    """Which skills share a name, and what to do: a lock tells skills by their names."""
    places = [_shown(folder) for folder in error.folders]
    listed = " and ".join(places[:3]) + (" and others" if len(places) > 3 else "")
    if {skill_path.disk for skill_path in job.skills}.issuperset(error.folders):
        nearest = min(places, key=lambda place: (place.count("/"), place))
        advice = f"lock the one that is meant: skillstudio lock {shlex.quote(nearest)}"
    else:
        advice = "give them names of their own"
    return f"{error.reason}: {listed}; {advice}"


def _beads_version(job: Job) -> str:
    from skillstudio.cli.beads import beads_version

    return beads_version(roots(job))


def _now() -> str:
    from time import gmtime, strftime

    return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime())


def _shown(path: str) -> str:
    """A path as seen from here, where it lies below."""
    inside = os.path.relpath(path)
    return (path if inside.startswith("..") else inside).replace(os.sep, "/")


def _print(outcome: LockOutcome, check: bool) -> None:
    job, locking = outcome.job, outcome.locking
    for problem in locking.problems:
        place = at(_shown(problem.path), problem.line, problem.column, problem.message)
        print(safe_text(f"{place} ({problem.kind})"))
    named: set[str] = set()
    for difference in outcome.differences:
        print(safe_text(f"{job.path}: {_told(difference)}"))
        for file in difference.files if difference.skill not in named else ():
            print(safe_text(f"  {difference.skill}/{file.path}: {HOW[file.how]}"))
            named.add(difference.skill)
    for note in locking.notes:
        say(safe_text(f"{job.path}: {note}"))
    count = len(outcome.lock.skills)
    skills = f"{count} skill{'' if count == 1 else 's'}"
    mode = outcome.mode
    if outcome.state == "refused":
        say(safe_text(f"{job.path} was not {'checked' if check else 'written'}"))
    elif outcome.state == "differs":
        say(safe_text(f"{job.command} locks what is there now"))
    elif outcome.state == "ok":
        print(safe_text(f"{job.path}: {skills} as locked"))
    else:
        print(safe_text(f"{job.path}: {outcome.state}, {skills}"))
        print(safe_text(f"  mode: {mode.mode} by {mode.identity}: {mode.why}"))


def _told(difference: LockDifference) -> str:
    """A difference in words, with both values."""
    name, field = difference.skill, difference.field
    if not difference.found and not field:
        return f"{name} is locked with the content_hash {difference.locked} and is needed no more"
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
