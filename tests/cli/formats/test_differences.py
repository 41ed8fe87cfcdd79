"""In what two runs differ, line by line."""

from __future__ import annotations

from skillstudio.cli.formats.differences import MOST, difference_lines
from skillstudio.cli.output import Paint
from skillstudio.dryrun.traces.difference import RunDifference


def test_each_thing_has_its_heading_and_no_end_of_sentences() -> None:
    rows = [RunDifference("inputs", "a", 1, 2, "a: 1 before, \x1b[31m2 now")]
    rows += [
        RunDifference("files", str(each), None, "", f"{each}: new") for each in range(MOST + 5)
    ]
    lines = list(difference_lines(rows, Paint(False)))
    assert lines[:4] == ["inputs", "  a: 1 before, ␛[31m2 now", "files", "  0: new"]
    assert lines[-1] == "  … 5 more in the JSON"
    assert len(lines) == MOST + 4
