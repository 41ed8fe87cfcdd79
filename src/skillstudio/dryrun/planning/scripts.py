"""The scripts that a run starts: their interpreters, and what would prevent the start."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from skillstudio.dryrun.plan import PlanProblem, Severity
from skillstudio.dryrun.planning.run_inputs import Machine
from skillstudio.files.paths import judge_path
from skillstudio.files.tree import FileTree
from skillstudio.resources import toml_table

_LONGEST = 256
"""Bytes of a first line that Linux reads (`BINPRM_BUF_SIZE`)."""
SKILL_FOLDER = "the skill's folder"
_PATHS = {
    "path-absolute": "is absolute; write it relative to {folder}",
    "path-outside": "leaves {folder}",
    "path-link-outside": "leads out of {folder} through a link",
    "path-missing": "is not in {folder}",
}


class Shebang(NamedTuple):
    """The first line of a script, as the system reads it."""

    argv: tuple[str, ...]
    """The program and its option; empty without such a line."""
    carriage_return: bool = False
    """Whether the line ends in CRLF, which the system takes as part of the name."""


def read_shebang(data: bytes) -> Shebang:
    """The interpreter that a script's first bytes name."""
    if not data.startswith(b"#!"):
        return Shebang(())
    line = data[2:_LONGEST].split(b"\n", 1)[0]
    has_return = line.endswith(b"\r")
    words = line.decode("utf-8", "replace").strip().split(None, 1)
    return Shebang(tuple(each.strip() for each in words), has_return)


def program_of(path: str, shebang: Shebang, windows: bool = False) -> tuple[str, ...]:
    """The program that runs a script, after `env`, with arguments before the path; () when
    unknown."""
    if shebang.argv and not windows:
        return _through_env(shebang.argv)
    by_suffix = _programs().get(os.path.splitext(path)[1].lower())
    if by_suffix is not None:
        return by_suffix["windows" if windows else "unix"]
    through = _through_env(shebang.argv)
    return (os.path.basename(through[0]), *through[1:]) if through and windows else ()


def judge_script(
    tree: FileTree,
    path: str,
    pointer: str,
    machine: Machine,
    is_program: bool,
    folder: str = SKILL_FOLDER,
) -> Iterator[PlanProblem]:
    """Problems with a script; `is_program` if the system starts it, `folder` names `tree`."""
    verdict = judge_path(tree, path)
    if verdict.problem:
        message = f"{path} {_PATHS[verdict.problem].format(folder=folder)}"
        yield PlanProblem(f"script-{verdict.problem.removeprefix('path-')}", message, pointer)
        return
    real = tree.resolve(verdict.path)
    if real is None or tree.kind(real) != "file":
        yield PlanProblem("script-no-file", f"{path} is not a file", pointer)
        return
    try:
        head, mode = tree.read(real, _LONGEST), tree.mode(real)
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror or error}"
        yield PlanProblem("script-unreadable", message, pointer)
        return
    shebang = read_shebang(head)
    severity: Severity = "error" if is_program else "warning"
    if shebang.carriage_return:
        message = (
            f"{path}:1: the line ends in CRLF, so the system looks for a program whose name ends "
            "in a carriage return; save the script with LF"
        )
        yield PlanProblem("script-crlf", message, pointer, severity)
    if machine.platform == "windows":
        return
    if is_program and not head.startswith(b"#!") and b"\0" not in head:
        message = (
            f"{path} has no interpreter line; start it with a line such as #!/bin/sh, or name the "
            "program that runs it"
        )
        yield PlanProblem("script-no-program", message, pointer)
    if is_program and not mode & 0o111:
        message = f"{path} is not executable; use chmod +x, or name the program that runs it"
        yield PlanProblem("script-not-executable", message, pointer)
    yield from _target(path, shebang, pointer, machine, severity)


def _target(
    path: str, shebang: Shebang, pointer: str, machine: Machine, severity: Severity
) -> Iterator[PlanProblem]:
    """Report an interpreter that is not on this machine."""
    named = _through_env(shebang.argv)
    if not named or shebang.carriage_return:
        return
    if shutil.which(named[0], path=machine.path) is None:
        message = f"{path}:1: the program {named[0]} is not on this machine"
        yield PlanProblem("script-program-missing", message, pointer, severity)


def _through_env(argv: tuple[str, ...]) -> tuple[str, ...]:
    """What `env` starts, without its option -S and the variables it sets."""
    if not argv or os.path.basename(argv[0]) != "env":
        return argv
    words = " ".join(argv[1:]).split()
    if words[:1] in (["-S"], ["--split-string"]):
        words = words[1:]
    while words and ("=" in words[0] or words[0] in ("-i", "-")):
        words = words[1:]
    return tuple(words)


@cache
def _programs() -> dict[str, dict[str, tuple[str, ...]]]:
    given = toml_table(__file__, "programs.toml")["suffix"]
    return {
        suffix: {platform: tuple(argv) for platform, argv in each.items()}
        for suffix, each in given.items()
    }
