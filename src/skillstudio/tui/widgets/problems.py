"""The problems of the open skill, and the targets that accept it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content
from textual.message import Message

from skillstudio.present.problems import in_order
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.tui.widgets.lines import STYLES, key_offer
from skillstudio.tui.widgets.rows import LazyLines, Rows
from skillstudio.tui.words import SEVERITY, join, plain

if TYPE_CHECKING:
    from skillstudio.skill.analysis import Analysis
    from skillstudio.skill.outcomes import TargetAnswer


_PLACES = 8  # Cells of the longest place after which messages begin together.
_LEAST = 40  # Cells of a message before anything is shown after it.


class ProblemList(Rows):
    """The diagnostics: errors, then warnings, then notes, each in the order of the text."""

    HELP = """The problems of the open skill, unsaved changes included. Enter goes to the place; f2
applies the fix of the selected line; x explains its rule; c copies it."""

    @dataclass
    class JumpToProblem(Message):
        """Go to the place of a diagnostic, or just to the text."""

        diagnostic: Diagnostic | None

    class RoomChanged(Message):
        """The rows have another width, so that other messages are cut."""

    empty = Content("no problems")
    diagnostics: tuple[Diagnostic, ...] = ()
    _heads: Sequence[Content] = ()
    _fixable_problem: Diagnostic | None = None
    _fix_key = ""
    _export_key = ""

    def show_problems(self, analysis: Analysis | None, file: str) -> None:
        """Show the diagnostics of an analysis; those in files other than `file` get a path."""
        before = self.here
        self.diagnostics = in_order(analysis.diagnostics if analysis else (), file)
        places = [_place(diagnostic, analysis, file) for diagnostic in self.diagnostics if analysis]
        wide = min(max(map(len, places), default=0), _PLACES)
        self._heads = [
            _head(diagnostic, place.ljust(wide))
            for diagnostic, place in zip(self.diagnostics, places, strict=False)
        ]
        lines = LazyLines(len(self._heads), self._line)
        self.show(lines, _same(before, self.diagnostics, self.cursor))

    def show_fix(self, diagnostic: Diagnostic | None, key: str) -> None:
        """Show the key of a fix at the diagnostic that it applies to."""
        self._fixable_problem, self._fix_key = diagnostic, key
        self.refresh()

    def show_export(self, key: str) -> None:
        """Show the key of an export, "" for none, at a selected refusal that has no fix."""
        if key != self._export_key:
            self._export_key = key
            self.refresh()

    @property
    def cut_message(self) -> Content:
        """The message of the selected diagnostic, if its row does not show the whole."""
        if self.here is None or not self.width:
            return Content("")
        head, after = self._heads[self.cursor], self._after(self.cursor)
        is_whole = head.cell_length <= self._room_before(after)
        return Content("") if is_whole else plain(self.here.message, "dim")

    def _line(self, index: int) -> Content:
        head, after = self._heads[index], self._after(index)
        if not after.plain:
            return head
        room = self.room_before(after, head)
        return join(head.truncate(room, ellipsis=True, pad=True), "  ", after)

    def _room_before(self, after: Content) -> int:
        """The cells of a row before its end."""
        return self.width - after.cell_length - 2 * bool(after.plain)

    def _after(self, index: int) -> Content:
        """The end of a row: the key of the fix, that there is one, or the rule; "" without room."""
        diagnostic, head = self.diagnostics[index], self._heads[index]
        if self._offers_export(index):
            offers = ("export a copy", "export")
            ends = [key_offer(self._export_key, "skill.export", offer) for offer in offers]
        elif not diagnostic.fixes:
            ends = [plain(diagnostic.rule, "dim")]
        elif diagnostic is self._fixable_problem and self._fix_key:
            offers = (plain(diagnostic.fixes[0].title).plain, "fix")
            ends = [key_offer(self._fix_key, "problem.fix", offer) for offer in offers]
        else:
            ends = [Content.styled("fix", "dim")]
        for end in ends:
            if head.cell_length <= self._room_before(end):
                return end
        has_key = bool(diagnostic.fixes) or len(ends) > 1
        cuts_message = has_key and self._room_before(ends[-1]) >= _LEAST
        return ends[-1] if cuts_message else Content("")

    def _offers_export(self, index: int) -> bool:
        diagnostic = self.diagnostics[index]
        is_refusal = diagnostic.rule == "target-refused" and not diagnostic.fixes
        return is_refusal and index == self.cursor and bool(self._export_key)

    def on_resize(self) -> None:
        self.post_message(self.RoomChanged())

    def point_to(self, diagnostic: Diagnostic | None) -> None:
        """Select a diagnostic if it is in the list."""
        if diagnostic in self.diagnostics:
            self.cursor = self.diagnostics.index(diagnostic)

    def worst_in(self, file: str) -> Diagnostic | None:
        """The first of the worst diagnostics of a file that are more than notes."""
        of_file = (
            diagnostic for diagnostic in self.diagnostics if (diagnostic.path or file) == file
        )
        return next((diagnostic for diagnostic in of_file if diagnostic.severity != "info"), None)

    def action_choose(self) -> None:
        if self.diagnostics:
            super().action_choose()
        else:
            self.post_message(self.JumpToProblem(None))

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
    same = [
        i
        for i, diagnostic in enumerate(now)
        if (diagnostic.rule, diagnostic.path) == (before.rule, before.path)
    ]
    return min(same, key=lambda index: abs(index - cursor), default=cursor)


def diagnostic_line(diagnostic: Diagnostic, analysis: Analysis, file: str = "") -> Content:
    """A diagnostic with its place, which has a path unless it is in `file`."""
    return _head(diagnostic, _place(diagnostic, analysis, file))


def _place(diagnostic: Diagnostic, analysis: Analysis, file: str) -> str:
    start, _ = analysis.place(diagnostic)
    where = f"{start.line}:{start.column}"
    is_elsewhere = diagnostic.path and diagnostic.path != file
    return f"{diagnostic.path}:{where}" if is_elsewhere else where


def _head(diagnostic: Diagnostic, place: str) -> Content:
    glyph, style = SEVERITY[diagnostic.severity or "error"]
    sign = Content.styled(f"{glyph} ", style)
    return join(sign, plain(place, "dim"), "  ", plain(diagnostic.message))


def summary_of(diagnostics: Sequence[Diagnostic]) -> Content:
    """The counts in short, as `✗2 !1`."""
    parts = []
    for severity, (glyph, style) in SEVERITY.items():
        count = sum((diagnostic.severity or "error") == severity for diagnostic in diagnostics)
        if count:
            parts.append(Content.styled(f"{glyph}{count}", style))
    return Content(" ").join(parts)


def chips_content(answers: Mapping[str, TargetAnswer], room: int, key: str = "") -> Content:
    """The targets by their outcome, worst first, in at most `room` cells; the best ones are
    shortened first."""
    from skillstudio.present.targets import target_chips

    chips = target_chips({id: answer.outcome for id, answer in answers.items()})
    after = [plain(key, "$footer-key-foreground")] if key and chips else []
    if not any(answer.is_selected for answer in answers.values()):
        return _unselected_content(answers, room, after)
    lengths = [0] * len(chips)
    for length in (0, 1, 2):
        for at in reversed(range(len(chips))):
            lengths[at] = length
            parts = [
                plain(chip.texts[size], STYLES[chip.style])
                for chip, size in zip(chips, lengths, strict=True)
            ]
            content = Content("  ").join([*parts, *after])
            if content.cell_length <= room:
                return content
    return Content("  ").join(after)


def _unselected_content(
    answers: Mapping[str, TargetAnswer], room: int, after: list[Content]
) -> Content:
    """The targets of the place that look elsewhere, else that none is selected: what targets do
    that nobody selected is no problem."""
    from skillstudio.present.targets import target_lines

    missed_outcomes = {id: answer.outcome for id, answer in answers.items() if answer.is_missed}
    short = "".join(line.text for line in target_lines(missed_outcomes)) or "no targets selected"
    looking_answers = [answer for answer in answers.values() if answer.looks]
    rejection_count = sum(answer.is_rejection for answer in looking_answers)
    whole = f"{short} · {rejection_count} of {len(looking_answers)} that look here would refuse it"
    whole = whole if rejection_count else short
    for text in (whole, short):
        content = Content("  ").join([plain(text, "$foreground 75%"), *after])
        if content.cell_length <= room:
            return content
    return Content("  ").join(after)


def target_verdicts(answers: Mapping[str, TargetAnswer]) -> list[Content]:
    """The targets by their outcome; those that look elsewhere come last."""
    from skillstudio.present.targets import target_lines

    return [
        join(plain(f"{line.lead} ".lstrip(), "dim"), plain(line.text, STYLES[line.style]))
        for line in target_lines({id: answer.outcome for id, answer in answers.items()})
    ]
