"""Version numbers: Semantic Versioning 2.0.0, and dotted integers of command-line tools.

Implemented here because importing the semver package takes longer than a whole check.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from skillstudio.text.lazy_pattern import lazy_pattern

_NUMBER = r"(?:0|[1-9][0-9]*)"
_PRE = rf"(?:{_NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
_SEMVER = lazy_pattern(
    rf"({_NUMBER})\.({_NUMBER})\.({_NUMBER})(?:-({_PRE}(?:\.{_PRE})*))?"
    r"(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
)
_DOTTED_VERSION = lazy_pattern(r"[0-9]+(?:\.[0-9]+)*")

_SEPARATORS = ("@", "-", "/")  # Between a name and a version in a tag.

SemverKey = tuple[int, int, int, bool, tuple[tuple[bool, int, str], ...]]


def is_semver(version: str) -> bool:
    """Whether a text is a semantic version (Semantic Versioning 2.0.0)."""
    return _SEMVER.fullmatch(version) is not None


def semver_key(version: str) -> SemverKey | None:
    """A sort key for semantic versions by precedence; None for an invalid version."""
    match = _SEMVER.fullmatch(version)
    if match is None:
        return None
    major, minor, patch, pre = match.groups()
    parts = tuple(
        (False, int(part), "") if part.isdecimal() else (True, 0, part)
        for part in (pre.split(".") if pre else ())
    )
    return int(major), int(minor), int(patch), pre is None, parts


def parse_dotted(version: str) -> tuple[int, ...] | None:
    """The integers of a version such as `2.40`; None for an invalid version."""
    if _DOTTED_VERSION.fullmatch(version) is None:
        return None
    # Python refuses to convert numbers of thousands of digits.
    parts = version.split(".")
    return tuple(int(part) for part in parts) if max(map(len, parts)) < 1000 else None


def compare_dotted(left: tuple[int, ...], right: tuple[int, ...]) -> int:
    """-1, 0 or 1; the shorter version is padded with zeros."""
    for part, other in zip_longest(left, right, fillvalue=0):
        if part != other:
            return -1 if part < other else 1
    return 0


def within(version: tuple[int, ...], most: tuple[int, ...]) -> bool:
    """Whether a version is at most another one read as a prefix: `2` includes every 2.x."""
    return compare_dotted(version[: len(most)], most) <= 0


def tag_version(tag: str, names: Iterable[str] = ()) -> tuple[str, bool]:
    """The version in a tag, and whether the tag is of the skill with these names alone.

    Tags of one skill are `NAME@1.2.0`, `NAME-1.2.0` and `NAME/1.2.0`, with or without a `v` before
    the version, and `NAME--v1.2.0`, as `claude plugin tag` writes it; `v1.2.0` and `1.2.0` are tags
    of all skills. The version is "" for other tags.
    """
    for name in names:
        rest = tag.removeprefix(name)
        version = rest.removeprefix("-")[1:] if rest.startswith("--v") else rest[1:]
        version = version.removeprefix("v")
        if name and rest != tag and rest[:1] in _SEPARATORS and is_semver(version):
            return version, True
    version = tag.removeprefix("v")
    return (version, False) if is_semver(version) else ("", False)


TagNames = Sequence[Sequence[str]]
"""The names that tags of a skill can begin with, the most specific first."""


def rank_tag(tag: str, names: TagNames) -> tuple[int, str]:
    """How specific a tag is, 0 for a tag with one of the first names; and the version in it."""
    for rank, group in enumerate(names):
        version, is_own = tag_version(tag, group)
        if is_own:
            return rank, version
    return len(names), tag_version(tag)[0]


def newest_version(tags: Iterable[str], names: TagNames) -> tuple[str, str]:
    """The tag with the highest version of a skill among the most specific ones, and the version."""
    ranked_tags = [(*rank_tag(tag, names), tag) for tag in tags]
    versions = [
        (-rank, semver_key(version) or (), tag, version) for rank, version, tag in ranked_tags
    ]
    *_, tag, version = max((row for row in versions if row[-1]), default=("", ""))
    return tag, version
