"""Differences of the skill as a whole: name, description, metadata and dialects."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.interface.difference import InterfaceDifference
from skillstudio.interface.model import ABSENT, Interface, Term, token
from skillstudio.text.versions import dotted


def compare_identity(old: Interface, new: Interface) -> Iterator[InterfaceDifference]:
    """Differences of the name, the texts for people and the sensitive flag."""
    for facet in ("name", "description", "license"):
        before, after = getattr(old, facet), getattr(new, facet)
        if before != after:
            yield InterfaceDifference(
                "skill", facet, "changed", f"/{facet}", new.name, before, after
            )
    for key in {**old.metadata, **new.metadata}:
        sides = (old.metadata.get(key, ABSENT), new.metadata.get(key, ABSENT))
        if sides[0] != sides[1]:
            yield InterfaceDifference(
                "skill", "metadata", "changed", f"/metadata/{token(key)}", key, *sides
            )


def compare_systems(old: Interface, new: Interface) -> Iterator[InterfaceDifference]:
    """Differences of the dialects and their versions."""
    gone, come = gone_and_come(old, new)
    at = "/manifest_versions"
    if old.declared != new.declared:
        action = "added" if new.declared else "removed"
        systems = come if new.declared else gone
        names = ", ".join(systems)
        sides = (ABSENT, names) if new.declared else (names, ABSENT)
        at = f"{at}/{token(systems[0])}" if systems else at
        yield InterfaceDifference("version", "contract", action, at, new.name, *sides)
    elif len(gone) == 1 and len(come) == 1:
        pointers = [f"{at}/{token(each[0])}" for each in (come, gone)]
        yield InterfaceDifference(
            "version",
            "dialect",
            "changed",
            pointers[0],
            come[0],
            gone[0],
            come[0],
            old_pointer=pointers[1],
        )
    elif old.declared:
        for name in gone:
            yield InterfaceDifference(
                "version", "dialect", "removed", f"{at}/{token(name)}", name, name
            )
        for name in come:
            yield InterfaceDifference(
                "version", "dialect", "added", f"{at}/{token(name)}", name, new=name
            )
    for name, before in old.manifest_versions.items():
        after = new.manifest_versions.get(name, before)
        if before != after:
            numbers = [(dotted(each) or (each,))[0] for each in (before, after)]
            action = "minor-changed" if numbers[0] == numbers[1] else "major-changed"
            yield InterfaceDifference(
                "version", name, action, f"{at}/{token(name)}", name, before, after
            )


def gone_and_come(old: Interface, new: Interface) -> tuple[list[str], list[str]]:
    """The dialects with a contract that only the old side has, and those that only the new side
    has."""
    before = [each for each in old.dialects if each not in old.bare]
    after = [each for each in new.dialects if each not in new.bare]
    gone = [each for each in before if each not in after]
    return gone, [each for each in after if each not in before]


def compare_promises(
    olds: tuple[Term, ...], news: tuple[Term, ...]
) -> Iterator[InterfaceDifference]:
    """Names and patterns that `interface:` lists on one side only."""
    before = {each.name: dict.fromkeys(each.value) for each in olds}
    after = {each.name: dict.fromkeys(each.value) for each in news}
    for part in {**before, **after}:
        listed, lists = before.get(part, {}), after.get(part, {})
        at = f"/promises/{token(part)}"
        for item in listed:
            if item not in lists:
                pointer = f"{at}/{token(item)}"
                yield InterfaceDifference(
                    "promise", "entry", "removed", pointer, item, item, detail=part
                )
        for item in lists:
            if item not in listed:
                pointer = f"{at}/{token(item)}"
                yield InterfaceDifference(
                    "promise", "entry", "added", pointer, item, new=item, detail=part
                )
