"""The skill to export: its interface, and which leaf of which document states what."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from skillstudio.manifest.conversion.leaves import Leaf, label_of, papers, values_of
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.places import Places
from skillstudio.manifest.project import project_unmasked
from skillstudio.text.node import Document, Scalar, resolve


class ConversionSource:
    """A skill as `export` sees it."""

    def __init__(self, skill: Skill) -> None:
        self.skill = skill
        self.interface = project_unmasked(skill)
        self.papers = papers(skill.manifests)
        self.values = values_of(self.papers)
        self.front = skill.front
        self._labels = {id(manifest.document): label_of(manifest) for manifest in skill.manifests}
        self._documents = {label_of(manifest): manifest.document for manifest in skill.manifests}

    def at(self, element: str) -> list[Leaf]:
        """The leaves that state an element of the interface, or something below it."""
        leaves = (leaf for place in self.find_places(element) for leaf in self.below(*place))
        return list(dict.fromkeys(leaves))

    def exactly(self, element: str) -> list[Leaf]:
        """The leaves that state an element of the interface themselves."""
        leaves = [Leaf(label, pointer) for label, pointer in self.find_places(element)]
        return [leaf for leaf in dict.fromkeys(leaves) if leaf in self.values]

    def below(self, label: str, pointer: str) -> list[Leaf]:
        """The leaves of a document at or below a pointer."""
        return self._below.get((label, pointer), [])

    def find_identity_leaves(self, what: str) -> list[Leaf]:
        """The leaves of all manifests that state the skill's name, version or description."""
        return [leaf for leaf in self._places_of(what) if leaf in self.values]

    def within(self, what: str) -> list[Leaf]:
        """The leaves below a name, version or description that is a list or a mapping."""
        holders = [leaf for leaf in self._places_of(what) if leaf not in self.values]
        leaves = [leaf for holder in holders for leaf in self.below(*holder)]
        return list(dict.fromkeys(leaves))

    def text(self, leaf: Leaf) -> str:
        """A leaf as text: a string unchanged, a number as written."""
        value = self.values[leaf]
        if isinstance(value, str):
            return value
        document = self._documents[leaf.document]
        node = resolve(document.at(leaf.pointer))
        if isinstance(node, Scalar) and node.end > node.start and value is not None:
            return document.source.text[node.start : node.end]
        return "" if value is None else as_json(value)

    def _places_of(self, what: str) -> list[Leaf]:
        leaves = [Leaf(label, pointer) for label, pointer in self.find_places(f"/{what}")]
        places = (
            (label_of(manifest), manifest.place_of(what)) for manifest in self.skill.manifests
        )
        leaves += [Leaf(*place) for place in places if place[1]]
        return list(dict.fromkeys(leaves))

    @cached_property
    def _below(self) -> dict[tuple[str, str], list[Leaf]]:
        """Every pointer of every document with the leaves at or below it."""
        leaves_by_place: dict[tuple[str, str], list[Leaf]] = {}
        for leaf in self.values:
            above = leaf.pointer
            while True:
                leaves_by_place.setdefault((leaf.document, above), []).append(leaf)
                if not above:
                    break
                above = above.rpartition("/")[0]
        return leaves_by_place

    def find_places(self, element: str) -> list[tuple[str, str]]:
        """Where an element of the interface is or could be stated: document and pointer."""
        places = self.interface.places
        if not isinstance(places, Places):
            return []
        return [(self._label(document), pointer) for document, pointer in places.pointers(element)]

    def _label(self, document: Document) -> str:
        return self._labels.get(id(document), "")


def as_json(value: Any) -> str:
    """A value as JSON on one line."""
    import json

    return json.dumps(value, ensure_ascii=False, default=str)
