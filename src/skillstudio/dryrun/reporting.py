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
    RunScope,
    WrittenFile,
    judge_effects,
    observed_effects,
)
from skillstudio.dryrun.judging.failure import failure_reason
from skillstudio.dryrun.observing.events import is_bytecode
from skillstudio.dryrun.passes import CLOSED_LEVELS, Pass, PassContext
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
from skillstudio.dryrun.staging.staged import Staging
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
_MAX_NAMES = 5
_LAST = 64 << 10  # Bytes of what was printed, or of a script, that are searched.
_LINKS = 10  # Absolute links to report one by one.
_OPEN_KINDS = ("read", "write")
_SPECIALS = ("pipe", "socket", "device")
_READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
T = TypeVar("T")


class Repeats(NamedTuple):
    """Two earlier runs: one like the reported one, and one on its result."""

    once: Pass
    again: Pass
    output_digests: Mapping[
        str, str
    ] = {}  # Digests of what the first printed, by the name of a stream.


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
    request, staging = context.request, context.staging
    plan, operation = request.plan, request.operation
    patterns = output_patterns(request.launch.outputs, plan.roots)
    files = list(_files(result, context, patterns))
    written_files = [
        WrittenFile(file.original, output_path(file.change), file.change.change, file.change.kind)
        for file in files
    ]
    setting = Setting(plan.dialect, plan.roots, request.home, request.launch.outputs)
    is_closed = context.isolation in CLOSED_LEVELS
    roots = plan.roots
    scope = RunScope(
        roots.skill,
        roots.workspace,
        request.home,
        staging.temporary,
        is_closed,
        staging.was_present,
    )
    observation = result.observation
    # A script is part of the skill: outputs the skill declares may come from another script.
    is_part = plan.operation != operation.name and _has_other_scripts(plan)
    partial = is_part or result.ending.exit_code != 0
    declared_effects = list(declarations(request.interface, operation, setting))
    promise = _promise(operation)
    judged_effects = judge_effects(
        declared_effects,
        observed_effects(written_files, observation, scope, _databases(result, staging)),
        plan.dialect,
        observation.traced and not observation.cut and not observation.incomplete,
        is_credential,
    )
    produced_files = {
        file.original: output_path(file.change)
        for file in files
        if file.state is not None
        and file.state.kind == "file"
        and file.change.root != "home"
        and ".git" not in file.change.path.split("/")
    }
    for path in _rewritten(staging) if patterns else ():
        if path not in produced_files and any(pattern.matches(path) for pattern in patterns):
            produced_files[path] = below(path, plan.roots.workspace) or path
    # Judged unmasked: masks would not fit the schemas.
    contract = judge_contract(promise, result.printed_output, result.ending.exit_code)
    # Masked before it is cut: a part of a sensitive value would not be recognised.
    errors = staging.restore_paths(_text(redactor.data(result.printed_output.errors)))
    reason = _reason(plan, result, errors, redactor)
    execution = request.interface.execution
    again = None if repeats is None else tuple(_describe_repeat(repeats.again))
    report = RunReport(
        run="",
        plan=plan._replace(
            problems=(
                *plan.problems,
                *_absolute_links(plan, staging),
                *_missing_packages(plan, result, errors, bool(request.packages)),
                *_advice(context, result, errors, reason),
            )
        ),
        ending=result.ending,
        contract=contract._replace(value=redactor.value(contract.value)),
        effects=judged_effects,
        outputs=judge_outputs(patterns, produced_files, declares_outputs(plan.dialect), partial),
        changes=tuple(file.change for file in files),
        differences=tuple(_differences(context, result, redactor)),
        repeat_changes=again if again and execution is not None and execution.idempotent else (),
        variations=tuple(_find_variations(repeats, result, printed_digests(folder, staging))),
        again=again,
        traced=observation.traced,
        started_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started_at)),
        incomplete=tuple(_incomplete(result, repeats)),
        declares=bool(declared_effects or patterns or promise != Promise())
        or always_declares(plan.dialect),
        reason=reason,
        leftover_files=tuple(_leftover_files(result, staging)),
    )
    return mask_value(report, redactor)


