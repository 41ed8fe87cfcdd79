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
    required_names = _collect_names(value, key, "required")
    declared_names = {*required_names, *_collect_names(value, key, "optional")}
    listed_names = dict(strings(value, "interface", key))
    what = "input" if key == "inputs" else "variable"
    for pointer, name in listed_names.items():
        if name not in declared_names:
            close = nearest(name, declared_names)
            advice = f'; did you mean "{close}"?' if close else ""
            message = f"{name} is not declared in {key}{advice}"
            fixes = (Fix(f'Change to "{close}"', (Set(pointer, close),)),) if close else ()
            yield at_value(document, pointer, "interface-undeclared", message, fixes)
    for name in required_names:
        if name not in listed_names.values():
            message = f"the required {what} {name} is not listed in the interface"
            fixes = (Fix(f"List {name}", (Set(f"/interface/{key}/-", name),)),)
            yield at_key(document, f"/interface/{key}", "interface-unlisted", message, fixes)


def _collect_names(value: Any, key: str, group: str) -> list[str]:
    texts = (text(item, "name") for _, item in mappings(value, key, group))
    return [name for name in texts if name]


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
    plain = _fill_defaults(pattern, inputs)
    return any(
        listed_pattern == pattern or includes(_fill_defaults(listed_pattern, inputs), plain)
        for _, output in mappings(value, "interface", "outputs")
        if (listed_pattern := text(output, "pattern"))
    )


def _fill_defaults(pattern: str, inputs: DeclaredInputs) -> str:
    """The pattern with inputs replaced by their defaults, else by `*`."""
    for name in names(pattern):
        _, declaration = inputs.get(name, (True, {}))
        default = mapping(declaration, "schema").get("default")
        plain = str(default) if isinstance(default, str | int) else "*"
        pattern = pattern.replace(f"{{{{{name}}}}}", plain)
    return pattern


def includes(wide: str, narrow: str) -> bool:
    """Whether `wide` certainly matches every path that `narrow` matches, token by token."""
    return _includes(_signs(wide), _signs(narrow))


def _signs(pattern: str) -> tuple[str, ...]:
    signs: list[str] = []
    at = 0
    while at < min(len(pattern), 1_000):
        double = pattern.startswith("**", at)
        signs.append("**" if double else pattern[at])
        at += 2 if double else 1
    return tuple(signs)


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
    inputs = declared_inputs(document.value)
    complete = is_whole(document, "/inputs")
    for above in (("outputs", "files"), ("interface", "outputs")):
        for pointer, output in mappings(document.value, *above):
            pattern = text(output, "pattern")
            if pattern:
                yield from _path(document, f"{pointer}/pattern", pattern)
                yield from _placeholders(document, f"{pointer}/pattern", inputs, complete)


def declared_inputs(value: Any) -> DeclaredInputs:
    """The inputs by name: whether each is required, and its declaration."""
    inputs: DeclaredInputs = {}
    for group in ("optional", "required"):
        for _, declaration in mappings(value, "inputs", group):
            name = text(declaration, "name")
            if name:
                inputs[name] = (group == "required", declaration)
    return inputs


def _path(document: Document, pointer: str, pattern: str) -> Iterator[Diagnostic]:
    if is_absolute(pattern):
        message = "a pattern must be relative; remove the leading /, ~ or drive"
        yield at_value(document, pointer, "path-absolute", message)
    elif normalise(pattern) is None:
        yield at_value(document, pointer, "path-outside", "this pattern leaves its base folder")


def _placeholders(
    document: Document, pointer: str, inputs: DeclaredInputs, complete: bool
) -> Iterator[Diagnostic]:
    for placeholder in placeholders_at(document, pointer):
        if not placeholder.name:
            message = "write a placeholder as an input name between {{ and }}, without spaces"
            fixes = _tidy_placeholder(placeholder, inputs)
            yield Diagnostic("placeholder-malformed", message, placeholder.span, pointer, fixes)
        elif placeholder.name not in inputs:
            if complete:
                yield _report_undeclared(placeholder, inputs, pointer)
        else:
            is_required, declaration = inputs[placeholder.name]
            if declaration.get("sensitive") is True:
                message = (
                    f"{placeholder.name} is sensitive, and the path of a file would show its value"
                )
                yield Diagnostic("output-input-sensitive", message, placeholder.span, pointer)
            schema = declaration.get("schema")
            if not is_required and not (isinstance(schema, dict) and "default" in schema):
                message = (
                    f"{placeholder.name} is optional without a default, so the path may be "
                    "incomplete"
                )
                yield Diagnostic("output-input-no-default", message, placeholder.span, pointer)


def _report_undeclared(
    placeholder: Placeholder, inputs: DeclaredInputs, pointer: str
) -> Diagnostic:
    close = nearest(placeholder.name, inputs)
    advice = f'; did you mean "{close}"?' if close else ""
    edit = Splice(placeholder.start, placeholder.end, f"{{{{{close}}}}}")
    message = f"unknown input {placeholder.name}{advice}"
    fixes = (Fix(f'Change to "{close}"', (edit,)),) if close else ()
    return Diagnostic("output-input-undeclared", message, placeholder.span, pointer, fixes)


def _tidy_placeholder(placeholder: Placeholder, inputs: DeclaredInputs) -> tuple[Fix, ...]:
    name = placeholder.text.strip("{}").strip()
    if name not in inputs:
        return ()
    return (
        Fix(
            f"Write {{{{{name}}}}}",
            (Splice(placeholder.start, placeholder.end, f"{{{{{name}}}}}"),),
        ),
    )
