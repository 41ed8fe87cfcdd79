"""Make the report of a run: judge what was observed, and mask it."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeVar

from skillstudio.dryrun.credentials import is_credential
from skillstudio.dryrun.isolation.launch import BASE
from skillstudio.dryrun.judging.advice import FailedRun, failure_advice
from skillstudio.dryrun.judging.contract import Promise, judge_contract
from skillstudio.dryrun.judging.declared import (
    OutputPattern,
    Setting,
    always_declares,
    declarations,
    declares_outputs,
    judge_outputs,
    output_patterns,
)
from skillstudio.dryrun.judging.effects import (
    SQLITE,
    Own,
    WrittenFile,
    judge_effects,
    observed_effects,
)
from skillstudio.dryrun.judging.failure import failure_reason
from skillstudio.dryrun.observing.events import is_bytecode
from skillstudio.dryrun.passes import CLOSED, Pass, PassContext
from skillstudio.dryrun.plan import NetworkChoice, Plan, PlanProblem, Roots
from skillstudio.dryrun.planning.environments import missing_packages, script_of
from skillstudio.dryrun.redaction.redactor import Redactor
from skillstudio.dryrun.report import (
    CUT_LOG,
    FAILED_AGAIN,
    PERMISSIONS,
    TOO_SHORT,
    FailureReason,
    RunFileChange,
    RunReport,
    output_path,
)
from skillstudio.dryrun.staging.content import content_digest, output_digest
from skillstudio.dryrun.staging.staged import Staged
from skillstudio.dryrun.staging.survey import ABSOLUTE_LINK
from skillstudio.files.beneath import open_beneath
from skillstudio.files.changeset import EntryChange, FileState, stamp_of
from skillstudio.files.disk import DiskTree
from skillstudio.files.git import enclosing_repository
from skillstudio.files.kind import HEAD, kind_of
from skillstudio.files.paths import below
from skillstudio.interface.model import Operation
from skillstudio.preview.source import Special, open_source

STREAM_TITLES = {"stdout": "standard output", "stderr": "standard error"}
_SCRIPTS = "scripts"
_SCHEMA = "outputs-schema"
_NAMED = 5
_LAST = 64 << 10  # Bytes of what was printed, or of a script, that are searched.
_LINKS = 10  # Absolute links to report one by one.
_OPENED = ("read", "write")
_SPECIALS = ("pipe", "socket", "device")
_UNFOLLOWED = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
T = TypeVar("T")


class Repeats(NamedTuple):
    """Two earlier runs: one like the reported one, and one on its result."""

    once: Pass
    again: Pass
    printed: Mapping[str, str] = {}  # Digests of what the first printed, by the name of a stream.


class _File(NamedTuple):
    """A changed file, in any folder."""

    change: RunFileChange
    original: str
    state: FileState | None  # After the run; None when removed.


def make_report(
    context: PassContext,
    result: Pass,
    repeats: Repeats | None,
    redactor: Redactor,
    started_at: float,
    folder: str = "",
) -> RunReport:
    """Judge a run and put everything into one masked report; `folder` has what it printed."""
    request, staged = context.request, context.staged
    plan, operation = request.plan, request.operation
    patterns = output_patterns(request.launch.outputs, plan.roots)
    files = list(_files(result, context, patterns))
    written = [
        WrittenFile(file.original, output_path(file.change), file.change.change, file.change.kind)
        for file in files
    ]
    setting = Setting(plan.dialect, plan.roots, request.home, request.launch.outputs)
    closed = context.isolation in CLOSED
    roots = plan.roots
    own = Own(roots.skill, roots.workspace, request.home, staged.temporary, closed, staged.existed)
    observed = result.observed
    # A script is part of the skill: outputs the skill declares may come from another script.
    is_part = plan.operation != operation.name and _has_other_scripts(plan)
    partial = is_part or result.ended.exit_code != 0
    declared = list(declarations(request.interface, operation, setting))
    promise = _promise(operation)
    judged = judge_effects(
        declared,
        observed_effects(written, observed, own, _databases(result, staged)),
        plan.dialect,
        observed.traced and not observed.cut and not observed.incomplete,
        is_credential,
    )
    produced = {
        file.original: output_path(file.change)
        for file in files
        if file.state is not None
        and file.state.kind == "file"
        and file.change.root != "home"
        and ".git" not in file.change.path.split("/")
    }
    for path in _rewritten(staged) if patterns else ():
        if path not in produced and any(pattern.matches(path) for pattern in patterns):
            produced[path] = below(path, plan.roots.workspace) or path
    # Judged unmasked: masks would not fit the schemas.
    contract = judge_contract(promise, result.printed, result.ended.exit_code)
    # Masked before it is cut: a part of a sensitive value would not be recognised.
    errors = staged.worded(_text(redactor.data(result.printed.errors)))
    reason = _reason(plan, result, errors, redactor)
    execution = request.interface.execution
    again = None if repeats is None else tuple(_repeated(repeats.again))
    report = RunReport(
        run="",
        plan=plan._replace(
            problems=(
                *plan.problems,
                *_absolute_links(plan, staged),
                *_missing_packages(plan, result, errors, bool(request.packages)),
                *_advice(context, result, errors, reason),
            )
        ),
        ended=result.ended,
        contract=contract._replace(value=redactor.value(contract.value)),
        effects=judged,
        outputs=judge_outputs(patterns, produced, declares_outputs(plan.dialect), partial),
        changes=tuple(file.change for file in files),
        differences=tuple(_differences(context, result, redactor)),
        repeated=again if again and execution is not None and execution.idempotent else (),
        varying=tuple(_varying(repeats, result, printed_digests(folder, staged))),
        again=again,
        traced=observed.traced,
        started_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started_at)),
        incomplete=tuple(_incomplete(result, repeats)),
        declares=bool(declared or patterns or promise != Promise())
        or always_declares(plan.dialect),
        reason=reason,
        leftover_files=tuple(_leftover_files(result, staged)),
    )
    return masked(report, redactor)


def _leftover_files(result: Pass, staged: Staged) -> Iterator[str]:
    """The files that the program wrote in its temporary folder and did not remove."""
    written = {event.subject for event in result.observed.events if event.kind == "write"}
    for path in sorted(written):
        inside = below(path, staged.temporary)
        if inside and os.path.isfile(path) and not os.path.islink(path):
            yield inside.replace(os.sep, "/")


def _rewritten(staged: Staged) -> Iterator[str]:
    """Files that were written with the bytes that they had: no change, and not missing either."""
    for copy in staged.copies:
        for path, state in copy.baseline.items():
            try:
                about = os.lstat(os.path.join(copy.folder, path))
            except OSError:
                continue
            if state.kind == "file" and stamp_of(about) != state.stamp:
                yield os.path.join(copy.original, path.replace("/", os.sep))


def _has_other_scripts(plan: Plan) -> bool:
    folder = os.path.join(plan.roots.skill, _SCRIPTS)
    try:
        with os.scandir(folder) as found:
            names = [f"{_SCRIPTS}/{entry.name}" for entry in found if entry.is_file()]
    except OSError:
        return False
    return any(name != plan.operation for name in names)


def _reason(plan: Plan, result: Pass, errors: str, redactor: Redactor) -> FailureReason:
    """Why the program failed, if it ended with an error; `errors` is its standard error."""
    if not _has_failed(result):
        return FailureReason()

    def in_skill(path: str) -> str | None:
        absolute = os.path.normpath(os.path.join(plan.cwd, path))
        inside = below(absolute, plan.roots.skill)
        return inside.replace(os.sep, "/") if inside and os.path.isfile(absolute) else None

    return failure_reason(errors, _text(redactor.data(result.printed.output)), in_skill)


def _has_failed(result: Pass) -> bool:
    ended = result.ended
    return ended.exit_code != 0 and not (ended.timed_out or ended.cancelled or ended.error)


def _text(data: bytes) -> str:
    """The end of what was printed."""
    return data[-_LAST:].decode("utf-8", "replace")


def _advice(
    context: PassContext, result: Pass, errors: str, reason: FailureReason
) -> Iterator[PlanProblem]:
    """What a program that failed lacked in this run; `errors` is its standard error."""
    if not _has_failed(result):
        return
    plan, launch = context.request.plan, context.request.launch
    try:
        with open(open_beneath(plan.roots.skill, script_of(plan), _UNFOLLOWED), "rb") as stream:
            script = _text(stream.read(_LAST))
    except OSError:
        script = ""  # A program of the machine.
    run = FailedRun(
        errors=errors,
        message=reason.message,
        script=script,
        isolation=context.isolation,
        network=launch.network,
        is_closed=context.isolation in CLOSED,
        events=result.observed.events,
        has_input=bool(launch.stdin),
        words=[word for step in plan.steps for word in step.argv[1:]],
        cwd=plan.cwd,
        roots=plan.roots,
    )
    yield from failure_advice(run, os.path.exists, lambda name: shutil.which(name) is not None)


def _missing_packages(
    plan: Plan, result: Pass, errors: str, is_prepared: bool
) -> Iterator[PlanProblem]:
    """A module that the program did not find, with the command that installs it; `errors` is its
    standard error."""
    if result.ended.exit_code in (0, None) or not plan.steps:
        return
    argv = plan.steps[-1].argv
    found = {
        requirement.name: requirement.found
        for requirement in plan.requirements
        if requirement.kind == "command"
    }
    tree = DiskTree(plan.roots.skill)
    interpreter = found.get(argv[0]) or argv[0]
    around = _around(plan.roots)
    yield from missing_packages(tree, script_of(plan), errors, interpreter, is_prepared, around)


def _around(roots: Roots) -> DiskTree | None:
    """The repository with the skill, if the run has no copy of it."""
    folder = enclosing_repository(os.path.dirname(roots.skill))
    is_copied = not folder or below(folder, roots.workspace) is not None
    return None if is_copied else DiskTree(folder)


def _absolute_links(plan: Plan, staged: Staged) -> Iterator[PlanProblem]:
    """A problem for each link that is not copied because its target is absolute."""
    links = [entry.path for entry in staged.skipped if entry.why == ABSOLUTE_LINK]
    for number, path in enumerate(links):
        if number == _LINKS:
            message = f"{len(links) - _LINKS:,} more links to absolute paths are not copied"
            yield PlanProblem("link-absolute", message, "", "warning")
            return
        message = (
            f"{_in_copies(path, plan)} is a link to an absolute path, so it is not copied and the "
            "program cannot find it; make the link relative and inside the folder"
        )
        yield PlanProblem("link-absolute", message, "", "warning")


def _incomplete(result: Pass, repeats: Repeats | None) -> Iterator[str]:
    yield from result.incomplete
    if left := result.ended.left:
        what = "1 process was" if left == 1 else f"{left} processes were"
        yield f"{what} ended with the program: what it would have done later is not observed"
    yield from result.observed.incomplete
    if result.observed.cut:
        yield f"{CUT_LOG}, so what is missing here may have happened"
    if repeats is not None:
        yield from (f"in the second run, {reason}" for reason in repeats.again.incomplete)


def masked(value: T, redactor: Redactor) -> T:
    """Mask sensitive values in a value of any type."""
    clean: T = _masked(value, redactor)
    return clean


def _masked(value: Any, redactor: Redactor) -> Any:
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_masked(part, redactor) for part in value))
    if isinstance(value, tuple):
        return tuple(_masked(part, redactor) for part in value)
    if isinstance(value, Mapping):
        return {redactor.text(str(key)): _masked(part, redactor) for key, part in value.items()}
    if isinstance(value, int | float):
        # Sizes, times and exit codes; numbers that the program printed are in JSON values.
        return value
    return redactor.value(value)


def _files(result: Pass, context: PassContext, patterns: list[OutputPattern]) -> Iterator[_File]:
    """The changed files, except bytecode that an interpreter stores."""
    for entry in result.changes:
        if not is_bytecode(entry.copy):
            pattern = next((one.pattern for one in patterns if one.matches(entry.original)), "")
            change = _change(
                entry.root, entry.path, entry.changed, entry.copy, pattern, entry.original
            )
            change = _with_content(change, entry.changed.after, entry.copy, context.staged)
            yield _File(change, entry.original, entry.changed.after)
    for changed in result.home:
        copy = os.path.join(context.staged.home, changed.path)
        if changed.path and not is_bytecode(copy):
            change = _change("home", changed.path, changed, copy, "", "")
            change = _with_content(change, changed.after, copy, context.staged)
            yield _File(change, f"~/{changed.path}", changed.after)


def _change(
    root: Any, path: str, changed: EntryChange, copy: str, pattern: str, original: str
) -> RunFileChange:
    state = changed.after or changed.before
    kind: str = state.kind if state else "other"
    place = copy if changed.after else original
    if kind == "file":
        kind = _kind(*os.path.split(place), path)
    elif kind == "other":
        found = open_source(place)
        kind = found.what if isinstance(found, Special) and found.what in _SPECIALS else "special"
    size = state.size if state else 0
    return RunFileChange(root, path, _word(changed), size, kind, pattern, _about(changed))


def _with_content(
    change: RunFileChange, state: FileState | None, copy: str, staged: Staged
) -> RunFileChange:
    """The change with the permissions and a digest of the content after the run."""
    if state is None:
        return change
    mode = f"{state.mode:o}" if state.kind in ("file", "folder") else ""
    # The index of a repository contains the times and inodes of files.
    is_index = change.path.split("/")[-2:] == [".git", "index"]
    content = "" if is_index else content_digest(state, copy, staged)
    return change._replace(mode=mode, content=content)


def _about(changed: EntryChange) -> str:
    """Changes that size and kind do not show."""
    before, after = changed.before, changed.after
    if after is None:
        return ""
    if before is not None and before.kind != after.kind:
        was = {"file": "a file", "folder": "a folder", "link": "a link"}
        return f"was {was.get(before.kind, 'something else')}"
    if after.kind == "link":
        return f"leads to {after.target}"
    if before is not None and before.mode != after.mode:
        return f"{PERMISSIONS}{after.mode:o}, were {before.mode:o}"
    return ""


def _databases(result: Pass, staged: Staged) -> Iterator[str]:
    """Databases in the copies that something opened; changed ones are known."""
    for path in {event.subject for event in result.observed.events if event.kind in _OPENED}:
        copies = ((copy.original, copy.folder) for copy in staged.copies)
        for original, folder in (("~", staged.home), *copies):
            inside = below(path, original)
            if inside is not None and _kind(folder, inside, path) == SQLITE:
                yield path
                break


def _kind(folder: str, inside: str, path: str) -> str:
    """The kind of a file's content below a folder, in which the program may have left links."""
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


