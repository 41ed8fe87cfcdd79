"""What stands once in a manifest and holds for every operation is told once.

Such an element has a place both below each operation and at the top, and the two are one. What
is told of it is told at the top, whatever the number of operations, so that its fingerprint stays
when an operation comes or goes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillstudio.interface.difference import InterfaceDifference
from skillstudio.interface.model import Interface, token

SHARED = ("effects", "stdout")
"""What a manifest may say of all operations at once, as their pointers call it."""


def reported_once(
    findings: Iterable[InterfaceDifference], old: Interface, new: Interface
) -> Iterator[InterfaceDifference]:
    """The differences, those about shared elements once and without an operation."""
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
    """The pointer without the operation; "" where it is not about what may be shared."""
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
