"""Find frontmatter that does not start a file as it must, and how to move it there."""

from __future__ import annotations

import re

from skillstudio.text.node import Fault

_MOST = 16 * 1024  # Characters in which frontmatter is looked for.
_BEFORE = re.compile(r"(?:\s|<!--(?:(?!-->)[\s\S])*+-->)++(?=---[ \t]*[\r\n])")
_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*(?:ya?ml|markdown|md)?[ \t]*(?:\r\n|\r|\n)")
_DASHES = re.compile(r"-{3,}(?=[ \t]*(?:[\r\n]|$))")
_LINE = re.compile(r"^[ \t]*(-{3,})[ \t]*$", re.MULTILINE)
_KEYS = re.compile(r"^[ \t]*(?:name|description)[ \t]*:", re.MULTILINE)
_KEY = re.compile(r"(?:name|description)[ \t]*:")
_TOML = re.compile(r"\+\+\+[ \t]*[\r\n]")
_START = "start the file with a --- line"


def diagnose_missing(text: str, first: int) -> Fault:
    """`frontmatter-missing` for a text from an offset on, with edits if it has frontmatter
    elsewhere."""
    text = text[: first + _MOST]
    for look in (_after_something, _in_fence, _without_opening, _of_more_dashes):
        if (fault := look(text, first)) is not None:
            return fault
    if _TOML.match(text, first):
        message = "+++ starts TOML, which agents do not read: write YAML between two --- lines"
        return Fault("frontmatter-missing", message, first, first + 3)
    return Fault("frontmatter-missing", f"missing frontmatter: {_START}", 0, 0)


def _fault(start: int, end: int, message: str, title: str, *edits: tuple[int, int, str]) -> Fault:
    return Fault("frontmatter-missing", message, start, end, title, edits, True)


def _find_closing_line(text: str, start: int) -> re.Match[str] | None:
    """The next line of dashes below keys of a skill."""
    closes = _LINE.search(text, start)
    return closes if closes and _KEYS.search(text, start, closes.start()) else None


def _after_something(text: str, first: int) -> Fault | None:
    before = _BEFORE.match(text, first)
    closes = _find_closing_line(text, before.end() + 3) if before else None
    if before is None or closes is None:
        return None
    message = "nothing may be before the frontmatter, and agents read none here"
    edits = [(first, before.end(), "")]
    if closes.start() < closes.start(1):
        edits.append((closes.start(), closes.start(1), ""))
    title = "Remove what is before it"
    if comments := before[0].strip():
        title = "Move the comment below it"
        edits.append((closes.end(), closes.end(), f"\n\n{comments}"))
    start = before.end()
    return _fault(start, start + 3, f"{message}: {title[0].lower()}{title[1:]}", title, *edits)


def _in_fence(text: str, first: int) -> Fault | None:
    fence = _FENCE.match(text, first)
    if fence is None:
        return None
    ends = re.compile(rf"^{re.escape(fence[1])}[ \t]*$", re.MULTILINE).search(text, fence.end())
    if ends is None or not _KEYS.search(text, fence.end(), ends.start()):
        return None
    message = "a fence hides the frontmatter from agents"
    if _DASHES.match(text, fence.end()):
        title = "Remove the fence"
        after = re.compile(r"[ \t]*(?:\r\n|\r|\n)?").match(text, ends.end())
        edits = [(first, fence.end(), ""), (ends.start(), after.end() if after else ends.end(), "")]
    elif _KEY.match(text, fence.end()):
        title = "Write --- lines instead of the fence"
        edits = [(first, first + len(fence[0].rstrip()), "---"), (*ends.span(), "---")]
    else:
        return None
    return _fault(first, first + len(fence[1]), f"{message}: {title.lower()}", title, *edits)


def _without_opening(text: str, first: int) -> Fault | None:
    key = _KEY.match(text, first)
    closes = _find_closing_line(text, first) if key else None
    if key is None or closes is None:
        return None
    message = "the --- line above the first key is missing; agents read no frontmatter without it"
    return _fault(first, key.end(), message, "Insert it", (first, first, "---\n"))


def _of_more_dashes(text: str, first: int) -> Fault | None:
    opens = _DASHES.match(text, first)
    closes = _find_closing_line(text, opens.end()) if opens else None
    if opens is None or closes is None:
        return None
    message = "write three dashes; agents read no frontmatter between longer lines"
    edits = [(*opens.span(), "---"), (*closes.span(1), "---")]
    return _fault(*opens.span(), message, "Write three dashes", *edits)
