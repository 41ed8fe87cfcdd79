"""The folders of skillstudio in the user's home."""

from __future__ import annotations

import os
import sys

CACHE_DIR = "SKILLSTUDIO_CACHE_DIR"


def state_folder() -> str:
    """The path of the user's state folder, which may not exist."""
    from platformdirs import user_state_path

    return str(user_state_path("skillstudio", appauthor=False))


def config_folder() -> str:
    """The path of the folder of this user's settings, keymap, themes and templates."""
    # The import of platformdirs takes a check of one skill a tenth longer.
    if sys.platform == "linux":
        base = os.environ.get("XDG_CONFIG_HOME", "").strip()
        if not base or os.path.isabs(base):
            return os.path.join(base or os.path.expanduser("~/.config"), "skillstudio")
    from platformdirs import user_config_path

    return str(user_config_path("skillstudio", appauthor=False))


def cache_folder(name: str = "skillstudio") -> str:
    """The path of this user's cache; `SKILLSTUDIO_CACHE_DIR` names the folder to create it in."""
    parent = os.environ.get(CACHE_DIR, "")
    if parent:
        return os.path.join(os.path.abspath(parent), name)
    from platformdirs import user_cache_path

    return str(user_cache_path(name, appauthor=False))


def make_private(folder: str) -> None:
    """Create a folder that only this user can read. Raises OSError."""
    if not os.path.isdir(folder):
        os.makedirs(folder, 0o700, exist_ok=True)
        os.chmod(folder, 0o700)
