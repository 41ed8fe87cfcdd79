"""Follow the changes below a folder; `python -m skillstudio.files.watching FOLDER` prints them.

watchfiles holds the lock of the interpreter while it begins to watch, which takes 4 seconds for
100,000 folders. So a large tree is watched by another process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator

_FEW = 2_000  # Folders that are watched in the same process: beginning takes 0.1 seconds.
_WAIT = 500  # Milliseconds without a change after which an empty set is returned.


def changes(root: str, stop: threading.Event) -> Iterator[frozenset[str]]:
    """The paths that changed, in groups, until `stop`; empty sets while nothing does.

    The first set comes once the watch has begun. Raises OSError if the folder cannot be watched.
    """
    return _by_process(root, stop) if _has_many(root) else _here(root, stop)


def _has_many(root: str) -> bool:
    """Whether a tree has more than a few folders."""
    number, folders = 0, [root]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                below = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
        except OSError:
            continue  # It is not watched either.
        folders += below
        number += len(below)
        if number > _FEW:
            return True
    return False


def _here(root: str, stop: threading.Event | None = None) -> Iterator[frozenset[str]]:
    from watchfiles import watch

    for changes in watch(
        root,
        # Unfiltered, so that no stream of unwanted changes delays a look at something else.
        watch_filter=None,
        step=50,
        debounce=300,
        rust_timeout=_WAIT,
        yield_on_timeout=True,
        stop_event=stop,
        raise_interrupt=False,
    ):
        yield frozenset(path for _, path in changes)


def _by_process(root: str, stop: threading.Event) -> Iterator[frozenset[str]]:
    """What another process prints: a JSON list per line, at least one in half a second."""
    command = [sys.executable, "-m", __name__, root]
    with subprocess.Popen(  # noqa: S603  (skillstudio itself)
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            for line in process.stdout or ():
                if stop.is_set():
                    return
                yield frozenset(json.loads(line))
            if process.stderr is not None:
                reason = process.stderr.read().decode(errors="replace").strip()
                raise OSError(reason.rpartition("\n")[2] or "the watch ended")
        finally:
            process.kill()


def main() -> None:
    """Print the changes below a folder until nobody reads them."""
    try:
        for paths in _here(sys.argv[1]):
            print(json.dumps(sorted(paths)), flush=True)
    except BrokenPipeError:
        os._exit(0)  # An orderly exit would try to write again.


if __name__ == "__main__":
    main()
