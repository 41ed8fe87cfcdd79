"""Find the programs in the folder of a skill: the scripts that can be run by their path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from skillstudio.files.tree import FileTree
from skillstudio.manifest.locate import SKIPPED
from skillstudio.skill.discover import is_skill
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.nearest import nearest
from skillstudio.text.scripts.model import NotRead, Script, ScriptCommand
from skillstudio.text.scripts.reading import LARGEST, read_script

MAX_FILES = 1_000  # Files that are looked at.
MAX_DEPTH = 8
MAX_PROGRAMS = 200
ENDINGS = frozenset(
    {
        "bash", "bat", "cjs", "cmd", "js", "lua", "mjs", "mts", "php", "pl", "ps1", "py", "r", "rb",
        "sh", "ts",
    }
)  # fmt: skip
"""The endings of programs; other files are programs if their first line names an interpreter."""
_TEST_FOLDERS = ("test", "tests", "__tests__")
_NO_PROGRAM = lazy_pattern(r"\.(?:d|config|test|spec)\.\w+$|^(?:__init__|conftest|setup)\.py$")


class SkillProgram(NamedTuple):
    """A script of a skill; `script` is None if it could not be read."""

    path: str
    script: Script | None
    fault: str = ""  # Why it does not parse; "" if it does, or if its language is not read.

    @property
    def commands(self) -> tuple[ScriptCommand, ...]:
        """Its commands, at least one."""
        found = self.script.commands if self.script is not None else ()
        return found or (ScriptCommand(certain=False),)

    @property
    def operations(self) -> tuple[str, ...]:
        """The names of its operations: its path, with each command if it has several."""
        return tuple(f"{self.path} {each.name}".strip() for each in self.commands)


class NoProgram(Exception):
    """Why a file is not a program: a phrase."""


class BrokenProgram(NoProgram):
    """Why a file, which is marked as a program, is none now: it does not parse."""


def find_programs(tree: FileTree) -> list[SkillProgram]:
    """The programs of a skill, those in `scripts` first; hidden files and tests are left out.

    One that does not parse is among them: whoever wrote it wants to run it.
    """
    found: list[SkillProgram] = []
    for path in program_paths(tree):
        try:
            found.append(SkillProgram(path, program_at(tree, path)))
        except BrokenProgram as error:
            found.append(SkillProgram(path, None, str(error)))
        except (OSError, NoProgram):
            continue
        if len(found) == MAX_PROGRAMS:
            break
    return sorted(found, key=lambda each: (not each.path.startswith("scripts/"), each.path))


def first_library(tree: FileTree) -> str:
    """The first file in `scripts` that could be started but does nothing by then; "" if none."""
    for path in program_paths(tree):
        if path.startswith("scripts/") and path.rpartition(".")[2].lower() in ENDINGS:
            return path
    return ""


def nearest_program(word: str, paths: Sequence[str]) -> str | None:
    """The program that a path or name means: with this file name, else the nearest path or name."""
    name = word.rpartition("/")[2]
    by_name: dict[str, str] = {}
    for path in paths:
        own = path.rpartition("/")[2]
        by_name.setdefault(own, path)
        by_name.setdefault(own.rpartition(".")[0] or own, path)
    near = nearest(name, by_name)
    return by_name.get(name) or nearest(word, paths) or (by_name[near] if near else None)


def program_at(tree: FileTree, path: str) -> Script | None:
    """The script of a file, None if it cannot be read. Raises NoProgram, OSError."""
    name = path.rpartition("/")[2]
    if is_test(path):
        raise NoProgram("a test")
    if _NO_PROGRAM.search(name):
        raise NoProgram("part of a package or its configuration")
    known = name.rpartition(".")[2].lower() in ENDINGS and "." in name
    data = tree.read(path, LARGEST + 1)
    if not known and not data.startswith(b"#!"):
        raise NoProgram("neither its name nor its first line is that of a program")
    try:
        script = read_script(path, data)
    except NotRead as error:
        if known and data.startswith(b"#!"):
            return None
        is_marked = path.startswith(("scripts/", "bin/")) or tree.mode(path) & 0o111
        if str(error).startswith("unsupported") and known and is_marked:
            return None
        is_broken = str(error).startswith("not valid") and known and is_marked
        raise (BrokenProgram if is_broken else NoProgram)(str(error)) from None
    if not script.program:
        raise NoProgram("a library: it neither reads arguments nor has a main part")
    return script


def is_test(path: str) -> bool:
    """Whether a path is that of a test."""
    folders, _, name = path.rpartition("/")
    return name.startswith("test_") or bool(set(folders.split("/")) & set(_TEST_FOLDERS))


def program_paths(tree: FileTree) -> Iterator[str]:
    """The files that may be programs, without hidden folders, caches and other skills."""
    stack, looked = [""], 0
    while stack:
        folder = stack.pop(0)
        try:
            entries = tree.list(folder)
        except OSError:
            continue
        for entry in sorted(entries, key=lambda each: each.name):
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.name.startswith(".") or entry.name in SKIPPED:
                continue
            if entry.kind == "folder":
                if path.count("/") < MAX_DEPTH and not is_skill(tree, path):
                    stack.append(path)
                continue
            looked += 1
            if looked > MAX_FILES:
                return
            ending = entry.name.rpartition(".")[2].lower() if "." in entry.name else ""
            is_script = ending in ENDINGS or (not ending and entry.kind == "file")
            if entry.kind == "file" and is_script and entry.size <= LARGEST:
                yield path
