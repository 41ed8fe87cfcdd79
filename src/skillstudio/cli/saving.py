"""Write changed texts to their files, if those are still the ones that were read."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.lists import cut_json, cut_lines
from skillstudio.cli.output import CommandRefused, Result
from skillstudio.files.disk import DiskTree
from skillstudio.files.paths import below
from skillstudio.files.workspace import OUTSIDE, leads_out
from skillstudio.resources import INSTALLED_REASON, is_installed
from skillstudio.text.safe import safe_text
from skillstudio.text.source import BOM, decode

Texts = Mapping[str, tuple[str | None, str]]
"""Path in a skill to the old text, None for a new file, and the new text."""

_TRIES = 10  # How often to try again if another program changes a file.


class NotSaved(Exception):
    """A file was not written; the message is the reason."""

    def __init__(self, why: str, path: str = "") -> None:
        super().__init__(why)
        self.path = path


CHANGED_REASON = "the file has changed on disk since it was read, so it was not changed"
PROTECTED_REASON = "read-only"


def save_made(disk: DiskTree, make: Callable[[], Texts]) -> Texts:
    """Save the texts that `make` returns for the files of a skill, and return them.

    If another program has changed one of them, `make` is called again while the locks are held,
    so that both changes are kept; texts that stay the same then are refused. All files are checked
    before the first one is written. Raises NotSaved, OSError and what `make` raises.
    """
    from skillstudio.files.saving.locks import LockBusy

    known_paths: set[str] = set()
    try:
        return _save_made(disk, make, known_paths)
    except LockBusy as error:
        raise NotSaved(error.strerror or "", min(known_paths)) from None


def _save_made(disk: DiskTree, make: Callable[[], Texts], known_paths: set[str]) -> Texts:
    from skillstudio.files.saving.in_place import finish_all
    from skillstudio.files.saving.writer import prepare_save

    finish_all()
    texts = make()
    for _ in range(_TRIES):
        known_paths.update(texts)
        with prepare_save(map(disk.path, sorted(known_paths)), disk.root) as write:
            _require_all_writable(disk, texts)
            if not _are_current(disk, texts):
                before, texts = texts, make()
                if texts == before:
                    raise NotSaved(CHANGED_REASON, min(known_paths))
                if not texts.keys() <= known_paths or not _are_current(disk, texts):
                    continue
                _require_all_writable(disk, texts)
            for path, (old, new) in texts.items():
                if new != old:
                    _write(write, disk, path, new)
            return texts
    raise NotSaved("another program keeps changing the file; try again later", min(known_paths))


def refusal(disk: DiskTree, path: str, new: str) -> str:
    """Why a file must not or cannot be written; "" if it can."""
    from skillstudio.files.saving.writer import is_protected

    if leads_out(disk.path(path)):
        return OUTSIDE
    if is_installed(disk.path(path)):
        return INSTALLED_REASON
    try:
        new.encode()
    except UnicodeEncodeError:
        return "the value contains half a surrogate pair, which UTF-8 cannot encode"
    if is_protected(disk.path(path)):
        return PROTECTED_REASON
    if disk.kind(path) is not None and decode(disk.read(path))[1] is not None:
        return "the file is not UTF-8, so it was not changed"
    return ""


def _require_all_writable(disk: DiskTree, texts: Texts) -> None:
    for path, (_, new) in texts.items():
        if why := refusal(disk, path, new):
            note = ", so nothing was written" if why == PROTECTED_REASON and len(texts) > 1 else ""
            raise NotSaved(why + note, path)


def _write(write: Callable[[str, bytes], None], disk: DiskTree, path: str, new: str) -> None:
    try:
        os.makedirs(os.path.dirname(disk.path(path)), exist_ok=True)
        write(disk.path(path), new.encode())
    except OSError as error:
        raise NotSaved(error.strerror or str(error), path) from None


def _are_current(disk: DiskTree, texts: Texts) -> bool:
    for path, (old, _) in texts.items():
        current = disk.read(path) if disk.kind(path) is not None else None
        if current != (None if old is None else old.encode("utf-8", "surrogatepass")):
            return False
    return True


def text_diff(old: str | None, new: str | None, path: str, new_path: str = "") -> str:
    """The unified diff of two versions of a file, "" if they are equal; None is no file."""
    from skillstudio.text.hunks import unified_diff

    names = (f"a/{path}" if old is not None else "/dev/null",
             f"b/{new_path or path}" if new is not None else "/dev/null")  # fmt: skip
    return unified_diff(old or "", new or "", *names)


def diff_lines(label: str, texts: Texts) -> list[str]:
    """The changes of files in a folder as a unified diff, safe for a terminal.

    `git apply` rejects a path with `./` and an absolute one.
    """
    lines: list[str] = []
    for path, (old, new) in texts.items():
        whole = os.path.normpath(os.path.join(label, path))
        inside = below(os.path.abspath(whole), os.getcwd())
        diff = text_diff(old, new, (inside or whole).replace(os.sep, "/"))
        lines += map(_safe_line, diff.removesuffix("\n").split("\n")) if diff else ()
    return lines


def _safe_line(line: str) -> str:
    """A line of a diff, with the byte order mark and the line end that `git apply` compares."""
    mark = line[:2] if line[1:2] == BOM else ""
    end = "\r" if line.endswith("\r") else ""
    return f"{mark}{safe_text(line[len(mark) : len(line) - len(end)])}{end}"


def write_or_show(
    disk: DiskTree, label: str, make: Callable[[], Texts], options: CommandOptions
) -> Result:
    """Save the texts that `make` makes, or with `--diff` show them as a diff.

    Raises CommandRefused if a file cannot be saved, and what `make` raises.
    """
    try:
        texts = make() if options.diff else save_made(disk, make)
    except NotSaved as error:
        raise CommandRefused(f"{label}/{error.path}: {error}") from None
    lines = diff_lines(label, texts) if options.diff else []
    value = {
        "path": label,
        "files": list(texts),
        "written": not options.diff,
        "diff": "\n".join(lines),
    }
    return Result(lambda: cut_json(value, options.all), lambda _: cut_lines(lines, options.all))
