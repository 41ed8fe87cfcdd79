"""Make a plan: what an operation would start, with what and where, and why it cannot."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Literal, NamedTuple

from skillstudio.dryrun.plan import (
    Launch,
    Plan,
    PlanProblem,
    PrivateValues,
    RequirementResult,
    Severity,
)
from skillstudio.dryrun.planning.inputs import Inputs, read_environment, read_inputs
from skillstudio.dryrun.planning.outputs import plan_outputs
from skillstudio.dryrun.planning.processes import PlannedProcesses, plan_processes
from skillstudio.dryrun.planning.requirements import check, sentence
from skillstudio.dryrun.planning.run_inputs import Machine, OperationUnknown, PlannedRun, RunInputs
from skillstudio.dryrun.planning.script_arguments import script_problems, with_script
from skillstudio.dryrun.planning.script_values import read_given
from skillstudio.dryrun.planning.typed import mask_secrets, render_value
from skillstudio.files.tree import FileTree
from skillstudio.interface.model import ABSENT, Interface, Operation, Requirement, Term, token
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.hooks import hook
from skillstudio.manifest.injected import NAME, find_injected, injected_command
from skillstudio.manifest.launching import LaunchSpec
from skillstudio.skill.programs import find_programs, nearest_program
from skillstudio.text.nearest import nearest
from skillstudio.text.safe import safe_text
from skillstudio.text.scripts.model import NotRead
from skillstudio.text.scripts.reading import LARGEST, read_script

DEFAULT_TIMEOUT = 30.0  # Seconds, when neither the manifest nor the caller sets a timeout.
_MAX_NAMES = 12
_MOST_ERRORS = 10  # Errors of a manifest to list; `check` lists all.


def make_plan(
    skill: Skill, interface: Interface, operation: str, run_inputs: RunInputs, machine: Machine
) -> PlannedRun:
    """Plan an operation, "" for the only one or the skill itself. Raises OperationUnknown."""
    name, of, how, dialect = resolve_operation(skill, interface, operation)
    run_inputs, input_notes = read_given(run_inputs, of.inputs, how.command)
    inputs = read_inputs(interface, _with_arguments(of, how, run_inputs), run_inputs, how.takes)
    if how.command is not None:
        inputs = _of_script(inputs, of, how, run_inputs)
    elif how.script:
        inputs = _of_unreadable(inputs, how.script, skill.tree)
    environment = read_environment(interface, how, inputs, run_inputs, machine)
    # For a sensitive skill every value is sensitive, whichever way it is given.
    other_secrets = (*run_inputs.arguments, *run_inputs.env.values()) if interface.sensitive else ()
    secrets = tuple(dict.fromkeys((*inputs.secrets, *environment.secrets, *other_secrets)))
    processes = plan_processes(skill, of, how, inputs, run_inputs, machine)
    requirements = _requirements(interface, how, processes)
    results = check(requirements, machine, run_inputs.roots)
    texts = {key: render_value(value) for key, value in inputs.values.items()}
    outputs, wrong = plan_outputs(of, texts, run_inputs.roots, how.folder == "workspace")
    problems = (
        *run_inputs.faults,
        *inputs.problems,
        *environment.problems,
        *processes.problems,
        *_states(results, requirements, run_inputs),
        *wrong,
        *_hints(interface, how, run_inputs),
        *_instead(interface, how, of),
        *(_wasi_refusals(interface, run_inputs) if how.module else ()),
    )
    hide = partial(mask_secrets, secrets=secrets)
    shown_texts = {
        key: render_value(value) for key, value in inputs.visible_values.items() if key in texts
    }
    shown_outputs, _ = plan_outputs(of, shown_texts, run_inputs.roots, how.folder == "workspace")
    shown_steps = processes.visible_commands[processes.platform] if processes.steps else ()
    timeout = _timeout(interface, how, run_inputs)
    cwd = run_inputs.roots.skill
    if how.folder == "workspace":
        cwd = run_inputs.roots.repository or run_inputs.roots.workspace
    packages = tuple(dict.fromkeys((*processes.packages, *run_inputs.packages)))
    notes = [*environment.notes, *how.notes, *processes.notes, *input_notes]
    if how.command is not None and how.command.reads_input and run_inputs.stdin is None:
        notes.append(f"{how.script} can read standard input: --stdin FILE")
    if run_inputs.packages and not machine.packages:
        notes.append(f"a run prepares these packages beforehand: {', '.join(run_inputs.packages)}")
    plan = Plan(
        skill=interface.name or skill.name,
        operation=name,
        dialect=dialect,
        argv={
            platform: tuple(tuple(map(hide, argv)) for argv in steps)
            for platform, steps in processes.visible_commands.items()
        },
        cwd=cwd,
        env=tuple(sorted({*environment.values, *environment.files})),
        inputs=inputs.visible_values,
        requirements=results,
        outputs=shown_outputs,
        effects=collect_declared_words(interface, of),
        isolation=run_inputs.isolation,
        problems=tuple(
            problem._replace(message=hide(problem.message)) for problem in _unique(problems)
        ),
        roots=run_inputs.roots,
        empty=processes.empty,
        defaults=inputs.defaults,
        notes=tuple(map(hide, notes)),
        confirm=tuple(_confirm(interface, of, processes, run_inputs)),
        steps=tuple(
            step._replace(argv=tuple(map(hide, argv)))
            for step, argv in zip(processes.steps, shown_steps, strict=True)
        ),
        timeout=timeout,
        network=run_inputs.network.words,
    )
    if not processes.steps or not plan.runnable:
        return PlannedRun(plan, None)
    masked_names = [key for key in inputs.visible_values if key in inputs.masked_names]
    sensitive_inputs = {key: inputs.values.get(key, inputs.value) for key in masked_names}
    launch = Launch(
        processes.steps,
        cwd,
        environment.values,
        processes.stdin,
        timeout,
        environment.files,
        secrets,
        processes.module,
        outputs,
        PrivateValues(
            run_inputs.arguments,
            dict(run_inputs.env),
            tuple(sorted(run_inputs.secrets)),
            _collect_names(run_inputs),
            sensitive_inputs,
            run_inputs.stdin,
        ),
        run_inputs.network,
        packages,
        processes.variables,
    )
    return PlannedRun(plan, launch)


def _wasi_refusals(interface: Interface, run_inputs: RunInputs) -> Iterable[PlanProblem]:
    # Loaded for the few programs that run under WASI.
    from skillstudio.dryrun.wasi_preopens import refusals

    return refusals(interface, run_inputs.roots)


def _with_arguments(of: Operation, how: LaunchSpec, run_inputs: RunInputs) -> Operation:
    """Arguments given as they are may take the place of any input that only the script has."""
    if how.command is None or not run_inputs.arguments:
        return of
    option_names = {option.name for option in how.command.options} - how.declared
    return of._replace(
        inputs=tuple(
            input_._replace(required=False) if input_.name in option_names else input_
            for input_ in of.inputs
        )
    )


def _of_script(inputs: Inputs, of: Operation, how: LaunchSpec, run_inputs: RunInputs) -> Inputs:
    """The inputs of a script, with the problems of its own arguments."""
    command = how.command
    if command is None:
        return inputs
    option_pointers = {f"{of.pointer}/inputs/{token(option.name)}" for option in command.options}
    option_pointers -= {f"{of.pointer}/inputs/{token(name)}" for name in how.declared}
    problems: list[PlanProblem] = []
    wrong = () if run_inputs.arguments else tuple(script_problems(command, of, inputs.values))
    for problem in (*inputs.problems, *wrong):
        if problem.rule == "input-missing" and problem.pointer in option_pointers:
            name = _named_at(problem)
            hint = f"give it with -i {name}=VALUE, or give all arguments after --"
            message = f"{problem.message}; {hint}"
            is_warning = run_inputs.anyway
            if command.by_hand:
                # What reads its arguments itself may do without it in another mode.
                message = f"{name} may be required; {hint}, if this use needs it"
                is_warning = True
            problem = problem._replace(
                message=message, severity="warning" if is_warning else "error"
            )
        problems.append(problem)
    return inputs._replace(problems=tuple(problems))


def _of_unreadable(inputs: Inputs, script: str, tree: FileTree) -> Inputs:
    """The inputs of a script that cannot be read: why, in place of each input that is unknown."""
    other_problems = [problem for problem in inputs.problems if problem.rule != "input-unknown"]
    if len(other_problems) == len(inputs.problems):
        return inputs
    try:
        read_script(script, tree.read(script, LARGEST + 1))
    except NotRead as error:
        message = f"{script}: {error}, so its inputs are not known; fix it"
        problem = PlanProblem("script-unreadable", safe_text(message), "")
        return inputs._replace(problems=(problem, *other_problems))
    except OSError:
        return inputs  # Another problem says that it is missing.
    return inputs


def _named_at(problem: PlanProblem) -> str:
    return problem.pointer.rpartition("/")[2].replace("~1", "/").replace("~0", "~")


class ResolvedOperation(NamedTuple):
    """An operation of a skill and how it is started."""

    name: str  # As a run names it; for a script its path.
    operation: Operation  # The operation of the interface whose inputs it takes.
    launch_spec: LaunchSpec
    dialect: str


def resolve_operation(skill: Skill, interface: Interface, operation: str) -> ResolvedOperation:
    """Resolve a name; "" is the only operation, or the skill itself. Raises OperationUnknown."""
    candidates = {candidate.name: candidate for candidate in interface.operations}
    command = injected_command(skill, operation)
    if command is not None and skill.front is not None:
        launching = LaunchSpec("", injected_command=command, folder="workspace")
        dialect = skill.front.dialect.id
        return ResolvedOperation(command.name, Operation("", declared=False), launching, dialect)
    if operation.startswith(NAME):
        raise _unknown(skill, interface, operation)
    name = operation or (next(iter(candidates)) if len(candidates) == 1 else "")
    match = _find_launching(skill, name) if name or "" in candidates or not candidates else None
    if match is None:
        raise _unknown(skill, interface, operation)
    how, manifest = match
    of = candidates.get(how.operation, Operation(how.operation, declared=False))
    if how.script is not None:
        # Only inputs that a manifest declares reach a script as variables.
        declared_names = frozenset(input_.name for input_ in of.inputs)
        takes: Literal["arguments", "environment"] = (
            "environment" if declared_names else "arguments"
        )
        how = how._replace(takes=takes, declared=declared_names)
        of = of if how.command is None else with_script(of, how.command)
    return ResolvedOperation(name, of, how, manifest.dialect.id)


def operations(skill: Skill, interface: Interface) -> tuple[str, ...]:
    """The names that can be planned: operations, else the scripts and their commands; then the
    places of injected commands."""
    names = [operation.name for operation in interface.operations if operation.name]
    if not names and skill.markdown is not None:
        names = [name for program in find_programs(skill.tree) for name in program.operations]
    return (*names, *(command.name for command in find_injected(skill.markdown)))


def _unknown(skill: Skill, interface: Interface, operation: str) -> OperationUnknown:
    """Why there is no such operation, with the nearest name or all of them."""
    names = operations(skill, interface)
    choices = ", ".join(names[:_MAX_NAMES]) + (", …" if len(names) > _MAX_NAMES else "")
    if not operation:
        what = f"has {len(names)} operations; name one of {choices}" if names else "has none"
        return OperationUnknown(f"{interface.name or skill.name} {what}")
    near = nearest(operation, names) or nearest_program(operation, names)
    hint = f"; did you mean {near}?" if near else f"; use one of {choices}" if names else ""
    return OperationUnknown(f"unknown operation {operation}{hint}")


def _requirements(
    interface: Interface, how: LaunchSpec, processes: PlannedProcesses
) -> tuple[Requirement, ...]:
    """The manifest's requirements, then the programs to start, without those that are not."""
    requirements: dict[tuple[str, str], Requirement] = {}
    for requirement in (*interface.requirements, *how.requirements):
        if requirement.kind == "file" or requirement.name not in processes.unneeded_programs:
            requirements.setdefault((requirement.kind, requirement.name), requirement)
    for name in processes.programs:
        requirements.setdefault(("command", name), Requirement("command", name))
    return tuple(requirements.values())


