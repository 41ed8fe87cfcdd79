"""The skill that a path lies in: what is put there becomes a part of it."""

from __future__ import annotations

import os

from skillstudio.files.disk import DiskTree
from skillstudio.skill.discover import is_skill


def skill_around(path: str) -> str:
    """The nearest folder above a path that is a skill, absolute; "" where none is.

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
