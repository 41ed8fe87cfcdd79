"""The report of a run compared with its manifest: shown on screens, in JSON and in traces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from skillstudio.dryrun.plan import Plan, plan_value

PERMISSIONS = "permissions "
"""The start of `about` for a file of which the permissions changed."""
TOO_SHORT = "too short or too common to be masked"
"""In a difference: sensitive values that may appear in the report."""
CUT_LOG = "The tracer's log was cut off"
"""In `incomplete`: what is missing in the log may have happened."""
FAILED_AGAIN = "ended "  # The start of a line that says how a second run failed.

EffectVerdict = Literal[
    "declared-observed",
    "declared-not-observed",
    "undeclared",
    "blocked",
    "prevented",
    "not-observable",
]
"""`blocked` is an attempt, `prevented` one of which it is unknown whether it is an effect."""
OutputVerdict = Literal["produced", "missing", "undeclared"]
EventKind = Literal[
    "exec",
    "read",
    "write",
    "remove",
    "list",
    "connect",
    "listen",
    "send",
    "resolve",
    "socket",
    "signal",
    "filter",
    "other",
]


class Event(NamedTuple):
    """An action of a process, as the tracer saw it."""

    kind: EventKind
    subject: str  # The path, `host:port`, host name, or the argv as one line.
    error: str = ""  # The error it got, such as EACCES; "" when it succeeded.
    pid: int = 0
    argv: tuple[str, ...] = ()
    program: str = ""  # `git` or `sqlite3` when that did it, else "".
    is_proxied: bool = False  # Whether the proxy of the run did it for the program.
    is_new: bool = False  # Whether a file that is written has nothing of before: made or emptied.


class Observation(NamedTuple):
    """What was observed of a run, besides changed files."""

    events: tuple[Event, ...] = ()
    traced: bool = False  # Whether there was a tracer: without one, no events prove nothing.
    cut: bool = False  # Whether the log was longer than what is read.
    incomplete: tuple[str, ...] = ()
    """What is missing in the log or could not be read, a sentence each."""


class RunEnding(NamedTuple):
    """How the processes of a run ended."""

    exit_code: int | None  # None when ended by a signal or never started.
    signal: str = ""
    timed_out: bool = False
    cancelled: bool = False
    duration_ms: float = 0.0
    limits: tuple[str, ...] = ()  # Limits that were reached, a sentence each.
    error: str = ""  # Why nothing could be started.
    leftover_count: int = 0  # Processes that the program left running, which were ended.


class FailureReason(NamedTuple):
    """Why a program failed, from what it printed; empty if it did not fail."""

    message: str = ""  # One line.
    path: str = ""  # Of the innermost frame in the skill, relative to it; "" if unknown.
    line: int = 0  # From 1; 0 if unknown.
    function: str = ""
    is_whole: bool = False  # Whether standard error says no more than this.

    @property
    def place(self) -> str:
        """`path:line` in the skill."""
        return f"{self.path}:{self.line}" if self.path else ""


class JudgedEffect(NamedTuple):
    """A declared or observed effect."""

    effect: str
    declared: bool
    verdict: EffectVerdict
    evidence: tuple[str, ...] = ()  # Path, host or argv, a line each.
    is_error: bool = False


class JudgedOutput(NamedTuple):
    """A declared pattern and its files; the pattern is "" for undeclared files."""

    pattern: str
    verdict: OutputVerdict
    paths: tuple[str, ...] = ()
    is_error: bool = False


class JudgedContract(NamedTuple):
    """Whether standard output satisfies the contract."""

    ok: bool
    problems: tuple[str, ...] = ()
    value: Any = None


class RunFileChange(NamedTuple):
    """A changed file of a root."""

    root: Literal["workspace", "skill", "home"]
    """`home` is the run's own, initially empty home folder."""
    path: str
    change: Literal["added", "modified", "removed"]
    size: int  # Bytes after the run; for a removed file, before it.
    kind: str  # The content, by `files.kind`; else `folder`, `link`, `pipe`, `socket`, `device`.
    pattern: str = ""  # The declared pattern that it matches, else "".
    about: str = ""  # Other changes: permissions, previous kind, target of a link.
    mode: str = ""  # The permission bits of a file or folder after the run, in octal.
    content: str = ""
    """What tells contents apart: a digest, in a trace a token of it. Never part of a report."""


def output_path(change: RunFileChange) -> str:
    """The path of a changed file as a report names it."""
    if change.root == "home":
        return f"~/{change.path}"
    return change.path if change.root == "workspace" else f"{change.path} (in the skill)"


