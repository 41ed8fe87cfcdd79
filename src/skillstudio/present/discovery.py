"""Discovery: which skills match a prompt, why, and which ones compete."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from skillstudio.present.lines import Part, StyledLine, count
from skillstudio.preview.discovery.find import (
    Competing,
    Discovery,
    FoundSkill,
    Injected,
    Match,
    Rule,
)

TITLE = "Discovery: which skills match this prompt?"
NOWHERE = "no word of the prompt is in its topics, its capability tags or its description"
_RULES: dict[Rule, str] = {
    "topic-exact": "topic",
    "topic-fuzzy": "similar topic",
    "topic-synonym": "synonym of topic",
    "capability": "capability",
    "description": "description",
}


def discovery_lines(found: Discovery) -> Iterator[Part]:
    """Each matching skill with its reasons, then the skills that do not match."""
    names = {each.path: each.name for each in found.found}
    for each in found.found:
        priority = f"  priority {each.priority}" if each.priority is not None else ""
        yield StyledLine(each.name, "heading", remark=f"({each.path}){priority}")
        for reason in reason_lines(each, rivals_of(each, found), names):
            yield reason._replace(indent=reason.indent + 1)
    if found.missed:
        yield StyledLine(", ".join(found.missed), "quiet", lead="no match:")
    yield from (StyledLine(each, "warning", lead="note:") for each in found.notes)
    yield StyledLine(summary_text(found))


def summary_text(found: Discovery) -> str:
    """How many skills match, and how many of them compete."""
    number = len(found.found) + len(found.missed)
    if not found.words:
        return "the prompt has no words"
    text = f"{len(found.found):,} of {count(number, 'skill')} match"
    rivals = {path for pair in found.competing for path in (pair.one, pair.other)}
    return f"{text}, {len(rivals):,} compete" if rivals else text


def rivals_of(found: FoundSkill, among: Discovery) -> list[Competing]:
    """The pairs that a skill is one of, as seen from it."""
    pairs = [pair for pair in among.competing if found.path in (pair.one, pair.other)]
    return [
        pair
        if pair.one == found.path
        else pair._replace(one=pair.other, other=pair.one, scores=(pair.scores[1], pair.scores[0]))
        for pair in pairs
    ]


def reason_lines(
    found: FoundSkill, rivals: Sequence[Competing], names: Mapping[str, str]
) -> Iterator[StyledLine]:
    """Why a skill matches, the skills that compete with it, and the knowledge that it adds."""
    for match in found.matches:
        yield StyledLine(match_text(match))
        if match.note:
            yield StyledLine(match.note, "quiet", 1)
    for pair in rivals:
        yield StyledLine(f"{names[pair.other]} ({pair.other})", "warning", lead="competes with")
        yield StyledLine(competing_text(pair), "quiet", 1)
    for each in found.injected:
        yield StyledLine(each.path, lead="knowledge", remark=injected_text(each))


def match_text(match: Match) -> str:
    """What matches in the prompt; `match.note` may have more."""
    words = ", ".join(match.words)
    name = _RULES[match.rule]
    if match.rule == "description":
        return f"{name} {match.score:.2f}: {words}"
    text = f"{name} {match.subject}"
    if match.rule == "topic-fuzzy":
        return f"{text}: {words} differs by {count(int(match.score), 'letter')}"
    return f"{text}: {words}" if match.rule == "topic-synonym" else text


def injected_text(each: Injected) -> str:
    """How much of a knowledge file is put into the context."""
    if each.taken == each.tokens:
        return f"about {count(each.tokens, 'token')}"
    if each.taken:
        return f"about {each.taken:,} of {each.tokens:,} tokens: cut by the token budget"
    return "left out: the budget is used up"


def competing_text(pair: Competing) -> str:
    """How similar two skills are to the prompt and to each other, and the words they share."""
    words = f": {', '.join(pair.words)}" if pair.words else ""
    return f"{pair.scores[0]:.2f} and {pair.scores[1]:.2f}, similarity {pair.alike:.2f}{words}"
