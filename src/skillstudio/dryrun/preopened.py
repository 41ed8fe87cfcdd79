"""The folders that a WASM program is given, as its manifest asks for them."""

from __future__ import annotations

import os

from skillstudio.dryrun.plan import Roots
from skillstudio.dryrun.prepared import Preopen
from skillstudio.files.paths import below
from skillstudio.interface.model import Interface

_KINDS = {"fs.read": False, "fs.write": True}


def preopens(interface: Interface, roots: Roots) -> tuple[Preopen, ...]:
    """Folders of the workspace or the skill alone, in which a run may read or write.

    A relative path is one in the workspace. What lies elsewhere has no copy and is not given.
    """
    found: dict[str, Preopen] = {}
    for term in interface.permissions:
        writable = _KINDS.get(term.key) if term.name == "capability" else None
        if writable is None or not isinstance(term.value, tuple):
            continue
        for path in term.value:
            folder = roots.workspace if path == "*" else os.path.join(roots.workspace, path)
            folder = os.path.normpath(folder)
            inside = (below(folder, root) for root in (roots.workspace, roots.skill))
            if any(each is not None for each in inside) and os.path.isdir(folder):
                before = found.get(path)
                more = writable or (before is not None and before.writable)
                found[path] = Preopen(folder, "." if path == "*" else path, more)
    return tuple(found.values())
