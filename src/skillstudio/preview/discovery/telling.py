"""Why a prompt finds a skill, in words: the same for the command line and the workbench."""

from __future__ import annotations

from skillstudio.preview.discovery.find import Competing, Injected
from skillstudio.preview.discovery.topics import Match, Rule

_RULES: dict[Rule, str] = {
    "topic-exact": "topic",
    "topic-fuzzy": "topic, nearly",
    "topic-synonym": "topic, by synonym",
    "capability": "capability",
    "description": "description",
}


def match_text(match: Match) -> str:
    """What was found in the prompt; `match.note` may have more."""
    words = ", ".join(match.words)
    name = _RULES[match.rule]
    if match.rule == "description":
        return f"{name} {match.score:.2f}: {words}"
    told = f"{name} {match.subject}"
    if match.rule == "topic-fuzzy":
        return f"{told}: {words} is {int(match.score)} letter{'s' if match.score != 1 else ''} away"
    return f"{told}: {words}" if match.rule == "topic-synonym" else told


def injected_text(each: Injected) -> str:
    """How much of a file of knowledge is put before the model."""
    if each.taken == each.tokens:
        return f"about {each.tokens:,} tokens"
    if each.taken:
        return f"about {each.taken:,} of {each.tokens:,} tokens: the budget ends here"
    return "left out: the budget is used up"


def competing_text(pair: Competing) -> str:
    """How near both are to the prompt and to each other, and the words that they share with it."""
    words = f": {', '.join(pair.words)}" if pair.words else ""
    return f"{pair.scores[0]:.2f} and {pair.scores[1]:.2f}, alike {pair.alike:.2f}{words}"
