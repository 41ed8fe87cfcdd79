"""Read whether the settings of Codex disable a skill: `[[skills.config]]` in its config.toml."""

from __future__ import annotations

import os
import tomllib
from typing import Any

from skillstudio.files.paths import make_relative
from skillstudio.manifest.targets import Reason, targets
from skillstudio.manifest.values import sequence
from skillstudio.text.safe import safe_text

CLIENT = "codex"
_MOST = 1024 * 1024  # Bytes of a settings file that are read.


def disabled_by(name: str, folder: str, home: str) -> Reason | None:
    """Why Codex does not use the skill of a name, in a folder on disk; None if it may.

    The last entry for the name, or for the absolute path of SKILL.md, counts. A relative path, a
    path of the folder, an entry with both and settings of a project have no effect.
    """
    file = os.path.join(os.environ.get("CODEX_HOME") or os.path.join(home, ".codex"), "config.toml")
    paths = {os.path.join(at, "SKILL.md") for at in (folder, os.path.realpath(folder))}
    is_enabled = True
    for entry in _entries(file):
        its_name, path = entry.get("name"), entry.get("path")
        if (path is None and its_name == name) or (its_name is None and path in paths):
            is_enabled = entry.get("enabled") is not False
    if is_enabled:
        return None
    switch = targets()[CLIENT]["switches"]["disabled"]
    if file.startswith(home + os.sep):
        file = f"~/{make_relative(file, home)}"
    text = f"[[skills.config]] in {safe_text(file)} has enabled = false for it"
    return Reason(switch["outcome"], text, "remove the entry", None, switch["at"])


def _entries(file: str) -> list[dict[str, Any]]:
    """The entries of a file; none of one that cannot be read, with which Codex does not start."""
    try:
        with open(file, "rb") as stream:
            settings = tomllib.loads(stream.read(_MOST).decode("utf-8"))
    except (OSError, ValueError):
        return []
    entries = sequence(settings, "skills", "config")
    return [entry for entry in entries if isinstance(entry, dict)]
