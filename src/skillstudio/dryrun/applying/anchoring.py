"""Pin folders while something in them is replaced.

Between checking a path and changing it, somebody may replace a parent folder with a link. Work on
an anchored name happens in the folder that was checked, or not at all.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

from skillstudio.dryrun.applying.items import ApplyItem

_OPEN = getattr(os, "O_PATH", 0) | getattr(os, "O_DIRECTORY", 0)
_HANDLES = "/proc/self/fd"


class MovedSinceCheck(OSError):
    """A path is no longer what was checked."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.ESTALE, "it was changed meanwhile", path)


@contextmanager
def pinned_folder(folder: str) -> Iterator[str]:
    """A name for exactly this folder, even if another takes its path.

    Raises MovedSinceCheck when a link leads to it, OSError when it does not exist. Only Linux names
    a folder by its descriptor; elsewhere it is checked right before the change.
    """
    if not (hasattr(os, "O_PATH") and os.path.isdir(_HANDLES)):
        if os.path.realpath(folder) != folder:
            raise MovedSinceCheck(folder)
        yield folder
        return
    handle = os.open(folder, _OPEN)
    try:
        name = f"{_HANDLES}/{handle}"
        if os.readlink(name) != folder:
            raise MovedSinceCheck(folder)
        yield name
    finally:
        os.close(handle)


@contextmanager
def anchored(item: ApplyItem) -> Iterator[ApplyItem]:
    """An item under names that nobody can redirect; OSErrors report the real names.

    Raises MovedSinceCheck when a parent folder is now a link, OSError when it does not exist.
    """
    folder = os.path.dirname(item.target)
    with pinned_folder(folder) as base:
        names = (item.target, item.new, item.old)
        target, new, old = (name and os.path.join(base, os.path.basename(name)) for name in names)
        try:
            yield item._replace(target=target, new=new, old=old)
        except OSError as error:
            error.filename = _real(error.filename, base, folder)
            error.filename2 = _real(error.filename2, base, folder)
            raise


def _real(name: object, base: str, folder: str) -> object:
    is_below = isinstance(name, str) and name.startswith(base + os.sep)
    return folder + str(name)[len(base) :] if is_below else name
