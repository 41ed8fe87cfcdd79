"""The report of a run: what was seen, judged and masked."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from skillstudio.dryrun.isolation.environment import BASE
from skillstudio.dryrun.judging.contract import Promise, judge_contract
from skillstudio.dryrun.judging.declared import Setting, declarations, declares_outputs
from skillstudio.dryrun.judging.effects import judge_effects
from skillstudio.dryrun.judging.observed import SQLITE, Own, WrittenFile, observed_effects
from skillstudio.dryrun.judging.outputs import Produced, judge_outputs
from skillstudio.dryrun.judging.patterns import OutputPattern, output_patterns
from skillstudio.dryrun.passes import Pass, PassContext
from skillstudio.dryrun.plan import Launch, Plan, PlanProblem
from skillstudio.dryrun.redaction.redactor import Redactor
from skillstudio.dryrun.report import (
    CUT_LOG,
    FAILED_AGAIN,
    TOO_SHORT,
    JudgedContract,
    RunFileChange,
    RunReport,
    output_path,
)
from skillstudio.dryrun.staging.survey import ABSOLUTE_LINK, caches
from skillstudio.files.beneath import open_beneath
from skillstudio.files.changeset import EntryChange, FileState
from skillstudio.files.kind import HEAD, kind_of
from skillstudio.files.paths import below
from skillstudio.interface.model import Interface, Operation
from skillstudio.preview.source import Special, open_source

CLOSED = ("confined", "isolated", "wasm")
"""Isolation levels on which nothing that is sent arrives."""
_SCHEMA = "outputs-schema"
_NAMED = 5
_LINKS = 10
"""Absolute links that are named one by one."""
_OPENED = ("read", "write")
_SPECIALS = ("pipe", "socket", "device")
_UNFOLLOWED = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
T = TypeVar("T")


class Repeats(NamedTuple):
    """Two runs before the one that is reported: one like it, and one on what that one left."""

    once: Pass
    again: Pass


class _File(NamedTuple):
    """Something that changed, whichever folder it lies in."""

    change: RunFileChange
    original: str
    state: FileState | None
    """After the run; None of what is gone."""


def make_report(
    plan: Plan,
    launch: Launch,
    interface: Interface,
    operation: Operation,
    result: Pass,
    repeats: Repeats | None,
    ground: PassContext,
    redactor: Redactor,
    started_at: float,
) -> RunReport:
    """Judge a run and put everything that is told of it into one value, masked."""
    patterns = output_patterns(launch.outputs, plan.roots)
    files = list(_files(result, ground, patterns))
    written = [
        WrittenFile(each.original, output_path(each.change), each.change.change, each.change.kind)
        for each in files
    ]
    setting = Setting(plan.dialect, plan.roots, ground.home, launch.outputs)
    observed = result.observed
    # A script is a part of the skill: what the whole declares another one may produce.
    partial = plan.operation != operation.name or result.ended.exit_code != 0
    judged = judge_effects(
        declarations(interface, operation, setting),
        observed_effects(
            written,
            observed,
            Own(
                plan.roots.skill,
                plan.roots.workspace,
                ground.home,
                ground.staged.temporary,
                ground.isolation in CLOSED,
            ),
            _databases(result, ground),
        ),
        plan.dialect,
        observed.traced and not observed.cut and not observed.incomplete,
    )
    produced = [
        Produced(each.original, output_path(each.change))
        for each in files
        if each.state is not None
        and each.state.kind == "file"
        and each.change.root != "home"
        and ".git" not in each.change.path.split("/")
    ]
    report = RunReport(
        run="",
        plan=plan._replace(problems=(*plan.problems, *_absolute_links(plan, ground))),
        ended=result.ended,
        contract=_contract(operation, result, redactor),
        effects=judged,
        outputs=judge_outputs(patterns, produced, declares_outputs(plan.dialect), partial),
        changes=tuple(each.change for each in files),
        differences=tuple(_differences(plan, launch, result, ground, redactor)),
        repeated=tuple(_repeated(repeats)) if _is_idempotent(interface) else (),
        varying=tuple(_varying(repeats, result)),
        again=tuple(_repeated(repeats)) if repeats is not None else None,
        traced=observed.traced,
        started_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started_at)),
        incomplete=tuple(_incomplete(result, repeats)),
    )
    return masked(report, redactor)


def _absolute_links(plan: Plan, ground: PassContext) -> Iterator[PlanProblem]:
    """A problem for each link that is not copied because it names a place of this machine."""
    links = [each.path for each in ground.staged.skipped if each.why == ABSOLUTE_LINK]
    for number, path in enumerate(links):
        if number == _LINKS:
            message = f"{len(links) - _LINKS:,} more links to absolute paths are not copied either"
            yield PlanProblem("link-absolute", message, "", "warning")
            return
        message = (
            f"{_in_copies(path, plan)} is a link to an absolute path, so it is not copied and the "
            "program does not find it; make the link relative and inside the folder"
        )
        yield PlanProblem("link-absolute", message, "", "warning")


def _incomplete(result: Pass, repeats: Repeats | None) -> Iterator[str]:
    """What of a run was not compared or not observed, and why."""
    yield from result.incomplete
    yield from result.observed.incomplete
    if result.observed.cut:
        yield f"{CUT_LOG}: what is missing here may have happened"
    if repeats is not None:
        yield from (f"in the second run, {each}" for each in repeats.again.incomplete)


def _contract(operation: Operation, result: Pass, redactor: Redactor) -> JudgedContract:
    """The contract judged on what was printed, told without what is sensitive.

    Masked bytes are no longer what the program printed: a number would be no number, and a text
    not what its schema asks for. In what is told, numbers are masked too, and JSON stays JSON.
    """
    judged = judge_contract(_promise(operation), result.printed, result.ended.exit_code)
    return judged._replace(value=redactor.value(judged.value))


def masked(value: T, redactor: Redactor) -> T:
    """A value without sensitive ones, whatever it is made of."""
    clean: T = _masked(value, redactor)
    return clean


def _masked(value: Any, redactor: Redactor) -> Any:
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_masked(each, redactor) for each in value))
    if isinstance(value, tuple):
        return tuple(_masked(each, redactor) for each in value)
    if isinstance(value, Mapping):
        return {redactor.text(str(key)): _masked(each, redactor) for key, each in value.items()}
    if isinstance(value, int | float):
        # Sizes, times and exit codes are no inputs; what the program printed comes as JSON.
        return value
    return redactor.value(value)


def _files(result: Pass, ground: PassContext, patterns: list[OutputPattern]) -> Iterator[_File]:
    """What changed, but for caches: what is not copied does not count as new either."""
    left_out = caches()
    for each in result.changes:
        if left_out.isdisjoint(each.path.split("/")):
            pattern = next((one.pattern for one in patterns if one.matches(each.original)), "")
            change = _change(each.root, each.path, each.changed, each.copy, pattern, each.original)
            yield _File(change, each.original, each.changed.after)
    for changed in result.home:
        if changed.path and left_out.isdisjoint(changed.path.split("/")):
            copy = os.path.join(ground.staged.home, changed.path)
            change = _change("home", changed.path, changed, copy, "", "")
            yield _File(change, f"~/{changed.path}", changed.after)


def _change(
    root: Any, path: str, changed: EntryChange, copy: str, pattern: str, original: str
) -> RunFileChange:
    state = changed.after or changed.before
    word: Any = "modified"
    if changed.before is None:
        word = "added"
    elif changed.after is None:
        word = "removed"
    kind: str = state.kind if state else "other"
    place = copy if changed.after else original
    if kind == "file":
        kind = _kind(*os.path.split(place), path)
    elif kind == "other":
        kind = _special(place)
    size = state.size if state else 0
    return RunFileChange(root, path, word, size, kind, pattern, _about(changed))


def _special(path: str) -> str:
    """What is no file, folder or link: a pipe, a socket or a device, where that can be told."""
    found = open_source(path)
    return found.what if isinstance(found, Special) and found.what in _SPECIALS else "special"


def _about(changed: EntryChange) -> str:
    """What the size and the kind of a change do not tell."""
    before, after = changed.before, changed.after
    if after is None:
        return ""
    if before is not None and before.kind != after.kind:
        was = {"file": "a file", "folder": "a folder", "link": "a link"}
        return f"was {was.get(before.kind, 'something else')}"
    if after.kind == "link":
        return f"leads to {after.target}"
    if before is not None and before.mode != after.mode:
        return f"permissions {after.mode:o}, were {before.mode:o}"
    return ""


def _databases(result: Pass, ground: PassContext) -> Iterator[str]:
    """The databases in the copies that something asked for; those that changed are known."""
    for path in {each.subject for each in result.observed.events if each.kind in _OPENED}:
        folders = [("~", ground.staged.home)]
        folders += [(copy.original, copy.folder) for copy in ground.staged.copies]
        for original, folder in folders:
            inside = below(path, original)
            if inside is not None and _kind(folder, inside, path) == SQLITE:
                yield path
                break


def _kind(folder: str, inside: str, path: str) -> str:
    """What a file below a folder holds; the program may have left links there."""
    try:
        with open(open_beneath(folder, inside, _UNFOLLOWED), "rb") as stream:
            return kind_of(path, stream.read(HEAD)).name
    except OSError:
        return "unreadable"


def _promise(operation: Operation) -> Promise:
    for term in operation.terms:
        if term.name == _SCHEMA and isinstance(term.value, dict | bool):
            return Promise(whole=True, schema=term.value)
    stdout = operation.stdout
    if stdout is None or not stdout.last_line_json:
        return Promise()
    return Promise(last_line=True, fields=operation.fields, schema=stdout.schema)


def _is_idempotent(interface: Interface) -> bool:
    return interface.execution is not None and interface.execution.idempotent


def _repeated(repeats: Repeats | None) -> Iterator[str]:
    """What a second run changed, in the order of the folders, and how it failed."""
    if repeats is None:
        return
    ended = repeats.again.ended
    if ended.timed_out:
        yield f"{FAILED_AGAIN}out of time"
    elif ended.signal or ended.exit_code != 0:
        how = f"by {ended.signal}" if ended.signal else f"with exit status {ended.exit_code}"
        yield f"{FAILED_AGAIN}{how}"
    for each in repeats.again.changes:
        yield f"{_word(each.changed)} {each.path}"
    for changed in repeats.again.home:
        yield f"{_word(changed)} ~/{changed.path}"


def _word(changed: EntryChange) -> str:
    if changed.before is None:
        return "added"
    return "removed" if changed.after is None else "modified"


def _varying(repeats: Repeats | None, result: Pass) -> Iterator[str]:
    """Files that two fresh runs left otherwise."""
    if repeats is None:
        return
    one, other = _contents(repeats.once), _contents(result)
    for path in sorted(one.keys() | other.keys()):
        if one.get(path) != other.get(path):
            yield path


def _contents(result: Pass) -> dict[str, tuple[Any, ...]]:
    found = {
        each.path: each.changed.after[:5] if each.changed.after else () for each in result.changes
    }
    return {
        **found,
        **{f"~/{each.path}": each.after[:5] if each.after else () for each in result.home},
    }


def _in_copies(path: str, plan: Plan) -> str:
    """A path as it lies in the workspace or in the skill."""
    for root in (plan.roots.workspace, plan.roots.skill):
        inside = below(path, root)
        if inside:
            return inside
    return os.path.basename(path)


def _variables(given: Sequence[str]) -> str:
    """Which variables there were; what is given goes over what every run has."""
    here = [name for name in ("PATH", "TZ") if name not in given and os.environ.get(name)]
    said = f"{', '.join(sorted(given))}" if given else ""
    of_here = f"of this machine, {' and '.join(here)}" if here else ""
    usual = [f"{name} was {text}" for name, text in BASE.items() if name not in given]
    first = " and, ".join(each for each in (said, of_here) if each) or "none of this machine"
    return (
        "; ".join([f"The variables were {first}", *([" and ".join(usual)] if usual else [])]) + "."
    )


def _differences(
    plan: Plan, launch: Launch, result: Pass, ground: PassContext, redactor: Redactor
) -> Iterator[str]:
    """In what the run was not a real one, a sentence each."""
    if ground.isolation != "isolated":
        yield "The workspace and the skill were copies at other paths."
    skipped = ground.staged.skipped
    if skipped:
        names = [f"{_in_copies(each.path, plan)} ({each.why})" for each in skipped[:_NAMED]]
        more = f" and {len(skipped) - _NAMED} more" if len(skipped) > _NAMED else ""
        yield f"Not copied: {', '.join(names)}{more}."
    if ground.isolation == "wasm":
        yield "The program had the folders and variables that its manifest asks for, and no others."
    else:
        yield "The home folder held nothing but a name for git, and standard input was closed."
        if ground.isolation == "isolated":
            yield "The folder /tmp was the run's own, and empty."
        yield _variables(plan.env)
    if ground.isolation in CLOSED:
        local = "" if ground.isolation == "wasm" else ", and so were local sockets, but for pairs"
        yield f"The network was closed{local}."
    mocked = sum(1 for step in launch.steps[: result.started] if step.mocked is not None)
    if mocked:
        yield f"{mocked} of {len(launch.steps)} steps were stood in for by the tests of the recipe."
    if result.started < len(launch.steps):
        yield f"{len(launch.steps) - result.started} steps were not started after one that failed."
    if redactor.too_short:
        yield (f"{redactor.too_short} sensitive values are {TOO_SHORT} where they come back.")
    yield from _blocked(result, ground)


def _blocked(result: Pass, ground: PassContext) -> Iterator[str]:
    """What could not be read at this isolation level, where the program tried: a clue when it
    failed."""
    tried = dict.fromkeys(
        each.subject
        for each in result.observed.events
        if each.kind == "read"
        and each.refused
        and ground.levels.hides(ground.isolation, each.subject)
    )
    if tried:
        more = f" and {len(tried) - _NAMED} more" if len(tried) > _NAMED else ""
        named = ", ".join(list(tried)[:_NAMED])
        yield f"Blocked read: {named}{more}; at this isolation level they cannot be read."
