"""Plan an archive (check, hash and list its files), and write it atomically."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from skillstudio.files.archive_entries import MAX_RATIO, MAX_TOTAL
from skillstudio.files.paths import below
from skillstudio.files.placing import path_fault, place, place_file
from skillstudio.files.tree import FileTree
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.exclusions import PackExclusions
from skillstudio.manifest.locate import locate
from skillstudio.manifest.project import project
from skillstudio.manifest.registry import dialects
from skillstudio.manifest.secrets import looks_like_secret
from skillstudio.manifest.targets import judge, worded
from skillstudio.manifest.values import text
from skillstudio.scaffold.packing.archive_bytes import Member, tar_gz_bytes, zip_bytes
from skillstudio.scaffold.packing.oci import layout
from skillstudio.scaffold.packing.selecting import (
    LeftOut,
    PackRefused,
    Selected,
    select,
)
from skillstudio.scaffold.packing.uploading import lost_links, repairs, select_upload
from skillstudio.settings.settings import NO_SETTINGS, SkillSettings
from skillstudio.skill.analysis import Analysis, analyse
from skillstudio.skill.discover import is_skill
from skillstudio.skill.hashing.content_hash import (
    HashRefused,
    content_hash,
    hashed_files,
    read_ignore,
)
from skillstudio.text.diagnostic import Diagnostic

Format = Literal["zip", "tar.gz", "oci"]
SUFFIXES: dict[str, Format] = {
    ".skill": "zip",
    ".zip": "zip",
    ".tgz": "tar.gz",
    ".tar.gz": "tar.gz",
}

_UPLOAD = "claude-upload"
_FINDER = "__MACOSX"
_NAMED = 5
_SMALL = 1 << 20  # The smallest limit, in bytes, on the unpacked size.


@dataclass(frozen=True)
class Packing:
    """The planned archive of a skill."""

    root: str  # The top-level folder of the archive.
    selected: Selected
    analysis: Analysis
    content_hash: str  # The hash of the packed files, which may be fewer than those in the folder.
    warnings: tuple[str, ...]

    @property
    def errors(self) -> list[Diagnostic]:
        """The problems that `check` finds in the packed files."""
        return [
            diagnostic for diagnostic in self.analysis.diagnostics if diagnostic.severity == "error"
        ]

    def members(self) -> list[Member]:
        """The files and links in archive order, below its top-level folder."""
        tree = self.selected.tree
        return [
            Member(f"{self.root}/{path}", tree.target(path).encode(), link=True)
            if tree.kind(path) == "link"
            else Member(f"{self.root}/{path}", tree.read(path), tree.mode(path) & 0o100 != 0)
            for path in self.selected.paths
        ]


def plan(
    tree: FileTree, format: Format, settings: SkillSettings = NO_SETTINGS, own: Iterable[str] = ()
) -> Packing:
    """Plan an archive of a skill; `own` are output paths inside it. Raises PackRefused, OSError."""
    own = frozenset(own)
    skill = locate(tree, settings).skill
    selected, hashed = selection(skill, format, own)
    analysis = analyse(selected.tree, settings)
    warnings = list(_warnings(tree, selected, own))
    if format == "zip":
        warnings += [
            f"claude.ai would refuse the archive: {worded(reason)}"
            for reason in judge(analysis.skill, ids=(_UPLOAD,))[_UPLOAD].refusals
        ]
        warnings += lost_links(skill, selected.tree, selected.paths)
    warnings += credentials(selected.tree, selected.paths)
    return Packing(root_name(skill), selected, analysis, hashed, tuple(warnings))


def selection(
    skill: Skill, format: Format, own: frozenset[str] = frozenset()
) -> tuple[Selected, str]:
    """Select and hash the files of an archive. Raises PackRefused, OSError."""
    try:
        if format == "zip":
            selected = select_upload(skill, _UPLOAD, root_name(skill), own)
        else:
            dialects = {manifest.dialect.id for manifest in skill.manifests}
            leaving = PackExclusions(read_ignore(skill.tree), dialects, own)
            selected = select(skill.tree, leaving, root_name(skill), links=True)
        if not is_skill(selected.tree):
            raise PackRefused(list(_manifests_left(skill, selected.left)))
        return selected, content_hash(selected.tree)
    except HashRefused as error:
        raise PackRefused([str(error)]) from None


def archive(packing: Packing, format: Format, compress: bool = False) -> bytes:
    """The bytes of a zip file or .tar.gz. Raises PackRefused if `unpack` would reject it."""
    write = zip_bytes if format == "zip" else tar_gz_bytes
    made = write(packing.members(), compress)
    tree = packing.selected.tree
    size = sum(tree.size(path) for path in packing.selected.paths if tree.kind(path) == "file")
    if len(made) > MAX_TOTAL:
        raise PackRefused([f"the archive would be larger than {MAX_TOTAL >> 20} MiB"])
    if max(size - _SMALL, 0) > (MAX_RATIO // 2) * len(made):
        ratio = f"{size} to {len(made)} bytes"
        why = f"it compresses too well ({ratio}); readers reject it as an archive bomb"
        raise PackRefused([why])
    return made


def root_name(skill: Skill) -> str:
    """The name of the folder in the archive: `name` in SKILL.md, else the folder's own name."""
    stated = text(skill.front.document.value, "name") if skill.front else None
    for name in (stated or "", skill.name):
        if "/" not in name and not path_fault(name) and name != _FINDER:
            return name
    return "skill"


