"""Follow what other programs write: which skill changed, and which samples a change touches."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from skillstudio.dryrun.planning.make import resolve_operation
from skillstudio.dryrun.planning.run_inputs import OperationUnknown
from skillstudio.dryrun.sampling.sample import FOLDER
from skillstudio.files.paths import make_relative
from skillstudio.files.temporary import has_temporary
from skillstudio.files.tree import FileTree, walk
from skillstudio.manifest.registry import carriers
from skillstudio.session.running.state import SkillOnDisk

_NOISE = re.compile(
    r"(^|/)(\.git|\.hg|\.venv|node_modules|__pycache__|\.mypy_cache|\.ruff_cache|4913)(/|$)"
    r"|~$|\.sw[a-z]$|(^|/)\.#|\.(pyc|tmp|orig|rej)$"
)
"""What editors, version control and interpreters write beside the files of a skill."""
_MOST_FILES = 500  # Files of a skill that are read for what they name; files of new folders.
_LARGEST = 256 << 10  # Bytes of each.
_LEAST = 3  # Characters of a name without its suffix that counts when it is found in a text.


class SkillChange(NamedTuple):
    """Files of a skill that changed on disk, relative to it."""

    skill: str
    files: tuple[str, ...]  # The one that was written last first; deleted ones at the end.


def skill_changes(
    paths: Iterable[str], root: str, skills: Collection[str]
) -> tuple[list[SkillChange], frozenset[str]]:
    """The skills of changed paths, the one that was written last at the end, and the paths that
    belong to none. `skills` are their folders relative to `root`, with `/`."""
    files: dict[str, dict[str, int]] = {}
    other_paths = set()
    for path in all_files(paths):
        inside = make_relative(path, root).replace(os.sep, "/")
        if inside.startswith("../") or _NOISE.search(inside) or has_temporary(inside):
            continue
        skill = _skill_of(inside, skills)
        if skill is None:
            other_paths.add(path)
        else:
            file = inside[len(skill) :].lstrip("/")
            files.setdefault(skill, {})[file] = _read_change_time(path)
    changes = [
        SkillChange(skill, tuple(sorted(times, key=lambda file: (-times[file], file))))
        for skill, times in sorted(files.items(), key=lambda item: max(item[1].values()))
    ]
    return changes, frozenset(other_paths)


def all_files(paths: Iterable[str]) -> Iterator[str]:
    """The paths that are no folders, and the files below those that are, up to a limit: of a folder
    that is new or moved, the disk may name no file in it."""
    number = 0
    for path in paths:
        if not os.path.isdir(path) or os.path.islink(path):
            yield path
            continue
        for folder, folders, names in os.walk(path):
            folders[:] = [name for name in sorted(folders) if not _NOISE.search(name)]
            number += 1 + len(names)
            if number > _MOST_FILES:
                return
            yield from (os.path.join(folder, name) for name in names)


def new_skill(skill: str, folder: str) -> SkillChange:
    """The change that made a skill, with the files of its folder: it may have been moved there, of
    which the disk names no file."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if not entry.is_dir())
    except OSError:
        names = []
    return SkillChange(skill, tuple(names))


def _skill_of(path: str, skills: Collection[str]) -> str | None:
    """The innermost skill around a path; a folder is no file of it."""
    folder = path
    while folder:
        folder = folder.rpartition("/")[0]
        if folder in skills:
            return folder
    return None


def _read_change_time(path: str) -> int:
    """The time of a file's last change in nanoseconds; 0 for one that was deleted."""
    try:
        return os.lstat(path).st_mtime_ns
    except OSError:
        return 0


def find_touched_samples(
    files: Collection[str], samples: Sequence[tuple[str, str]], uses: Mapping[str, frozenset[str]]
) -> frozenset[str]:
    """The paths of the samples that changed files touch.

    `samples` are operations with paths, `uses` the files that operations are known to use. Any
    operation may use a file that none of them is known to use: the manifest, a module, data.
    """
    touched_paths = {path for _, path in samples if path in files}
    other_files = [file for file in files if file not in touched_paths]
    known_files = frozenset[str]().union(*uses.values())
    for operation, path in samples:
        used = uses.get(operation, frozenset())
        if any(file in used or file not in known_files for file in other_files):
            touched_paths.add(path)
    return frozenset(touched_paths)


def used_files(disk_skill: SkillOnDisk, operations: Collection[str]) -> dict[str, frozenset[str]]:
    """The files of the skill that each operation starts, and those that these name in turn.

    A name that merely occurs in a text counts: a test too many is cheap, one too few is not.
    """
    texts = _texts(disk_skill.skill.tree)
    named_files: dict[str, set[str]] = {}
    uses: dict[str, frozenset[str]] = {}
    for operation in operations:
        pending_files, used = _find_scripts(disk_skill, operation, texts), set[str]()
        while pending_files:
            used |= pending_files
            for path in pending_files - named_files.keys():
                named_files[path] = _named_in(texts[path], texts)
            pending_files = set[str]().union(*(named_files[path] for path in pending_files)) - used
        uses[operation] = frozenset(used)
    return uses


def _texts(tree: FileTree) -> dict[str, str]:
    """The texts of a skill by path, without its manifests and samples."""
    manifests = set(carriers())

    def is_wanted(path: str) -> bool:
        return path != FOLDER and path not in manifests and not _NOISE.search(path)

    texts: dict[str, str] = {}
    for path, entry in walk(tree, is_wanted):
        if len(texts) == _MOST_FILES:
            break
        if entry.kind == "file":
            try:
                data = tree.read(path, _LARGEST)
            except OSError:
                continue  # What it names is unknown, as if it named nothing.
            texts[path] = "" if b"\0" in data else data.decode("utf-8", "replace")
    return texts


def _named_in(text: str, paths: Iterable[str]) -> set[str]:
    return {path for path in paths if any(name in text for name in _names(path))}


def _names(path: str) -> set[str]:
    """The file name, and without its suffix, as modules are imported."""
    name = path.rpartition("/")[2]
    stem = name.partition(".")[0]
    return {name, stem} if len(stem) >= _LEAST else {name}


def _find_scripts(disk_skill: SkillOnDisk, operation: str, paths: Collection[str]) -> set[str]:
    """The files that the command of an operation names."""
    try:
        how = resolve_operation(disk_skill.skill, disk_skill.interface, operation).launch_spec
    except OperationUnknown:
        return set()
    words = [how.script or "", how.module]
    for processes in how.platforms.values():
        words += [word for process in processes for word in (*process.argv, process.command)]
    command = "\n".join(word.replace("\\", "/") for word in words)
    return {path for path in paths if path.rpartition("/")[2] in command}
