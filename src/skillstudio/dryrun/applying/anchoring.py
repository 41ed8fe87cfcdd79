"""Folders held fast while something in them is replaced.

Between the look at a path and the change of it somebody may put a link in the place of a folder
above. What is done by an anchored name is done in the folder that was found, or not at all.
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
    """What lies at a path is not what was checked."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.ESTALE, "it was changed meanwhile", path)


@contextmanager
def held_fast(folder: str) -> Iterator[str]:
    """A name of exactly this folder, whatever comes in its place meanwhile.

    Raises Moved where a link leads to it, OSError where there is none. Only Linux names a folder
    by its handle; elsewhere this is a look right before the change.
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
    """The item by names that nobody can lead elsewhere. OSErrors tell the real ones.

    Raises Moved where a folder above it is a link by now, OSError where there is none.
    """
    folder = os.path.dirname(item.target)
    with held_fast(folder) as base:
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
