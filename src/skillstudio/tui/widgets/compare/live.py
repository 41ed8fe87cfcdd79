"""The comparison of the open skill as it is edited: its required bump, and where it breaks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from skillstudio.present.lines import StyledLine
from skillstudio.session.comparing.comparing import WORKING_TREE, ComparisonResult, SkillComparer
from skillstudio.tui.widgets.latest import Latest
from skillstudio.tui.widgets.lines import STYLES
from skillstudio.tui.words import plain

PAUSE = 0.5  # Seconds without a change until versions are compared.


class Compared(NamedTuple):
    """What is compared: the versions of the open skill, and its unsaved texts."""

    comparer: SkillComparer
    unsaved_texts: Mapping[str, str]


class BreakingPlace(NamedTuple):
    """A place of the open skill that breaks calls, from 1, and how."""

    path: str
    line: int
    text: str


class LiveResult(NamedTuple):
    """A comparison of the open skill, and the places that break calls."""

    skill: str
    outcome: ComparisonResult
    breaking_places: tuple[BreakingPlace, ...]


class LiveComparison:
    """Compares in a thread after each pause of typing."""

    def __init__(
        self,
        widget: Widget,
        get_versions: Callable[[], Compared | None],
        on_result: Callable[[], None],
    ) -> None:
        """`get_versions` returns what to compare now; `on_result` is called after each
        comparison."""
        self._widget = widget
        self._get_versions = get_versions
        self._on_result = on_result
        self._timer: Timer | None = None
        self.skill: str | None = None
        """The skill of the outcome."""
        self.outcome: ComparisonResult | None = None
        self.breaking_places: tuple[BreakingPlace, ...] = ()
        self._latest = Latest(widget, "the live comparison", self._prepare, self._take, self._fail)

    def follow(self) -> None:
        """Compare after a pause from now."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._widget.set_timer(PAUSE, self._latest.ask)

    def _prepare(self) -> Callable[[], LiveResult] | None:
        versions = self._get_versions()
        if versions is None:
            return None
        comparer, unsaved_texts = versions

        def work() -> LiveResult:
            outcome = comparer.compare(comparer.sides, unsaved_texts)
            is_open = comparer.sides.new == WORKING_TREE
            places = tuple(breaking_places(outcome)) if is_open else ()
            return LiveResult(comparer.skill, outcome, places)

        return work

    def _take(self, result: LiveResult) -> None:
        self.skill, self.outcome, self.breaking_places = result
        self._on_result()

    def _fail(self) -> None:
        self.skill, self.outcome, self.breaking_places = None, None, ()
        self._on_result()


def breaking_places(outcome: ComparisonResult) -> Iterator[BreakingPlace]:
    """The places of major changes that no waiver accepts, with a counterexample if there is one."""
    from skillstudio.present.comparison import value_text

    for change in outcome.changes:
        place = change.new_place
        if change.level != "major" or change.waived or place is None:
            continue
        text = change.message
        if change.witness is not None:
            verb = "rejects" if change.witness.refused_by == "new" else "now accepts"
            text = f"{verb} {value_text(change.witness.value, 40)}"
        yield BreakingPlace(place.path, place.line, text)


def is_unchanged(outcome: ComparisonResult) -> bool:
    """Whether nothing was changed and no bump is needed."""
    bump = outcome.bump
    if bump is None or outcome.changes:
        return False
    return bump.required == "none" and bump.declared in ("none", "unknown")


def why_unknown(outcome: ComparisonResult) -> str:
    """Why the required bump is not known; "" if it is."""
    if outcome.bump is not None:
        return ""
    failures = (failure.message for failure in outcome.failures)
    return outcome.missing or next(failures, "not compared")


def bump_lines(outcome: ComparisonResult, most: int, remark: str = "") -> Iterator[StyledLine]:
    """The required bump, and the changes that need it."""
    from skillstudio.present.comparison import bump_line, change_lines

    if outcome.bump is None:
        return
    line = bump_line(outcome.bump, outcome.old.version, outcome.changes, outcome.bump_to)
    yield line._replace(remark=remark) if remark else line
    for change in outcome.changes[:most]:
        yield from (row for row in change_lines(change, indent=1) if row.style != "quiet")
    if len(outcome.changes) > most:
        yield StyledLine(f"… {len(outcome.changes) - most} more", "quiet", 1)


def bump_state(outcome: ComparisonResult | None) -> Content:
    """The required bump: ▲ if the version does not have it, ✓ if it has.

    Where the level of a change is higher, as below 1.0.0, the version instead of a level.
    """
    from skillstudio.present.comparison import is_smaller

    bump = outcome.bump if outcome is not None else None
    if outcome is None or bump is None:
        return Content("")
    if bump.no_release:
        return Content.styled("?", STYLES["warning"])
    if bump.required == "none":
        return Content.styled("✓", "$text-success")
    is_version = is_smaller(bump, outcome.changes)
    if bump.ok and bump.declared != "unknown":
        words = outcome.new.version if is_version else bump.required
        return plain(f"✓ {words}", "$text-success")
    needed_version = (outcome.bump_to or bump.suggested) if is_version else ""
    return plain(
        f"▲ {needed_version or bump.required}", STYLES["error" if not bump.ok else "warning"]
    )
