"""Plan the processes of an operation: filled in for every system, checked for this one."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from skillstudio.dryrun.plan import PlanProblem, Severity, Step
from skillstudio.dryrun.planning.inputs import Inputs
from skillstudio.dryrun.planning.launchers import DirectStart, find_direct_start, read_launcher
from skillstudio.dryrun.planning.run_inputs import Machine, RunInputs
from skillstudio.dryrun.planning.script_arguments import script_words
from skillstudio.dryrun.planning.typed import MAX_COMMAND, rendered, text_fault
from skillstudio.files.disk import DiskTree
from skillstudio.files.paths import below, judge_path, name_matches
from skillstudio.files.tree import FileTree
from skillstudio.interface.model import Operation
from skillstudio.interface.wording import SENSITIVE
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.injected import (
    InjectedCommand,
    argument_names,
    fill_arguments,
    starts_powershell,
)
from skillstudio.manifest.launching import LaunchedProcess, Launching, Mock
from skillstudio.manifest.placeholders import fill, names
from skillstudio.manifest.plugin_skills import plugin_of
from skillstudio.manifest.secrets import looks_like_secret
from skillstudio.manifest.started_scripts import is_started_directly
from skillstudio.resources import toml_table
from skillstudio.skill.programs import find_programs, nearest_program
from skillstudio.text.command_line import read_command, script_path
from skillstudio.text.reading.requirements import parse_requirement

_NAMED = 12
_LONGEST = 256  # Bytes of a first line that Linux reads (`BINPRM_BUF_SIZE`).
SKILL_FOLDER = "the skill's folder"
_PATHS = {
    "path-absolute": "is absolute; write it relative to {folder}",
    "path-outside": "leaves {folder}",
    "path-link-outside": "leads out of {folder} through a link",
    "path-missing": "is not in {folder}",
}


class Shebang(NamedTuple):
    """The first line of a script, as the system reads it."""

    argv: tuple[str, ...]  # The program and its option; empty without such a line.
    carriage_return: bool = False
    """Whether the line ends in CRLF, which the system takes as part of the name."""


def read_shebang(data: bytes) -> Shebang:
    """The interpreter that a script's first bytes name."""
    if not data.startswith(b"#!"):
        return Shebang(())
    line = data[2:_LONGEST].split(b"\n", 1)[0]
    has_return = line.endswith(b"\r")
    words = line.decode("utf-8", "replace").strip().split(None, 1)
    return Shebang(tuple(word.strip() for word in words), has_return)


def program_of(path: str, shebang: Shebang, windows: bool = False) -> tuple[str, ...]:
    """The program that runs a script, after `env`, with arguments before the path; () when
    unknown."""
    if shebang.argv and not windows:
        return _through_env(shebang.argv)
    suffix = os.path.splitext(path)[1].lower()
    if by_suffix := toml_table(__file__, "programs.toml")["suffix"].get(suffix):
        return tuple(by_suffix["windows" if windows else "unix"])
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
        if verdict.problem == "path-missing" and folder == SKILL_FOLDER:
            paths = [program.path for program in find_programs(tree)]
            near = nearest_program(path, paths)
            message += f"; did you mean {near}?" if near else ""
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
    named = () if shebang.carriage_return else _through_env(shebang.argv)
    if named and shutil.which(named[0], path=machine.path) is None:
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


SKILL_DIR = "skill_dir"  # The placeholder for the skill's folder, which is not an input.


class PlannedProcesses(NamedTuple):
    """The processes that would be started."""

    steps: tuple[Step, ...] = ()  # On this machine; empty when nothing is started.
    platform: str = ""  # The key in `shown` of the steps.
    shown: dict[str, tuple[tuple[str, ...], ...]] = {}  # noqa: RUF012
    """Platform to the argv of each step, masked."""
    programs: tuple[str, ...] = ()  # Programs that must be on PATH.
    unneeded: frozenset[str] = frozenset()
    """Programs that only mocked steps would start, and launchers that are not started."""
    empty: tuple[str, ...] = ()
    stdin: bytes = b""
    module: str = ""
    problems: tuple[PlanProblem, ...] = ()
    packages: tuple[str, ...] = ()  # Python packages that the commands name, parsed.
    notes: tuple[str, ...] = ()
    variables: Mapping[str, str] = {}


