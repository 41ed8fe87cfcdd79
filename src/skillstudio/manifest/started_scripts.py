"""Find the scripts that a text starts directly, by their path, and that cannot be started so."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from skillstudio.manifest.named_files import SHELLS, NameCheck
from skillstudio.manifest.named_links import CodeSpans
from skillstudio.text.diagnostic import Diagnostic

if TYPE_CHECKING:
    from skillstudio.manifest.dialect import Skill
    from skillstudio.manifest.named_files import NamedPath, NamingText

_BEFORE = 200
"""Characters before a path that are searched."""
_STARTS = re.compile(
    r"(?:^|[;&|(\n`]|(?<!\S)\$ )[ \t]*(?:[A-Z_]{1,40}=[^\s`]{0,80} ){0,3}[\"']?"
    r"(?:\./|\$\{?(?:CLAUDE_SKILL_DIR|SKILL_DIR)\}?/|\{baseDir\}/)?$"
)
_ENDS = frozenset("\"' \t\n;|&)<>`")
"""Characters after the path of a command."""
_RUNS = re.compile(
    r"(?:!|\b(?:runs?|running|execut(?:es?|ing)|invok(?:es?|ing)|call(?:s|ing)?|start(?:s|ing)?)"
    r"[\s:*(]{1,4}(?:the |script ){0,2})`{1,2}$",
    re.IGNORECASE,
)
"""What is before a code span that is a command."""

_PROGRAM = re.compile(
    r"\b(?:python[\d.]*|uv run|bash|sh|zsh|node|bun|deno run|tsx|ruby|perl)"
    r"(?: -{1,2}[\w-]+){0,3} (?:[^\s`]{0,80}[/\"'])?$"
)
_MENTIONS = 100
"""Mentions of one script that are looked at."""
_PROGRAMS = {"bash": "bash", "js": "node", "mjs": "node", "py": "python3", "sh": "bash"}
"""The usual program for an ending."""


def check_starts(
    check: NameCheck, text: NamingText, plain: list[NamedPath]
) -> Iterator[Diagnostic]:
    """`script-not-executable` where one of the files without an execute bit is started first."""
    # Windows has no such bit, and a text with a `chmod` sets it.
    if os.name == "nt" or "chmod" in text.source.text or "chmod" in check.own_text:
        return
    code = CodeSpans(text.source.text)
    texts = (text.source.text, check.own_text)
    has_program = cache(lambda path: any(_is_run_by_program(path, whole) for whole in texts))
    reported_paths: set[str] = set()
    for name in sorted(plain):
        if name.path not in reported_paths and _is_started(name, text, code, has_program):
            reported_paths.add(name.path)
            message = (
                f"{name.path} is started directly and has no execute bit; use chmod +x or "
                f"git update-index --chmod=+x{_other_way(name.path)}"
            )
            yield Diagnostic("script-not-executable", message, name.span, path=text.source.path)


def is_started_directly(skill: Skill, path: str) -> bool:
    """Whether SKILL.md starts a script directly that has no execute bit."""
    if skill.markdown is None:
        return False
    check = NameCheck(skill, (path,))
    text = check.read(skill.markdown.source, skill.markdown.body.start)
    plain = [name for name in check.plain_mentions(text) if name.path == path]
    return any(check_starts(check, text, plain))


def started_paths(text: str, paths: Iterable[str]) -> set[str]:
    """Those of the files of a skill that a text's commands start with an interpreter."""
    return {path for path in paths if _is_started_in(text, path)}


def _is_started_in(text: str, path: str) -> bool:
    at = -1
    for _ in range(_MENTIONS):
        if (at := text.find(path, at + 1)) < 0:
            return False
        end = at + len(path)
        is_whole = end == len(text) or text[end] in _ENDS
        if is_whole and _PROGRAM.search(text, max(at - _BEFORE, 0), at):
            return True
    return False


def _is_started(
    name: NamedPath, text: NamingText, code: CodeSpans, has_program: Callable[[str], bool]
) -> bool:
    whole, end = text.source.text, name.span.end
    low = max(name.start - _BEFORE, 0)
    start = _STARTS.search(whole, low, name.start)
    if start is None or whole[end : end + 1] not in _ENDS:
        return False
    if (fence := text.fence(name.start)) is not None:
        return fence.info.split(" ")[0].lower() in SHELLS
    span = code.around(name.start)
    if span is None or whole[span.start : name.start].strip("\"'") != start[0].lstrip("`\"'"):
        return False
    if whole[end] == " ":
        return not has_program(name.path)
    # Only a name if nothing before it makes it the path of a program.
    has_prefix = start[0].endswith("/")
    return has_prefix and _RUNS.search(whole, low, span.start) is not None


def _is_run_by_program(path: str, text: str) -> bool:
    """Whether a text has a command that names the script after its interpreter."""
    at = -1
    while (at := text.find(path, at + 1)) >= 0:
        if _PROGRAM.search(text, max(at - _BEFORE, 0), at):
            return True
    return False


def _other_way(path: str) -> str:
    program = _PROGRAMS.get(path.rpartition(".")[2])
    return f", or start it with {program}" if program else ""
