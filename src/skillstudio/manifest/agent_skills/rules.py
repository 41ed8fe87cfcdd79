"""Rules of the Agent Skills specification that its schema cannot express."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from skillstudio.files.tree import FileEntry
from skillstudio.manifest.dialect import Ask, Manifest, Skill
from skillstudio.manifest.finding import at_value
from skillstudio.manifest.front_values import (
    MAX_NAME,
    is_name,
    split_tools,
    tool_uses,
    tools_by_item,
)
from skillstudio.manifest.quoting import quote_fix
from skillstudio.manifest.secrets import secret_findings
from skillstudio.manifest.targets import mapping_readers, targets, tool_forms, value_problems
from skillstudio.manifest.to_metadata import metadata_fix
from skillstudio.manifest.values import members, text
from skillstudio.schema.messages import format_values
from skillstudio.text.diagnostic import Diagnostic, Fix, Set, Severity
from skillstudio.text.node import MOST_LISTED, Document, Mapping, resolve
from skillstudio.text.reading.markdown import Markdown
from skillstudio.text.source import Span

MAX_LINES = 500
MAX_TOKENS = 5_000
CHARACTERS_PER_TOKEN = 4

_PLAIN = {"name", "description", "license", "compatibility", "metadata"}
"""Keys whose values no target restricts to known words."""

EXEMPT = frozenset(
    [
        *("agents", "authors", "changelog", "contributing", "evals", "license", "licence"),
        *("notice", "readme", "samples", "security", "skill", "skillstudio", "test", "tests"),
    ]
)
"""Names, without extension, that people and tools find without a mention."""

MAX_ENTRIES = 2_000
MAX_READ = 50
MAX_BYTES = 256 * 1024
_TEXTS = (".md", ".txt", ".json", ".yaml", ".yml", ".toml", ".py", ".sh", ".js", ".ts", ".html")


def check(manifest: Manifest, skill: Skill) -> Iterator[Diagnostic]:
    """The rules that need several values, or the folder."""
    document = manifest.document
    yield from _name(document, skill)
    yield from _blank(document)
    yield from _version(manifest, skill)
    yield from _metadata(document)
    yield from _tools(document, skill)
    yield from _values(document, skill)
    yield from secret_findings(document)
    if skill.markdown is not None:
        yield from _length(skill.markdown)
        yield from check_folder(skill)


def asks(manifest: Manifest) -> Iterator[Ask]:
    """The commands and hosts that `allowed-tools` requests, for the policy."""
    value = manifest.document.value
    tools = value.get("allowed-tools") if isinstance(value, dict) else None
    for tool, uses in tool_uses(tools):
        if tool == "Bash":
            commands = [use.strip().partition(":")[0].split() for use in uses.split(",")]
            for command in dict.fromkeys(words[0] if words else "*" for words in commands):
                yield Ask("command", command, "/allowed-tools")
        elif tool in ("WebFetch", "WebSearch"):
            host = uses.removeprefix("domain:") if uses.startswith("domain:") else "*"
            yield Ask("host", host, "/allowed-tools")


def schema_fixes(diagnostic: Diagnostic, manifest: Manifest, skill: Skill) -> tuple[Fix, ...]:
    """Fixes for problems found by the schema."""
    if diagnostic.rule in ("name-format", "name-length"):
        stated_name = text(manifest.document.value, "name") or ""
        folder_name = (
            skill.name
            if is_name(skill.name) and not _is_less(skill.name, _slug(stated_name))
            else ""
        )
        # What is left of a name in another script is not that name.
        name = folder_name or (_slug(stated_name) if stated_name.isascii() else "")
        if name:
            return (Fix(f"Change the name to {name}", (Set("/name", name),)),)
    return ()


def _is_less(folder: str, name: str) -> bool:
    """Whether a folder's name is a part of a skill's: often too general to replace it."""
    return name != folder and f"-{folder}-" in f"-{name}-"


def _name(document: Document, skill: Skill) -> Iterator[Diagnostic]:
    name = text(document.value, "name")
    node = document.at("/name")
    if name is None or node is None or not is_name(name) or name == skill.name:
        return
    fix = Fix(f"Change the name to {skill.name}", (Set("/name", skill.name),))
    message = f"the name must match the folder name, {skill.name}"
    is_less = _is_less(skill.name, name)
    fixes = (fix,) if is_name(skill.name) and not is_less else ()
    message += f"; rename the folder to {name}" if is_less else ""
    yield Diagnostic("name-folder", message, node.span, "/name", fixes)


def _blank(document: Document) -> Iterator[Diagnostic]:
    for key in ("description", "compatibility"):
        value = text(document.value, key)
        node = document.at(f"/{key}")
        if value and node is not None and not value.strip():
            yield Diagnostic(f"{key}-length", f"the {key} is blank", node.span, f"/{key}")


def _version(manifest: Manifest, skill: Skill) -> Iterator[Diagnostic]:
    """Report a top-level version, unless another dialect of the same text defines it."""
    document = manifest.document
    beside = [other for other in skill.manifests if other.document is document]
    span = document.key_span("/version")
    if span is not None and not any("version" in other.dialect.identity for other in beside):
        message = "the specification has no top-level `version`; use `metadata.version`"
        fixes = metadata_fix(document, "version")
        yield Diagnostic("version-top-level", message, span, "/version", fixes)
        version, metadata_version = (
            text(document.value, "version"),
            text(document.value, "metadata", "version"),
        )
        if version and metadata_version and version != metadata_version:
            message = (
                f"`metadata.version` is {format_values([metadata_version])}; write one version"
            )
            yield at_value(document, "/version", "version-disagrees", message)


def _metadata(document: Document) -> Iterator[Diagnostic]:
    metadata = resolve(document.at("/metadata"))
    wrong = [
        member for member in members(document.value, "metadata") if not isinstance(member[2], str)
    ]
    for pointer, key, value in wrong[:MOST_LISTED]:
        node = metadata.get(key) if isinstance(metadata, Mapping) else None
        if node is None:
            continue
        span = node.span if node.end > node.start else document.key_span(pointer)
        message = f"metadata maps strings to strings, and {key} is {_kind(value)}"
        reader = mapping_readers().get(key) if isinstance(value, dict) else None
        if reader is not None:
            message += f", which only {reader} reads"
        fixes = quote_fix(document, pointer, node)
        # No target minds it; a number loses its written form.
        severity: Severity | None = "info" if isinstance(value, dict | list) else None
        yield Diagnostic("metadata-value", message, span, pointer, fixes, severity)
    if further := wrong[MOST_LISTED:]:
        message = f"{len(further):,} more values of metadata are not strings"
        yield Diagnostic("metadata-value", message, document.key_span(further[0][0]), "/metadata")


def _tools(document: Document, skill: Skill) -> Iterator[Diagnostic]:
    """A form of `allowed-tools` that a selected target does not read; if none is selected, a
    remark that not all targets read it."""
    value: Any = document.value.get("allowed-tools") if isinstance(document.value, dict) else None
    if any(tool == "Bash" and uses in ("", "*", ":*", "*:*") for tool, uses in tool_uses(value)):
        message = "Bash without a pattern allows every command; name some, as in Bash(git:*)"
        yield at_value(document, "/allowed-tools", "tool-unrestricted", message)
    if isinstance(value, str):
        tools = split_tools(value)
        if tools is None:
            return
        form, message = "commas", "not allow commas between tools; separate them with spaces"
    elif isinstance(value, list):
        texts = [item for item in value if isinstance(item, str)]
        split = [tool for item in texts for tool in (split_tools(item) or [item.strip()]) if tool]
        tools = split if len(texts) == len(value) else []
        form, message = "list", "not allow a list of tools; write one string, with spaces"
    else:
        return
    node = document.at("/allowed-tools")
    read = tool_forms(skill.settings.targets)
    titles = [targets()[id]["title"] for id, forms in read.items() if form not in forms]
    if node is None or not titles:
        return
    raw_text = document.source.text[node.start : node.end]
    # The fix would lose a comment between the tools, and split a tool that contains a space.
    safe = "#" not in raw_text and all(len(item_tools) == 1 for item_tools in tools_by_item(value))
    fix = Fix("Separate the tools with spaces", (Set("/allowed-tools", " ".join(tools)),), safe)
    does = "does" if len(titles) == 1 else "do"
    yield Diagnostic(
        "allowed-tools-form",
        f"{' and '.join(titles)} {does} {message}",
        node.span,
        "/allowed-tools",
        (fix,) if tools else (),
        "warning" if any(id in read for id in skill.settings.targets) else None,
    )


def _values(document: Document, skill: Skill) -> Iterator[Diagnostic]:
    if isinstance(document.value, dict) and document.value.keys() - _PLAIN:
        yield from value_problems(document, skill.settings.targets)


def _slug(name: str | None) -> str:
    words = re.findall(r"[a-z0-9]+", (name or "").lower())
    return "-".join(words)[:MAX_NAME].rstrip("-")


def _kind(value: Any) -> str:
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    return "a list" if isinstance(value, list) else "a mapping"


def _length(markdown: Markdown) -> Iterator[Diagnostic]:
    """`body-long` at the body's first line."""
    text, body = markdown.source.text, markdown.body
    characters = body.end - body.start
    if characters <= MAX_LINES:
        return
    tokens = characters // CHARACTERS_PER_TOKEN
    lines = text.count("\n", body.start, body.end) + (not text.endswith("\n"))
    if lines > MAX_LINES:
        message = f"the body has {lines} lines; over {MAX_LINES}, move details to other files"
    elif tokens > MAX_TOKENS:
        message = f"the body is about {tokens} tokens; over {MAX_TOKENS}, move details to files"
    else:
        return
    end = text.find("\n", body.start, body.end)
    yield Diagnostic("body-long", message, Span(body.start, end if end >= 0 else body.end))


