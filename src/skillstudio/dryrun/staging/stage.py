"""Copying the workspace and the skill for a run.

Plain copies: a hard link would let a write through to the original.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Callable
from contextlib import suppress

from skillstudio.dryrun.plan import Roots
from skillstudio.dryrun.staging.staged import Copy, Skipped, Staged, StagingRefused
from skillstudio.dryrun.staging.survey import (
    ABSOLUTE_LINK,
    LIMITS,
    NOTHING,
    CopyLimits,
    StagingSurvey,
    survey,
)
from skillstudio.files.beneath import open_beneath
from skillstudio.files.changeset import HOLE, FileState, pieces, stamp_of
from skillstudio.files.paths import below

GIT_NAME = b"[user]\n\tname = Dry run\n\temail = dry-run@localhost\n"
"""Without a name git makes no commit, and whose name it is stands in the user's own home."""
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def stage(
    roots: Roots,
    folder: str,
    limits: CopyLimits = LIMITS,
    cancelled: Callable[[], bool] = lambda: False,
) -> Staged:
    """Copy both roots into `folder`, which is there and empty.

    Raises StagingRefused with a sentence for the user before anything is copied where there is
    too much or a link leads back, OSError where a copy fails (a full disk), and InterruptedError
    when it is cancelled.
    """
    folder = os.path.realpath(folder)
    for root in (roots.workspace, roots.skill):
        if below(folder, root) is not None:
            raise StagingRefused(f"the copies would lie in {root}, which they are copies of")
    copied = _outermost(roots)
    surveys: list[StagingSurvey] = []
    besides = NOTHING
    for original in copied:
        found = survey(original, (roots.workspace, roots.skill), limits, cancelled, besides)
        besides = CopyLimits(besides.size + found.size, besides.entries + len(found.entries))
        surveys.append(found)
    copies: list[Copy] = []
    skipped: list[Skipped] = []
    for number, (original, found) in enumerate(zip(copied, surveys, strict=True)):
        target = os.path.join(folder, str(number), os.path.basename(original) or "root")
        os.makedirs(target)
        baseline = _copy(original, target, found, skipped, cancelled)
        copies.append(Copy(original, target, baseline))
        skipped += found.skipped
    home, temporary = (os.path.join(folder, name) for name in ("home", "tmp"))
    os.mkdir(home, 0o700)
    os.mkdir(temporary, 0o700)
    with open(os.path.join(home, ".gitconfig"), "xb") as file:
        file.write(GIT_NAME)
    made = Staged(
        folder,
        roots,
        roots,
        tuple(copies),
        home,
        temporary,
        tuple(sorted(skipped)),
        sum(found.size for found in surveys),
    )
    # A repository that lies outside both is no place that a run may write to.
    return made._replace(roots=Roots(*(made.copy_of(root) or root for root in roots)))


def _outermost(roots: Roots) -> tuple[str, ...]:
    """The folders that hold both roots, none within another."""
    if below(roots.skill, roots.workspace) is not None:
        return (roots.workspace,)
    if below(roots.workspace, roots.skill) is not None:
        return (roots.skill,)
    return (roots.workspace, roots.skill)


def _copy(
    original: str,
    target: str,
    found: StagingSurvey,
    skipped: list[Skipped],
    cancelled: Callable[[], bool],
) -> dict[str, FileState]:
    baseline: dict[str, FileState] = {}
    folders: list[tuple[str, str]] = [(original, target)]
    for number, (path, kind, _) in enumerate(found.entries):
        if number % 64 == 0 and cancelled():
            raise InterruptedError
        source, copy = os.path.join(original, path), os.path.join(target, path)
        digest = ""
        try:
            if kind == "folder":
                os.mkdir(copy)
                folders.append((source, copy))
            elif kind == "link":
                link = os.readlink(source)
                if os.path.isabs(link):
                    skipped.append(Skipped(source, ABSOLUTE_LINK))
                    continue
                os.symlink(link, copy)
            else:
                # No link is followed, whatever somebody puts in the way since the survey.
                fd = open_beneath(original, path, _READ, links=False)
                digest = _copy_file(fd, source, copy, cancelled)
        except FileNotFoundError:
            skipped.append(Skipped(source, "it went away while it was copied"))
            continue
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.ENOTDIR, errno.EINVAL):
                raise
            skipped.append(Skipped(source, "it became something else while it was copied"))
            continue
        baseline[path.replace(os.sep, "/")] = FileState(kind, 0, digest=digest)
    # A folder's times and bits last: copying into it changes the one and needs the other.
    for source, copy in reversed(folders):
        with suppress(FileNotFoundError):
            shutil.copystat(source, copy)
        os.chmod(copy, stat.S_IMODE(os.stat(copy).st_mode) | stat.S_IRWXU)
    return {path: _as_copied(os.path.join(target, path), was) for path, was in baseline.items()}


def _copy_file(fd: int, source: str, copy: str, cancelled: Callable[[], bool]) -> str:
    """The digest of what was copied: the same bytes, though the original changes meanwhile.

    Where a file has a hole the copy has one, too: it takes no time to write and no room.
    """
    import hashlib

    made = hashlib.sha256()
    with open(fd, "rb", 0) as old, open(copy, "xb", 0) as new:
        size = 0
        for piece in pieces(old):
            if cancelled():
                raise InterruptedError
            made.update(piece)
            size += len(piece)
            if piece is HOLE:
                new.seek(size)
            else:
                new.write(piece)
        new.truncate(size)
    shutil.copystat(source, copy, follow_symlinks=False)
    # A copy runs as nobody else: set-user-id bits are not taken along.
    os.chmod(copy, stat.S_IMODE(os.lstat(copy).st_mode) & 0o777)
    return made.hexdigest()


def _as_copied(path: str, copied: FileState) -> FileState:
    about = os.lstat(path)
    if copied.kind == "link":
        return FileState("link", 0, target=os.readlink(path), stamp=stamp_of(about))
    size = about.st_size if copied.kind == "file" else 0
    mode = stat.S_IMODE(about.st_mode)
    return FileState(copied.kind, mode, size, copied.digest, stamp=stamp_of(about))
