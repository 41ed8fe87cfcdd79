"""Check the folder of a new skill."""

from __future__ import annotations

import os

from skillstudio.files.paths import make_relative
from skillstudio.files.placing import destination_fault, path_fault
from skillstudio.skill.discover import skill_around


def where_fault(destination: str) -> str:
    """Why no skill can be created at a destination, or "". Cheap enough for each key press."""
    if not destination.strip():
        return "is empty"
    if "\0" in destination:
        return "contains a NUL"
    path = os.path.abspath(destination)
    if fault := path_fault(os.path.basename(path)):
        return f"its name {fault}"
    if fault := destination_fault(path):
        return fault
    if holder := skill_around(os.path.realpath(path)):
        return f"it is inside the skill {make_relative(holder)}; choose a folder outside of it"
    return ""
