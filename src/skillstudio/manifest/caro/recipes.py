"""Rules of recipe files that their schema cannot express, or that depend on skill.toml."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillstudio.manifest.caro.commands import programs
from skillstudio.manifest.caro.finding import at_value
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.patterns import pattern_findings
from skillstudio.manifest.placeholders import placeholders_at
from skillstudio.manifest.secrets import secret_findings
from skillstudio.manifest.values import dig, mapping, mappings, pointer, sequence, text
from skillstudio.manifest.whole import is_whole
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.node import Document

_REFERRING = {
    "preconditions": ("script", "message", "fallback"),
    "steps": ("name", "description", "command"),
    "verification": ("check", "message"),
    "rollback": ("name", "description", "command"),
}
_COMMANDS = (("steps", "command"), ("verification", "check"), ("rollback", "command"))
_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "array": list,
}


def check_recipe(manifest: Manifest, skill: Skill) -> Iterator[Diagnostic]:
    """Problems of one recipe that its schema does not report."""
    document = manifest.document
    value = document.value
    yield from _id(manifest, skill)
    yield from _unique(document, "parameters", "name", "parameter")
    yield from _unique(document, "steps", "id", "step")
    yield from _parameters(document)
    yield from _references(document)
    yield from secret_findings(document)
    owner = skill.of(manifest.dialect.id)
    asked = mapping(owner.document.value if owner else None, "capabilities", "terminal_exec")
    for list_name, key in _COMMANDS:
        for index, step in enumerate(sequence(value, list_name)):
            if isinstance(dig(step, key), str):
                yield from _command(document, step[key], asked, list_name, index, key)
    for index, check in enumerate(sequence(value, "preconditions")):
        script = text(check, "script")
        if script is not None:
            yield from _command(document, script, asked, "preconditions", index, "script")
        elif dig(check, "check") == "custom":
            if document.at(pointer("preconditions", index, "script")) is not None:
                continue
            where = pointer("preconditions", index, "check")
            node = document.at(where)
            span = node.span if node else None
            yield Diagnostic("key-missing", "a custom check needs a script", span, where)


def _id(manifest: Manifest, skill: Skill) -> Iterator[Diagnostic]:
    """Recipe ids must be unique in a skill."""
    own = text(manifest.document.value, "id")
    for other in skill.manifests:
        if other.document is manifest.document or not own:
            return
        same_kind = other.part == manifest.part and other.dialect.id == manifest.dialect.id
        if same_kind and text(other.document.value, "id") == own:
            message = f"the recipe id {own} is already used by {other.path}"
            yield at_value(manifest.document, "name-duplicate", message, "id")
            return


def _unique(document: Document, list_name: str, key: str, what: str) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    for index, item in enumerate(sequence(document.value, list_name)):
        name = text(item, key)
        if name is None:
            continue
        if name in seen:
            message = f"duplicate {what} {name}"
            yield at_value(document, "name-duplicate", message, list_name, index, key)
        seen.add(name)


def _parameters(document: Document) -> Iterator[Diagnostic]:
    for where, parameter in mappings(document.value, "parameters"):
        pattern = text(parameter, "validation")
        if pattern is not None:
            yield from pattern_findings(document, f"{where}/validation", pattern)
        default, kind = parameter.get("default"), parameter.get("type")
        if default is not None and isinstance(kind, str) and not _has_type(default, kind):
            node = document.at(f"{where}/default")
            message = f"the default must have the parameter's type, {kind}"
            yield Diagnostic("value-type", message, node.span if node else None, f"{where}/default")


def _has_type(value: Any, kind: str) -> bool:
    wanted = _TYPES.get(kind)
    if wanted is None:
        return True
    return isinstance(value, wanted) and (kind == "boolean" or not isinstance(value, bool))


def _references(document: Document) -> Iterator[Diagnostic]:
    """A command with an unknown reference would run with the braces in it."""
    declared = {text(each, "name") for each in sequence(document.value, "parameters")}
    for where in _referring(document.value):
        for found in placeholders_at(document, where):
            if not found.name:
                message = f"{found.text} is not a valid placeholder; write {{{{name}}}}"
                yield Diagnostic("placeholder-malformed", message, found.span, where)
            elif found.name not in declared and is_whole(document, "/parameters"):
                message = f"the recipe has no parameter {found.name}"
                yield Diagnostic("recipe-parameter-unknown", message, found.span, where)


def _referring(value: Any) -> Iterator[str]:
    for list_name, keys in _REFERRING.items():
        for where, step in mappings(value, list_name):
            for key in keys:
                if "{{" in str(step.get(key)) or "}}" in str(step.get(key)):
                    yield f"{where}/{key}"
            for key in ("output_contains", "contains"):
                if "{{" in str(dig(step, "expect", key)):
                    yield f"{where}/expect/{key}"


def _command(
    document: Document, command: str, asked: dict[str, Any], *keys: str | int
) -> Iterator[Diagnostic]:
    if not command.strip():
        yield at_value(document, "recipe-command-empty", "the command must not be empty", *keys)
        return
    if asked.get("allowed") is False:
        message = "skill.toml says terminal_exec.allowed = false, so no command may run"
        yield at_value(document, "recipe-command-not-allowed", message, *keys)
        return
    allowed = {each for each in sequence(asked, "commands") if isinstance(each, str)}
    blocked = {each for each in sequence(asked, "blocked") if isinstance(each, str)}
    if not allowed and not blocked:
        return
    for program in dict.fromkeys(programs(command)):
        if program is None:
            if allowed:
                message = "the program is only known at run time; name it directly"
                yield at_value(document, "recipe-command-not-allowed", message, *keys)
        elif program in blocked or program.rpartition("/")[2] in blocked:
            message = f"{program} is in terminal_exec.blocked of skill.toml"
            yield at_value(document, "recipe-command-blocked", message, *keys)
        elif allowed and program not in allowed:
            message = f"{program} is not in terminal_exec.commands of skill.toml"
            yield at_value(document, "recipe-command-not-allowed", message, *keys)
