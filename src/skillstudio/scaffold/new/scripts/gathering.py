"""Read the files of a folder of scripts without running them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from skillstudio.files.left_out import why_not_copied
from skillstudio.files.placing import path_fault
from skillstudio.files.tree import FileEntry, FileTree
from skillstudio.manifest.locate import SKIPPED
from skillstudio.skill.discover import is_skill
from skillstudio.skill.programs import ENDINGS, NoProgram, is_test, program_at
from skillstudio.text.scripts.model import NotRead, Script
from skillstudio.text.scripts.reading import read_script

MAX_FILES = 1_000
MAX_TOTAL = 64 << 20  # Files of the folder, and their bytes in total.
MAX_DEPTH = 20
_MOST_REASONS = 10


class NoScripts(Exception):
    """No skill can be drafted from a folder."""


class Note(NamedTuple):
    """A remark about one file, whose text contains the path."""

    path: str
    text: str


@dataclass
class Gathered:
    """The content of a folder of scripts."""

    files: dict[str, bytes] = field(default_factory=dict)
    executable: set[str] = field(default_factory=set)
    programs: dict[str, Script] = field(default_factory=dict)  # The executable scripts by path.
    notes: list[Note] = field(default_factory=list)


def gather(tree: FileTree, shown: str) -> Gathered:
    """Read a folder of scripts. Raises NoScripts."""
    if is_skill(tree):
        why = "is already a skill; skillstudio edit PATH add-operation SCRIPT adds its scripts"
        raise NoScripts(f"{shown} {why}")
    found = Gathered()
    left = MAX_TOTAL
    for path, entry in _entries(tree, shown, found.notes):
        if entry.size > left or len(found.files) == MAX_FILES:
            raise NoScripts(f"{shown} has more than {MAX_FILES} files or {MAX_TOTAL >> 20} MiB")
        try:
            data = tree.read(path, left)
            if tree.mode(path) & 0o111:
                found.executable.add(path)
        except OSError as error:
            raise NoScripts(f"{shown}/{path}: {error.strerror or error}") from None
        left -= len(data)
        found.files[path] = data
        _read(found, path, data)
    if not found.programs:
        raise NoScripts(_no_program(shown, found, tree))
    return found


def _no_program(shown: str, found: Gathered, tree: FileTree) -> str:
    """What was looked at in a folder without programs, and why none of it was taken."""
    reasons = [note.text for note in found.notes]
    known = {note.path for note in found.notes}
    for path in found.files:
        if path not in known:
            try:
                program_at(tree, path)
                reasons.append(f"{path} is not a program")
            except (NoProgram, OSError) as error:
                reasons.append(f"{path} is not a program: {error}")
    more = len(reasons) - _MOST_REASONS
    listed = "; ".join(reasons[:_MOST_REASONS]) + (f"; and {more} more" if more > 0 else "")
    return f"{shown} contains no program" + (f": {listed}" if listed else "; the folder is empty")


def _read(found: Gathered, path: str, data: bytes) -> None:
    name = path.rpartition("/")[2]
    try:
        script = read_script(path, data)
    except NotRead as error:
        # An unread file may be a program rather than data.
        is_marked = path in found.executable or data.startswith(b"#!") or "." not in name
        if is_marked or name.rpartition(".")[2].lower() in ENDINGS:
            found.notes.append(Note(path, f"{path} was not read: {error}"))
        return
    if script.program and not is_test(path):
        found.programs[path] = script
        found.notes += [Note(path, f"{path}: {note}") for note in script.notes]


def _entries(tree: FileTree, shown: str, notes: list[Note]) -> list[tuple[str, FileEntry]]:
    """The files to copy, by path, without hidden files, caches, links and skills."""
    found: list[tuple[str, FileEntry]] = []
    stack = [""]
    while stack:
        folder = stack.pop()
        try:
            entries = tree.list(folder)
        except OSError as error:
            raise NoScripts(f"{shown}/{folder}: {error.strerror or error}") from None
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            why = _left_out(path, entry)
            if not why and entry.kind == "folder" and is_skill(tree, path):
                why = "a separate skill"
            if why:
                notes.append(Note(path, f"{path} is excluded: {why}"))
            elif entry.kind == "folder":
                stack.append(path)
            else:
                found.append((path, entry))
    return sorted(found)


def _left_out(path: str, entry: FileEntry) -> str:
    if reason := why_not_copied(f"{entry.name}/" if entry.kind == "folder" else entry.name):
        return reason
    if entry.name in SKIPPED:
        return "a cache or installed packages"
    if entry.name.startswith("."):
        return "hidden"
    if entry.kind not in ("file", "folder"):
        return "a link" if entry.kind == "link" else "not a regular file"
    if entry.kind == "folder" and path.count("/") >= MAX_DEPTH:
        return "nested too deeply"
    fault = path_fault(path)
    return f"its path {fault}" if fault else ""
