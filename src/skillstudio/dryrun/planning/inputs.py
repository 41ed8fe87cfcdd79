"""The validated inputs of a run: given, from a sample, defaults, or generated for secrets; and its
variables: those that the manifest declares, and no others of this machine. All problems are
reported at once; without a value or default an input is absent, never null."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from skillstudio.dryrun.plan import PlanProblem
from skillstudio.dryrun.planning.run_inputs import Machine, RunInputs
from skillstudio.dryrun.planning.typed import (
    dummy,
    dummy_text,
    parse_value,
    render_value,
    text_fault,
    validator_of,
    value_fault,
)
from skillstudio.interface.model import (
    ABSENT,
    SCHEMA_TERM,
    Input,
    Interface,
    Operation,
    Variable,
    properties,
    token,
)
from skillstudio.interface.wording import SENSITIVE
from skillstudio.manifest.launching import LaunchSpec
from skillstudio.manifest.secrets import looks_like_secret
from skillstudio.manifest.values import mapping
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.nearest import nearest
from skillstudio.text.strict_json import NotJson


class Inputs(NamedTuple):
    """The resolved inputs of a run."""

    values: dict[str, Any]  # By name, without absent ones.
    value: Any  # All inputs as one value, for programs that read JSON.
    visible_values: dict[str, Any]  # By name, sensitive values masked.
    masked_names: frozenset[str]  # The names of sensitive inputs.
    absent: tuple[str, ...]
    secrets: tuple[str, ...]
    problems: tuple[PlanProblem, ...]
    defaults: tuple[str, ...] = ()  # The names of inputs that have their default.


def read_inputs(
    interface: Interface, operation: Operation, run_inputs: RunInputs, takes: str = "arguments"
) -> Inputs:
    """Combine and validate the inputs of a run; `takes` is that of its launching."""
    # A program that reads one value accepts any value if the manifest has no schema.
    schema = operation.value_schema
    if schema is None and takes == "stdin":
        schema = True
    if schema is not None:
        return _as_one(schema, interface, operation, run_inputs)
    return _NamedInputs(interface, operation, run_inputs).read()


class _NamedInputs:
    """Inputs with names."""

    def __init__(self, interface: Interface, operation: Operation, run_inputs: RunInputs) -> None:
        self._interface = interface
        self._operation = operation
        self._run_inputs = run_inputs
        self._inputs = {input_.name: input_ for input_ in operation.inputs}
        self._problems: list[PlanProblem] = []
        self._secrets: list[str] = []

    def read(self) -> Inputs:
        whole = {**self._object(self._run_inputs.sample), **self._object(self._run_inputs.value)}
        for name in whole:
            if name not in self._inputs:
                self._unknown(name)
        values = {name: whole[name] for name in whole if name in self._inputs} | self._parse_texts()
        given_names = frozenset(values)
        values |= {
            input_.name: self._missing(input_)
            for input_ in self._inputs.values()
            if input_.name not in given_names
        }
        values = {name: value for name, value in values.items() if value is not ABSENT}
        for name, value in values.items():
            if fault := value_fault(value):
                self._add("input-text", f"{name} {fault}", self._at(name))
                continue
            schema = self._inputs[name].schema
            self._problems += _errors(name, value, schema, self._at(name), self._hides(name))
        masked_names = frozenset(filter(self._hides, self._inputs))
        for name in sorted(masked_names & given_names & values.keys()):
            self._secrets += texts_of(values[name])
        ordered_values = {name: values[name] for name in self._inputs if name in values}
        visible_values = {
            name: SENSITIVE if name in masked_names else value
            for name, value in ordered_values.items()
        }
        absent = tuple(name for name in self._inputs if name not in ordered_values)
        secrets, problems = tuple(self._secrets), tuple(self._problems)
        defaults = tuple(
            name
            for name in ordered_values
            if name not in given_names and not self._is_generated(self._inputs[name])
        )
        return Inputs(
            ordered_values,
            ordered_values,
            visible_values,
            masked_names,
            absent,
            secrets,
            problems,
            defaults,
        )

    def _object(self, value: Any) -> dict[str, Any]:
        if value is ABSENT:
            return {}
        if not isinstance(value, dict):
            message = "the inputs must be one JSON object that maps input names to values"
            self._add("inputs-form", message, f"{self._operation.pointer}/inputs")
            return {}
        return {str(name): input_value for name, input_value in value.items()}

    def _parse_texts(self) -> dict[str, Any]:
        """The given texts and secrets as values; ABSENT for a problem."""
        values: dict[str, Any] = {}
        for name, text in self._run_inputs.texts:
            declared_input = self._inputs.get(name)
            if declared_input is None:
                self._unknown(name)
            elif declared_input.sensitive:
                message = (
                    f"{name} is sensitive, and every user of this machine can read command lines; "
                    f"give it with --secret {name}=@FILE or --secret {name}=env:VARIABLE"
                )
                self._add("input-secret", message, self._at(name))
                values[name] = ABSENT
            else:
                values[name] = self._value(declared_input, text)
        for name, text in self._run_inputs.secrets.items():
            if name in self._inputs:
                self._secrets.append(text)
                values[name] = self._value(self._inputs[name], text, is_secret=True)
        return values

    def _value(self, declared_input: Input, text: str, is_secret: bool = False) -> Any:
        try:
            return parse_value(text, declared_input.schema)
        except NotJson as error:
            why = "" if is_secret else f": {error}; put a string in double quotes"
            self._add(
                "input-type",
                f"{declared_input.name} must be JSON{why}",
                self._at(declared_input.name),
            )
            return ABSENT

    def _missing(self, declared_input: Input) -> Any:
        """The value of an input that was not given: a default, a generated value, or ABSENT."""
        if declared_input.sensitive:
            if not declared_input.required:
                return ABSENT
            value = dummy(declared_input.name, declared_input.schema)
            if value is ABSENT:
                message = (
                    f"{declared_input.name} must be given with --secret: no value could be "
                    "generated"
                )
                self._add("input-missing", message, self._at(declared_input.name))
            else:
                self._secrets += [text for text in texts_of(value) if declared_input.name in text]
            return value
        if not declared_input.must_be_given:
            return declared_input.default
        if self._is_generated(declared_input):
            return dummy(declared_input.name, declared_input.schema)
        self._add(
            "input-missing", f"{declared_input.name} is required", self._at(declared_input.name)
        )
        return ABSENT

    def _is_generated(self, declared_input: Input) -> bool:
        """Whether a missing input gets a generated value."""
        return declared_input.sensitive or (
            self._interface.sensitive and declared_input.must_be_given
        )

    def _hides(self, name: str) -> bool:
        is_secret = name in self._run_inputs.secrets
        return is_secret or self._interface.sensitive or self._inputs[name].sensitive

    def _unknown(self, name: str) -> None:
        near = nearest(name, self._inputs)
        hint = f"; did you mean {near}?" if near else ""
        if not near and self._inputs:
            hint = f"; use one of {', '.join(self._inputs)}"
        message = f"unknown input {name}{hint}"
        self._add("input-unknown", message, self._at(name))

    def _at(self, name: str) -> str:
        return f"{self._operation.pointer}/inputs/{token(name)}"

    def _add(self, rule: str, message: str, pointer: str) -> None:
        self._problems.append(PlanProblem(rule, message, pointer))


def _errors(
    name: str, value: Any, schema: Any, at: str, is_sensitive: bool
) -> Iterator[PlanProblem]:
    validator = validator_of(schema)
    if validator is None:
        message = f"{name} is not validated: its schema cannot be used"
        yield PlanProblem("input-schema", message, f"{at}/schema", "warning")
        return
    for error in sorted(validator.errors(value), key=lambda error: error.instance.__repr__()):
        # What the schema of a sensitive input allows may be the secret itself.
        reason = "does not fit its schema" if is_sensitive else error.message
        place = "/".join(str(key) for key in error.instance)
        where = f" at {place}" if place and not is_sensitive else ""
        yield PlanProblem("input-invalid", f"{name}{where} {reason}", at)


def _as_one(
    schema: Any, interface: Interface, operation: Operation, run_inputs: RunInputs
) -> Inputs:
    """The inputs of an operation that reads one value, whose schema may name parts of it."""
    at = f"{operation.pointer}/terms/{SCHEMA_TERM}"
    parts = mapping(schema, "properties")
    problems: list[PlanProblem] = []
    secrets = list(run_inputs.secrets.values())
    value = run_inputs.value if run_inputs.value is not ABSENT else run_inputs.sample
    named_values: dict[str, Any] = {}
    for number, (name, text) in enumerate((*run_inputs.texts, *run_inputs.secrets.items())):
        try:
            part = parts.get(name, {})
            named_values[name] = parse_value(text, part if isinstance(part, dict | bool) else {})
        except NotJson as error:
            why = f": {error}" if number < len(run_inputs.texts) else ""
            place = f"{at}/properties/{token(name)}"
            problems.append(PlanProblem("input-type", f"{name} must be JSON{why}", place))
    if named_values:
        value = {**value, **named_values} if isinstance(value, dict) else named_values
    if value is ABSENT:
        value = {}
    defaults: dict[str, Any] = {}
    if isinstance(value, dict):
        used = [property_ for property_ in properties(schema) if property_.has_used_default]
        defaults = {
            property_.name: property_.default for property_ in used if property_.name not in value
        }
        value = {**value, **defaults}
    is_sensitive = interface.sensitive
    if fault := value_fault(value):
        problems.append(PlanProblem("input-text", f"the input {fault}", at))
    elif isinstance(schema, str):
        message = f"the input is not validated: its schema is the address {schema}"
        problems.append(PlanProblem("input-schema", message, at, "info"))
    else:
        problems += _errors("the input", value, schema, at, is_sensitive)
    if is_sensitive:
        secrets += texts_of(value)
    visible_values = dict(value) if isinstance(value, dict) else {"": value}
    masked_names = frozenset(visible_values if is_sensitive else run_inputs.secrets)
    values = dict(value) if isinstance(value, dict) else {}
    visible_values = {
        name: SENSITIVE if name in masked_names else input_value
        for name, input_value in visible_values.items()
    }
    return Inputs(
        values,
        value,
        visible_values,
        masked_names,
        (),
        tuple(secrets),
        tuple(problems),
        tuple(defaults),
    )


def texts_of(value: Any) -> list[str]:
    """Every string and number in a value, as text."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [text for element in value for text in texts_of(element)]
    return [] if value is None or isinstance(value, bool) else [str(value)]


