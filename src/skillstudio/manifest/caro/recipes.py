"""Rules of recipe files that their schema cannot express, or that depend on skill.toml."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillstudio.manifest.author_schema import accepts, pattern_findings
from skillstudio.manifest.caro.commands import recipe_commands, refusals, terminal_exec
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.finding import at_value, default_on_required, duplicate_names
from skillstudio.manifest.placeholders import DOUBLE, names, placeholders_at
from skillstudio.manifest.secrets import secret_findings
from skillstudio.manifest.values import dig, has_type, mappings, sequence, text
from skillstudio.manifest.whole import is_whole
from skillstudio.text.diagnostic import Diagnostic, Fix, Set
from skillstudio.text.nearest import nearest
from skillstudio.text.node import Document

_TYPES = ("string", "integer", "number", "boolean", "array", "object")
_REFERENCE_KEYS = {
    "preconditions": ("script", "message", "fallback"),
    "steps": ("name", "description", "command"),
    "verification": ("check", "message"),
    "rollback": ("name", "description", "command"),
}


def check_recipe(manifest: Manifest, skill: Skill) -> Iterator[Diagnostic]:
    """Problems of one recipe that its schema does not report."""
    document = manifest.document
    value = document.value
    yield from _id(manifest, skill)
    yield from duplicate_names(document, mappings(value, "parameters"), "name", "parameter")
    yield from duplicate_names(document, mappings(value, "steps"), "id", "step")
    yield from _parameters(document)
    yield from _references(document)
    yield from _find_unused(document)
    yield from secret_findings(document)
    owner = skill.of(manifest.dialect.id)
    terminal = terminal_exec(owner) if owner else {}
    for where, command in recipe_commands(value):
        if not command.strip():
            message = "the command must not be empty"
            yield at_value(document, where, "recipe-command-empty", message)
            continue
        for rule, message in refusals(command, terminal):
            yield at_value(document, where, rule, message)
    for where, check in mappings(value, "preconditions"):
        if check.get("check") == "custom" and document.at(f"{where}/script") is None:
            message = "a custom check needs a script"
            yield at_value(document, f"{where}/check", "key-missing", message)


def _id(manifest: Manifest, skill: Skill) -> Iterator[Diagnostic]:
    """Recipe ids must be unique in a skill."""
    recipe_id = text(manifest.document.value, "id")
    for other in skill.manifests:
        if other.document is manifest.document or not recipe_id:
            return
        same_kind = other.part == manifest.part and other.dialect.id == manifest.dialect.id
        if same_kind and text(other.document.value, "id") == recipe_id:
            message = f"the recipe id {recipe_id} is already used by {other.path}"
            yield at_value(manifest.document, "/id", "name-duplicate", message)
            return


def _parameters(document: Document) -> Iterator[Diagnostic]:
    for where, parameter in mappings(document.value, "parameters"):
        pattern = text(parameter, "validation")
        if pattern is not None:
            yield from pattern_findings(document, f"{where}/validation", pattern)
        default, kind = parameter.get("default"), parameter.get("type")
        if default is not None and parameter.get("required") is True:
            optional = Fix("Make the parameter optional", (Set(f"{where}/required", False),))
            yield default_on_required(document, f"{where}/default", optional)
        if isinstance(kind, str) and kind not in _TYPES:
            yield _unknown_type(document, f"{where}/type", kind)
            continue
        if default is None or not isinstance(kind, str):
            continue
        # YAML distinguishes 1.0 from an integer.
        if not has_type(default, kind) or (kind == "integer" and isinstance(default, float)):
            message = f"the default must have the parameter's type, {kind}"
            yield at_value(document, f"{where}/default", "value-type", message)
        elif kind == "string" and pattern and not accepts({"pattern": pattern}, default):
            message = "the default does not match the validation of its parameter"
            yield at_value(document, f"{where}/default", "schema-default-invalid", message)


def _unknown_type(document: Document, where: str, kind: str) -> Diagnostic:
    near = nearest(kind, _TYPES)
    advice = f"did you mean {near}?" if near else f"use {', '.join(_TYPES[:-1])} or {_TYPES[-1]}"
    fixes = (Fix(f"Change it to {near}", (Set(where, near),)),) if near else ()
    message = f"{kind} is not a known type; {advice}"
    return at_value(document, where, "recipe-parameter-type", message, fixes)


def _find_unused(document: Document) -> Iterator[Diagnostic]:
    """Parameters whose name is in no placeholder anywhere in the file."""
    text_of_file = document.source.text
    used = set(names(text_of_file, DOUBLE))
    for where, parameter in mappings(document.value, "parameters"):
        name = text(parameter, "name")
        if name and name not in used:
            message = f"no command or message uses the parameter {name}"
            yield at_value(document, f"{where}/name", "recipe-parameter-unused", message)


def _references(document: Document) -> Iterator[Diagnostic]:
    """A command with an unknown reference would run with the braces in it."""
    declared_names = {
        text(parameter, "name") for parameter in sequence(document.value, "parameters")
    }
    for where in _find_reference_places(document.value):
        for placeholder in placeholders_at(document, where):
            if not placeholder.name:
                message = f"{placeholder.text} is not a valid placeholder; write {{{{name}}}}"
                yield Diagnostic("placeholder-malformed", message, placeholder.span, where)
            elif placeholder.name not in declared_names and is_whole(document, "/parameters"):
                message = f"the recipe has no parameter {placeholder.name}"
                yield Diagnostic("recipe-parameter-unknown", message, placeholder.span, where)


def _find_reference_places(value: Any) -> Iterator[str]:
    for list_name, keys in _REFERENCE_KEYS.items():
        for where, step in mappings(value, list_name):
            for key in keys:
                if "{{" in str(step.get(key)) or "}}" in str(step.get(key)):
                    yield f"{where}/{key}"
            for key in ("output_contains", "contains"):
                if "{{" in str(dig(step, "expect", key)):
                    yield f"{where}/expect/{key}"
