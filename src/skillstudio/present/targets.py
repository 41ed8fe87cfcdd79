"""The outcomes of a skill at targets, as lines."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.targets import (
    OUTCOMES,
    Reason,
    cite_sources,
    is_reason_of,
    render_reason,
    targets,
)
from skillstudio.present.lines import LineStyle, StyledLine
from skillstudio.settings.settings import SkillSettings
from skillstudio.skill.listing import listing_text
from skillstudio.skill.outcomes import NOT_FOUND, NOT_RECORDED, TargetAnswer
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.source import Span

if TYPE_CHECKING:
    from skillstudio.skill.visibility import Visibility

_MOST_NAMES = 5
_FEW_NAMES = 2


class _OutcomeGroup(NamedTuple):
    """Outcomes with one sign, and the words before the targets that have them."""

    outcomes: tuple[str, ...]
    lead: str
    sign: str
    style: LineStyle


_GROUPS = (
    _OutcomeGroup(("loads",), "accepted by", "✓", "good"),
    _OutcomeGroup(
        ("loads without", "listed without description"), "accepted in part by", "!", "warning"
    ),
    _OutcomeGroup(("dropped", "refused"), "rejected by", "✗", "error"),
    _OutcomeGroup((NOT_FOUND,), "", "○", "quiet"),
)
_WORST_FIRST = "✗!✓○"
_SIGNS = {kind: group.sign for group in _GROUPS for kind in group.outcomes} | {NOT_RECORDED: "–"}
OUTCOME_STYLES: dict[str, LineStyle] = {
    outcome: group.style
    for group in sorted(_GROUPS, key=lambda group: _WORST_FIRST.index(group.sign))
    for outcome in group.outcomes
}
"""The style of each outcome, the worst first."""
OUTCOME_VERBS: dict[str, tuple[str, str]] = {
    "loads": ("loads it", "load it"),
    "loads without": ("loads it without a part of it", "load it without a part of it"),
    "listed without description": (
        "lists it without its description",
        "list it without its description",
    ),
    "dropped": ("ignores it", "ignore it"),
    "refused": ("refuses it", "refuse it"),
    NOT_FOUND: ("looks elsewhere", "look elsewhere"),
    NOT_RECORDED: (
        "finds it; how it reads SKILL.md is not recorded",
        "find it; how they read SKILL.md is not recorded",
    ),
}
"""What one target and several do with a skill."""


def outcome_sign(outcome: str) -> str:
    """The sign of an outcome: accepted, in part, rejected, not at this place, or not recorded."""
    return _SIGNS[outcome]


def short_name(target: str) -> str:
    """The id of a target, or its title where that is what people call it, such as `claude.ai`."""
    title = str(targets()[target]["title"]) if target in targets() else ""
    return title if title and title == title.lower() and " " not in title else target


def target_lines(outcomes: Mapping[str, str]) -> list[StyledLine]:
    """The targets that accept a skill, accept it in part, reject it, and that look elsewhere.

    Those whose reading of SKILL.md is not recorded are left out.
    """
    lines = []
    total = sum(outcome != NOT_RECORDED for outcome in outcomes.values())
    for group in _GROUPS:
        sign, style = group.sign, group.style
        names = [short_name(id) for id, outcome in outcomes.items() if outcome in group.outcomes]
        if not names:
            continue
        if NOT_FOUND in group.outcomes:
            lines.append(StyledLine(f"{sign} {_looking_elsewhere(names)}", style))
            continue
        if len(names) == total > 1:
            text = f"{sign} all {total} targets"
        elif len(names) > _MOST_NAMES:
            text = f"{sign} {len(names)} of {total} targets"
        else:
            text = " ".join(f"{sign} {name}" for name in names)
        lines.append(StyledLine(text, style, lead=group.lead))
    return lines


def _looking_elsewhere(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"{names[0]} looks elsewhere"
    few = len(names) <= _FEW_NAMES
    return f"{' and '.join(names) if few else len(names)} look elsewhere"


class TargetChip(NamedTuple):
    """The targets of one outcome on the edge of a pane: in words, shorter, and as a number."""

    texts: tuple[str, str, str]
    style: LineStyle


def target_chips(outcomes: Mapping[str, str]) -> list[TargetChip]:
    """The targets by outcome, worst first."""
    chips: list[TargetChip] = []
    for line in sorted(target_lines(outcomes), key=lambda line: _WORST_FIRST.index(line.text[0])):
        sign, _, words = line.text.partition(" ")
        number = sum(outcome_sign(outcome) == sign for outcome in outcomes.values())
        short = line.text
        if sign == "○":
            short = f"○ {words.partition(' ')[0] if number == 1 else number} elsewhere"
        elif words[0].isdecimal() and chips:
            short = f"{sign} {number} more"
        full = short if chips and sign != "○" else line.text
        chips.append(TargetChip((full, short, f"{sign} {number}"), line.style))
    return chips


def unseen_line(skills: Sequence[str]) -> StyledLine:
    """The skills, by their paths, at which no selected target looks."""
    names = ", ".join(skills[:_MOST_NAMES])
    if len(skills) > _MOST_NAMES:
        names += f" and {len(skills) - _MOST_NAMES:,} more"
    advice = "skillstudio why PATH prints where they look"
    return StyledLine(f"○ no selected target looks at {names}; {advice}", "quiet")


_VERBS: dict[str, tuple[str, str]] = {
    "refused": ("refuses the skill", "refuse the skill"),
    "dropped": ("ignores the skill", "ignore the skill"),
    "listed without description": (
        "lists it without its description",
        "list it without its description",
    ),
    "loads without": ("loads it without this", "load it without this"),
}
"""What one target and several make of a problem, worst first."""


def at_targets(diagnostic: Diagnostic, answers: Mapping[str, TargetAnswer]) -> str:
    """What targets that look at a skill make of a problem, in one line; "" if none minds it, or
    the problem is what one makes of another."""
    titles: dict[str, list[str]] = {}
    for answer, outcome in find_affected(diagnostic, answers):
        titles.setdefault(outcome, []).append(answer.title)
    if not titles:
        return ""
    parts = [_together(titles[kind], verbs) for kind, verbs in _VERBS.items() if kind in titles]
    rest = len(_filter_looking(answers)) - sum(map(len, titles.values()))
    if rest:
        parts.append("1 other loads it" if rest == 1 else f"{rest} others load it")
    return " · ".join(parts)


def find_affected(
    diagnostic: Diagnostic, answers: Mapping[str, TargetAnswer]
) -> list[tuple[TargetAnswer, str]]:
    """The targets that look at a skill and do not load the whole of it because of a problem, with
    the worst outcome of each; none if the problem is what one makes of another."""
    if diagnostic.rule.startswith("target-"):
        return []
    rows = []
    for answer in _filter_looking(answers):
        outcomes = [
            reason.outcome
            for reason in answer.reasons
            if reason.outcome in OUTCOMES and _is_at(reason.span, diagnostic.span)
        ]
        if outcomes:
            rows.append((answer, min(outcomes, key=OUTCOMES.index)))
    return rows


def _filter_looking(answers: Mapping[str, TargetAnswer]) -> list[TargetAnswer]:
    unknown = (NOT_FOUND, NOT_RECORDED)
    return [answer for answer in answers.values() if answer.outcome not in unknown]


def refusals_at(
    diagnostic: Diagnostic, answers: Mapping[str, TargetAnswer]
) -> list[tuple[TargetAnswer, Reason]]:
    """The selected targets that refuse a skill at the place of a refusal, and why."""
    if diagnostic.rule != "target-refused":
        return []
    return [
        (answer, reason)
        for answer in answers.values()
        if answer.is_selected
        for reason in answer.reasons
        if is_reason_of(diagnostic, reason)
    ]


def evidence_lines(diagnostic: Diagnostic, answers: Mapping[str, TargetAnswer]) -> list[str]:
    """Where it is stated that selected targets refuse a skill for the reason of a refusal."""
    return [
        f"{answer.title}: {cite_sources(answer.target, reason.evidence)}"
        for answer, reason in refusals_at(diagnostic, answers)
    ]


def _is_at(place: Span | None, other: Span | None) -> bool:
    """Whether two places have something in common."""
    return (
        place is not None
        and other is not None
        and (place.start <= other.end and other.start <= place.end)
    )


def _together(titles: Sequence[str], verbs: tuple[str, str]) -> str:
    """Some targets, by name if they are few, and what they do."""
    if len(titles) > _FEW_NAMES:
        return f"{len(titles)} targets {verbs[1]}"
    return f"{' and '.join(titles)} {verbs[len(titles) > 1]}"


class AnswerGroup(NamedTuple):
    """The targets that belong together; only the names are shown of those that are folded."""

    title: str
    answers: Sequence[TargetAnswer]
    is_folded: bool = False
    remark: str = ""
    about: str = ""  # What the title means.

    @property
    def names(self) -> list[str]:
        return [short_name(answer.target) for answer in self.answers]


def answer_groups(settings: SkillSettings, answers: Collection[TargetAnswer]) -> list[AnswerGroup]:
    """The selected targets, else those that look at the skill; then the others, folded."""
    selected_answers = [answer for answer in answers if answer.is_selected]
    here = [answer for answer in answers if not answer.is_selected and answer.looks]
    elsewhere = [answer for answer in answers if not answer.is_selected and not answer.looks]
    groups = []
    if selected_answers:
        groups = [
            AnswerGroup("Yours", _worst_first(selected_answers), remark=settings.selected_by),
            AnswerGroup(
                "Would load it",
                [a for a in here if a.outcome in OUTCOMES[2:]],
                True,
                about="targets that load the skill here, but are not selected",
            ),
            AnswerGroup(
                "Would reject it",
                [a for a in here if a.outcome in OUTCOMES[:2]],
                True,
                about="targets that refuse or ignore the skill here, but are not selected",
            ),
            AnswerGroup(
                "Not recorded",
                [a for a in here if a.outcome == NOT_RECORDED],
                True,
                about="targets that find the skill; how they read SKILL.md is not recorded",
            ),
        ]
    else:
        groups = [AnswerGroup("Look here", _worst_first(here), remark="no targets are selected")]
    about = "targets that look in other folders; they find a copy or a link there"
    groups.append(AnswerGroup("Look elsewhere", elsewhere, True, about=about))
    return [group for group in groups if group.answers]


def _worst_first(answers: Collection[TargetAnswer]) -> list[TargetAnswer]:
    order = (*OUTCOMES, NOT_FOUND, NOT_RECORDED)
    return sorted(answers, key=lambda answer: order.index(answer.outcome))


class AnswerRow(NamedTuple):
    """A line of the answer of a target, and the reason that it is about."""

    line: StyledLine
    answer: TargetAnswer
    reason: Reason | None = None


def outcome_lines(answers: Collection[TargetAnswer]) -> Iterator[StyledLine]:
    """What each of some targets does with a skill, the worst first."""
    for answer in _worst_first(answers):
        text, style = _outcome(answer)
        sign = outcome_sign(answer.outcome)
        yield StyledLine(f"{answer.title} {text}", style, 1, lead=sign)


def answer_rows(
    skill: Skill, answers: Sequence[TargetAnswer], visibility: Visibility
) -> Iterator[AnswerRow]:
    """The lines of some answers: the outcome, the reasons with their places, and the listing. The
    reasons that an earlier target has, too, are one line that names it."""
    first_titles: dict[tuple[tuple[str, str], ...], str] = {}
    for answer in answers:
        text, style = _outcome(answer)
        reasons, only = answer.reasons, None
        if not answer.looks and not answer.is_selected:
            # What it would do with the text is not its judgement of a skill that it does not see.
            reasons = tuple(reason for reason in reasons if reason.outcome == NOT_FOUND)
        if len(reasons) == 1 and reasons[0].outcome in (NOT_FOUND, "loads"):
            only, reasons = reasons[0], ()
            text = f"{text}; {render_reason(only)}"
        sign = outcome_sign(answer.outcome)
        line = StyledLine(f"{answer.title}: {text}", style, lead=sign)
        yield AnswerRow(line, answer, only)
        texts = tuple((render_reason(reason), reason_place(skill, reason)) for reason in reasons)
        if texts and texts in first_titles:
            line = StyledLine(f"the same as {first_titles[texts]}", "quiet", 1, "", texts[0][1])
            yield AnswerRow(line, answer, reasons[0])
        else:
            first_titles[texts] = answer.title
            for reason, (text, place) in zip(reasons, texts, strict=True):
                yield AnswerRow(StyledLine(text, "", 1, "", place), answer, reason)
        if answer.target in visibility.listings and answer.outcome != NOT_FOUND:
            listing = listing_text(answer.target, visibility.listings[answer.target])
            yield AnswerRow(StyledLine(listing, "quiet", 1), answer)


def _outcome(answer: TargetAnswer) -> tuple[str, LineStyle]:
    """What a target does with a skill, and the style of it."""
    text, style = OUTCOME_VERBS[answer.outcome][0], OUTCOME_STYLES.get(answer.outcome, "")
    if answer.is_selected and not answer.looks:
        text = f"looks elsewhere, and would {OUTCOME_VERBS[answer.installed][1]} there"
    return text, style


def reason_place(skill: Skill, reason: Reason) -> str:
    """The file, line and column of a reason, "" without a place."""
    if skill.markdown is None or reason.span is None:
        return ""
    source = skill.markdown.source
    line, column = source.position(reason.span.start)
    return f"{source.path}:{line}:{column}"
