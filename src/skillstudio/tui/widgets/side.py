"""Beside the text on wide screens: what an edit means, and the skill as agents see it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from textual.app import ComposeResult
from textual.content import Content

from skillstudio.dryrun.report import RunReport
from skillstudio.manifest.dialect import Skill
from skillstudio.present.lines import Part, StyledLine, section
from skillstudio.preview.card.skill_card import PackedFile, SkillCard
from skillstudio.session.comparing.comparing import ComparisonResult
from skillstudio.skill.outcomes import NOT_RECORDED, TargetAnswer
from skillstudio.tui.widgets.compare.live import bump_lines, is_unchanged, why_unknown
from skillstudio.tui.widgets.details import Details
from skillstudio.tui.widgets.latest import Latest
from skillstudio.tui.widgets.lines import lines_content
from skillstudio.tui.widgets.pane import Pane
from skillstudio.tui.words import plain

PAUSE = 0.12  # Seconds without a change until it is looked at.
_MOST = 12  # Entries of each list.
_MOST_LINES = 400  # Lines of a body.
_NARROWEST = 20  # Columns of a body.
_ADVICE = "the card in Preview shows everything"
_TARGETS_ADVICE = "the list of targets shows all"
_CONTEXT, _ACTIVATION = "Always in context", "Loaded on activation"
_PERMISSIONS, _PACKED_FILES = "Permissions requested", "Packed files"


class Followed(NamedTuple):
    """What the panes show: a skill, what targets do with it, how its versions differ, and its last
    run."""

    skill: Skill
    targets: Mapping[str, TargetAnswer]
    """The answers of the selected targets, or of all if none is selected."""
    outcome: ComparisonResult | None = None
    """None while it is compared."""
    report: RunReport | None = None
    is_open: bool = True
    """Whether it is the open skill; else it is only selected in a list."""
    view: str = ""
    """The view of the skill that is shown, which is not repeated."""


Reading = Callable[[], Followed]
"""Reads what is followed, in a thread. Raises OSError."""


class Topic(NamedTuple):
    """What one pane is about: its title, its lines, and whether the rendered body follows them."""

    title: str
    lines: Callable[[Followed, SkillCard], Iterator[Part]]
    has_body: bool = False


class SideDetails(Details):
    """The lines of a pane beside the text."""

    HELP = """What the edit means for callers and targets, and the skill as agents see it, updated
