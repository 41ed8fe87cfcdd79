"""The links of a skill's documents to its own files, and their edits when a file is moved."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from skillstudio.files.paths import normalise
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.registry import schema_of
from skillstudio.text.diagnostic import Set, Splice
from skillstudio.text.edit import EditRefused, resolve_edits
from skillstudio.text.node import Scalar, resolve
from skillstudio.text.reading.markdown import LINK, read_markdown
from skillstudio.text.source import Source, Span

_MOST_LINKS = 1_000


class FileLink(NamedTuple):
    """A path in a document that is a file of the skill."""

    span: Span
    target: str  # In the skill.
    written: str


def keyed_spans(text: str, path: str) -> list[Span]:
    """Where a file has keys: all of it, or the frontmatter and fences of Markdown."""
    if not path.lower().endswith(".md"):
        return [Span(0, len(text))]
    markdown = read_markdown(Source(text, path))
    spans = [markdown.frontmatter] if markdown.frontmatter else []
    return spans + [fence.inner for fence in markdown.fences]


def file_links(skill: Skill, path: str, text: str) -> Iterator[FileLink]:
    """The links of Markdown and the paths of manifests that lead to files of the skill."""
    tree = skill.tree
    found: dict[Span, str] = {}
    if path.lower().endswith(".md"):
        fences = keyed_spans(text, path)
        for number, link in enumerate(LINK.finditer(text)):
            if number == _MOST_LINKS:
                break
            group = link.lastindex or 0
            if not any(each.start <= link.start() < each.end for each in fences):
                found[Span(*link.span(group))] = link[group]
    for manifest in skill.manifests:
        if manifest.path != path:
            continue
        from skillstudio.schema.navigate import nodes_with_schemas

        schema = schema_of(manifest.dialect, manifest.part)
        for _, node, schemas in nodes_with_schemas(schema, manifest.document):
            value = resolve(node)
            if isinstance(value, Scalar) and isinstance(value.value, str):
                at = text.find(value.value, value.start, value.end) if value.value else -1
                if at >= 0 and any("x-path" in each for each in schemas):
                    found[Span(at, at + len(value.value))] = value.value
    folder = os.path.dirname(path)
    for span, written in sorted(found.items()):
        for base in dict.fromkeys((folder, "")):
            target = normalise(f"{base}/{written.partition('#')[0]}".lstrip("/"))
            if target and tree.kind(target) == "file":
                yield FileLink(span, target, written)
                break


def linking_files(skill: Skill) -> list[str]:
    """The files whose links follow a moved file: SKILL.md and the manifests."""
    own = [skill.markdown.source.path] if skill.markdown else []
    return list(dict.fromkeys((*own, *(each.path for each in skill.manifests))))


def moved_links(skill: Skill, path: str, text: str, old: str, new: str) -> list[Splice]:
    """The edits of one file's links to a file or folder that is moved within the skill."""
    if new.startswith("../") or os.path.isabs(new):
        return []
    found = []
    for each in file_links(skill, path, text):
        if each.target == old or each.target.startswith(f"{old}/"):
            target = new + each.target[len(old) :]
            folder = os.path.dirname(path)
            written = os.path.relpath(target, folder) if folder else target
            before, mark, rest = each.written.partition("#")
            if before.startswith("./"):
                written = f"./{written}"
            found.append(Splice(*each.span, written.replace(os.sep, "/") + mark + rest))
    return found


def renamed_skill(front: Manifest, old: str, new: str) -> list[Splice]:
    """The edit of the name in a manifest when the skill's folder is renamed."""
    if front.text_of("name") != old or old == new:
        return []
    with suppress(EditRefused):
        return list(resolve_edits(front.document, [Set(front.place_of("name"), new)]))
    return []
