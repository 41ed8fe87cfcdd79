"""Pack a skill from the workbench: the formats, the list of files, the archive."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.files.placing import destination_fault, path_fault
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.project import project
from skillstudio.present.lines import count
from skillstudio.scaffold.packing.packing import (
    Format,
    Packing,
    format_of,
    inside,
    plan,
    root_name,
)
from skillstudio.settings.settings import SkillSettings


class ArchiveKind(NamedTuple):
    """A format of archives."""

    name: str
    format: Format
    suffix: str
    about: str


KINDS = (
    ArchiveKind(".skill", "zip", ".skill", "a zip file for clients that accept skills"),
    ArchiveKind(".zip", "zip", ".zip", "the same with the usual suffix"),
    ArchiveKind(".tgz", "tar.gz", ".tgz", "a gzipped tar file; keeps links"),
    ArchiveKind("OCI image layout", "oci", "-oci", "a new folder, for registry tools"),
)


class PackRow(NamedTuple):
    """One line of the list: a packed or excluded file, or a problem."""

    mark: str  # `in`, `out`, `error` or `warning`.
    text: str
    size: int | None = None
    about: str = ""  # A note, such as the reason of an exclusion.


def proposed(folder: str, kind: ArchiveKind, skill: Skill) -> str:
    """The default archive beside a skill's folder; a .tgz has the version in its name."""
    version = project(skill).version if kind.format == "tar.gz" else ""
    root = root_name(skill)
    name = f"{root}-{version}"
    if not version or "/" in version or path_fault(name):
        name = root
    return os.path.join(os.path.dirname(folder), f"{name}{kind.suffix}")


def look(folder: str, kind: ArchiveKind, output: str, settings: SkillSettings) -> Packing:
    """Plan an archive of the files on disk. Raises PackRefused, OSError."""
    own = inside(folder, output)
    return plan(DiskTree(folder), kind.format, settings, [own] if own else [])


def rows(packing: Packing, unsaved: Iterable[str] = ()) -> list[PackRow]:
    """The problems, then the excluded files, then the packed ones."""
    tree = packing.selected.tree
    found = [
        PackRow("error", f"{each.path}:{line}:{column}: {each.message}")
        for each in packing.errors
        for line, column in [packing.analysis.place(each)[0]]
    ]
    found += [
        PackRow("warning", f"{path} is not saved; the file on disk is packed") for path in unsaved
    ]
    found += [PackRow("warning", warning) for warning in packing.warnings]
    found += [PackRow("out", each.path, None, each.reason) for each in packing.selected.left]
    for path in packing.selected.paths:
        if tree.kind(path) == "link":
            found.append(PackRow("in", path, None, f"link to {tree.target(path)}"))
        else:
            mark = "executable" if tree.mode(path) & 0o100 else ""
            found.append(PackRow("in", path, tree.size(path), mark))
    return found


def summary(packing: Packing) -> str:
    """The number of packed and excluded files."""
    tree, paths = packing.selected.tree, packing.selected.paths
    total = sum(tree.size(path) for path in paths if tree.kind(path) == "file")
    out = f", {len(packing.selected.left)} excluded" if packing.selected.left else ""
    return f"in {packing.root}/: {count(len(paths), 'file')}, {count(total, 'byte')}{out}"


def fault(output: str, kind: ArchiveKind) -> str:
    """Why nothing can be written to a path; "" if it can, also by replacing a file."""
    if not os.path.basename(output):
        return "enter a file name"
    if kind.format == "oci":
        if format_of(output):
            return "an image layout is a folder; remove the archive's suffix"
        return destination_fault(output)
    if format_of(output) != kind.format:
        return f"the name must end with {kind.suffix}"
    if os.path.islink(output):
        return "this is a symbolic link; choose another name"
    return "" if os.path.isfile(output) else destination_fault(output)


def question(packing: Packing, output: str) -> str:
    """What the user must confirm before the archive is written; "" for nothing."""
    asked = []
    if packing.errors:
        asked.append(f"the skill has {count(len(packing.errors), 'error')}")
    if os.path.lexists(output):
        asked.append("the file already exists and would be replaced")
    return "; ".join(asked)
