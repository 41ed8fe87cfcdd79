"""Advice on the body of a SKILL.md: how long it is, and where its links lead."""

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
        if not seen[target] and not _in_code(text, link.start()):
            yield Diagnostic(
                "link-missing",
                "this link leads to no file of the skill",
                Span(*link.span(group)),
            )


def _exists(target: str, skill: Skill) -> bool:
    path = target.partition("#")[0].partition("?")[0]
    if "%" in path:
        from urllib.parse import unquote

        path = unquote(path)
    inside = normalise(path)
    # What lies beside the skill is not ours to look for.
    return not inside or skill.tree.kind(inside) is not None


def _in_code(text: str, offset: int) -> bool:
    """Whether an offset lies in a code span of its line."""
    start = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    line = text[start : end if end >= 0 else len(text)]
    at, open_run = 0, ""
    for run in re.finditer(r"`+", line):
        if not open_run:
            open_run, at = run.group(), run.start()
        elif run.group() == open_run:
            if at < offset - start < run.start():
                return True
            open_run = ""
    return False
