"""A plan is made as an author types: whatever a manifest holds, it is a plan or a sentence."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from tests.dryrun.planning.conftest import EXAMPLES, a_machine

from skillstudio.dryrun.plan import Roots, plan_value
from skillstudio.dryrun.planning.make import make_plan, operations
from skillstudio.dryrun.planning.run_inputs import OperationUnknown, RunInputs
from skillstudio.files.disk import DiskTree
from skillstudio.files.tree import Overlay
from skillstudio.manifest.locate import locate
from skillstudio.manifest.project import project_unmasked

CARRIERS = [
    ("memory", "SKILL.md"),
    ("worklog", "SKILL.md"),
    ("deploy", "SKILL.md"),
    ("history/0.1.0/memory", "SKILL.md"),
    ("aws", "skill.toml"),
    ("aws", "recipes/deploy-app.yaml"),
    ("aws", "tests/deploy-app.yaml"),
    ("echo-json", "manifest.json"),
]
VALUES = ["null", "5", "[]", "{}", '"x"', "[1, [2]]", "true", '{"a": null}', '"{{x}} {y} $(z)"']


def planned(folder: Path, file: str, text: str) -> None:
    """Plan everything that the skill has with this text in the place of a file."""
    skill = locate(Overlay(DiskTree(folder), {file: text.encode()})).skill
    interface = project_unmasked(skill)
    roots = Roots(str(folder.parent), str(folder))
    names = ["", "search", "deploy-app", "scripts/x.sh", *operations(skill, interface)]
    for name in dict.fromkeys(names):
        given = RunInputs(roots, (("query", "x"), ("limit", "5"), ("region", "y")), sample={"a": 1})
        try:
            plan = make_plan(skill, interface, name, given, a_machine()).plan
        except OperationUnknown:
            continue
        assert plan_value(plan)["isolation"]["id"] == "plan"


@pytest.mark.slow_cases("memory-SKILL.md")
@pytest.mark.parametrize(("name", "file"), CARRIERS)
def test_a_text_that_stops_anywhere(name: str, file: str) -> None:
    text = (EXAMPLES / name / file).read_text(encoding="utf-8")
    for end in random.Random(7).sample(range(len(text)), 40):
        planned(EXAMPLES / name, file, text[:end])


@pytest.mark.slow_cases("worklog-SKILL.md")
@pytest.mark.parametrize(("name", "file"), CARRIERS)
def test_values_of_another_type(name: str, file: str) -> None:
    text = (EXAMPLES / name / file).read_text(encoding="utf-8")
    chance = random.Random(11)
    places = [
        found.span(1) for found in re.finditer(r'[:=] *("[^"\n]*"|[\w.-]+|\[[^\]\n]*\])', text)
    ]
    for start, end in chance.sample(places, min(len(places), 40)):
        planned(EXAMPLES / name, file, text[:start] + chance.choice(VALUES) + text[end:])
