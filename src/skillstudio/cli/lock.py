"""`skillstudio lock`: write or verify a lock file."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from time import gmtime, strftime
from typing import TYPE_CHECKING, Any, NamedTuple

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.lists import MOST_SHOWN
from skillstudio.cli.output import Result, UsageError, refuse_on, say
from skillstudio.cli.progress import count_items
from skillstudio.cli.skill_paths import say_settings_problems, skill_paths
from skillstudio.files.disk import DiskTree
from skillstudio.files.paths import make_relative
from skillstudio.files.workspace import OUTSIDE, leads_out
from skillstudio.present.lines import count, shorten
from skillstudio.skill.pins.proto import is_proto
from skillstudio.skill.workspace import SkillPath, WorkspaceSearch
from skillstudio.text.safe import safe_text
from skillstudio.text.source import Source, Span, decode

if TYPE_CHECKING:
    from skillstudio.files.saving.writer import Write
    from skillstudio.skill.pins.lock import Lock, LockDifference
    from skillstudio.skill.pins.locking import Ambiguous, LockBuilder, Mode
    from skillstudio.skill.pins.npx_lock import InstalledSkill
    from skillstudio.skill.pins.proto import Reference
    from skillstudio.text.node import Document

SKILLS_LOCK = "proto.lock"


class LockJob(NamedTuple):
    """One lock file: of a proto, or of skills."""

    path: str
    command: str
    source: Source | None
    references: tuple[Reference, ...]
    skills: tuple[SkillPath, ...]


class NpxOutcome(NamedTuple):
    """The outcome for one skills-lock.json, with a row for each copy of a skill."""

    path: str
    skills: list[InstalledSkill]


@dataclass
class LockOutcome:
    """The outcome for one lock file."""

    job: LockJob
    state: str  # `written`, `unchanged`, `ok`, `differs` or `refused`.
    mode: Mode
    lock: Lock
    differences: list[LockDifference]
    builder: LockBuilder
    dropped_names: tuple[str, ...] = ()  # Skills of the lock before that the new one does not have.


def run(options: CommandOptions) -> Result:
    """Write or verify. Exit status 1 if something differs from its lock or cannot be locked."""
    from skillstudio.skill.pins.npx_lock import FILE

    paths = list(dict.fromkeys(options.paths))
    npx = [path for path in paths if os.path.basename(path) == FILE]
    if npx and not options.check:
        raise UsageError(f"{npx[0]} is written by npx skills; verify it with --check")
    if options.check and not paths and os.path.lexists(FILE):
        npx, paths = [FILE], _locked_here()
        if paths == ["."] and not os.path.lexists(SKILLS_LOCK):
            paths = [FILE]
    npx_outcomes = [_check_npx(path) for path in npx]
    paths = [path for path in paths if path not in npx]
    jobs = [] if npx and not paths else list(_jobs_of(paths))
    outcomes = [_carry_out(job, options) for job in count_items(jobs, len(jobs), "files")]
    if options.format != "json" and not options.quiet:
        for outcome in outcomes:
            _say(outcome, options.check)
    wrong = [outcome for outcome in outcomes if outcome.state in ("differs", "refused")]
    wrong_npx = [
        outcome for outcome in npx_outcomes if any(skill.state != "ok" for skill in outcome.skills)
    ]
    visible_outcomes, shown_npx = (wrong, wrong_npx) if options.quiet else (outcomes, npx_outcomes)
    npx_value = {"npx": [_npx_as_json(outcome) for outcome in npx_outcomes]} if npx_outcomes else {}
    return Result(
        lambda: {"locks": [_as_json(outcome) for outcome in outcomes], **npx_value},
        lambda _: (
            *(line for outcome in visible_outcomes for line in _lines(outcome)),
            *(line for outcome in shown_npx for line in _npx_lines(outcome)),
        ),
        PROBLEMS if wrong or wrong_npx else OK,
    )


def _check_npx(path: str) -> NpxOutcome:
    from skillstudio.manifest.locate import TOO_LARGE
    from skillstudio.skill.pins.lock import LockUnreadable
    from skillstudio.skill.pins.npx_lock import check_npx_lock, read_npx_lock

    try:
        if os.path.getsize(path) > TOO_LARGE:
            raise UsageError(f"{path} is larger than 1 MiB, so it was not checked")
        skills = read_npx_lock(_source(path))
        return NpxOutcome(path, list(check_npx_lock(skills, os.path.dirname(path) or ".")))
    except LockUnreadable as error:
        raise UsageError(_at(path, error.line, error.column, str(error))) from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from None


def _npx_lines(outcome: NpxOutcome) -> Iterator[str]:
    """What differs from a skills-lock.json, or that nothing does."""
    wrong = [entry for entry in outcome.skills if entry.state != "ok"]
    for skill, state, folder, actual_hash, reason in wrong[:MOST_SHOWN]:
        if state == "missing":
            text = "is not installed; run npx skills experimental_install"
        elif state == "differs":
            text = f"differs: locked as {skill.computed_hash}, {folder} has {actual_hash}"
        else:
            text = f"cannot be verified in {folder}: {reason}"
        yield safe_text(f"{outcome.path}: {shorten(skill.name, MOST_SHOWN)} {text}")
    if len(wrong) > MOST_SHOWN:
        yield safe_text(
            f"{outcome.path}: {count(len(wrong) - MOST_SHOWN, 'more skill')} not as locked"
        )
    if any(entry.state == "differs" and entry.skill.kind != "local" for entry in wrong):
        yield (
            "  npx skills locks the hash of the downloaded folder, so files that it does not "
            "install, such as metadata.json, make a difference as well"
        )
    if not wrong:
        yield safe_text(f"{outcome.path}: {count(len(outcome.skills), 'skill')} as locked")


def _npx_as_json(outcome: NpxOutcome) -> dict[str, Any]:
    wrong = any(entry.state != "ok" for entry in outcome.skills)
    return {
        "path": outcome.path,
        "state": "differs" if wrong else "ok",
        "skills": [
            {
                "name": skill.name,
                "source": skill.source,
                "state": state,
                "folder": folder or None,
                "locked": skill.computed_hash,
                "found": actual_hash or None,
                "reason": reason or None,
            }
            for skill, state, folder, actual_hash, reason in outcome.skills
        ],
    }


def _jobs_of(paths: list[str]) -> list[LockJob]:
    lock_paths = list(dict.fromkeys(paths)) or _locked_here()
    protos = [path for path in lock_paths if is_proto(path)]
    jobs = [_proto_job(path) for path in protos]
    rest = [path for path in lock_paths if path not in protos]
    if rest:
        jobs.append(_skills_job(rest))
    for job in jobs:
        if sum(os.path.realpath(other.path) == os.path.realpath(job.path) for other in jobs) > 1:
            raise UsageError(f"{job.path} is the lock file of two paths; lock them one by one")
    return jobs


def _locked_here() -> list[str]:
    names = sorted(os.listdir("."))
    protos = [name for name in names if _lock_of(name) in names and is_proto(name)]
    proto_locks = {_lock_of(name) for name in protos}
    return protos + (["."] if not protos or SKILLS_LOCK in set(names) - proto_locks else [])


def _lock_of(path: str) -> str:
    return os.path.splitext(path)[0] + ".lock"


def _proto_job(path: str) -> LockJob:
    from skillstudio.skill.pins.proto import references

    document = read_valid(path, "yaml")
    source = document.source
    skill_references = tuple(references(document))
    if not skill_references:
        raise UsageError(f"{path} names no skill, so there is nothing to lock")
    return LockJob(_lock_of(source.path), _command([path]), source, skill_references, ())


def _skills_job(paths: list[str]) -> LockJob:
    search = WorkspaceSearch()
    skills = tuple(skill_paths(paths, search))
    say_settings_problems(search)
    problems = [problem.diagnostic for problem in search.problems]
    missing = [diagnostic.message for diagnostic in problems
               if diagnostic.rule in ("skill-missing", "folder-unreadable")]  # fmt: skip
    missing += [f"{label} is not a proto" for _, label in search.protos]
    if missing or not skills:
        raise UsageError("; ".join(missing) or "no skill to lock")
    return LockJob(SKILLS_LOCK, _command(paths), None, (), skills)


def _command(paths: list[str]) -> str:
    arguments = shlex.join(path.replace(os.sep, "/") for path in paths)
    return f"skillstudio lock {safe_text(arguments)}"


def _source(path: str) -> Source:
    folder, name = os.path.split(path)
    text, wrong = decode(DiskTree(folder or ".").read(name))
    source = Source(text, path.replace(os.sep, "/"))
    if wrong is not None:
        raise UsageError(_at(source.path, *source.position(wrong), "not UTF-8 from here on"))
    return source


def read_valid(path: str, syntax: str, advice: str = "") -> Document:
    """A file that parses without errors. Raises UsageError with the place of the first one."""
    from skillstudio.manifest.rulebook import severity_of
    from skillstudio.text.reading import read

    source = _source(path)
    document = read(source, syntax, Span(0, len(source.text)))
    for fault in document.faults:
        if severity_of(fault.rule) == "error":
            place = _at(source.path, *source.position(fault.start), fault.message)
            raise UsageError(place + advice)
    return document


def _roots(job: LockJob) -> list[str]:
    """The folders in which names are looked up: repositories, else the named folders."""
    from skillstudio.files.workspace import workspace_of

    if job.source is not None:
        return [workspace_of(os.path.dirname(job.source.path))]
    return sorted({workspace_of(target.disk) for target in job.skills})


def _at(path: str, line: int, column: int, message: str) -> str:
    return f"{path}:{line}:{column}: {message}"


def _carry_out(job: LockJob, options: CommandOptions) -> LockOutcome:
    if options.check:
        return _check_lock(job)
    from skillstudio.files.saving.writer import prepare_save

    # Lock the file before the old lock is read, so that no concurrent change is lost.
    with prepare_save([job.path]) as write:
        return _write_lock(job, write)


def _check_lock(job: LockJob) -> LockOutcome:
    from skillstudio.skill.pins import lock as locks
    from skillstudio.skill.pins.locking import mode_of

    old = _old(job)
    if old is None:
        raise UsageError(f"{job.path}: there is no such lock file; run {job.command} to write it")
    builder, new = _collect(job, provenance=False)
    outcome = LockOutcome(job, "refused", mode_of(job.references), new, [], builder)
    if not builder.problems:
        outcome.differences = locks.differences(old, new, os.name != "nt")
        outcome.state = "differs" if outcome.differences else "ok"
    return outcome


def _write_lock(job: LockJob, write: Write) -> LockOutcome:
    from skillstudio.cli.beads import beads_version
    from skillstudio.skill.pins import lock as locks
    from skillstudio.skill.pins.locking import mode_of
    from skillstudio.text.editing import EditRefused

    old = _old(job)
    builder, new = _collect(job, provenance=True)
    outcome = LockOutcome(job, "refused", mode_of(job.references), new, [], builder)
    if builder.problems:
        return outcome
    new = new._replace(beads_version=beads_version(_roots(job)))
    if old is not None:
        outcome.lock = new = locks.keep_provenance(new, old)
        outcome.dropped_names = tuple(sorted(old.skills.keys() - new.skills.keys()))
    if old is not None and locks.same(old, new):
        outcome.state = "unchanged"
        return outcome
    outcome.lock = new = new._replace(generated_at=strftime("%Y-%m-%dT%H:%M:%SZ", gmtime()))
    with refuse_on(EditRefused, of=f"{job.path}: the name of a skill cannot be written"):
        text = locks.render(new, safe_text(os.path.basename(job.path)), job.command)
    write(job.path, text.encode("utf-8"))
    outcome.state = "written"
    return outcome


def _old(job: LockJob) -> Lock | None:
    from skillstudio.skill.pins.lock import LockUnreadable, read_lock

    if not os.path.lexists(job.path):
        return None
    if leads_out(job.path):
        raise UsageError(f"{job.path}: {OUTSIDE}")
    try:
        return read_lock(_source(job.path))
    except LockUnreadable as error:
        place = _at(job.path, error.line, error.column, str(error))
        raise UsageError(f"{place}; remove the file, then run {job.command}") from None


def _collect(job: LockJob, provenance: bool) -> tuple[LockBuilder, Lock]:
    from skillstudio.manifest.locate import locate
    from skillstudio.skill.lookup import LocatedSkill, look_up
    from skillstudio.skill.pins import locking as lockings

    builder = lockings.LockBuilder(lambda: look_up(*_roots(job)))
    try:
        if job.source is not None:
            builder.take_proto(job.source, job.references)
        for target in job.skills:
            skill = locate(DiskTree(target.disk), target.settings).skill
            builder.take_skill(LocatedSkill(target.disk, skill))
    except lockings.Ambiguous as error:
        raise UsageError(f"{job.path}: {_which(job, error)}") from None
    inside = builder.holds(os.path.realpath(job.path))
    if inside:
        raise UsageError(
            f"{job.path} is in the skill {_shorten_path(inside)} and would change the hash that "
            "it locks; add it to the skill's .skillignore, or lock from a folder above"
        )
    return builder, builder.lock(provenance)


def _which(job: LockJob, error: Ambiguous) -> str:
    """Which skills share a name, and what to do: a lock identifies skills by name."""
    places = [_shorten_path(folder) for folder in error.folders]
    places_text = " and ".join(places[:3]) + (" and others" if len(places) > 3 else "")
    if {target.disk for target in job.skills}.issuperset(error.folders):
        nearest = min(places, key=lambda place: (place.count("/"), place))
        advice = f"lock only one of them: skillstudio lock {shlex.quote(nearest)}"
    else:
        advice = "give them different names"
    return f"{error.reason}: {places_text}; {advice}"


def _shorten_path(path: str) -> str:
    """A path relative to the working directory if it is below."""
    inside = make_relative(path)
    return (path if inside.startswith("..") else inside).replace(os.sep, "/")


def _lines(outcome: LockOutcome) -> Iterator[str]:
    job, mode = outcome.job, outcome.mode
    for problem in outcome.builder.problems:
        place = _at(_shorten_path(problem.path), problem.line, problem.column, problem.message)
        yield safe_text(f"{place} ({problem.kind})")
    listed_skills: set[str] = set()
    for difference in outcome.differences:
        yield safe_text(f"{job.path}: {_difference_text(difference)}")
        for file in difference.files if difference.skill not in listed_skills else ():
            how = "executable bit changed" if file.how == "mode" else file.how
            yield safe_text(f"  {difference.skill}/{file.path}: {how}")
            listed_skills.add(difference.skill)
    skills = count(len(outcome.lock.skills), "skill")
    if outcome.state == "ok":
        yield safe_text(f"{job.path}: {skills} as locked")
    elif outcome.state in ("written", "unchanged"):
        yield safe_text(f"{job.path}: {outcome.state}, {skills}")
        yield safe_text(f"  mode: {mode.mode} by {mode.identity}: {mode.why}")
        if dropped_names := outcome.dropped_names:
            more = len(dropped_names) - MOST_SHOWN
            names = ", ".join(dropped_names[:MOST_SHOWN]) + (f" and {more} more" * (more > 0))
            advice = "" if job.source is not None else "; to keep them, name their folders as well"
            yield safe_text(f"  no longer locked: {names}{advice}")


def _say(outcome: LockOutcome, check: bool) -> None:
    job = outcome.job
    for note in outcome.builder.notes:
        say(f"{job.path}: {note}")
    if outcome.state == "refused":
        say(f"{job.path} was not {'checked' if check else 'written'}")
    elif outcome.state == "differs":
        say(f"run {job.command} to update it")
        dropped_names = [entry.skill for entry in outcome.differences if not entry.found]
        if dropped_names and job.source is None:
            names = ", ".join(dict.fromkeys(dropped_names[:MOST_SHOWN]))
            say(f"that would drop {names}; to keep what is locked, name those folders as well")


def _difference_text(difference: LockDifference) -> str:
    name, field = difference.skill, difference.field
    if not difference.found and not field:
        return f"{name} is locked with the content_hash {difference.locked} and no longer needed"
    if not difference.locked and not field:
        return f"{name} is not locked; it has the content_hash {difference.found}"
    locked_value, actual_value = difference.locked or "none", difference.found or "none"
    return f"{name}: {field} is locked as {locked_value} and is {actual_value}"


def _as_json(outcome: LockOutcome) -> dict[str, Any]:
    lock = outcome.lock
    return {
        "path": outcome.job.path,
        "state": outcome.state,
        "mode": outcome.mode._asdict(),
        "generated_at": lock.generated_at or None,
        "beads_version": lock.beads_version or None,
        "skills": {
            name: {key: value or None for key, value in locked_skill._asdict().items()}
            | {"files": dict(locked_skill.files)}
            for name, locked_skill in sorted(lock.skills.items())
        },
        "dropped": list(outcome.dropped_names),
        "differences": [
            {key: value or None for key, value in difference._asdict().items() if key != "files"}
            | {"files": [{"path": file.path, "how": file.how} for file in difference.files]}
            for difference in outcome.differences
        ],
        "problems": [
            problem._asdict() | {"path": _shorten_path(problem.path)}
            for problem in outcome.builder.problems
        ],
        "notes": outcome.builder.notes,
    }
