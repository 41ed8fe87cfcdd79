"""Check the dependencies between the skills of a workspace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from skillstudio.manifest.hooks import hook
from skillstudio.manifest.registry import dialect as dialect_of
from skillstudio.skill.facts import DependentSkill, PlacedNeed, PlacedProblem, SkillFacts, TextPlace

if TYPE_CHECKING:
    from skillstudio.manifest.hooks import DependenciesHook


class _Dependent(NamedTuple):
    path: str
    label: str
    skill: DependentSkill
    hooks: DependenciesHook

    def at(self, rule: str, message: str, place: TextPlace) -> PlacedProblem:
        return PlacedProblem(rule, message, place, self.skill.dialect)


def check_dependencies(skills: Iterable[SkillFacts]) -> dict[str, list[PlacedProblem]]:
    """The problems of each skill by path; if two skills have one id, either meets a need."""
    dependents = [
        _Dependent(facts.path, facts.path.removeprefix("./") or facts.folder, dependent, hooks)
        for facts in skills
        for dependent in facts.dependent
        if (hooks := _hooks(dependent.dialect)) is not None
    ]
    problems: dict[str, list[PlacedProblem]] = {}
    for dialect in dict.fromkeys(dependent.skill.dialect for dependent in dependents):
        group = [dependent for dependent in dependents if dependent.skill.dialect == dialect]
        by_id: dict[str, list[_Dependent]] = {}
        for dependent in filter(lambda candidate: candidate.skill.id, group):
            by_id.setdefault(dependent.skill.id, []).append(dependent)
        needs_by_id = {
            id: [
                need.id
                for dependent in same
                for need, *_ in dependent.skill.needs
                if not need.suggested and need.id in by_id
            ]
            for id, same in by_id.items()
        }
        components = _components(needs_by_id)
        for dependent in group:
            if new_problems := [*_unmet(dependent, by_id), *_cyclic(dependent, components)]:
                problems.setdefault(dependent.path, []).extend(new_problems)
    return problems


def _hooks(dialect: str) -> DependenciesHook | None:
    known_dialect = dialect_of(dialect)
    return hook(known_dialect, "dependencies") if known_dialect is not None else None


def _unmet(dependent: _Dependent, by_id: Mapping[str, list[_Dependent]]) -> Iterator[PlacedProblem]:
    for placed_need in dependent.skill.needs:
        need = placed_need.need
        targets = by_id.get(need.id)
        if not targets:
            message = f"no skill in this workspace has the id {need.id}"
            message += "" if need.suggested else ", so it was not checked"
            yield dependent.at("dependency-unresolved", message, placed_need.at)
        elif not need.suggested:
            if need.range is not None:
                yield from _version(dependent, placed_need, need.range, targets)
            yield from _features(dependent, placed_need, targets)


def _version(
    dependent: _Dependent, placed_need: PlacedNeed, version_range: str, targets: list[_Dependent]
) -> Iterator[PlacedProblem]:
    versions = [version for target in targets if (version := target.skill.version)]
    # The manifest's own rules report a range that is none.
    if versions and all(
        dependent.hooks.admits(version_range, version) is False for version in versions
    ):
        message = (
            f"{placed_need.need.id} is {', '.join(versions)} in {targets[0].label}, "
            f"which does not satisfy {version_range}"
        )
        yield dependent.at("dependency-out-of-range", message, placed_need.range_at)


def _features(
    dependent: _Dependent, placed_need: PlacedNeed, targets: list[_Dependent]
) -> Iterator[PlacedProblem]:
    offered_features = {name for target in targets for name in target.skill.features}
    for (_, feature), place in zip(placed_need.need.features, placed_need.features_at, strict=True):
        if feature not in offered_features:
            message = f"{placed_need.need.id} ({targets[0].label}) has no feature {feature}"
            yield dependent.at("dependency-feature-missing", message, place)


def _cyclic(dependent: _Dependent, components: Mapping[str, int]) -> Iterator[PlacedProblem]:
    id = dependent.skill.id
    component = components.get(id)
    for need, at, *_ in dependent.skill.needs:
        if component is not None and not need.suggested and components.get(need.id) == component:
            if need.id == id:
                message = "the skill depends on itself"
            else:
                message = f"dependency cycle: {need.id} also depends on {id}"
            yield dependent.at("dependency-cycle", message, at)


def _components(graph: dict[str, list[str]]) -> dict[str, int]:
    """The strongly connected component of each id (Tarjan, without recursion)."""
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
            deeper = next((target for target in targets if target not in component), None)
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
