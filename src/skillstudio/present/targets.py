"""The outcomes of a skill at targets, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.targets import OUTCOMES, Reason, TargetOutcome, targets, worded
from skillstudio.present.lines import LineStyle, Part, StyledLine
from skillstudio.settings.settings import SkillSettings
from skillstudio.skill.listing import listing_text
from skillstudio.skill.visibility import NOT_FOUND, NOT_RECORDED, TargetAnswer, Visibility
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.source import Span

_MOST_NAMES = 5
_FEW_NAMES = 2
_GROUPS: tuple[tuple[tuple[str, ...], str, str, LineStyle], ...] = (
    (("loads",), "accepted by", "✓", "good"),
    (("loads without", "listed without description"), "accepted in part by", "!", "warning"),
    (("dropped", "refused"), "rejected by", "✗", "error"),
)

_SIGNS = {kind: sign for kinds, _, sign, _ in _GROUPS for kind in kinds}
OUTCOME_STYLES: dict[str, LineStyle] = {
    kind: style for kinds, _, _, style in _GROUPS[::-1] for kind in kinds
}
"""The style of each outcome, the worst first."""


def outcome_sign(outcome: str) -> str:
    """The sign of an outcome: accepted, accepted in part, or rejected."""
    return _SIGNS[outcome]


def target_lines(outcomes: Mapping[str, str]) -> list[StyledLine]:
    """The targets that accept a skill, that accept it in part, and that reject it."""
    found = []
    for kinds, lead, glyph, style in _GROUPS:
        names = [name for name, outcome in outcomes.items() if outcome in kinds]
        if len(names) == len(outcomes) > 1:
            text = f"{glyph} all {len(names)} targets"
        elif len(names) > _MOST_NAMES:
            text = f"{glyph} {len(names)} of {len(outcomes)} targets"
        else:
            text = " ".join(f"{glyph} {name}" for name in names)
        if names:
            found.append(StyledLine(text, style, lead=lead))
    return found


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


def at_targets(diagnostic: Diagnostic, outcomes: Mapping[str, TargetOutcome]) -> str:
    """What each of some targets makes of a problem, in one line; "" if none minds it."""
    place = diagnostic.span
    titles: dict[str, list[str]] = {}
    for id_, outcome in outcomes.items():
        here = [reason.outcome for reason in outcome.reasons if _is_at(reason.span, place)]
        if here:
            worst = min(here, key=OUTCOMES.index)
            titles.setdefault(worst, []).append(str(targets()[id_]["title"]))
    if not titles:
        return ""
    parts = [_together(titles[kind], verbs) for kind, verbs in _VERBS.items() if kind in titles]
    rest = len(outcomes) - sum(map(len, titles.values()))
    if rest:
        parts.append("1 other loads it" if rest == 1 else f"{rest} others load it")
    return " · ".join(parts)


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


class AnswerRow(NamedTuple):
    """A line of the answer of a target, and the reason that it is about."""

    line: StyledLine
    answer: TargetAnswer
    reason: Reason | None = None


def answer_lines(shown: str, skill: Skill, seen: Visibility) -> Iterator[Part]:
    """The outcome of a skill at each target, and why."""
    yield StyledLine(shown, "title", remark=f"clients see it as {seen.where}")
    if selected := selected_text(skill.settings):
        yield StyledLine(selected, "", 1)
    for manifest in skill.manifests:
        part = "" if manifest.part == "manifest" else f" ({manifest.part})"
        yield StyledLine(f"{manifest.dialect.id}{part}: {manifest.reason}", "", 1)
    if not skill.manifests:
        yield StyledLine("no manifest found", "", 1)
    for row in answer_rows(skill, seen):
        yield row.line


def selected_text(settings: SkillSettings) -> str:
    """The selected targets and why they are; "" if none is."""
    if not settings.selected_by:
        return ""
    return f"selected targets: {', '.join(settings.targets)} ({settings.selected_by})"


def answer_rows(skill: Skill, seen: Visibility) -> Iterator[AnswerRow]:
    """The lines of each answer: the outcome, the reasons with their places, and the listing."""
    for answer in seen.answers:
        text, style = _ANSWERS[answer.outcome]
        below, only = answer.reasons, None
        if len(below) == 1 and below[0].outcome in (NOT_FOUND, "loads"):
            only, below = below[0], ()
            text = f"{text}; {worded(only)}"
        yield AnswerRow(StyledLine(f"{answer.title}: {text}", style), answer, only)
        for each in below:
            line = StyledLine(worded(each), "", 1, "", _place(skill, each))
            yield AnswerRow(line, answer, each)
        if answer.target in seen.taken and answer.outcome != NOT_FOUND:
            listing = listing_text(answer.target, seen.taken[answer.target])
            yield AnswerRow(StyledLine(listing, "quiet", 1), answer)


def _place(skill: Skill, reason: Reason) -> str:
    if skill.markdown is None or reason.span is None:
        return ""
    source = skill.markdown.source
    line, column = source.position(reason.span.start)
    return f"{source.path}:{line}:{column}"


_ANSWERS: dict[str, tuple[str, LineStyle]] = {
    "loads": ("loads it", "good"),
    "loads without": ("loads it without a part of it", "warning"),
    "listed without description": ("lists it without its description", "warning"),
    "dropped": ("ignores it", "error"),
    "refused": ("refuses it", "error"),
    NOT_FOUND: ("does not find it", "error"),
    NOT_RECORDED: ("finds it; how it reads SKILL.md is not recorded", ""),
}
