"""In what two runs differ, for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from skillstudio.cli.output import Paint
from skillstudio.dryrun.traces.difference import RunDifference
from skillstudio.text.safe import safe_text

MOST = 40
"""Sentences about one thing that are printed; JSON has them all."""


def difference_lines(rows: Sequence[RunDifference], paint: Paint) -> Iterator[str]:
    """A sentence each, under what it is about."""
    for area, several in groupby(rows, key=lambda each: each.area):
        found = list(several)
        yield paint(area, "quiet")
        yield from (f"  {safe_text(each.sentence)}" for each in found[:MOST])
        if len(found) > MOST:
            yield f"  … {len(found) - MOST:,} more in the JSON"
