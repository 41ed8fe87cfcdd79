"""Check the dependencies between the skills of a workspace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from skillstudio.manifest.dialect import Manifest
from skillstudio.manifest.hook_values import Need
from skillstudio.manifest.hooks import hook
from skillstudio.text.diagnostic import Diagnostic

if TYPE_CHECKING:
    from skillstudio.manifest.hooks import DependenciesHook


class _Skill(NamedTuple):
    path: str
    manifest: Manifest
    hooks: DependenciesHook
    id: str
    needs: tuple[Need, ...]

    @property
    def dialect(self) -> str:
        return self.manifest.dialect.id

    def at(self, rule: str, message: str, pointer: str, value: bool = False) -> Diagnostic:
        """A diagnostic at a key of the manifest, or its value."""
        document = self.manifest.document
        node = document.at(pointer)
        span = (node.span if node else None) if value else document.key_span(pointer)
        path = self.manifest.path
        return Diagnostic(rule, message, span, pointer, path=path, dialect=self.dialect)


def check_dependencies(
    skills: Mapping[str, Sequence[Manifest]],
) -> dict[str, list[Diagnostic]]:
    """The problems of each skill by path; if two skills have one id, either meets a need."""
    known = [found for path, manifests in skills.items() for found in _skills(path, manifests)]
    findings: dict[str, list[Diagnostic]] = {}
    for dialect in dict.fromkeys(each.dialect for each in known):
        group = [each for each in known if each.dialect == dialect]
        by_id: dict[str, list[_Skill]] = {}
        for skill in filter(lambda each: each.id, group):
            by_id.setdefault(skill.id, []).append(skill)
        needed = {
            id: [
                need.id
                for each in same
                for need in each.needs
                if not need.suggested and need.id in by_id
            ]
            for id, same in by_id.items()
        }
        components = _components(needed)
        for skill in group:
            if found := [*_unmet(skill, by_id), *_cyclic(skill, components)]:
                findings.setdefault(skill.path, []).extend(found)
    return findings


def _skills(path: str, manifests: Sequence[Manifest]) -> Iterator[_Skill]:
    for manifest in manifests:
        hooks = hook(manifest.dialect, "dependencies") if manifest.part == "manifest" else None
        if hooks is not None:
            id = manifest.text_of("id")
            yield _Skill(path, manifest, hooks, id, tuple(hooks.needs(manifest)))


def _unmet(skill: _Skill, by_id: dict[str, list[_Skill]]) -> Iterator[Diagnostic]:
    for need in skill.needs:
        targets = by_id.get(need.id)
        if not targets:
            message = f"no skill in this workspace has the id {need.id}"
            message += "" if need.suggested else ", so it was not checked"
            yield skill.at("dependency-unresolved", message, need.pointer)
        elif not need.suggested:
            if need.range is not None:
                yield from _version(skill, need, need.range, targets)
            yield from _features(skill, need, targets)


def _version(skill: _Skill, need: Need, wanted: str, targets: list[_Skill]) -> Iterator[Diagnostic]:
    given = [version for each in targets if (version := each.manifest.text_of("version"))]
    # The manifest's own rules report a range that is none.
    if given and all(skill.hooks.admits(wanted, version) is False for version in given):
        message = (
            f"{need.id} is {', '.join(given)} in {targets[0].path}, which does not satisfy {wanted}"
        )
        yield skill.at("dependency-out-of-range", message, need.range_pointer, value=True)


def _features(skill: _Skill, need: Need, targets: list[_Skill]) -> Iterator[Diagnostic]:
    if need.features:
        offered = {name for each in targets for name in each.hooks.features(each.manifest)}
        for pointer, feature in need.features:
            if feature not in offered:
                message = f"{need.id} ({targets[0].path}) has no feature {feature}"
                yield skill.at("dependency-feature-missing", message, pointer, value=True)


def _cyclic(skill: _Skill, components: dict[str, int]) -> Iterator[Diagnostic]:
    own = components.get(skill.id)
    for need in skill.needs:
        if own is not None and not need.suggested and components.get(need.id) == own:
            if need.id == skill.id:
                message = "the skill depends on itself"
            else:
                message = f"dependency cycle: {need.id} also depends on {skill.id}"
            yield skill.at("dependency-cycle", message, need.pointer)


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
