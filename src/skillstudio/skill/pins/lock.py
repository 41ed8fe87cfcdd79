"""Lock files: the version of each skill that was used (ADR-003, "Lockfile Workflow").

The format is that of ADR-003 with two additions: `tree_sha256`, which is free of collisions and
covers modes and links, and `trees`, the hashed files, so that a check can name the changed file.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as Readable
from typing import Any, NamedTuple

from skillstudio.manifest.rulebook import severity_of
from skillstudio.skill.hashing.content_hash import TreeHash
from skillstudio.skill.pins.proto import HASH
from skillstudio.text.conflict import first_mark
from skillstudio.text.editing.yaml_writing import write_key, write_scalar
from skillstudio.text.node import Mapping, Scalar, join_pointer, resolve
from skillstudio.text.reading import read
from skillstudio.text.source import Source, Span

STRICT = ("content_hash", "tree_sha256", "version")
"""Fields that a check compares: equal on every machine with the same files."""
PROVENANCE = ("nix_store_path", "source_rev")
"""Fields that a check ignores: they are unknown without git or Nix."""
FIELDS = tuple(sorted((*STRICT, *PROVENANCE)))
LONGEST_KEY = 1000  # Longer paths, which YAML does not allow as keys, are omitted from `trees`.


class LockUnreadable(Exception):
    """A file that is not a lock file: the message, and the 1-based line and column."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


class Locked(NamedTuple):
    """One skill of a lock file; empty strings for unknown fields."""

    content_hash: str
    tree_sha256: str = ""
    nix_store_path: str = ""
    source_rev: str = ""
    version: str = ""
    files: Readable[str, str] = {}  # Path to mode and SHA-256, such as `100644 bcba…`.


class Lock(NamedTuple):
    """A lock file."""

    skills: Readable[str, Locked]
    generated_at: str = ""
    beads_version: str = ""


class LockedFileChange(NamedTuple):
    """A file that differs from the lock: `changed`, `mode`, `added` or `removed`."""

    path: str
    how: str


class LockDifference(NamedTuple):
    """A difference from the lock. `field` is empty for a skill that only one side has."""

    skill: str
    field: str
    locked: str
    found: str
    files: tuple[LockedFileChange, ...] = ()
    """The changed files of a content_hash or tree_sha256, if the lock has them."""


def files_of(digests: TreeHash) -> dict[str, str]:
    """The files of a skill in the format of a lock file; bytes that are not UTF-8 are escaped."""
    paths = (
        (file.path.encode("utf-8", "backslashreplace").decode(), f"{file.mode} {file.sha256}")
        for file in digests.files
    )
    return {path: digest for path, digest in sorted(paths) if len(path) <= LONGEST_KEY}


def read_lock(source: Source) -> Lock:
    """Read a lock file; the additions to ADR-003 are optional. Raises LockUnreadable."""
    conflict = first_mark(source.text)
    if conflict is not None:
        message = "the lockfile contains merge conflict markers; resolve the conflict"
        raise _unreadable(source, conflict, message)
    document = read(source, "yaml", Span(0, len(source.text)))
    for fault in document.faults:
        if severity_of(fault.rule) == "error":
            raise _unreadable(source, fault.start, fault.message)
    root = resolve(document.root)
    if not isinstance(root, Mapping) or not isinstance(resolve(root.get("skills")), Mapping):
        raise _unreadable(source, 0, "not a lockfile: the mapping `skills` is missing")
    value = document.value
    trees = value.get("trees") or {}
    if not isinstance(trees, dict):
        start = getattr(root.get("trees"), "start", 0)
        raise _unreadable(source, start, "`trees` is not a mapping")
    skills = {}
    for name in value["skills"]:
        entry = _LockReader(source, document.at(join_pointer(("skills", name))), f"skill {name}")
        tree = document.at(join_pointer(("trees", name)))
        files = _LockReader(source, tree, f"tree of {name}") if name in trees else None
        fields = {field: entry.text(field) for field in FIELDS}
        if HASH.fullmatch(fields["content_hash"]) is None:
            message = "has no content_hash of the form sha256: followed by 64 hex digits"
            raise entry.wrong("content_hash", message)
        skills[name] = Locked(**fields, files=files.texts() if files else {})
    top = _LockReader(source, root, "lockfile")
    return Lock(skills, top.text("generated_at"), top.text("beads_version"))