def _repeated(again: Pass) -> Iterator[str]:
    """What a second run changed, and how it failed."""
    ended = again.ended
    if ended.timed_out:
        yield f"{FAILED_AGAIN}with a timeout"
    elif ended.signal or ended.exit_code != 0:
        how = f"by {ended.signal}" if ended.signal else f"with exit status {ended.exit_code}"
        yield f"{FAILED_AGAIN}{how}"
    for change in again.changes:
        yield f"{_word(change.changed)} {change.path}"
    for changed in again.home:
        yield f"{_word(changed)} ~/{changed.path}"


def _word(changed: EntryChange) -> Literal["added", "modified", "removed"]:
    if changed.before is None:
        return "added"
    return "removed" if changed.after is None else "modified"


def _varying(repeats: Repeats | None, result: Pass, printed: Mapping[str, str]) -> Iterator[str]:
    """The files and streams that differ between two fresh runs, by content or permissions."""
    if repeats is None:
        return
    one, other = _contents(repeats.once), _contents(result)
    yield from sorted(path for path in {*one, *other} if one.get(path) != other.get(path))
    for name, title in STREAM_TITLES.items():
        if name in printed and printed[name] != repeats.printed.get(name):
            yield title


def printed_digests(folder: str, staged: Staged) -> dict[str, str]:
    """Digests of what a program printed, masked, by the name of the stream."""
    digests = {}
    for name in STREAM_TITLES:
        try:
            with open(os.path.join(folder, name), "rb") as file:
                digests[name] = output_digest(file.read(), staged)
        except OSError:
            continue  # A pass that was not started.
    return digests


