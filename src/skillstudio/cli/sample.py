"""`skillstudio sample`: generate inputs for an operation and save them."""

from __future__ import annotations

import os
from typing import Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.output import CommandRefused, Paint, Result, UsageError, refusing
from skillstudio.cli.run_arguments import LocalSkill, open_skill, read_run_inputs, read_sample
from skillstudio.dryrun.plan import PlanProblem, Roots
from skillstudio.dryrun.planning.inputs import read_inputs
from skillstudio.dryrun.planning.make import ResolvedOperation
from skillstudio.dryrun.planning.run_inputs import RunInputs
from skillstudio.dryrun.planning.script_values import read_given
from skillstudio.dryrun.sampling.sample import Sample, SampleRefused
from skillstudio.interface.model import ABSENT, Operation
from skillstudio.text.safe import safe_text

_OF_THE_CALLER = ("input-unknown", "input-secret", "input-type", "inputs-form")
"""Problems of the given values, before generated ones are added."""


def run(options: CommandOptions) -> Result:
    """Print or save a sample. Exit status 1 if it would be invalid or must not be saved."""
    if options.private and not options.save:
        raise UsageError("--private needs --save NAME")
    opened = open_skill(options.path)
    found = opened.operation(options.operation)
    name, operation = found.name, found.operation
    if options.list:
        return _list(opened, name)
    given = read_run_inputs(opened, options, options.rest, Roots(opened.folder, opened.folder))
    with refusing(SampleRefused, kind=CommandRefused):
        sample, problems = _made(opened, found, given, options)
        if problems:
            sentences = [
                f"{problem.severity}: {problem.message} [{problem.rule}]" for problem in problems
            ]
            raise CommandRefused("\n".join(sentences))
        if options.save:
            return _save(opened, operation, sample, options)
        return _result(opened, operation, sample)


def _made(
    opened: LocalSkill, found: ResolvedOperation, given: RunInputs, options: CommandOptions
) -> tuple[Sample, list[PlanProblem]]:
    from skillstudio.dryrun.sampling.generating import generate

    name, operation, command = found.name, found.operation, found.launching.command
    if given.arguments and command is not None:
        # The arguments take the place of the script's own inputs.
        own = {option.name for option in command.options} - found.launching.declared
        operation = operation._replace(
            inputs=tuple(input_ for input_ in operation.inputs if input_.name not in own)
        )
    given = read_given(given, operation.inputs, command).given
    checked = read_inputs(opened.interface, operation, given)
    wrong = [problem for problem in checked.problems if problem.rule in _OF_THE_CALLER]
    inputs: Any = checked.value
    named = {key for key, _ in given.texts}
    for value in (given.value, given.sample):
        named |= set(value) if isinstance(value, dict) else set()
    is_whole = not operation.inputs and (given.value is not ABSENT or given.sample is not ABSENT)
    if isinstance(inputs, dict) and not is_whole:
        fresh = generate(operation, options.all, named)
        kept = {key: inputs[key] for key in named if key in inputs}
        inputs = {**fresh, **kept} if isinstance(fresh, dict) else kept or fresh
    whole = read_inputs(opened.interface, operation, RunInputs(given.roots, value=inputs))
    wrong += [
        problem
        for problem in whole.problems
        if problem.severity == "error" and problem not in wrong
    ]
    hidden = {input_.name for input_ in operation.inputs if input_.sensitive} | set(given.secrets)
    if isinstance(inputs, dict):
        order = [input_.name for input_ in operation.inputs if input_.name in inputs]
        order = order or list(inputs)
        inputs = {key: inputs[key] for key in order if key not in hidden}
    path = options.save or options.sample or "sample"
    made = Sample(path, name, inputs, given.arguments, given.env)
    if options.sample:
        old = read_sample(opened, name, options.sample)
        made = made._replace(expect=old.expect, workspace=old.workspace)
    return made, wrong


def _save(
    opened: LocalSkill, operation: Operation, sample: Sample, options: CommandOptions
) -> Result:
    from skillstudio.dryrun.sampling.samples import save_committed, save_private, sensitive_in

    sensitive = sensitive_in(sample, opened.interface, operation)
    if sensitive or options.secret:
        secrets = [secret.partition("=")[0] for secret in options.secret]
        names = ", ".join(dict.fromkeys((*sensitive, *secrets)))
        raise SampleRefused(
            f"not saved: {names} is sensitive, and samples never contain sensitive values; pass "
            "them with --secret to run"
        )
    if options.private:
        path = save_private(opened.folder, sample)
        shown = path
    else:
        path = save_committed(opened.folder, sample)
        shown = f"{opened.shown}/{os.path.relpath(path, os.path.realpath(opened.folder))}"
    shown = shown.replace(os.sep, "/")
    return Result(lambda: {"path": shown, "saved": sample.name}, lambda _: [safe_text(shown)])


def _result(opened: LocalSkill, operation: Operation, sample: Sample) -> Result:
    from skillstudio.dryrun.sampling.samples import sensitive_in, write_sample
    from skillstudio.interface.wording import SENSITIVE

    hidden = sensitive_in(sample, opened.interface, operation)
    if hidden and isinstance(sample.inputs, dict):
        masked = {key: SENSITIVE if key in hidden else v for key, v in sample.inputs.items()}
        sample = sample._replace(inputs=masked, env=dict.fromkeys(sample.env, SENSITIVE))

    def text(_: Paint) -> list[str]:
        with refusing(SampleRefused, kind=CommandRefused):
            return [safe_text(write_sample(sample), keep_newlines=True).removesuffix("\n")]

    return Result(
        lambda: {
            "skill": opened.interface.name or opened.skill.name,
            "operation": sample.operation,
            "inputs": {} if sample.inputs is ABSENT else sample.inputs,
            "arguments": list(sample.arguments),
            "env": dict(sample.env),
        },
        text,
    )


def _list(opened: LocalSkill, name: str) -> Result:
    from skillstudio.dryrun.sampling.samples import committed, saved

    with refusing(SampleRefused):
        found = [(sample_name, "skill") for sample_name in committed(opened.skill.tree, name)]
        found += [(sample_name, "private") for sample_name in saved(opened.folder, name)]
    return Result(
        lambda: [{"name": sample_name, "kept": where} for sample_name, where in found],
        lambda _: [safe_text(f"{sample_name}  ({where})") for sample_name, where in found],
    )
