"""How many problems skills have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from skillstudio.present.lines import StyledTable, count, table
from skillstudio.skill.workspace import WorkspaceProblem
from skillstudio.text.diagnostic import Severity


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


def omitted_text(rule: str, number: int) -> str:
    """How many problems of a rule are omitted."""
    return f"… {count(number, 'more problem')} of rule {rule}"
