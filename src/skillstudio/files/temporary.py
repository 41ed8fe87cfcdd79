"""The names of skillstudio's temporary files: every tree of files leaves them out."""

from __future__ import annotations

import os
import re

PREFIX = ".skillstudio-"
"""What every temporary name starts with."""
FILE = ".save"
"""What the name of a file that is being saved ends with."""
FOLDER = ".folder"
"""What the name of a new folder ends with while it is filled."""

_NAME = re.compile(r"\.skillstudio-[0-9a-f]{16}(?:\.save|\.folder|-[0-9]+\.(?:new|old|old\.going))")


def temporary_name(suffix: str) -> str:
    """A new temporary name."""
    return f"{PREFIX}{os.urandom(8).hex()}{suffix}"


def is_temporary(name: str) -> bool:
    """Whether a file or folder of this name is one of ours and no part of a skill."""
    return name.startswith(PREFIX) and _NAME.fullmatch(name) is not None


def has_temporary(path: str) -> bool:
    """Whether a path with `/` names a temporary file, or something in a temporary folder."""
    return PREFIX in path and any(map(is_temporary, path.split("/")))
