"""Rename an input wherever a skill names it: declaration, placeholders, interface, samples.

Where that is, the schemas say: `x-input-name` marks a string that is an input's name,
`x-input-keys` a mapping whose keys are, and `x-input-ref` a string with placeholders.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.placeholders import placeholders_at
from skillstudio.manifest.registry import schema_of
from skillstudio.text.diagnostic import Splice
from skillstudio.text.node import Document, Mapping, Scalar, escape, resolve
from skillstudio.text.source import Source, Span, decode

SAMPLES = "samples"
MAX_SAMPLES = 1000


class RenameRefused(Exception):
    """The input cannot be renamed; the text says why."""


@dataclass(frozen=True)
class Renaming:
    """What a rename changes, by path in the skill."""

    splices: dict[str, list[Splice]] = field(default_factory=dict)
    mentions: dict[str, list[Splice]] = field(default_factory=dict)
    """The name in prose: for the author to judge."""
    texts: dict[str, str] = field(default_factory=dict)
    """The old text of each of those files."""


def rename_input(skill: Skill, old: str, new: str) -> Renaming:
    """The splices that give an input another name.

    Raises RenameRefused where no manifest declares the input or the new name is taken.
    """
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", new):
        raise RenameRefused(f"{new} is no name: letters, digits, _ and - after a letter")
    made = Renaming()
    declared = False
    for manifest in skill.manifests:
        uses = list(_uses(manifest, old))
        if new in {name for name, _ in _declared(manifest)}:
            raise RenameRefused(f"there is an input {new} already")
        declared = declared or old in {name for name, _ in _declared(manifest)}
        for splice in (Splice(*span, _spelt(manifest.document, span, new)) for span in uses):
            if splice not in made.splices.setdefault(manifest.path, []):
                made.splices[manifest.path].append(splice)
        made.texts[manifest.path] = manifest.document.source.text
    if not declared:
        raise RenameRefused(f"no manifest of the skill declares an input {old}")
    _samples(skill, old, new, made)
    _mentions(skill, old, new, made)
    for splices in made.splices.values():
        splices.sort()
    return made


def _declared(manifest: Manifest) -> Iterator[tuple[str, Span]]:
    """The names that a manifest declares, with their place."""
    for schema, node in _marked(manifest):
        if isinstance(node, Scalar) and schema.get("x-input-name") == "declares":
            yield str(node.value), node.span
        elif isinstance(node, Mapping) and "x-input-keys" in schema:
            yield from ((entry.name, entry.key.span) for entry in node.entries)


def _uses(manifest: Manifest, name: str) -> Iterator[Span]:
    """Where a manifest names an input; of a placeholder, the name between the braces."""
    document = manifest.document
    text = document.source.text
    for pointer, schema, node in _walk(manifest):
        if isinstance(node, Mapping) and "x-input-keys" in schema:
            entry = node.entry(name)
            if entry is not None:
                yield entry.key.span
        elif not isinstance(node, Scalar) or not isinstance(node.value, str):
            continue
        elif "x-input-name" in schema and node.value == name:
            yield node.span
        elif "x-input-ref" in schema:
            for found in placeholders_at(document, pointer, schema["x-input-ref"]):
                if found.name == name:
                    start = text.index(name, found.start)
                    yield Span(start, start + len(name))


def _marked(manifest: Manifest) -> Iterator[tuple[dict[str, str], object]]:
    for _, schema, node in _walk(manifest):
        yield schema, node


def _walk(manifest: Manifest) -> Iterator[tuple[str, dict[str, str], object]]:
    from skillstudio.schema.navigate import subschemas

    root = schema_of(manifest.dialect, manifest.part)
    for pointer, node in manifest.document.walk():
        for schema in subschemas(root, pointer, manifest.document.value):
            if any(key.startswith("x-input") for key in schema):
                yield pointer, schema, resolve(node)


def _spelt(document: Document, span: Span, name: str) -> str:
    """A name in the quotes of what it replaces."""
    old = document.source.text[span.start : span.end]
    quote = old[0] if old[:1] in "\"'" else ""
    return f"{quote}{name}{quote}"


def _samples(skill: Skill, old: str, new: str, made: Renaming) -> None:
    """The same name among the inputs of saved samples."""
    if skill.tree.kind(SAMPLES) != "folder":
        return
    from skillstudio.files.paths import glob
    from skillstudio.text.edit import rename
    from skillstudio.text.reading import read

    for path in glob(skill.tree, f"{SAMPLES}/**/*.yaml", limit=MAX_SAMPLES):
        text, wrong = decode(skill.tree.read(path))
        document = read(Source(text, path), "yaml", Span(0, len(text)))
        if wrong is None and document.at(f"/inputs/{escape(old)}") is not None:
            made.splices[path] = rename(document, f"/inputs/{escape(old)}", new)
            made.texts[path] = text


def _mentions(skill: Skill, old: str, new: str, made: Renaming) -> None:
    """The name as a word of its own in the prose of SKILL.md."""
    if skill.markdown is None:
        return
    source = skill.markdown.source
    manifests = [each.document.span for each in skill.manifests if each.path == source.path]
    word = re.compile(rf"(?<![\w-]){re.escape(old)}(?![\w-])")
    found = [
        Splice(match.start(), match.end(), new)
        for match in word.finditer(source.text)
        if not any(span.start <= match.start() < span.end for span in manifests)
    ]
    if found:
        made.mentions[source.path] = found
        made.texts[source.path] = source.text
