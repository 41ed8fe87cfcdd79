"""Find why a program failed, in what it printed: the message, and the line of the skill."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple

from skillstudio.dryrun.report import FailureReason
from skillstudio.resources import toml_table

_MOST = 2_000  # Lines at the end that are searched.
_LONGEST = 500  # Characters of a line; longer ones are no message.
_TOPS = ("<module>", "<main>", "main", "Object.<anonymous>")  # The top of a script has no name.
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class _Language(NamedTuple):
    """A language of failures.toml."""

    name: str
    frame: re.Pattern[str]
    innermost: Literal["first", "last"]
    message: Literal["after", "before", "in"]
    start: re.Pattern[str] | None = None
    error: re.Pattern[str] | None = None
    trailer: re.Pattern[str] | None = None


class _ErrorFrame(NamedTuple):
    """A place in a program."""

    row: int  # The index of its line.
    match: re.Match[str]
    path: str  # In the skill; "" elsewhere.


def failure_reason(
    errors: str, printed: str, in_skill: Callable[[str], str | None]
) -> FailureReason:
    """The reason why a program failed, from what it printed on standard error, else on standard
    output. `in_skill` turns a printed path into one of the skill, None for any other."""
    lines = _lines(errors)
    reasons = [
        (last, reason)
        for language in _languages()
        if (read := _read(language, lines, in_skill)) is not None
        for last, reason in [read]
    ]
    if reasons:
        return max(reasons, key=lambda reason: reason[0])[1]
    last = next(reversed(lines or _lines(printed)), "")
    return FailureReason(last.strip())


def _lines(text: str) -> list[str]:
    """The last lines that are not empty."""
    lines = _COLOUR.sub("", text).split("\n")[-_MOST:]
    return [line.rstrip()[:_LONGEST] for line in lines if line.strip()]


def _read(
    language: _Language, lines: Sequence[str], in_skill: Callable[[str], str | None]
) -> tuple[int, FailureReason] | None:
    """The row of the last frame, and the reason; None if the lines are of another language."""
    begin = 0
    if language.start is not None:
        starts = (row for row, line in enumerate(lines) if language.start.fullmatch(line))
        begin = max(starts, default=0)
    frames = list(_frames(language, lines, begin, in_skill))
    own = [frame for frame in frames if frame.path]
    if not frames or (language.message == "in" and not own):
        return None
    inner = own[0 if language.innermost == "first" else -1] if own else None
    message = _message(language, lines, frames, inner)
    if message is None:
        return None
    if inner is None:
        return frames[-1].row, FailureReason(message)
    groups = inner.match.groupdict()
    function = groups.get("function") or ""
    if function in _TOPS:
        function = ""
    place = (inner.path, int(inner.match["line"]), function)
    return frames[-1].row, FailureReason(message, *place)


def _frames(
    language: _Language,
    lines: Sequence[str],
    begin: int,
    in_skill: Callable[[str], str | None],
) -> Iterator[_ErrorFrame]:
    for row in range(begin, len(lines)):
        if match := language.frame.fullmatch(lines[row]):
            yield _ErrorFrame(row, match, in_skill(match["path"]) or "")


def _message(
    language: _Language,
    lines: Sequence[str],
    frames: Sequence[_ErrorFrame],
    inner: _ErrorFrame | None,
) -> str | None:
    """The message; None where another line is the last word."""
    if language.message == "in":
        if inner is None:
            return None
        rest = lines[inner.row + 1 :]
        trailer = language.trailer
        if any(trailer is None or not trailer.fullmatch(line) for line in rest):
            return None
        match = language.error.fullmatch(lines[inner.row]) if language.error else inner.match
        return match["message"].strip() if match else None
    after = language.message == "after"
    candidates = lines[frames[-1].row + 1 :] if after else lines[: frames[0].row][::-1]
    error = language.error
    matches = (error.fullmatch(line) for line in candidates) if error else iter(())
    return next((match["message"].strip() for match in matches if match), None)


@cache
def _languages() -> tuple[_Language, ...]:
    return tuple(
        _Language(**{key: _read_value(key, text) for key, text in row.items()})
        for row in toml_table(__file__, "failures.toml")["language"]
    )


def _read_value(key: str, text: str) -> Any:
    is_pattern = key in ("start", "frame", "error", "trailer")
    return re.compile(text) if is_pattern else text
