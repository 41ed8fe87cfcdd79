"""Changes as a patch for `git apply`, without empty folders and mode bits that git ignores."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from skillstudio.dryrun.applying.changes import ApplyChange, with_real_roots
from skillstudio.dryrun.applying.checking import Repositories, path_fault
from skillstudio.dryrun.applying.recorded_changes import ExcludedChange
from skillstudio.files.changeset import FileState
from skillstudio.files.paths import below, make_relative
from skillstudio.files.workspace import workspace_of
from skillstudio.text.hunks import find_stretches, unified_lines

MAX_SIZE = 256 << 20  # Bytes of all old and new contents; git refuses patches of 1 GiB.
HEADER = b"# skillstudio patch of run "
"""The start of every patch; git skips lines before the first difference."""
_MAX_NAMED = 10
_SIDES = ((b" ", b"-"), (b" ", b"+"))
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_LETTERS = zip(b'\a\b\t\n\v\f\r"\\', b'abtnvfr"\\', strict=True)
_ESCAPES = {
    **{byte: b"\\%03o" % byte for byte in (*range(0x20), *range(0x7F, 0x100))},
    **{byte: b"\\%c" % letter for byte, letter in _LETTERS},
}
"""The bytes that git does not write as they are in a quoted path."""
_WIDTH = 52  # Bytes per line of a binary hunk; the line's first character counts them.
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


class PatchRefused(Exception):
    """Why there is no patch and what to do, as a sentence."""


class PatchSide(NamedTuple):
    """A file as git sees it."""

    mode: bytes
    data: bytes

    @property
    def id(self) -> bytes:
        """Its blob id in a SHA-1 repository."""
        head = b"blob %d\0" % len(self.data)
        return hashlib.sha1(head + self.data, usedforsecurity=False).hexdigest().encode()


NO_FILE = b"0" * 40


class Patch(NamedTuple):
    """The changes below one folder."""

    root: str
    """The folder that paths are relative to, absolute: a git root, else a folder of the run."""
    is_repository: bool
    data: bytes  # Without a header.


class Patches(NamedTuple):
    """A patch for each root that has changes, and the changes left out."""

    patches: tuple[Patch, ...]
    exclusions: tuple[ExcludedChange, ...] = ()


WhySensitive = Callable[[bytes], str]
"""Why content must not be shown, as a phrase about a file; "" when it may be."""


def patches(
    changes: Sequence[ApplyChange],
    why_sensitive: WhySensitive = lambda _data: "",
    skips_sensitive: bool = False,
) -> Patches:
    """A patch for each git root with changes; outside of git, for each folder of the run. Raises
    PatchRefused for sensitive values unless skipped, for old content that changed since the run
    began, for paths that git refuses, and above MAX_SIZE."""
    changes = with_real_roots(changes)
    folders = sorted({change.folder for change in changes}, key=len)
    repositories = Repositories(changes)
    size_budget = MAX_SIZE
    differences_by_base: dict[tuple[str, bool], list[bytes]] = {}
    sensitive: list[ExcludedChange] = []
    for change in sorted(changes, key=lambda change: os.fsencode(change.target)):
        fault = path_fault(change.path) or repositories.fault(change)
        if fault:
            raise PatchRefused(f"{change.path} {fault}")
        size_budget -= sum(state.size for state in (change.before, change.after) if state)
        if size_budget < 0:
            raise PatchRefused(
                f"{change.path}: the patch would exceed {MAX_SIZE >> 20} MiB; leave large files out"
            )
        base, is_repository = _base(change, folders)
        inside = make_relative(change.target, base).replace(os.sep, "/")
        before = _side(change, change.before, change.target, "has changed since the run began")
        after = _side(change, change.after, _source(change), "is not recorded as the run left it")
        differences = list(_differences(os.fsencode(inside), before, after))
        if change.is_private and differences:
            sensitive.append(
                ExcludedChange(change.root, change.path, "held a sensitive value before the run")
            )
        elif why_sensitive(os.fsencode(change.path)):
            sensitive.append(ExcludedChange("", "", "a path contains a sensitive value"))
        elif why := _why(differences, before, after, why_sensitive):
            sensitive.append(ExcludedChange(change.root, change.path, why))
        elif differences:
            differences_by_base.setdefault((base, is_repository), []).extend(differences)
    if sensitive and not skips_sensitive:
        names = "; ".join(
            f"{exclusion.path} {exclusion.why}".strip() for exclusion in sensitive[:_MAX_NAMED]
        )
        remainder = (
            f" and {len(sensitive) - _MAX_NAMED} more" if len(sensitive) > _MAX_NAMED else ""
        )
        raise PatchRefused(f"{names}{remainder}; leave such files out with --skip-sensitive")
    left_out = tuple(
        exclusion._replace(why=f"{exclusion.why}, so it is not in the patch")
        for exclusion in sensitive
    )
    built_patches = (
        Patch(*key, b"".join(differences)) for key, differences in differences_by_base.items()
    )
    return Patches(tuple(built_patches), left_out)


def header(of: Patch, run: str, skill: str, home: str) -> bytes:
    """Comment lines that name the run and the folder to apply in; the home folder is `~`."""
    inside = below(of.root, home) if home else None
    root = of.root if inside is None else os.path.join("~", inside).rstrip(os.sep)
    what = b"the root of the git repository" if of.is_repository else b"the folder"
    return b"%s%s of the skill %s\n# Paths are relative to %s %s: run git apply there\n" % (
        HEADER,
        quote_path(os.fsencode(run)),
        quote_path(skill.encode("utf-8", "replace")),
        what,
        quote_path(os.fsencode(root)),
    )


def quote_path(path: bytes) -> bytes:
    """A path as git reads it, quoted where git would misread it."""
    if _ESCAPES.keys().isdisjoint(path) and b" " not in path:
        return path
    return b'"' + b"".join(_ESCAPES.get(byte) or b"%c" % byte for byte in path) + b'"'


def _base(change: ApplyChange, folders: Sequence[str]) -> tuple[str, bool]:
    """The git root of a change; outside of git, the outermost folder of the run around it."""
    root = workspace_of(os.path.dirname(change.target))
    if os.path.lexists(os.path.join(root, ".git")):
        return root, True
    return next(folder for folder in folders if below(change.target, folder) is not None), False


def _why(
    differences: Sequence[bytes],
    before: PatchSide | None,
    after: PatchSide | None,
    why_sensitive: WhySensitive,
) -> str:
    """Why a difference must not be shown; for text, only the lines in the patch count."""
    for difference in differences:
        side_texts = [side.data for side in (before, after) if side]
        _, is_text, hunks = difference.partition(b"\n@@ -")
        if is_text:
            lines = hunks.split(b"\n")[1:]
            side_texts = [b"\n".join(x[1:] for x in lines if x[:1] in kinds) for kinds in _SIDES]
        elif b"\nGIT binary patch\n" not in difference:
            continue  # A mode alone.
        if why := next(filter(None, map(why_sensitive, side_texts)), ""):
            return why
    return ""


def _source(change: ApplyChange) -> str:
    before, after = change.before, change.after
    is_same = before and after and before.kind == after.kind and before.digest == after.digest
    return change.target if is_same else change.source


def _side(
    change: ApplyChange, state: FileState | None, path: str, otherwise: str
) -> PatchSide | None:
    """A side as git sees it; None when git has nothing to store."""
    if state is None or state.kind == "folder":
        return None
    if state.kind == "link":
        return PatchSide(b"120000", os.fsencode(state.target))
    if state.kind != "file":
        raise PatchRefused(f"{change.path} is not a file, folder or link; leave it out")
    try:
        with open(os.open(path, os.O_RDONLY | _NO_FOLLOW | _BINARY), "rb") as file:
            data = file.read(state.size + 1)
    except OSError:
        data = None
    if data is None or hashlib.sha256(data).hexdigest() != state.digest:
        raise PatchRefused(f"{change.path} {otherwise}; run it again, or leave this path out")
    return PatchSide(b"100755" if state.mode & stat.S_IXUSR else b"100644", data)


def _differences(path: bytes, before: PatchSide | None, after: PatchSide | None) -> Iterator[bytes]:
    """The differences as git sees them: a changed kind is a removal and an addition."""
    if before and after and (before.mode == b"120000") != (after.mode == b"120000"):
        yield _difference(path, before, None)
        yield _difference(path, None, after)
    elif before != after:
        yield _difference(path, before, after)


def _difference(path: bytes, before: PatchSide | None, after: PatchSide | None) -> bytes:
    names = (quote_path(b"a/" + path), quote_path(b"b/" + path))
    lines = [b"diff --git %s %s\n" % names]
    old, new = before.data if before else b"", after.data if after else b""
    if before is None and after is not None:
        lines.append(b"new file mode %s\n" % after.mode)
    elif before is not None and after is None:
        lines.append(b"deleted file mode %s\n" % before.mode)
    elif before and after and before.mode != after.mode:
        lines += [b"old mode %s\n" % before.mode, b"new mode %s\n" % after.mode]
    if before and after and old == new:
        return b"".join(lines)
    ids = (before.id if before else NO_FILE, after.id if after else NO_FILE)
    is_kept = before is not None and after is not None and before.mode == after.mode
    mode = b" " + after.mode if after and is_kept else b""
    lines.append(b"index %s..%s%s\n" % (*ids, mode))
    if b"\0" in old or b"\0" in new:
        return b"".join((*lines, *binary_hunks(old, new)))
    if old == new:
        return b"".join(lines)
    lines.append(b"--- %s\n" % (names[0] if before else b"/dev/null"))
    lines.append(b"+++ %s\n" % (names[1] if after else b"/dev/null"))
    return b"".join((*lines, text_hunks(old, new)))


def text_hunks(old: bytes, new: bytes) -> bytes:
    """The hunks between two texts. Only `\\n` ends a line, as in git."""
    # Each byte becomes one character, so that bytes that are not UTF-8 survive.
    before, after = (_LINE.findall(data.decode("latin-1")) for data in (old, new))
    lines = unified_lines(before, after, find_stretches(before, after), ("\n",))
    return "".join(lines).encode("latin-1")


def binary_hunks(old: bytes, new: bytes) -> Iterator[bytes]:
    """The whole new and old content, so that the patch can be reverted."""
    yield b"GIT binary patch\n"
    for data in (new, old):
        yield b"literal %d\n" % len(data)
        compressed_data = zlib.compress(data)
        for start in range(0, len(compressed_data), _WIDTH):
            piece = compressed_data[start : start + _WIDTH]
            first = len(piece) + (0x40 if len(piece) <= 26 else 0x60 - 26)
            yield bytes([first]) + base64.b85encode(piece, pad=True) + b"\n"
        yield b"\n"