def inside(folder: str, path: str) -> str:
    """A path on disk relative to `folder`; "" if it is outside."""
    return (below(os.path.realpath(path), os.path.realpath(folder)) or "").replace(os.sep, "/")


def _manifests_left(skill: Skill, left: Iterable[LeftOut]) -> Iterator[str]:
    reasons = {entry.path: entry.reason for entry in left}
    known = [manifest.path for manifest in skill.manifests]
    # A manifest that is not a file was not found.
    for path in dict.fromkeys(
        known or [dialect.file for dialect in dialects() if dialect.file in reasons]
    ):
        yield f"{path} is excluded ({reasons.get(path, 'with its folder')})"
    yield "include the manifest to pack the skill"


def _on_hash(tree: FileTree, packed: FileTree, own: frozenset[str]) -> Iterator[str]:
    """A warning if the folder's content_hash does not match the packed files."""
    try:
        more = sorted(set(hashed_files(tree)) - own - set(hashed_files(packed)))
    except HashRefused as error:
        yield f"cannot compute the folder's content_hash: {error}"
        return
    if more:
        named = ", ".join(more[:_NAMED])
        rest = f" and {len(more) - _NAMED} more" if len(more) > _NAMED else ""
        why = "the archive's hash differs unless .skillignore lists them"
        yield f"not packed, but part of the folder's content_hash: {named}{rest}; {why}"


def _warnings(tree: FileTree, selected: Selected, own: frozenset[str]) -> Iterator[str]:
    ignore = read_ignore(tree)
    yield from ignore.warnings if ignore else ()
    yield from _on_hash(tree, selected.tree, own)
    for path in sorted(own):
        if ignore is None or not ignore.hides(path):
            why = "becomes part of its content_hash unless .skillignore lists it"
            yield f"{path} is inside the skill and {why}"
    for path in selected.paths:
        if path.endswith(".skill"):
            advice = "list it in .skillignore to exclude it"
            yield f"{path} looks like an archive of a skill and would be packed; {advice}"
    yield from repairs(selected, "packed")


_START = 8000  # Bytes searched for a NUL, which marks a binary file, as in git.
_MAX_TEXT = 4 << 20  # Bytes of a file that are searched.


def credentials(tree: FileTree, paths: Iterable[str]) -> Iterator[str]:
    """A message for each text file with a probable credential, not quoted. Raises OSError."""
    for path in paths:
        if tree.kind(path) != "file":
            continue
        data = tree.read(path, _MAX_TEXT)
        if b"\0" in data[:_START]:
            continue
        content = data.decode("utf-8", "replace")
        if not looks_like_secret(content):
            continue
        lines = [at for at, line in enumerate(content.split("\n"), 1) if looks_like_secret(line)]
        where = f"{path}:{lines[0]}" if lines else path
        more = ""
        if len(lines) == 2:
            more = f", and so does line {lines[1]}"
        elif lines[1:]:
            more = f", and so do {len(lines) - 1} more lines"
        yield f"{where}: this looks like a credential{more}; everyone with the archive can read it"


class WrittenArchive(NamedTuple):
    """The digest and size of a written archive."""

    digest: str  # `sha256:…` of the file, or of the manifest of a layout.
    size: int  # Bytes of the file, or of all files of a layout.


def format_of(file: str) -> Format | None:
    """The format for a file name's suffix, if it has one."""
    name = file.lower()
    return next((kind for suffix, kind in SUFFIXES.items() if name.endswith(suffix)), None)


def write(
    packing: Packing, format: Format, output: str, replace: bool = False, compress: bool = False
) -> WrittenArchive:
    """Write an archive, or with the format `oci` a new folder. Raises PackRefused, NotPlaced."""
    data = archive(packing, format, compress)
    if format != "oci":
        place_file(data, output, replace)
        return WrittenArchive(f"sha256:{hashlib.sha256(data).hexdigest()}", len(data))
    skill = packing.analysis.skill
    made = layout(packing.root, data, skill, project(skill))
    place(made.files, output)
    return WrittenArchive(made.digest, sum(map(len, made.files.values())))
