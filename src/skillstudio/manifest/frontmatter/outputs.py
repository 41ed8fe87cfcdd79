"""Check output patterns: paths with `{{name}}` for inputs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillstudio.files.paths import is_absolute, normalise
from skillstudio.manifest.finding import at_value
from skillstudio.manifest.placeholders import Placeholder, placeholders_at
from skillstudio.manifest.values import mappings, text
from skillstudio.manifest.whole import is_whole
from skillstudio.text.diagnostic import Diagnostic, Fix, Splice
from skillstudio.text.nearest import nearest
from skillstudio.text.node import Document

DeclaredInputs = dict[str, tuple[bool, dict[str, Any]]]
"""Name to whether an input is required, and its declaration."""


def check_outputs(document: Document) -> Iterator[Diagnostic]:
    """Problems of the patterns in `outputs` and `interface`: their paths and inputs."""
    declared = declared_inputs(document.value)
    complete = is_whole(document, "/inputs")
    for above in (("outputs", "files"), ("interface", "outputs")):
        for pointer, output in mappings(document.value, *above):
            pattern = text(output, "pattern")
            if pattern:
                yield from _path(document, f"{pointer}/pattern", pattern)
                yield from _names(document, f"{pointer}/pattern", declared, complete)


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
        message = "this pattern leaves its base folder"
        yield at_value(document, pointer, "path-outside", message)


def _names(
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
