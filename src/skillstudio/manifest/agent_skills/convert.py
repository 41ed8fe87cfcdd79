"""The frontmatter of agent skills, which has no key for a version."""

from __future__ import annotations

from skillstudio.manifest.conversion.document_draft import DocumentDraft
from skillstudio.manifest.conversion.frontmatter import put_metadata
from skillstudio.manifest.conversion.source import ConversionSource
from skillstudio.manifest.dialect import Dialect


def put(source: ConversionSource, draft: DocumentDraft, _target: Dialect, _name: str) -> None:
    """Put the version under `metadata`."""
    for leaf in source.stating("version"):
        put_metadata(draft, "version", source.text(leaf), leaf)
