"""The folders that a manifest requests for a WASM program."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillstudio.dryrun.plan import PlanProblem, Roots
from skillstudio.dryrun.prepared import Preopen
from skillstudio.files.beneath import leaves, open_beneath
from skillstudio.files.paths import below
from skillstudio.interface.model import Interface, token

_ANY = getattr(os, "O_PATH", os.O_RDONLY)
_KINDS = {"fs.read": False, "fs.write": True}


def wasi_preopens(interface: Interface, roots: Roots) -> tuple[Preopen, ...]:
    """The requested folders in the workspace (also for relative paths) or the skill; folders
    elsewhere have no copy. Links are resolved in the copy, when the program starts."""
    found: dict[str, Preopen] = {}
    for term in interface.permissions:
        writable = _KINDS.get(term.key) if term.name == "capability" else None
        if writable is None or not isinstance(term.value, tuple):
            continue
        for path in term.value:
            if _root_of(path, roots) is not None:
                before = found.get(path)
                more = writable or (before is not None and before.writable)
                folder = _folder(path, roots)
                found[path] = Preopen(folder, "." if path == "*" else path, more)
    return tuple(found.values())


def refusals(interface: Interface, roots: Roots) -> Iterator[PlanProblem]:
    """Problems with the requested folders: outside both roots, or out of them through a link."""
    for term in interface.permissions:
        if term.name != "capability" or term.key not in _KINDS or not isinstance(term.value, tuple):
            continue
        at = f"/permissions/capability/{token(term.key)}"
        for path in dict.fromkeys(term.value):
            root = _root_of(path, roots)
            if root is None:
                message = (
                    f"{term.key} {path} is outside the workspace and the skill, so the program "
                    "does not get it in this run; use a folder inside them to test it"
                )
                yield PlanProblem("capability-not-copied", message, at, "warning")
            elif _leads_out(path, root, roots):
                message = (
                    f"{term.key} {path} leads out of {root} through a link or `..`; name a folder "
                    "inside it"
                )
                yield PlanProblem("capability-outside", message, at)


def _folder(path: str, roots: Roots) -> str:
    """The path as worded: `..` counts where it is written, even after a link."""
    return roots.workspace if path == "*" else os.path.join(roots.workspace, path)


def _root_of(path: str, roots: Roots) -> str | None:
    """The root that a path is in by its wording, else None."""
    if "\0" in path:
        return None
    folder = _folder(path, roots)
    return next(
        (each for each in (roots.skill, roots.workspace) if below(folder, each) is not None), None
    )


def _leads_out(path: str, root: str, roots: Roots) -> bool:
    try:
        inside = below(_folder(path, roots), root) or "."
        os.close(open_beneath(root, inside.lstrip(os.sep), _ANY))
    except OSError as error:
        return leaves(error)
    return False
