"""Find the skill that contains a path."""

from __future__ import annotations

import os

from skillstudio.files.disk import DiskTree
from skillstudio.skill.discover import is_skill


def skill_around(path: str) -> str:
    """The nearest parent folder that is a skill, absolute; "" if there is none.

    The path need not exist.
    """
    at = os.path.abspath(path)
    while True:
        above = os.path.dirname(at)
        if above == at:
            return ""
        at = above
        if is_skill(DiskTree(at)):
            return at
