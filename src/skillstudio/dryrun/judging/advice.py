"""Say what a failed run lacked that a real one may have: input, network, folders, files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from skillstudio.dryrun.plan import NetworkChoice, PlanProblem, Roots
from skillstudio.dryrun.report import Event
from skillstudio.text.safe import safe_text

TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 - where programs put such files
"""Temporary folders of programs that ignore TMPDIR."""
_ENDED = re.compile(
    r"EOFError: EOF when reading|end of file reached \(EOFError\)|Error: EOF: end of file|"
    r"NoSuchElementException: No line found|ERR_USE_AFTER_CLOSE|EOF when reading a line"
)
"""What Python, Ruby, Node, Java and programs in their manner print when input has ended."""
_READS = re.compile(
    r"(?m)^\s*(?:while\s+(?:IFS=\S*\s+)?)?read(?:\s+-\w+)*(?:\s+[\"'][^\"']*[\"'])?\s+[A-Za-z_]|"
    r"\binput\(|\bsys\.stdin\b|\bprocess\.stdin\b|<STDIN>|\bSTDIN\.gets\b|\$stdin\b|/dev/stdin\b"
)
"""What reads standard input in shell, Python, JavaScript, Perl and Ruby."""
_MISSING = re.compile(r"(?i)no such file|ENOENT|cannot open|can't open|not found|does not exist")
_NETWORK = ("connect", "send", "resolve")
_NAMED = 3


class FailedRun(NamedTuple):
    """What is known of a run that failed."""

    errors: str  # The end of standard error.
    script: str  # The text of the script that was started; "" for a program.
    isolation: str
    network: NetworkChoice
    is_closed: bool  # Whether nothing that is sent arrives, except at `network`.
    events: Sequence[Event]
    has_input: bool  # Whether it was given a standard input.
    words: Sequence[str]  # The arguments of its programs.
    cwd: str
    roots: Roots


def failure_advice(run: FailedRun, exists: Callable[[str], bool]) -> Iterator[PlanProblem]:
    """What the run lacked, and how to give it; `exists` says whether a path is on the disk."""
    for rule, message in (
        ("stdin-closed", _standard_input(run)),
        ("network-closed", _network(run)),
        ("temporary-refused", _temporary(run)),
        ("file-elsewhere", _file(run, exists)),
    ):
        if message:
            yield PlanProblem(rule, safe_text(message), "", "warning")


def _standard_input(run: FailedRun) -> str:
    if run.has_input or not (_ENDED.search(run.errors) or _READS.search(run.script)):
        return ""
    return "the program reads standard input, which was closed; give it with --stdin FILE"


def _network(run: FailedRun) -> str:
    if not run.is_closed:
        return ""
    hosts = [host for event in run.events if (host := _host(event))]
    wanted = [host for host in dict.fromkeys(hosts) if host not in run.network.hosts]
    if not wanted or run.network.mode in ("record", "replay"):
        return ""
    number = len(wanted) - _NAMED
    names = ", ".join(wanted[:_NAMED]) + (f" and {number} more" if number > 0 else "")
    options = " ".join(f"--net {host}" for host in (*run.network.words, *wanted[:_NAMED]))
    closed = "only open to other hosts" if run.network.mode == "hosts" else "closed"
    return f"the network was {closed}, and the program asked for {names}; allow it with {options}"


def _host(event: Event) -> str:
    """The host that an event names, as `--net` takes it."""
    if event.kind not in _NETWORK or event.subject.startswith("unix:"):
        return ""
    if event.kind == "resolve":
        return event.subject
    host, _, port = event.subject.rpartition(":")
    is_local = host.startswith("127.") or host in ("localhost", "[::1]")
    if is_local:
        return f"{host}:{port}" if event.refused else ""
    # A name was looked up for most addresses; the address itself is no help then.
    return "" if not event.is_proxied else host


def _temporary(run: FailedRun) -> str:
    if run.isolation == "confined":
        refused = next(
            (
                event.subject
                for event in run.events
                if event.kind == "write" and event.refused and event.subject.startswith(TEMPORARY)
            ),
            "",
        )
        if refused:
            return (
                f"{refused} cannot be written at isolation level confined; create such files in "
                "the folder that $TMPDIR names, or use --isolation isolated"
            )
    return ""


def _file(run: FailedRun, exists: Callable[[str], bool]) -> str:
    """A path that is relative to another folder than the one where the program starts."""
    if not _MISSING.search(run.errors):
        return ""
    for word in run.words:
        if not word or word.startswith("-") or os.path.isabs(word) or "\n" in word:
            continue
        if word not in run.errors or exists(os.path.join(run.cwd, word)):
            continue
        places = {"the skill": run.roots.skill, "the workspace": run.roots.workspace}
        for name, folder in places.items():
            path = os.path.join(folder, word)
            if folder != run.cwd and exists(path):
                return (
                    f"{word} is in {name}, but the program starts in {run.cwd}; pass "
                    f"{os.path.relpath(path, run.cwd)}"
                )
    return ""
