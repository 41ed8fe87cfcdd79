"""Plan skills that stand in a few lines, on a machine that is told."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from skillstudio.dryrun.plan import IsolationChoice, Roots
from skillstudio.dryrun.planning.make import make_plan
from skillstudio.dryrun.planning.run_inputs import PLAN_ONLY, Machine, PlannedRun, RunInputs
from skillstudio.files.disk import DiskTree
from skillstudio.interface.model import ABSENT
from skillstudio.manifest.locate import locate
from skillstudio.manifest.project import project_unmasked

Make = Callable[..., PlannedRun]
EXAMPLES = Path(__file__).parents[3] / "examples"


def a_machine(platform: str = "unix", **environ: str) -> Machine:
    return Machine(platform, {"PATH": os.environ["PATH"], **environ})


def a_plan(
    folder: Path,
    operation: str = "",
    texts: Mapping[str, str] | None = None,
    *,
    workspace: Path | None = None,
    machine: Machine | None = None,
    isolation: IsolationChoice = PLAN_ONLY,
    value: Any = ABSENT,
    **given: Any,
) -> PlannedRun:
    skill = locate(DiskTree(folder)).skill
    roots = Roots(str(workspace or folder.parent), str(folder), given.pop("repository", ""))
    asked = RunInputs(roots, tuple((texts or {}).items()), value, isolation=isolation, **given)
    return make_plan(skill, project_unmasked(skill), operation, asked, machine or a_machine())


def rules(planned: PlannedRun) -> list[str]:
    return [each.rule for each in planned.plan.problems]


class Folder:
    """A skill being written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)

    def file(self, name: str, text: str | bytes, mode: int | None = None) -> Folder:
        """Write a file; what begins as a script is executable unless it is said."""
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        data = text.encode() if isinstance(text, str) else text
        target.write_bytes(data)
        target.chmod(mode or (0o755 if data.startswith(b"#!") else 0o644))
        return self

    def frontmatter(self, text: str, name: str = "tool") -> Folder:
        head = f'manifest_version: "1.0"\nname: {name}\ndescription: x\n'
        return self.file("SKILL.md", f"---\n{head}{text}---\nText.\n")

    def block(self, operations: dict[str, Any], **more: Any) -> Folder:
        value = {"schema_version": "2.0", "id": "tool", "operations": operations, **more}
        text = json.dumps(value, ensure_ascii=True)
        head = "---\nname: tool\ndescription: x\n---\n"
        return self.file("SKILL.md", f"{head}\n```skill-manifest\n{text}\n```\n")

    def recipe(self, text: str, toml: str = "", name: str = "r") -> Folder:
        head = '[skill]\nid = "custom.tool"\nname = "T"\nversion = "1.0.0"\ndescription = "x"\n'
        more = toml or "[capabilities.terminal_exec]\n"
        self.file("skill.toml", f'{head}api_version = "1.0"\n[provides]\nrecipes = true\n{more}')
        return self.file(f"recipes/{name}.yaml", f"id: {name}\nname: R\ndescription: x\n{text}")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "tool")


def operation(argv: list[str], windows: list[str] | None = None, **inputs: Any) -> dict[str, Any]:
    """One operation of a manifest block with inputs of a type, or as they are declared."""
    entrypoints = {"unix": argv} | ({"windows": windows} if windows else {})
    declared = {
        name: {"type": given, "required": True} if isinstance(given, str) else given
        for name, given in inputs.items()
    }
    return {"go": {"description": "x", "input": declared, "entrypoints": entrypoints}}
