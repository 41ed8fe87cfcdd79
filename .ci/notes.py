"""Print what the changelog says of a version, as the notes of its release: notes.py VERSION.

Exit status 1 if it has no section, or one that is not dated.
"""

from __future__ import annotations

import sys
from itertools import takewhile
from pathlib import Path

CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"


def notes(text: str, version: str) -> str:
    """The section of a version. Raises ValueError."""
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith(f"## {version} "):
            if line.endswith("unreleased"):
                raise ValueError(f"the section of {version} in CHANGELOG.md has no date")
            return "\n".join(takewhile(lambda line: not line.startswith("## "), lines)).strip()
    raise ValueError(f"CHANGELOG.md has no section for {version}")


if __name__ == "__main__":
    try:
        print(notes(CHANGELOG.read_text(encoding="utf-8"), sys.argv[1]))
    except ValueError as error:
        sys.exit(str(error))
