"""`skillstudio sample`: generate inputs for an operation and save them."""

from __future__ import annotations

import os
from typing import Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.output import CommandRefused, Paint, Result, UsageError, refuse_on
from skillstudio.cli.run_arguments import LocalSkill, open_skill, read_run_inputs, read_sample
from skillstudio.dryrun.plan import PlanProblem, Roots
from skillstudio.dryrun.planning.inputs import read_inputs
from skillstudio.dryrun.planning.make import ResolvedOperation
from skillstudio.dryrun.planning.run_inputs import RunInputs
from skillstudio.dryrun.planning.script_values import read_given
from skillstudio.dryrun.sampling.sample import Sample, SampleRefused
from skillstudio.files.paths import make_relative
from skillstudio.interface.model import ABSENT, Operation
from skillstudio.text.safe import safe_text

_OF_THE_CALLER = ("input-unknown", "input-secret", "input-type", "inputs-form")
"""Problems of the given values, before generated ones are added."""


def run(options: CommandOptions) -> Result:
    """Print or save a sample. Exit status 1 if it would be invalid or must not be saved."""
    if options.private and not options.save:
        raise UsageError("--private needs --save NAME")
    local_skill = open_skill(options.path)
    resolved_operation = local_skill.operation(options.operation)
    name, operation = resolved_operation.name, resolved_operation.operation
    if options.list:
        return _list(local_skill, name)
    run_inputs = read_run_inputs(
        local_skill, options, options.rest, Roots(local_skill.folder, local_skill.folder)
    )
    with refuse_on(SampleRefused, kind=CommandRefused):
        sample, problems = _make_sample(local_skill, resolved_operation, run_inputs, options)
        if problems:
            sentences = [
                f"{problem.severity}: {problem.message} [{problem.rule}]" for problem in problems
            ]
            raise CommandRefused("\n".join(sentences))
        if options.save:
            return _save(local_skill, operation, sample, options)
        return _result(local_skill, operation, sample)


def _make_sample(
    local_skill: LocalSkill,
    resolved_operation: ResolvedOperation,
    run_inputs: RunInputs,
    options: CommandOptions,
) -> tuple[Sample, list[PlanProblem]]:
    from skillstudio.dryrun.sampling.generating import generate

    name, operation, command = (
        resolved_operation.name,
        resolved_operation.operation,
        resolved_operation.launch_spec.command,
    )
    if run_inputs.arguments and command is not None:
        # The arguments take the place of the script's own inputs.
        script_inputs = {
            option.name for option in command.options
        } - resolved_operation.launch_spec.declared
        operation = operation._replace(
            inputs=tuple(input_ for input_ in operation.inputs if input_.name not in script_inputs)
        )
    run_inputs = read_given(run_inputs, operation.inputs, command).run_inputs
    checked_inputs = read_inputs(local_skill.interface, operation, run_inputs)
    wrong = [problem for problem in checked_inputs.problems if problem.rule in _OF_THE_CALLER]
    inputs: Any = checked_inputs.value
    named_inputs = {key for key, _ in run_inputs.texts}
    for value in (run_inputs.value, run_inputs.sample):
        named_inputs |= set(value) if isinstance(value, dict) else set()
    is_whole = not operation.inputs and (
        run_inputs.value is not ABSENT or run_inputs.sample is not ABSENT
    )
    if isinstance(inputs, dict) and not is_whole:
        fresh = generate(operation, options.all, named_inputs)
        given_values = {key: inputs[key] for key in named_inputs if key in inputs}
        inputs = {**fresh, **given_values} if isinstance(fresh, dict) else given_values or fresh
    whole = read_inputs(local_skill.interface, operation, RunInputs(run_inputs.roots, value=inputs))
    wrong += [
        problem
        for problem in whole.problems
        if problem.severity == "error" and problem not in wrong
    ]
    hidden_names = {input_.name for input_ in operation.inputs if input_.sensitive} | set(
        run_inputs.secrets
    )
    if isinstance(inputs, dict):
        order = [input_.name for input_ in operation.inputs if input_.name in inputs]
        order = order or list(inputs)
        inputs = {key: inputs[key] for key in order if key not in hidden_names}
    path = options.save or options.sample or "sample"
    sample = Sample(path, name, inputs, run_inputs.arguments, run_inputs.env)
    if options.sample:
        old = read_sample(local_skill, name, options.sample)
        sample = sample._replace(expect=old.expect, workspace=old.workspace)
    return sample, wrong


def _save(
    local_skill: LocalSkill, operation: Operation, sample: Sample, options: CommandOptions
) -> Result:
    from skillstudio.dryrun.sampling.samples import save_committed, save_private, sensitive_in

    sensitive = sensitive_in(sample, local_skill.interface, operation)
    if sensitive or options.secret:
        secrets = [secret.partition("=")[0] for secret in options.secret]
        names = ", ".join(dict.fromkeys((*sensitive, *secrets)))
        raise SampleRefused(
            f"not saved: {names} is sensitive, and samples never contain sensitive values; pass "
            "them with --secret to run"
        )
    if options.private:
        path = save_private(local_skill.folder, sample)
        display_path = path
    else:
        path = save_committed(local_skill.folder, sample)
        display_path = (
            f"{local_skill.label}/{make_relative(path, os.path.realpath(local_skill.folder))}"
        )
    display_path = display_path.replace(os.sep, "/")
    return Result(
        lambda: {"path": display_path, "saved": sample.name}, lambda _: [safe_text(display_path)]
    )


def _result(local_skill: LocalSkill, operation: Operation, sample: Sample) -> Result:
    from skillstudio.dryrun.sampling.samples import sensitive_in, write_sample
    from skillstudio.interface.wording import SENSITIVE

    hidden_names = sensitive_in(sample, local_skill.interface, operation)
    if hidden_names and isinstance(sample.inputs, dict):
        masked_inputs = {
            key: SENSITIVE if key in hidden_names else v for key, v in sample.inputs.items()
        }
        sample = sample._replace(inputs=masked_inputs, env=dict.fromkeys(sample.env, SENSITIVE))

    def text(_: Paint) -> list[str]:
        with refuse_on(SampleRefused, kind=CommandRefused):
            return [safe_text(write_sample(sample), keep_newlines=True).removesuffix("\n")]

    return Result(
        lambda: {
            "skill": local_skill.interface.name or local_skill.skill.name,
            "operation": sample.operation,
            "inputs": {} if sample.inputs is ABSENT else sample.inputs,
            "arguments": list(sample.arguments),
            "env": dict(sample.env),
        },
        text,
    )


def _list(local_skill: LocalSkill, name: str) -> Result:
    from skillstudio.dryrun.sampling.samples import list_committed, list_saved

    with refuse_on(SampleRefused):
        samples = [
            (sample_name, "skill") for sample_name in list_committed(local_skill.skill.tree, name)
        ]
        samples += [
            (sample_name, "private") for sample_name in list_saved(local_skill.folder, name)
        ]
    return Result(
        lambda: [{"name": sample_name, "kept": where} for sample_name, where in samples],
        lambda _: [safe_text(f"{sample_name}  ({where})") for sample_name, where in samples],
    )
