"""Start a script of a skill by its path, because the manifest has no entrypoints."""

from __future__ import annotations

from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.launching import Launching, script_named


def launch(_manifest: Manifest, skill: Skill, operation: str) -> Launching | None:
    """A script with the skill's inputs, started in the workspace as an agent would."""
    script = script_named(skill, operation)
    if script is None:
        return None
    return Launching("", script=script, takes="environment", folder="workspace")
