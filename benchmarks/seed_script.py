"""The shell script by which content_hash was specified, out of the text that specifies it.

It is not ours to pass on, so it is looked for in the text when it is needed. Never run it on
files of others: a name such as `$(cmd)` is a command to it.
"""

from __future__ import annotations

import os
from pathlib import Path

DATA = Path(os.environ.get("SKILLSTUDIO_DATA") or Path(__file__).parents[2] / "shared")
_TITLE = "# skill-content-hash.sh"


class Absent(Exception):
    """The script cannot be had; the text says why."""


def write(folder: Path) -> Path:
    """Write the script to a folder and return its path. Raises Absent."""
    seeds = DATA / "seeds"
    if not seeds.is_dir():
        raise Absent(f"there are no seeds in {seeds}; SKILLSTUDIO_DATA names another place")
    for seed in sorted(seeds.glob("*.txt")):
        lines = seed.read_text(encoding="utf-8").splitlines()
        title = next((at for at, line in enumerate(lines) if line.startswith(_TITLE)), None)
        if title is not None and ")" in lines[title:]:
            # The line above names the shell; the last one closes the subshell that does it all.
            text = "\n".join(lines[title - 1 : lines.index(")", title) + 1])
            path = folder / "skill-content-hash.sh"
            path.write_text(text + "\n", encoding="utf-8")
            path.chmod(0o755)
            return path
    raise Absent(f"none of the seeds in {seeds} holds {_TITLE.removeprefix('# ')}")
