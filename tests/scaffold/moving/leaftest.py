"""What every move of a skill must hold to: each leaf of source and result is in one list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from skillstudio.interface.compare import compare
from skillstudio.manifest.changes import all_kinds
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.project import project
from skillstudio.scaffold.moving.leaves import Paper, leaves, names_of, papers
from skillstudio.scaffold.moving.ledger import Report
from skillstudio.scaffold.moving.source import Source


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


def assert_every_leaf_is_told(report: Report, old: Skill, new: Skill) -> None:
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


def assert_the_interfaces_differ_as_told(report: Report, old: Skill, new: Skill) -> None:
    """No change of the interface where all was carried; nothing is lost that is still said."""
    before, after = Source(old), Source(new)
    was, is_ = names_of(before.papers), names_of(after.papers)
    carried = set(report.carried)
    silent = []
    for change in compare(project(old), project(new), all_kinds()):
        told = [was[leaf] for leaf in before.at(change.pointer)]
        told += [is_[leaf] for leaf in after.at(change.pointer)]
        # That the systems are others, and with them whether there is an operation without a
        # name, no leaf says.
        of_the_system = change.pointer.startswith("/manifest_versions") or not told
        of_the_system |= change.pointer == "/operations"
        if not of_the_system and carried.issuperset(told):
            silent.append((change.kind, change.pointer))
    assert silent == []
    gone = {each.pointer: each.why for each in report.lost}
    for leaf, name in was.items():
        element = before.element(leaf)
        if name in gone and element and not element.startswith("/manifest_versions"):
            still = [after.values[each] for each in after.exactly(element)]
            value = before.values[leaf]
            assert not any(type(e) is type(value) and e == value for e in still), (name, element)


def _papers(old: Skill, new: Skill) -> list[Paper]:
    return [*papers(old.manifests), *papers(new.manifests)]


def _values(skill: Skill) -> dict[str, object]:
    documents = papers(skill.manifests)
    values = [repr(value) for paper in documents for _, value in leaves(paper.value)]
    return dict(zip(pointers(documents), values, strict=True))
