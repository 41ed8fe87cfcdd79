"""What a run did beside what the manifest says: the value behind screen, JSON and trace."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from skillstudio.dryrun.plan import Plan

TOO_SHORT = "too short, or too common a word, to be masked"
"""In what tells how a run differed: sensitive values that may stand in it as they are."""
CUT_LOG = "The tracer saw more than is kept"
"""In what was not observed: that something is missing says nothing then."""
FAILED_AGAIN = "ended "
"""How a line begins that says how a second run failed, where the first one did not."""

EffectVerdict = Literal[
    "declared-observed", "declared-not-observed", "undeclared", "blocked", "not-observable"
]
OutputVerdict = Literal["produced", "missing", "undeclared"]
EventKind = Literal[
    "exec", "read", "write", "remove", "connect", "send", "resolve", "socket", "signal", "other"
]


class Event(NamedTuple):
    """Something a process asked of the system, as the tracer saw it."""

    kind: EventKind
    subject: str
    """The path, `host:port`, host name, or the argv as one line."""
    refused: str = ""
    """The error that it got, such as EACCES; "" where it was done."""
    pid: int = 0
    argv: tuple[str, ...] = ()
    """Of an exec."""
    program: str = ""
    """`git`, where git asked; "" for any other program."""


class Observation(NamedTuple):
    """What could be seen of a run, apart from the files that changed."""

    events: tuple[Event, ...] = ()
    traced: bool = False
    """Whether a tracer was there: without one, silence says nothing."""
    cut: bool = False
    """Whether the log was longer than what is read of it."""
    incomplete: tuple[str, ...] = ()
    """What of the log is missing or could not be read, a sentence each."""


class RunEnding(NamedTuple):
    """How the processes of a run ended."""

    exit_code: int | None
    """None where it was ended by a signal or never started."""
    signal: str = ""
    """`SIGKILL` and the like; "" where it ended by itself."""
    timed_out: bool = False
    cancelled: bool = False
    duration_ms: float = 0.0
    limits: tuple[str, ...] = ()
    """Limits that were hit, a sentence each."""
    error: str = ""
    """Why nothing could be started."""


class JudgedEffect(NamedTuple):
    """An effect that is declared or was seen."""

    effect: str
    declared: bool
    verdict: EffectVerdict
    evidence: tuple[str, ...] = ()
    """Path, host or argv, a line each."""
    is_error: bool = False


class JudgedOutput(NamedTuple):
    """A declared pattern and the files that match it; for what none declares the pattern is ""."""

    pattern: str
    verdict: OutputVerdict
    paths: tuple[str, ...] = ()
    is_error: bool = False


class JudgedContract(NamedTuple):
    """Whether standard output kept what is promised of it."""

    ok: bool
    problems: tuple[str, ...] = ()
    value: Any = None


class RunFileChange(NamedTuple):
    """A file of a root that is not as it was."""

    root: Literal["workspace", "skill", "home"]
    """`home` is the run's own, empty before: what a real run would leave in the user's."""
    path: str
    """Relative to the root."""
    change: Literal["added", "modified", "removed"]
    size: int
    """In bytes, after the run; of what was removed, before it."""
    kind: str
    """What the file holds, by `files.kind`; else `folder`, `link`, `pipe`, `socket`, `device`."""
    pattern: str = ""
    """The declared pattern that it matches; "" for none."""
    about: str = ""
    """What else of it is new: its permissions, what it was before, where a link leads."""


def output_path(change: RunFileChange) -> str:
    """The path of a changed file as a report names it."""
    if change.root == "home":
        return f"~/{change.path}"
    return change.path if change.root == "workspace" else f"{change.path} (in the skill)"


class RunReport(NamedTuple):
    """One run, whole. Sensitive values are masked in all of it."""

    run: str
    """The id of the run, also the name of its folder where it is kept."""
    plan: Plan
    ended: RunEnding
    contract: JudgedContract
    effects: tuple[JudgedEffect, ...]
    outputs: tuple[JudgedOutput, ...]
    changes: tuple[RunFileChange, ...]
    differences: tuple[str, ...]
    """In what this run differed from a real one, a sentence each."""
    repeated: tuple[str, ...] = ()
    """What a second run changed, or how it failed, where one was asked for and the skill says that
    it is idempotent: then it does neither."""
    varying: tuple[str, ...] = ()
    """Files that two fresh runs left otherwise, where that was looked at."""
    traced: bool = False
    identity: dict[str, str | None] | None = None
    """The version tuple of the skill."""
    started_at: str = ""
    """RFC 3339, UTC."""
    suspects: tuple[str, ...] = ()
    """Where something stands that looks like a credential and is not marked as sensitive."""
    again: tuple[str, ...] | None = None
    """What a second run on the result of the first one changed, or how it failed, whatever is
    declared; None where there was none."""
    incomplete: tuple[str, ...] = ()
    """What was not compared or not observed to its end, and why, a sentence each: nobody can say
    then that it did as declared."""

    @property
    def ok(self) -> bool:
        """Whether it ended well and did what is declared, and nothing else."""
        ended = self.ended
        # A program that is asked to end may do so with 0, and has not done all that it does.
        is_whole = ended.exit_code == 0 and not (ended.timed_out or ended.cancelled)
        return is_whole and not self._undeclared and not self.incomplete

    @property
    def verdict(self) -> str:
        """How it went in a few words, the same on every screen and in JSON."""
        if self.ok:
            return "as declared"
        ended = self.ended
        if ended.cancelled:
            return "cancelled"
        said = []
        if ended.timed_out:
            said.append("out of time")
        elif ended.exit_code != 0:
            said.append("failed")
        if self._undeclared:
            said.append("not as declared")
        if self.incomplete:
            said.append("observation incomplete")
        return ", ".join(said)

    @property
    def _undeclared(self) -> bool:
        return (
            not self.contract.ok
            or bool(self.repeated)
            or any(effect.is_error for effect in self.effects)
            or any(output.is_error for output in self.outputs)
        )


def not_started(plan: Plan, why: str) -> RunReport:
    """The report of a run that was refused: its plan, and the reason."""
    return RunReport("", plan, RunEnding(None, error=why), JudgedContract(False), (), (), (), ())