PREFIX = "SKILL_INPUT_"
FILE = "SKILL_INPUTS"
"""A convention of skillstudio: no dialect defines how a script gets its inputs."""
CONVENTION = (
    f"a convention of skillstudio: each input is in {PREFIX}NAME, and all of them are JSON in the "
    f"file that {FILE} names"
)
_OTHER = lazy_pattern(r"[^A-Za-z0-9]")


class Environment(NamedTuple):
    """The variables of a run."""

    values: dict[str, str]
    files: dict[str, bytes]  # Variables that name a file, with its content.
    secrets: tuple[str, ...]
    problems: tuple[PlanProblem, ...]
    notes: tuple[str, ...]


def read_environment(
    interface: Interface,
    launching: LaunchSpec,
    inputs: Inputs,
    run_inputs: RunInputs,
    machine: Machine,
) -> Environment:
    """Choose the variables of a run; a sensitive one only has a value from `--secret`, or a
    generated one when it is required."""
    values: dict[str, str] = {}
    secrets: list[str] = []
    problems: list[PlanProblem] = []
    variables = (*interface.env, *launching.variables)
    begins = tuple(variable.name[:-1] for variable in variables if variable.name.endswith("*"))
    notes = [f"variables {prefix}* of this machine are not passed on" for prefix in begins]
    named_variables = [variable for variable in variables if not variable.name.endswith("*")]
    for variable in named_variables:
        at = f"/env/{token(variable.name)}"
        if variable.sensitive and variable.name in run_inputs.env:
            message = (
                f"{variable.name} is sensitive: give it with --secret {variable.name}=@FILE or "
                f"--secret {variable.name}=env:VARIABLE"
            )
            problems.append(PlanProblem("variable-secret", message, at))
        value = _value(variable, interface, run_inputs, machine)
        if value is not None:
            values[variable.name] = value
        elif variable.required:
            message = (
                f"{variable.name} is required and not set; give it with --env {variable.name}=VALUE"
            )
            problems.append(PlanProblem("variable-unset", message, at, "warning"))
        if (variable.sensitive or interface.sensitive) and variable.name in values:
            secrets.append(values[variable.name])
    for name, text in run_inputs.secrets.items():
        if name.startswith(begins) or any(variable.name == name for variable in named_variables):
            values[name] = text
            secrets += [text] if text not in secrets else []
        elif name not in inputs.values and name not in inputs.masked_names:
            message = f"--secret {name}: the skill has no input or variable of that name"
            problems.append(PlanProblem("secret-unknown", message, ""))
    values |= run_inputs.env
    for name, text in values.items():
        if fault := text_fault(f"{name}={text}"):
            problems.append(PlanProblem("variable-text", f"{name} {fault}", f"/env/{token(name)}"))
    files: dict[str, bytes] = {}
    if launching.takes == "environment" and inputs.values:
        _add_inputs(values, inputs, problems, notes)
        files[FILE] = json.dumps(inputs.values, ensure_ascii=False).encode("utf-8", "replace")
        notes.append(CONVENTION)
    return Environment(values, files, tuple(secrets), tuple(problems), tuple(notes))


