"""The text of a completion: a key with its required content, in the style of its syntax."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from skillstudio.manifest.caret import Caret

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_DEEPEST = 3
_GAP = "\x00"  # Marks the cursor in a text under construction.


class Snippet(NamedTuple):
    """A text, and the position of the cursor in it."""

    text: str
    cursor: int


Schemas = list[dict[str, Any]]
Pointer = tuple[str, ...]


class SchemaField(NamedTuple):
    """A place in a manifest with the schemas of it and of the places below."""

    look: Callable[[Pointer], Schemas]
    pointer: Pointer

    @property
    def schemas(self) -> Schemas:
        return self.look(self.pointer)

    @property
    def kind(self) -> str:
        return kind(self.schemas)

    def below(self, name: str) -> SchemaField:
        return SchemaField(self.look, (*self.pointer, name))

    @property
    def required_fields(self) -> list[tuple[str, SchemaField]]:
        """The required keys of a mapping."""
        names = [name for schema in self.schemas for name in schema.get("required", ())]
        return [(name, self.below(name)) for name in dict.fromkeys(names)]


def first(schemas: Schemas, keyword: str, default: Any = None) -> Any:
    """The value of a keyword in the nearest schema that has it."""
    return next((schema[keyword] for schema in schemas if keyword in schema), default)


def types(schemas: Schemas) -> list[str]:
    """The types that a value may have, the most common first; empty if any is allowed."""
    declared_types = first(schemas, "type", [])
    return [declared_types] if isinstance(declared_types, str) else list(declared_types)


def kind(schemas: Schemas) -> str:
    """The type of a new value; empty if unknown."""
    type_names = types(schemas)
    if type_names:
        return type_names[0]
    return "object" if first(schemas, "properties") else "array" if first(schemas, "items") else ""


def literal(value: Any, syntax: str, quote: str = "", flow: bool = False) -> str:
    """A value on one line, in the open quotes if they allow it."""
    if syntax == "yaml" and not (isinstance(value, dict | list)):
        from skillstudio.text.editing.yaml_writing import write_scalar

        return write_scalar(value, {"'": "single", '"': "double"}.get(quote, ""), flow)
    if syntax == "toml" and isinstance(value, str) and quote == "'" and "'" not in value:
        return f"'{value}'"
    if syntax == "toml" and isinstance(value, dict):
        inner = ", ".join(f"{key_text(k, syntax)} = {literal(v, syntax)}" for k, v in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if syntax == "toml" and isinstance(value, list):
        return "[" + ", ".join(literal(element, syntax) for element in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def key_text(name: str, syntax: str, quote: str = "", flow: bool = False) -> str:
    """A key in the given syntax, in the open quotes."""
    if syntax == "toml" and not quote and _BARE.fullmatch(name):
        return name
    return literal(name, syntax, quote, flow)


def entry(field: SchemaField, syntax: str, caret: Caret, indent: str, step: str) -> Snippet:
    """A key with its separator and a value to fill in. `indent` is that of its line."""
    key = key_text(field.pointer[-1], syntax, caret.quote, caret.flow)
    if caret.is_assigned:
        return Snippet(caret.before + key, len(caret.before + key))
    if syntax == "yaml" and not caret.flow:
        text = _yaml_entry(key, field, " " * caret.column, step)
    else:
        sign = " =" if syntax == "toml" else ":"
        text = f"{key}{sign} {_bracket_value(field, indent, step, syntax)}"
    return with_cursor(caret.before + text + caret.after)


def item(field: SchemaField, column: int, step: str) -> Snippet:
    """An item of a YAML list, with its required keys."""
    return with_cursor("- " + _yaml_item(field, " " * (column + 2), step, 0))


def table(names: str, field: SchemaField) -> Snippet:
    """A TOML header with the required keys of its table."""
    many = field.kind == "array"
    header = f"[[{names}]]" if many else f"[{names}]"
    lines = [
        f"{key_text(key, 'toml')} = {_bracket_value(below, '', '', 'toml')}"
        for key, below in (field.below("0") if many else field).required_fields
        if below.kind != "object"
    ]
    return with_cursor("\n".join([header, *lines]) + ("" if lines else "\n"))


def container(field: SchemaField, syntax: str, indent: str, step: str) -> Snippet | None:
    """Brackets for a mapping or a list."""
    if field.kind == "object":
        text = _object(field, indent, step, 0) if syntax == "json" else f"{{{_GAP}}}"
        return with_cursor(text)
    return with_cursor(f"[{_GAP}]") if field.kind == "array" else None


def with_cursor(text: str) -> Snippet:
    """Use the first cursor mark as the position and remove all marks."""
    at = text.find(_GAP)
    text = text.replace(_GAP, "")
    return Snippet(text, at if at >= 0 else len(text))


def _find_only_value(schemas: Schemas) -> Any:
    """The only sensible value: a constant, or the default of a string without an enum."""
    constant = first(schemas, "const")
    if constant is not None:
        return constant
    default = first(schemas, "default")
    return default if isinstance(default, str) and not first(schemas, "enum") else None


def _yaml_entry(key: str, field: SchemaField, indent: str, step: str, depth: int = 0) -> str:
    only_value = _find_only_value(field.schemas)
    if only_value is not None:
        return f"{key}: {literal(only_value, 'yaml')}"
    inner = indent + step
    if field.kind == "array" and depth < _DEEPEST:
        below = _yaml_item(field.below("0"), inner + "  ", step, depth + 1)
        return f"{key}:\n{inner}- {below}"
    if field.kind == "object" and depth < _DEEPEST:
        lines = [
            _yaml_entry(name, subfield, inner, step, depth + 1)
            for name, subfield in field.required_fields
        ]
        return f"{key}:\n{inner}" + (f"\n{inner}".join(lines) or _GAP)
    return f"{key}: {_GAP}"


def _yaml_item(field: SchemaField, indent: str, step: str, depth: int) -> str:
    if field.kind != "object":
        return _GAP
    lines = [
        _yaml_entry(name, subfield, indent, step, depth) for name, subfield in field.required_fields
    ]
    return f"\n{indent}".join(lines) or _GAP


def _bracket_value(field: SchemaField, indent: str, step: str, syntax: str, depth: int = 0) -> str:
    only_value = _find_only_value(field.schemas)
    if only_value is not None:
        return literal(only_value, syntax, flow=True)
    if field.kind == "object":
        if syntax == "json":
            return _object(field, indent, step, depth)
        return f"{{ {_GAP} }}" if syntax == "toml" else f"{{{_GAP}}}"
    if field.kind == "array":
        return f"[{_GAP}]"
    is_text = field.kind == "string" and not first(field.schemas, "enum")
    return f'"{_GAP}"' if is_text and syntax != "yaml" else _GAP


def _object(field: SchemaField, indent: str, step: str, depth: int) -> str:
    if not field.required_fields or depth >= _DEEPEST:
        return f"{{{_GAP}}}"
    inner = indent + step
    lines = [
        f"{inner}{json.dumps(name)}: {_fill_value(below, inner, step, depth + 1)}"
        for name, below in field.required_fields
    ]
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"


def _fill_value(field: SchemaField, indent: str, step: str, depth: int) -> str:
    """A value that keeps the surrounding JSON valid, so it is never empty."""
    options = first(field.schemas, "enum") or []
    if options:
        return _GAP + json.dumps(options[0])
    if field.kind in ("boolean", "integer", "number"):
        default = first(field.schemas, "default", False if field.kind == "boolean" else 0)
        return json.dumps(default)
    text = _bracket_value(field, indent, step, "json", depth)
    return f'"{_GAP}"' if text == _GAP else text
