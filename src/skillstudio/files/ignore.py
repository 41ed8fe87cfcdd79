"""Match files with an ignore file by the rules of gitignore(5).

Results equal git's, but without backtracking because ignore files are untrusted. Globs match the
bytes of a path: the states of a pattern are the bits of one number, and each byte moves them all.
The rules are those of git's `wildmatch` with `WM_PATHNAME`: `?` and a class are one byte and never
a slash.
"""

from __future__ import annotations

from typing import NamedTuple

IGNORE_FILE = ".skillignore"
"""The ignore file of a skill."""
MAX_FILE = 1 << 16  # Bytes.
MAX_LINES = 2_000
MAX_LINE = 4096  # Bytes, the longest path on Linux.

_SLASH = 0x2F
_SPECIAL = frozenset(b"*?[\\")

_ALL = frozenset(range(256))
_NAMES = _ALL - {_SLASH}
_SPACES = frozenset(b" \t\n\r")  # Git excludes the form feed and the vertical tab.

_LOWER, _UPPER = frozenset(range(0x61, 0x7B)), frozenset(range(0x41, 0x5B))
_DIGITS, _PRINT = frozenset(range(0x30, 0x3A)), frozenset(range(0x20, 0x7F))
_ALNUM = _LOWER | _UPPER | _DIGITS
_CLASSES = {
    b"alnum": _ALNUM,
    b"alpha": _LOWER | _UPPER,
    b"blank": frozenset(b" \t"),
    b"cntrl": frozenset((*range(0x20), 0x7F)),
    b"digit": _DIGITS,
    b"graph": _PRINT - _SPACES,
    b"lower": _LOWER,
    b"print": _PRINT,
    b"punct": _PRINT - _ALNUM - _SPACES,
    b"space": _SPACES,
    b"upper": _UPPER,
    b"xdigit": _DIGITS | frozenset(b"abcdefABCDEF"),
}


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
        decision = self.decision(path, folder)
        return decision is not None and decision.excludes

    def decision(self, path: str, folder: bool) -> Decision | None:
        """The last line that matches an entry in an included folder, if any."""
        whole = path.encode("utf-8", "surrogateescape")
        name = whole.rpartition(b"/")[2]
        for line in self._lines:
            if line.folders_only and not folder:
                continue
            text = name if line.by_name else whole
            if line.suffix is not None:
                is_match = text.endswith(line.suffix)
            elif line.glob is None:
                is_match = text == line.literal
            else:
                is_match = text.startswith(line.literal) and line.glob.matches(
                    text[len(line.literal) :]
                )
            if is_match:
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
    length = _literal_length(text)
    if length == len(text):
        return _IgnoreLine(number, excludes, folders_only, by_name, text, None)
    if by_name and text[:1] == b"*" and _literal_length(text[1:]) == len(text) - 1:
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


class GlobError(Exception):
    """A pattern never matches; the message says why."""


def _literal_length(pattern: bytes) -> int:
    """The length in bytes of a pattern's literal prefix."""
    return next((at for at, byte in enumerate(pattern) if byte in _SPECIAL), len(pattern))


class Glob:
    """A pattern that matches whole texts."""

    def __init__(self, pattern: bytes) -> None:
        """Raises GlobError."""
        self._moves = [0] * 256  # By byte: the states that advance.
        self._stays = [0, 0]  # The states that stay for a slash, and for any other byte.
        self._skips = 0  # States of a `**/`, which can match no folder, skipping its slash.
        self._end = 0
        self._compile(pattern)

    def matches(self, text: bytes) -> bool:
        moves, skips = self._moves, self._skips
        on_slash, on_other = self._stays
        states = 1 | (1 & skips) << 1
        for byte in text:
            stay = states & (on_slash if byte == _SLASH else on_other)
            entered_states = (states & moves[byte]) << 1
            states = entered_states | (entered_states & skips) << 1 | stay
            if not states:
                return False
        return bool(states >> self._end & 1)

    def _compile(self, pattern: bytes) -> None:
        at = 0
        while at < len(pattern):
            byte = pattern[at]
            if byte == 0x2A:
                at = self._star(pattern, at)
                continue
            if byte == 0x3F:
                allowed_bytes, at = _NAMES, at + 1
            elif byte == 0x5B:
                allowed_bytes, at = _class(pattern, at + 1)
            elif byte == 0x5C:
                if at + 1 == len(pattern):
                    raise GlobError("it ends with a backslash")
                allowed_bytes, at = frozenset((pattern[at + 1],)), at + 2
            else:
                allowed_bytes, at = frozenset((byte,)), at + 1
            for allowed_byte in allowed_bytes:
                self._moves[allowed_byte] |= 1 << self._end
            self._end += 1

    def _star(self, pattern: bytes, start: int) -> int:
        end = start
        while end < len(pattern) and pattern[end] == 0x2A:
            end += 1
        state = 1 << self._end
        rest = pattern[end : end + 2]
        alone = start == 0 or pattern[start - 1] == _SLASH
        if end - start > 1 and alone and (rest[:1] in (b"", b"/") or rest == b"\\/"):
            if rest[:1] == b"/" and self._skips & state >> 1:
                # A repeated `**/` is redundant.
                return end + 1
            self._stays[0] |= state
            if rest[:1] == b"/":
                self._skips |= state
        self._stays[1] |= state
        return end


def _class(pattern: bytes, at: int) -> tuple[frozenset[int], int]:
    """The bytes of a `[…]` from `at`, and its end."""
    is_negated = pattern[at : at + 1] in (b"!", b"^")
    at += is_negated
    members: set[int] = set()
    before = -1
    first = True
    while first or pattern[at : at + 1] != b"]":
        first = False
        byte = _byte(pattern, at)
        if byte == 0x5C:
            at += 1
            byte = _byte(pattern, at)
            members.add(byte)
        elif byte == 0x2D and before > 0 and pattern[at + 1 : at + 2] not in (b"", b"]"):
            at += 2 if pattern[at + 1] == 0x5C else 1
            members.update(range(before, _byte(pattern, at) + 1))
            byte = -1
        elif pattern[at : at + 2] == b"[:":
            name_end = pattern.find(b"]", at + 2)
            if name_end < 0:
                raise GlobError("it has an unclosed [")
            if name_end > at + 2 and pattern[name_end - 1] == 0x3A:
                members |= _find_class(pattern[at + 2 : name_end - 1])
                at, byte = name_end, -1
            else:
                members.add(byte)
        else:
            members.add(byte)
        before = byte
        at += 1
    return (_NAMES - members if is_negated else frozenset(members - {_SLASH})), at + 1


def _byte(pattern: bytes, at: int) -> int:
    if at >= len(pattern):
        raise GlobError("it has an unclosed [")
    return pattern[at]


def _find_class(name: bytes) -> frozenset[int]:
    if name not in _CLASSES:
        raise GlobError(f"[:{name.decode('utf-8', 'replace')}:] is not a character class")
    return _CLASSES[name]
