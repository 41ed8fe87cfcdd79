"""Record a run: its trace and the end of its output, with sensitive values masked."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from skillstudio.dryrun.passes import Request
from skillstudio.dryrun.redaction.suspects import mask_suspects, mask_suspects_in
from skillstudio.dryrun.reporting import printed_digests
from skillstudio.dryrun.run import CompletedRun
from skillstudio.dryrun.staging.staged import Staging
from skillstudio.dryrun.traces.key import Key, read_key
from skillstudio.dryrun.traces.store import STREAMS, RunStore
from skillstudio.dryrun.traces.trace import Mode, make_trace, mode_of

MAX_KEPT = 4 << 20  # Bytes at the end of each stream that are recorded.
_IDENTITY_KEYS = frozenset({"roots", "cwd", "execution", "run", "key", "given"})
"""Keys that identify a run for finding and repeating it; they contain no text of the program."""


def record_run(
    completed_run: CompletedRun,
    request: Request,
    requested_mode: Mode | None,
    store: RunStore,
    files: Callable[[CompletedRun, str], Mapping[str, str]] | None = None,
) -> str | None:
    """Record a run and return its folder, else None. `files` returns further files by path; it gets
    a folder for them, but not in mode `aggressive`. Raises OSError, KeyUnusable."""
    is_sensitive = request.interface.sensitive
    mode = mode_of(requested_mode, is_sensitive)
    if mode == "off":
        return None
    key = read_key(os.path.dirname(store.folder))
    trace = trace_of_run(completed_run, request, mode, key)
    kept_folder = os.path.join(completed_run.folder, "kept")
    os.mkdir(kept_folder, 0o700)
    if mode != "aggressive":
        for name in STREAMS:
            source = os.path.join(completed_run.folder, name)
            _copy_end(source, os.path.join(kept_folder, name), completed_run.staged_copies)
    extra_files = files(completed_run, kept_folder) if files and mode != "aggressive" else {}
    return store.keep(completed_run.report.run, trace, kept_folder, extra_files)


def trace_of_run(
    completed_run: CompletedRun, request: Request, mode: Mode, key: Key | None
) -> dict[str, Any]:
    """The trace of a run, with what looks like a credential masked."""
    output_digests = printed_digests(completed_run.folder, completed_run.staged_copies)
    trace = make_trace(
        completed_run.report, mode, request.launch, key, request.interface.sensitive, output_digests
    )
    trace = {
        name: value if name in _IDENTITY_KEYS else mask_suspects_in(value)
        for name, value in trace.items()
    }
    given_values = trace["given"]
    masked_values = {
        "arguments": mask_suspects_in(completed_run.redactor.value(given_values["arguments"])),
        "env": mask_suspects_in(completed_run.redactor.value(given_values["env"])),
    }
    return {**trace, "given": {**given_values, **masked_values}}


def _copy_end(source: str, target: str, staging: Staging) -> None:
    """Record the end of a stream, with the paths of a real run."""
    if not os.path.exists(source):
        return
    with open(source, "rb") as file:
        size = os.path.getsize(source)
        file.seek(max(size - MAX_KEPT, 0))
        if size > MAX_KEPT:  # From a whole line on: half a credential does not look like one.
            file.readline(MAX_KEPT)
        text = staging.restore_paths(file.read(MAX_KEPT).decode("utf-8", "surrogateescape"))
    with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as target_file:
        target_file.write(mask_suspects(text).encode("utf-8", "surrogateescape"))