def _states(
    results: Sequence[RequirementResult], requirements: Sequence[Requirement], run_inputs: RunInputs
) -> Iterator[PlanProblem]:
    for result, requirement in zip(results, requirements, strict=True):
        if result.state == "fine":
            continue
        message = sentence(result, requirement, run_inputs.roots)
        # Another version does not prevent a dry run.
        severity: Severity = "error" if result.state == "missing" else "warning"
        at = f"/requirements/{result.kind}/{token(result.name)}"
        yield PlanProblem(f"requirement-{result.state}", message, at, severity)


def _hints(interface: Interface, how: LaunchSpec, run_inputs: RunInputs) -> Iterator[PlanProblem]:
    """Execution hints of the manifest that a dry run cannot honour."""
    execution = interface.execution
    if execution is not None and execution.interactive and not how.procedure:
        message = (
            "the manifest declares interactive: true, but a dry run has no terminal and closes "
            "standard input"
        )
        yield PlanProblem("interactive", message, "/execution/interactive")
    if run_inputs.timeout is not None and not _is_time(run_inputs.timeout):
        yield PlanProblem("timeout", "the timeout must be a number of seconds above 0", "")


def _instead(interface: Interface, how: LaunchSpec, of: Operation) -> Iterator[PlanProblem]:
    """The operations that start a script which was named by its path: only with them it is compared
    with what they declare."""
    if not how.script or of.declared:
        return
    names = [
        operation.name
        for operation in interface.operations
        if any(how.script in entrypoint.argv for entrypoint in operation.entrypoints)
    ]
    if names:
        message = (
            f"the manifest's operation {' and '.join(names)} starts this script; run that to "
            "compare it with what is declared"
        )
        yield PlanProblem("operation-instead", message, "", "warning")