class _LockReader:
    def __init__(self, source: Source, node: Any, what: str) -> None:
        self._source = source
        self._what = what
        mapping = resolve(node)
        if not isinstance(mapping, Mapping):
            raise _unreadable(source, getattr(mapping, "start", 0), f"the {what} is not a mapping")
        self._node = mapping

    def text(self, key: str) -> str:
        node = resolve(self._node.get(key))
        if node is None or (isinstance(node, Scalar) and node.value is None):
            return ""
        if not isinstance(node, Scalar) or not isinstance(node.value, str):
            raise self.wrong(key, f"has a {key} that is not a string")
        return node.value

    def texts(self) -> dict[str, str]:
        return {entry.name: self.text(entry.name) for entry in self._node.entries}

    def wrong(self, key: str, message: str) -> LockUnreadable:
        entry = self._node.entry(key)
        start = entry.value.start if entry is not None else self._node.start
        return _unreadable(self._source, start, f"the {self._what} {message}")


def _unreadable(source: Source, offset: int, message: str) -> LockUnreadable:
    return LockUnreadable(message, *source.position(min(offset, len(source.text))))


def keep_provenance(new: Lock, old: Lock) -> Lock:
    """The new lock with the old provenance of files that have not changed."""
    skills = dict(new.skills)
    for name, locked_skill in new.skills.items():
        before = old.skills.get(name)
        if before is not None and before.content_hash == locked_skill.content_hash:
            provenance = {
                field: getattr(locked_skill, field) or getattr(before, field)
                for field in PROVENANCE
            }
            skills[name] = locked_skill._replace(**provenance)
    return new._replace(skills=skills, beads_version=new.beads_version or old.beads_version)


def same(lock: Lock, other: Lock) -> bool:
    """Whether two locks are equal, ignoring their times."""
    return lock._replace(generated_at="") == other._replace(generated_at="")


def differences(lock: Lock, current_lock: Lock, modes: bool = True) -> list[LockDifference]:
    """Differences from the lock. Without `modes`, file modes are ignored."""
    result = []
    for name in sorted(lock.skills.keys() | current_lock.skills.keys()):
        before, after = lock.skills.get(name), current_lock.skills.get(name)
        if before is None or after is None:
            old, new = (side.content_hash if side else "" for side in (before, after))
            result.append(LockDifference(name, "", old, new))
        else:
            result += _find_changes(name, before, after, modes)
    return result


def _find_changes(
    name: str, before: Locked, after: Locked, modes: bool
) -> Iterator[LockDifference]:
    files = tuple(file for file in _files(before, after) if modes or file.how != "mode")
    for field in STRICT:
        old, new = getattr(before, field), getattr(after, field)
        only_modes = not modes and before.files and not files
        if old == new or (field == "tree_sha256" and (not old or only_modes)):
            continue
        yield LockDifference(name, field, old, new, () if field == "version" else files)


def _files(before: Locked, after: Locked) -> Iterator[LockedFileChange]:
    paths = before.files.keys() | after.files.keys() if before.files else ()
    for path in sorted(paths):
        old, new = before.files.get(path), after.files.get(path)
        if old is None:
            yield LockedFileChange(path, "added")
        elif new is None:
            yield LockedFileChange(path, "removed")
        elif old != new:
            is_mode = old.split(" ")[-1] == new.split(" ")[-1]
            yield LockedFileChange(path, "mode" if is_mode else "changed")


def render(lock: Lock, title: str, command: str) -> str:
    """The text of a lock file named `title`, which `command` updates."""
    lines = [f"# {title}", "# Generated from the skills; do not edit.", f"# To update: {command}"]
    for key, value in (("beads_version", lock.beads_version), ("generated_at", lock.generated_at)):
        lines += [f"{key}: {write_scalar(value, 'double')}"] if value else []
    lines.append("skills:" if lock.skills else "skills: {}")
    for name, locked_skill in sorted(lock.skills.items()):
        lines.append(f"  {write_key(name)}:")
        for field in FIELDS:
            value = getattr(locked_skill, field)
            lines += [f"    {field}: {write_scalar(value, 'double')}"] if value else []
    trees = {
        name: locked_skill.files
        for name, locked_skill in sorted(lock.skills.items())
        if locked_skill.files
    }
    lines += ["trees:"] if trees else []
    for name, files in trees.items():
        lines.append(f"  {write_key(name)}:")
        lines += [f"    {write_key(path)}: {write_scalar(files[path])}" for path in sorted(files)]
    return "\n".join(lines) + "\n"
