"""The leaves of manifests, and their names in a report.

A leaf is a scalar, or an empty list or mapping. Its name is its JSON Pointer; if an earlier
document has the same pointer, the label of the document and `#` precede it, as in
`skill-manifest#/version`. The leaves of further files always have their file's name.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, NamedTuple

from skillstudio.manifest.dialect import Manifest
from skillstudio.text.node import escape


class Leaf(NamedTuple):
    """One place of one document."""

    document: str
    pointer: str


class Paper:
    """A document of a skill as a plain value, with its label in reports."""

    def __init__(self, label: str, value: Any, is_part: bool = False) -> None:
        self.label = label
        """The file, or the info string of the block's fence."""
        self.value = value
        self.is_part = is_part
        """Whether it is a further file that a manifest refers to."""

    @cached_property
    def values(self) -> dict[Leaf, Any]:
        """The leaves with their values, in the order of the text."""
        return {Leaf(self.label, pointer): value for pointer, value in leaves(self.value)}


def papers(manifests: Iterable[Manifest]) -> list[Paper]:
    """The documents of some manifests, without duplicates: two dialects may share one."""
    unique_papers: dict[int, Paper] = {}
    for manifest in manifests:
        if id(manifest.document) not in unique_papers:
            unique_papers[id(manifest.document)] = Paper(
                label_of(manifest), manifest.document.value, manifest.part != "manifest"
            )
    return list(unique_papers.values())


def label_of(manifest: Manifest) -> str:
    """The label of a manifest's document."""
    return manifest.dialect.fence or manifest.path


def leaves(value: Any, pointer: str = "") -> list[tuple[str, Any]]:
    """The leaves at or below a value with their pointers, in the order of the text."""
    pairs: list[tuple[str, Any]] = []
    _add_leaves(value, pointer, pairs)
    return pairs


def _add_leaves(value: Any, pointer: str, pairs: list[tuple[str, Any]]) -> None:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            _add_leaves(inner, f"{pointer}/{escape(str(key))}", pairs)
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            _add_leaves(inner, f"{pointer}/{index}", pairs)
    else:
        pairs.append((pointer, value))


def names_of(documents: Iterable[Paper]) -> dict[Leaf, str]:
    """The leaves of some documents with their unique names."""
    names: dict[Leaf, str] = {}
    taken_pointers: set[str] = set()
    for paper in documents:
        for leaf in paper.values:
            pointer = leaf.pointer
            bare = pointer and not paper.is_part and pointer not in taken_pointers
            names[leaf] = pointer if bare else f"{paper.label}#{pointer}"
        taken_pointers.update([pointer for _, pointer in paper.values])
    return names


def values_of(documents: Iterable[Paper]) -> dict[Leaf, Any]:
    """The leaves of some documents with their values."""
    values: dict[Leaf, Any] = {}
    for paper in documents:
        values |= paper.values
    return values
