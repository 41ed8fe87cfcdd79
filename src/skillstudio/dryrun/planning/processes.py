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
from skillstudio.dryrun.planning.typed import MAX_COMMAND, render_value, text_fault
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
from skillstudio.manifest.launching import LaunchedProcess, LaunchSpec, Mock
from skillstudio.manifest.placeholders import fill, names
from skillstudio.manifest.plugin_skills import plugin_of
from skillstudio.manifest.secrets import looks_like_secret
from skillstudio.manifest.started_scripts import is_started_directly
from skillstudio.resources import toml_table
from skillstudio.skill.programs import find_programs, nearest_program
from skillstudio.text.command_line import read_command, script_path
from skillstudio.text.reading.requirements import parse_requirement

_MAX_NAMES = 12
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
    interpreter = () if shebang.carriage_return else _through_env(shebang.argv)
    if interpreter and shutil.which(interpreter[0], path=machine.path) is None:
        message = f"{path}:1: the program {interpreter[0]} is not on this machine"
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
    platform: str = ""  # The key in `visible_commands` of the steps.
    visible_commands: dict[str, tuple[tuple[str, ...], ...]] = {}  # noqa: RUF012
    """Platform to the argv of each step, masked."""
    programs: tuple[str, ...] = ()  # Programs that must be on PATH.
    unneeded_programs: frozenset[str] = frozenset()
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
    how: LaunchSpec,
    inputs: Inputs,
    run_inputs: RunInputs,
    machine: Machine,
) -> PlannedProcesses:
    """Plan what an operation starts, in the way its dialect defines."""
    if how.refusal:
        problem = PlanProblem("nothing-to-start", how.refusal, operation.pointer, "info")
        return PlannedProcesses(problems=(problem,))
    if how.module:
        processes = _module(skill, how, inputs, run_inputs)
    elif how.injected_command is not None:
        processes = _plan_injected_command(skill, how.injected_command, run_inputs, machine)
    elif how.script is not None:
        processes = _script(skill, operation, how, inputs, run_inputs, machine)
    else:
        processes = _commands(skill, operation, how, inputs, run_inputs, machine)
    if run_inputs.arguments and how.script is None and how.injected_command is None:
        message = "arguments after -- are for scripts; this operation takes inputs by name"
        extra = PlanProblem("arguments-unused", message, operation.pointer)
        processes = processes._replace(problems=(*processes.problems, extra))
    if run_inputs.stdin is None:
        return processes
    if how.module:
        message = "this operation reads its inputs from standard input; give inputs instead"
        extra = PlanProblem("stdin-unused", message, operation.pointer)
        return processes._replace(problems=(*processes.problems, extra))
    return processes._replace(stdin=run_inputs.stdin.encode("utf-8"))


def _commands(
    skill: Skill,
    operation: Operation,
    how: LaunchSpec,
    inputs: Inputs,
    run_inputs: RunInputs,
    machine: Machine,
) -> PlannedProcesses:
    full = {name: render_value(value) for name, value in inputs.values.items()}
    masked_texts = {
        name: SENSITIVE if name in inputs.masked_names else text for name, text in full.items()
    }
    empty = dict.fromkeys(inputs.absent, "")  # An absent input becomes an empty argument.
    texts = Texts(
        {**empty, **full},
        {**empty, **masked_texts},
        operation.pointer,
        how.placeholders,
        run_inputs.roots.skill,
    )
    own_platform = next(
        (platform for platform in (machine.platform, "any") if platform in how.platforms), None
    )
    in_workspace = how.folder != "skill"
    tree, folder = skill.tree, SKILL_FOLDER
    if in_workspace:
        roots = run_inputs.roots
        tree, folder = DiskTree(roots.repository or roots.workspace), "the workspace"
    problems: list[PlanProblem] = []
    filled_processes: dict[str, list[FilledProcess]] = {}
    starts: list[DirectStart] = []
    for platform, declared_processes in how.platforms.items():
        windows = platform == "windows"
        processes = declared_processes
        if platform == own_platform:
            processes = tuple(
                _directly(process, tree, run_inputs, machine, starts, how.mocks)
                for process in declared_processes
            )
        filled_processes[platform] = [
            fill_process(process, texts, windows, how.mocks) for process in processes
        ]
        for index, (process, filled_process) in enumerate(
            zip(processes, filled_processes[platform], strict=True)
        ):
            if platform != own_platform:
                problems += (_elsewhere(problem, platform) for problem in filled_process.problems)
                continue
            problems += filled_process.problems
            if filled_process.step.mocked is None:
                for file_problem in _files(tree, folder, process, machine, windows):
                    # An earlier step may create the script of a later one.
                    is_later = index and in_workspace and file_problem.rule == "script-missing"
                    problems.append(
                        file_problem._replace(severity="warning") if is_later else file_problem
                    )
    visible_commands = {
        platform: tuple(filled_process.visible_argv for filled_process in platform_processes)
        for platform, platform_processes in filled_processes.items()
    }
    if how.procedure:
        visible_commands["agent"] = ((how.procedure,),)
    if own_platform is None:
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
        return PlannedProcesses(visible_commands=visible_commands, problems=(*problems, problem))
    programs = dict.fromkeys(
        filled_process.program
        for filled_process in filled_processes[own_platform]
        if filled_process.program is not None
    )
    # A command that only a shell could parse is a single text here.
    mocked_programs = {
        word
        for filled_process in filled_processes[own_platform]
        if filled_process.step.mocked is not None
        for word in filled_process.step.argv[0].split()[:1]
    }
    used = {
        name for filled_process in filled_processes[own_platform] for name in filled_process.used
    }
    return PlannedProcesses(
        tuple(filled_process.step for filled_process in filled_processes[own_platform]),
        own_platform,
        visible_commands,
        tuple(programs),
        frozenset((mocked_programs | {start.launcher for start in starts}).difference(programs)),
        tuple(name for name in inputs.absent if name in used),
        problems=(*problems, *(problem for start in starts for problem in start.problems)),
        packages=tuple(package for start in starts for package in start.packages),
        notes=tuple(dict.fromkeys(start.note for start in starts)),
    )


