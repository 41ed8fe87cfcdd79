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
from skillstudio.manifest.targets import judge, render_reason
from skillstudio.manifest.values import text
from skillstudio.scaffold.packing.archive_bytes import Member, tar_gz_bytes, zip_bytes
from skillstudio.scaffold.packing.oci import layout
from skillstudio.scaffold.packing.selecting import (
    LeftOut,
    PackRefused,
    SelectedFiles,
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
_MAX_NAMES = 5
_SMALL = 1 << 20  # The smallest limit, in bytes, on the unpacked size.


@dataclass(frozen=True)
class PackPlan:
    """The planned archive of a skill."""

    root: str  # The top-level folder of the archive.
    selection: SelectedFiles
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
        tree = self.selection.tree
        return [
            Member(f"{self.root}/{path}", tree.target(path).encode(), link=True)
            if tree.kind(path) == "link"
            else Member(f"{self.root}/{path}", tree.read(path), tree.mode(path) & 0o100 != 0)
            for path in self.selection.paths
        ]


def plan(
    tree: FileTree,
    format: Format,
    settings: SkillSettings = NO_SETTINGS,
    output_paths: Iterable[str] = (),
) -> PackPlan:
    """Plan an archive of a skill; `output_paths` are output paths inside it. Raises PackRefused,
    OSError."""
    output_paths = frozenset(output_paths)
    skill = locate(tree, settings).skill
    selected_files, digest = selection(skill, format, output_paths)
    analysis = analyse(selected_files.tree, settings)
    warnings = list(_warnings(tree, selected_files, output_paths))
    if format == "zip":
        warnings += [
            f"claude.ai would refuse the archive: {render_reason(reason)}"
            for reason in judge(analysis.skill, ids=(_UPLOAD,))[_UPLOAD].refusals
        ]
        warnings += lost_links(skill, selected_files.tree, selected_files.paths)
    warnings += credentials(selected_files.tree, selected_files.paths)
    return PackPlan(root_name(skill), selected_files, analysis, digest, tuple(warnings))


def selection(
    skill: Skill, format: Format, output_paths: frozenset[str] = frozenset()
) -> tuple[SelectedFiles, str]:
    """Select and hash the files of an archive. Raises PackRefused, OSError."""
    try:
        if format == "zip":
            selected_files = select_upload(skill, _UPLOAD, root_name(skill), output_paths)
        else:
            dialects = {manifest.dialect.id for manifest in skill.manifests}
            exclusions = PackExclusions(read_ignore(skill.tree), dialects, output_paths)
            selected_files = select(skill.tree, exclusions, root_name(skill), links=True)
        if not is_skill(selected_files.tree):
            raise PackRefused(list(_manifests_left(skill, selected_files.exclusions)))
        return selected_files, content_hash(selected_files.tree)
    except HashRefused as error:
        raise PackRefused([str(error)]) from None


def archive(packing: PackPlan, format: Format, compress: bool = False) -> bytes:
    """The bytes of a zip file or .tar.gz. Raises PackRefused if `unpack` would reject it."""
    write = zip_bytes if format == "zip" else tar_gz_bytes
    archive_data = write(packing.members(), compress)
    tree = packing.selection.tree
    size = sum(tree.size(path) for path in packing.selection.paths if tree.kind(path) == "file")
    if len(archive_data) > MAX_TOTAL:
        raise PackRefused([f"the archive would be larger than {MAX_TOTAL >> 20} MiB"])
    if max(size - _SMALL, 0) > (MAX_RATIO // 2) * len(archive_data):
        ratio = f"{size} to {len(archive_data)} bytes"
        why = f"it compresses too well ({ratio}); readers reject it as an archive bomb"
        raise PackRefused([why])
    return archive_data


def root_name(skill: Skill) -> str:
    """The name of the folder in the archive: `name` in SKILL.md, else the folder's own name."""
    stated_name = text(skill.front.document.value, "name") if skill.front else None
    for name in (stated_name or "", skill.name):
        if "/" not in name and not path_fault(name) and name != _FINDER:
            return name
    return "skill"


def inside(folder: str, path: str) -> str:
    """A path on disk relative to `folder`; "" if it is outside."""
    return (below(os.path.realpath(path), os.path.realpath(folder)) or "").replace(os.sep, "/")


def _manifests_left(skill: Skill, excluded_entries: Iterable[LeftOut]) -> Iterator[str]:
    reasons = {entry.path: entry.reason for entry in excluded_entries}
    manifest_paths = [manifest.path for manifest in skill.manifests]
    # A manifest that is not a file was not found.
    for path in dict.fromkeys(
        manifest_paths or [dialect.file for dialect in dialects() if dialect.file in reasons]
    ):
        yield f"{path} is excluded ({reasons.get(path, 'with its folder')})"
    yield "include the manifest to pack the skill"


def _on_hash(tree: FileTree, packed_tree: FileTree, output_paths: frozenset[str]) -> Iterator[str]:
    """A warning if the folder's content_hash does not match the packed files."""
    try:
        extra_paths = sorted(
            set(hashed_files(tree)) - output_paths - set(hashed_files(packed_tree))
        )
    except HashRefused as error:
        yield f"cannot compute the folder's content_hash: {error}"
        return
    if extra_paths:
        names = ", ".join(extra_paths[:_MAX_NAMES])
        rest = f" and {len(extra_paths) - _MAX_NAMES} more" if len(extra_paths) > _MAX_NAMES else ""
        why = "the archive's hash differs unless .skillignore lists them"
        yield f"not packed, but part of the folder's content_hash: {names}{rest}; {why}"


def _warnings(
    tree: FileTree, selected_files: SelectedFiles, output_paths: frozenset[str]
) -> Iterator[str]:
    ignore = read_ignore(tree)
    yield from ignore.warnings if ignore else ()
    yield from _on_hash(tree, selected_files.tree, output_paths)
    for path in sorted(output_paths):
        if ignore is None or not ignore.hides(path):
            why = "becomes part of its content_hash unless .skillignore lists it"
            yield f"{path} is inside the skill and {why}"
    for path in selected_files.paths:
        if path.endswith(".skill"):
            advice = "list it in .skillignore to exclude it"
            yield f"{path} looks like an archive of a skill and would be packed; {advice}"
    yield from repairs(selected_files, "packed")


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
        suffix = ""
        if len(lines) == 2:
            suffix = f", and so does line {lines[1]}"
        elif lines[1:]:
            suffix = f", and so do {len(lines) - 1} more lines"
        yield (
            f"{where}: this looks like a credential{suffix}; everyone with the archive can read it"
        )


class WrittenArchive(NamedTuple):
    """The digest and size of a written archive."""

    digest: str  # `sha256:…` of the file, or of the manifest of a layout.
    size: int  # Bytes of the file, or of all files of a layout.


def format_of(file: str) -> Format | None:
    """The format for a file name's suffix, if it has one."""
    name = file.lower()
    return next((kind for suffix, kind in SUFFIXES.items() if name.endswith(suffix)), None)


def write(
    packing: PackPlan, format: Format, output: str, replace: bool = False, compress: bool = False
) -> WrittenArchive:
    """Write an archive, or with the format `oci` a new folder. Raises PackRefused, NotPlaced."""
    data = archive(packing, format, compress)
    if format != "oci":
        place_file(data, output, replace)
        return WrittenArchive(f"sha256:{hashlib.sha256(data).hexdigest()}", len(data))
    skill = packing.analysis.skill
    oci_layout = layout(packing.root, data, skill, project(skill))
    place(oci_layout.files, output)
    return WrittenArchive(oci_layout.digest, sum(map(len, oci_layout.files.values())))
