"""How a job is started."""

from __future__ import annotations

from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.launching import LaunchedProcess, LaunchSpec
from skillstudio.manifest.values import sequence


def launch(manifest: Manifest, _skill: Skill, operation: str) -> LaunchSpec | None:
    """Its command, in the folder of the job."""
    argv = tuple(each for each in sequence(manifest.document.value, "command"))
    if operation or not argv:
        return None
    return LaunchSpec("", {"any": (LaunchedProcess(argv, "/entrypoints/any"),)}, folder="skill")
