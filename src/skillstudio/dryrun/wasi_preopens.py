"""The folders that a manifest requests for a WASM program."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillstudio.dryrun.plan import PlanProblem, Roots
from skillstudio.dryrun.prepared import Preopen
from skillstudio.files.beneath import check_beneath, leaves
from skillstudio.files.paths import below
from skillstudio.interface.model import Interface, token

_KINDS = {"fs.read": False, "fs.write": True}


def wasi_preopens(interface: Interface, roots: Roots) -> tuple[Preopen, ...]:
    """The requested folders in the workspace (also for relative paths) or the skill; folders
    elsewhere have no copy. Links are resolved in the copy, when the program starts."""
    preopens: dict[str, Preopen] = {}
    for kind, path in _find_requests(interface):
        if _root_of(path, roots) is not None:
            before = preopens.get(path)
            writable = _KINDS[kind] or (before is not None and before.writable)
            preopens[path] = Preopen(_folder(path, roots), "." if path == "*" else path, writable)
    return tuple(preopens.values())


def _find_requests(interface: Interface) -> Iterator[tuple[str, str]]:
    """The capabilities that request folders, each with one path."""
    for term in interface.permissions:
        if term.name == "capability" and term.key in _KINDS and isinstance(term.value, tuple):
            yield from ((term.key, path) for path in dict.fromkeys(term.value))


def refusals(interface: Interface, roots: Roots) -> Iterator[PlanProblem]:
    """Problems with the requested folders: outside both roots, or out of them through a link."""
    for kind, path in _find_requests(interface):
        at = f"/permissions/capability/{token(kind)}"
        root = _root_of(path, roots)
        if root is None:
            message = (
                f"{kind} {path} is outside the workspace and the skill, so the program does not "
                "get it in this run; use a folder inside them to test it"
            )
            yield PlanProblem("capability-not-copied", message, at, "warning")
        elif _leads_out(path, root, roots):
            why = f"leads out of {root} through a link or `..`; name a folder inside it"
            yield PlanProblem("capability-outside", f"{kind} {path} {why}", at)


def _folder(path: str, roots: Roots) -> str:
    """The path as worded: `..` counts where it is written, even after a link."""
    return roots.workspace if path == "*" else os.path.join(roots.workspace, path)


def _root_of(path: str, roots: Roots) -> str | None:
    """The root that a path is in by its wording, else None."""
    if "\0" in path:
        return None
    folder = _folder(path, roots)
    return next(
        (root for root in (roots.skill, roots.workspace) if below(folder, root) is not None), None
    )


def _leads_out(path: str, root: str, roots: Roots) -> bool:
    try:
        inside = below(_folder(path, roots), root) or "."
        check_beneath(root, inside.lstrip(os.sep))
    except OSError as error:
        return leaves(error)
    return False
