"""Report changes of elements that all operations share only once.

A shared element appears below each operation and at the top. Its changes are reported at the top,
so that the fingerprint stays the same when an operation is added or removed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillstudio.interface.difference import InterfaceDifference
from skillstudio.interface.model import Interface, token

SHARED = ("effects", "stdout")
"""Elements that a manifest may declare for all operations at once, as in their pointers."""


def reported_once(
    findings: Iterable[InterfaceDifference], old: Interface, new: Interface
) -> Iterator[InterfaceDifference]:
    """The differences, with those of shared elements once and without an operation."""
    told: set[tuple[str, str, str, str]] = set()
    for each in findings:
        below = _below_operation(each)
        if not below or not _is_shared(each, below, old, new):
            yield each
            continue
        key = (each.surface, each.facet, each.action, below)
        if key not in told:
            told.add(key)
            yield each._replace(operation="", pointer=below, old_pointer="")


def _below_operation(difference: InterfaceDifference) -> str:
    """The pointer without the operation; "" if the element cannot be shared."""
    above = f"/operations/{token(difference.operation)}" if difference.operation else ""
    below = difference.pointer.removeprefix(above)
    return below if _top(below) in SHARED else ""


def _top(below: str) -> str:
    return below[1:].partition("/")[0]


def _is_shared(difference: InterfaceDifference, below: str, old: Interface, new: Interface) -> bool:
    top = f"/{_top(below)}"
    shared = False
    for side, pointer in (
        (old, difference.old_pointer or difference.pointer),
        (new, difference.pointer),
    ):
        place = side.places.get(top)
        own = side.places.get(pointer.removesuffix(below) + top)
        if own is not None and own != place:
            return False
        shared = shared or place is not None
    return shared
