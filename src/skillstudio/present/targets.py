"""Targets: which ones accept a skill, and what each client does with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from skillstudio.manifest.dialect import Skill
from skillstudio.present.lines import LineStyle, Part, StyledLine
from skillstudio.skill.visibility import ClientAnswer, Obstacle


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
            text = " ".join(f"{glyph} {name}" for name in names)
            found.append(StyledLine(text, style, lead=lead))
    return found


def client_lines(
    shown: str,
    where: str,
    skill: Skill,
    answers: Sequence[ClientAnswer],
    place: Callable[[Obstacle], str],
) -> Iterator[Part]:
    """What each client does with a skill, and why; `where` is its folder as clients see it."""
    yield StyledLine(shown, "title", remark=f"clients see it as {where}")
    for manifest in skill.manifests:
        part = "" if manifest.part == "manifest" else f" ({manifest.part})"
        yield StyledLine(f"{manifest.dialect.id}{part}: {manifest.reason}", "", 1)
    if not skill.manifests:
        yield StyledLine("no manifest found", "", 1)
    for answer in answers:
        verdict, style = _verdict(answer)
        yield StyledLine(f"{answer.title}: {verdict}", style)
        for each in answer.obstacles:
            yield StyledLine(each.reason, "", 1, f"{each.step}:", place(each))


def _verdict(answer: ClientAnswer) -> tuple[str, LineStyle]:
    if answer.loaded:
        return "loads it", "good"
    if answer.found and answer.listed:
        return "lists it; does not load it by default", "warning"
    if not answer.found:
        return "does not find it", "error"
    return ("does not list it" if answer.parsed else "cannot read it"), "error"
