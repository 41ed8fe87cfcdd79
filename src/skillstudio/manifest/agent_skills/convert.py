"""The frontmatter of agent skills, which has no key for a version."""

from __future__ import annotations

from skillstudio.manifest.conversion.draft import Draft
from skillstudio.manifest.conversion.front import put_metadata
from skillstudio.manifest.conversion.source import Source
from skillstudio.manifest.dialect import Dialect


def put(source: Source, draft: Draft, _target: Dialect, _name: str) -> None:
    """Put the version under `metadata`."""
    for leaf in source.stating("version"):
        put_metadata(draft, "version", source.text(leaf), leaf)
