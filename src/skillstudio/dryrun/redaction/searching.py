"""Whether some bytes may be kept or shown: what holds a sensitive value may not."""

from __future__ import annotations

from skillstudio.dryrun.redaction.redactor import NOTHING, Redactor
from skillstudio.dryrun.redaction.suspects import holds_suspect

HOLDS = "holds a sensitive value"


def why_sensitive(data: bytes, redactor: Redactor = NOTHING) -> str:
    """Why bytes are neither kept nor shown, as a phrase about a file; "" where they may be."""
    if redactor.finds(data) or holds_suspect(data):
        return HOLDS
    return ""