def _leftover_files(result: Pass, staging: Staging) -> Iterator[str]:
    """The files that the program wrote in its temporary folder and did not remove."""
    written_paths = {event.subject for event in result.observation.events if event.kind == "write"}
    for path in sorted(written_paths):
        inside = below(path, staging.temporary)
        if inside and os.path.isfile(path) and not os.path.islink(path):
            yield inside.replace(os.sep, "/")


def _rewritten(staging: Staging) -> Iterator[str]:
    """Files that were written with the bytes that they had: no change, and not missing either."""
    for copy in staging.copies:
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
        with os.scandir(folder) as entries:
            names = [f"{_SCRIPTS}/{entry.name}" for entry in entries if entry.is_file()]
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

    return failure_reason(errors, _text(redactor.data(result.printed_output.output)), in_skill)


def _has_failed(result: Pass) -> bool:
    ending = result.ending
    return ending.exit_code != 0 and not (ending.timed_out or ending.cancelled or ending.error)


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
        with open(open_beneath(plan.roots.skill, script_of(plan), _READ_FLAGS), "rb") as stream:
            script = _text(stream.read(_LAST))
    except OSError:
        script = ""  # A program of the machine.
    run = FailedRun(
        errors=errors,
        message=reason.message,
        script=script,
        isolation=context.isolation,
        network=launch.network,
        is_closed=context.isolation in CLOSED_LEVELS,
        events=result.observation.events,
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
    if result.ending.exit_code in (0, None) or not plan.steps:
        return
    argv = plan.steps[-1].argv
    installed_commands = {
        requirement.name: requirement.found
        for requirement in plan.requirements
        if requirement.kind == "command"
    }
    tree = DiskTree(plan.roots.skill)
    interpreter = installed_commands.get(argv[0]) or argv[0]
    around = _around(plan.roots)
    yield from missing_packages(tree, script_of(plan), errors, interpreter, is_prepared, around)


def _around(roots: Roots) -> DiskTree | None:
    """The repository with the skill, if the run has no copy of it."""
    folder = enclosing_repository(os.path.dirname(roots.skill))
    is_copied = not folder or below(folder, roots.workspace) is not None
    return None if is_copied else DiskTree(folder)


def _absolute_links(plan: Plan, staging: Staging) -> Iterator[PlanProblem]:
    """A problem for each link that is not copied because its target is absolute."""
    links = [entry.path for entry in staging.skipped if entry.why == ABSOLUTE_LINK]
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
    if leftover_count := result.ending.leftover_count:
        what = "1 process was" if leftover_count == 1 else f"{leftover_count} processes were"
        yield f"{what} ended with the program: what it would have done later is not observed"
    yield from result.observation.incomplete
    if result.observation.cut:
        yield f"{CUT_LOG}, so what is missing here may have happened"
    if repeats is not None:
        yield from (f"in the second run, {reason}" for reason in repeats.again.incomplete)


def mask_value(value: T, redactor: Redactor) -> T:
    """Mask sensitive values in a value of any type."""
    clean: T = _mask_value(value, redactor)
    return clean


def _mask_value(value: Any, redactor: Redactor) -> Any:
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_mask_value(part, redactor) for part in value))
    if isinstance(value, tuple):
        return tuple(_mask_value(part, redactor) for part in value)
    if isinstance(value, Mapping):
        return {redactor.text(str(key)): _mask_value(part, redactor) for key, part in value.items()}
    if isinstance(value, int | float):
        # Sizes, times and exit codes; numbers that the program printed are in JSON values.
        return value
    return redactor.value(value)


def _files(result: Pass, context: PassContext, patterns: list[OutputPattern]) -> Iterator[_File]:
    """The changed files, except bytecode that an interpreter stores."""
    for entry in result.changes:
        if not is_bytecode(entry.copy):
            pattern = next(
                (
                    output_pattern.pattern
                    for output_pattern in patterns
                    if output_pattern.matches(entry.original)
                ),
                "",
            )
            change = _change(
                entry.root, entry.path, entry.entry_change, entry.copy, pattern, entry.original
            )
            change = _with_content(change, entry.entry_change.after, entry.copy, context.staging)
            yield _File(change, entry.original, entry.entry_change.after)
    for entry_change in result.home:
        copy = os.path.join(context.staging.home, entry_change.path)
        if entry_change.path and not is_bytecode(copy):
            change = _change("home", entry_change.path, entry_change, copy, "", "")
            change = _with_content(change, entry_change.after, copy, context.staging)
            yield _File(change, f"~/{entry_change.path}", entry_change.after)


