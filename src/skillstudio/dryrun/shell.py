"""Run commands of a shell in copies, for blocks of commands and for `trace explore`. A shell is
started here and nowhere else, and only inside of an isolation level."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Sequence
from typing import NamedTuple

from skillstudio.dryrun.isolation.levels import probe_isolation
from skillstudio.dryrun.passes import Request
from skillstudio.dryrun.plan import (
    ANY_NETWORK,
    IsolationChoice,
    Launch,
    NetworkChoice,
    Plan,
    Roots,
    Step,
)
from skillstudio.dryrun.traces.store import copies_folder
from skillstudio.interface.model import Interface, Operation

CONTAINED_LEVELS = ("confined", "isolated")
"""Isolation levels at which a shell may be started without being named."""
NO_SHELL = (
    "bash and sh are not on PATH; install one: on Windows Git for Windows, with its folder bin on "
    "PATH"
)
_SCRIPT = """exec 2>&1
__mark=$1; shift; __status=0
for __command; do
  (exit $__status)
  command eval "$__command"
  __status=$?
  printf '\\n%s %s\\n' "$__mark" "$__status"
done
exit $__status
"""
"""Each command is an argument, so none of them can end or change the script by its text."""
_MARK = "skillstudio-"


class ShellCommands(NamedTuple):
    """Commands as the process that runs them one after the other."""

    argv: tuple[str, ...]
    mark: str  # In a line of its own after the output of each command, with its exit status.


def find_shell() -> str | None:
    """The shell to run commands in: `bash`, else `sh`; None without both, as on most Windows.

    Windows gets its path, because it would start the `bash` of WSL in its own folder first.
    """
    for name in ("bash", "sh"):
        if path := shutil.which(name):
            return path if os.name == "nt" else name
    return None


def shell_commands(commands: Sequence[str]) -> ShellCommands:
    """The process for some commands. A leading space keeps one from being taken for a path."""
    shell = find_shell() or "sh"
    mark = _MARK + secrets.token_hex(8)
    texts = (f" {command}" for command in commands)
    return ShellCommands((shell, "-c", _SCRIPT, shell, mark, *texts), mark)


def outputs(stdout: str, mark: str, number: int) -> tuple[list[str | None], list[int]]:
    """The output of each command, None for one that did not end, and the exit statuses."""
    texts: list[str | None] = []
    statuses = []
    lines = stdout.split("\n")
    current: list[str] = []
    for line in lines:
        if line.startswith(f"{mark} ") and len(texts) < number:
            # The script puts a line break before its mark, even after a whole line.
            text = "\n".join(current).removesuffix("\n")
            texts.append(f"{text}\n" if text else "")
            statuses.append(int(line.rpartition(" ")[2]))
            current = []
        else:
            current.append(line)
    return [*texts, *[None] * (number - len(texts))], statuses


def shell_request(
    name: str,
    roots: Roots,
    isolation: IsolationChoice,
    argv: tuple[str, ...],
    cwd: str,
    timeout: float,
    network: NetworkChoice = ANY_NETWORK,
) -> Request:
    """A request that runs a shell in copies of the roots."""
    step = Step(argv)
    plan = Plan(
        name, "", "", {"any": (argv,)}, cwd, (), {}, (), (), (), isolation, (), (step,), roots,
        timeout=timeout, network=network.words,
    )  # fmt: skip
    launch = Launch((step,), cwd, {}, timeout=timeout, network=network)
    return Request(
        plan, launch, Interface(name), Operation(""), probe_isolation(), copies_folder(),
        os.path.realpath(os.path.expanduser("~")),
    )  # fmt: skip
