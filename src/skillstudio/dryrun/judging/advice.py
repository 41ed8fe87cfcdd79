"""Say what a failed run lacked that a real one may have: input, network, folders, files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from skillstudio.dryrun.plan import NetworkChoice, PlanProblem, Roots
from skillstudio.dryrun.report import Event
from skillstudio.files.paths import make_relative
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.safe import safe_text

TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108 - where programs put such files
"""Temporary folders of programs that ignore TMPDIR."""
_INPUT_END = lazy_pattern(
    r"(?m)EOFError: EOF when reading|^EOFError$|end of file reached \(EOFError\)|"
    r"Error: EOF: end of file|NoSuchElementException: No line found|ERR_USE_AFTER_CLOSE"
)
"""What Python, Ruby, Node and Java print when input has ended."""
_READS = lazy_pattern(
    r"(?m)^\s*read(?:\s+-\w+)*(?:\s+[\"'][^\"']*[\"'])?(?:\s+[A-Za-z_]\w*)+\s*(?:$|;|\|\||&&)|"
    r"\binput\(|\bsys\.stdin\b|\bprocess\.stdin\b|<STDIN>|\bSTDIN\.gets\b|\$stdin\b|/dev/stdin\b"
)
"""What reads standard input in shell, Python, JavaScript, Perl and Ruby."""
_ASKS = lazy_pattern(r"(?i)\b(?:input|stdin|answer|eof|empty|no data)\b")
"""The words of a message about missing input."""
_NO_FILE = lazy_pattern(r"(?i)no such file|ENOENT|cannot open|can't open")
_NAMED_PATH = lazy_pattern(r"""['"‘`]([^'"’`\n]+)['"’`]|(?:^|:\s)([^\s:'"]+): No such file""")
_NOT_WRITTEN = lazy_pattern(
    r"(?:Permission denied|PermissionError|EACCES).*?((?:/tmp|/var/tmp|/dev/shm)/[^\s'\":;,]*)|"
    r"((?:/tmp|/var/tmp|/dev/shm)/[^\s'\":;,]*): Permission denied"
)
_NO_COMMAND = lazy_pattern(
    r"(?m)(?:^|: )([\w.+-]+): (?:command )?not found$|"
    r"No such file or directory: '([\w.+-]+)'|spawn ([\w.+-]+) ENOENT"
)
_NO_VARIABLE = lazy_pattern(
    r"KeyError: '([A-Z][A-Z0-9_]+)'|\b([A-Z][A-Z0-9_]+): (?:unbound variable|parameter not set)"
)
_NETWORK = ("connect", "send", "resolve")
_MAX_NAMES = 3


class FailedRun(NamedTuple):
    """What is known of a run that failed."""

    errors: str  # The end of standard error.
    message: str  # The reason of the failure; "" if nothing says so.
    script: str  # The text of the script that was started; "" for a program.
    isolation: str
    network: NetworkChoice
    is_closed: bool  # Whether nothing that is sent arrives, except at `network`.
    events: Sequence[Event]
    has_input: bool  # Whether it was given a standard input.
    words: Sequence[str]  # The arguments of its programs.
    cwd: str
    roots: Roots


def failure_advice(
    run: FailedRun, exists: Callable[[str], bool], has_command: Callable[[str], bool]
) -> Iterator[PlanProblem]:
    """What the run lacked, and how to give it; `exists` says whether a path is on the disk,
    `has_command` whether a program is on PATH."""
    for rule, message in (
        ("stdin-closed", _standard_input(run)),
        ("network-closed", _network(run)),
        ("temporary-refused", _temporary(run)),
        ("file-elsewhere", _file(run, exists)),
        ("command-missing", _command(run, exists, has_command)),
        ("variable-missing", _variable(run)),
    ):
        if message:
            yield PlanProblem(rule, safe_text(message), "", "warning")


def _standard_input(run: FailedRun) -> str:
    is_asked = not run.message or _ASKS.search(run.message)
    if run.has_input or not (
        _INPUT_END.search(run.errors) or (is_asked and _READS.search(run.script))
    ):
        return ""
    return "the program reads standard input, which was closed; give it with --stdin FILE"


def _network(run: FailedRun) -> str:
    if not run.is_closed:
        return ""
    hosts = [host for event in run.events if (host := _host(event))]
    requested_hosts = [host for host in dict.fromkeys(hosts) if host not in run.network.hosts]
    if not requested_hosts or run.network.mode in ("record", "replay"):
        return ""
    number = len(requested_hosts) - _MAX_NAMES
    names = ", ".join(requested_hosts[:_MAX_NAMES]) + (f" and {number} more" if number > 0 else "")
    options = " ".join(
        f"--net {host}" for host in (*run.network.words, *requested_hosts[:_MAX_NAMES])
    )
    state = "only open to other hosts" if run.network.mode == "hosts" else "closed"
    return f"the network was {state}, and the program asked for {names}; allow it with {options}"


def _host(event: Event) -> str:
    """The host that an event names, as `--net` takes it."""
    if event.kind not in _NETWORK or event.subject.startswith("unix:"):
        return ""
    if event.kind == "resolve":
        return event.subject
    host, _, port = event.subject.rpartition(":")
    is_local = host.startswith("127.") or host in ("localhost", "[::1]")
    if is_local:
        return f"{host}:{port}" if event.error else ""
    # A name was looked up for most addresses; the address itself is no help then.
    return "" if not event.is_proxied else host


def _temporary(run: FailedRun) -> str:
    if run.isolation != "confined" or not (match := _NOT_WRITTEN.search(run.errors)):
        return ""
    return (
        f"{match[1] or match[2]} cannot be used at isolation level confined; create such files in "
        "the folder that $TMPDIR names, or use --isolation isolated"
    )


def _file(run: FailedRun, exists: Callable[[str], bool]) -> str:
    """A path that is relative to another folder than the one where the program starts."""
    lines = [line for line in run.errors.splitlines() if _NO_FILE.search(line)]
    for line in reversed(lines):
        for match in _NAMED_PATH.finditer(line):
            path = match[1] or match[2]
            if os.path.isabs(path) or exists(os.path.join(run.cwd, path)):
                continue
            places = {"the skill": run.roots.skill, "the workspace": run.roots.workspace}
            for name, folder in places.items():
                place = os.path.join(folder, path)
                if folder == run.cwd or not exists(place):
                    continue
                start = f"{path} is in {name}, but the program starts in {run.cwd}"
                if path in run.words:
                    return f"{start}; pass {make_relative(place, run.cwd)}"
                return f"{start}; let it find the file beside the script, or take its path"
    return ""


def _command(
    run: FailedRun, exists: Callable[[str], bool], has_command: Callable[[str], bool]
) -> str:
    for match in _NO_COMMAND.finditer(run.errors):
        name = next(filter(None, match.groups()))
        if match[2] and "_execute_child" not in run.errors:
            continue  # Python names a folder or a file in the same way.
        is_file = any(exists(os.path.join(folder, name)) for folder in (run.cwd, *run.roots[:2]))
        # A name with an ending is a file that was to be read.
        if not has_command(name) and not is_file and "." not in name.lstrip("."):
            return f"{name} is not a program on PATH; install it, or let the skill work without it"
    return ""


def _variable(run: FailedRun) -> str:
    match = _NO_VARIABLE.search(run.errors)
    name = match[1] or match[2] if match is not None else ""
    if not name or (match is not None and match[1] and "environ" not in run.errors):
        return ""
    return f"{name} was not set in this run; set it with --env {name}=VALUE"
