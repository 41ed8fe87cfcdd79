"""Record a run: its trace and the end of its output, with sensitive values masked."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from skillstudio.dryrun.passes import Request
from skillstudio.dryrun.redaction.suspects import mask_suspects, mask_suspects_in
from skillstudio.dryrun.reporting import printed_digests
from skillstudio.dryrun.run import CompletedRun
from skillstudio.dryrun.staging.staged import Staged
from skillstudio.dryrun.traces.key import Key, read_key
from skillstudio.dryrun.traces.store import STREAMS, RunStore
from skillstudio.dryrun.traces.trace import Mode, make_trace, mode_of

MAX_KEPT = 4 << 20  # Bytes at the end of each stream that are recorded.
_OWN = frozenset({"roots", "cwd", "execution", "run", "key", "given"})
"""Keys that identify a run for finding and repeating it; they contain no text of the program."""


def record_run(
    finished: CompletedRun,
    request: Request,
    wanted: Mode | None,
    store: RunStore,
    files: Callable[[CompletedRun, str], Mapping[str, str]] | None = None,
) -> str | None:
    """Record a run and return its folder, else None. `files` returns further files by path; it gets
    a folder for them, but not in mode `aggressive`. Raises OSError, KeyUnusable."""
    is_sensitive = request.interface.sensitive
    mode = mode_of(wanted, is_sensitive)
    if mode == "off":
        return None
    key = read_key(os.path.dirname(store.folder))
    trace = trace_of_run(finished, request, mode, key)
    kept = os.path.join(finished.folder, "kept")
    os.mkdir(kept, 0o700)
    if mode != "aggressive":
        for name in STREAMS:
            source = os.path.join(finished.folder, name)
            _copy_end(source, os.path.join(kept, name), finished.staged)
    more = files(finished, kept) if files and mode != "aggressive" else {}
    return store.keep(finished.report.run, trace, kept, more)


def trace_of_run(
    finished: CompletedRun, request: Request, mode: Mode, key: Key | None
) -> dict[str, Any]:
    """The trace of a run, with what looks like a credential masked."""
    printed = printed_digests(finished.folder, finished.staged)
    trace = make_trace(
        finished.report, mode, request.launch, key, request.interface.sensitive, printed
    )
    trace = {
        name: value if name in _OWN else mask_suspects_in(value) for name, value in trace.items()
    }
    given = trace["given"]
    hidden = {
        "arguments": mask_suspects_in(finished.redactor.value(given["arguments"])),
        "env": mask_suspects_in(finished.redactor.value(given["env"])),
    }
    return {**trace, "given": {**given, **hidden}}


def _copy_end(source: str, target: str, staged: Staged) -> None:
    """Record the end of a stream, with the paths of a real run."""
    if not os.path.exists(source):
        return
    with open(source, "rb") as file:
        size = os.path.getsize(source)
        file.seek(max(size - MAX_KEPT, 0))
        if size > MAX_KEPT:  # From a whole line on: half a credential does not look like one.
            file.readline(MAX_KEPT)
        text = staged.worded(file.read(MAX_KEPT).decode("utf-8", "surrogateescape"))
    with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as made:
        made.write(mask_suspects(text).encode("utf-8", "surrogateescape"))
