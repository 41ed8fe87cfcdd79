"""Packing a skill from the workbench: the formats, the list of what is in and out, the archive."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.files.placing import destination_fault, path_fault
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.project import project
from skillstudio.scaffold.packing.packing import (
    Format,
    Packing,
    WrittenArchive,
    format_of,
    inside,
    plan,
    root_name,
    write,
)
from skillstudio.settings.settings import SkillSettings


class ArchiveKind(NamedTuple):
    """One form that an archive may have."""

    name: str
    format: Format
    suffix: str
    """What its file ends with; a layout is a folder that ends with `-oci`."""
    about: str


KINDS = (
    ArchiveKind(".skill", "zip", ".skill", "a zip file, for clients that take skills"),
    ArchiveKind(".zip", "zip", ".zip", "the same by its usual name"),
    ArchiveKind(".tgz", "tar.gz", ".tgz", "a gzipped tar file; links stay links"),
    ArchiveKind("OCI image layout", "oci", "-oci", "a new folder, for tools of registries"),
)


class PackRow(NamedTuple):
    """One line of the list: something that is packed, or is not, or is wrong."""

    mark: str
    """`in`, `out`, `error` or `warning`."""
    text: str
    size: int | None = None
    """Bytes of a file."""
    about: str = ""
    """Why it is out, where a link leads, that it is executable."""


def proposed(folder: str, kind: ArchiveKind, skill: Skill) -> str:
    """The file beside a skill's folder that an archive of it is called by.

    A .tgz has the version in its name, as caro's have.
    """
    version = project(skill).version if kind.format == "tar.gz" else ""
    root = root_name(skill)
    name = f"{root}-{version}"
    if not version or "/" in version or path_fault(name):
        name = root
    return os.path.join(os.path.dirname(folder), f"{name}{kind.suffix}")


def look(folder: str, kind: ArchiveKind, output: str, settings: SkillSettings) -> Packing:
    """What an archive would hold, of the files on disk. Raises PackRefused, OSError."""
    own = inside(folder, output)
    return plan(DiskTree(folder), kind.format, settings, [own] if own else [])


def rows(packing: Packing, unsaved: Iterable[str] = ()) -> list[PackRow]:
    """What is wrong, what stays out and why, and what is in, in this order.

    `unsaved` are paths of the skill whose open text differs from the file.
    """
    tree = packing.selected.tree
    found = [
        PackRow("error", f"{each.path}:{line}:{column}: {each.message}")
        for each in packing.errors
        for line, column in [packing.analysis.place(each)[0]]
    ]
    found += [
        PackRow("warning", f"{path} is unsaved; the file on disk is packed") for path in unsaved
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
    """How much is in and how much is out."""
    tree, paths = packing.selected.tree, packing.selected.paths
    total = sum(tree.size(path) for path in paths if tree.kind(path) == "file")
    files = f"{len(paths)} file{'' if len(paths) == 1 else 's'}, {total:,} bytes"
    out = f", {len(packing.selected.left)} left out" if packing.selected.left else ""
    return f"in, below {packing.root}/: {files}{out}"


def fault(output: str, kind: ArchiveKind) -> str:
    """Why nothing can be written there; "" where it can, or where it is a file to ask about."""
    if not os.path.basename(output):
        return "name a file"
    if kind.format == "oci":
        if format_of(output):
            return "a layout is a folder, which needs another ending"
        return destination_fault(output)
    if format_of(output) != kind.format:
        return f"its name must end with {kind.suffix}"
    if os.path.islink(output):
        return "a link is there already; name another file"
    if os.path.isfile(output):
        return ""
    return destination_fault(output)


def question(packing: Packing, output: str) -> str:
    """What has to be agreed to before it is written; "" for nothing."""
    asked = []
    if packing.errors:
        count = f"{len(packing.errors)} error{'' if len(packing.errors) == 1 else 's'}"
        asked.append(f"check finds {count}")
    if os.path.lexists(output):
        asked.append("a file is there already and would be replaced")
    return "; ".join(asked)


def make(packing: Packing, kind: ArchiveKind, output: str, replace: bool) -> WrittenArchive:
    """Write what was listed. Raises PackRefused, files.placing.NotPlaced."""
    return write(packing, kind.format, output, replace)