def plan_processes(
    skill: Skill,
    operation: Operation,
    how: Launching,
    inputs: Inputs,
    given: RunInputs,
    machine: Machine,
) -> PlannedProcesses:
    """Plan what an operation starts, in the way its dialect defines."""
    if how.refused:
        problem = PlanProblem("nothing-to-start", how.refused, operation.pointer, "info")
        return PlannedProcesses(problems=(problem,))
    if how.module:
        found = _module(skill, how, inputs, given)
    elif how.injected is not None:
        found = _injected(skill, how.injected, given, machine)
    elif how.script is not None:
        found = _script(skill, operation, how, inputs, given, machine)
    else:
        found = _commands(skill, operation, how, inputs, given, machine)
    if given.arguments and how.script is None and how.injected is None:
        message = "arguments after -- are for scripts; this operation takes inputs by name"
        extra = PlanProblem("arguments-unused", message, operation.pointer)
        found = found._replace(problems=(*found.problems, extra))
    if given.stdin is None:
        return found
    if how.module:
        message = "this operation reads its inputs from standard input; give inputs instead"
        extra = PlanProblem("stdin-unused", message, operation.pointer)
        return found._replace(problems=(*found.problems, extra))
    return found._replace(stdin=given.stdin.encode("utf-8"))


def _commands(
    skill: Skill,
    operation: Operation,
    how: Launching,
    inputs: Inputs,
    given: RunInputs,
    machine: Machine,
) -> PlannedProcesses:
    full = {name: rendered(value) for name, value in inputs.values.items()}
    masked = {name: SENSITIVE if name in inputs.masked else text for name, text in full.items()}
    empty = dict.fromkeys(inputs.absent, "")  # An absent input becomes an empty argument.
    texts = Texts(
        {**empty, **full},
        {**empty, **masked},
        operation.pointer,
        how.placeholders,
        given.roots.skill,
    )
    own = next(
        (platform for platform in (machine.platform, "any") if platform in how.platforms), None
    )
    in_workspace = how.folder != "skill"
    tree, folder = skill.tree, SKILL_FOLDER
    if in_workspace:
        roots = given.roots
        tree, folder = DiskTree(roots.repository or roots.workspace), "the workspace"
    problems: list[PlanProblem] = []
    filled: dict[str, list[Filled]] = {}
    starts: list[DirectStart] = []
    for platform, declared in how.platforms.items():
        windows = platform == "windows"
        processes = declared
        if platform == own:
            processes = tuple(
                _directly(process, tree, given, machine, starts, how.mocks) for process in declared
            )
        filled[platform] = [
            fill_process(process, texts, windows, how.mocks) for process in processes
        ]
        for index, (process, made) in enumerate(zip(processes, filled[platform], strict=True)):
            if platform != own:
                problems += (_elsewhere(problem, platform) for problem in made.problems)
                continue
            problems += made.problems
            if made.step.mocked is None:
                for file_problem in _files(tree, folder, process, machine, windows):
                    # An earlier step may create the script of a later one.
                    is_later = index and in_workspace and file_problem.rule == "script-missing"
                    problems.append(
                        file_problem._replace(severity="warning") if is_later else file_problem
                    )
    shown = {
        platform: tuple(filled_process.shown for filled_process in made)
        for platform, made in filled.items()
    }
    if how.procedure:
        shown["agent"] = ((how.procedure,),)
    if own is None:
        if how.procedure:
            message = "the entrypoint is a procedure for an agent, so no program is started"
            problem = PlanProblem("nothing-to-start", message, operation.pointer, "info")
        else:
            there = ", ".join(how.platforms) or "none"
            message = (
                f"no entrypoint for this system ({machine.platform}); the manifest has: {there}"
            )
            at = f"{operation.pointer}/entrypoints"
            problem = PlanProblem("platform-missing", message, at)
        return PlannedProcesses(shown=shown, problems=(*problems, problem))
    programs = dict.fromkeys(made.program for made in filled[own] if made.program is not None)
    # A command that only a shell could parse is a single text here.
    mocked = {
        word
        for made in filled[own]
        if made.step.mocked is not None
        for word in made.step.argv[0].split()[:1]
    }
    used = {name for made in filled[own] for name in made.used}
    return PlannedProcesses(
        tuple(made.step for made in filled[own]),
        own,
        shown,
        tuple(programs),
        frozenset((mocked | {start.launcher for start in starts}).difference(programs)),
        tuple(name for name in inputs.absent if name in used),
        problems=(*problems, *(problem for start in starts for problem in start.problems)),
        packages=tuple(package for start in starts for package in start.packages),
        notes=tuple(dict.fromkeys(start.note for start in starts)),
    )


