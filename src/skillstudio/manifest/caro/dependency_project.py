"""Project dependencies and suggestions to terms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillstudio.interface.model import Term, VersionRange, token
from skillstudio.manifest.caro.dependencies import dependencies
from skillstudio.manifest.caro.ranges import RangeFault, parse_range
from skillstudio.manifest.places import Places
from skillstudio.manifest.values import dig, mapping, pointer, strings
from skillstudio.manifest.versions import SemverKey


def dependency_terms(value: Any, places: Places) -> Iterator[Term]:
    """Each dependency with its range and features, each suggestion with its text."""
    for each in dependencies(value):
        where, id = pointer("dependencies", each.id), token(each.id)
        places.key(f"/terms/dependency/{id}", where)
        optional = dig(each.value, "optional") is True
        shown = "optional" if optional else "required"
        yield Term("dependency", int(not optional), "order", each.id, shown=shown)
        try:
            admitted = version_range(each.range or "*")
        except RangeFault:
            continue
        places.key(f"/terms/dependency-range/{id}", pointer(*each.keys))
        yield Term("dependency-range", admitted, "range", each.id, detail=True)
        features = tuple(dict.fromkeys(item for _, item in strings(each.value, "features")))
        places.key(f"/terms/dependency-feature/{id}", f"{where}/features")
        yield Term("dependency-feature", features, "set", each.id, detail=True)
    for id, said in mapping(value, "suggestions").items():
        if isinstance(said, str):
            places.key(f"/terms/suggestion/{token(id)}", pointer("suggestions", id))
            yield Term("suggestion", said, "text", id)


def version_range(text: str) -> VersionRange:
    """The interval of a range. Raises RangeFault."""
    low: tuple[tuple[int, ...], bool] | None = None
    high: tuple[tuple[int, ...], bool] | None = None
    for operator, version in parse_range(text).bounds:
        key = _order(version)
        # Of two bounds with the same version the exclusive one is narrower.
        if operator in (">=", ">", "="):
            low = max(low or (key, False), (key, operator == ">"))
        if operator in ("<=", "<", "="):
            bound = (key, operator == "<")
            high = bound if high is None else min(high, bound, key=lambda b: (b[0], not b[1]))
    return VersionRange(text, *(low or (None, False)), *(high or (None, False)))


def _order(version: SemverKey) -> tuple[int, ...]:
    """A sort key for versions by precedence, made of integers."""
    *numbers, released, parts = version
    found = [*numbers, int(released)]
    for is_text, number, text in parts:
        found += [2, *(ord(each) for each in text), 0] if is_text else [1, number]
    return tuple(found)
