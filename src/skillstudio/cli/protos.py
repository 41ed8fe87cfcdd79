"""Protos: files that name skills of their workspace."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillstudio.cli.report import ReportedDiagnostic, file_diagnostics
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.hook_values import BindingProblem
from skillstudio.manifest.locate import read_file
from skillstudio.skill.lookup import LocatedSkill, look_up, workspace_of
from skillstudio.skill.pins.proto import SKILL_ROOT, check_proto
from skillstudio.text.diagnostic import Diagnostic

ENDINGS = (".yaml", ".yml")


def is_proto(path: str) -> bool:
    """Whether a file is a YAML document that names skills."""
    if not path.lower().endswith(ENDINGS) or not os.path.isfile(path):
        return False
    source = read_file(_folder(path), os.path.basename(path), [])
    return source is not None and "skill:" in source.text


def proto_diagnostics(path: str, shown: str, here: bool = False) -> list[ReportedDiagnostic]:
    """The problems of a proto; with `here`, also what this machine lacks."""
    found: list[Diagnostic] = []
    source = read_file(_folder(path), os.path.basename(path), found)
    if source is not None:
        workspace = workspace_of(os.path.dirname(path))
        skills = look_up(workspace)
        machine = (lambda name: _lacking(skills.all(name)[0], workspace)) if here else None
        found += check_proto(source, skills.get, skills.names(), machine)
    return file_diagnostics(found, shown, source)


def _lacking(located: LocatedSkill, workspace: str) -> Iterator[BindingProblem]:
    """The commands, files outside of the skill and variables that this machine lacks."""
    from skillstudio.dryrun.plan import Roots
    from skillstudio.dryrun.planning import requirements
    from skillstudio.dryrun.planning.run_inputs import this_machine
    from skillstudio.manifest.project import project

    machine, interface = this_machine(), project(located.skill)
    roots = Roots(os.path.realpath(workspace), os.path.realpath(located.folder))
    wanted = [
        each
        for each in interface.requirements
        if each.kind == "command" or each.base not in ("", SKILL_ROOT)
    ]
    for each, asked in zip(requirements.check(wanted, machine, roots), wanted, strict=True):
        if each.state != "fine":
            message = requirements.sentence(each, asked, roots)
            yield BindingProblem(f"binding-{each.kind}-missing", message, each.name)
    for variable in interface.env:
        if variable.required and variable.name not in machine.environ:
            message = f"the required environment variable {variable.name} is not set"
            yield BindingProblem("binding-env-missing", message, variable.name)


def _folder(path: str) -> DiskTree:
    return DiskTree(os.path.dirname(path) or ".")