def _value(
    variable: Variable, interface: Interface, run_inputs: RunInputs, machine: Machine
) -> str | None:
    for source in (run_inputs.env, run_inputs.secrets):
        if variable.name in source:
            return source[variable.name]
    if variable.sensitive or interface.sensitive:
        return dummy_text(variable.name) if variable.required else None
    text = machine.environ.get(variable.name)
    if text is not None and looks_like_secret(text):
        return dummy_text(variable.name)
    return text


def _add_inputs(
    values: dict[str, str], inputs: Inputs, problems: list[PlanProblem], notes: list[str]
) -> None:
    """Add each input as a variable; one that is too long is only in the file."""
    input_names: dict[str, str] = {}
    for name, value in inputs.values.items():
        variable = PREFIX + _OTHER.sub("_", name).upper()
        at = f"/inputs/{token(name)}"
        if variable in input_names:
            message = f"the inputs {name} and {input_names[variable]} would both become {variable}"
            problems.append(PlanProblem("variable-twice", message, at))
            continue
        input_names[variable] = name
        text = render_value(value)
        fault = text_fault(f"{variable}={text}")
        if not fault:
            values[variable] = text
        elif "\0" in text:
            problems.append(PlanProblem("input-text", f"{name} {fault}", at))
        else:
            notes.append(f"{name} is too long for a variable, so it is in the file of {FILE} only")
