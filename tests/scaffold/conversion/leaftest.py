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
            *report.carried,
            *(each.pointer for each in report.changed),
            *(each.pointer for each in report.lost),
            *(each.pointer for each in report.invented),
        ]
    )
    wrong = {each: named[each] for each in {*before, *after} if named[each] != 1}
    assert wrong == {}
    source_side = {*report.carried, *(e.pointer for e in report.changed)}
    source_side |= {each.pointer for each in report.lost}
    assert [each for each in before if each not in source_side] == []
    result_side = {*report.carried, *(e.pointer for e in report.changed)}
    result_side |= {each.pointer for each in report.invented}
    assert [each for each in after if each not in result_side] == []
    assert all(each.how for each in report.changed)
    assert all(each.why for each in (*report.lost, *report.invented))
    held = {**_values(old), **_values(new)}
    for name in report.carried:
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
