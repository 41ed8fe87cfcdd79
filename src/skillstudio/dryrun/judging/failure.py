"""Find why a program failed, in what it printed: the message, and the line of the skill."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple

from skillstudio.dryrun.report import FailureReason
from skillstudio.resources import toml_table
from skillstudio.text.lazy_pattern import lazy_pattern

_MOST = 2_000  # Lines at the end that are searched.
_LONGEST = 500  # Characters of a line; the rest is no message.
_TOPS = ("<module>", "<main>", "main", "Object.<anonymous>")  # The top of a script has no name.
_CONTROL = lazy_pattern(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.")
_ANY_CASE = ("fault", "last")
_CARET = lazy_pattern(r"\s*\^+")  # Below the line of the program.
_BOX = "│┃|┆┊ "
InSkill = Callable[[str], str | None]
"""Turns a printed path into that of a file of the skill, None for any other."""


class _Language(NamedTuple):
    """A language of failures.toml."""

    name: str
    frame: re.Pattern[str]
    innermost: Literal["first", "last"]
    message: Literal["first", "after", "before", "in"]
    start: re.Pattern[str] | None = None
    error: re.Pattern[str] | None = None
    around: re.Pattern[str] | None = None


class _Other(NamedTuple):
    """What tells messages from other lines where no language is recognised."""

    noise: re.Pattern[str]
    fault: re.Pattern[str]
    last: re.Pattern[str]
    ignored_error: re.Pattern[str]
    traceback: re.Pattern[str]


class _ErrorFrame(NamedTuple):
    """A place in a program."""

    row: int  # The index of its line.
    match: re.Match[str]
    path: str  # In the skill; "" elsewhere.


class _Finding(NamedTuple):
    """The reason that a language gives."""

    reason: FailureReason
    row: int  # Of the last frame.
    end: int  # Of the last line of the error.


def failure_reason(errors: str, output: str, in_skill: InSkill) -> FailureReason:
    """The reason why a program failed, from what it printed on standard error, else on standard
    output; empty if it says nothing of a fault."""
    lines = _without_ignored(_lines(errors))
    for source in (lines, [] if any(lines) else _lines(output)):
        findings = [
            finding
            for language in _languages()
            if (finding := _read(language, source, in_skill)) is not None
        ]
        if findings:
            finding = max(findings, key=lambda finding: finding.row)
            last = _last_word(source[finding.end + 1 :])
            return FailureReason(last) if last else finding.reason
    return FailureReason(_message_among(lines, _lines(output)))


def _lines(text: str) -> list[str]:
    """The last lines as a terminal would show them."""
    lines = _CONTROL.sub("", text).split("\n")[-_MOST:]
    return [line.rstrip().rpartition("\r")[2][:_LONGEST] for line in lines]


def _without_ignored(lines: Sequence[str]) -> list[str]:
    """The lines without errors that the interpreter says it ignored."""
    other = _other()
    kept_lines: list[str] = []
    is_ignored = False
    for line in lines:
        if other.ignored_error.fullmatch(line):
            is_ignored = True
        elif not is_ignored:
            kept_lines.append(line)
        elif line[:1].strip() and not other.traceback.fullmatch(line):
            is_ignored = False  # The message, the first line that is not indented, is the end.
    return kept_lines


def _message_among(errors: Sequence[str], output: Sequence[str]) -> str:
    """The last line that reports a fault, else the last one on standard error."""
    other = _other()
    from_errors, from_output = (
        [line.strip(_BOX) for line in lines if not other.noise.fullmatch(line)]
        for lines in (errors, output)
    )
    faults = (line for line in reversed(from_errors or from_output) if other.fault.fullmatch(line))
    return next(faults, from_errors[-1] if from_errors else "")


def _last_word(lines: Sequence[str]) -> str:
    """What a program says about its end after an error that it had printed before."""
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return last if _other().last.fullmatch(last) else ""


def _read(language: _Language, lines: Sequence[str], in_skill: InSkill) -> _Finding | None:
    """The reason; None if the lines are of another language."""
    begin = _begin(language, lines)
    if begin is None:
        return None
    frames = list(_frames(language, lines, begin, in_skill))
    skill_frames = [frame for frame in frames if frame.path]
    if not frames or (language.message == "in" and not skill_frames):
        return None
    inner = skill_frames[0 if language.innermost == "first" else -1] if skill_frames else None
    message = _message(language, lines, begin, frames, inner)
    if message is None:
        return None
    text, row = message
    end = max(row, frames[-1].row)
    reason = FailureReason(text)
    if inner is not None:
        function = inner.match.groupdict().get("function") or ""
        function = "" if function in _TOPS else function
        reason = FailureReason(text, inner.path, int(inner.match["line"]), function)
    known_rows, around = {row, *(frame.row for frame in frames)}, language.around
    known_rows |= {index - 1 for index, line in enumerate(lines) if _CARET.fullmatch(line)}
    rest = (line for index, line in enumerate(lines) if index not in known_rows and line)
    is_whole = all(around is not None and around.fullmatch(line) for line in rest)
    return _Finding(reason._replace(is_whole=is_whole), frames[-1].row, end)


def _begin(language: _Language, lines: Sequence[str]) -> int | None:
    """The row where the text that counts begins; None if it is missing."""
    start = language.start
    if start is None:
        return 0
    starts = (row for row, line in enumerate(lines) if start.fullmatch(line))
    return max(starts, default=None if language.message == "first" else 0)


def _frames(
    language: _Language, lines: Sequence[str], begin: int, in_skill: InSkill
) -> Iterator[_ErrorFrame]:
    for row in range(begin, len(lines)):
        if match := language.frame.fullmatch(lines[row]):
            yield _ErrorFrame(row, match, in_skill(match["path"]) or "")


def _message(
    language: _Language,
    lines: Sequence[str],
    begin: int,
    frames: Sequence[_ErrorFrame],
    inner: _ErrorFrame | None,
) -> tuple[str, int] | None:
    """The message and its row; None where another line is the last word."""
    if language.message == "in":
        if inner is None:
            return None
        around = language.around
        if any(around is None or not around.fullmatch(line) for line in lines[inner.row + 1 :]):
            return None
        match = language.error.fullmatch(lines[inner.row]) if language.error else inner.match
        return (match["message"].strip(), inner.row) if match else None
    rows: Sequence[int] = range(frames[-1].row + 1, len(lines))
    if language.message == "first":
        rows = range(begin, len(lines))
    elif language.message == "before":
        rows = _paragraph(lines, frames[0].row)
    error = language.error
    for row in rows:
        if error and (match := error.fullmatch(lines[row])):
            return match["message"].strip(), row
    return None


def _paragraph(lines: Sequence[str], end: int) -> Sequence[int]:
    """The rows from the last blank line before `end` on; else those before it, the last first."""
    blank = next((row for row in range(end - 1, -1, -1) if not lines[row]), None)
    nearest = range(end - 1, -1, -1)
    return [*range(blank, end), *nearest] if blank is not None else nearest


@cache
def _languages() -> tuple[_Language, ...]:
    return tuple(
        _Language(**{key: _read_value(key, text) for key, text in row.items()})
        for row in toml_table(__file__, "failures.toml")["language"]
    )


@cache
def _other() -> _Other:
    patterns = toml_table(__file__, "failures.toml")["other"]
    return _Other(**{key: _read_value(key, text) for key, text in patterns.items()})


def _read_value(key: str, text: str) -> Any:
    if key in ("name", "innermost", "message"):
        return text
    pattern = "".join(text.splitlines())  # A long one has several lines.
    return re.compile(pattern, re.IGNORECASE if key in _ANY_CASE else 0)
