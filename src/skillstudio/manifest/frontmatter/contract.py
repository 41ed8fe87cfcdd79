"""Check outputs, and that `interface:` agrees with the declarations that it restates."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from skillstudio.files.paths import is_absolute, normalise
from skillstudio.manifest.finding import at_key, at_value
from skillstudio.manifest.placeholders import Placeholder, names, placeholders_at
from skillstudio.manifest.values import mapping, mappings, strings, text
from skillstudio.manifest.whole import is_whole
from skillstudio.text.diagnostic import Diagnostic, Fix, Set, Splice
from skillstudio.text.nearest import nearest
from skillstudio.text.node import Document

DeclaredInputs = dict[str, tuple[bool, dict[str, Any]]]
"""Name to whether an input is required, and its declaration."""


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


def check_outputs(document: Document) -> Iterator[Diagnostic]:
    """Problems of the patterns in `outputs` and `interface`: their paths and inputs."""
    declared = declared_inputs(document.value)
    complete = is_whole(document, "/inputs")
    for above in (("outputs", "files"), ("interface", "outputs")):
        for pointer, output in mappings(document.value, *above):
            pattern = text(output, "pattern")
            if pattern:
                yield from _path(document, f"{pointer}/pattern", pattern)
                yield from _placeholders(document, f"{pointer}/pattern", declared, complete)


def declared_inputs(value: Any) -> DeclaredInputs:
    """The inputs by name: whether each is required, and its declaration."""
    found: DeclaredInputs = {}
    for group in ("optional", "required"):
        for _, given in mappings(value, "inputs", group):
            name = text(given, "name")
            if name:
                found[name] = (group == "required", given)
    return found


def _path(document: Document, pointer: str, pattern: str) -> Iterator[Diagnostic]:
    if is_absolute(pattern):
        message = "a pattern must be relative; remove the leading /, ~ or drive"
        yield at_value(document, pointer, "path-absolute", message)
    elif normalise(pattern) is None:
        yield at_value(document, pointer, "path-outside", "this pattern leaves its base folder")


def _placeholders(
    document: Document, pointer: str, declared: DeclaredInputs, complete: bool
) -> Iterator[Diagnostic]:
    for found in placeholders_at(document, pointer):
        if not found.name:
            message = "write a placeholder as an input name between {{ and }}, without spaces"
            fixes = _tidied(found, declared)
            yield Diagnostic("placeholder-malformed", message, found.span, pointer, fixes)
        elif found.name not in declared:
            if complete:
                yield _undeclared(found, declared, pointer)
        else:
            required, given = declared[found.name]
            if given.get("sensitive") is True:
                message = f"{found.name} is sensitive, and the path of a file would show its value"
                yield Diagnostic("output-input-sensitive", message, found.span, pointer)
            schema = given.get("schema")
            if not required and not (isinstance(schema, dict) and "default" in schema):
                message = (
                    f"{found.name} is optional without a default, so the path may be incomplete"
                )
                yield Diagnostic("output-input-no-default", message, found.span, pointer)


def _undeclared(found: Placeholder, declared: DeclaredInputs, pointer: str) -> Diagnostic:
    close = nearest(found.name, declared)
    advice = f'; did you mean "{close}"?' if close else ""
    edit = Splice(found.start, found.end, f"{{{{{close}}}}}")
    message = f"unknown input {found.name}{advice}"
    fixes = (Fix(f'Change to "{close}"', (edit,)),) if close else ()
    return Diagnostic("output-input-undeclared", message, found.span, pointer, fixes)


def _tidied(found: Placeholder, declared: DeclaredInputs) -> tuple[Fix, ...]:
    name = found.text.strip("{}").strip()
    if name not in declared:
        return ()
    return (Fix(f"Write {{{{{name}}}}}", (Splice(found.start, found.end, f"{{{{{name}}}}}"),)),)
