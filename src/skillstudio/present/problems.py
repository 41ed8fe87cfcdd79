"""How many problems skills have, and where one is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from skillstudio.present.lines import StyledTable, count, table
from skillstudio.text.diagnostic import Diagnostic, Severity, Splice
from skillstudio.text.source import Source, Span
from skillstudio.text.splicing import apply

if TYPE_CHECKING:
    from skillstudio.skill.workspace import WorkspaceProblem

SIGNS: dict[str, str] = {
    "error": "✗",
    "warning": "!",
    "info": "i",
    "elsewhere": "○",
    "ok": "✓",
    "unread": "·",
}
"""The sign of each severity, the worst first, and of skills without problems or not checked."""
_RANKS = list(SIGNS)


def in_order(diagnostics: Iterable[Diagnostic], file: str) -> tuple[Diagnostic, ...]:
    """Sort diagnostics from errors to notes, then by file, `file` if they name none, and place."""

    def place(diagnostic: Diagnostic) -> tuple[int, bool, str, int]:
        return (
            _RANKS.index(diagnostic.severity or "error"),
            diagnostic.rule.startswith("target-"),  # Mostly a consequence of another problem.
            diagnostic.path or file,
            (diagnostic.span or Span(0, 0)).start,
        )

    return tuple(sorted(diagnostics, key=place))


def numbers(counts: Mapping[Severity, int]) -> dict[Severity, str]:
    """Severity to its number with the noun, for each that occurs: `2 errors`, `1 info`."""
    return {
        severity: count(number, severity, "info" if severity == "info" else "")
        for severity, number in counts.items()
        if number
    }


def problem_text(problem: WorkspaceProblem) -> str:
    """The place and the message of a problem that belongs to no skill."""
    place = problem_place(problem)
    return f"{place}: {problem.diagnostic.message}" if place else problem.diagnostic.message


def problem_place(problem: WorkspaceProblem) -> str:
    """The file with line and column, or the folder, of a problem that belongs to no skill."""
    path, diagnostic, source = problem
    if source is None or diagnostic.span is None:
        return path
    line, column = source.position(diagnostic.span.start)
    return f"{path}:{line}:{column}"


def summary_text(skills: int, counts: Mapping[Severity, int]) -> str:
    """How many skills were checked, and how many problems they have."""
    problems = ", ".join(numbers(counts).values()) or "no problems"
    return f"{count(skills, 'skill')} checked, {problems}"


def statistics_table(counts: Mapping[tuple[str, Severity], int]) -> Iterator[StyledTable]:
    """How often each rule is broken, in the given order."""
    wide = max(map(len, map("{:,}".format, counts.values())), default=0)
    rows = ((f"{number:>{wide},}", severity, rule) for (rule, severity), number in counts.items())
    yield from table(("problems", "severity", "rule"), rows)


class ProblemHere(NamedTuple):
    """A problem where it is: its place, its lines, and the lines that its fix makes of them."""

    place: str
    before: tuple[str, ...]
    after: tuple[str, ...] = ()


def problem_here(
    source: Source, name: str, span: Span, splices: Iterable[Splice] = ()
) -> ProblemHere:
    """Show a problem of the file `name` where it is; `splices` are those of its fix."""
    line, column = source.position(span.start)
    place = f"{name}:{line}:{column}"
    from skillstudio.text.hunks import hunks

    changes = hunks(source.text, apply(source.text, splices))
    if not changes:
        end = source.position(max(span.end - 1, span.start)).line
        return ProblemHere(place, tuple(source.text.splitlines()[line - 1 : end]))
    before = [text.rstrip("\r\n") for change in changes for text in change.old_lines]
    after = [text.rstrip("\r\n") for change in changes for text in change.new_lines]
    return ProblemHere(place, tuple(before), tuple(after))


def omitted_text(rule: str, number: int) -> str:
    """How many problems of a rule are omitted."""
    return f"… {count(number, 'more problem')} of rule {rule}"
