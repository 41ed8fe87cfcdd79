"""Where the data folders `themes`, `templates` and `examples` lie.

In an installed wheel they are inside the package; in a checkout they stand at its root, where
people look for them and edit them.
"""

from __future__ import annotations

import os

_PACKAGE = os.path.dirname(os.path.abspath(__file__))


def folder(name: str) -> str:
    """The path of a data folder. Raises FileNotFoundError where the installation lacks it."""
    packaged = os.path.join(_PACKAGE, "data", name)
    if os.path.isdir(packaged):
        return packaged
    checkout = os.path.join(os.path.dirname(os.path.dirname(_PACKAGE)), name)
    if os.path.isdir(checkout):
        return checkout
    raise FileNotFoundError(f"this installation of skillstudio has no {name}")
