"""`skills-lock.json`, in which `npx skills` records the skills that it installed in a project.

Format, names of folders and hash as in vercel-labs/skills: src/local-lock.ts (0363f53),
src/installer.ts and src/add.ts (01ae123).
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.manifest.rulebook import severity_of
from skillstudio.skill.pins.lock import LockUnreadable
from skillstudio.text.conflict import first_mark
from skillstudio.text.node import Document, Mapping, join_pointer
from skillstudio.text.reading import read
from skillstudio.text.source import Source, Span

FILE = "skills-lock.json"
MAX_DEPTH = 100
_VERSION = 1
_HASH = re.compile(r"[0-9a-f]{64}")
_UNSAFE = re.compile(r"[^a-z0-9._]+")
_SKIPPED_FOLDERS = (".git", "node_modules")
_ORDER = {
    letter: at
    for at, letter in enumerate(
        " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz"
    )
}
"""The order of ASCII characters in the root collation of CLDR, which `localeCompare` uses."""


class NpxSkill(NamedTuple):
    """A skill of the lock file: where it was installed from, and its hash."""

    name: str
    source: str
    kind: str  # Such as `github` or `local`.
    computed_hash: str


class InstalledSkill(NamedTuple):
    """A locked skill in one folder: `ok`, `missing`, `differs` or `not computable`."""

    skill: NpxSkill
    state: str
    folder: str  # Relative to the project; "" for a missing skill.
    actual_hash: str = ""  # Its hash.
    reason: str = ""  # Why its hash cannot be computed.


class NotComputable(Exception):
    """The reason why a folder has no hash."""


def read_npx_lock(source: Source) -> list[NpxSkill]:
    """The skills of a lock file. Raises LockUnreadable."""
    conflict = first_mark(source.text)
    if conflict is not None:
        message = "the file contains merge conflict markers; resolve the conflict"
        raise LockUnreadable(message, *source.position(conflict))
    document = read(source, "json", Span(0, len(source.text)))
    for fault in document.faults:
        if severity_of(fault.rule) == "error":
            raise LockUnreadable(fault.message, *source.position(fault.start))
    value = document.value
    skills = document.at("/skills")
    if not isinstance(value, dict) or not isinstance(skills, Mapping):
        raise LockUnreadable(f"not a {FILE}: the mapping `skills` is missing", 1, 1)
    if value.get("version") != _VERSION:
        raise _wrong(document, "/version", f"only version {_VERSION} of the format is known")
    npx_skills = []
    for name, entry in value["skills"].items():
        pointer = join_pointer(("skills", name))
        if not isinstance(entry, dict):
            raise _wrong(document, pointer, "the entry of a skill must be a mapping")
        for key in ("source", "sourceType", "computedHash"):
            if not isinstance(entry.get(key), str):
                raise _wrong(document, f"{pointer}/{key}", f"the skill needs the string {key}")
        if not _HASH.fullmatch(entry["computedHash"]):
            message = "computedHash must have 64 lowercase hex digits"
            raise _wrong(document, f"{pointer}/computedHash", message)
        npx_skills.append(
            NpxSkill(name, entry["source"], entry["sourceType"], entry["computedHash"])
        )
    return npx_skills


def _wrong(document: Document, pointer: str, message: str) -> LockUnreadable:
    """The exception at a value, or at the nearest mapping that lacks it."""
    while (node := document.at(pointer)) is None and pointer:
        pointer = pointer.rpartition("/")[0]
    return LockUnreadable(message, *document.source.position(node.start if node else 0))


def check_npx_lock(skills: list[NpxSkill], project: str) -> Iterator[InstalledSkill]:
    """Each skill in each folder of the project that it is installed in."""
    folders = _skill_folders(project)
    hashes: dict[str, str | NotComputable] = {}
    for skill in skills:
        # Agents' folders are links to `.agents/skills`, or have a copy of their own.
        copies: dict[str, str] = {}
        for folder in folders.get(installed_name(skill.name), ()):
            path = os.path.join(project, *folder.split("/"))
            if os.path.isfile(os.path.join(path, "SKILL.md")):
                copies.setdefault(os.path.realpath(path), folder)
        for path, folder in copies.items():
            yield _check_skill(skill, folder, path, hashes)
        if not copies:
            yield InstalledSkill(skill, "missing", "")


def _skill_folders(project: str) -> dict[str, list[str]]:
    """The folders in `.AGENT/skills` by their name, those of `.agents` first.

    `skills` is the folder of one agent, but more often has the project's own skills: it counts for
    names that no other folder has.
    """
    hidden_folders = sorted(name for name in os.listdir(project) if name.startswith("."))
    hidden_folders.sort(key=lambda name: name != ".agents")
    folders_by_name: dict[str, list[str]] = {}
    for root in (*(f"{name}/skills" for name in hidden_folders), "skills"):
        with suppress(OSError):
            for name in os.listdir(os.path.join(project, *root.split("/"))):
                if root == "skills" and name in folders_by_name:
                    continue
                folders_by_name.setdefault(name, []).append(f"{root}/{name}")
    return folders_by_name


def _check_skill(
    skill: NpxSkill, folder: str, path: str, hashes: dict[str, str | NotComputable]
) -> InstalledSkill:
    if path not in hashes:
        try:
            hashes[path] = folder_hash(path)
        except NotComputable as error:
            hashes[path] = error
    actual_hash = hashes[path]
    if isinstance(actual_hash, NotComputable):
        return InstalledSkill(skill, "not computable", folder, "", str(actual_hash))
    return InstalledSkill(
        skill, "ok" if actual_hash == skill.computed_hash else "differs", folder, actual_hash
    )


def installed_name(name: str) -> str:
    """The name of the folder that `npx skills` makes for a skill."""
    return _UNSAFE.sub("-", name.lower()).strip(".-")[:255] or "unnamed-skill"


def folder_hash(path: str) -> str:
    """SHA-256 of the paths and contents of all files of a folder. Raises NotComputable.

    Links, `.git` and `node_modules` are skipped.
    """
    tree = DiskTree(path)
    digest = hashlib.sha256()
    try:
        for file in sorted(_files(tree, "", 0), key=_collation_key):
            digest.update(file.encode())
            for piece in tree.chunks(file, 1 << 20):
                digest.update(piece)
    except OSError as error:
        raise NotComputable(f"a file cannot be read: {error.strerror or error}") from None
    return digest.hexdigest()


def _files(tree: DiskTree, folder: str, depth: int) -> Iterator[str]:
    if depth > MAX_DEPTH:
        raise NotComputable(f"folders are nested more than {MAX_DEPTH} levels deep")
    for entry in tree.list(folder):
        path = f"{folder}/{entry.name}" if folder else entry.name
        if entry.kind == "file":
            yield path
        elif entry.kind == "folder" and entry.name not in _SKIPPED_FOLDERS:
            yield from _files(tree, path, depth + 1)


def _collation_key(path: str) -> tuple[Any, ...]:
    """The key of `localeCompare` for ASCII: letters first, then capitals after small letters."""
    letters = path.lower()
    if any(letter not in _ORDER for letter in letters):
        raise NotComputable("npx skills sorts file names that are not ASCII by the locale")
    return [_ORDER[letter] for letter in letters], [letter.isupper() for letter in path]
