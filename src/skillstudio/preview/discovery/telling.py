"""Describe why a skill matches a prompt, for the CLI and the TUI."""

from __future__ import annotations

from skillstudio.preview.discovery.find import Competing, Injected
from skillstudio.preview.discovery.topics import Match, Rule

_RULES: dict[Rule, str] = {
    "topic-exact": "topic",
    "topic-fuzzy": "topic (similar spelling)",
    "topic-synonym": "topic (synonym)",
    "capability": "capability",
    "description": "description",
}


def match_text(match: Match) -> str:
    """The match in the prompt; `match.note` can have details."""
    words = ", ".join(match.words)
    name = _RULES[match.rule]
    if match.rule == "description":
        return f"{name} {match.score:.2f}: {words}"
    told = f"{name} {match.subject}"
    if match.rule == "topic-fuzzy":
        return f"{told}: {words} is {int(match.score)} letter{'s' if match.score != 1 else ''} away"
    return f"{told}: {words}" if match.rule == "topic-synonym" else told


def injected_text(each: Injected) -> str:
    """How much of a knowledge file is loaded."""
    if each.taken == each.tokens:
        return f"about {each.tokens:,} tokens"
    if each.taken:
        return f"about {each.taken:,} of {each.tokens:,} tokens: cut by the token budget"
    return "not loaded: the token budget is used up"


def competing_text(pair: Competing) -> str:
    """The similarities of both to the prompt and to each other, and the shared words."""
    words = f": {', '.join(pair.words)}" if pair.words else ""
    return f"{pair.scores[0]:.2f} and {pair.scores[1]:.2f}, similarity {pair.alike:.2f}{words}"
