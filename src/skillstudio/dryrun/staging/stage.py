"""Copy the workspace and the skill for a run; never as hard links, which share the content."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256

from skillstudio.dryrun.plan import Roots
from skillstudio.dryrun.staging.staged import Copy, SkippedEntry, Staging, StagingRefused
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
"""Git needs a name to commit, and the user's is in their own home."""
NO_LINKS = "Windows lets this user create no links; turn on its developer mode"
NO_REPOSITORY = b"gitdir: no-repository-in-this-dry-run\n"
"""A `.git` file with which git neither reaches the original nor one around the copy."""
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def stage(
    roots: Roots,
    folder: str,
    limits: CopyLimits = LIMITS,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> Staging:
    """Copy both roots into an empty folder. Raises StagingRefused before copying when there is too
    much or a link leads back to an original, InterruptedError when cancelled, and OSError."""
    folder = os.path.realpath(folder)
    for root in (roots.workspace, roots.skill):
        if below(folder, root) is not None:
            raise StagingRefused(f"the copies would be inside {root}, which they are copies of")
    originals = _outermost(roots)
    surveys: list[StagingSurvey] = []
    besides = NOTHING
    for original in originals:
        folder_survey = survey(
            original, (roots.workspace, roots.skill), limits, is_cancelled, besides
        )
        besides = CopyLimits(
            besides.size + folder_survey.size, besides.entries + len(folder_survey.entries)
        )
        surveys.append(folder_survey)
    copies: list[Copy] = []
    skipped_entries: list[SkippedEntry] = []
    for number, (original, folder_survey) in enumerate(zip(originals, surveys, strict=True)):
        target = os.path.join(folder, str(number), os.path.basename(original) or "root")
        os.makedirs(target)
        baseline = _copy(original, target, folder_survey, skipped_entries, is_cancelled)
        copies.append(Copy(original, target, baseline))
        skipped_entries += folder_survey.skipped
    home, temporary = (os.path.join(folder, name) for name in ("home", "tmp"))
    os.mkdir(home, 0o700)
    os.mkdir(temporary, 0o700)
    with open(os.path.join(home, ".gitconfig"), "xb") as file:
        file.write(GIT_NAME)
    size = sum(folder_survey.size for folder_survey in surveys)
    left_out = tuple(sorted(skipped_entries))
    staging = Staging(folder, roots, roots, tuple(copies), home, temporary, left_out, size)
    # A repository outside both roots is not writable in a run.
    return staging._replace(roots=Roots(*(staging.copy_of(root) or root for root in roots)))


def _outermost(roots: Roots) -> tuple[str, ...]:
    """The folders that contain both roots, none inside another."""
    if below(roots.skill, roots.workspace) is not None:
        return (roots.workspace,)
    if below(roots.workspace, roots.skill) is not None:
        return (roots.skill,)
    return (roots.workspace, roots.skill)


def _copy(
    original: str,
    target: str,
    folder_survey: StagingSurvey,
    skipped_entries: list[SkippedEntry],
    is_cancelled: Callable[[], bool],
) -> dict[str, FileState]:
    baseline: dict[str, FileState] = {}
    folders: list[tuple[str, str]] = [(original, target)]
    for number, (path, kind) in enumerate(folder_survey.entries):
        if number % 64 == 0 and is_cancelled():
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
                    skipped_entries.append(SkippedEntry(source, ABSOLUTE_LINK))
                    continue
                try:
                    os.symlink(link, copy, target_is_directory=os.path.isdir(source))
                except OSError:
                    if os.name != "nt":
                        raise
                    skipped_entries.append(SkippedEntry(source, NO_LINKS))
                    continue
            elif path in folder_survey.detached_files:
                with open(copy, "xb") as file:
                    file.write(NO_REPOSITORY)
                digest = sha256(NO_REPOSITORY).hexdigest()
            else:
                # Links are not followed, even if somebody created one since the survey.
                fd = open_beneath(original, path, _READ, links=False)
                digest = _copy_file(fd, source, copy, is_cancelled)
        except FileNotFoundError:
            skipped_entries.append(SkippedEntry(source, "it was removed during the copy"))
            continue
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.ENOTDIR, errno.EINVAL):
                raise
            skipped_entries.append(SkippedEntry(source, "it was replaced during the copy"))
            continue
        baseline[path.replace(os.sep, "/")] = FileState(kind, 0, digest=digest)
    # Times and bits of folders come last: copying into a folder changes its times and needs bits.
    for source, copy in reversed(folders):
        with suppress(FileNotFoundError):
            shutil.copystat(source, copy)
        os.chmod(copy, stat.S_IMODE(os.stat(copy).st_mode) | stat.S_IRWXU)
    return {path: _as_copied(os.path.join(target, path), was) for path, was in baseline.items()}


def _copy_file(fd: int, source: str, copy: str, is_cancelled: Callable[[], bool]) -> str:
    """Copy a file, sparse if it is; return the digest of exactly the bytes that were copied."""
    digest = sha256()
    with open(fd, "rb", 0) as old, open(copy, "xb", 0) as new:
        size = 0
        for piece in pieces(old):
            if is_cancelled():
                raise InterruptedError
            digest.update(piece)
            size += len(piece)
            if piece is HOLE:
                new.seek(size)
            else:
                new.write(piece)
        new.truncate(size)
    shutil.copystat(source, copy, follow_symlinks=False)
    # A copy must not run as somebody else: drop set-user-ID bits.
    os.chmod(copy, stat.S_IMODE(os.lstat(copy).st_mode) & 0o777)
    return digest.hexdigest()


def _as_copied(path: str, state: FileState) -> FileState:
    about = os.lstat(path)
    if state.kind == "link":
        return FileState("link", 0, target=os.readlink(path), stamp=stamp_of(about))
    size = about.st_size if state.kind == "file" else 0
    mode = stat.S_IMODE(about.st_mode)
    return FileState(state.kind, mode, size, state.digest, stamp=stamp_of(about))
