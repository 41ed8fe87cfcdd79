"""Warnings about digests: excluded files and names with portability problems."""

from __future__ import annotations

from collections.abc import Iterator

_SHELL = frozenset('"$\\`')
"""Characters that the reference script's shell interprets."""

_NAMED = 5
"""Maximum number of names in a warning."""


def remarks(names: list[str], links: list[str], others: list[str]) -> Iterator[str]:
    """One warning for each kind of problem; `others` are neither files nor symbolic links."""
    if links:
        yield f"symbolic links are in tree-sha256 but not in content_hash: {_some(links)}"
    if ".git" in others:
        yield ".git is a file and is excluded here; the reference script includes it"
    devices = [path for path in others if path != ".git"]
    if devices:
        yield f"special files, excluded from every digest: {_some(devices)}"
    shell = [path for path in names if not _SHELL.isdisjoint(path)]
    if shell:
        yield f"the reference script's shell alters these names, so it differs: {_some(shell)}"
    plain = [path for path in names if path.isascii()]
    if len(plain) < len(names):
        yield from _beyond_ascii(names)


def _beyond_ascii(names: list[str]) -> Iterator[str]:
    import unicodedata

    broken = [path for path in names if any("\udc80" <= letter <= "\udcff" for letter in path)]
    if broken:
        yield f"names that are not valid UTF-8, which some systems do not support: {_some(broken)}"
    seen: dict[str, str] = {}
    alike = []
    for path in names:
        other = seen.setdefault(unicodedata.normalize("NFC", path), path)
        if other != path:
            alike.append(path)
    if alike:
        yield f"names equal to another after Unicode normalization: {_some(alike)}"


def _some(paths: list[str]) -> str:
    more = len(paths) - _NAMED
    return ", ".join(sorted(paths)[:_NAMED]) + (f" and {more} more" if more > 0 else "")
