"""The variables of a run: those that the manifest declares, and no others of this machine."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from skillstudio.dryrun.plan import PlanProblem
from skillstudio.dryrun.planning.inputs import Inputs
from skillstudio.dryrun.planning.run_inputs import Machine, RunInputs
from skillstudio.dryrun.planning.typed import dummy_text, rendered, text_fault
from skillstudio.interface.model import Interface, Variable, token
from skillstudio.manifest.launching import Launching
from skillstudio.manifest.secrets import looks_like_secret

PREFIX = "SKILL_INPUT_"
FILE = "SKILL_INPUTS"
"""A convention of skillstudio: no dialect defines how a script gets its inputs."""
CONVENTION = (
    f"a convention of skillstudio: each input is in {PREFIX}NAME, and all of them are JSON in the "
    f"file that {FILE} names"
)
_OTHER = re.compile(r"[^A-Za-z0-9]")


class Environment(NamedTuple):
    """The variables of a run."""

    values: dict[str, str]
    files: dict[str, bytes]
    """Variables that name a file, with its content."""
    secrets: tuple[str, ...]
    problems: tuple[PlanProblem, ...]
    notes: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(sorted({*self.values, *self.files}))


def read_environment(
    interface: Interface, launching: Launching, inputs: Inputs, given: RunInputs, machine: Machine
) -> Environment:
    """Choose the variables of a run; a sensitive one only has a value from `--secret`, or a
    generated one when it is required."""
    values: dict[str, str] = {}
    secrets: list[str] = []
    problems: list[PlanProblem] = []
    notes: list[str] = []
    variables = (*interface.env, *launching.variables)
    for each in variables:
        if each.name.endswith("*"):
            notes.append(f"variables {each.name} of this machine are not passed on")
            continue
        if each.sensitive and each.name in given.env:
            message = (
                f"{each.name} is sensitive: give it with --secret {each.name}=@FILE or "
                f"--secret {each.name}=env:VARIABLE"
            )
            problems.append(PlanProblem("variable-secret", message, f"/env/{token(each.name)}"))
        found = _value(each, interface, given, machine)
        if found is not None:
            values[each.name] = found
        elif each.required:
            message = f"{each.name} is required and not set; give it with --env {each.name}=VALUE"
            at = f"/env/{token(each.name)}"
            problems.append(PlanProblem("variable-unset", message, at, "warning"))
        if each.sensitive or interface.sensitive:
            secrets += [values[each.name]] if each.name in values else []
    known = {each.name for each in variables if not each.name.endswith("*")}
    begins = tuple(each.name[:-1] for each in variables if each.name.endswith("*"))
    for name, text in given.secrets.items():
        if name in known or (begins and name.startswith(begins)):
            values[name] = text
            secrets += [text] if text not in secrets else []
        elif name not in inputs.values and name not in inputs.masked:
            message = f"--secret {name}: the skill has no input or variable of that name"
            problems.append(PlanProblem("secret-unknown", message, ""))
    values |= given.env
    for name, text in values.items():
        fault = text_fault(f"{name}={text}")
        if fault:
            problems.append(PlanProblem("variable-text", f"{name} {fault}", f"/env/{token(name)}"))
    files: dict[str, bytes] = {}
    if launching.takes == "environment" and inputs.values:
        _add_inputs(values, inputs, problems, notes)
        files[FILE] = json.dumps(inputs.values, ensure_ascii=False).encode("utf-8", "replace")
        notes.append(CONVENTION)
    return Environment(values, files, tuple(secrets), tuple(problems), tuple(notes))


def _value(
    variable: Variable, interface: Interface, given: RunInputs, machine: Machine
) -> str | None:
    for chosen in (given.env, given.secrets):
        if variable.name in chosen:
            return chosen[variable.name]
    if variable.sensitive or interface.sensitive:
        return dummy_text(variable.name) if variable.required else None
    found = machine.environ.get(variable.name)
    if found is not None and looks_like_secret(found):
        return dummy_text(variable.name)
    return found


def _add_inputs(
    values: dict[str, str], inputs: Inputs, problems: list[PlanProblem], notes: list[str]
) -> None:
    """Add each input as a variable; one that is too long is only in the file."""
    taken: dict[str, str] = {}
    for name, value in inputs.values.items():
        variable = PREFIX + _OTHER.sub("_", name).upper()
        at = f"/inputs/{token(name)}"
        if variable in taken:
            message = f"the inputs {name} and {taken[variable]} would both become {variable}"
            problems.append(PlanProblem("variable-twice", message, at))
            continue
        taken[variable] = name
        text = rendered(value)
        fault = text_fault(f"{variable}={text}")
        if not fault:
            values[variable] = text
        elif "\0" in text:
            problems.append(PlanProblem("input-text", f"{name} {fault}", at))
        else:
            notes.append(f"{name} is too long for a variable, so it is in the file of {FILE} only")
