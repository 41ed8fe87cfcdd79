"""Find the commands that Claude Code runs when it starts a skill, to insert their output.

It looks for them with two patterns in the text after the frontmatter, before it reads any Markdown:
a `!` after white space with a code span after it, and a block that ```! opens. So an example in an
ordinary fenced block is run, too (anthropics/claude-code#39864, kamp-us/phoenix#5212).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.values import sequence, text
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.reading.markdown import Markdown
from skillstudio.text.source import Span

MAX_COMMANDS = 100  # Commands of one text that are listed and run.
NAME = "SKILL.md:"
"""The start of the name of an operation that is an injected command: its place."""
_PLACE = lazy_pattern(r"(?<!\S)!`([^`]+)`|```!")
"""A command in a line, or the start of a block."""
_ARGUMENT = lazy_pattern(
    r"(\\?)\$(?:ARGUMENTS(?:\[([0-9]{1,4})\])?(?!\w)|([0-9])(?!\w)|([A-Za-z_]\w{0,99}))"
)
_NO_ERRORS = frozenset(["grep", "rg", "find", "diff", "test", "["])
"""Programs whose exit status 1 is a result, such as no match; docs/en/skills, "When an injected
command fails"."""


class InjectedCommand(NamedTuple):
    """A command in SKILL.md as it is written."""

    name: str  # Of its operation: `SKILL.md:12`, and with the column if it is not the first there.
    command: str
    line: int
    column: int
    span: Span
    is_example: bool = False  # Whether it is in an ordinary fenced block.


def find_injected(markdown: Markdown | None) -> tuple[InjectedCommand, ...]:
    """The injected commands in the order of the text, at most MAX_COMMANDS."""
    if markdown is None or not any(mark in markdown.source.text for mark in ("!`", "```!")):
        return ()
    commands: list[InjectedCommand] = []
    lines: set[int] = set()
    for span, command in _places(markdown.source.text, markdown.body):
        place = markdown.source.position(span.start)
        name = f"{NAME}{place.line}"
        if place.line in lines:
            name = f"{name}:{place.column}"
        lines.add(place.line)
        commands.append(InjectedCommand(name, command, *place, span))
        if len(commands) == MAX_COMMANDS:
            break
    blocks = [block.inner for block in markdown.fences] if commands else []
    return tuple(
        command._replace(is_example=_is_inside(command.span, blocks)) for command in commands
    )


def _is_inside(span: Span, blocks: Sequence[Span]) -> bool:
    before = bisect_right(blocks, span.start, key=lambda block: block.start)
    return before > 0 and span.start < blocks[before - 1].end


def injected_command(skill: Skill, operation: str) -> InjectedCommand | None:
    """The injected command that an operation's name refers to, also by its line and column."""
    if not operation.startswith(NAME):
        return None
    for command in find_injected(skill.markdown):
        if operation in (command.name, f"{NAME}{command.line}:{command.column}"):
            return command
    return None


def _places(whole: str, body: Span) -> Iterator[tuple[Span, str]]:
    """Each command with its place; one in a span inside a block is part of the block."""
    at = body.start
    while match := _PLACE.search(whole, at, body.end):
        at, command = match.end(), match[1]
        if command is None:
            end = whole.find("```", at, body.end)
            if end < 0:
                continue
            command = whole[at:end].replace("\r\n", "\n")
            at = end + 3
        if command := command.strip():
            yield Span(match.start(), at), command


def argument_names(skill: Skill) -> tuple[str, ...]:
    """The names that the key `arguments` gives to the words of the arguments."""
    value = skill.front.document.value if skill.front is not None else None
    if (line := text(value, "arguments")) is not None:
        return tuple(line.split())
    return tuple(name for name in sequence(value, "arguments") if isinstance(name, str))


def starts_powershell(skill: Skill) -> bool:
    """Whether Claude Code runs the injected commands of a skill with PowerShell."""
    value = skill.front.document.value if skill.front is not None else None
    return text(value, "shell") == "powershell"


def fill_arguments(command: str, words: Sequence[str], names: Sequence[str] = ()) -> str:
    r"""Replace `$ARGUMENTS`, `$ARGUMENTS[1]`, `$1` and `$name` as Claude Code does, and `\$1` with
    `$1`. A word that is not given leaves its placeholder.

    docs/en/skills, "Available string substitutions".
    """
    line = " ".join(_quote_word(word) for word in words)
    by_name: Mapping[str, int] = {name: index for index, name in enumerate(names)}

    def replace(match: re.Match[str]) -> str:
        escape, index_text, number_text, name = match.groups()
        if name is not None and name not in by_name:
            return match.group()
        if escape:
            return match.group()[1:]
        if index_text is None and number_text is None and name is None:
            return line
        index = by_name[name] if name is not None else int(index_text or number_text)
        return words[index] if index < len(words) else match.group()

    return _ARGUMENT.sub(replace, command)


def _quote_word(word: str) -> str:
    return f'"{word}"' if not word or any(map(str.isspace, word)) else word


def aborts(command: str, exit_code: int | None) -> bool:
    """Whether Claude Code gives up the skill after this exit status; None if there was none."""
    if exit_code != 1:
        return exit_code != 0
    from skillstudio.text.shell import last_program

    return (last_program(command) or "").rpartition("/")[2] not in _NO_ERRORS
