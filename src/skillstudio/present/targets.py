"""The outcomes of a skill at targets, as lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.targets import Reason, targets, worded
from skillstudio.present.lines import LineStyle, Part, StyledLine, count
from skillstudio.skill.listing import Listing
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


def listing_text(target: str, listing: Listing) -> str:
    """What skills take of a target's list of skills, what it leaves out, and the fix."""
    title, unit = targets()[target]["title"], listing.unit
    take = "this skill takes" if listing.skills == 1 else f"these {listing.skills:,} skills take"
    text = (
        f"{take} {listing.used:,} of {listing.limit:,} {unit} that {title} lists at a context "
        f"window of {listing.window:,} tokens"
    )
    if not listing.is_exceeded:
        return text
    if listing.dropped:
        several = count(listing.dropped, "description")
        text += f", so it leaves out at least {several}, of the skills used least"
    else:
        cut = sorted(listing.cut.items(), key=lambda item: -item[1])
        named = ", ".join(f"{name} by {number:,}" for name, number in cut[:_MOST_NAMES])
        more = f" and {len(cut) - _MOST_NAMES} more" if len(cut) > _MOST_NAMES else ""
        text += f", so it cuts descriptions, in characters: {named}{more}"
    return f"{text}; shorten the descriptions by {listing.used - listing.limit:,} {unit}"


def answer_lines(
    shown: str,
    where: str,
    skill: Skill,
    answers: Sequence[TargetAnswer],
    taken: Mapping[str, Listing],
) -> Iterator[Part]:
    """The outcome of a skill at each target, and why; `where` is its folder as clients see it.

    `taken` is what all skills of that folder take of the listings of targets.
    """
    yield StyledLine(shown, "title", remark=f"clients see it as {where}")
    if reason := skill.settings.selected_by:
        selected = ", ".join(skill.settings.targets)
        yield StyledLine(f"selected targets: {selected} ({reason})", "", 1)
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
        if answer.target in taken and answer.outcome != NOT_FOUND:
            yield StyledLine(listing_text(answer.target, taken[answer.target]), "quiet", 1)


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
