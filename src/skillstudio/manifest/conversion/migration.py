"""What migrations and conversions give, and how they refuse."""

from __future__ import annotations

from typing import NamedTuple

from skillstudio.manifest.conversion.leaf_tracker import LeafTracker


class MigrationRefused(Exception):
    """A manifest that cannot be brought further; the text says why and what to do."""


class ConversionRefused(Exception):
    """A skill that cannot be converted so; the text says why and what to do."""


class Rewritten(NamedTuple):
    """The new text of a file, and what its making wrote into a ledger."""

    text: str
    ledger: LeafTracker