def _directly(
    process: LaunchedProcess,
    tree: FileTree,
    given: RunInputs,
    machine: Machine,
    starts: list[DirectStart],
    mocks: Sequence[Mock],
) -> LaunchedProcess:
    """A process without a launcher such as `uv run`, where Python alone does; adds to `starts`."""
    if mocks or process.refused or process.needs_shell:
        return process
    windows = machine.platform == "windows"
    start = find_direct_start(process.argv, tree, machine, given.roots, process.pointer)
    rest = process.argv[start.script :] if start is not None else process.argv
    if start is None and not windows and read_command(process.argv).file == 0:
        # The first line of the script names the launcher.
        verdict = judge_path(tree, script_path(process.argv[0]) or "")
        real = None if verdict.problem else tree.resolve(verdict.path)
        start = _direct_script(tree, verdict.path, real, given, machine, process.pointer)
    if start is None:
        return process
    starts.append(start)
    return process._replace(argv=(*start.argv, *rest))


def _elsewhere(problem: PlanProblem, platform: str) -> PlanProblem:
    """The same problem for another system, which does not prevent a run here."""
    message = problem.message
    if not problem.rule.startswith("input-"):
        message = f"{platform}: {message}"
    level = "warning" if problem.severity == "error" else problem.severity
    return problem._replace(message=message, severity=level)


def _files(
    tree: FileTree, folder: str, process: LaunchedProcess, machine: Machine, windows: bool
) -> Iterator[PlanProblem]:
    """Problems with the script that a command names; `folder` names `tree` in messages."""
    command = read_command(process.argv, windows)
    path = None if command.file is None else script_path(process.argv[command.file])
    if path is not None:
        path = path.replace("\\", "/") if windows else path
        is_program = command.file in command.programs
        yield from judge_script(tree, path, process.pointer, machine, is_program, folder)


def _is_file(program: str) -> bool:
    return "/" in program or (os.sep == "\\" and "\\" in program)


def _script(
    skill: Skill,
    operation: Operation,
    how: Launching,
    inputs: Inputs,
    given: RunInputs,
    machine: Machine,
) -> PlannedProcesses:
    """Plan a script by its path: interpreter, path, inputs, and the arguments after `--`."""
    path = how.script or ""
    at = f"{operation.pointer}/entrypoints"
    if not path:
        message = (
            "the manifest has no entrypoint, so nothing is started; name a script of the skill to "
            "run it"
        )
        problems = [PlanProblem("nothing-to-start", message, operation.pointer, "info")]
        if given.arguments:
            message = "arguments after -- are for scripts; name one"
            problems.append(PlanProblem("arguments-unused", message, ""))
        return PlannedProcesses(problems=tuple(problems))
    # Only skillstudio starts the script, so its first line counts in full.
    wrong = [
        problem._replace(severity="error")
        for problem in judge_script(skill.tree, path, at, machine, is_program=False)
    ]
    inside = judge_path(skill.tree, path).path
    real = skill.tree.resolve(inside)
    start = _direct_script(skill.tree, inside, real, given, machine, at)
    if start is not None:
        wrong = [problem for problem in wrong if problem.rule != "script-program-missing"]
    if any(problem.rule != "script-program-missing" for problem in wrong) or real is None:
        return PlannedProcesses(problems=tuple(wrong))
    wrong += start.problems if start is not None else ()
    shebang = read_shebang(skill.tree.read(real, _LONGEST))
    if machine.platform == "unix" and not skill.tree.mode(real) & 0o111:
        if is_started_directly(skill, inside):
            named = (*program_of(path, shebang), "its program")[0]
            message = (
                f"SKILL.md starts {path} directly, and it has no execute bit; it is started with "
                f"{os.path.basename(named)} here; use chmod +x"
            )
            wrong.append(PlanProblem("script-not-executable", message, at, "warning"))
        elif shebang.argv:
            message = (
                f"{path} is not executable and runs here only because its interpreter is named; "
                "use chmod +x"
            )
            wrong.append(PlanProblem("script-not-executable", message, at, "warning"))
    file = os.path.join(given.roots.skill, *inside.split("/"))
    # Arguments given as they are replace those that inputs of the manifest would be.
    hidden = how.declared if given.arguments else frozenset()
    values = {name: value for name, value in inputs.values.items() if name not in hidden}
    words = script_words(how.command, values) if how.command is not None else ()
    arguments = (*words, *given.arguments)
    argv = {
        platform: (*program, file, *arguments)
        for platform in ("unix", "windows")
        if (
            program := start.argv
            if start is not None and platform == machine.platform
            else program_of(path, shebang, platform == "windows")
        )
    }
    if how.commands and not given.arguments:
        message = (
            f"{path} has several commands, so it may need one: {', '.join(how.commands[:_NAMED])}; "
            f"name one after the path, as in '{path} {how.commands[0]}'"
        )
        wrong.append(PlanProblem("script-command", message, at, "warning"))
    for index, text in enumerate(arguments, 1):
        if fault := text_fault(text):
            wrong.append(PlanProblem("argument-text", f"argument {index} {fault}", ""))
    own = argv.get(machine.platform, ())
    if not own:
        message = (
            f"{path} has no interpreter line; start it with a line such as #!/usr/bin/env bash"
        )
        wrong.append(PlanProblem("script-no-program", message, at))
        return PlannedProcesses(problems=tuple(wrong))
    return PlannedProcesses(
        (Step(own),),
        machine.platform,
        {platform: (command,) for platform, command in argv.items()},
        () if _is_file(own[0]) else (own[0],),
        unneeded=frozenset({start.launcher} if start is not None else ()),
        problems=tuple(wrong),
        packages=start.packages if start is not None else (),
        notes=(start.note,) if start is not None else (),
    )


