"""Write changed texts to their files, if those are still the ones that were read."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from skillstudio.files.disk import DiskTree
from skillstudio.resources import INSTALLED, is_installed
from skillstudio.skill.lookup import workspace_of
from skillstudio.text.source import decode

Texts = Mapping[str, tuple[str | None, str]]
"""Path in a skill to the old text, None where there is no file yet, and the new one."""

_TRIES = 10
"""How often texts are made anew before a file counts as one that never comes to rest."""


class NotSaved(Exception):
    """A file was not written; the text says why."""

    def __init__(self, why: str, path: str = "") -> None:
        super().__init__(why)
        self.path = path


CHANGED = "the file has changed on disk since it was read, so it was not changed"
PROTECTED = "protected from writing"
OUTSIDE = "it is a link that leads out of the workspace, so it is neither read nor written"


def leads_out(path: str) -> bool:
    """Whether a path on disk is a link to what no command should write there.

    That is whatever lies outside of the repository of the link's folder, else outside of the
    folder, and what git keeps for itself: a repository from elsewhere may hold such links.
    """
    if not os.path.islink(path):
        return False
    root = os.path.realpath(workspace_of(os.path.realpath(os.path.dirname(path) or os.curdir)))
    inside = root.rstrip(os.sep) + os.sep
    real = os.path.realpath(path)
    return not real.startswith(inside) or ".git" in real[len(inside) :].lower().split(os.sep)


def save(disk: DiskTree, path: str, old: str | None, new: str) -> None:
    """Save one text in the place of another one, which is compared under the file's lock.

    Raises NotSaved where the file holds anything else by now, and OSError.
    """
    from skillstudio.files.saving.writer import saving

    if why := refusal(disk, path, new):
        raise NotSaved(why, path)
    with saving([disk.path(path)], disk.root) as write:
        if not _is_current(disk, path, old):
            raise NotSaved(CHANGED, path)
        write(disk.path(path), new.encode())


def save_made(disk: DiskTree, make: Callable[[], Texts]) -> Texts:
    """Save what `make` makes of the files of a skill, and return it.

    Where another program changed one of them meanwhile, `make` is called again while the locks
    are held, so that its change and the other one are both kept. All files are looked at before
    the first is written. Raises NotSaved, OSError and what `make` raises.
    """
    from skillstudio.files.saving.locks import LockBusy

    known: set[str] = set()
    try:
        return _save_made(disk, make, known)
    except LockBusy as error:
        raise NotSaved(error.strerror or "", min(known)) from None


def _save_made(disk: DiskTree, make: Callable[[], Texts], known: set[str]) -> Texts:
    """The same; `known` collects the paths of the files to write."""
    from skillstudio.files.saving.in_place import finish_all
    from skillstudio.files.saving.writer import saving

    finish_all()
    made = make()
    for _ in range(_TRIES):
        known.update(made)
        with saving(map(disk.path, sorted(known)), disk.root) as write:
            _require_all_writable(disk, made)
            if not _are_current(disk, made):
                made = make()
                if not made.keys() <= known or not _are_current(disk, made):
                    continue
                _require_all_writable(disk, made)
            for path, (old, new) in made.items():
                if new != old:
                    _write(write, disk, path, new)
            return made
    raise NotSaved("another program keeps changing the file; try again later", min(known))


def refusal(disk: DiskTree, path: str, new: str) -> str:
    """Why a file must not be written or cannot be; "" where it may."""
    from skillstudio.files.saving.writer import is_protected

    if leads_out(disk.path(path)):
        return OUTSIDE
    if is_installed(disk.path(path)):
        return INSTALLED
    try:
        new.encode()
    except UnicodeEncodeError:
        return "the value holds half a surrogate pair, which no file can"
    if is_protected(disk.path(path)):
        return PROTECTED
    if disk.kind(path) is not None and decode(disk.read(path))[1] is not None:
        return "the file is not UTF-8, so it was not changed"
    return ""


def _require_all_writable(disk: DiskTree, made: Texts) -> None:
    for path, (_, new) in made.items():
        if why := refusal(disk, path, new):
            more = ", so nothing was written" if why == PROTECTED else ""
            raise NotSaved(why + more, path)


def _write(write: Callable[[str, bytes], None], disk: DiskTree, path: str, new: str) -> None:
    try:
        os.makedirs(os.path.dirname(disk.path(path)), exist_ok=True)
        write(disk.path(path), new.encode())
    except OSError as error:
        raise NotSaved(error.strerror or str(error), path) from None


def _are_current(disk: DiskTree, made: Texts) -> bool:
    return all(_is_current(disk, path, old) for path, (old, _) in made.items())


def _is_current(disk: DiskTree, path: str, old: str | None) -> bool:
    there = disk.read(path) if disk.kind(path) is not None else None
    return there == (None if old is None else old.encode("utf-8", "surrogatepass"))
