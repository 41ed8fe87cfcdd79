"""Keeping a run: its trace, and the end of what was printed, without what is sensitive."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from skillstudio.dryrun.redaction.suspects import mask_suspects, mask_suspects_in
from skillstudio.dryrun.run import CompletedRun, Request
from skillstudio.dryrun.traces.key import Key, read_key
from skillstudio.dryrun.traces.store import STREAMS, RunStore
from skillstudio.dryrun.traces.trace import Mode, make_trace, mode_of

MAX_KEPT = 4 << 20
"""Bytes of each stream that are kept with a run, the last ones."""
_OWN = frozenset({"roots", "cwd", "execution", "run", "key", "given"})
"""What a run is found and repeated by: folders and digests, no texts of the program."""


def record_run(
    finished: CompletedRun,
    request: Request,
    wanted: Mode | None,
    store: RunStore,
    files: Callable[[CompletedRun, str], Mapping[str, str]] | None = None,
) -> str | None:
    """Keep a run and say where; None where it is to be kept not at all.

    `files` is given a folder of its own and says what more is kept, by its path in the run's
    folder; it is not asked where every value is hidden. Raises OSError, and KeyUnusable where
    there is no key for the values that are hidden.
    """
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
            _copy_end(os.path.join(finished.folder, name), os.path.join(kept, name))
    more = files(finished, kept) if files and mode != "aggressive" else {}
    return store.keep(finished.report.run, trace, kept, more)


def trace_of_run(
    finished: CompletedRun, request: Request, mode: Mode, key: Key | None
) -> dict[str, Any]:
    """The trace of a run, without what looks like a credential."""
    trace = make_trace(
        finished.report, mode, request.launch, key, is_sensitive=request.interface.sensitive
    )
    trace = {name: each if name in _OWN else mask_suspects_in(each) for name, each in trace.items()}
    given = trace["given"]
    hidden = {
        "arguments": mask_suspects_in(finished.redactor.value(given["arguments"])),
        "env": mask_suspects_in(finished.redactor.value(given["env"])),
    }
    return {**trace, "given": {**given, **hidden}}


def _copy_end(source: str, target: str) -> None:
    if not os.path.exists(source):
        return
    with open(source, "rb") as file:
        size = os.path.getsize(source)
        file.seek(max(size - MAX_KEPT, 0))
        if size > MAX_KEPT:  # From a whole line on: half a credential looks like none.
            file.readline(MAX_KEPT)
        text = file.read(MAX_KEPT).decode("utf-8", "surrogateescape")
    with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as made:
        made.write(mask_suspects(text).encode("utf-8", "surrogateescape"))
