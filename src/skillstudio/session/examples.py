"""Copy the installed examples to a folder of the user."""

from __future__ import annotations

import os
from itertools import filterfalse

from skillstudio.files.left_out import why_not_copied
from skillstudio.files.paths import make_relative
from skillstudio.files.placing import NotPlaced, destination_fault, place

_USUAL = "skillstudio-examples"


def proposed_copy(folder: str) -> str:
    """A free path in a folder."""
    return free_path(os.path.join(folder, _USUAL))


def copy_fault(typed_path: str) -> str:
    """Why the examples cannot be copied to a folder; "" if they can."""
    path = _absolute(typed_path)
    if path and os.path.lexists(path):
        name, free = os.path.basename(path), os.path.basename(free_path(path))
        return f"{name} already exists; skillstudio never overwrites files, use {free}"
    return destination_fault(path)


def copy_examples(source: str, typed_path: str) -> str:
    """Copy the examples into a new folder and return its absolute path. Raises NotPlaced."""
    destination = _absolute(typed_path)
    files: dict[str, bytes] = {}
    executable: list[str] = []
    try:
        for folder, names, file_names in os.walk(source):
            names[:] = [name for name in names if not why_not_copied(f"{name}/")]
            for name in filterfalse(why_not_copied, file_names):
                path = os.path.join(folder, name)
                inside = make_relative(path, source).replace(os.sep, "/")
                with open(path, "rb") as file:
                    files[inside] = file.read()
                if os.access(path, os.X_OK):
                    executable.append(inside)
    except OSError as error:
        raise NotPlaced(f"{source}: {error.strerror or error}; nothing was copied") from None
    place(files, destination, executable)
    return destination


def _absolute(typed_path: str) -> str:
    return os.path.abspath(os.path.expanduser(typed_path.strip())) if typed_path.strip() else ""


def free_path(path: str) -> str:
    """A path that does not exist: the given one, else with the first free number."""
    number, free = 1, path
    while os.path.lexists(free):
        number += 1
        free = f"{path}-{number}"
    return free