def _contents(result: Pass) -> dict[str, tuple[Any, ...]]:
    after = {change.path: change.changed.after for change in result.changes}
    after |= {f"~/{change.path}": change.after for change in result.home}
    return {path: state[:5] if state else () for path, state in after.items()}


def _in_copies(path: str, plan: Plan) -> str:
    """A path relative to the workspace or the skill."""
    for root in (plan.roots.workspace, plan.roots.skill):
        inside = below(path, root)
        if inside:
            return inside
    return os.path.basename(path)


def _variables(given: Sequence[str]) -> str:
    """The variables of a run and where they came from."""
    here = [name for name in ("PATH", "TZ") if name not in given and os.environ.get(name)]
    usual = [f"{name}={text}" for name, text in BASE.items() if name not in given]
    parts = [
        ", ".join(sorted(given)),
        f"from this machine {' and '.join(here)}" if here else "none from this machine",
        f"set by skillstudio {' and '.join(usual)}" if usual else "",
    ]
    return f"The environment variables were: {'; '.join(filter(None, parts))}."


def _differences(context: PassContext, result: Pass, redactor: Redactor) -> Iterator[str]:
    """How the run differed from a real one, a sentence each."""
    plan, launch = context.request.plan, context.request.launch
    if context.isolation != "isolated":
        yield "The workspace and the skill were copies at other paths."
    if base := context.request.base:
        yield f"It started on the result of run {base.run}."
        if base.left:
            yield f"Not recorded of that result: {', '.join(base.left[:_NAMED])}."
    skipped = context.staged.skipped
    if skipped:
        names = [f"{_in_copies(entry.path, plan)} ({entry.why})" for entry in skipped[:_NAMED]]
        more = f" and {len(skipped) - _NAMED} more" if len(skipped) > _NAMED else ""
        yield f"Not copied: {', '.join(names)}{more}."
    if context.isolation == "wasm":
        yield "The program only had the folders and variables that its manifest requests."
    else:
        yield "The home folder was empty except for a Git name, and standard input was closed."
        if context.isolation == "isolated":
            yield "The folder /tmp was empty and private to the run."
        yield _variables(plan.env)
    if packages := context.request.packages:
        yield f"The packages of {packages} came from an environment that skillstudio prepared."
    if context.isolation in CLOSED:
        is_plain = launch.network.mode in ("", "none") and context.isolation != "wasm"
        local = ", and so were local sockets, except pairs" if is_plain else ""
        yield f"{_network(launch.network, result)}{local}."
    mocked = sum(1 for step in launch.steps[: result.started] if step.mocked is not None)
    if mocked:
        yield f"The tests of the recipe mocked {mocked} of {len(launch.steps)} steps."
    if skipped_steps := len(launch.steps) - result.started:
        count = "1 step was" if skipped_steps == 1 else f"{skipped_steps} steps were"
        yield f"{count} not started because an earlier one failed."
    if redactor.too_short:
        number = redactor.too_short
        count = "1 sensitive value is" if number == 1 else f"{number} sensitive values are"
        yield f"{count} {TOO_SHORT} and may appear in this report."
    yield from _blocked(result, context)


