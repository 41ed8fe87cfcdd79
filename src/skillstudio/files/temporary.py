"""Names of skillstudio's temporary files, which trees hide."""

from __future__ import annotations

import hashlib
import os

from skillstudio.text.lazy_pattern import lazy_pattern

PREFIX = ".skillstudio-"  # The prefix of temporary names.
FILE = ".save"  # The suffix of a file that is being saved.
NEW = ".new"  # The suffix of an entry that an apply is about to put in its place.
OLD = ".old"  # The suffix of an entry that an apply replaced, and keeps until all is in place.
FOLDER = ".folder"  # The suffix of a new folder while it is filled.
_NAME = lazy_pattern(
    r"\.skillstudio-[0-9a-f]{16}(?:\.save|\.folder|-[0-9]+\.(?:new|old|old\.going))"
)


def temporary_name(suffix: str) -> str:
    """A new temporary name."""
    return f"{PREFIX}{os.urandom(8).hex()}{suffix}"


def beside(path: str) -> str:
    """The path of what an apply makes beside an entry, without the suffix .new or .old."""
    folder, name = os.path.split(path)
    digest = hashlib.sha256(os.fsencode(name)).hexdigest()
    return os.path.join(folder, f"{PREFIX}{digest[:16]}-0")


def is_temporary(name: str) -> bool:
    """Whether a name is one of skillstudio's temporary files."""
    return name.startswith(PREFIX) and _NAME.fullmatch(name) is not None


def has_temporary(path: str) -> bool:
    """Whether a path with `/` names a temporary file, or something in a temporary folder."""
    return PREFIX in path and any(map(is_temporary, path.split("/")))
