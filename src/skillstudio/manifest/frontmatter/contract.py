"""Check that `interface:` agrees with the inputs, outputs and env that it restates."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from skillstudio.manifest.finding import at_key, at_value
from skillstudio.manifest.frontmatter.outputs import DeclaredInputs, declared_inputs
from skillstudio.manifest.placeholders import names
from skillstudio.manifest.values import mapping, mappings, strings, text
from skillstudio.text.diagnostic import Diagnostic, Fix, Set
from skillstudio.text.nearest import nearest
from skillstudio.text.node import Document


def check_interface(document: Document) -> Iterator[Diagnostic]:
    """`interface-undeclared` at a name, `interface-unlisted` at an incomplete list."""
    value = document.value
    for key in ("inputs", "env"):
        if key in value and key in mapping(value, "interface"):
            yield from _names(document, key)
    if "outputs" in value and "outputs" in mapping(value, "interface"):
        yield from _outputs(document)


def _names(document: Document, key: str) -> Iterator[Diagnostic]:
    value = document.value
    required = _declared(value, key, "required")
    declared = {*required, *_declared(value, key, "optional")}
    listed = dict(strings(value, "interface", key))
    what = "input" if key == "inputs" else "variable"
    for pointer, name in listed.items():
        if name not in declared:
            close = nearest(name, declared)
            advice = f'; did you mean "{close}"?' if close else ""
            message = f"{name} is not declared in {key}{advice}"
            fixes = (Fix(f'Change to "{close}"', (Set(pointer, close),)),) if close else ()
            yield at_value(document, pointer, "interface-undeclared", message, fixes)
    for name in required:
        if name not in listed.values():
            message = f"the required {what} {name} is not listed in the interface"
            fixes = (Fix(f"List {name}", (Set(f"/interface/{key}/-", name),)),)
            yield at_key(document, f"/interface/{key}", "interface-unlisted", message, fixes)


def _declared(value: Any, key: str, group: str) -> list[str]:
    found = (text(item, "name") for _, item in mappings(value, key, group))
    return [name for name in found if name]


def _outputs(document: Document) -> Iterator[Diagnostic]:
    for _, output in mappings(document.value, "outputs", "files"):
        pattern = text(output, "pattern")
        if pattern and not is_listed(document.value, pattern):
            message = f"no pattern of the interface includes the output {pattern}"
            fixes = (Fix(f"List {pattern}", (Set("/interface/outputs/-", {"pattern": pattern}),)),)
            yield at_key(document, "/interface/outputs", "interface-unlisted", message, fixes)


def is_listed(value: Any, pattern: str) -> bool:
    """Whether a pattern of the interface includes an output pattern."""
    inputs = declared_inputs(value)
    plain = _filled(pattern, inputs)
    return any(
        listed == pattern or includes(_filled(listed, inputs), plain)
        for _, output in mappings(value, "interface", "outputs")
        if (listed := text(output, "pattern"))
    )


def _filled(pattern: str, inputs: DeclaredInputs) -> str:
    """The pattern with inputs replaced by their defaults, else by `*`."""
    for name in names(pattern):
        _, given = inputs.get(name, (True, {}))
        default = mapping(given, "schema").get("default")
        plain = str(default) if isinstance(default, str | int) else "*"
        pattern = pattern.replace(f"{{{{{name}}}}}", plain)
    return pattern


def includes(wide: str, narrow: str) -> bool:
    """Whether `wide` certainly matches every path that `narrow` matches, token by token."""
    return _includes(_signs(wide), _signs(narrow))


def _signs(pattern: str) -> tuple[str, ...]:
    found: list[str] = []
    at = 0
    while at < min(len(pattern), 1_000):
        double = pattern.startswith("**", at)
        found.append("**" if double else pattern[at])
        at += 2 if double else 1
    return tuple(found)


@lru_cache(maxsize=256)
def _includes(wide: tuple[str, ...], narrow: tuple[str, ...]) -> bool:
    # Row by row: which prefixes of `narrow` the tokens of `wide` so far can match.
    row = [True] + [False] * len(narrow)
    for sign in wide:
        after = [sign in ("*", "**") and row[0]]
        for index, part in enumerate(narrow):
            if sign == "**":
                fits = row[index + 1] or after[index]
            elif sign == "*":
                fits = row[index + 1] or (after[index] and part not in ("/", "**"))
            elif sign == "?":
                fits = row[index] and part not in ("/", "*", "**")
            else:
                fits = row[index] and part == sign and part not in ("*", "**")
            after.append(fits)
        row = after
    return row[-1]
