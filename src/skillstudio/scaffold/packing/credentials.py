"""Credentials in the files of an archive, which goes where its author cannot take it back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillstudio.files.tree import FileTree
from skillstudio.manifest.secrets import looks_like_secret

_START = 8000
"""Bytes in which a NUL says that a file is no text, as git has it."""

_MAX_TEXT = 4 << 20
"""Bytes of a file that are looked through."""


def credentials(tree: FileTree, paths: Iterable[str]) -> Iterator[str]:
    """`PATH:LINE: …` for each text file that holds what is probably a credential.

    The credential itself is not told. Raises OSError.
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
            more = f", and line {lines[1]} does, too"
        elif lines[1:]:
            more = f", and {len(lines) - 1} more lines do, too"
        yield f"{place}: this looks like a credential{more}; whoever gets the archive gets it"
