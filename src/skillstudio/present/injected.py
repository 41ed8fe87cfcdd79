"""The injected commands of a skill, each with its output and what Claude Code does after it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from skillstudio.manifest.injected import InjectedCommand
from skillstudio.present.lines import LineStyle, Part, StyledLine, count

_MOST = 40  # Lines of an output that are shown.


class InjectedRun(NamedTuple):
    """An injected command and how it ended."""

    of: InjectedCommand
    path: str  # Of SKILL.md.
    exit_code: int | None = None
    output: str = ""  # What takes the place of the command in the text.
    errors: str = ""  # Standard error.
    aborts: bool = False
    why: str = ""  # How it ended without an exit status, or why it was not run.
    blocked_actions: tuple[str, ...] = ()  # What its isolation did not let it do, a line each.

    @property
    def place(self) -> str:
        """`path:line`."""
        return f"{self.path}:{self.of.line}"

    @property
    def status(self) -> str:
        """How it ended, in a few words."""
        return self.why if self.exit_code is None else f"exit {self.exit_code}"


def injected_note(skill_path: str, commands: int) -> StyledLine:
    """How many injected commands a skill has, and the command that runs them."""
    line = f"skillstudio run {shlex.quote(skill_path)} --injected"
    return StyledLine(f"{count(commands, 'injected command')}: {line}", "quiet")


def injected_lines(runs: Sequence[InjectedRun], heading: str, all_lines: bool) -> Iterator[Part]:
    """Each command with its place, status and output."""
    abort_count = sum(run.aborts for run in runs)
    title = f"{heading} · {count(len(runs), 'injected command')}"
    yield StyledLine(
        f"{title} · {abort_count} would abort the skill" if abort_count else title, "title"
    )
    for run in runs:
        first, *other_lines = run.of.command.splitlines()
        style: LineStyle = "error" if run.aborts else "warning" if run.exit_code is None else "good"
        suffix = f" … ({count(len(other_lines) + 1, 'line')})" if other_lines else ""
        yield StyledLine(f"{run.place}: {first}{suffix}", "heading")
        end = "Claude Code would abort the skill here" if run.aborts else ""
        yield StyledLine(run.status + (f" · {end}" if end else ""), style, 2)
        if run.of.is_example:
            text = "it is in an ordinary fenced block, where Claude Code runs it, too"
            yield StyledLine(text, "warning", 2)
        for text in run.blocked_actions:
            yield StyledLine(
                f"refused in this dry run, so it may end differently elsewhere: {text}",
                "warning",
                2,
            )
        yield from _output_lines(run.output, all_lines)
        if run.errors:
            yield StyledLine("standard error", "quiet", 2)
            yield from _output_lines(run.errors, all_lines)


def _output_lines(text: str, all_lines: bool) -> Iterator[Part]:
    lines = text.splitlines()
    most = len(lines) if all_lines else _MOST
    yield from (StyledLine(line, "code", 4) for line in lines[:most])
    if len(lines) > most:
        yield StyledLine(f"… {len(lines) - most:,} more lines; -v shows them", "quiet", 4)


def injected_value(runs: Sequence[InjectedRun]) -> dict[str, Any]:
    """The JSON value of injected commands that were run."""
    return {
        "commands": [
            {
                "operation": run.of.name,
                "path": run.path,
                "line": run.of.line,
                "column": run.of.column,
                "command": run.of.command,
                "in_example": run.of.is_example,
                "exit_code": run.exit_code,
                "output": run.output,
                "stderr": run.errors,
                "aborts": run.aborts,
                "reason": run.why or None,
                "blocked": list(run.blocked_actions),
            }
            for run in runs
        ],
        "aborts": any(run.aborts for run in runs),
    }
