"""The problems of the open skill, and the targets that accept it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message

from skillstudio.manifest.targets import TargetOutcome
from skillstudio.present.targets import target_lines
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.tui.widgets.lines import STYLES
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import SEVERITY, joined, plain

if TYPE_CHECKING:
    from skillstudio.skill.analysis import Analysis


class ProblemList(Rows):
    """The diagnostics in the order of the text."""

    HELP = """The problems of the open skill, unsaved changes included. Enter goes to the place; f2
applies the fix of the selected line (marked +fix); x explains its rule; c copies it."""

    @dataclass
    class JumpToProblem(Message):
        """Go to the place of a diagnostic."""

        diagnostic: Diagnostic

    empty = Content("no problems")
    diagnostics: tuple[Diagnostic, ...] = ()

    def show_problems(self, analysis: Analysis | None, file: str) -> None:
        """Show the diagnostics of an analysis; those in files other than `file` get a path."""
        before = self.here
        self.diagnostics = analysis.diagnostics if analysis else ()
        lines = [diagnostic_line(each, analysis, file) for each in self.diagnostics if analysis]
        self.show(lines, _same(before, self.diagnostics, self.cursor))

    def point_to(self, diagnostic: Diagnostic | None) -> None:
        """Select a diagnostic if it is in the list."""
        if diagnostic in self.diagnostics:
            self.cursor = self.diagnostics.index(diagnostic)

    @property
    def here(self) -> Diagnostic | None:
        """The selected diagnostic."""
        return self.diagnostics[self.cursor] if self.cursor < len(self.diagnostics) else None

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        self.post_message(self.JumpToProblem(self.diagnostics[event.index]))


def _same(before: Diagnostic | None, now: Sequence[Diagnostic], cursor: int) -> int:
    """The new index of the diagnostic that was selected."""
    if before is None:
        return 0
    same = [i for i, each in enumerate(now) if (each.rule, each.path) == (before.rule, before.path)]
    return min(same, key=lambda index: abs(index - cursor), default=cursor)


def diagnostic_line(
    diagnostic: Diagnostic, analysis: Analysis, file: str = "", mark_fix: bool = True
) -> Content:
    """A diagnostic with its place, which has a path unless it is in `file`."""
    glyph, _, style = SEVERITY[diagnostic.severity or "error"]
    start, _ = analysis.place(diagnostic)
    where = f"{start.line}:{start.column}"
    if diagnostic.path and diagnostic.path != file:
        where = f"{diagnostic.path}:{where}"
    sign = Content.styled(f"{glyph} ", style)
    fix = Content.styled("+fix " if mark_fix and diagnostic.fixes else "", "$text-success")
    rule = plain(diagnostic.rule, "dim")
    return joined(sign, plain(where, "dim"), " ", plain(diagnostic.message), " ", fix, rule)


def summary_of(diagnostics: Sequence[Diagnostic]) -> Content:
    """The counts in short, as `✗2 !1`."""
    parts = []
    for severity, (glyph, _, style) in SEVERITY.items():
        count = sum((each.severity or "error") == severity for each in diagnostics)
        if count:
            parts.append(Content.styled(f"{glyph}{count}", style))
    return Content(" ").join(parts)


def target_chips(targets: Mapping[str, TargetOutcome], room: int, key: str = "") -> Content:
    """The targets that reject a skill, load it in part and load it, in at most `room` cells."""
    lines = target_lines({id: each.outcome for id, each in targets.items()})[::-1]
    after = [plain(f"{key} why", "dim")] if key and lines else []
    for shortened in range(len(lines) + 1):
        first_short = len(lines) - shortened
        chips = [
            plain(each.text if at < first_short else _short(each.text), STYLES[each.style])
            for at, each in enumerate(lines)
        ]
        found = Content("  ").join([*chips, *after])
        if found.cell_length <= room:
            return found
    return Content("  ").join(after)


def _short(text: str) -> str:
    """A group of targets as its sign and number."""
    sign, first, *rest = text.split(" ")
    number = rest[0] if first == "all" else first if first.isdecimal() else text.count(sign)
    return f"{sign} {number}"


def target_verdicts(targets: Mapping[str, TargetOutcome]) -> list[Content]:
    """The targets by their outcome; the shortest line comes first."""
    parts = [
        joined(plain(f"{each.lead} ", "dim"), plain(each.text, STYLES[each.style]))
        for each in target_lines({id: each.outcome for id, each in targets.items()})
    ]
    return sorted(parts, key=lambda part: part.cell_length)
