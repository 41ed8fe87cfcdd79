"""Blocks of commands and their output in a Markdown file: what they run, what they expect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from skillstudio.dryrun.sampling.expecting import text_difference, text_matches
from skillstudio.text.reading.fences import Fence, fences
from skillstudio.text.reading.markdown import read_markdown
from skillstudio.text.source import Source, Span

BLOCK_FILES = ("SKILL.md", "README.md")
"""The files of a skill whose blocks are tests."""
_LANGUAGE = "console"
_SKIP = "skip"  # After the language: the block is not a test.
_PROMPT = "$ "
_CONTINUATION = "> "  # At the start of a line after a command: it continues the command.


class BlockRefused(Exception):
    """Why an output cannot be written into a block: a sentence."""


class ConsoleCommand(NamedTuple):
    """A command, and the output that the block shows."""

    text: str
    expected_output: str
    output: Span  # The lines of the output in the file.


class ConsoleBlock(NamedTuple):
    """A block in a Markdown file."""

    path: str  # Relative to the skill's folder.
    line: int  # Of its first line, from 1.
    indent: str  # What is before each of its lines.
    commands: tuple[ConsoleCommand, ...]


def read_blocks(text: str, path: str) -> tuple[ConsoleBlock, ...]:
    """The blocks of a file that have commands."""
    source = Source(text, path)
    body = read_markdown(source).body if text.startswith("---") else Span(0, len(text))
    blocks = (
        _block(source, fence)
        for fence in fences(text, body)
        if fence.info.split()[:1] == [_LANGUAGE] and _SKIP not in fence.info.split()
    )
    return tuple(block for block in blocks if block.commands)


def _block(source: Source, fence: Fence) -> ConsoleBlock:
    line, _ = source.position(fence.opening_line.start)
    start = source.text.rfind("\n", 0, fence.opening_line.start) + 1
    before = source.text[start : fence.opening_line.end]
    indent = before[: len(before) - len(before.lstrip())]
    return ConsoleBlock(source.path, line, indent, tuple(_commands(source.text, fence, indent)))


def _commands(text: str, fence: Fence, indent: str) -> Iterator[ConsoleCommand]:
    at = fence.inner.start
    command: list[str] = []
    output: list[str] = []
    start = at
    for raw in text[fence.inner.start : fence.inner.end].splitlines(keepends=True):
        line = raw.rstrip("\r\n")
        line = line.removeprefix(indent) if line.strip() else ""
        end = at + len(raw)
        if line.startswith(_PROMPT):
            if command:
                yield _command(command, output, Span(start, at))
            command, output, start = [line.removeprefix(_PROMPT)], [], end
        elif command and not output and line.startswith(_CONTINUATION):
            command.append(line.removeprefix(_CONTINUATION))
            start = end
        elif command:
            output.append(line)
        at = end
    if command:
        yield _command(command, output, Span(start, at))


def _command(command: list[str], output: list[str], span: Span) -> ConsoleCommand:
    return ConsoleCommand("\n".join(command), "".join(f"{line}\n" for line in output), span)


class CommandDifference(NamedTuple):
    """A command whose output differs."""

    command: ConsoleCommand
    message: str
    diff: str


def block_differences(
    block: ConsoleBlock, outputs: Sequence[str | None]
) -> Iterator[CommandDifference]:
    """The commands whose output differs; `outputs` has None for those that did not run."""
    for command, text in zip(block.commands, outputs, strict=True):
        name = command.text.splitlines()[0]
        if text is None:
            yield CommandDifference(command, f"$ {name}: not run, the shell ended before it", "")
            continue
        for difference in text_difference(f"$ {name}: output", command.expected_output, text):
            yield CommandDifference(command, difference.message, difference.diff)


def with_output(text: str, block: ConsoleBlock, outputs: Sequence[str]) -> str:
    """The text of the file with what the commands print now; what still matches stays. Raises
    BlockRefused."""
    current = next(
        (candidate for candidate in read_blocks(text, block.path) if candidate.line == block.line),
        None,
    )
    if current is None or [command.text for command in current.commands] != [
        command.text for command in block.commands
    ]:
        raise BlockRefused(f"{block.path}:{block.line}: the block changed during its run")
    end = "\r\n" if "\r\n" in text else "\n"
    for command, actual in reversed(list(zip(current.commands, outputs, strict=True))):
        if text_matches(command.expected_output, actual):
            continue
        lines = actual.splitlines()
        wrong = next((line for line in lines if line.startswith((_PROMPT, "```", "~~~"))), None)
        if wrong is None and lines and lines[0].startswith(_CONTINUATION):
            wrong = lines[0]
        if wrong is not None:
            raise BlockRefused(
                f"$ {command.text.splitlines()[0]}: the output line {wrong[:60]!r} would be read "
                "as a command or the end of the block; print something else"
            )
        replacement = "".join(f"{block.indent}{line}".rstrip() + end for line in lines)
        text = text[: command.output.start] + replacement + text[command.output.end :]
    if _same_block(text, block) is None:
        raise BlockRefused(f"{block.path}:{block.line}: this output cannot be shown in the block")
    return text


def _same_block(text: str, block: ConsoleBlock) -> ConsoleBlock | None:
    """The block in another state of its file, if it has the same place and commands."""
    for candidate in read_blocks(text, block.path):
        if candidate.line == block.line:
            same = [command.text for command in candidate.commands] == [
                command.text for command in block.commands
            ]
            return candidate if same else None
    return None
