"""Where skillstudio keeps what it must remember for this user between two commands."""

from __future__ import annotations

import os


def state_folder() -> str:
    """The state folder of this user, whether it exists yet or not."""
    from platformdirs import user_state_path

    return str(user_state_path("skillstudio", appauthor=False))


def make_private(folder: str) -> None:
    """Make a folder that only this user can read. Raises OSError."""
    if not os.path.isdir(folder):
        os.makedirs(folder, 0o700, exist_ok=True)
        os.chmod(folder, 0o700)
