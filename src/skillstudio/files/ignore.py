"""Match files with an ignore file by the rules of gitignore(5).

Results equal git's, but without backtracking because ignore files are untrusted.
"""

from __future__ import annotations

from typing import NamedTuple

from skillstudio.files.ignore_glob import Glob, GlobError, literal_length

MAX_LINES = 2_000
MAX_LINE = 4096  # Bytes, the longest path on Linux.


class IgnoreRefused(Exception):
    """An ignore file exceeds a limit."""


class Decision(NamedTuple):
    """The decision for an entry: whether it is excluded, and the line, from 1."""

    excludes: bool
    line: int


class _IgnoreLine(NamedTuple):
    number: int
    excludes: bool
    folders_only: bool
    by_name: bool  # The pattern applies to the last part of any path.
    literal: bytes  # The literal prefix of the path; the whole pattern if `glob` is None.
    glob: Glob | None
    suffix: bytes | None = None  # The suffix of a name for the pattern `*SUFFIX`.


class Ignore:
    """The lines of one ignore file at the root of a tree. The last match decides."""

    def __init__(self, data: bytes, path: str) -> None:
        """Raises IgnoreRefused. `path` names the file in warnings."""
        self.warnings: list[str] = []  # One message for each line that can never match.
        lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        if len(lines) > MAX_LINES:
            raise IgnoreRefused(f"{path} has more than {MAX_LINES} lines")
        self._lines: list[_IgnoreLine] = []
        for number, text in enumerate(lines, 1):
            if len(text) > MAX_LINE:
                raise IgnoreRefused(f"{path}:{number} is longer than {MAX_LINE} bytes")
            try:
                line = _read_line(number, text)
            except GlobError as error:
                self.warnings.append(f"{path}:{number}: this line never matches: {error}")
                continue
            if line is not None:
                self._lines.append(line)
        self._lines.reverse()

    def excludes(self, path: str, folder: bool) -> bool:
        """Whether an entry in an included folder is excluded, as in git."""
        found = self.decision(path, folder)
        return found is not None and found.excludes

    def decision(self, path: str, folder: bool) -> Decision | None:
        """The last line that matches an entry in an included folder, if any."""
        whole = path.encode("utf-8", "surrogateescape")
        name = whole.rpartition(b"/")[2]
        for line in self._lines:
            if line.folders_only and not folder:
                continue
            text = name if line.by_name else whole
            if line.suffix is not None:
                found = text.endswith(line.suffix)
            elif line.glob is None:
                found = text == line.literal
            else:
                found = text.startswith(line.literal) and line.glob.matches(
                    text[len(line.literal) :]
                )
            if found:
                return Decision(line.excludes, line.number)
        return None

    def hides(self, path: str) -> bool:
        """Whether a file or a folder above it is excluded."""
        parts = path.split("/")
        return any(
            self.excludes("/".join(parts[:end]), end < len(parts))
            for end in range(1, len(parts) + 1)
        )


def _read_line(number: int, text: bytes) -> _IgnoreLine | None:
    """Parse one line; None for comments and empty lines. Raises GlobError."""
    if text.startswith(b"#"):
        return None
    text = _without_spaces(text.removesuffix(b"\r"))
    excludes = not text.startswith(b"!")
    text = text if excludes else text[1:]
    folders_only = text.endswith(b"/")
    text = text.removesuffix(b"/")
    if not text:
        return None
    by_name = b"/" not in text
    text = text if by_name else text.removeprefix(b"/")
    length = literal_length(text)
    if length == len(text):
        return _IgnoreLine(number, excludes, folders_only, by_name, text, None)
    if by_name and text[:1] == b"*" and literal_length(text[1:]) == len(text) - 1:
        return _IgnoreLine(number, excludes, folders_only, by_name, b"", None, text[1:])
    # Git removes the literal prefix first, so a `**` right after it is separate.
    start = 0 if by_name else length
    return _IgnoreLine(number, excludes, folders_only, by_name, text[:start], Glob(text[start:]))


def _without_spaces(text: bytes) -> bytes:
    """The line without trailing spaces, except after a backslash."""
    end = len(text.rstrip(b" "))
    if end == len(text):
        return text
    slashes = end - len(text[:end].rstrip(b"\\"))
    return text[: end + 1] if slashes % 2 else text[:end]