def _injected(
    skill: Skill, injected: InjectedCommand, given: RunInputs, machine: Machine
) -> PlannedProcesses:
    """Plan a command of SKILL.md as Claude Code starts it: with bash, in the project's folder."""
    if starts_powershell(skill):
        message = (
            "Claude Code starts it with PowerShell (`shell: powershell`), which no dry run does"
        )
        return PlannedProcesses(problems=(PlanProblem("nothing-to-start", message, "", "info"),))
    command = fill_arguments(injected.command, given.arguments, argument_names(skill))
    fault = text_fault(command)
    roots = given.roots
    project = roots.repository or roots.workspace
    variables = {"${CLAUDE_SKILL_DIR}": roots.skill, "${CLAUDE_PROJECT_DIR}": project}
    inside = below(roots.skill, roots.workspace)
    if "${CLAUDE_PLUGIN_ROOT}" in command and inside is not None:
        plugin = plugin_of(DiskTree(roots.workspace), inside.replace(os.sep, "/"))
        if plugin is not None:
            folder = os.path.join(roots.workspace, *filter(None, plugin.folder.split("/")))
            variables["${CLAUDE_PLUGIN_ROOT}"] = folder
    argv = ("bash", "-c", command)
    return PlannedProcesses(
        (Step(argv),),
        machine.platform,
        {machine.platform: (argv,)},
        ("bash",),
        problems=(PlanProblem("argument-text", f"the command {fault}", ""),) if fault else (),
        variables={name: path for name, path in variables.items() if name in command},
    )


def named_packages(tree: FileTree, script: str) -> tuple[str, ...]:
    """The packages that the first line of a script names for its launcher: `uv run --with six`."""
    verdict = judge_path(tree, script)
    real = None if verdict.problem else tree.resolve(verdict.path)
    try:
        shebang = read_shebang(tree.read(real, _LONGEST)) if real is not None else Shebang(())
    except OSError:
        return ()
    command = read_launcher((*" ".join(_through_env(shebang.argv)).split(), script))
    try:
        return tuple(map(parse_requirement, command.packages)) if command is not None else ()
    except ValueError:
        return ()


def _direct_script(
    tree: FileTree, path: str, real: str | None, given: RunInputs, machine: Machine, pointer: str
) -> DirectStart | None:
    """How a script is started without the launcher in its first line, such as `uv run --script`."""
    if real is None or tree.kind(real) != "file":
        return None
    try:
        shebang = read_shebang(tree.read(real, _LONGEST))
    except OSError:
        return None
    program = () if shebang.carriage_return else _through_env(shebang.argv)
    words = " ".join(program).split()
    return find_direct_start(words, tree, machine, given.roots, pointer, path)


def _module(skill: Skill, how: Launching, inputs: Inputs, given: RunInputs) -> PlannedProcesses:
    """Plan a WASI command, which reads all inputs as one JSON value."""
    verdict = judge_path(skill.tree, how.module)
    at = "/terms/entrypoint-path"
    problems = []
    if verdict.problem or skill.tree.kind(skill.tree.resolve(verdict.path) or "") != "file":
        message = f"{how.module} is not a file of the skill"
        problems.append(PlanProblem("module-missing", message, at))
    argv = (os.path.basename(verdict.path) or how.module,)
    return PlannedProcesses(
        (Step(argv),),
        "any",
        {"any": (argv,)},
        stdin=json.dumps(inputs.value, ensure_ascii=False).encode("utf-8", "replace"),
        module=os.path.join(given.roots.skill, *verdict.path.split("/")),
        problems=tuple(problems),
    )


