"""Locate the data folders `themes`, `templates` and `examples`.

In an installed wheel they are inside the package; in a checkout they are at its root.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
INSTALLED_REASON = "installed with skillstudio; edit a copy instead"
"""Why a file of the installation is not written."""


def folder(name: str) -> str:
    """The path of a data folder. Raises FileNotFoundError where the installation lacks it."""
    package_folder = os.path.join(_PACKAGE, "data", name)
    if os.path.isdir(package_folder):
        return package_folder
    checkout = os.path.join(os.path.dirname(os.path.dirname(_PACKAGE)), name)
    if os.path.isdir(checkout):
        return checkout
    raise FileNotFoundError(f"this installation of skillstudio has no {name}")


def is_installed(path: str) -> bool:
    """Whether a path is in the data folders of an installed skillstudio.

    Nothing there is written: an upgrade removes it. Those of a checkout are its author's own.
    """
    data = os.path.realpath(os.path.join(_PACKAGE, "data"))
    real = os.path.realpath(path)
    return real == data or real.startswith(data + os.sep)


@cache
def docs_address() -> str:
    """The address of the documentation that the package names, without a slash at its end."""
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        addresses = metadata("skillstudio").get_all("Project-URL") or ()
    except PackageNotFoundError:
        return ""
    entries = (address.partition(", ") for address in addresses)
    return next((url for name, _, url in entries if name == "Documentation"), "").rstrip("/")


def rule_page(rule: str) -> str:
    """The page of a rule, from the address of the documentation; docs/site.py writes it."""
    return f"rules/{rule}/"


@cache
def toml_table(module_file: str, name: str) -> dict[str, Any]:
    """The content of a TOML file beside a module, whose `__file__` is given."""
    import tomllib

    with open(os.path.join(os.path.dirname(module_file), name), "rb") as file:
        return tomllib.load(file)
