"""In what two runs differ, for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skillstudio.cli.output import Paint
from skillstudio.dryrun.traces.difference import Difference
from skillstudio.text.safe import safe_text


def difference_lines(rows: Sequence[Difference], paint: Paint) -> Iterator[str]:
    """A sentence each, under what it is about."""
    area = ""
    for each in rows:
        if each.area != area:
            area = each.area
            yield paint(area, "quiet")
        yield f"  {safe_text(each.sentence)}"
