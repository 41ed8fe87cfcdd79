"""Unpack an archive into a new skill folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from skillstudio.files.archive import open_archive
from skillstudio.files.paths import is_absolute, judge_path
from skillstudio.files.placing import place, tree_fault
from skillstudio.files.subtree import Subtree
from skillstudio.files.tree import FileTree
from skillstudio.manifest.registry import no_skill
from skillstudio.scaffold.packing.oci import LAYOUT, is_layout, open_layout
from skillstudio.skill.discover import find_skills, skill_around
from skillstudio.skill.hashing.content_hash import HashRefused, content_hash

_NAMED = 5


class UnpackRefused(Exception):
    """An archive without a usable skill, or a destination that cannot be used."""


@dataclass(frozen=True)
class Unpacked:
    """The files of a skill in an archive."""

    name: str
    """The name of their folder."""
    files: dict[str, bytes]
    executable: frozenset[str]
    links: dict[str, str]
    content_hash: str
    where: str = ""
    """The path of that folder in the archive; "" where the whole archive is the skill."""


class ArchiveContents(NamedTuple):
    """The selected skills of an archive, and the paths outside of any skill."""

    skills: tuple[Unpacked, ...]
    beside: tuple[str, ...]


def read_packed(path: str, only: str = "", several: bool = False) -> ArchiveContents:
    """Read the one skill of an archive or of an OCI image layout.

    `only` is the path of one of several skills, `several` reads all. Raises
    files.archive.ArchiveRefused, UnpackRefused; each message names the archive.
    """
    if os.path.isdir(path) and not is_layout(path):
        raise UnpackRefused(
            f"{path} is a folder without {LAYOUT}, so it is not an OCI image layout"
        )
    whole = open_layout(path) if is_layout(path) else open_archive(path)
    places = _outermost(whole)
    if not places:
        raise UnpackRefused(no_skill(path))
    beside = tuple(_beside(whole, places))
    more = ", …" if len(places) > _NAMED else ""
    names = ", ".join(f"{path}:{each}" for each in places[:_NAMED] if each) + more
    if only:
        places = [each for each in places if each == only.strip("/")]
        if not places:
            here = f"; it contains {names}" if names else "; the archive itself is the skill"
            raise UnpackRefused(f"{path} does not contain a skill {only}{here}")
    elif len(places) > 1 and not several:
        raise UnpackRefused(
            f"{path} contains {len(places)} skills; choose one ({names}), or use --all"
        )
    skills = tuple(_read(whole, each, path) for each in places)
    return ArchiveContents(skills, beside)


def unpack(skill: Unpacked, destination: str) -> None:
    """Create the skill's folder atomically.

    Raises UnpackRefused if it would be inside another skill, files.placing.NotPlaced.
    """
    _place(destination, {"": skill})


def unpack_all(skills: Iterable[Unpacked], destination: str) -> dict[str, Unpacked]:
    """Create a folder of skills atomically; return the skills by their path in the archive.

    Raises the same as `unpack`.
    """
    placed = {each.where or each.name: each for each in skills}
    _place(destination, {f"{where}/": each for where, each in placed.items()})
    return placed


def _place(destination: str, skills: Mapping[str, Unpacked]) -> None:
    holder = skill_around(destination)
    if holder:
        raise UnpackRefused(
            f"{destination} is inside the skill {holder}; choose a folder outside of it"
        )
    files: dict[str, bytes] = {}
    executable: set[str] = set()
    links: dict[str, str] = {}
    for start, skill in skills.items():
        files |= {start + path: data for path, data in skill.files.items()}
        executable |= {start + path for path in skill.executable}
        links |= {start + path: target for path, target in skill.links.items()}
    place(files, destination, executable, links)


def _outermost(tree: FileTree) -> list[str]:
    """The folders of skills that are not inside another skill; "" is the root."""
    found: list[str] = []
    for path in find_skills(tree):
        if not any(not each or path.startswith(f"{each}/") for each in found):
            found.append(path)
    return found


def _read(whole: FileTree, where: str, archive: str) -> Unpacked:
    tree = Subtree(whole, where) if where else whole
    files, links, executable = {}, {}, set()
    for path in _entries(tree):
        kind = tree.kind(path)
        if kind == "file":
            files[path] = tree.read(path)
            if tree.mode(path) & 0o100:
                executable.add(path)
        elif kind == "link":
            links[path] = _checked_link(tree, path, archive)
        else:
            raise UnpackRefused(f"{archive}: {path} in it is not a file, folder or link")
    fault = tree_fault([*files, *links])
    if fault:
        raise UnpackRefused(f"{archive}: in it, {fault}")
    try:
        hashed = content_hash(tree)
    except HashRefused as error:
        raise UnpackRefused(f"{archive}: {error}") from None
    return Unpacked(tree.name, files, frozenset(executable), links, hashed, where)


def _entries(tree: FileTree) -> Iterator[str]:
    """The paths of everything in a tree except folders."""
    folders = [""]
    while folders:
        folder = folders.pop()
        for entry in tree.list(folder):
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.kind == "folder":
                folders.append(path)
            else:
                yield path


def _checked_link(tree: FileTree, path: str, archive: str) -> str:
    target = tree.target(path)
    if is_absolute(target) or "\\" in target or tree.resolve(path) is None:
        problem = judge_path(tree, path).problem
        why = (
            "points to a file that does not exist"
            if problem == "path-missing"
            else "points outside of the skill"
        )
        raise UnpackRefused(f"{archive}: {path} in it is a link to {target!r}, which {why}")
    return target


def _beside(tree: FileTree, places: list[str]) -> Iterator[str]:
    if places != [""]:
        starts = tuple(f"{each}/" for each in places)
        yield from (path for path in _entries(tree) if not path.startswith(starts))
