"""Skills written out as text, and the interface that they project to."""

from __future__ import annotations

from skillstudio.files.listed import MemoryTree
from skillstudio.interface.change import Change
from skillstudio.interface.compare import compare
from skillstudio.interface.model import Interface, Operation, Place, Term
from skillstudio.manifest.changes import all_kinds
from skillstudio.manifest.locate import locate
from skillstudio.manifest.project import project


def interface(name: str = "skill", **files: str) -> Interface:
    """The interface of a skill given by its files; `_` in a key stands for a dot, `__` for `/`."""
    held = {key.replace("__", "/").replace("_", "."): text for key, text in files.items()}
    tree = MemoryTree({path: text.encode() for path, text in held.items()}, name)
    return project(locate(tree).skill)


def only(found: Interface) -> Operation:
    """The one operation of an interface."""
    assert len(found.operations) == 1
    return found.operations[0]


def term(found: Interface | Operation, name: str, key: str = "") -> Term:
    """The term of a name, wherever it is."""
    terms = (
        (*found.terms, *found.permissions, *found.promises)
        if isinstance(found, Interface)
        else found.terms
    )
    held = [each for each in terms if (each.name, each.key) == (name, key)]
    assert len(held) == 1, [(each.name, each.key) for each in terms]
    return held[0]


def kinds(old: Interface, new: Interface) -> list[str]:
    """What the changes from one to the other are called."""
    return sorted(change.kind for change in changes(old, new))


def changes(old: Interface, new: Interface) -> tuple[Change, ...]:
    return compare(old, new, all_kinds())


def spot(text: str, mark: str, path: str = "SKILL.md") -> Place:
    """The place of the first mark in a text."""
    before = text[: text.index(mark)]
    return Place(path, before.count("\n") + 1, len(before) - before.rfind("\n"))