as you type. Arrows and j k g G scroll."""


class SidePane(Pane):
    """Shows what is to be known of a skill besides its text."""

    EDGE = "left"
    DEFAULT_CSS = """
    SidePane SideDetails { border-left: none; padding: 0 1; }
    SidePane SideDetails:focus { border-left: none; background: $background; }
    """

    def __init__(self, topic: Topic, id: str | None = None) -> None:
        super().__init__(id=id)
        self._topic = topic
        self._get_reading: Callable[[], Reading | None] = lambda: None
        self._content = Content("")
        self._is_waiting = False
        self._latest = Latest(self, "the side pane", self._prepare, self._take, self._fail)

    def compose(self) -> ComposeResult:
        yield SideDetails()

    def use(self, topic: Topic) -> None:
        """Be about something else."""
        self._topic = topic

    def follow(self, get_reading: Callable[[], Reading | None]) -> None:
        """Show this after a pause of typing; `get_reading` returns None while there is nothing."""
        self._get_reading = get_reading
        if not self._is_waiting:
            self._is_waiting = True
            self.set_timer(PAUSE, self._ask)

    def _ask(self) -> None:
        self._is_waiting = False
        self._latest.ask()

    def _prepare(self) -> Callable[[], tuple[str, Content]] | None:
        reading, topic = self._get_reading(), self._topic
        details = next(iter(self.query(SideDetails)), None)
        if reading is None or details is None:  # The pane may be on its way out.
            return None
        width = max(details.scrollable_content_region.width - 1, 0)
        return lambda: _content(reading, topic, width)

    def _take(self, text: tuple[str, Content]) -> None:
        title, content = text
        self.label(plain(title))
        for details in self.query(SideDetails):
            if content.is_same(self._content):
                break
            self._content = content
            at = details.scroll_offset
            details.show(content)
            details.scroll_to(y=at.y, animate=False)

    def _fail(self) -> None:
        self._take((self._topic.title, plain(self._latest.failure, "$text-error")))

    def on_resize(self) -> None:
        """Wrap the lines to the width."""
        self._latest.ask()


def _content(reading: Reading, topic: Topic, width: int) -> tuple[str, Content]:
    """The title and text of a pane, wrapped to a width."""
    from skillstudio.session.previewing.previewing import make_card

    try:
        subject = reading()
        card = make_card(subject.skill, subject.report)
    except OSError as error:
        line = StyledLine(f"cannot be read: {error.strerror or error}", "error")
        return topic.title, lines_content([line], width)
    if not subject.is_open:
        topic = CARD
    content = lines_content(topic.lines(subject, card), width)
    if topic.has_body and card.body_path:
        content = Content("\n").join([content, *_body(card.body, max(width, _NARROWEST))])
    title = topic.title if subject.is_open else f"{card.name}: {topic.title.lower()}"
    return title, content


def _body(text: str, width: int) -> Iterator[Content]:
    """The start of a body, rendered."""
    from skillstudio.preview.views.markdown import render_markdown
    from skillstudio.tui.widgets.preview.lines import in_sight

    lines = render_markdown(text, width)
    yield from (in_sight(line, 0, width) for line in islice(lines, _MOST_LINES))
    if next(lines, None) is not None:
        yield Content.styled(f"… {_ADVICE}", "dim")


def _describe_edit(subject: Followed, _card: SkillCard) -> Iterator[Part]:
    """What the edit means: the required bump, what targets do, and the last run."""
    if subject.view != "compare":
        if subject.outcome is None:
            yield StyledLine("Changes", "title", remark="comparing…")
        else:
            yield from _bump(subject.outcome)
        yield StyledLine("")
    yield from _targets(subject.targets.values())
    if subject.report is not None and subject.view != "run":
        yield StyledLine("")
        yield from _last_run(subject.report)


def _at_length(subject: Followed, card: SkillCard) -> Iterator[Part]:
    """What the edit means, and the whole interface."""
    from skillstudio.manifest.project import project
    from skillstudio.present.interface import caller_lines

    yield from _describe_edit(subject, card)
    yield StyledLine("")
    lines = caller_lines(project(subject.skill))
    yield from section("Callers", lines, "pass and get", None)


def _as_seen(subject: Followed, card: SkillCard) -> Iterator[Part]:
    """The skill as agents see it; of one that is not open, also what targets do."""
    if not subject.is_open:
        yield from _targets(subject.targets.values())
        yield StyledLine("")
    permissions = (_PERMISSIONS,) if subject.is_open else ()
    yield from islice(_facts(card, (_CONTEXT, *permissions, _PACKED_FILES, _ACTIVATION)), 1, None)


def _whole(subject: Followed, card: SkillCard) -> Iterator[Part]:
    """What the edit means, and what agents see besides the text."""
    yield from _describe_edit(subject, card)
    yield from _facts(card, (_CONTEXT, _ACTIVATION, _PERMISSIONS))


def _facts(card: SkillCard, titles: Collection[str]) -> Iterator[Part]:
    """Sections of a card in this order, each after a blank line; of the body only its heading."""
    from skillstudio.present.card import card_sections

    by_title = {part.title.partition(":")[0]: part for part in card_sections(card)}
    for part in (by_title[title] for title in titles if title in by_title):
        yield StyledLine("")
        # How tokens are estimated is in the card.
        rows = [row for row in part.parts if _is_news(row) and not part.is_body]
        if part.title == _PACKED_FILES:
            rows = [_file(file) for file in card.files]
        yield StyledLine(part.title, "heading", remark=part.remark)
        yield from islice(section("", rows, "", _MOST, _ADVICE), 1, None)


def _file(file: PackedFile) -> StyledLine:
    tokens = f"≈ {file.tokens:,}" if file.tokens is not None else ""
    return StyledLine(file.path, remark=tokens)


def _is_news(line: Part) -> bool:
    return not (isinstance(line, StyledLine) and line.style == "quiet" and not line.lead)


def _targets(answers: Collection[TargetAnswer]) -> Iterator[Part]:
    """What the selected targets do; if none is selected, who of those that look here minds."""
    from skillstudio.present.lines import count
    from skillstudio.present.targets import outcome_lines

    selected_answers = [answer for answer in answers if answer.is_selected]
    if selected_answers:
        yield from section("Targets", outcome_lines(selected_answers), "", _MOST, _TARGETS_ADVICE)
        return
    looking_answers = [answer for answer in answers if answer.looks]
    objections = [
        answer for answer in looking_answers if answer.outcome not in ("loads", NOT_RECORDED)
    ]
    yield StyledLine("Targets", "heading", remark="none selected")
    # What a target does that nobody selected is no problem.
    yield from (line._replace(style="quiet") for line in islice(outcome_lines(objections), _MOST))
    if len(objections) > _MOST:
        yield StyledLine(f"… {len(objections) - _MOST} more; {_TARGETS_ADVICE}", "quiet", 1)
    if loading_count := sum(answer.outcome == "loads" for answer in looking_answers):
        others_text = f"{count(loading_count, 'other')} that look here"
        text = (
            f"{others_text} would load it"
            if objections
            else f"all {loading_count} that look here load it"
        )
        yield StyledLine(text, "quiet", 1, lead="✓")


def _last_run(report: RunReport) -> Iterator[Part]:
    from skillstudio.present.run_report import ReportWords, deed_lines, reason_lines, verdict_line

    lines = (verdict_line(report), *reason_lines(report, ReportWords()), *deed_lines(report))
    yield from section("Last run", lines, "", _MOST, "Run shows everything")


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


SIDE = Topic("What the edit means", _at_length)
CARD = Topic("As agents see it", _as_seen, has_body=True)
WHOLE = Topic("What the edit means", _whole)
