"""What the skills of a workspace need of each other, and whether it is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from skillstudio.manifest.caro.dependencies import CaroDependency, dependencies
from skillstudio.manifest.caro.finding import at_key, at_value
from skillstudio.manifest.caro.ranges import RangeFault, parse_range
from skillstudio.manifest.dialect import Manifest
from skillstudio.manifest.values import dig, mapping, text
from skillstudio.text.diagnostic import Diagnostic

DIALECT = "caro-1.0"


class _Skill(NamedTuple):
    path: str
    manifest: Manifest
    id: str
    needs: tuple[CaroDependency, ...]


def check_dependencies(
    skills: Mapping[str, Sequence[Manifest]],
) -> dict[str, list[Diagnostic]]:
    """The findings for each skill of a workspace, by its path; skills without any are left out.

    `skills` holds the manifests of each skill's folder. Where two skills have one id, a need is
    met when either meets it.
    """
    known = [found for path, manifests in skills.items() for found in _skills(path, manifests)]
    by_id: dict[str, list[_Skill]] = {}
    for skill in filter(lambda each: each.id, known):
        by_id.setdefault(skill.id, []).append(skill)
    components = _components({id: _targets(group, by_id) for id, group in by_id.items()})
    findings: dict[str, list[Diagnostic]] = {}
    for skill in known:
        for each in (*_unmet(skill, by_id), *_cyclic(skill, components), *_suggested(skill, by_id)):
            named = each._replace(path=skill.manifest.path, dialect=DIALECT)
            findings.setdefault(skill.path, []).append(named)
    return findings


def _skills(path: str, manifests: Sequence[Manifest]) -> Iterator[_Skill]:
    for manifest in manifests:
        if manifest.dialect.id == DIALECT and manifest.part == "manifest":
            value = manifest.document.value
            id = text(value, "skill", "id") or ""
            yield _Skill(path, manifest, id, tuple(dependencies(value)))


def _targets(group: list[_Skill], by_id: dict[str, list[_Skill]]) -> list[str]:
    return [need.id for skill in group for need in skill.needs if need.id in by_id]


def _unmet(skill: _Skill, by_id: dict[str, list[_Skill]]) -> Iterator[Diagnostic]:
    for need in skill.needs:
        targets = by_id.get(need.id)
        if not targets:
            message = f"no skill of this workspace has the id {need.id}, so it was not checked"
            yield at_key(
                skill.manifest.document, "dependency-unresolved", message, "dependencies", need.id
            )
            continue
        if need.range is not None:
            yield from _version(skill, need, need.range, targets)
        yield from _features(skill, need, targets)


def _version(
    skill: _Skill, need: CaroDependency, wanted: str, targets: list[_Skill]
) -> Iterator[Diagnostic]:
    try:
        range_ = parse_range(wanted)
    except RangeFault:
        # The manifest's own rules report it.
        return
    versions = [text(each.manifest.document.value, "skill", "version") for each in targets]
    given = [version for version in versions if version is not None]
    if given and not any(range_.admits(version) for version in given):
        message = f"{need.id} is {', '.join(given)} in {targets[0].path}, which is not {wanted}"
        yield at_value(skill.manifest.document, "dependency-out-of-range", message, *need.keys)


def _features(skill: _Skill, need: CaroDependency, targets: list[_Skill]) -> Iterator[Diagnostic]:
    wanted = dig(need.value, "features")
    offered = {
        name for each in targets for name in mapping(each.manifest.document.value, "features")
    }
    for index, feature in enumerate(wanted if isinstance(wanted, list) else []):
        if isinstance(feature, str) and feature not in offered:
            message = f"{need.id} in {targets[0].path} has no feature {feature}"
            keys = ("dependencies", need.id, "features", index)
            yield at_value(skill.manifest.document, "dependency-feature-missing", message, *keys)


def _cyclic(skill: _Skill, components: dict[str, int]) -> Iterator[Diagnostic]:
    own = components.get(skill.id)
    for need in skill.needs:
        if own is not None and components.get(need.id) == own:
            if need.id == skill.id:
                message = "the skill depends on itself"
            else:
                message = f"{need.id} depends on {skill.id} in turn, so neither can be installed"
            yield at_key(
                skill.manifest.document, "dependency-cycle", message, "dependencies", need.id
            )


def _suggested(skill: _Skill, by_id: dict[str, list[_Skill]]) -> Iterator[Diagnostic]:
    for id, reason in mapping(skill.manifest.document.value, "suggestions").items():
        if isinstance(reason, str) and id not in by_id:
            message = f"no skill of this workspace has the id {id}"
            yield at_key(
                skill.manifest.document, "dependency-unresolved", message, "suggestions", id
            )


def _components(graph: dict[str, list[str]]) -> dict[str, int]:
    """The number of the strongly connected component of each id (Tarjan, without recursion)."""
    component: dict[str, int] = {}
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    for root in graph:
        work = [(root, iter(graph[root]))] if root not in order else []
        while work:
            id, targets = work[-1]
            if id not in order:
                order[id] = low[id] = len(order)
                stack.append(id)
            deeper = next((each for each in targets if each not in component), None)
            if deeper is not None:
                if deeper in order:
                    low[id] = min(low[id], order[deeper])
                else:
                    work.append((deeper, iter(graph[deeper])))
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[id])
            if low[id] == order[id]:
                while True:
                    member = stack.pop()
                    component[member] = order[id]
                    if member == id:
                        break
    return component
