"""Format 0 of jobs to format 1, which states its number."""

from __future__ import annotations

from skillstudio.manifest.conversion.leaf_tracker import LeafTracker
from skillstudio.manifest.conversion.leaves import Leaf, leaves
from skillstudio.manifest.conversion.migration import MigrationRefused, Rewritten
from skillstudio.manifest.dialect import Manifest, Skill


def step(manifest: Manifest) -> str:
    """State the format."""
    return "" if "format" in manifest.document.value else "job format 0 to 1"


def rewritten(manifest: Manifest, _skill: Skill) -> Rewritten:
    """The same text below `format = 1`."""
    text = manifest.document.source.text
    if "# final" in text:
        raise MigrationRefused(f"{manifest.path} is final")
    ledger = LeafTracker()
    for pointer, _ in leaves(manifest.document.value):
        leaf = Leaf(manifest.path, pointer)
        ledger.move([leaf], leaf)
    ledger.invent(Leaf(manifest.path, "/format"), "format 1 states its number")
    return Rewritten(f"format = 1\n{text}", ledger)
