"""What every move of a skill must hold to: each leaf of source and result is in one list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from skillstudio.manifest.conversion.leaf_tracker import ConversionReport
from skillstudio.manifest.conversion.leaves import Paper, leaves, papers
from skillstudio.manifest.dialect import Skill


def pointers(documents: Iterable[Paper]) -> list[str]:
    """Each leaf as a report names it, found by a walk of its own over the plain values."""
    found: list[str] = []
    seen: set[str] = set()
    for paper in documents:
        own = [pointer for pointer, _ in leaves(paper.value)]
        plain = [p for p in own if p and not paper.is_part and p not in seen]
        found += [p if p in plain else f"{paper.label}#{p}" for p in own]
        seen.update(own)
    return found


def assert_every_leaf_is_told(report: ConversionReport, old: Skill, new: Skill) -> None:
    """Each leaf of both is named exactly once, and nothing else is named but what they hold."""
    before, after = pointers(papers(old.manifests)), pointers(papers(new.manifests))
    named = Counter(
        [
            *report.carried_pointers,
            *(each.pointer for each in report.changed_leaves),
            *(each.pointer for each in report.lost_leaves),
            *(each.pointer for each in report.invented_leaves),
        ]
    )
    wrong = {each: named[each] for each in {*before, *after} if named[each] != 1}
    assert wrong == {}
    source_side = {*report.carried_pointers, *(e.pointer for e in report.changed_leaves)}
    source_side |= {each.pointer for each in report.lost_leaves}
    assert [each for each in before if each not in source_side] == []
    result_side = {*report.carried_pointers, *(e.pointer for e in report.changed_leaves)}
    result_side |= {each.pointer for each in report.invented_leaves}
    assert [each for each in after if each not in result_side] == []
    assert all(each.how for each in report.changed_leaves)
    assert all(each.why for each in (*report.lost_leaves, *report.invented_leaves))
    held = {**_values(old), **_values(new)}
    for name in report.carried_pointers:
        assert _values(old)[name] == _values(new)[name], name
    known = {
        "SKILL.md",
        *held,
        *(f"{p.label}#{at}" for p in _papers(old, new) for at, _ in leaves(p.value)),
    }
    assert [name for name in named if name not in known] == []


def _papers(old: Skill, new: Skill) -> list[Paper]:
    return [*papers(old.manifests), *papers(new.manifests)]


def _values(skill: Skill) -> dict[str, object]:
    documents = papers(skill.manifests)
    values = [repr(value) for paper in documents for _, value in leaves(paper.value)]
    return dict(zip(pointers(documents), values, strict=True))
