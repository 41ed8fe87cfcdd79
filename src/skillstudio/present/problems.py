"""How many problems skills have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from skillstudio.present.lines import StyledTable, count, table
from skillstudio.text.diagnostic import Severity


def numbers(counts: Mapping[Severity, int]) -> dict[Severity, str]:
    """Severity to its number with the noun, for each that occurs: `2 errors`, `1 info`."""
    return {
        severity: count(number, severity, "info" if severity == "info" else "")
        for severity, number in counts.items()
        if number
    }


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
