"""The state folder of the user."""

from __future__ import annotations

import os


def state_folder() -> str:
    """The path of the user's state folder, which may not exist."""
    from platformdirs import user_state_path

    return str(user_state_path("skillstudio", appauthor=False))


def make_private(folder: str) -> None:
    """Create a folder that only this user can read. Raises OSError."""
    if not os.path.isdir(folder):
        os.makedirs(folder, 0o700, exist_ok=True)
        os.chmod(folder, 0o700)
