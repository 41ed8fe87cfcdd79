"""Survey a folder completely before anything of it is copied."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from skillstudio.dryrun.staging.staged import SkippedEntry, StagingRefused
from skillstudio.files.beneath import check_beneath, open_beneath
from skillstudio.files.ignore import Ignore, IgnoreRefused
from skillstudio.files.paths import below
from skillstudio.files.temporary import is_temporary
from skillstudio.files.tree import Kind, kind_of_mode
from skillstudio.resources import toml_table
from skillstudio.text.lazy_pattern import lazy_pattern

MAX_ENTRIES = 200_000
MAX_BYTES = 1 << 30
IGNORE_FILE = ".gitignore"


class CopyLimits(NamedTuple):
    """How much is copied at most."""

    size: int = MAX_BYTES  # Bytes of both roots together.
    entries: int = MAX_ENTRIES


LIMITS = CopyLimits()
NOTHING = CopyLimits(0, 0)
ABSOLUTE_LINK = "a link to an absolute path"
LINK_OUT = "a link that points outside of the folder"
REPOSITORY_ELSEWHERE = (
    "the repository of a worktree or submodule is elsewhere, so git finds none; to run git, use a "
    "separate clone"
)
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_MOST_OF_LINK = 1 << 14  # Bytes of a `.git` file that are read.
_MOST = 1 << 20  # Bytes of a repository's settings file that are read.
_SECTION = lazy_pattern(r'\s*\[\s*([A-Za-z0-9.-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\]')
_WORK_TREE = lazy_pattern(r"\s*worktree\s*=(.*)", re.IGNORECASE | re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b"}


class StagingSurvey(NamedTuple):
    """What to copy of a folder, parents first, and what to skip."""

    entries: tuple[tuple[str, Kind], ...]
    """Paths relative to the folder, with the separator of this system."""
    skipped: tuple[SkippedEntry, ...]
    size: int
    emptied_folders: frozenset[str] = frozenset()  # Folders in `entries` whose content is skipped.
    detached_files: frozenset[str] = frozenset()
    """Files in `entries` named `.git` that must not lead to their repository."""


def survey(
    folder: str,
    inside: tuple[str, ...],
    limits: CopyLimits,
    is_cancelled: Callable[[], bool],
    besides: CopyLimits = NOTHING,
) -> StagingSurvey:
    """List a folder without following links; `besides` is what another one uses of the limits.
    Raises StagingRefused above the limits and for an absolute link back into the roots `inside`,
    and InterruptedError."""
    entries: list[tuple[str, Kind]] = []
    skipped_entries: list[SkippedEntry] = []
    emptied_folders: set[str] = set()
    detached_files: set[str] = set()
    size = 0
    pending_folders: list[tuple[str, tuple[tuple[str, Ignore], ...]]] = [("", ())]
    while pending_folders:
        above, ignores = pending_folders.pop()
        if is_cancelled():
            raise InterruptedError
        where = os.path.join(folder, above)
        try:
            with os.scandir(where) as scan:
                here = sorted(scan, key=lambda entry: entry.name)
        except OSError as error:
            if not above:
                raise StagingRefused(f"{folder} cannot be listed: {error.strerror}") from None
            skipped_entries.append(SkippedEntry(where, f"it cannot be listed: {error.strerror}"))
            continue
        ignores = _with_ignore_file(ignores, where, above)
        for entry in here:
            path = os.path.join(above, entry.name)
            try:
                about = entry.stat(follow_symlinks=False)
            except OSError as error:
                skipped_entries.append(
                    SkippedEntry(entry.path, f"it cannot be read: {error.strerror}")
                )
                continue
            kind = kind_of_mode(about.st_mode)
            holds_root = any(below(root, entry.path) is not None for root in inside)
            why = None if holds_root else _left_out(entry, kind, path, ignores)
            if why is None and kind == "link":
                why = _link_left_out(entry.path, folder, inside)
                elsewhere = why is not None or os.path.isabs(os.readlink(entry.path))
            else:
                elsewhere = kind == "file"
            if entry.name == ".git" and elsewhere and not _repository_inside(entry.path, folder):
                # Git in the copy would write to the original through it.
                skipped_entries.append(SkippedEntry(entry.path, REPOSITORY_ELSEWHERE))
                if not _is_in_repository(above, folder):
                    entries.append((path, "file"))
                    detached_files.add(path)
                continue
            if entry.name == ".git" and kind == "folder":
                _judge_repository(entry.path)
            if why is None and kind == "file" and not os.access(entry.path, os.R_OK):
                why = "it cannot be read"
            if why is not None:
                skipped_entries.append(SkippedEntry(entry.path, why))
                if kind == "folder":
                    # It is there without its content, so that what is written there is seen.
                    entries.append((path, kind))
                    emptied_folders.add(path)
                continue
            entries.append((path, kind))
            size += about.st_size if kind == "file" else 0
            too_large = size + besides.size > limits.size
            if too_large or len(entries) + besides.entries > limits.entries:
                holds = f"{folder} and the other folder have" if besides.size else f"{folder} has"
                raise StagingRefused(_too_much(holds, limits, too_large))
            if kind == "folder":
                pending_folders.append((path, ignores))
    sets = frozenset(emptied_folders), frozenset(detached_files)
    return StagingSurvey(tuple(entries), tuple(skipped_entries), size, *sets)


def _repository_inside(path: str, folder: str) -> bool:
    """Whether a `.git` file names a repository that is copied, too, as that of a submodule.

    Raises StagingRefused for one whose settings lead to an original.
    """
    try:
        with open(
            open_beneath(folder, below(path, folder) or ".", _READ, links=False), "rb"
        ) as file:
            text = os.fsdecode(file.read(_MOST_OF_LINK)).strip()
    except OSError:
        return False
    target = text.removeprefix("gitdir:").strip()
    place = os.path.normpath(os.path.join(os.path.dirname(path), target))
    if target == text or not _stays(target, place, folder):
        return False
    _judge_repository(place)
    for name in ("config", "config.worktree"):
        tree = work_tree_setting(os.path.join(place, name))
        if tree and not _stays(tree, os.path.normpath(os.path.join(place, tree)), folder):
            return False
    # The repository of a worktree names the one whose branches and objects it shares.
    return not os.path.lexists(os.path.join(place, "commondir"))


def _stays(target: str, place: str, folder: str) -> bool:
    """Whether a relative path leads to a folder in the copy, also through links."""
    inside = below(place, folder)
    if inside is None or os.path.isabs(target):
        return False
    return below(os.path.realpath(place), os.path.realpath(folder)) == inside


def _is_in_repository(above: str, folder: str) -> bool:
    """Whether a parent of a folder, in the copy, has a repository, which git finds instead."""
    while above:
        above = os.path.dirname(above)
        if os.path.isdir(os.path.join(folder, above, ".git")):
            return True
    return False


def _judge_repository(folder: str) -> None:
    """Raise StagingRefused for a repository whose settings send git to an original work tree."""
    for name in ("config", "config.worktree"):
        file = os.path.join(folder, name)
        # An unreadable file is not copied, so git in the copy does not see it.
        target = work_tree_setting(file) if os.access(file, os.R_OK) else ""
        if target and os.path.isabs(os.path.expanduser(target)):
            raise StagingRefused(
                f"{file} sets core.worktree to {target}, which git in the copy would use too; make "
                "it relative to the folder .git, or remove it"
            )


def _left_out(
    entry: os.DirEntry[str], kind: Kind, path: str, ignores: tuple[tuple[str, Ignore], ...]
) -> str | None:
    if kind == "other":
        return "a socket, FIFO or device"
    if is_temporary(entry.name):
        return "a temporary file of skillstudio"
    if kind != "folder" or entry.name == ".git":
        return None
    if reason := _folders().get(entry.name):
        return reason
    # The nearest ignore file decides, as in git. Ignored files are copied, since a script may need
    # its settings.
    for above, ignore in reversed(ignores):
        inside = path[len(above) :].lstrip(os.sep).replace(os.sep, "/")
        decision = ignore.decision(inside, True)
        if decision is not None:
            return f"ignored by {IGNORE_FILE}" if decision.excludes else None
    return None


def _link_left_out(path: str, folder: str, inside: tuple[str, ...]) -> str | None:
    target = os.readlink(path)
    if os.path.isabs(target):
        # As written and as resolved: a folder on the way may be a link itself.
        ends = (os.path.normpath(target), os.path.realpath(target))
        for root in inside:
            if any(below(end, root) is not None for end in ends):
                raise StagingRefused(
                    f"{path} is an absolute link to {target}, so a write through it would reach "
                    "the original; make the link relative"
                )
        return ABSOLUTE_LINK
    end = os.path.normpath(os.path.join(os.path.dirname(path), target))
    if below(end, folder) is None:
        return LINK_OUT
    try:
        # By its wording it stays inside; through other links it may not.
        check_beneath(folder, below(path, folder) or ".")
    except OSError as error:
        return LINK_OUT if error.errno == errno.EXDEV else None
    return None


def _with_ignore_file(
    ignores: tuple[tuple[str, Ignore], ...], where: str, above: str
) -> tuple[tuple[str, Ignore], ...]:
    file = os.path.join(where, IGNORE_FILE)
    try:
        if not stat.S_ISREG(os.lstat(file).st_mode):
            return ignores
        with open(file, "rb") as stream:
            return (*ignores, (above, Ignore(stream.read(1 << 20), file)))
    except (OSError, IgnoreRefused):
        # Copies more than necessary, never less.
        return ignores


def _too_much(holds: str, limits: CopyLimits, by_size: bool) -> str:
    size = f"{limits.size >> 20:,} MiB" if limits.size >= 1 << 20 else f"{limits.size:,} bytes"
    much = f"more than {size}" if by_size else f"more than {limits.entries:,} files"
    return (
        f"{holds} {much} to copy; name a smaller folder with --workspace, or raise the limit with "
        "--stage-limit"
    )


def caches() -> frozenset[str]:
    """The names of folders that are never copied."""
    return frozenset(_folders())


@cache
def _folders() -> dict[str, str]:
    rules = toml_table(__file__, "left_out.toml")["rule"]
    return {name: rule["reason"] for rule in rules for name in rule["names"]}


def work_tree_setting(path: str) -> str:
    """The last `core.worktree` of a settings file, read without git or its includes, or "".

    Raises OSError if unreadable.
    """
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (FileNotFoundError, NotADirectoryError):
        return ""
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return ""
    with open(handle, "rb") as file:
        text = file.read(_MOST).decode("utf-8", "surrogateescape")
    section, work_tree = "", ""
    # A backslash at the end of a line continues it.
    for line in re.sub(r"\\\r?\n", "", text.removeprefix("\ufeff")).split("\n"):
        rest = line
        while head := _SECTION.match(rest):
            # [core "x"] is another section than [core].
            section = head[1].lower() if '"' not in head[0] else ""
            rest = rest[head.end() :]
        if section == "core" and (setting := _WORK_TREE.match(rest)):
            work_tree = _value(setting[1])
    return work_tree


def _value(text: str) -> str:
    """The value after `=` without quotes, escapes and comments."""
    characters: list[str] = []
    is_quoted = False
    kept_length = 0
    signs = iter(text)
    for sign in signs:
        if sign == '"':
            is_quoted = not is_quoted
            kept_length = len(characters)
        elif sign == "\\":
            escaped_sign = next(signs, "")
            characters.append(_ESCAPES.get(escaped_sign, escaped_sign))
            kept_length = len(characters)
        elif sign in "#;" and not is_quoted:
            break
        elif is_quoted or not sign.isspace():
            characters.append(sign)
            kept_length = len(characters)
        elif characters:
            characters.append(sign)
    return "".join(characters[:kept_length])
