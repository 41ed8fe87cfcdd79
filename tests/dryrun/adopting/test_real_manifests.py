"""Public manifests take what was seen, and say otherwise what they said before."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from tests.dryrun.adopting.skills import HOME, look, report, undeclared

from skillstudio.dryrun.adopting.choice import adopt, pick
from skillstudio.dryrun.adopting.findings import findings, make_case
from skillstudio.files.disk import DiskTree
from skillstudio.files.tree import Overlay
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.locate import locate
from skillstudio.manifest.project import project_unmasked
from skillstudio.skill.discover import find_skills

SEEN = {
    "skill-manifest-2.0": ("effects", "net.fetch"),
    "router-manifest-1": ("effects", "net.fetch"),
    "provenact-bundle": ("capabilities", {"kind": "net.http", "value": "https://a.test"}),
}
EFFECTS = (undeclared("net.fetch", "connected to a.test:443"),)


def skills(data: Path) -> list[Skill]:
    tree = DiskTree(str(data / "corpus"))
    found = (locate(DiskTree(tree.path(each))).skill for each in find_skills(tree))
    return [each for each in found if any(one.dialect.id in SEEN for one in each.manifests)]


def with_item(value: Any, key: str, item: Any) -> Any:
    """The same manifest with one more item in one of its lists."""
    new = copy.deepcopy(value)
    if item not in new.get(key, []):
        new[key] = [*new.get(key, []), item]
    return new


def test_one_item_more_and_nothing_else(data: Path) -> None:
    tried = 0
    for skill in skills(data):
        manifest = next(each for each in skill.manifests if each.dialect.id in SEEN)
        dialect = manifest.dialect.id
        name = next((each.name for each in project_unmasked(skill).operations), "")
        seen = report(dialect, effects=EFFECTS)
        seen = seen._replace(plan=seen.plan._replace(operation=name))
        made = make_case(seen, skill, HOME, look)
        adopted = adopt(made, pick(findings(made)))
        again = locate(Overlay(skill.tree, {adopted.path: adopted.new.encode()})).skill
        document = next(each for each in again.manifests if each.dialect.id == dialect).document
        assert document.value == with_item(manifest.document.value, *SEEN[dialect]), skill.name
        tried += 1
    assert tried > 10
