"""Which skills for caro have topics that match a prompt, and why."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.present.lines import Part, StyledLine, count
from skillstudio.preview.topics.match import LoadedKnowledge, PromptMatches, TopicMatch


def topic_lines(matches: PromptMatches) -> Iterator[Part]:
    """Each matching skill with its reasons, then the skills that do not match."""
    for skill in matches.matching:
        remark = f"({skill.path})  priority {skill.priority}"
        yield StyledLine(skill.name, "heading", remark=remark)
        for match in skill.matches:
            yield StyledLine(_match_text(match), indent=1)
            if match.note:
                yield StyledLine(match.note, "quiet", 2)
        for file in skill.knowledge:
            yield StyledLine(file.path, "", 1, lead="knowledge", remark=_knowledge_text(file))
    if matches.others:
        yield StyledLine(", ".join(matches.others), "quiet", lead="no match:")
    yield from (StyledLine(note, "warning", lead="note:") for note in matches.notes)
    number = len(matches.matching) + len(matches.others)
    summary = f"{len(matches.matching):,} of {count(number, 'skill')} match"
    yield StyledLine(summary if matches.words else "the prompt has no words")


def _match_text(match: TopicMatch) -> str:
    words = ", ".join(match.words)
    if match.rule == "topic-fuzzy":
        differs = f"{words} differs by {count(match.distance, 'letter')}"
        return f"similar topic {match.topic}: {differs}"
    if match.rule == "topic-synonym":
        return f"synonym of topic {match.topic}: {words}"
    return f"topic {match.topic}"


def _knowledge_text(file: LoadedKnowledge) -> str:
    """How much of a knowledge file is put into the context."""
    if file.taken == file.tokens:
        return f"about {count(file.tokens, 'token')}"
    if file.taken:
        return f"about {file.taken:,} of {file.tokens:,} tokens: cut by the token budget"
    return "left out: the budget is used up"