def check_folder(skill: Skill) -> Iterator[Diagnostic]:
    """`file-unmentioned` for entries next to SKILL.md, unless a manifest file declares them."""
    if skill.markdown is None or any(m.dialect.carrier == "file" for m in skill.manifests):
        return
    try:
        entries = skill.tree.list()
    except OSError:
        # The folder was readable before; the reader of the files reports the error.
        return
    if len(entries) > MAX_ENTRIES:
        return
    candidates = [entry for entry in entries if not _is_exempt(entry)]
    text = skill.markdown.source.text
    unmentioned_entries = [entry for entry in candidates if not _mentions(text, entry, skill)]
    if unmentioned_entries:
        texts = list(
            _texts_beside(
                skill, [entry for entry in candidates if entry not in unmentioned_entries]
            )
        )
        unmentioned_entries = [
            entry
            for entry in unmentioned_entries
            if not any(_mentions(t, entry, skill) for t in texts)
        ]
    for entry in unmentioned_entries:
        slash = "/" if entry.kind == "folder" else ""
        message = f"nothing mentions {entry.name}{slash}, so agents will not find it"
        yield Diagnostic("file-unmentioned", message, path=skill.markdown.source.path)


def _is_exempt(entry: FileEntry) -> bool:
    name = entry.name
    return name.startswith((".", "__")) or name.partition(".")[0].lower() in EXEMPT