def _timeout(interface: Interface, how: LaunchSpec, run_inputs: RunInputs) -> float:
    """The caller's timeout, else the manifest's if valid, else the default."""
    declared_timeout = interface.execution.timeout if interface.execution is not None else None
    if run_inputs.timeout is not None:
        return run_inputs.timeout
    if declared_timeout is not None and _is_time(declared_timeout):
        return float(declared_timeout)
    steps = [process.timeout for process in how.platforms.get("any", ())]
    seconds = [timeout if timeout and _is_time(timeout) else DEFAULT_TIMEOUT for timeout in steps]
    return float(sum(seconds)) or DEFAULT_TIMEOUT


def _is_time(seconds: float) -> bool:
    return math.isfinite(seconds) and seconds > 0


def _confirm(
    interface: Interface, operation: Operation, processes: PlannedProcesses, run_inputs: RunInputs
) -> Iterator[str]:
    for step in processes.steps:
        if step.confirmation != "auto" and step.mocked is None:
            yield f"the step {step.name} asks for confirmation ({step.confirmation})"
    if run_inputs.network.is_open and run_inputs.network_by:
        hosts = ", ".join(run_inputs.network.hosts) or "any host"
        yield f"{run_inputs.network_by} asks for the network: {hosts}"
    if run_inputs.isolation.id == "copy":
        yield from consents(interface, operation)