def _network(choice: NetworkChoice, result: Pass) -> str:
    """What the program reached over the network."""
    hosts = ", ".join(choice.hosts)
    if choice.mode == "replay":
        answered = result.answered
        count = "1 request" if answered == 1 else f"{answered} requests"
        return f"The network was closed except for recorded responses, which answered {count}"
    if choice.mode == "record":
        recorded = len(result.exchanges)
        count = "1 response was" if recorded == 1 else f"{recorded} responses were"
        return (
            f"The network was limited to HTTP requests to {hosts or 'any host'}; {count} recorded"
        )
    if choice.mode == "hosts":
        return f"The network was limited to {hosts}, through an HTTP proxy"
    if choice.mode == "loopback":
        return "The network was closed except for the run's own loopback"
    return "The network was closed"


def _blocked(result: Pass, context: PassContext) -> Iterator[str]:
    """Files that the program tried to read and could not at this isolation level."""
    tried = dict.fromkeys(
        event.subject
        for event in result.observed.events
        if event.kind == "read" and event.refused and context.hides(event.subject)
    )
    if tried:
        more = f" and {len(tried) - _NAMED} more" if len(tried) > _NAMED else ""
        named = ", ".join(list(tried)[:_NAMED])
        yield f"Blocked read: {named}{more}; not readable at this isolation level."
