"""The leaves of manifests, and what each is called in a report.

A leaf is a scalar, or a list or mapping that holds nothing. Its name is its JSON Pointer alone
where no document before its own has that pointer; else the document's label and `#` come first,
as in `skill-manifest#/version`. The leaves of further files always carry their file's name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from skillstudio.manifest.dialect import Manifest
from skillstudio.text.node import escape


class Leaf(NamedTuple):
    """One place of one document."""

    document: str
    pointer: str


class Paper:
    """A document of a skill as a plain value, with its name in a report."""

    def __init__(self, label: str, value: Any, is_part: bool = False) -> None:
        self.label = label
        """The file that is the document or begins with it, else the word of the block's fence."""
        self.value = value
        self.is_part = is_part
        """Whether it is a further file that a manifest names."""

    @cached_property
    def values(self) -> dict[Leaf, Any]:
        """Every leaf with its value, in the order of the text."""
        return {Leaf(self.label, pointer): value for pointer, value in leaves(self.value)}


def papers(manifests: Iterable[Manifest]) -> list[Paper]:
    """The documents of some manifests, each once though two dialects may share one."""
    found: dict[int, Paper] = {}
    for each in manifests:
        if id(each.document) not in found:
            found[id(each.document)] = Paper(
                label_of(each), each.document.value, each.part != "manifest"
            )
    return list(found.values())


def label_of(manifest: Manifest) -> str:
    """What the document of a manifest is called."""
    return manifest.dialect.fence or manifest.path


def leaves(value: Any, pointer: str = "") -> Iterator[tuple[str, Any]]:
    """Every leaf at or below a value with its pointer, in the order of the text."""
    if isinstance(value, dict) and value:
        items: Iterable[tuple[str, Any]] = ((escape(str(key)), each) for key, each in value.items())
    elif isinstance(value, list) and value:
        items = ((str(index), each) for index, each in enumerate(value))
    else:
        yield pointer, value
        return
    for token, inner in items:
        if isinstance(inner, dict | list) and inner:
            yield from leaves(inner, f"{pointer}/{token}")
        else:
            yield f"{pointer}/{token}", inner


def names_of(documents: Iterable[Paper]) -> dict[Leaf, str]:
    """Every leaf of some documents with its name; no two are called the same."""
    found: dict[Leaf, str] = {}
    taken: set[str] = set()
    for paper in documents:
        for leaf in paper.values:
            pointer = leaf.pointer
            bare = pointer and not paper.is_part and pointer not in taken
            found[leaf] = pointer if bare else f"{paper.label}#{pointer}"
        taken.update(leaf.pointer for leaf in paper.values)
    return found


def values_of(documents: Iterable[Paper]) -> dict[Leaf, Any]:
    """Every leaf of some documents with its value."""
    return {leaf: value for paper in documents for leaf, value in paper.values.items()}
