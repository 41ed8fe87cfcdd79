"""Output files: what exists where a run would write, and what a run changed."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.dryrun.plan import Plan
from skillstudio.dryrun.report import RunReport
from skillstudio.interface.model import token
from skillstudio.interface.wording import SENSITIVE
from skillstudio.present.lines import LineStyle, Part, StyledLine, count, omission_line
from skillstudio.present.plan import name_of
from skillstudio.present.run_report import (
    counts_text,
    ended_text,
    undeclared_files,
    unwritten,
    unwritten_text,
)
from skillstudio.preview.ahead import ExpectedOutput, State

UNDECLARED_LABEL = "undeclared"
_MOST_FILES = 10  # Files of one pattern that are listed.
_STATES: dict[State, tuple[str, str, LineStyle]] = {
    "new": ("+", "new", "good"),
    "exists": ("~", "would be overwritten", "warning"),
    "link": ("!", "a link exists here", "warning"),
    "taken": ("!", "blocked: not a file", "error"),
    "pattern": ("*", "any number of files", ""),
    "unknown": ("?", "path unknown", "error"),
}


def declared_outputs(plan: Plan) -> list[ExpectedOutput]:
    """The planned outputs with the folders that their bases name, and why one is not known."""
    whys = {
        problem.pointer.rpartition("/outputs/")[2]: problem.message
        for problem in plan.problems
        if "/outputs/" in problem.pointer
    }
    outputs = []
    for planned_output in plan.outputs:
        path, why = (
            planned_output.path,
            whys.get(token(planned_output.pattern), "").removeprefix(f"{planned_output.pattern}: "),
        )
        if SENSITIVE in path:
            path, why = "", "the path contains a sensitive value"
        output = ExpectedOutput(
            planned_output.pattern, path, plan.roots.of(planned_output.base), planned_output.base
        )
        outputs.append(output if path else output._replace(why=why))
    return outputs


def output_state(output: ExpectedOutput) -> tuple[str, str, LineStyle]:
    """The glyph of an output before a run, the words and their style."""
    glyph, words, style = _STATES[output.state]
    if output.state == "pattern":
        words += f", {len(output.existing):,} exist now"
    return glyph, words, style


def output_notes(output: ExpectedOutput, folder: str = "") -> Iterator[str]:
    """What else is known of an output before a run; `folder` describes the folder that it is in,
    if its path says nothing."""
    if output.why:
        yield output.why
    if output.path and output.path != output.pattern:
        yield f"from {output.pattern}"
    if output.state in ("new", "pattern"):
        yield f"in {folder or output.folder}"


def expected_lines(plan: Plan, outputs: tuple[ExpectedOutput, ...]) -> Iterator[Part]:
    """Each output before a run, with what exists at its path."""
    yield StyledLine(name_of(plan), "title", remark=f"({plan.dialect})")
    yield StyledLine(plan.roots.workspace, lead="workspace")
    if not outputs:
        yield StyledLine("no declared output files")
    for output in outputs:
        glyph, words, style = output_state(output)
        size = output.existing[0].size if output.state == "exists" and not output.why else None
        about = f" ({count(size, 'byte')})" if size is not None else ""
        yield StyledLine(output.path or output.pattern, style, lead=glyph, remark=words + about)
        yield from (StyledLine(note, "quiet", 2) for note in output_notes(output))
        if output.state == "pattern":
            yield from (
                StyledLine(f"{file.path}  {file.size:,}", "", 2)
                for file in output.existing[:_MOST_FILES]
            )
            if len(output.existing) > _MOST_FILES:
                yield omission_line(len(output.existing) - _MOST_FILES, 2)


def run_title(report: RunReport) -> StyledLine:
    """The skill and the operation of a run, how it ended, and its id."""
    return StyledLine(name_of(report.plan), "title", remark=f"{ended_text(report)} · {report.run}")


def changes_text(report: RunReport) -> str:
    """How many files a run changed, and how many of them are undeclared."""
    if not report.changes:
        return "no files changed"
    stray = len(undeclared_files(report))
    return counts_text(report) + (f" · {stray:,} {UNDECLARED_LABEL}" if stray else "")


def unwritten_note(report: RunReport) -> str:
    """Which declared files a run did not write; "" if it wrote all."""
    text = unwritten_text(report)
    return f"{text}: {', '.join(unwritten(report))}" if text else ""