def _mentions(text: str, entry: FileEntry, skill: Skill) -> bool:
    """Whether a text mentions a file or folder, or a file in that folder."""
    if entry.name in text:
        return True
    if entry.kind != "folder":
        stem, dot, _ = entry.name.rpartition(".")
        return bool(dot) and len(stem) > 4 and stem in text
    return any(inner.name in text for inner in _inside(entry, skill))


def _inside(entry: FileEntry, skill: Skill) -> list[FileEntry]:
    try:
        return skill.tree.list(entry.name)[:MAX_ENTRIES]
    except OSError:
        return []


def _texts_beside(skill: Skill, mentioned_entries: list[FileEntry]) -> Iterator[str]:
    """The text files that SKILL.md mentions, up to limits on number and size."""
    paths = []
    for entry in mentioned_entries:
        if entry.kind == "file":
            paths.append((entry.name, entry.size))
        elif entry.kind == "folder":
            paths += [
                (f"{entry.name}/{inner.name}", inner.size)
                for inner in _inside(entry, skill)
                if inner.kind == "file"
            ]
    texts = [path for path, size in paths if path.endswith(_TEXTS) and size <= MAX_BYTES]
    for path in texts[:MAX_READ]:
        try:
            yield skill.tree.read(path, MAX_BYTES).decode("utf-8", "replace")
        except OSError:
            continue
