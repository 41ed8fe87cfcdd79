"""A packed skill written where it was asked for, in one step."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from skillstudio.files.placing import place, place_file
from skillstudio.manifest.project import project
from skillstudio.scaffold.packing.oci import layout
from skillstudio.scaffold.packing.packing import SUFFIXES, Format, Packing, archive


class WrittenArchive(NamedTuple):
    """What was written."""

    digest: str
    """`sha256:…` of the file, of a layout that of its manifest."""
    size: int
    """Bytes, of a layout those of all its files."""


def format_of(file: str) -> Format | None:
    """The format that a file's ending says; None where it says none."""
    name = file.lower()
    return next((kind for suffix, kind in SUFFIXES.items() if name.endswith(suffix)), None)


def write(
    packing: Packing, format: Format, output: str, replace: bool = False, compress: bool = False
) -> WrittenArchive:
    """Write an archive, or with the format `oci` a new folder.

    `replace` allows it to take the place of a file. Raises PackRefused, files.placing.NotPlaced.
    """
    data = archive(packing, format, compress)
    if format != "oci":
        place_file(data, output, replace)
        return WrittenArchive(f"sha256:{hashlib.sha256(data).hexdigest()}", len(data))
    skill = packing.analysis.skill
    made = layout(packing.root, data, skill, project(skill))
    place(made.files, output)
    return WrittenArchive(made.digest, sum(map(len, made.files.values())))
