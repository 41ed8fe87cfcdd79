"""Rename an input everywhere in a skill: declaration, placeholders, interface, samples; or an
operation and the folder of its samples.

The schemas mark the places: `x-input-name` is a string with an input's name, `x-input-keys` a
mapping whose keys are names, and `x-input-ref` a string with placeholders.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from skillstudio.files.paths import normalise
from skillstudio.interface.model import token
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.placeholders import placeholders_at
from skillstudio.manifest.registry import schema_of
from skillstudio.text.diagnostic import RenameFile, Splice
from skillstudio.text.node import Document, Mapping, Node, Scalar, escape, resolve
from skillstudio.text.source import Source, Span, decode

SAMPLES = "samples"
MAX_SAMPLES = 1000


class RenameRefused(Exception):
    """The input cannot be renamed; the text says why."""


@dataclass(frozen=True)
class Renaming:
    """The changes of a rename, by path in the skill."""

    splices: dict[str, list[Splice]] = field(default_factory=dict)
    mentions: dict[str, list[Splice]] = field(default_factory=dict)
    """The name in prose, for the author to decide."""
    texts: dict[str, str] = field(default_factory=dict)  # The old text of each of those files.


def rename_input(skill: Skill, old: str, new: str) -> Renaming:
    """The splices that rename an input. Raises RenameRefused."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", new):
        raise RenameRefused(
            f"{new} is not a valid name: start with a letter and use only letters, digits, _ and -"
        )
    renaming = Renaming()
    is_declared = False
    for manifest in skill.manifests:
        marks = list(_marks(manifest))
        scopes = _scopes(marks)
        matching_scopes = [scope for scope, names in scopes.items() if old in names]
        if old != new and any(new in scopes[scope] for scope in matching_scopes):
            raise RenameRefused(f"the input {new} already exists")
        if not matching_scopes:
            continue
        is_declared = True
        # A dictionary as an ordered set: two dialects of one file may declare one input.
        uses = dict.fromkeys(renaming.splices.get(manifest.path, ()))
        for mark in marks:
            if any(mark.pointer.startswith(f"{scope}/") for scope in matching_scopes):
                uses |= dict.fromkeys(_uses(manifest.document, mark, old, new))
        renaming.splices[manifest.path] = list(uses)
        renaming.texts[manifest.path] = manifest.document.source.text
    if not is_declared:
        raise RenameRefused(f"no manifest of the skill declares the input {old}")
    _samples(skill, old, new, renaming)
    _mentions(skill, old, new, renaming)
    for splices in renaming.splices.values():
        splices.sort()
    return renaming


class OperationPlace(NamedTuple):
    """The name of an operation where it is declared, without quotes."""

    name: str
    path: str
    span: Span


def operation_places(skill: Skill) -> list[OperationPlace]:
    """Where the manifests declare operations by name."""
    from skillstudio.manifest.project import project

    places = []
    for id in dict.fromkeys(manifest.dialect.id for manifest in skill.manifests):
        manifests = tuple(manifest for manifest in skill.manifests if manifest.dialect.id == id)
        interface = project(skill._replace(manifests=manifests))
        for operation in interface.operations:
            place = interface.places.get(f"/operations/{token(operation.name)}")
            source = skill.source(place.path) if place else None
            if not operation.name or place is None or source is None:
                continue
            start = source.offset(place.line, place.column)
            start += source.text[start : start + 1] in ("'", '"')
            # A name with escapes is not written as it is.
            if source.text.startswith(operation.name, start):
                span = Span(start, start + len(operation.name))
                places.append(OperationPlace(operation.name, place.path, span))
    return list(dict.fromkeys(places))


class OperationRenaming(NamedTuple):
    """The changes of a rename of an operation: splices by path, and the folder of its samples."""

    splices: dict[str, list[Splice]]
    files: tuple[RenameFile, ...]


