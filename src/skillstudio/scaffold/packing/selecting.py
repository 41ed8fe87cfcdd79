"""Select the files of a skill to pack; read each once, so that what is checked is written."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

from skillstudio.files.archive_entries import (
    MAX_DEPTH,
    MAX_ENTRIES,
    MAX_FILE,
    MAX_PATH,
    MAX_TOTAL,
)
from skillstudio.files.ignore import Ignore
from skillstudio.files.left_out import exclusion_rules, name_patterns
from skillstudio.files.listed import Listed, ListedTree, MemoryContents
from skillstudio.files.paths import is_absolute, judge_path
from skillstudio.files.placing import tree_faults
from skillstudio.files.tree import FileEntry, FileTree
from skillstudio.manifest.registry import tables_of
from skillstudio.skill.hashing.content_hash import IGNORE_FILE

EMPTY = "an empty folder"
OTHER = "not a file, folder or link"
ITSELF = "the output of pack"
_TOLD = 20  # Reasons listed in an error.


class PackRefused(Exception):
    """A skill cannot be packed: one message for each path."""

    def __init__(self, reasons: list[str], advice: str = "") -> None:
        more = len(reasons) - _TOLD
        shown = [*reasons[:_TOLD], *([f"and {more} more"] if more > 0 else [])]
        super().__init__("\n".join([*shown, advice] if advice else shown))
        self.reasons = reasons


class PackExclusions:
    """The exclusion rules for one skill."""

    def __init__(
        self, ignore: Ignore | None, dialects: Collection[str] = (), own: Iterable[str] = ()
    ) -> None:
        """`dialects` are the ids of the skill's dialects, `own` the output paths."""
        self._ignore = ignore
        self._own = frozenset(own)
        rules = [each for each in _rules() if not each.dialects or each.dialects & set(dialects)]
        self._always = [each for each in rules if not each.usual]
        self._usual = [each for each in rules if each.usual]

    def reason(self, path: str, entry: FileEntry) -> str:
        """Why an entry in a packed folder is excluded, or ""."""
        if path in self._own:
            return ITSELF
        if entry.kind == "other":
            return OTHER
        folder = entry.kind == "folder"
        for rule in self._always:
            if rule.names.excludes(path, folder):
                return rule.reason
        decided = self._ignore.decision(path, folder) if self._ignore else None
        if decided is not None:
            return f"{IGNORE_FILE}:{decided.line}" if decided.excludes else ""
        return next((r.reason for r in self._usual if r.names.excludes(path, folder)), "")

    def reason_within(self, names: Collection[str]) -> str:
        """Why the names in a folder exclude it, or ""."""
        return next((r.reason for r in self._always if not r.holds.isdisjoint(names)), "")


class _Rule:
    def __init__(self, fields: dict[str, Any], dialects: Iterable[str] = ()) -> None:
        self.names = name_patterns(fields)
        self.holds = frozenset(fields.get("holds", ()))
        self.reason: str = fields["reason"]
        self.usual: bool = fields.get("usual", False)
        self.dialects = frozenset(dialects)


@cache
def _rules() -> tuple[_Rule, ...]:
    rules = [_Rule(fields) for fields in exclusion_rules()]
    rules += [_Rule(fields, dialects) for dialects, fields in tables_of("pack.toml", "rule")]
    return tuple(rules)


class LeftOut(NamedTuple):
    """An excluded entry (folders end with `/`) and the reason."""

    path: str
    reason: str


class Selected(NamedTuple):
    """Packed and excluded entries."""

    tree: ListedTree
    paths: tuple[str, ...]  # Files and links sorted by the bytes of their paths.
    left: tuple[LeftOut, ...]
    replaced: tuple[str, ...]  # Links that are packed as the files they point to.


def select(tree: FileTree, leaving: PackExclusions, root: str, links: bool) -> Selected:
    """Read the files to pack below `root`; without `links`, follow links. Raises PackRefused."""
    found, left = _walk(tree, leaving)
    _refuse_size(found, root)
    held = MemoryContents()
    entries = _read(tree, found, held)
    packed = ListedTree(root, entries, held)
    if wrong := list(_bad_links(tree, packed, entries, left, links)):
        raise PackRefused(wrong, "replace it with a file, or list the link in .skillignore")
    followed = [path for path, entry in entries.items() if entry.kind == "link" and not links]
    kept = entries | {path: entries[packed.resolve(path) or path] for path in followed}
    if wrong := list(tree_faults(kept)):
        raise PackRefused(wrong, "rename the file, or list it in .skillignore")
    paths = sorted(kept, key=lambda path: path.encode())
    replaced = tuple(path for path in paths if kept[path] is not entries[path])
    return Selected(ListedTree(root, kept, held), tuple(paths), tuple(left), replaced)


