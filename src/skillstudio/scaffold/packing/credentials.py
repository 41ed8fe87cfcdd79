"""Find credentials in the files of an archive."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillstudio.files.tree import FileTree
from skillstudio.manifest.secrets import looks_like_secret

_START = 8000
"""Bytes searched for a NUL, which marks a binary file, as in git."""

_MAX_TEXT = 4 << 20
"""Bytes of a file that are searched."""


def credentials(tree: FileTree, paths: Iterable[str]) -> Iterator[str]:
    """A `PATH:LINE: …` message for each text file with a probable credential, which is not quoted.

    Raises OSError.
    """
    for path in paths:
        if tree.kind(path) != "file":
            continue
        data = tree.read(path, _MAX_TEXT)
        if b"\0" in data[:_START]:
            continue
        text = data.decode("utf-8", "replace")
        if not looks_like_secret(text):
            continue
        lines = [at for at, line in enumerate(text.split("\n"), 1) if looks_like_secret(line)]
        place = f"{path}:{lines[0]}" if lines else path
        more = ""
        if len(lines) == 2:
            more = f", and so does line {lines[1]}"
        elif lines[1:]:
            more = f", and so do {len(lines) - 1} more lines"
        yield f"{place}: this looks like a credential{more}; everyone with the archive can read it"
