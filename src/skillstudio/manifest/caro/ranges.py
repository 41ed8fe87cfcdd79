"""Version ranges such as `>=1.0,<2.0`. A bare version is exact, unlike in Cargo."""

from __future__ import annotations

import operator
import re
from typing import NamedTuple

from skillstudio.text.versions import SemverKey, semver_key

_COMPARISONS = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}
_PARTIAL = re.compile(r"[0-9]+(?:\.[0-9]+)?")


class VersionBound(NamedTuple):
    """One comparison: `operator` is `>=`, `>`, `<`, `<=` or `=`."""

    operator: str
    version: SemverKey


class Range(NamedTuple):
    """The conditions on a version; no bounds allow any version."""

    bounds: tuple[VersionBound, ...]
    bare: tuple[str, ...] = ()

    def admits(self, version: str) -> bool:
        """Whether a version is in the range; False for an invalid version."""
        key = version_key(version)
        return key is not None and all(_holds(key, bound) for bound in self.bounds)


class RangeFault(ValueError):
    """An invalid range."""


def version_key(version: str) -> SemverKey | None:
    """A sort key for versions; `1` and `1.2` are padded with zeros."""
    if _PARTIAL.fullmatch(version):
        version += ".0" * (2 - version.count("."))
    try:
        return semver_key(version)
    except ValueError:
        # Python does not convert numbers of thousands of digits.
        return None


def parse_range(text: str) -> Range:
    """Parse a range. Raises RangeFault."""
    bounds: list[VersionBound] = []
    bare: list[str] = []
    for part in text.split(","):
        comparison = part.strip()
        if not comparison:
            raise RangeFault("a version range has an empty part" if text.strip() else _EMPTY)
        if comparison == "*":
            continue
        sign = next((sign for sign in _COMPARISONS if comparison.startswith(sign)), "=")
        version = comparison[len(sign) :].strip() if sign != "=" else comparison
        key = version_key(version)
        if key is None:
            raise RangeFault(
                f"{comparison} is not a version such as 1.2.3, alone or after >=, >, < or <="
            )
        bounds.append(VersionBound(sign, key))
        if sign == "=":
            bare.append(version)
    version_range = Range(tuple(bounds), tuple(bare))
    if _is_empty(version_range):
        raise RangeFault("no version satisfies this range")
    return version_range


_EMPTY = "a version range must not be empty; use * for any version"


def _holds(version: SemverKey, bound: VersionBound) -> bool:
    return bool(_COMPARISONS[bound.operator](version, bound.version))


def _is_empty(version_range: Range) -> bool:
    """Whether a lower and an upper bound exclude each other."""
    exact = [bound.version for bound in version_range.bounds if bound.operator == "="]
    if exact:
        return not all(_holds(exact[0], bound) for bound in version_range.bounds)
    least = [bound for bound in version_range.bounds if bound.operator in (">=", ">")]
    most = [bound for bound in version_range.bounds if bound.operator in ("<", "<=")]
    return any(
        low.version > high.version
        or (low.version == high.version and (low.operator, high.operator) != (">=", "<="))
        for low in least
        for high in most
    )
