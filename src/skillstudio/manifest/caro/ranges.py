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
_FOREIGN = re.compile(r"(\^|~>|~=|~|===?|=|!=)\s*(.*)", re.DOTALL)
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
    """An invalid range. `instead` is the probably intended range, or empty."""

    def __init__(self, message: str, instead: str = "") -> None:
        super().__init__(message)
        self.instead = instead


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
        sign = next((each for each in _COMPARISONS if comparison.startswith(each)), "=")
        version = comparison[len(sign) :].strip() if sign != "=" else comparison
        key = version_key(version)
        if key is None:
            raise _fault(comparison, version)
        bounds.append(VersionBound(sign, key))
        if sign == "=":
            bare.append(version)
    found = Range(tuple(bounds), tuple(bare))
    if _is_empty(found):
        raise RangeFault("no version satisfies this range")
    return found


_EMPTY = "a version range must not be empty; use * for any version"


def _fault(comparison: str, version: str) -> RangeFault:
    foreign = _FOREIGN.fullmatch(comparison)
    if foreign:
        sign, rest = foreign.groups()
        return RangeFault(
            f"{sign} is not supported; use >=, >, <, <= and commas",
            _translated(sign, rest.strip()),
        )
    return RangeFault(f"{version or comparison} is not a version such as 1, 1.2 or 1.2.3")


def _translated(sign: str, version: str) -> str:
    """The same range with supported operators, or ""."""
    key = version_key(version)
    if key is None:
        return ""
    if sign.startswith("=") or sign == "!=":
        return version if sign != "!=" else ""
    numbers = version.partition("-")[0].partition("+")[0].split(".")
    major, minor, patch = key[:3]
    if sign == "^":
        if major or len(numbers) == 1:
            top = f"{major + 1}.0.0"
        elif minor or len(numbers) == 2:
            top = f"0.{minor + 1}.0"
        else:
            top = f"0.0.{patch + 1}"
    elif sign == "~" and len(numbers) > 1:
        top = f"{major}.{minor + 1}.0"
    elif sign == "~" or len(numbers) < 3:
        top = f"{major + 1}.0.0"
    else:
        top = f"{major}.{minor + 1}.0"
    return f">={version},<{top}"


def _holds(version: SemverKey, bound: VersionBound) -> bool:
    return bool(_COMPARISONS[bound.operator](version, bound.version))


def _is_empty(found: Range) -> bool:
    """Whether a lower and an upper bound exclude each other."""
    exact = [bound.version for bound in found.bounds if bound.operator == "="]
    if exact:
        return not all(_holds(exact[0], bound) for bound in found.bounds)
    least = [bound for bound in found.bounds if bound.operator in (">=", ">")]
    most = [bound for bound in found.bounds if bound.operator in ("<", "<=")]
    return any(
        low.version > high.version
        or (low.version == high.version and (low.operator, high.operator) != (">=", "<="))
        for low in least
        for high in most
    )
