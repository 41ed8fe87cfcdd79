"""What may surprise about a digest: files that it leaves out, names that others see differently."""

from __future__ import annotations

from collections.abc import Iterator

_SHELL = frozenset('"$\\`')
"""What the seed's script hands to a shell that takes it for something else than a name."""

_NAMED = 5
"""How many names one remark lists."""


def remarks(names: list[str], links: list[str], others: list[str]) -> Iterator[str]:
    """One sentence a kind of surprise, for files, links and what is neither."""
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
