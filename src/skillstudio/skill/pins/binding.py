"""Check the inputs that a proto maps, by the interface of any skill: ADR-002, rules 3, 4, 7, 8."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from skillstudio.interface.model import ABSENT, Input, Interface, Operation
from skillstudio.manifest.author_schema import accepts
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.hook_values import BindingProblem
from skillstudio.manifest.hooks import hook
from skillstudio.manifest.project import project_unmasked
from skillstudio.text.nearest import did_you_mean

UNKNOWN = "binding-input-unknown"
_NO_ERROR = (UNKNOWN, "binding-input-optional")


def check_inputs(skill: Skill, values: Mapping[str, object]) -> list[BindingProblem]:
    """The problems of the values; of several operations, those of the one that fits them best.

    Values with `{{` are filled in later and not checked. Messages never contain sensitive values.
    """
    interface = project_unmasked(skill)
    known_names = {name for operation in interface.operations for name in operation.input_names}
    problem_lists = [
        list(_check(operation, interface, values, known_names))
        for operation in interface.operations
        if operation.named_inputs
        or operation.value_schema is not None
        or not _takes_any(skill, operation)
    ]
    return min(problem_lists, key=_misfit, default=[])


def _takes_any(skill: Skill, operation: Operation) -> bool:
    """Whether an operation without a schema reads any one value."""
    for manifest in skill.manifests:
        launch = hook(manifest.dialect, "launch") if manifest.part == "manifest" else None
        launching = launch.launch(manifest, skill, operation.name) if launch is not None else None
        if launching is not None:
            return launching.takes == "stdin"
    return False


def _misfit(problems: list[BindingProblem]) -> tuple[int, int]:
    rules = [problem.rule for problem in problems]
    return rules.count(UNKNOWN), sum(rule not in _NO_ERROR for rule in rules)


def _check(
    operation: Operation,
    interface: Interface,
    values: Mapping[str, object],
    known_names: Collection[str],
) -> Iterator[BindingProblem]:
    of = f"operation {operation.name}: " if len(interface.operations) > 1 else ""
    for problem in _problems(operation, interface.sensitive, values, known_names):
        yield problem._replace(message=of + problem.message)


def _problems(
    operation: Operation,
    sensitive: bool,
    values: Mapping[str, object],
    known_names: Collection[str],
) -> Iterator[BindingProblem]:
    whole = operation.value_schema
    inputs = operation.named_inputs
    is_complete = True
    for input_ in inputs:
        if input_.name in values:
            for problem in _value(
                input_, whole, values[input_.name], sensitive or input_.sensitive
            ):
                is_complete = False
                yield problem
        elif input_.must_be_given:
            is_complete = False
            message = f"the required input {input_.name} has no value"
            yield BindingProblem("binding-input-unmapped", message, input_.name)
        else:
            group = "required" if input_.required else "optional"
            used = "it has no default" if input_.default is ABSENT else "its default is used"
            message = f"the {group} input {input_.name} has no value; {used}"
            yield BindingProblem("binding-input-optional", message, input_.name)
    names = {input_.name for input_ in inputs}
    if whole is None or _lists_all(whole):
        for name in values:
            if name not in names:
                advice = did_you_mean(name, set(known_names) - values.keys(), quote='"')
                yield BindingProblem(UNKNOWN, f"unknown input {name}{advice}", name)
                is_complete = False
    if isinstance(whole, dict) and is_complete and not _is_filled_later(values):
        defaults = {input_.name: input_.default for input_ in inputs if input_.has_used_default}
        if not accepts(whole, {**defaults, **values}):
            message = "the values together do not satisfy the schema of the skill's inputs"
            yield BindingProblem("binding-input-invalid", message)


def _lists_all(schema: Any) -> bool:
    """Whether other properties than those that a schema describes are probably misspelled."""
    if not isinstance(schema, dict) or not isinstance(schema.get("properties"), dict):
        return False
    return schema.get("additionalProperties", False) is False and "patternProperties" not in schema


def _value(
    declared_input: Input, whole: Any, value: object, is_secret: bool
) -> Iterator[BindingProblem]:
    schema, name = declared_input.schema, declared_input.name
    root = whole if isinstance(whole, dict) else schema
    is_refused = schema is False
    if isinstance(schema, dict) and isinstance(root, dict):
        is_refused = not accepts(root, value, schema)
    if is_refused and not _is_filled_later(value):
        value_text = "its value" if is_secret else f"the value {_short(value)}"
        message = f"{value_text} does not satisfy the schema of {name}"
        yield BindingProblem("binding-input-invalid", message, name)
    if declared_input.sensitive and value not in (None, "") and not _is_filled_later(value):
        message = f"the sensitive input {name} has its value in the proto; use {{{{…}}}}"
        yield BindingProblem("binding-secret-literal", message, name)


def _is_filled_later(value: object) -> bool:
    """Whether a value has a placeholder anywhere."""
    if isinstance(value, Mapping):
        return any(map(_is_filled_later, value.values()))
    if isinstance(value, list):
        return any(map(_is_filled_later, value))
    return isinstance(value, str) and "{{" in value


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