def _directly(
    process: LaunchedProcess,
    tree: FileTree,
    run_inputs: RunInputs,
    machine: Machine,
    starts: list[DirectStart],
    mocks: Sequence[Mock],
) -> LaunchedProcess:
    """A process without a launcher such as `uv run`, where Python alone does; adds to `starts`."""
    if mocks or process.refusal or process.needs_shell:
        return process
    windows = machine.platform == "windows"
    start = find_direct_start(process.argv, tree, machine, run_inputs.roots, process.pointer)
    rest = process.argv[start.script :] if start is not None else process.argv
    if start is None and not windows and read_command(process.argv).file == 0:
        # The first line of the script names the launcher.
        verdict = judge_path(tree, script_path(process.argv[0]) or "")
        real = None if verdict.problem else tree.resolve(verdict.path)
        start = _direct_script(tree, verdict.path, real, run_inputs, machine, process.pointer)
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
    how: LaunchSpec,
    inputs: Inputs,
    run_inputs: RunInputs,
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
        if run_inputs.arguments:
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
    start = _direct_script(skill.tree, inside, real, run_inputs, machine, at)
    if start is not None:
        wrong = [problem for problem in wrong if problem.rule != "script-program-missing"]
    if any(problem.rule != "script-program-missing" for problem in wrong) or real is None:
        return PlannedProcesses(problems=tuple(wrong))
    wrong += start.problems if start is not None else ()
    shebang = read_shebang(skill.tree.read(real, _LONGEST))
    if machine.platform == "unix" and not skill.tree.mode(real) & 0o111:
        if is_started_directly(skill, inside):
            interpreter = (*program_of(path, shebang), "its program")[0]
            message = (
                f"SKILL.md starts {path} directly, and it has no execute bit; it is started with "
                f"{os.path.basename(interpreter)} here; use chmod +x"
            )
            wrong.append(PlanProblem("script-not-executable", message, at, "warning"))
        elif shebang.argv:
            message = (
                f"{path} is not executable and runs here only because its interpreter is named; "
                "use chmod +x"
            )
            wrong.append(PlanProblem("script-not-executable", message, at, "warning"))
    file = os.path.join(run_inputs.roots.skill, *inside.split("/"))
    # Arguments given as they are replace those that inputs of the manifest would be.
    replaced_names = how.declared if run_inputs.arguments else frozenset()
    values = {name: value for name, value in inputs.values.items() if name not in replaced_names}
    words = script_words(how.command, values) if how.command is not None else ()
    arguments = (*words, *run_inputs.arguments)
    argv = {
        platform: (*program, file, *arguments)
        for platform in ("unix", "windows")
        if (
            program := start.argv
            if start is not None and platform == machine.platform
            else program_of(path, shebang, platform == "windows")
        )
    }
    if how.commands and not run_inputs.arguments:
        message = (
            f"{path} has several commands, so it may need one: "
            f"{', '.join(how.commands[:_MAX_NAMES])}; "
            f"name one after the path, as in '{path} {how.commands[0]}'"
        )
        wrong.append(PlanProblem("script-command", message, at, "warning"))
    for index, text in enumerate(arguments, 1):
        if fault := text_fault(text):
            wrong.append(PlanProblem("argument-text", f"argument {index} {fault}", ""))
    own_argv = argv.get(machine.platform, ())
    if not own_argv:
        message = (
            f"{path} has no interpreter line; start it with a line such as #!/usr/bin/env bash"
        )
        wrong.append(PlanProblem("script-no-program", message, at))
        return PlannedProcesses(problems=tuple(wrong))
    return PlannedProcesses(
        (Step(own_argv),),
        machine.platform,
        {platform: (command,) for platform, command in argv.items()},
        () if _is_file(own_argv[0]) else (own_argv[0],),
        unneeded_programs=frozenset({start.launcher} if start is not None else ()),
        problems=tuple(wrong),
        packages=start.packages if start is not None else (),
        notes=(start.note,) if start is not None else (),
    )


