"""Find the programs in the folder of a skill: the scripts that can be run by their path."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from skillstudio.files.tree import FileTree
from skillstudio.manifest.locate import SKIPPED_FOLDERS
from skillstudio.skill.discover import is_skill
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.nearest import nearest
from skillstudio.text.scripts.model import NotRead, Script, ScriptCommand
from skillstudio.text.scripts.reading import LARGEST, language_of, read_script

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
_IMPORTS = lazy_pattern(
    r"^[ \t]*(?:from|import|source|\.)[ \t]([^\n]*)"
    r"|(?:\bfrom|\brequire\(|\bimport\(?|\bexport \*? ?from)[ \t]*[\"'](\.[^\"'\n]*)",
    re.MULTILINE,
)
"""What a line of Python, a shell or JavaScript loads from other files."""
_EXPORTS = lazy_pattern(r"^(?:export\b|module\.exports\b|exports\.)", re.MULTILINE)
_WORD = lazy_pattern(r"[\w-]+")


class SkillProgram(NamedTuple):
    """A script of a skill; `script` is None if it could not be read."""

    path: str
    script: Script | None
    fault: str = ""  # Why it does not parse; "" if it does, or if its language is not read.

    @property
    def commands(self) -> tuple[ScriptCommand, ...]:
        """Its commands, at least one."""
        script_commands = self.script.commands if self.script is not None else ()
        return script_commands or (ScriptCommand(certain=False),)

    @property
    def operations(self) -> tuple[str, ...]:
        """The names of its operations: its path, with each command if it has several."""
        return tuple(f"{self.path} {command.name}".strip() for command in self.commands)


class NoProgram(Exception):
    """Why a file is not a program: a phrase."""


class Library(NoProgram):
    """Why a script is not surely a program: it neither reads arguments nor has a main part."""


class BrokenProgram(NoProgram):
    """Why a file, which is marked as a program, is none now: it does not parse."""


def find_programs(tree: FileTree) -> list[SkillProgram]:
    """The programs of a skill, those in `scripts` first; hidden files and tests are left out.

    One that does not parse is among them: whoever wrote it wants to run it. So are scripts without
    arguments and a main part that SKILL.md starts, or that are in `scripts` or `bin` and no other
    script loads.
    """
    programs: list[SkillProgram] = []
    libraries: list[str] = []
    for path in program_paths(tree):
        try:
            programs.append(SkillProgram(path, program_at(tree, path)))
        except BrokenProgram as error:
            programs.append(SkillProgram(path, None, str(error)))
        except Library:
            libraries.append(path)
        except (OSError, NoProgram):
            continue
        if len(programs) == MAX_PROGRAMS:
            break
    if libraries:
        paths = [program.path for program in programs]
        programs.extend(
            SkillProgram(path, read_script(path, tree.read(path, LARGEST + 1)))
            for path in _started_libraries(tree, libraries, paths)[: MAX_PROGRAMS - len(programs)]
        )
    return sorted(
        programs, key=lambda program: (not program.path.startswith("scripts/"), program.path)
    )


def _started_libraries(
    tree: FileTree, libraries: Sequence[str], programs: Sequence[str]
) -> list[str]:
    """Those of the scripts without a main part that a person or an agent would start."""
    from skillstudio.manifest.started_scripts import started_paths

    start_paths = started_paths(_text(tree, "SKILL.md"), libraries)
    likely = [path for path in libraries if path not in start_paths and _is_for_people(tree, path)]
    if likely:
        loaders: dict[str, set[str]] = {}  # The names that files load, to these files.
        for path in (*programs, *libraries):
            for match in _IMPORTS.finditer(_text(tree, path)):
                for word in _WORD.findall(match[1] or match[2]):
                    loaders.setdefault(word, set()).add(path)
        start_paths |= {path for path in likely if not loaders.get(_stem(path), set()) - {path}}
    return [path for path in libraries if path in start_paths]


def _is_for_people(tree: FileTree, path: str) -> bool:
    """Whether a script is in a folder for programs and does something when it is started.

    An execute bit says nothing: without a `#!` line the system does not start it.
    """
    if not path.startswith(("scripts/", "bin/")):
        return False
    text = _text(tree, path)
    if path.endswith(".py"):
        from skillstudio.text.scripts.python import only_defines

        return not only_defines(text)
    return not (language_of(path, text) == "javascript" and _EXPORTS.search(text))


def _text(tree: FileTree, path: str) -> str:
    try:
        return tree.read(path, LARGEST).decode("utf-8-sig", "replace")
    except OSError:
        return ""


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


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
        file_name = path.rpartition("/")[2]
        by_name.setdefault(file_name, path)
        by_name.setdefault(file_name.rpartition(".")[0] or file_name, path)
    near = nearest(name, by_name)
    return by_name.get(name) or nearest(word, paths) or (by_name[near] if near else None)


def program_at(tree: FileTree, path: str) -> Script | None:
    """The script of a file, None if it cannot be read. Raises NoProgram, OSError."""
    name = path.rpartition("/")[2]
    if is_test(path):
        raise NoProgram("a test")
    if _NO_PROGRAM.search(name):
        raise NoProgram("part of a package or its configuration")
    has_known_ending = name.rpartition(".")[2].lower() in ENDINGS and "." in name
    data = tree.read(path, LARGEST + 1)
    if not has_known_ending and not data.startswith(b"#!"):
        raise NoProgram("neither its name nor its first line is that of a program")
    try:
        script = read_script(path, data)
    except NotRead as error:
        if has_known_ending and data.startswith(b"#!"):
            return None
        is_marked = path.startswith(("scripts/", "bin/")) or tree.mode(path) & 0o111
        is_program = has_known_ending or data.startswith(b"#!")
        if str(error).startswith("unsupported") and is_program and is_marked:
            return None
        is_broken = str(error).startswith("not valid") and has_known_ending and is_marked
        raise (BrokenProgram if is_broken else NoProgram)(str(error)) from None
    if not script.program:
        raise Library("a library: it neither reads arguments nor has a main part")
    return script


def is_test(path: str) -> bool:
    """Whether a path is that of a test."""
    folders, _, name = path.rpartition("/")
    return name.startswith("test_") or bool(set(folders.split("/")) & set(_TEST_FOLDERS))


def program_paths(tree: FileTree) -> Iterator[str]:
    """The files that may be programs, without hidden folders, caches and other skills."""
    stack, file_count = [""], 0
    while stack:
        folder = stack.pop(0)
        try:
            entries = tree.list(folder)
        except OSError:
            continue
        for entry in sorted(entries, key=lambda child: child.name):
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.name.startswith(".") or entry.name in SKIPPED_FOLDERS:
                continue
            if entry.kind == "folder":
                if path.count("/") < MAX_DEPTH and not is_skill(tree, path):
                    stack.append(path)
                continue
            file_count += 1
            if file_count > MAX_FILES:
                return
            ending = entry.name.rpartition(".")[2].lower() if "." in entry.name else ""
            if entry.kind != "file" or entry.size > LARGEST:
                continue
            # Others with an ending are read only if their mode says that they can be started.
            if not ending or ending in ENDINGS or tree.mode(path) & 0o111:
                yield path
