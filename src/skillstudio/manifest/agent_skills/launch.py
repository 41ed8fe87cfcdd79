"""What can be started of a skill whose manifest names no entrypoint: a script by its path."""

from __future__ import annotations

from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.launching import Launching, script_named


def launch(_manifest: Manifest, skill: Skill, operation: str) -> Launching | None:
    """A script, started in the workspace as an agent would."""
    script = script_named(skill, operation)
    if script is None:
        return None
    return Launching("", script=script, takes="environment", folder="workspace")
