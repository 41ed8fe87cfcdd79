"""A skill as it would be packed: judged, hashed and listed before anything is written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from skillstudio.files.archive_entries import MAX_RATIO, MAX_TOTAL
from skillstudio.files.ignore import Ignore
from skillstudio.files.placing import path_fault
from skillstudio.files.tree import FileTree
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.locate import locate
from skillstudio.manifest.registry import dialects
from skillstudio.scaffold.packing.credentials import credentials
from skillstudio.scaffold.packing.exclusions import Leaving
from skillstudio.scaffold.packing.selecting import LeftOut, PackRefused, Selected, select
from skillstudio.scaffold.packing.tar_bytes import tar_gz_bytes
from skillstudio.scaffold.packing.zip_bytes import Member, zip_bytes
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
"""How an archive is called, and its format."""

_UPLOAD = "claude-upload"
_FINDER = "__MACOSX"
_PACKED = ".skill"
_NAMED = 5
_SMALL = 1 << 20
"""Bytes to which any archive may unpack."""


@dataclass(frozen=True)
class Packing:
    """What an archive of a skill would hold."""

    root: str
    """The one folder at the top of the archive."""
    selected: Selected
    analysis: Analysis
    """Of what is packed, which may lack what the folder has."""
    content_hash: str
    warnings: tuple[str, ...]

    @property
    def left(self) -> tuple[LeftOut, ...]:
        return self.selected.left

    @property
    def errors(self) -> list[Diagnostic]:
        """What `check` finds wrong with the skill as it is packed."""
        return [each for each in self.analysis.diagnostics if each.severity == "error"]

    def members(self) -> list[Member]:
        """The files and links in the order of the archive, below its one folder."""
        tree = self.selected.tree
        return [
            Member(f"{self.root}/{path}", tree.target(path).encode(), link=True)
            if tree.kind(path) == "link"
            else Member(f"{self.root}/{path}", tree.read(path), tree.mode(path) & 0o100 != 0)
            for path in self.selected.paths
        ]


def plan(
    tree: FileTree,
    format: Format,
    settings: SkillSettings = NO_SETTINGS,
    own: Iterable[str] = (),
) -> Packing:
    """Say what an archive of the skill at a tree's root would hold.

    `own` are paths in it that are being written. Raises PackRefused, OSError where the folder
    cannot be listed.
    """
    own = frozenset(own)
    skill = locate(tree, settings).skill
    selected, hashed = selection(skill, format, own)
    ignore = read_ignore(tree)
    analysis = analyse(selected.tree, settings)
    warnings = [
        *(ignore.warnings if ignore else ()),
        *_on_hash(tree, selected.tree, own),
        *_on_own(own, ignore),
        *_on_archives(selected.paths),
        *_on_links(selected),
        *_on_client(analysis, format),
        *credentials(selected.tree, selected.paths),
    ]
    return Packing(root_name(skill), selected, analysis, hashed, tuple(warnings))


def selection(
    skill: Skill, format: Format, own: frozenset[str] = frozenset()
) -> tuple[Selected, str]:
    """Choose the files of an archive, and hash them. Raises PackRefused and OSError as `plan`."""
    try:
        ignore = read_ignore(skill.tree)
        systems = {each.dialect.folder for each in skill.manifests}
        leaving = Leaving(ignore, systems, own)
        selected = select(skill.tree, leaving, root_name(skill), links=format != "zip")
        if not is_skill(selected.tree):
            raise PackRefused(list(_manifests_left(skill, selected.left)))
        return selected, content_hash(selected.tree)
    except HashRefused as error:
        raise PackRefused([str(error)]) from None


def archive(packing: Packing, format: Format, compress: bool = False) -> bytes:
    """The bytes of a zip file or a .tar.gz. Raises PackRefused where `unpack` would refuse it."""
    write = zip_bytes if format == "zip" else tar_gz_bytes
    made = write(packing.members(), compress)
    tree = packing.selected.tree
    size = sum(tree.size(path) for path in packing.selected.paths if tree.kind(path) == "file")
    if len(made) > MAX_TOTAL:
        raise PackRefused([f"the archive would be larger than {MAX_TOTAL >> 20} MiB"])
    if max(size - _SMALL, 0) > (MAX_RATIO // 2) * len(made):
        raise PackRefused(
            [f"it shrinks so far ({size} to {len(made)} bytes) that readers take it for an attack"]
        )
    return made


def root_name(skill: Skill) -> str:
    """What the folder in the archive is called.

    The name that SKILL.md states, which agent skills demand of their folder; else the folder's.
    """
    manifest = skill.front
    value = manifest.document.value if manifest else None
    stated = value.get("name") if isinstance(value, dict) else None
    for name in (stated, skill.name):
        if isinstance(name, str) and "/" not in name and not path_fault(name) and name != _FINDER:
            return name
    return "skill"


def inside(folder: str, path: str) -> str:
    """A path on disk as the path of a tree at `folder`; "" where it lies elsewhere."""
    found = os.path.relpath(os.path.realpath(path), os.path.realpath(folder)).replace(os.sep, "/")
    return "" if found == "." or found.startswith("../") or os.path.isabs(found) else found


def _manifests_left(skill: Skill, left: Iterable[LeftOut]) -> Iterator[str]:
    reasons = {each.path: each.reason for each in left}
    known = [each.path for each in skill.manifests]
    # What is no file is none of the manifests that were found.
    known = known or [each.file for each in dialects() if each.file in reasons]
    for path in dict.fromkeys(known):
        yield f"{path} is left out ({reasons.get(path, 'with its folder')})"
    yield "without its manifest there is no skill to pack"


def _on_hash(tree: FileTree, packed: FileTree, own: frozenset[str]) -> Iterator[str]:
    """Whether a lock of the folder holds for what is packed, and if not for which files."""
    try:
        whole = set(hashed_files(tree)) - own
        more = sorted(whole - set(hashed_files(packed)))
    except HashRefused as error:
        yield f"the folder has no content_hash: {error}"
        return
    if more:
        named = ", ".join(more[:_NAMED])
        rest = f" and {len(more) - _NAMED} more" if len(more) > _NAMED else ""
        yield (
            f"not packed, but in the folder's content_hash: {named}{rest}; so the archive has"
            " another one, unless .skillignore names them"
        )


def _on_own(own: frozenset[str], ignore: Ignore | None) -> Iterator[str]:
    for path in sorted(own):
        if ignore is None or not ignore.hides(path):
            yield (
                f"{path} lies in the skill and is from now on in its content_hash, unless"
                " .skillignore names it"
            )


def _on_archives(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        if path.endswith(_PACKED):
            yield (
                f"{path} looks like an archive of a skill, which would be packed into this one;"
                " name it in .skillignore"
            )


def _on_links(selected: Selected) -> Iterator[str]:
    for path in selected.replaced:
        yield f"{path} is a link; the archive holds the file in its place"


def _on_client(analysis: Analysis, format: Format) -> Iterator[str]:
    if format != "zip":
        return
    verdict = analysis.verdicts.get(_UPLOAD)
    if verdict is not None and not verdict.accepted:
        yield f"claude.ai would refuse the archive: {verdict.reason}"
