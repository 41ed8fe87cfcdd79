"""Check the length and the links of a SKILL.md body."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from skillstudio.files.paths import normalise
from skillstudio.manifest.dialect import Skill
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.reading.markdown import Markdown
from skillstudio.text.source import Span

MAX_LINES = 500
MAX_TOKENS = 5_000
CHARACTERS_PER_TOKEN = 4
MAX_LINKS = 1_000

_LINK = re.compile(
    r"\]\([ \t]*(?:<([^<>\n]*)>|([^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)*))"
    r"|^ {0,3}\[[^\]\n]{1,200}\]:[ \t]*(?:<([^<>\n]*)>|([^\s<>]+))",
    re.MULTILINE,
)
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|[/#?\\~]")
_TICKS = re.compile(r"`+")
_EXAMPLE = re.compile(r"[{}<>$*|]|\.\.\.")


def check_body(markdown: Markdown, skill: Skill) -> Iterator[Diagnostic]:
    """`body-long` at the body's first line, `link-missing` at each target."""
    yield from _length(markdown)
    yield from _links(markdown, skill)


def _length(markdown: Markdown) -> Iterator[Diagnostic]:
    text, body = markdown.source.text, markdown.body
    characters = body.end - body.start
    if characters <= MAX_LINES:
        return
    tokens = characters // CHARACTERS_PER_TOKEN
    lines = text.count("\n", body.start, body.end) + (not text.endswith("\n"))
    if lines > MAX_LINES:
        message = f"the body has {lines} lines; over {MAX_LINES}, move details to other files"
    elif tokens > MAX_TOKENS:
        message = f"the body is about {tokens} tokens; over {MAX_TOKENS}, move details to files"
    else:
        return
    end = text.find("\n", body.start, body.end)
    yield Diagnostic("body-long", message, Span(body.start, end if end >= 0 else body.end))


def _links(markdown: Markdown, skill: Skill) -> Iterator[Diagnostic]:
    text, body = markdown.source.text, markdown.body
    if "](" not in text and "]:" not in text:
        return
    fences = [fence.inner for fence in markdown.fences]
    starts = [inner.start for inner in fences]
    seen: dict[str, bool] = {}
    code = _CodeSpans(text)
    for count, link in enumerate(_LINK.finditer(text, body.start, body.end)):
        group = link.lastindex
        if group is None or count >= MAX_LINKS:
            break
        target = link.group(group)
        if not target or _ELSEWHERE.match(target) or _EXAMPLE.search(target):
            continue
        at = bisect_right(starts, link.start(group)) - 1
        if at >= 0 and link.start(group) < fences[at].end:
            continue
        if target not in seen:
            seen[target] = _exists(target, skill)
        if not seen[target] and link.start() not in code:
            message = "this link points to a file that does not exist in the skill"
            yield Diagnostic("link-missing", message, Span(*link.span(group)))


def _exists(target: str, skill: Skill) -> bool:
    path = target.partition("#")[0].partition("?")[0]
    if "%" in path:
        from urllib.parse import unquote

        path = unquote(path)
    inside = normalise(path)
    # Targets outside the skill are not checked.
    return not inside or skill.tree.kind(inside) is not None


class _CodeSpans:
    """The code spans of each line; offsets must be tested in the order of the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._end = -1
        """The end of the current line."""
        self._spans: list[Span] = []

    def __contains__(self, offset: int) -> bool:
        if offset > self._end:
            start = self.text.rfind("\n", 0, offset) + 1
            end = self.text.find("\n", offset)
            self._end = end if end >= 0 else len(self.text)
            self._spans = list(_code_spans(self.text, start, self._end))
        at = bisect_right(self._spans, (offset,)) - 1
        return at >= 0 and self._spans[at].start < offset < self._spans[at].end


def _code_spans(text: str, start: int, end: int) -> Iterator[Span]:
    """The code spans of a line: from a run of backticks to the next one of the same length."""
    opening: re.Match[str] | None = None
    for run in _TICKS.finditer(text, start, end):
        if opening is None:
            opening = run
        elif run.group() == opening.group():
            yield Span(opening.start(), run.start())
            opening = None
