"""Complete half-typed keys before a check: `operat` on a broken line is read as `operations`.

Only the check uses these documents; edits use the text as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.registry import schema_of
from skillstudio.manifest.whole import broken_lines
from skillstudio.schema.navigate import subschemas
from skillstudio.text.node import (
    Document,
    Entry,
    Mapping,
    Missing,
    Node,
    Scalar,
    Sequence,
    escape,
    resolve,
)


def complete_skill(skill: Skill) -> Skill:
    """The skill with the half-typed keys of its broken documents completed."""
    broken_documents = {
        id(manifest.document): manifest.document
        for manifest in skill.manifests
        if broken_lines(manifest.document)
    }
    if not broken_documents:
        return skill
    whole = {}
    for key, document in broken_documents.items():
        same = [manifest for manifest in skill.manifests if manifest.document is document]
        schemas = [schema_of(manifest.dialect, manifest.part) for manifest in same]
        whole[key] = completed_by(document, schemas)
    return skill._replace(
        manifests=tuple(
            manifest._replace(document=whole.get(id(manifest.document), manifest.document))
            for manifest in skill.manifests
        )
    )


def completed_by(document: Document, schemas: Iterable[Any]) -> Document:
    """A document with its half-typed keys completed from some schemas."""
    lines = broken_lines(document)
    if not lines:
        return document
    root = _Completion(document, list(schemas), lines).node(document.root, "")
    source, span = document.source, document.span
    return Document(source, document.syntax, span, root, document.faults, document.opening_line)


class _Completion:
    """One pass over a tree; containers with a half-typed key are rebuilt."""

    def __init__(self, document: Document, schemas: list[Any], lines: frozenset[int]) -> None:
        self.document = document
        self.schemas = schemas
        self.lines = lines
        self._allowed_keys: dict[str, dict[str, bool]] = {}
        self._beginnings: dict[str, frozenset[str]] = {}

    def node(self, node: Node, pointer: str) -> Node:
        if isinstance(node, Mapping):
            return self.mapping(node, pointer)
        if isinstance(node, Sequence):
            items = [self.node(item, f"{pointer}/{at}") for at, item in enumerate(node.items)]
            if all(new is old for new, old in zip(items, node.items, strict=True)):
                return node
            new_sequence = Sequence(node.start, node.end, items, node.flow)
            new_sequence.incomplete = node.incomplete
            return new_sequence
        return node

    def mapping(self, node: Mapping, pointer: str) -> Mapping:
        new_mapping = Mapping(node.start, node.end, [], node.flow)
        new_mapping.incomplete = node.incomplete
        completed_entries: list[tuple[Scalar, list[str], Node]] = []
        has_changed = False
        for entry in node.entries:
            if self.is_broken(entry.key):
                names = self.names(node, entry, pointer)
                new_mapping.incomplete = new_mapping.incomplete or isinstance(entry.value, Missing)
            else:
                names = [entry.name]
            at = pointer + "".join(f"/{escape(name)}" for name in names)
            value = self.node(entry.value, at)
            if names != [entry.name]:
                completed_entries.append((entry.key, names, value))
            elif value is not entry.value:
                new_mapping.entries.append(Entry(entry.key, value))
                has_changed = True
            else:
                new_mapping.entries.append(entry)
        for key, names, value in completed_entries:
            _put(new_mapping, key, names, value)
        if completed_entries:
            new_mapping.entries = sorted(new_mapping.entries, key=lambda entry: entry.key.start)
        has_changed = has_changed or bool(completed_entries)
        return new_mapping if has_changed or new_mapping.incomplete != node.incomplete else node

    def is_broken(self, key: Scalar) -> bool:
        return self.document.source.line_at(key.start) in self.lines

    def names(self, node: Mapping, entry: Entry, pointer: str) -> list[str]:
        """The best completion of a key; in a TOML header it may be a table and a key in it."""
        is_header = isinstance(entry.value, Mapping) and not entry.value.flow
        is_header = is_header and self.document.syntax == "toml"
        allowed_keys = self.find_keys(pointer)
        if entry.name not in self.beginnings(pointer) or (
            entry.name in allowed_keys and not is_header
        ):
            return [entry.name]
        scores: dict[tuple[str, ...], tuple[int, bool]] = {}
        for name, is_required in allowed_keys.items():
            if not name.startswith(entry.name):
                continue
            at = f"{pointer}/{escape(name)}"
            likeness = self.likeness(entry.value, at)
            if (node.entry(name) is None or (is_header and likeness)) and self.fits(
                entry.value, at
            ):
                scores[name,] = likeness, is_required
            if is_header:
                for inner in self.find_keys(at):
                    if likeness := self.likeness(entry.value, f"{at}/{escape(inner)}"):
                        scores[name, inner] = likeness, False
        if not scores:
            return [entry.name]
        best = max(scores.values())
        likeliest = [names for names, score in scores.items() if score == best]
        return list(likeliest[0]) if len(likeliest) == 1 else [entry.name]

    def find_keys(self, pointer: str) -> dict[str, bool]:
        """The keys allowed at a pointer, each with whether it is required."""
        if pointer in self._allowed_keys:
            return self._allowed_keys[pointer]
        keys = self._allowed_keys[pointer] = {}
        for schema in self.at(pointer):
            for name in schema.get("properties", ()):
                keys[name] = keys.get(name, False) or name in schema.get("required", ())
        return keys

    def beginnings(self, pointer: str) -> frozenset[str]:
        """What can be completed at a pointer: a broken text may have 100,000 keys that cannot."""
        if pointer not in self._beginnings:
            self._beginnings[pointer] = frozenset(
                name[:length] for name in self.find_keys(pointer) for length in range(len(name) + 1)
            )
        return self._beginnings[pointer]

    def at(self, pointer: str) -> Iterator[dict[str, Any]]:
        return (subschema for schema in self.schemas for subschema in subschemas(schema, pointer))

    def fits(self, value: Node, pointer: str) -> bool:
        """Whether the schema at a pointer allows the value's kind of container."""
        node = resolve(value)
        container_type = {Mapping: "object", Sequence: "array"}.get(type(node))
        types: list[Any] = []
        for schema in self.at(pointer):
            kind = schema.get("type", container_type)
            types += kind if isinstance(kind, list) else [kind]
        return container_type is None or container_type in types

    def likeness(self, value: Node, pointer: str) -> int:
        """The number of keys in a value that the schema at a pointer defines."""
        node = resolve(value)
        if isinstance(node, Sequence):
            pointer += "/0"
            node = resolve(node.items[0]) if node.items else None
        if not isinstance(node, Mapping):
            return 0
        return len({entry.name for entry in node.entries}.intersection(self.find_keys(pointer)))


def _put(node: Mapping, key: Scalar, names: list[str], value: Node) -> None:
    """Add a value below some names to a mapping, next to existing keys of a table."""
    name, *further = names
    there = node.entry(name)
    if further or (there and isinstance(there.value, Mapping) and isinstance(value, Mapping)):
        old = there.value if there and isinstance(there.value, Mapping) else None
        inner = Mapping(key.start, value.end, list(old.entries) if old else [], flow=False)
        inner.incomplete = old is not None and old.incomplete
        if further:
            _put(inner, key, further, value)
        elif isinstance(value, Mapping):
            inner.entries += value.entries
        value = inner
        if there:
            node.entries = [entry for entry in node.entries if entry is not there]
            key = there.key
    node.entries.append(Entry(Scalar(key.start, key.end, name, key.style), value))
