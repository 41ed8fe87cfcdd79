"""`--format markdown`: a comment for a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.cli.formats.markdown import markdown
from skillstudio.cli.lists import SHOWN
from skillstudio.cli.report import CheckReport
from skillstudio.present.lines import Part, StyledLine, table
from skillstudio.present.problems import omitted_text, summary_text
from skillstudio.present.targets import target_lines


def lines(report: CheckReport) -> Iterator[str]:
    return markdown(_parts(report), "check")


def _parts(report: CheckReport) -> Iterator[Part]:
    cut = report.cut(SHOWN)
    yield StyledLine(summary_text(len(report.skills), report.counts()))
    rows = (
        (each.severity, f"{each.path}:{each.line}:{each.column}", each.message, each.rule)
        for each in cut.diagnostics
    )
    yield from table(("severity", "place", "problem", "rule"), rows)
    for rule, number in cut.omitted.items():
        yield StyledLine(omitted_text(rule, number))
    for skill in report.skills:
        yield StyledLine(skill.path, "folded")
        outcomes = {id: str(row["outcome"]) for id, row in skill.targets.items()}
        yield from (each._replace(indent=1) for each in target_lines(outcomes))
