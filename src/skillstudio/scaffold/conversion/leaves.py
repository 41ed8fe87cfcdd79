"""The leaves of manifests, and what each is called in a report.

A leaf is a scalar, or a list or mapping that holds nothing. Its name is its JSON Pointer alone
where no document before its own has that pointer; else the document's label and `#` come first,
as in `skill-manifest#/version`. The leaves of further files always carry their file's name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from skillstudio.manifest.dialect import Manifest
from skillstudio.text.node import escape


class Leaf(NamedTuple):
    """One place of one document."""

    document: str
    """The label of the document."""
    pointer: str


class Paper(NamedTuple):
    """A document of a skill as a plain value, with what it is called."""

    label: str
    """The file that is the document or begins with it, else the word of the block's fence."""
    value: Any
    is_part: bool = False
    """Whether it is a further file that a manifest names."""


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
        for key, inner in value.items():
            yield from leaves(inner, f"{pointer}/{escape(str(key))}")
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from leaves(inner, f"{pointer}/{index}")
    else:
        yield pointer, value


def names_of(documents: Iterable[Paper]) -> dict[Leaf, str]:
    """Every leaf of some documents with its name; no two are called the same."""
    found: dict[Leaf, str] = {}
    taken: set[str] = set()
    for paper in documents:
        own = [pointer for pointer, _ in leaves(paper.value)]
        for pointer in own:
            bare = pointer and not paper.is_part and pointer not in taken
            found[Leaf(paper.label, pointer)] = pointer if bare else f"{paper.label}#{pointer}"
        taken.update(own)
    return found


def values_of(documents: Iterable[Paper]) -> dict[Leaf, Any]:
    """Every leaf of some documents with its value."""
    return {
        Leaf(paper.label, pointer): value
        for paper in documents
        for pointer, value in leaves(paper.value)
    }
