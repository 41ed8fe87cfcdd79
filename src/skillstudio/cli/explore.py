"""`skillstudio trace explore`: a shell in the result of a recorded run."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from typing import Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.exit_codes import CANCELLED, OK, PROBLEMS
from skillstudio.cli.output import Result, UsageError, say
from skillstudio.cli.progress import hidden_progress
from skillstudio.cli.recorded import recorded_base, recorded_here
from skillstudio.cli.run import cancelled_by_signals, ended_by_signals
from skillstudio.cli.run_arguments import IsolationMissing, choose_isolation
from skillstudio.dryrun.exploring import Exploration, ShownCommand, exploration
from skillstudio.dryrun.isolation.levels import IsolationUnavailable
from skillstudio.dryrun.plan import IsolationChoice
from skillstudio.dryrun.run import OutOfTime
from skillstudio.dryrun.shell import CONTAINED_LEVELS, NO_SHELL, find_shell
from skillstudio.dryrun.stacking import BaseRefused
from skillstudio.dryrun.staging.staged import StagingRefused
from skillstudio.files.paths import make_relative
from skillstudio.manifest.launching import LaunchSpec
from skillstudio.text.safe import safe_text

_TIMEOUT = 60.0
_ENDS = ("exit", "quit")


@ended_by_signals()
def explore(options: CommandOptions) -> Result | int:
    """Run lines until the end of input. Raises UsageError, IsolationMissing."""
    [options.run] = options.runs
    scoped_run = recorded_here(options, "trace explore", is_of_skill_enough=True)
    base = recorded_base(scoped_run, options.anyway)
    report = scoped_run.trace.report
    isolation = _isolation(report.plan.isolation.id, options)
    if find_shell() is None:
        raise UsageError(NO_SHELL)
    commands: list[tuple[str, ShownCommand]] = []
    try:
        with exploration(
            base,
            report.plan.roots,
            isolation,
            options.timeout or _TIMEOUT,
            threading.Event(),
        ) as shell:
            say(
                f"a copy of the result of run {base.run} ({report.plan.skill}), isolation level "
                f"{isolation.id}; changes are discarded at the end"
            )
            for line in _lines(options, shell):
                with cancelled_by_signals() as cancel:
                    command = shell.run(line, cancel)
                commands.append((line, command))
                if options.format == "text":
                    _print(command)
    except (StagingRefused, BaseRefused, OutOfTime) as error:
        raise UsageError(str(error)) from None
    except IsolationUnavailable as error:
        raise IsolationMissing(str(error)) from None
    except (InterruptedError, KeyboardInterrupt):
        return CANCELLED
    except OSError as error:
        raise UsageError(f"{error.filename or 'copies'}: {error.strerror or error}") from None
    status = OK if all(command.status == 0 for _, command in commands[-1:]) else PROBLEMS
    return Result(
        lambda: {"run": base.run, "commands": list(map(_value, commands))}, lambda _: [], status
    )


def _isolation(level: str, options: CommandOptions) -> IsolationChoice:
    """The isolation level of the run, or the named one; a shell is not started uncontained unless
    that is named. Raises IsolationMissing."""
    options.require_isolation = None
    is_named = options.isolation is not None
    if not is_named and level in CONTAINED_LEVELS:
        options.isolation = level
    elif not is_named:
        options.require_isolation = CONTAINED_LEVELS[0]
    if options.isolation not in (None, "copy", *CONTAINED_LEVELS):
        raise UsageError(
            f"isolation level {options.isolation} cannot run a shell; use confined or isolated"
        )
    return choose_isolation(LaunchSpec(""), options)


def _lines(options: CommandOptions, shell: Exploration) -> Iterator[str]:
    """The lines to run: those of -c, else of standard input."""
    if options.c:
        yield from options.c
        return
    is_terminal = sys.stdin.isatty()
    if is_terminal:
        import readline  # noqa: F401 - gives `input` keys for editing and a history
    while True:
        try:
            if is_terminal:
                with hidden_progress():
                    line = input(f"{safe_text(make_relative(shell.cwd))} $ ")
            elif not (line := sys.stdin.readline()):
                return
        except EOFError:
            print()
            return
        except KeyboardInterrupt:
            print()
            continue
        if line.strip() in _ENDS:
            return
        if line.strip():
            yield line.rstrip("\n")


def _print(command: ShownCommand) -> None:
    if command.omitted:
        say(f"the first {command.omitted:,} bytes are not shown; redirect output to a file")
    if command.output:
        print(safe_text(command.output, keep_newlines=True).rstrip("\n"), flush=True)
    if command.problem:
        say(command.problem)
    elif command.status:
        say(f"exit status {command.status}")


def _value(entry: tuple[str, ShownCommand]) -> dict[str, Any]:
    line, command = entry
    return {
        "command": line,
        "output": safe_text(command.output, keep_newlines=True),
        "exit_code": command.status,
        "problem": command.problem or None,
        "omitted": command.omitted,
    }
