"""What an edit means, beside the text: what agents see, permissions, and the required bump."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import islice
from typing import NamedTuple

from textual.app import ComposeResult
from textual.content import Content

from skillstudio.dryrun.report import RunReport
from skillstudio.manifest.dialect import Skill
from skillstudio.present.lines import Part, StyledLine, section
from skillstudio.session.comparing.comparing import ComparisonResult
from skillstudio.skill.outcomes import TargetAnswer
from skillstudio.tui.widgets.compare.live import bump_lines, is_unchanged, why_unknown
from skillstudio.tui.widgets.details import Details
from skillstudio.tui.widgets.latest import Latest
from skillstudio.tui.widgets.lines import lines_content
from skillstudio.tui.widgets.pane import Pane
from skillstudio.tui.words import plain

PAUSE = 0.12  # Seconds without a change until it is looked at.
_MOST = 12  # Entries of each list.
_ADVICE = "the card in Preview shows everything"
_TARGETS_ADVICE = "the list of targets shows all"
_SECTIONS = ("Always in context", "Loaded on activation", "Permissions requested")


class Followed(NamedTuple):
    """What the pane shows: a skill as it is edited, what targets do with it, how its versions
    differ, if that is known, and its last run."""

    skill: Skill
    targets: Collection[TargetAnswer]
    """The answers of the selected targets."""
    outcome: ComparisonResult | None
    report: RunReport | None


class SideDetails(Details):
    """The lines of the side pane."""

    HELP = """The skill as agents see it, the permissions that it requests, and the bump that its
changes need, updated as you type. Arrows and j k g G scroll."""


class SidePane(Pane):
    """Shows what agents see of the open skill and what its changes cost."""

    EDGE = "left"
    DEFAULT_CSS = """
    SidePane SideDetails { border-left: none; padding: 0 1; }
    SidePane SideDetails:focus { border-left: none; background: $background; }
    """

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._followed: Callable[[], Followed | None] = lambda: None
        self._lines: list[Part] = []
        self._is_waiting = False
        self._latest = Latest(self, "the side pane", self._prepare, self._take, self._fail)

    def compose(self) -> ComposeResult:
        yield SideDetails()

    def on_mount(self) -> None:
        self.label(plain("What the edit means"))

    def follow(self, followed: Callable[[], Followed | None]) -> None:
        """Show this after a pause of typing."""
        self._followed = followed
        if not self._is_waiting:
            self._is_waiting = True
            self.set_timer(PAUSE, self._ask)

    def _ask(self) -> None:
        self._is_waiting = False
        self._latest.ask()

    def _prepare(self) -> Callable[[], list[Part]] | None:
        followed = self._followed()
        return None if followed is None else lambda: list(_parts(followed))

    def _take(self, lines: list[Part]) -> None:
        if lines != self._lines:
            self._lines = lines
            self.on_resize()

    def _fail(self) -> None:
        self._take([StyledLine(self._latest.failure, "error")])

    def on_resize(self) -> None:
        """Wrap the lines to the width."""
        details = self.query_one(SideDetails)
        at = details.scroll_offset
        width = max(details.scrollable_content_region.width - 1, 0)
        details.show(lines_content(self._lines, width) if self._lines else Content(""))
        details.scroll_to(y=at.y, animate=False)


def _parts(followed: Followed) -> Iterator[Part]:
    from skillstudio.present.card import card_sections
    from skillstudio.session.previewing.previewing import make_card

    try:
        if followed.outcome is None:
            yield StyledLine("Changes", "title", remark="comparing…")
        else:
            yield from _bump(followed.outcome)
        card = make_card(followed.skill, followed.report)
    except OSError as error:
        yield StyledLine(f"cannot be read: {error.strerror or error}", "error")
        return
    if followed.targets:
        from skillstudio.present.targets import outcome_lines

        yield StyledLine("")
        yield from section("Targets", outcome_lines(followed.targets), "", _MOST, _TARGETS_ADVICE)
    if followed.report is not None:
        from skillstudio.present.run_report import (
            ReportWords,
            deed_lines,
            reason_lines,
            verdict_line,
        )

        report = followed.report
        lines = (
            verdict_line(report),
            *reason_lines(report, ReportWords()),
            *deed_lines(report),
        )
        yield StyledLine("")
        yield from section("Last run", lines, "", _MOST, "Run shows everything")
    for part in card_sections(card):
        title = part.title.partition(":")[0]
        if title in _SECTIONS:
            yield StyledLine("")
            # The body is beside this, and how tokens are estimated is in the card.
            parts = [row for row in part.parts if _is_news(row) and not part.is_body]
            yield StyledLine(part.title, "heading", remark=part.remark)
            yield from islice(section("", parts, "", _MOST, _ADVICE), 1, None)


def _is_news(line: Part) -> bool:
    return not (isinstance(line, StyledLine) and line.style == "quiet" and not line.lead)


def _bump(outcome: ComparisonResult) -> Iterator[Part]:
    from skillstudio.present.comparison import absent_line

    if outcome.absent_in:
        yield StyledLine("Changes", "title")
        yield absent_line(outcome.absent_in)
    elif why := why_unknown(outcome):
        yield StyledLine("Changes", "title", remark=why)
    elif is_unchanged(outcome):
        yield StyledLine(f"Since {outcome.old.label}", "title", remark="nothing changed")
    else:
        yield StyledLine(f"Since {outcome.old.label}", "title")
        yield from bump_lines(outcome, _MOST)
