"""A report for people: each problem with its line and a mark under the place."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.cli.output import Paint
from skillstudio.cli.report import CheckReport, Cut, Excerpt, ReportedDiagnostic
from skillstudio.present.problems import omitted_text, summary_text
from skillstudio.text.safe import safe_text


def lines(report: CheckReport, cut: Cut, paint: Paint, plain: bool = False) -> Iterator[str]:
    """The report line by line. `plain` says places in words and draws nothing."""
    for diagnostic in cut.diagnostics:
        yield from _diagnostic(diagnostic, paint, plain)
    for rule, number in cut.omitted.items():
        yield paint(f"{omitted_text(rule, number)}; --all prints every problem", "quiet")
    yield _summary(report, paint)


def _diagnostic(diagnostic: ReportedDiagnostic, paint: Paint, plain: bool) -> Iterator[str]:
    path = safe_text(diagnostic.path)
    message = safe_text(diagnostic.message)
    severity = paint(diagnostic.severity, diagnostic.severity)
    if plain:
        place = f"line {diagnostic.line}, column {diagnostic.column}"
        yield f"{path}, {place}: {severity} {diagnostic.rule}: {message}"
    else:
        place = f"{path}:{diagnostic.line}:{diagnostic.column}"
        yield f"{paint(place, 'place')}: {severity} {diagnostic.rule}: {message}"
        if diagnostic.excerpt is not None:
            yield from _excerpt(diagnostic, diagnostic.excerpt, paint)
    for title, safe in diagnostic.fixes:
        yield f"    {paint('fix', 'good')}: {safe_text(title)}{'' if safe else ' (unsafe)'}"


def _excerpt(diagnostic: ReportedDiagnostic, excerpt: Excerpt, paint: Paint) -> Iterator[str]:
    """The line at fault and a caret under the place."""
    shown, skipped = excerpt
    before = shown[: diagnostic.column - 1 - skipped]
    rest = shown[len(before) :]
    same_line = diagnostic.end_line == diagnostic.line
    at_fault = rest[: max(diagnostic.end_column - diagnostic.column, 1)] if same_line else rest
    number = str(diagnostic.line)
    pad = " " * _width(before)
    carets = "^" * max(_width(at_fault), 1)
    yield f"  {paint(number + ' |', 'quiet')} {safe_text(shown)}"
    yield f"  {' ' * len(number)} {paint('|', 'quiet')} {pad}{paint(carets, diagnostic.severity)}"


def _width(text: str) -> int:
    """Columns that a text takes in a terminal once it is safe."""
    from unicodedata import combining, east_asian_width

    safe = safe_text(text)
    return sum(
        0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in safe
    )


def _summary(report: CheckReport, paint: Paint) -> str:
    counts = report.counts()
    if not any(counts.values()):
        return paint(summary_text(len(report.skills), counts), "good")
    return summary_text(len(report.skills), counts)
