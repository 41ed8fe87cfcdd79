"""Unpack an archive into a new skill folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from skillstudio.files.archive import open_archive
from skillstudio.files.paths import is_absolute, judge_path
from skillstudio.files.placing import place, tree_fault
from skillstudio.files.tree import FileTree, Subtree, walk
from skillstudio.manifest.registry import no_skill
from skillstudio.scaffold.packing.oci import LAYOUT, is_layout, open_layout
from skillstudio.skill.discover import find_skills, skill_around
from skillstudio.skill.hashing.content_hash import HashRefused, content_hash

_MAX_NAMES = 5


class UnpackRefused(Exception):
    """An archive without a usable skill, or a destination that cannot be used."""


@dataclass(frozen=True)
class UnpackedSkill:
    """The files of a skill in an archive."""

    name: str  # The name of their folder.
    files: dict[str, bytes]
    executable: frozenset[str]
    links: dict[str, str]
    content_hash: str
    where: str = ""
    """The path of that folder in the archive; "" where the whole archive is the skill."""


class ArchiveContents(NamedTuple):
    """The selected skills of an archive, and the paths outside of any skill."""

    skills: tuple[UnpackedSkill, ...]
    beside: tuple[str, ...]


def read_packed(path: str, only: str = "", several: bool = False) -> ArchiveContents:
    """Read the one skill of an archive or an OCI image layout, the skill at `only`, or all.

    Raises ArchiveRefused, UnpackRefused; each message names the archive.
    """
    if os.path.isdir(path) and not is_layout(path):
        why = f"is a folder without {LAYOUT}, so it is not an OCI image layout"
        raise UnpackRefused(f"{path} {why}")
    whole = open_layout(path) if is_layout(path) else open_archive(path)
    places: list[str] = []
    for folder in find_skills(whole):
        if not any(not above or folder.startswith(f"{above}/") for above in places):
            places.append(folder)
    if not places:
        raise UnpackRefused(no_skill(path))
    starts = tuple(f"{folder}/" if folder else "" for folder in places)
    beside = tuple(inner_path for inner_path, _ in walk(whole) if not inner_path.startswith(starts))
    ellipsis = ", …" if len(places) > _MAX_NAMES else ""
    names = ", ".join(f"{path}:{folder}" for folder in places[:_MAX_NAMES] if folder) + ellipsis
    if only:
        places = [folder for folder in places if folder == only.strip("/")]
        if not places:
            here = f"; it contains {names}" if names else "; the archive itself is the skill"
            raise UnpackRefused(f"{path} does not contain a skill {only}{here}")
    elif len(places) > 1 and not several:
        choice = f"choose one ({names}), or use --all"
        raise UnpackRefused(f"{path} contains {len(places)} skills; {choice}")
    return ArchiveContents(tuple(_read(whole, folder, path) for folder in places), beside)


def unpack(skill: UnpackedSkill, destination: str) -> None:
    """Create the skill's folder atomically. Raises NotPlaced, UnpackRefused if inside a skill."""
    _place(destination, {"": skill})


def unpack_all(skills: Iterable[UnpackedSkill], destination: str) -> dict[str, UnpackedSkill]:
    """Create a folder of skills, as `unpack`; return the skills by their path in the archive."""
    skills_by_path = {skill.where or skill.name: skill for skill in skills}
    _place(destination, {f"{where}/": skill for where, skill in skills_by_path.items()})
    return skills_by_path


def _place(destination: str, skills: Mapping[str, UnpackedSkill]) -> None:
    if holder := skill_around(destination):
        why = f"is inside the skill {holder}; choose a folder outside of it"
        raise UnpackRefused(f"{destination} {why}")
    files: dict[str, bytes] = {}
    executable: set[str] = set()
    links: dict[str, str] = {}
    for start, skill in skills.items():
        files |= {start + path: data for path, data in skill.files.items()}
        executable |= {start + path for path in skill.executable}
        links |= {start + path: target for path, target in skill.links.items()}
    place(files, destination, executable, links)


def _read(whole: FileTree, where: str, archive: str) -> UnpackedSkill:
    tree = Subtree(whole, where) if where else whole
    files, links, executable = {}, {}, set()
    for path, entry in walk(tree):
        if entry.kind == "file":
            files[path] = tree.read(path)
            if tree.mode(path) & 0o100:
                executable.add(path)
        elif entry.kind == "link":
            links[path] = target = tree.target(path)
            if is_absolute(target) or "\\" in target or tree.resolve(path) is None:
                is_missing = judge_path(tree, path).problem == "path-missing"
                where_to = "to a file that does not exist" if is_missing else "outside of the skill"
                why = f"is a link to {target!r}, which points {where_to}"
                raise UnpackRefused(f"{archive}: {path} in it {why}")
        else:
            raise UnpackRefused(f"{archive}: {path} in it is not a file, folder or link")
    if fault := tree_fault([*files, *links]):
        raise UnpackRefused(f"{archive}: in it, {fault}")
    try:
        digest = content_hash(tree)
    except HashRefused as error:
        raise UnpackRefused(f"{archive}: {error}") from None
    return UnpackedSkill(tree.name, files, frozenset(executable), links, digest, where)