def _collect_names(run_inputs: RunInputs) -> tuple[str, ...]:
    """The names of inputs that the caller gave."""
    names = {name for name, _ in run_inputs.texts} | set(run_inputs.secrets)
    for whole in (run_inputs.sample, run_inputs.value):
        names |= set(map(str, whole)) if isinstance(whole, dict) else set()
        names |= set() if whole is ABSENT or isinstance(whole, dict) else {""}
    return tuple(sorted(names))


def _unique(problems: Sequence[PlanProblem]) -> list[PlanProblem]:
    """Each problem once; an error replaces the same warning of another system."""
    errors = {problem[:3] for problem in problems if problem.severity == "error"}
    return [
        problem
        for problem in dict.fromkeys(problems)
        if problem.severity == "error" or problem[:3] not in errors
    ]


def _find_launching(skill: Skill, operation: str) -> tuple[LaunchSpec, Manifest] | None:
    """How an operation is started and by which manifest, the last one first; else None."""
    for manifest in reversed(skill.manifests):
        module = hook(manifest.dialect, "launch") if manifest.part == "manifest" else None
        launching = module.launch(manifest, skill, operation) if module is not None else None
        if launching is not None:
            return launching, manifest
    return None


_ASKS = {"db.write", "git.write", "net.fetch", "net.http", "network", "net"}
"""Effects and permissions that reach beyond the copies."""


