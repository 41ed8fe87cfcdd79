"""Styled lines and tables: what the command line, Markdown and the workbench paint."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

LineStyle = Literal["", "title", "heading", "folded", "error", "warning", "good", "quiet", "code"]
"""`folded` is a heading whose lines Markdown folds up; `code` is a line to be kept as it is."""
SHOW_ALL = "use --all to show everything"
LONGEST = 2_000  # Characters of one line.
MOST = 200  # Lines of one section.
_WIDEST = 48  # Cells of a column, beyond which a cell moves those after it.


class StyledLine(NamedTuple):
    """One line. The text may contain anything: painters make it safe."""

    text: str
    style: LineStyle = ""  # Of the lead, if there is one, else of the text.
    indent: int = 0
    lead: str = ""
    remark: str = ""  # After the text, in quiet colours.


class StyledTable(NamedTuple):
    """Rows of cells. Only Markdown shows the header."""

    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    indent: int = 0


Part = StyledLine | StyledTable


def section(
    title: str,
    parts: Iterable[Part],
    remark: str = "",
    most: int | None = MOST,
    advice: str = "--format json lists all",
) -> Iterator[Part]:
    """A heading and at most so many lines below it; nothing if there are no parts. `advice` says
    how to get the others."""
    budget = sys.maxsize if most is None else most
    omitted_count = 0
    for number, part in enumerate(parts):
        if not number:
            yield StyledLine(title, "heading", remark=remark)
        if isinstance(part, StyledTable):
            omitted_count += max(len(part.rows) - budget, 0)
            part = part._replace(rows=part.rows[: max(budget, 0)])
            budget -= len(part.rows)
        elif (budget := budget - 1) < 0:
            omitted_count += 1
            continue
        yield part._replace(indent=part.indent + 1)
    if omitted_count:
        yield omission_line(omitted_count, 1, advice)


def omission_line(
    number: int, indent: int = 0, advice: str = "--format json lists all"
) -> StyledLine:
    """How many lines are omitted."""
    return StyledLine(f"… {number:,} more; {advice}", "quiet", indent)


def table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[StyledTable]:
    """A table; nothing without rows."""
    if all_rows := tuple(rows):
        yield StyledTable(header, all_rows)


def shorten(text: str, most: int = LONGEST) -> str:
    """A text of at most so many characters."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


def laid_out(parts: Iterable[Part]) -> Iterator[StyledLine]:
    """Only lines: the cells of a table aligned, every text safe and not too long."""
    from skillstudio.text.safe import safe_text

    for part in parts:
        if isinstance(part, StyledTable):
            yield from _align_rows(part)
        else:
            text, lead, remark = (
                safe_text(shorten(field)) for field in (part.text, part.lead, part.remark)
            )
            yield StyledLine(text, part.style, part.indent, lead, remark)


def _align_rows(part: StyledTable) -> Iterator[StyledLine]:
    from skillstudio.preview.spans import pad, width
    from skillstudio.text.safe import safe_text

    rows = [[safe_text(shorten(cell)) for cell in row] for row in part.rows]
    widths = [min(max(map(width, column)), _WIDEST) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [pad(cell, wide) for cell, wide in zip(row, widths, strict=True) if wide]
        yield StyledLine("  ".join(cells).rstrip(), indent=part.indent)


def count(number: int, what: str, several: str = "") -> str:
    """A number and its noun: `1 change`, `2 changes`."""
    return f"{number:,} {what if number == 1 else several or what + 's'}"
