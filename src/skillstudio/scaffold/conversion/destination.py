"""Check the destination of a moved skill."""

from __future__ import annotations

import os

from skillstudio.files.placing import destination_fault, path_fault
from skillstudio.skill.discover import skill_around


def fault_of(destination: str) -> str:
    """Why a skill cannot be created at a path, or ""."""
    path = os.path.abspath(destination)
    if fault := destination_fault(path):
        return fault
    if fault := path_fault(os.path.basename(path)):
        return f"the folder's name {fault}"
    if holder := skill_around(os.path.realpath(destination)):
        return f"this is inside the skill {os.path.relpath(holder)}; choose a folder outside of it"
    return ""
