"""What this machine lacks for the skills that protos name."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillstudio.manifest.hook_values import BindingProblem
from skillstudio.skill.lookup import LocatedSkill
from skillstudio.skill.pins.proto import SKILL_ROOT


def find_binding_problems(located_skill: LocatedSkill, workspace: str) -> Iterator[BindingProblem]:
    """The commands, files outside of the skill and variables that this machine lacks."""
    from skillstudio.dryrun.plan import Roots
    from skillstudio.dryrun.planning import requirements
    from skillstudio.dryrun.planning.run_inputs import this_machine
    from skillstudio.manifest.project import project

    machine, interface = this_machine(), project(located_skill.skill)
    roots = Roots(os.path.realpath(workspace), os.path.realpath(located_skill.folder))
    local_requirements = [
        requirement
        for requirement in interface.requirements
        if requirement.kind == "command" or requirement.base not in ("", SKILL_ROOT)
    ]
    for requirement, declared_requirement in zip(
        requirements.check(local_requirements, machine, roots), local_requirements, strict=True
    ):
        if requirement.state != "fine":
            message = requirements.sentence(requirement, declared_requirement, roots)
            yield BindingProblem(f"binding-{requirement.kind}-missing", message, requirement.name)
    for variable in interface.env:
        if variable.required and variable.name not in machine.environ:
            message = f"the required environment variable {variable.name} is not set"
            yield BindingProblem("binding-env-missing", message, variable.name)
