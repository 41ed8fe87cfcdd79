"""How many problems skills have."""

from __future__ import annotations

from collections.abc import Mapping

from skillstudio.present.lines import count
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


def omitted_text(rule: str, number: int) -> str:
    """How many problems of a rule are omitted."""
    return f"… {count(number, 'more problem')} of rule {rule}"
