"""Check `agents/openai.yaml`, in which a skill tells Codex its title, icons, policy and tools.

The schema follows `codex-skill-metadata.json` at SchemaStore. What Codex does with a wrong file was
run: @openai/codex 0.171.0, codex debug prompt-input.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from skillstudio.files.paths import judge_path
from skillstudio.files.tree import FileTree
from skillstudio.manifest.locate import OPENAI_YAML, read_file
from skillstudio.manifest.values import dig, text
from skillstudio.schema.diagnostics import schema_diagnostics
from skillstudio.text.diagnostic import Diagnostic, Severity
from skillstudio.text.node import MOST_REPORTED, Document, Scalar, resolve
from skillstudio.text.reading.yaml import read_yaml
from skillstudio.text.source import Source, Span

if TYPE_CHECKING:
    from skillstudio.schema.outcome import Validator

_IGNORED_NOTE = "; Codex ignores the whole file"
_ICONS = ("icon_small", "icon_large")


def check_openai_yaml(tree: FileTree) -> tuple[Source | None, list[Diagnostic]]:
    """The text of the file and its problems, all of them at `OPENAI_YAML`."""
    problems: list[Diagnostic] = []
    source = read_file(tree, OPENAI_YAML, problems)
    if source is not None:
        document = _document(source)
        problems += _faults(document)
        problems += _values(document)
        problems += _icons(document, tree)
    return source, [
        # Only the files of manifests are fixed.
        problem._replace(path=OPENAI_YAML, severity=problem.severity or "warning", fixes=())
        for problem in problems
        if problem.rule != "file-large"
    ]


def allows_implicit_invocation(tree: FileTree) -> bool:
    """Whether Codex may use the skill without being asked to; true if it ignores the file."""
    if tree.kind(OPENAI_YAML) is None:
        return True
    source = read_file(tree, OPENAI_YAML, [])
    if source is None or "allow_implicit_invocation" not in source.text:
        return True
    document = _document(source)
    if dig(document.value, "policy", "allow_implicit_invocation") is not False:
        return True
    return any(
        problem.message.endswith(_IGNORED_NOTE)
        for problem in (*_faults(document), *_values(document))
    )


def _document(source: Source) -> Document:
    return read_yaml(source, Span(0, len(source.text)))


def _faults(document: Document) -> Iterator[Diagnostic]:
    """What does not parse. Codex reads YAML 1.2, and repairs nothing here."""
    for fault in document.faults[:MOST_REPORTED]:
        if fault.rule != "value-yaml-1.1":
            span = Span(fault.start, fault.end)
            message = fault.message.partition(";")[0]
            yield Diagnostic(fault.rule, message + _IGNORED_NOTE, span)


@cache
def _schema() -> dict[str, Any]:
    with open(os.path.splitext(__file__)[0] + ".json", encoding="utf-8") as file:
        schema: dict[str, Any] = json.load(file)
    return schema


@cache
def _validator() -> Validator:
    from skillstudio.schema.engine import compile_schema

    return compile_schema(_schema())


def _values(document: Document) -> Iterator[Diagnostic]:
    """Values of the wrong kind, and keys that Codex does not read."""
    errors = _validator().errors(document.value, MOST_REPORTED)
    for problem in schema_diagnostics(document, _schema(), errors):
        message = problem.message
        severity: Severity = "warning"
        if problem.rule == "value-type":
            if _is_read(document, problem):
                continue
            message += _IGNORED_NOTE
        elif problem.rule == "key-unknown":
            key = problem.pointer.rpartition("/")[2]
            if problem.pointer.count("/") == 1 and (parent := _parents().get(key)):
                message += f"; it belongs to `{parent}`"
            elif not problem.fixes:
                severity = "info"
        yield problem._replace(message=message, severity=severity)


@cache
def _parents() -> dict[str, str]:
    """The keys below those of the first level, and which one they are below."""
    parts = _schema()["properties"].items()
    return {key: parent for parent, part in parts for key in part.get("properties", ())}


def _is_read(document: Document, problem: Diagnostic) -> bool:
    """Whether serde reads a value in spite of its type: any scalar for a text, and null."""
    node = resolve(document.at(problem.pointer))
    if not isinstance(node, Scalar):
        return False
    return node.value is None or "must be a string" in problem.message


def _icons(document: Document, tree: FileTree) -> Iterator[Diagnostic]:
    """Icons that are not in `assets/`, which Codex ignores, or that do not exist."""
    for key in _ICONS:
        icon = text(document.value, "interface", key)
        if not icon:
            continue
        node = document.at(f"/interface/{key}")
        span = node.span if node is not None else None
        path = icon.removeprefix("./")
        if ".." in path.split("/"):
            continue  # It may be an icon of the plugin.
        if not path.startswith("assets/"):
            message = "Codex ignores an icon that is not in assets/; move it there"
            yield Diagnostic("value-ignored", message, span, severity="warning")
        elif judge_path(tree, path).problem is not None:
            message = f"the skill has no file {path}; add it, or correct the path"
            yield Diagnostic("file-missing", message, span, severity="warning")