def _plan_injected_command(
    skill: Skill, injected_command: InjectedCommand, run_inputs: RunInputs, machine: Machine
) -> PlannedProcesses:
    """Plan a command of SKILL.md as Claude Code starts it: with bash, in the project's folder."""
    if starts_powershell(skill):
        message = (
            "Claude Code starts it with PowerShell (`shell: powershell`), which no dry run does"
        )
        return PlannedProcesses(problems=(PlanProblem("nothing-to-start", message, "", "info"),))
    command = fill_arguments(injected_command.command, run_inputs.arguments, argument_names(skill))
    fault = text_fault(command)
    roots = run_inputs.roots
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
    tree: FileTree,
    path: str,
    real: str | None,
    run_inputs: RunInputs,
    machine: Machine,
    pointer: str,
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
    return find_direct_start(words, tree, machine, run_inputs.roots, pointer, path)


def _module(
    skill: Skill, how: LaunchSpec, inputs: Inputs, run_inputs: RunInputs
) -> PlannedProcesses:
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
        module=os.path.join(run_inputs.roots.skill, *verdict.path.split("/")),
        problems=tuple(problems),
    )


class Texts(NamedTuple):
    """The texts for the placeholders of one operation."""

    values: Mapping[str, str]  # Input to its text; absent inputs are empty.
    visible_values: Mapping[str, str]  # The same with sensitive values masked.
    pointer: str  # The operation's.
    style: str
    skill: str


class FilledProcess(NamedTuple):
    """One process with inputs inserted."""

    step: Step
    visible_argv: tuple[str, ...]  # Its argv, sensitive values masked.
    program: str | None  # The program that must be on PATH for it, if any.
    used: tuple[str, ...]
    problems: tuple[PlanProblem, ...]


def fill_process(
    process: LaunchedProcess, texts: Texts, windows: bool = False, mocks: Sequence[Mock] = ()
) -> FilledProcess:
    """Fill in the arguments of a process; values that would arrive altered are problems."""
    values = {SKILL_DIR: texts.skill, **texts.values}
    visible = {SKILL_DIR: texts.skill, **texts.visible_values}
    argv = tuple(fill(element, values, texts.style) for element in process.argv)
    visible_argv = tuple(
        SENSITIVE if looks_like_secret(element) else fill(element, visible, texts.style)
        for element in process.argv
    )
    placeholders = (name for element in process.argv for name in names(element, texts.style))
    used = tuple(name for name in placeholders if name in texts.values)
    line = fill(process.command, values, texts.style)
    mock = next((mock for mock in mocks if name_matches(line, mock.pattern)), None)
    stand_in = (mock.stdout, mock.exit_code) if mock else (None, 0)
    step = Step(argv or (line,), process.name, process.confirmation, *stand_in)
    program = argv[0] if argv and mock is None and not _is_file(argv[0]) else None
    problems = (*_faults(process, argv, texts, windows), *_refusals(process, mock))
    return FilledProcess(step, visible_argv or (line,), program, used, problems)


def _faults(
    process: LaunchedProcess, argv: Sequence[str], texts: Texts, windows: bool
) -> Iterator[PlanProblem]:
    at = process.pointer
    command = read_command(process.argv, windows)
    ends = process.argv.index("--") if "--" in process.argv else len(process.argv)
    for index, (element, text) in enumerate(zip(process.argv, argv, strict=True)):
        placeholders = names(element, texts.style)
        for name in placeholders:
            if name not in texts.values and name != SKILL_DIR:
                message = f"{element}: no input is named {name}, so the placeholder stays"
                yield PlanProblem("placeholder-unknown", message, at, "warning")
        inputs = [name for name in placeholders if name in texts.values]
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
            if fault := text_fault(texts.values[name]):
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
    if process.refusal:
        prefix = f"{process.name}: " if process.name else ""
        yield PlanProblem("step-refused", f"{prefix}{process.refusal}", process.pointer)
    if process.needs_shell and mock is None:
        message = (
            f"{process.name}: this step needs a shell, which dry runs never use: "
            f"{process.needs_shell}; move the command to a script of the skill"
        )
        yield PlanProblem("step-needs-shell", message, process.pointer)