def collect_declared_words(interface: Interface, operation: Operation) -> tuple[str, ...]:
    """Effects, permissions and hints as the manifest words them, each once."""
    words = [*operation.effects]
    for term in interface.permissions:
        words += _words(term)
    if interface.execution is not None:
        words += [name for name in ("destructive", "network") if getattr(interface.execution, name)]
    return tuple(dict.fromkeys(words))


def consents(interface: Interface, operation: Operation) -> Iterator[str]:
    """Why a run at the level `copy` asks first."""
    if interface.execution is not None and interface.execution.destructive:
        yield "the manifest declares runs as destructive"
    if interface.execution is not None and interface.execution.network:
        yield "the manifest declares that runs use the network"
    for effect in operation.effects:
        if effect in _ASKS:
            yield f"the manifest declares the effect {effect}"
    for term in interface.permissions:
        name = term.key if term.name == "capability" else term.label or term.name
        if name in _ASKS and term.value:
            yield f"the manifest requests {name}"


def _words(term: Term) -> list[str]:
    name = term.key if term.name == "capability" else term.label or term.name
    if term.comparer == "switch":
        return [name] if term.value else []
    if term.comparer == "set":
        return []  # These are forbidden, such as blocked programs.
    if isinstance(term.value, tuple):
        return [f"{name} {value}" for value in term.value]
    return [f"{name} {term.value}"]


def manifest_errors(skill: Skill, anyway: bool = False) -> tuple[PlanProblem, ...]:
    """Each error with its position and a hint, as warnings with `anyway`: a run of a broken
    manifest would be judged against declarations it does not mean."""
    from skillstudio.manifest.check import check as check_skill
    from skillstudio.manifest.locate import locate
    from skillstudio.skill.analysis import Analysis

    result = locate(skill.tree, skill.settings)
    analysis = Analysis(result.skill, check_skill(result.skill, result.diagnostics))
    errors = [diagnostic for diagnostic in analysis.diagnostics if diagnostic.severity == "error"]
    if not errors:
        return ()
    problems = []
    for error in errors[:_MOST_ERRORS]:
        at, _ = analysis.place(error)
        message = f"{error.path}:{at.line}:{at.column}: {error.message} [{error.rule}]"
        problems.append(
            PlanProblem("manifest-error", message, "", "warning" if anyway else "error")
        )
    if not anyway:
        count = f"{len(errors)} errors" if len(errors) > 1 else "1 error"
        fix = (
            "fix what `skillstudio check` reports, or run it anyway with `skillstudio run --anyway`"
        )
        problems.append(PlanProblem("manifest-errors", f"the manifest has {count}; {fix}", ""))
    return tuple(problems)