def _change(
    root: Any, path: str, entry_change: EntryChange, copy: str, pattern: str, original: str
) -> RunFileChange:
    state = entry_change.after or entry_change.before
    kind: str = state.kind if state else "other"
    place = copy if entry_change.after else original
    if kind == "file":
        kind = _kind(*os.path.split(place), path)
    elif kind == "other":
        source = open_source(place)
        kind = (
            source.what if isinstance(source, Special) and source.what in _SPECIALS else "special"
        )
    size = state.size if state else 0
    return RunFileChange(root, path, _word(entry_change), size, kind, pattern, _about(entry_change))


def _with_content(
    change: RunFileChange, state: FileState | None, copy: str, staging: Staging
) -> RunFileChange:
    """The change with the permissions and a digest of the content after the run."""
    if state is None:
        return change
    mode = f"{state.mode:o}" if state.kind in ("file", "folder") else ""
    # The index of a repository contains the times and inodes of files.
    is_index = change.path.split("/")[-2:] == [".git", "index"]
    content = "" if is_index else content_digest(state, copy, staging)
    return change._replace(mode=mode, content=content)


def _about(entry_change: EntryChange) -> str:
    """Changes that size and kind do not show."""
    before, after = entry_change.before, entry_change.after
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


def _databases(result: Pass, staging: Staging) -> Iterator[str]:
    """Databases in the copies that something opened; changed ones are known."""
    for path in {event.subject for event in result.observation.events if event.kind in _OPEN_KINDS}:
        copies = ((copy.original, copy.folder) for copy in staging.copies)
        for original, folder in (("~", staging.home), *copies):
            inside = below(path, original)
            if inside is not None and _kind(folder, inside, path) == SQLITE:
                yield path
                break


def _kind(folder: str, inside: str, path: str) -> str:
    """The kind of a file's content below a folder, in which the program may have left links."""
    try:
        with open(open_beneath(folder, inside, _READ_FLAGS), "rb") as stream:
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


def _describe_repeat(again: Pass) -> Iterator[str]:
    """What a second run changed, and how it failed."""
    ending = again.ending
    if ending.timed_out:
        yield f"{FAILED_AGAIN}with a timeout"
    elif ending.signal or ending.exit_code != 0:
        how = f"by {ending.signal}" if ending.signal else f"with exit status {ending.exit_code}"
        yield f"{FAILED_AGAIN}{how}"
    for change in again.changes:
        yield f"{_word(change.entry_change)} {change.path}"
    for entry_change in again.home:
        yield f"{_word(entry_change)} ~/{entry_change.path}"


def _word(entry_change: EntryChange) -> Literal["added", "modified", "removed"]:
    if entry_change.before is None:
        return "added"
    return "removed" if entry_change.after is None else "modified"


def _find_variations(
    repeats: Repeats | None, result: Pass, output_digests: Mapping[str, str]
) -> Iterator[str]:
    """The files and streams that differ between two fresh runs, by content or permissions."""
    if repeats is None:
        return
    first_contents, other = _contents(repeats.once), _contents(result)
    yield from sorted(
        path for path in {*first_contents, *other} if first_contents.get(path) != other.get(path)
    )
    for name, title in STREAM_TITLES.items():
        if name in output_digests and output_digests[name] != repeats.output_digests.get(name):
            yield title


def printed_digests(folder: str, staging: Staging) -> dict[str, str]:
    """Digests of what a program printed, masked, by the name of the stream."""
    digests = {}
    for name in STREAM_TITLES:
        try:
            with open(os.path.join(folder, name), "rb") as file:
                digests[name] = output_digest(file.read(), staging)
        except OSError:
            continue  # A pass that was not started.
    return digests