def rename_operation(skill: Skill, old: str, new: str) -> OperationRenaming:
    """Rename an operation. Raises RenameRefused."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.-]*", new):
        raise RenameRefused(
            f"{new} is not a valid name: start with a letter and use only letters, digits, _, . "
            "and -"
        )
    places = operation_places(skill)
    if old != new and any(place.name == new for place in places):
        raise RenameRefused(f"the operation {new} already exists")
    splices: dict[str, list[Splice]] = {}
    for name, path, (start, end) in places:
        if name == old:
            text = skill.source(path)
            before = text.text[start - 1 : start] if text is not None and start else ""
            is_bare = before not in ("'", '"') and path.endswith((".md", ".yaml", ".yml"))
            name = f'"{new}"' if is_bare and not _is_plain(new) else new
            splices.setdefault(path, []).append(Splice(start, end, name))
    if not splices:
        raise RenameRefused(f"no manifest of the skill declares the operation {old}")
    files: tuple[RenameFile, ...] = ()
    # An author may declare an operation whose name leads out of the skill.
    has_folder = normalise(old) == old and skill.tree.kind(f"{SAMPLES}/{old}") == "folder"
    if old and has_folder and old != new:
        if skill.tree.kind(f"{SAMPLES}/{new}") is not None:
            raise RenameRefused(f"{SAMPLES}/{new} already exists")
        files = (RenameFile(f"{SAMPLES}/{old}", f"{SAMPLES}/{new}"),)
    return OperationRenaming(splices, files)


def _is_plain(name: str) -> bool:
    """Whether YAML reads an unquoted name as this text."""
    from skillstudio.text.reading.yaml_scalars import same_in_both

    return same_in_both(name)


class InputPlace(NamedTuple):
    """A name of an input in a file of a skill, without quotes."""

    path: str
    span: Span
    declares: bool


def declared_inputs(skill: Skill) -> list[str]:
    """The inputs that the manifests declare, each name once."""
    input_names: dict[str, None] = {}
    for manifest in skill.manifests:
        for names in _scopes(list(_marks(manifest))).values():
            input_names |= dict.fromkeys(sorted(names))
    return list(input_names)


def input_places(skill: Skill, name: str) -> list[InputPlace]:
    """Every place that `rename_input` would change. Raises RenameRefused."""
    other = f"{name}_"
    while other in declared_inputs(skill):
        other += "_"
    renaming = rename_input(skill, name, other)
    declarations = {
        (manifest.path, start)
        for manifest in skill.manifests
        for start in _find_declarations(_marks(manifest), name)
    }
    places = []
    for path, splices in renaming.splices.items():
        text = renaming.texts[path]
        for start, end, _ in splices:
            is_quoted = text[start : start + 1] in ("'", '"')
            span = Span(start + is_quoted, end - is_quoted)
            places.append(InputPlace(path, span, (path, start) in declarations))
    return places


def _find_declarations(marks: Iterable[_Mark], name: str) -> Iterator[int]:
    """The offsets at which marks declare an input."""
    for mark in marks:
        node = mark.node
        if isinstance(node, Scalar) and mark.schema.get("x-input-name") == "declares":
            if node.value == name:
                yield node.start
        elif isinstance(node, Mapping) and "x-input-keys" in mark.schema:
            entry = node.entry(name)
            if entry is not None:
                yield entry.key.start


class _Mark(NamedTuple):
    """A node that refers to inputs, with its schema."""

    pointer: str
    schema: dict[str, Any]
    node: Node


def _marks(manifest: Manifest) -> Iterator[_Mark]:
    from skillstudio.schema.navigate import nodes_with_schemas

    root = schema_of(manifest.dialect, manifest.part)
    for pointer, node, schemas in nodes_with_schemas(root, manifest.document):
        resolved_node = resolve(node)
        for schema in schemas:
            if resolved_node is not None and any(key.startswith("x-input") for key in schema):
                yield _Mark(pointer, schema, resolved_node)


def _scopes(marks: list[_Mark]) -> dict[str, set[str]]:
    """The declared names by scope: keys apply next to their mapping, others everywhere."""
    scopes: dict[str, set[str]] = {}
    for pointer, schema, node in marks:
        if isinstance(node, Scalar) and schema.get("x-input-name") == "declares":
            scopes.setdefault("", set()).add(str(node.value))
        elif isinstance(node, Mapping) and "x-input-keys" in schema:
            names = {entry.name for entry in node.entries}
            scopes.setdefault(pointer.rpartition("/")[0], set()).update(names)
    return scopes


def _uses(document: Document, mark: _Mark, old: str, new: str) -> Iterator[Splice]:
    """The splices in one node that refers to the input; for a placeholder, between the braces."""
    pointer, schema, node = mark
    if isinstance(node, Mapping) and "x-input-keys" in schema:
        entry = node.entry(old)
        if entry is not None:
            yield Splice(*entry.key.span, _spelt(document, entry.key, new))
    elif not isinstance(node, Scalar) or not isinstance(node.value, str):
        return
    elif "x-input-name" in schema and node.value == old:
        yield Splice(*node.span, _spelt(document, node, new))
    elif "x-input-ref" in schema:
        for placeholder in placeholders_at(document, pointer, schema["x-input-ref"]):
            if placeholder.name == old:
                start = document.source.text.find(old, placeholder.start, placeholder.end)
                if start < 0:
                    raise RenameRefused(
                        f"{pointer} writes the name with escapes; remove the escapes"
                    )
                yield Splice(start, start + len(old), new)


def _spelt(document: Document, node: Scalar, name: str) -> str:
    """A name in the quotes of the text it replaces, or in new ones if YAML needs them."""
    old = document.source.text[node.start : node.end]
    quote = old[0] if old[:1] in ("'", '"') else ""
    if document.syntax == "yaml" and not quote:
        quote = "" if _is_plain(name) else '"'
    return f"{quote}{name}{quote}"


def _samples(skill: Skill, old: str, new: str, renaming: Renaming) -> None:
    if skill.tree.kind(SAMPLES) != "folder":
        return
    from skillstudio.files.paths import glob
    from skillstudio.text.edit import EditRefused, rename
    from skillstudio.text.reading import read

    for path in glob(skill.tree, f"{SAMPLES}/**/*.yaml", limit=MAX_SAMPLES):
        text, wrong = decode(skill.tree.read(path))
        document = read(Source(text, path), "yaml", Span(0, len(text)))
        if wrong is None and document.at(f"/inputs/{escape(old)}") is not None:
            try:
                renaming.splices[path] = rename(document, f"/inputs/{escape(old)}", new)
            except EditRefused as error:
                raise RenameRefused(f"{path}: {error}") from None
            renaming.texts[path] = text


def _mentions(skill: Skill, old: str, new: str, renaming: Renaming) -> None:
    """The name as a separate word in the prose of SKILL.md."""
    if skill.markdown is None:
        return
    source = skill.markdown.source
    manifests = [
        manifest.document.span for manifest in skill.manifests if manifest.path == source.path
    ]
    word = re.compile(rf"(?<![\w-]){re.escape(old)}(?![\w-])")
    splices = [
        Splice(match.start(), match.end(), new)
        for match in word.finditer(source.text)
        if not any(span.start <= match.start() < span.end for span in manifests)
    ]
    if splices:
        renaming.mentions[source.path] = splices
        renaming.texts[source.path] = source.text
