"""Write a packed skill atomically."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from skillstudio.files.placing import place, place_file
from skillstudio.manifest.project import project
from skillstudio.scaffold.packing.oci import layout
from skillstudio.scaffold.packing.packing import SUFFIXES, Format, Packing, archive


class WrittenArchive(NamedTuple):
    """The digest and size of a written archive."""

    digest: str
    """`sha256:…` of the file, or of the manifest of a layout."""
    size: int
    """Bytes of the file, or of all files of a layout."""


def format_of(file: str) -> Format | None:
    """The format for a file name's suffix, if it has one."""
    name = file.lower()
    return next((kind for suffix, kind in SUFFIXES.items() if name.endswith(suffix)), None)


def write(
    packing: Packing, format: Format, output: str, replace: bool = False, compress: bool = False
) -> WrittenArchive:
    """Write an archive, or with the format `oci` a new folder.

    `replace` allows overwriting a file. Raises PackRefused, files.placing.NotPlaced.
    """
    data = archive(packing, format, compress)
    if format != "oci":
        place_file(data, output, replace)
        return WrittenArchive(f"sha256:{hashlib.sha256(data).hexdigest()}", len(data))
    skill = packing.analysis.skill
    made = layout(packing.root, data, skill, project(skill))
    place(made.files, output)
    return WrittenArchive(made.digest, sum(map(len, made.files.values())))