def _contents(result: Pass) -> dict[str, tuple[Any, ...]]:
    after = {change.path: change.entry_change.after for change in result.changes}
    after |= {f"~/{change.path}": change.after for change in result.home}
    return {path: state[:5] if state else () for path, state in after.items()}


def _in_copies(path: str, plan: Plan) -> str:
    """A path relative to the workspace or the skill."""
    for root in (plan.roots.workspace, plan.roots.skill):
        inside = below(path, root)
        if inside:
            return inside
    return os.path.basename(path)


def _variables(given_names: Sequence[str]) -> str:
    """The variables of a run and where they came from."""
    here = [name for name in ("PATH", "TZ") if name not in given_names and os.environ.get(name)]
    usual = [f"{name}={text}" for name, text in BASE.items() if name not in given_names]
    parts = [
        ", ".join(sorted(given_names)),
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
        if base.unrecorded_parts:
            yield f"Not recorded of that result: {', '.join(base.unrecorded_parts[:_MAX_NAMES])}."
    skipped_entries = context.staging.skipped
    if skipped_entries:
        names = [
            f"{_in_copies(entry.path, plan)} ({entry.why})"
            for entry in skipped_entries[:_MAX_NAMES]
        ]
        rest = (
            f" and {len(skipped_entries) - _MAX_NAMES} more"
            if len(skipped_entries) > _MAX_NAMES
            else ""
        )
        yield f"Not copied: {', '.join(names)}{rest}."
    if context.isolation == "wasm":
        yield "The program only had the folders and variables that its manifest requests."
    else:
        yield "The home folder was empty except for a Git name, and standard input was closed."
        if context.isolation == "isolated":
            yield "The folder /tmp was empty and private to the run."
        yield _variables(plan.env)
    if packages := context.request.packages:
        yield f"The packages of {packages} came from an environment that skillstudio prepared."
    if context.isolation in CLOSED_LEVELS:
        is_plain = launch.network.mode in ("", "none") and context.isolation != "wasm"
        local = ", and so were local sockets, except pairs" if is_plain else ""
        yield f"{_network(launch.network, result)}{local}."
    mocked_count = sum(1 for step in launch.steps[: result.start_count] if step.mocked is not None)
    if mocked_count:
        yield f"The tests of the recipe mocked {mocked_count} of {len(launch.steps)} steps."
    if skipped_steps := len(launch.steps) - result.start_count:
        count = "1 step was" if skipped_steps == 1 else f"{skipped_steps} steps were"
        yield f"{count} not started because an earlier one failed."
    if redactor.too_short:
        number = redactor.too_short
        count = "1 sensitive value is" if number == 1 else f"{number} sensitive values are"
        yield f"{count} {TOO_SHORT} and may appear in this report."
    yield from _describe_blocked_reads(result, context)


def _network(choice: NetworkChoice, result: Pass) -> str:
    """What the program reached over the network."""
    hosts = ", ".join(choice.hosts)
    if choice.mode == "replay":
        answer_count = result.answer_count
        count = "1 request" if answer_count == 1 else f"{answer_count} requests"
        return f"The network was closed except for recorded responses, which answered {count}"
    if choice.mode == "record":
        response_count = len(result.exchanges)
        count = "1 response was" if response_count == 1 else f"{response_count} responses were"
        return (
            f"The network was limited to HTTP requests to {hosts or 'any host'}; {count} recorded"
        )
    if choice.mode == "hosts":
        return f"The network was limited to {hosts}, through an HTTP proxy"
    if choice.mode == "loopback":
        return "The network was closed except for the run's own loopback"
    return "The network was closed"


def _describe_blocked_reads(result: Pass, context: PassContext) -> Iterator[str]:
    """Files that the program tried to read and could not at this isolation level."""
    blocked_paths = dict.fromkeys(
        event.subject
        for event in result.observation.events
        if event.kind == "read" and event.error and context.hides(event.subject)
    )
    if blocked_paths:
        rest = (
            f" and {len(blocked_paths) - _MAX_NAMES} more"
            if len(blocked_paths) > _MAX_NAMES
            else ""
        )
        names = ", ".join(list(blocked_paths)[:_MAX_NAMES])
        yield f"Blocked read: {names}{rest}; not readable at this isolation level."
