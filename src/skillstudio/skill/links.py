"""The links of a skill's documents to its own files, and their edits when a file is moved."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from skillstudio.files.paths import make_relative, normalise
from skillstudio.files.tree import walk
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.locate import SKIPPED_FOLDERS
from skillstudio.manifest.registry import schema_of
from skillstudio.manifest.scan_patterns import SCRIPTS
from skillstudio.manifest.scanning import MAX_FILE, MAX_FILES
from skillstudio.text.diagnostic import Set, Splice
from skillstudio.text.edit import EditRefused, resolve_edits
from skillstudio.text.node import Scalar, resolve
from skillstudio.text.reading.markdown import LINK, read_markdown
from skillstudio.text.source import Source, Span

_MOST_LINKS = 1_000
_MARKDOWN = (".md", ".mdx")


_SEPARATOR = r"(?:/|\\{1,2})"
# A path after what certainly means the folder of a script or of the skill, or alone.
_MENTION = re.compile(
    r"(?:(?P<here>\$\(dirname (?:-- )?\"?\$(?:0|\{?BASH_SOURCE(?:\[0\])?\}?)\"?\)\"?/"
    r"|\$PSScriptRoot[/\\]|\$PSScriptRoot ['\"]"
    r"|__file__\)(?:\.resolve\(\))?\.parent / ['\"])"
    r"|(?<=\{baseDir\}/)|(?<=\$\{CLAUDE_SKILL_DIR\}/)"
    r"|(?<![\w./\\~$%{}@:+-]))"
    rf"(?P<path>(?:\.{{1,2}}{_SEPARATOR})*[\w@+.-]*[\w@+-](?:{_SEPARATOR}[\w@+.-]*[\w@+-])*/?)"
)


class FileLink(NamedTuple):
    """A path in a document that is a file of the skill."""

    span: Span
    target: str  # In the skill.
    text: str
    base: str = ""  # The folder in the skill that it is relative to.


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
    link_texts: dict[Span, str] = {}
    if path.lower().endswith(".md"):
        fences = keyed_spans(text, path)
        for number, link in enumerate(LINK.finditer(text)):
            if number == _MOST_LINKS:
                break
            group = link.lastindex or 0
            if not any(fence.start <= link.start() < fence.end for fence in fences):
                link_texts[Span(*link.span(group))] = link[group]
    for manifest in skill.manifests:
        if manifest.path != path:
            continue
        from skillstudio.schema.navigate import nodes_with_schemas

        schema = schema_of(manifest.dialect, manifest.part)
        for _, node, schemas in nodes_with_schemas(schema, manifest.document):
            value = resolve(node)
            if isinstance(value, Scalar) and isinstance(value.value, str):
                at = text.find(value.value, value.start, value.end) if value.value else -1
                if at >= 0 and any("x-path" in subschema for subschema in schemas):
                    link_texts[Span(at, at + len(value.value))] = value.value
    folder = os.path.dirname(path)
    for span, link_text in sorted(link_texts.items()):
        for base in dict.fromkeys((folder, "")):
            target = normalise(f"{base}/{link_text.partition('#')[0]}".lstrip("/"))
            if target and tree.kind(target) == "file":
                yield FileLink(span, target, link_text, base)
                break


def path_mentions(skill: Skill, path: str, text: str) -> Iterator[FileLink]:
    """The paths in prose, code and samples that certainly name a file or folder of the skill.

    These are paths of several parts from the skill, in Markdown and samples also from the file, in
    Markdown also a file name as code; in scripts, paths from the folder of the script.
    """
    folder, tree = os.path.dirname(path), skill.tree
    is_markdown = path.lower().endswith(_MARKDOWN)
    bases = (folder, "") if is_markdown or _is_sample(path) else ("",)
    for match in _MENTION.finditer(text):
        span, link_text = Span(*match.span("path")), match["path"]
        plain = _with_slashes(link_text)
        if match["here"]:
            bases_here: tuple[str, ...] = (folder,)
        elif "/" in plain.rstrip("/") or (plain.endswith("/") and is_markdown):
            bases_here = () if plain.startswith(".") and bases == ("",) else bases
        else:
            is_code = text[span.start - 1 : span.start] == text[span.end : span.end + 1] == "`"
            bases_here = bases if is_markdown and is_code else ()
        for base in dict.fromkeys(bases_here):
            target = normalise(f"{base}/{plain}".lstrip("/"))
            if target and tree.kind(target) == ("folder" if plain.endswith("/") else "file"):
                yield FileLink(span, target, link_text, base)
                break


def _with_slashes(path: str) -> str:
    return path.replace("\\\\", "/").replace("\\", "/")


def _is_sample(path: str) -> bool:
    return path.startswith("samples/") and path.endswith(".yaml")


def linking_files(skill: Skill) -> list[str]:
    """The files whose links follow a moved file: SKILL.md, the manifests, other Markdown, scripts
    and samples, up to limits on number and size."""
    paths = [skill.markdown.source.path] if skill.markdown else []
    paths += [manifest.path for manifest in skill.manifests]
    with suppress(OSError):
        paths += islice(_texts(skill), MAX_FILES)
    return list(dict.fromkeys(paths))


def _texts(skill: Skill) -> Iterator[str]:
    def is_of_skill(path: str) -> bool:
        is_other_skill = skill.tree.kind(f"{path}/SKILL.md") is not None
        return os.path.basename(path) not in SKIPPED_FOLDERS and not is_other_skill

    for path, entry in walk(skill.tree, is_of_skill):
        is_text = path.lower().endswith((*_MARKDOWN, *SCRIPTS)) or _is_sample(path)
        if entry.kind == "file" and is_text and entry.size <= MAX_FILE:
            yield path


def moved_links(skill: Skill, path: str, text: str, old: str, new: str) -> list[Splice]:
    """The edits of one file's links when a file or folder is moved within the skill, maybe the file
    itself."""
    if new.startswith("../") or os.path.isabs(new):
        return []

    def move_path(inside: str) -> str:
        is_moved = inside == old or inside.startswith(f"{old}/")
        return new + inside[len(old) :] if is_moved else inside

    is_moved = move_path(path) != path
    if not is_moved and old.rpartition("/")[2] not in text:
        return []
    links = {link.span: link for link in file_links(skill, path, text)}
    for mention in path_mentions(skill, path, text):
        if not any(span.start <= mention.span.start < span.end for span in links):
            links[mention.span] = mention
    splices = []
    for span, link in sorted(links.items()):
        base = os.path.dirname(move_path(path)) if link.base else ""
        target = move_path(link.target)
        if (target, base) == (link.target, link.base):
            continue
        before, mark, rest = link.text.partition("#")
        link_text = make_relative(target, base).replace(os.sep, "/") if base else target
        if before.startswith("./") and not link_text.startswith("."):
            link_text = f"./{link_text}"
        link_text += "/" * before.endswith("/")
        if "\\" in before:
            link_text = link_text.replace("/", "\\\\" if "\\\\" in before else "\\")
        if link_text != before:
            splices.append(Splice(*span, link_text + mark + rest))
    return splices


def renamed_skill(front: Manifest, old: str, new: str) -> list[Splice]:
    """The edit of the name in a manifest when the skill's folder is renamed."""
    if front.text_of("name") != old or old == new:
        return []
    with suppress(EditRefused):
        return list(resolve_edits(front.document, [Set(front.place_of("name"), new)]))
    return []