class RunReport(NamedTuple):
    """A complete run. Sensitive values are masked in all of it."""

    run: str  # The id of the run, also the name of its folder when recorded.
    plan: Plan
    ending: RunEnding
    contract: JudgedContract
    effects: tuple[JudgedEffect, ...]
    outputs: tuple[JudgedOutput, ...]
    changes: tuple[RunFileChange, ...]
    differences: tuple[str, ...]  # How this run differed from a real one, a sentence each.
    repeat_changes: tuple[str, ...] = ()
    """What a second run changed or how it failed, if the skill is declared idempotent."""
    variations: tuple[str, ...] = ()  # Files and streams that differ between two fresh runs.
    traced: bool = False
    identity: dict[str, str | None] | None = None
    started_at: str = ""  # RFC 3339, UTC.
    suspects: tuple[str, ...] = ()
    """Places of what looks like a credential and is not marked as sensitive."""
    again: tuple[str, ...] | None = None
    """What a second run on the result changed or how it failed; None without one."""
    incomplete: tuple[str, ...] = ()
    """What was not compared or observed completely, a sentence each; then it is not as declared."""
    on: str = ""  # The run on whose result it started.
    declares: bool = True  # Whether the manifest declares any effect, output or contract.
    reason: FailureReason = FailureReason()
    leftover_files: tuple[str, ...] = ()
    """Files that the program left below `$TMPDIR`, as far as it was observed."""
    expected_exit: int = 0
    """The exit status that the sample of the run expects; neither recorded nor in JSON."""

    @property
    def ok(self) -> bool:
        """Whether it succeeded and nothing else than what is declared was observed."""
        ending = self.ending
        # A program that is asked to end may exit with 0 without having done everything.
        is_whole = ending.exit_code == self.expected_exit and not (
            ending.timed_out or ending.cancelled
        )
        return is_whole and not self._has_violations and not self.incomplete

    @property
    def verdict(self) -> str:
        """The outcome in a few words, the same on every screen and in JSON."""
        if self.ok:
            # Capabilities alone decide what a program under WASI can do.
            is_traced = self.traced or self.plan.isolation.id == "wasm"
            if not is_traced or any(effect.verdict == "prevented" for effect in self.effects):
                return "not fully observed"
            return "as declared" if self.declares else "nothing declared"
        ending = self.ending
        if ending.error and not self.started_at:
            return "not run"
        if ending.cancelled:
            return "cancelled"
        words = []
        if ending.timed_out:
            words.append("timed out")
        elif ending.exit_code != self.expected_exit:
            words.append("failed")
        if self._has_violations:
            words.append("not as declared")
        if self.incomplete:
            words.append("observation incomplete")
        return ", ".join(words)

    @property
    def _has_violations(self) -> bool:
        return (
            not self.contract.ok
            or bool(self.repeat_changes)
            or any(effect.is_error for effect in self.effects)
            or any(output.is_error for output in self.outputs)
        )


def not_started(plan: Plan, why: str) -> RunReport:
    """The report of a run that was not started, with the reason."""
    return RunReport("", plan, RunEnding(None, error=why), JudgedContract(False), (), (), (), ())


def report_value(report: RunReport) -> dict[str, Any]:
    """The JSON value of a report and its plan."""
    ending = report.ending
    return {
        **plan_value(report.plan),
        "run": report.run,
        "on": report.on or None,
        "started_at": report.started_at,
        "exit_code": ending.exit_code,
        "signal": ending.signal or None,
        "timed_out": ending.timed_out,
        "cancelled": ending.cancelled,
        "error": ending.error or None,
        "reason": report.reason._asdict() if report.reason.message else None,
        "duration_ms": round(ending.duration_ms, 1),
        "contract": _value(report.contract),
        "effects": list(map(_value, report.effects)),
        "outputs": list(map(_value, report.outputs)),
        "changes": {
            word: [_change(change) for change in report.changes if change.change == word]
            for word in ("added", "modified", "removed")
        },
        "limits": list(ending.limits),
        "differences": list(report.differences),
        "incomplete": list(report.incomplete),
        "repeated": list(report.repeat_changes),
        "again": None if report.again is None else list(report.again),
        "varying": list(report.variations),
        "traced": report.traced,
        "declares": report.declares,
        "suspects": list(report.suspects),
        "leftover_files": list(report.leftover_files),
        "identity": report.identity,
        "verdict": report.verdict,
        "ok": report.ok,
    }


def _value(of: JudgedContract | JudgedEffect | JudgedOutput) -> dict[str, Any]:
    value = {n: list(x) if isinstance(x, tuple) else x for n, x in of._asdict().items()}
    if "is_error" in value:
        value["error"] = value.pop("is_error")
    return value


def _change(change: RunFileChange) -> dict[str, Any]:
    value = change._asdict()
    for name in ("change", "mode", "content"):
        del value[name]
    return {**value, "pattern": change.pattern or None, "about": change.about or None}


def map_texts(value: Any, of: Callable[[str], str]) -> Any:
    """A JSON value with a function applied to all of its texts, including keys."""
    if isinstance(value, str):
        return of(value)
    if isinstance(value, dict):
        return {of(key): map_texts(part, of) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [map_texts(part, of) for part in value]
    return value
