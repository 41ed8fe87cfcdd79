"""The outcomes of a skill at targets, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.targets import Reason, worded
from skillstudio.present.lines import LineStyle, Part, StyledLine
from skillstudio.skill.visibility import NOT_FOUND, NOT_RECORDED, TargetAnswer

_MOST_NAMES = 5
_GROUPS: tuple[tuple[tuple[str, ...], str, str, LineStyle], ...] = (
    (("loads",), "accepted by", "✓", "good"),
    (("loads without", "listed without description"), "accepted in part by", "!", "warning"),
    (("dropped", "refused"), "rejected by", "✗", "error"),
)


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


def answer_lines(
    shown: str, where: str, skill: Skill, answers: Sequence[TargetAnswer]
) -> Iterator[Part]:
    """The outcome of a skill at each target, and why; `where` is its folder as clients see it."""
    yield StyledLine(shown, "title", remark=f"clients see it as {where}")
    for manifest in skill.manifests:
        part = "" if manifest.part == "manifest" else f" ({manifest.part})"
        yield StyledLine(f"{manifest.dialect.id}{part}: {manifest.reason}", "", 1)
    if not skill.manifests:
        yield StyledLine("no manifest found", "", 1)
    for answer in answers:
        text, style = _ANSWERS[answer.outcome]
        below = answer.reasons
        if len(below) == 1 and below[0].outcome in (NOT_FOUND, "loads"):
            text, below = f"{text}; {worded(below[0])}", ()
        yield StyledLine(f"{answer.title}: {text}", style)
        for each in below:
            yield StyledLine(worded(each), "", 1, "", _place(skill, each))


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
