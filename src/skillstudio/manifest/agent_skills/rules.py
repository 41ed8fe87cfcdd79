"""Rules of the Agent Skills specification that its schema cannot express."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from skillstudio.manifest.agent_skills.body import check_body
from skillstudio.manifest.agent_skills.folder import check_folder
from skillstudio.manifest.dialect import Ask, Manifest, Skill
from skillstudio.manifest.front_values import (
    MAX_NAME,
    is_name,
    split_tools,
    tool_uses,
    tools_by_item,
)
from skillstudio.manifest.quoting import quote_fix
from skillstudio.manifest.secrets import secret_findings
from skillstudio.manifest.values import members, text
from skillstudio.text.diagnostic import Diagnostic, Fix, Set
from skillstudio.text.node import Document


def check(manifest: Manifest, skill: Skill) -> Iterator[Diagnostic]:
    """The rules that need several values, or the folder."""
    document = manifest.document
    yield from _name(document, skill)
    yield from _blank(document)
    yield from _version(manifest, skill)
    yield from _metadata(document)
    yield from _tools(document)
    yield from secret_findings(document)
    if skill.markdown is not None:
        yield from check_body(skill.markdown, skill)
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
        name = skill.name if is_name(skill.name) else _slug(text(manifest.document.value, "name"))
        if name:
            return (Fix(f"Change the name to {name}", (Set("/name", name),)),)
    return ()


def _name(document: Document, skill: Skill) -> Iterator[Diagnostic]:
    name = text(document.value, "name")
    node = document.at("/name")
    if name is None or node is None or not is_name(name) or name == skill.name:
        return
    fix = Fix(f"Change the name to {skill.name}", (Set("/name", skill.name),))
    message = f"the name must match the folder name, {skill.name}"
    fixes = (fix,) if is_name(skill.name) else ()
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
    beside = [each for each in skill.manifests if each.document is document]
    span = document.key_span("/version")
    if span is not None and not any("version" in each.dialect.identity for each in beside):
        message = "the specification has no top-level `version`; use `metadata.version`"
        yield Diagnostic("version-top-level", message, span, "/version")


def _metadata(document: Document) -> Iterator[Diagnostic]:
    for pointer, key, value in members(document.value, "metadata"):
        if isinstance(value, str):
            continue
        node = document.at(pointer)
        if node is None:
            continue
        span = node.span if node.end > node.start else document.key_span(pointer)
        message = f"metadata maps strings to strings, and {key} is {_kind(value)}"
        fixes = quote_fix(document, pointer, node)
        yield Diagnostic("metadata-value", message, span, pointer, fixes)


def _tools(document: Document) -> Iterator[Diagnostic]:
    value: Any = document.value.get("allowed-tools") if isinstance(document.value, dict) else None
    if isinstance(value, str):
        tools = split_tools(value)
        if tools is None:
            return
        message = "separate tools with spaces, not commas"
    elif isinstance(value, list):
        texts = [item for item in value if isinstance(item, str)]
        split = [tool for item in texts for tool in (split_tools(item) or [item.strip()]) if tool]
        tools = split if len(texts) == len(value) else []
        message = "write the tools as one string, separated by spaces"
    else:
        return
    node = document.at("/allowed-tools")
    if node is not None:
        written = document.source.text[node.start : node.end]
        # The fix would lose a comment between the tools, and split a tool that contains a space.
        safe = "#" not in written and all(len(each) == 1 for each in tools_by_item(value))
        edit = Set("/allowed-tools", " ".join(tools))
        fix = Fix("Separate the tools with spaces", (edit,), safe)
        yield Diagnostic(
            "allowed-tools-form", message, node.span, "/allowed-tools", (fix,) if tools else ()
        )


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
