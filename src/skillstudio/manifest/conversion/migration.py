"""The result of a migration, and its refusal."""

from __future__ import annotations

from typing import NamedTuple

from skillstudio.manifest.conversion.leaf_tracker import LeafTracker


class MigrationRefused(Exception):
    """A manifest cannot be migrated; the text has the reason and the fix."""


class Rewritten(NamedTuple):
    """The new text of a file, and the record of its values."""

    text: str
    ledger: LeafTracker