def _walk(tree: FileTree, leaving: PackExclusions) -> tuple[dict[str, Listed], list[LeftOut]]:
    """The packed files and links with their listed sizes, and the excluded entries."""
    found: dict[str, Listed] = {}
    left: list[LeftOut] = []
    folders = [""]
    while folders:
        folder = folders.pop()
        try:
            entries = tree.list(folder)
        except OSError as error:
            raise _unreadable(folder or "the folder", error) from None
        names = {each.name for each in entries}
        if folder and (reason := leaving.reason_within(names) if names else EMPTY):
            left.append(LeftOut(f"{folder}/", reason))
            continue
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            is_folder = entry.kind == "folder"
            if reason := leaving.reason(path, entry):
                left.append(LeftOut(f"{path}/" if is_folder else path, reason))
            elif is_folder:
                folders.append(path)
            else:
                found[path] = Listed(entry.kind, 0, entry.size, path)
    return found, sorted(left)


def _refuse_size(found: dict[str, Listed], root: str) -> None:
    """Raise PackRefused for files that `unpack` would reject."""
    wrong = [
        f"{path} is larger than {MAX_FILE >> 20} MiB"
        for path, entry in found.items()
        if entry.size > MAX_FILE
    ]
    wrong += [
        f"{path[:80]}… is too long or too deeply nested"
        for path in found
        if len(f"{root}/{path}") > MAX_PATH or path.count("/") + 2 > MAX_DEPTH
    ]
    if sum(entry.size for entry in found.values()) > MAX_TOTAL * 9 // 10:
        # The rest is for the headers of the archive.
        wrong.append(f"the skill is larger than {MAX_TOTAL * 9 // 10 >> 20} MiB")
    if len(found) > MAX_ENTRIES:
        wrong.append(f"the skill has more than {MAX_ENTRIES} files")
    if wrong:
        raise PackRefused(wrong, "list files that do not belong to the skill in .skillignore")


def _read(tree: FileTree, found: dict[str, Listed], held: MemoryContents) -> dict[str, Listed]:
    entries = {}
    for path, listed in found.items():
        try:
            if listed.kind == "link":
                mode, data = 0o777, tree.target(path).encode("utf-8", "surrogateescape")
            else:
                mode = 0o755 if tree.mode(path) & 0o100 else 0o644
                data = tree.read(path, MAX_FILE)
        except OSError as error:
            raise _unreadable(path, error) from None
        held.data[path] = data
        entries[path] = Listed(listed.kind, mode, len(data), path)
    return entries


def _unreadable(path: str, error: OSError) -> PackRefused:
    return PackRefused([f"{path} cannot be read: {error.strerror or error}"])


def _bad_links(
    tree: FileTree, packed: ListedTree, entries: dict[str, Listed], left: list[LeftOut], links: bool
) -> Iterator[str]:
    for path, entry in entries.items():
        if entry.kind != "link":
            continue
        target = packed.target(path)
        where = packed.resolve(path)
        if is_absolute(target) or "\\" in target:
            yield f"{path} is a link to {target!r}, which is not a path within the skill"
        elif where is None:
            yield f"{path} is a link to {target!r}, which {_why(tree, packed, path, left)}"
        elif packed.kind(where) == "folder" and not links:
            why = "zip files with links to folders do not work everywhere"
            advice = "pack a .tgz, or replace the link with a folder"
            yield f"{path} is a link to the folder {where}; {why}; {advice}"


def _why(tree: FileTree, packed: ListedTree, path: str, left: list[LeftOut]) -> str:
    """Why a link cannot be followed in the archive."""
    if judge_path(packed, path).problem == "path-link-outside":
        return "points outside of the skill"
    where = tree.resolve(path)
    for each in left if where is not None else ():
        if f"{where}/".startswith(each.path.rstrip("/") + "/"):
            return f"is not packed ({each.reason})"
    return "points to a file that does not exist"
