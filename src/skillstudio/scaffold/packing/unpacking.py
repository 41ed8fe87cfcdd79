"""From an archive to a new skill folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from skillstudio.files.archive import open_archive
from skillstudio.files.paths import is_absolute, judge_path
from skillstudio.files.placing import place
from skillstudio.files.subtree import Subtree
from skillstudio.files.tree import FileTree
from skillstudio.scaffold.packing.oci import is_layout, open_layout
from skillstudio.skill.around import skill_around
from skillstudio.skill.discover import find_skills, is_skill
from skillstudio.skill.hashing.content_hash import HashRefused, content_hash

_NAMED = 5


class UnpackRefused(Exception):
    """An archive that is no skill's, or a place where none can be put: a sentence."""


@dataclass(frozen=True)
class Unpacked:
    """The files of the skill in an archive, none of them written yet."""

    name: str
    """The folder that they lay in."""
    files: dict[str, bytes]
    executable: frozenset[str]
    links: dict[str, str]
    content_hash: str
    beside: tuple[str, ...]
    """What else the archive holds, outside the skill's folder."""


def read_packed(path: str) -> Unpacked:
    """Read the one skill of an archive or of an OCI image layout.

    Raises files.archive.ArchiveRefused, UnpackRefused; each names the archive.
    """
    whole = open_layout(path) if is_layout(path) else open_archive(path)
    tree, inside = _skill_in(whole, path)
    files, links, executable = {}, {}, set()
    for found in _entries(tree):
        kind = tree.kind(found)
        if kind == "file":
            files[found] = tree.read(found)
            if tree.mode(found) & 0o100:
                executable.add(found)
        elif kind == "link":
            links[found] = _checked_link(tree, found, path)
        else:
            raise UnpackRefused(f"{path}: {found} in it is neither a file, a folder nor a link")
    try:
        hashed = content_hash(tree)
    except HashRefused as error:
        raise UnpackRefused(f"{path}: {error}") from None
    beside = tuple(_beside(whole, inside))
    return Unpacked(tree.name, files, frozenset(executable), links, hashed, beside)


def unpack(unpacked: Unpacked, destination: str) -> None:
    """Make the skill's folder where nothing is yet, in one step.

    Raises UnpackRefused where it would lie in another skill, files.placing.NotPlaced.
    """
    holder = skill_around(destination)
    if holder:
        raise UnpackRefused(f"{destination} would lie in the skill {holder}, and be part of it")
    place(unpacked.files, destination, unpacked.executable, unpacked.links)


def _skill_in(tree: FileTree, path: str) -> tuple[FileTree, str]:
    if is_skill(tree):
        return tree, ""
    found = list(find_skills(tree))
    if not found:
        raise UnpackRefused(
            f"{path} holds no skill: no SKILL.md, no skill.toml, no provenact manifest.json"
        )
    if len(found) > 1:
        names = ", ".join(found[:_NAMED]) + (", …" if len(found) > _NAMED else "")
        raise UnpackRefused(f"{path} holds {len(found)} skills, where one can be unpacked: {names}")
    return Subtree(tree, found[0]), found[0]


def _entries(tree: FileTree) -> Iterator[str]:
    """Everything in a tree but folders."""
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
        why = "leads nowhere" if problem == "path-missing" else "leads out of the skill"
        raise UnpackRefused(f"{archive}: {path} in it is a link to {target!r}, which {why}")
    return target


def _beside(tree: FileTree, inside: str) -> Iterator[str]:
    if inside:
        yield from (path for path in _entries(tree) if not path.startswith(f"{inside}/"))
