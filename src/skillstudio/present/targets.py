"""Targets: which ones accept a skill, and what each makes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.targets import Reason, worded
from skillstudio.present.lines import LineStyle, Part, StyledLine
from skillstudio.skill.visibility import NOT_FOUND, NOT_RECORDED, TargetAnswer


def target_lines(targets: Mapping[str, bool]) -> list[StyledLine]:
    """The targets that accept a skill, and those that reject it."""
    kinds: tuple[tuple[bool, str, str, LineStyle], ...] = (
        (True, "accepted by", "✓", "good"),
        (False, "rejected by", "✗", "error"),
    )
    found = []
    for verdict, lead, glyph, style in kinds:
        names = [name for name, accepted in targets.items() if accepted is verdict]
        if names:
            every = len(names) == len(targets) > 1
            text = " ".join(f"{glyph} {name}" for name in names)
            text = f"{glyph} all {len(names)} targets" if every else text
            found.append(StyledLine(text, style, lead=lead))
    return found


def answer_lines(
    shown: str,
    where: str,
    skill: Skill,
    answers: Sequence[TargetAnswer],
    place: Callable[[Reason], str],
) -> Iterator[Part]:
    """What each target makes of a skill, and why; `where` is its folder as clients see it."""
    yield StyledLine(shown, "title", remark=f"clients see it as {where}")
    for manifest in skill.manifests:
        part = "" if manifest.part == "manifest" else f" ({manifest.part})"
        yield StyledLine(f"{manifest.dialect.id}{part}: {manifest.reason}", "", 1)
    if not skill.manifests:
        yield StyledLine("no manifest found", "", 1)
    for answer in answers:
        text, style = _ANSWERS[answer.outcome]
        yield StyledLine(f"{answer.title}: {text}", style)
        for each in answer.reasons:
            yield StyledLine(worded(each), "", 1, "", place(each))


_ANSWERS: dict[str, tuple[str, LineStyle]] = {
    "loads": ("loads it", "good"),
    "loads without": ("loads it without some of it", "warning"),
    "listed without description": ("loads it by name only", "warning"),
    "dropped": ("ignores it", "error"),
    "refused": ("refuses it", "error"),
    NOT_FOUND: ("does not find it", "error"),
    NOT_RECORDED: ("finds it; how it reads SKILL.md is not recorded", ""),
}
