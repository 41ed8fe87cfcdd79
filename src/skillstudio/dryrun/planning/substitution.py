"""Insert inputs into arguments: in one pass, declared names only, never through a shell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from skillstudio.dryrun.plan import PlanProblem
from skillstudio.dryrun.planning.secrets import SENSITIVE
from skillstudio.dryrun.planning.typed import MAX_COMMAND, text_fault
from skillstudio.manifest.command_line import read_command
from skillstudio.manifest.launching import LaunchedProcess
from skillstudio.manifest.placeholders import fill, names
from skillstudio.manifest.secrets import looks_like_secret

SKILL_DIR = "skill_dir"
"""The placeholder for the skill's folder, which is not an input."""


class Texts(NamedTuple):
    """The texts for the placeholders of one operation."""

    given: Mapping[str, str]
    """Input to its text; absent inputs are empty."""
    shown: Mapping[str, str]
    """The same with sensitive values masked."""
    pointer: str
    """The operation's."""
    style: str
    skill: str
    """The skill's folder."""


class Filled(NamedTuple):
    """The arguments of one process with inputs inserted."""

    argv: tuple[str, ...]
    shown: tuple[str, ...]
    command: str
    """As one text, when the manifest writes it so."""
    used: tuple[str, ...]
    """The inputs used in it."""
    problems: tuple[PlanProblem, ...]


def fill_process(process: LaunchedProcess, texts: Texts, windows: bool = False) -> Filled:
    """Fill in the arguments of a process; values that would arrive altered are problems."""
    argv, shown, used = [], [], []
    problems: list[PlanProblem] = []
    command = read_command(process.argv, windows)
    given = {SKILL_DIR: texts.skill, **texts.given}
    visible = {SKILL_DIR: texts.skill, **texts.shown}
    ends = process.argv.index("--") if "--" in process.argv else len(process.argv)
    for index, element in enumerate(process.argv):
        found = names(element, texts.style)
        inputs = [name for name in found if name in texts.given]
        used += inputs
        text = fill(element, given, texts.style)
        argv.append(text)
        hidden = looks_like_secret(element)
        shown.append(SENSITIVE if hidden else fill(element, visible, texts.style))
        for name in found:
            if name not in given:
                message = f"{element}: no input is named {name}, so the placeholder stays"
                problems.append(
                    PlanProblem("placeholder-unknown", message, process.pointer, "warning")
                )
        if inputs and index in command.scripts:
            problems.append(_in_script(process, inputs[0]))
        elif inputs and index in command.programs:
            message = f"{element}: the program to run must not depend on the input {inputs[0]}"
            problems.append(PlanProblem("placeholder-in-program", message, process.pointer))
        for name in inputs:
            fault = text_fault(texts.given[name])
            at = f"{texts.pointer}/inputs/{name}"
            if fault:
                problems.append(PlanProblem("input-text", f"{name} {fault}", at))
            elif index < ends and text.startswith("-") and fill(element, {}, texts.style)[0] == "{":
                message = (
                    f"the value of {name} starts with - and no -- comes before it, so the program "
                    "may read it as an option"
                )
                problems.append(PlanProblem("input-option", message, at, "warning"))
    if sum(len(each.encode("utf-8", "replace")) + 1 for each in argv) > MAX_COMMAND:
        message = f"the arguments exceed {MAX_COMMAND:,} bytes in total"
        problems.append(PlanProblem("arguments-too-long", message, process.pointer))
    return Filled(
        tuple(argv),
        tuple(shown),
        fill(process.command, given, texts.style),
        tuple(dict.fromkeys(used)),
        tuple(problems),
    )


def _in_script(process: LaunchedProcess, name: str) -> PlanProblem:
    program = process.argv[0]
    message = (
        f"the input {name} is inside code that {program} runs, so its value would be executed; "
        "move the code to a file and pass the input as an argument"
    )
    return PlanProblem("placeholder-in-script", message, process.pointer)
