"""`skillstudio sample`: inputs that an operation takes, generated or given, and kept by a name."""

from __future__ import annotations

import os
from argparse import Namespace
from typing import Any

from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.output import Parser, UsageError, print_json, say
from skillstudio.cli.run_arguments import (
    LocalSkill,
    add_inputs,
    add_operation,
    open_skill,
    read_run_inputs,
    read_sample,
    split_arguments,
)
from skillstudio.dryrun.plan import PlanProblem, Roots
from skillstudio.dryrun.planning.inputs import read_inputs
from skillstudio.dryrun.planning.make import ResolvedOperation, resolve_operation
from skillstudio.dryrun.planning.run_inputs import OperationUnknown, RunInputs
from skillstudio.dryrun.sampling.sample import Sample, SampleRefused
from skillstudio.interface.model import ABSENT, Operation
from skillstudio.text.safe import safe_text

_OF_THE_CALLER = ("input-unknown", "input-secret", "input-type", "inputs-form")
"""What is wrong with values before they are joined with those generated."""


def parser() -> Parser:
    made = Parser(
        "sample",
        "Print inputs that an operation takes: those given, and for what it requires besides, "
        "values generated from the schemas. Sensitive inputs are left out.",
        usage="skillstudio sample PATH [OPERATION] [OPTIONS] [-- ARGS]",
    )
    add_operation(made)
    add_inputs(made)
    made.add_argument("--all", action="store_true", help="optional inputs too")
    made.add_argument(
        "--save", metavar="NAME", help="write it to samples/OPERATION/NAME.yaml in the skill"
    )
    made.add_argument(
        "--private", action="store_true", help="with --save: keep it for yourself, not in the skill"
    )
    made.add_argument("--list", action="store_true", help="list the samples of the operation")
    made.add_argument("--format", choices=("text", "json"), default="text")
    return made


def run(arguments: list[str]) -> int:
    """Print or save a sample. Exit status 1 where it would be invalid or may not be saved."""
    own, behind = split_arguments(arguments)
    options = parser().parse_args(own)
    if options.private and not options.save:
        raise UsageError("--private says where --save NAME writes")
    opened = open_skill(options.path)
    found = _operation(opened, options)
    name, operation = found.name, found.operation
    if options.list:
        return _list(opened, name, options)
    roots = Roots(opened.folder, opened.folder)
    given = read_run_inputs(opened, options, behind, roots)
    try:
        sample, problems = _made(opened, operation, name, given, options)
        if problems:
            return _tell(problems)
        if options.save:
            return _save(opened, operation, sample, options)
        return _print(opened, operation, sample, options)
    except SampleRefused as error:
        say(f"skillstudio: {safe_text(str(error), keep_newlines=True)}")
        return PROBLEMS


def _operation(opened: LocalSkill, options: Namespace) -> ResolvedOperation:
    """The operation whose inputs are meant. Raises UsageError."""
    try:
        return resolve_operation(opened.skill, opened.interface, options.operation)
    except OperationUnknown as error:
        raise UsageError(str(error)) from None


def _made(
    opened: LocalSkill, operation: Operation, name: str, given: RunInputs, options: Namespace
) -> tuple[Sample, list[PlanProblem]]:
    """The sample, and what is wrong with what was given for it. Raises SampleRefused."""
    from skillstudio.dryrun.sampling.generating import generate

    told = read_inputs(opened.interface, operation, given)
    wrong = [each for each in told.problems if each.rule in _OF_THE_CALLER]
    inputs: Any = told.value
    named = {key for key, _ in given.texts}
    for each in (given.value, given.sample):
        named |= set(each) if isinstance(each, dict) else set()
    is_whole = not operation.inputs and (given.value is not ABSENT or given.sample is not ABSENT)
    if isinstance(inputs, dict) and not is_whole:
        fresh = generate(operation, options.all, named)
        kept = {key: inputs[key] for key in named if key in inputs}
        inputs = {**fresh, **kept} if isinstance(fresh, dict) else kept or fresh
    whole = read_inputs(opened.interface, operation, RunInputs(given.roots, value=inputs))
    wrong += [each for each in whole.problems if each.severity == "error" and each not in wrong]
    hidden = {each.name for each in operation.inputs if each.sensitive} | set(given.secrets)
    if isinstance(inputs, dict):
        order = [each.name for each in operation.inputs if each.name in inputs]
        order = order or list(inputs)
        inputs = {key: inputs[key] for key in order if key not in hidden}
    path = options.save or options.sample or "sample"
    made = Sample(path, name, inputs, given.arguments, given.env)
    if options.sample:
        old = read_sample(opened, name, options.sample)
        made = made._replace(expect=old.expect, workspace=old.workspace)
    return made, wrong


def _save(opened: LocalSkill, operation: Operation, sample: Sample, options: Namespace) -> int:
    from skillstudio.dryrun.sampling.samples import save_committed, save_private, sensitive_in

    sensitive = sensitive_in(sample, opened.interface, operation)
    if sensitive or options.secret:
        names = ", ".join(dict.fromkeys((*sensitive, *_names(options.secret))))
        raise SampleRefused(
            f"nothing is saved: remove the sensitive {names}; samples must not contain such "
            "values, give them with --secret"
        )
    if options.private:
        path = save_private(opened.folder, sample)
        shown = path
    else:
        path = save_committed(opened.folder, sample)
        shown = f"{opened.shown}/{os.path.relpath(path, os.path.realpath(opened.folder))}"
    print(safe_text(shown.replace(os.sep, "/")))
    return OK


def _names(secrets: list[str]) -> list[str]:
    return [each.partition("=")[0] for each in secrets]


def _print(opened: LocalSkill, operation: Operation, sample: Sample, options: Namespace) -> int:
    from skillstudio.dryrun.sampling.reading import write_sample
    from skillstudio.dryrun.sampling.samples import sensitive_in
    from skillstudio.interface.wording import SENSITIVE

    hidden = sensitive_in(sample, opened.interface, operation)
    if hidden and isinstance(sample.inputs, dict):
        masked = {key: SENSITIVE if key in hidden else v for key, v in sample.inputs.items()}
        sample = sample._replace(inputs=masked, env=dict.fromkeys(sample.env, SENSITIVE))
    if options.format == "json":
        value = {"inputs": {} if sample.inputs is ABSENT else sample.inputs}
        print_json(
            {
                "skill": opened.interface.name or opened.skill.name,
                "operation": sample.operation,
                **value,
                "arguments": list(sample.arguments),
                "env": dict(sample.env),
            }
        )
    else:
        print(safe_text(write_sample(sample), keep_newlines=True), end="")
    return OK


def _list(opened: LocalSkill, name: str, options: Namespace) -> int:
    from skillstudio.dryrun.sampling.samples import committed, saved

    try:
        found = [(each, "skill") for each in committed(opened.skill.tree, name)]
        found += [(each, "private") for each in saved(opened.folder, name)]
    except SampleRefused as error:
        raise UsageError(str(error)) from None
    if options.format == "json":
        print_json([{"name": each, "kept": where} for each, where in found])
        return OK
    for each, where in found:
        print(safe_text(f"{each}  ({where})"))
    return OK


def _tell(problems: list[PlanProblem]) -> int:
    for each in problems:
        say(f"{each.severity}: {safe_text(each.message)} [{each.rule}]")
    return PROBLEMS