class Texts(NamedTuple):
    """The texts for the placeholders of one operation."""

    given: Mapping[str, str]  # Input to its text; absent inputs are empty.
    shown: Mapping[str, str]  # The same with sensitive values masked.
    pointer: str  # The operation's.
    style: str
    skill: str


class Filled(NamedTuple):
    """One process with inputs inserted."""

    step: Step
    shown: tuple[str, ...]  # Its argv, sensitive values masked.
    program: str | None  # The program that must be on PATH for it, if any.
    used: tuple[str, ...]
    problems: tuple[PlanProblem, ...]


def fill_process(
    process: LaunchedProcess, texts: Texts, windows: bool = False, mocks: Sequence[Mock] = ()
) -> Filled:
    """Fill in the arguments of a process; values that would arrive altered are problems."""
    given = {SKILL_DIR: texts.skill, **texts.given}
    visible = {SKILL_DIR: texts.skill, **texts.shown}
    argv = tuple(fill(element, given, texts.style) for element in process.argv)
    shown = tuple(
        SENSITIVE if looks_like_secret(element) else fill(element, visible, texts.style)
        for element in process.argv
    )
    found = (name for element in process.argv for name in names(element, texts.style))
    used = tuple(name for name in found if name in texts.given)
    line = fill(process.command, given, texts.style)
    mock = next((mock for mock in mocks if name_matches(line, mock.pattern)), None)
    stand_in = (mock.stdout, mock.exit_code) if mock else (None, 0)
    step = Step(argv or (line,), process.name, process.confirmation, *stand_in)
    program = argv[0] if argv and mock is None and not _is_file(argv[0]) else None
    problems = (*_faults(process, argv, texts, windows), *_refusals(process, mock))
    return Filled(step, shown or (line,), program, used, problems)


def _faults(
    process: LaunchedProcess, argv: Sequence[str], texts: Texts, windows: bool
) -> Iterator[PlanProblem]:
    at = process.pointer
    command = read_command(process.argv, windows)
    ends = process.argv.index("--") if "--" in process.argv else len(process.argv)
    for index, (element, text) in enumerate(zip(process.argv, argv, strict=True)):
        found = names(element, texts.style)
        for name in found:
            if name not in texts.given and name != SKILL_DIR:
                message = f"{element}: no input is named {name}, so the placeholder stays"
                yield PlanProblem("placeholder-unknown", message, at, "warning")
        inputs = [name for name in found if name in texts.given]
        if inputs and index in command.scripts:
            message = (
                f"the input {inputs[0]} is inside code that {process.argv[0]} runs, so its value "
                "would be executed; move the code to a file and pass the input as an argument"
            )
            yield PlanProblem("placeholder-in-script", message, at)
        elif inputs and index in command.programs:
            message = f"{element}: the program to run must not depend on the input {inputs[0]}"
            yield PlanProblem("placeholder-in-program", message, at)
        for name in inputs:
            place = f"{texts.pointer}/inputs/{name}"
            if fault := text_fault(texts.given[name]):
                yield PlanProblem("input-text", f"{name} {fault}", place)
            elif index < ends and text.startswith("-") and fill(element, {}, texts.style)[0] == "{":
                message = (
                    f"the value of {name} starts with - and no -- comes before it, so the program "
                    "may read it as an option"
                )
                yield PlanProblem("input-option", message, place, "warning")
    if sum(len(text.encode("utf-8", "replace")) + 1 for text in argv) > MAX_COMMAND:
        message = f"the arguments exceed {MAX_COMMAND:,} bytes in total"
        yield PlanProblem("arguments-too-long", message, at)


def _refusals(process: LaunchedProcess, mock: Mock | None) -> Iterator[PlanProblem]:
    if process.refused:
        named = f"{process.name}: " if process.name else ""
        yield PlanProblem("step-refused", f"{named}{process.refused}", process.pointer)
    if process.needs_shell and mock is None:
        message = (
            f"{process.name}: this step needs a shell, which dry runs never use: "
            f"{process.needs_shell}; move the command to a script of the skill"
        )
        yield PlanProblem("step-needs-shell", message, process.pointer)
