"""Read the files of a folder of scripts without running them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from skillstudio.files.left_out import why_not_copied
from skillstudio.files.placing import path_fault
from skillstudio.files.tree import FileEntry, FileTree
from skillstudio.manifest.locate import SKIPPED_FOLDERS
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
class ScriptFolder:
    """The content of a folder of scripts."""

    files: dict[str, bytes] = field(default_factory=dict)
    executable: set[str] = field(default_factory=set)
    programs: dict[str, Script] = field(default_factory=dict)  # The executable scripts by path.
    notes: list[Note] = field(default_factory=list)


def gather(tree: FileTree, location: str) -> ScriptFolder:
    """Read a folder of scripts. Raises NoScripts."""
    if is_skill(tree):
        why = "is already a skill; skillstudio edit PATH add-operation SCRIPT adds its scripts"
        raise NoScripts(f"{location} {why}")
    script_folder = ScriptFolder()
    budget = MAX_TOTAL
    for path, entry in _entries(tree, location, script_folder.notes):
        if entry.size > budget or len(script_folder.files) == MAX_FILES:
            raise NoScripts(f"{location} has more than {MAX_FILES} files or {MAX_TOTAL >> 20} MiB")
        try:
            data = tree.read(path, budget)
            if tree.mode(path) & 0o111:
                script_folder.executable.add(path)
        except OSError as error:
            raise NoScripts(f"{location}/{path}: {error.strerror or error}") from None
        budget -= len(data)
        script_folder.files[path] = data
        _read(script_folder, path, data)
    if not script_folder.programs:
        raise NoScripts(_no_program(location, script_folder, tree))
    return script_folder


def _no_program(location: str, script_folder: ScriptFolder, tree: FileTree) -> str:
    """What was looked at in a folder without programs, and why none of it was taken."""
    reasons = [note.text for note in script_folder.notes]
    noted_paths = {note.path for note in script_folder.notes}
    for path in script_folder.files:
        if path not in noted_paths:
            try:
                program_at(tree, path)
                reasons.append(f"{path} is not a program")
            except (NoProgram, OSError) as error:
                reasons.append(f"{path} is not a program: {error}")
    hidden_count = len(reasons) - _MOST_REASONS
    reason_text = "; ".join(reasons[:_MOST_REASONS]) + (
        f"; and {hidden_count} more" if hidden_count > 0 else ""
    )
    return f"{location} contains no program" + (
        f": {reason_text}" if reason_text else "; the folder is empty"
    )


def _read(script_folder: ScriptFolder, path: str, data: bytes) -> None:
    name = path.rpartition("/")[2]
    try:
        script = read_script(path, data)
    except NotRead as error:
        # An unread file may be a program rather than data.
        is_marked = path in script_folder.executable or data.startswith(b"#!") or "." not in name
        if is_marked or name.rpartition(".")[2].lower() in ENDINGS:
            script_folder.notes.append(Note(path, f"{path} was not read: {error}"))
        return
    if script.program and not is_test(path):
        script_folder.programs[path] = script
        script_folder.notes += [Note(path, f"{path}: {note}") for note in script.notes]


def _entries(tree: FileTree, location: str, notes: list[Note]) -> list[tuple[str, FileEntry]]:
    """The files to copy, by path, without hidden files, caches, links and skills."""
    files: list[tuple[str, FileEntry]] = []
    stack = [""]
    while stack:
        folder = stack.pop()
        try:
            entries = tree.list(folder)
        except OSError as error:
            raise NoScripts(f"{location}/{folder}: {error.strerror or error}") from None
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
                files.append((path, entry))
    return sorted(files)


def _left_out(path: str, entry: FileEntry) -> str:
    if reason := why_not_copied(f"{entry.name}/" if entry.kind == "folder" else entry.name):
        return reason
    if entry.name in SKIPPED_FOLDERS:
        return "a cache or installed packages"
    if entry.name.startswith("."):
        return "hidden"
    if entry.kind not in ("file", "folder"):
        return "a link" if entry.kind == "link" else "not a regular file"
    if entry.kind == "folder" and path.count("/") >= MAX_DEPTH:
        return "nested too deeply"
    fault = path_fault(path)
    return f"its path {fault}" if fault else ""
