"""The fields of a manifest's form, from schemas without alternatives and its text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from skillstudio.schema.references import follow
from skillstudio.session.fields import YES_NO, FieldChoice, shown_value
from skillstudio.text.node import (
    Alias,
    Document,
    Mapping,
    Missing,
    Node,
    Scalar,
    escape,
    resolve,
    to_value,
)
from skillstudio.text.node import Sequence as List

FormKind = Literal[
    "text", "multiline", "number", "switch", "choice", "json", "list", "map", "group", "raw"
]
"""`json` accepts any value; `raw` cannot be edited in the form."""
Place = Literal["key", "entry", "item"]
"""A key of the schema, a key of the author, or an item of a list."""
Schema = dict[str, Any]

LONG = 72  # Strings with more characters are edited on several lines.
_DEEPEST = 12
_NAMES = {Mapping: "a mapping", List: "a list", Scalar: "a single value"}


class FormField(NamedTuple):
    """One field of the form."""

    pointer: str
    label: str
    kind: FormKind
    depth: int = 0
    place: Place = "key"
    value: Any = None  # The plain value; None for containers.
    present: bool = False
    required: bool = False
    description: str = ""
    default: Any = None
    choices: tuple[FieldChoice, ...] = ()
    note: str = ""
    literal: str = ""  # The source text of a value that is not a string, or raw.
    size: int = 0
    title: str = ""  # What identifies an item: its name, its id or its first text.
    summary: str = ""  # The first strings in a mapping, or all items of a short list.
    example: str = ""
    item: FormField | None = None  # A new item of a list or map.
    template: Any = None  # The initial value of a new field of this kind.

    @property
    def is_container(self) -> bool:
        return self.kind in ("group", "list", "map")

    @property
    def name(self) -> str:
        return self.title or self.label


def fields(
    document: Document,
    schemas: Sequence[Schema],
    is_open: Callable[[FormField], bool] = lambda _: True,
) -> tuple[FormField, ...]:
    """The fields of a document, parents first; only containers that `is_open` accepts are read."""
    reader = _FormReader(document, is_open)
    parts = [_SchemaNode(schema, schema) for schema in schemas]
    return tuple(reader.of_object("", resolve(document.root), parts, 0))


class _SchemaNode:
    """A schema with its `$ref` followed, and the root that further ones are relative to."""

    __slots__ = ("root", "schema")

    def __init__(self, root: Schema, schema: Any) -> None:
        merged_schema = schema if isinstance(schema, dict) else {}
        for _ in range(_DEEPEST):
            if "$ref" not in merged_schema:
                break
            siblings = {key: value for key, value in merged_schema.items() if key != "$ref"}
            target = follow(root, merged_schema["$ref"])
            merged_schema = {**target, **siblings} if isinstance(target, dict) else siblings
        self.root = root
        self.schema: Schema = merged_schema

    def below(self, schema: Any) -> _SchemaNode:
        return _SchemaNode(self.root, schema)

    @property
    def description(self) -> str:
        return str(self.schema.get("description", ""))

    @property
    def types(self) -> list[str]:
        type_names = self.schema.get("type", [])
        return [type_names] if isinstance(type_names, str) else list(type_names)

    @property
    def choices(self) -> tuple[FieldChoice, ...]:
        values = self.schema.get("enum")
        if values is None and "const" in self.schema:
            values = [self.schema["const"]]
        about = self.schema.get("x-enum-descriptions", {})
        return tuple(
            FieldChoice(str(value), value, str(about.get(value, ""))) for value in values or ()
        )

    @property
    def further(self) -> _SchemaNode:
        """The schema of further keys."""
        extra = self.schema.get("additionalProperties")
        return self.below(extra if isinstance(extra, dict) else {})

    def template(self, depth: int = 0) -> Any:
        """The smallest value that the schema accepts."""
        if self.schema.get("default") is not None:
            return self.schema["default"]
        if self.choices:
            return self.choices[0].value
        kind = (self.types or ["string"])[0]
        if kind == "object":
            return self._fill_object(depth)
        if kind in ("number", "integer"):
            return max(0, self.schema.get("minimum", 0))
        empty: dict[str, Any] = {"array": [], "boolean": False, "null": None}
        return empty.get(kind, "")

    def _fill_object(self, depth: int) -> dict[str, Any]:
        properties = self.schema.get("properties", {})
        examples = [
            example for example in self.schema.get("examples", ()) if isinstance(example, dict)
        ]
        if not properties and examples:
            return dict(examples[0])
        required_names = [name for name in self.schema.get("required", ()) if name in properties]
        if depth > _DEEPEST:
            return {}
        return {name: self.below(properties[name]).template(depth + 1) for name in required_names}


class _FormReader:
    def __init__(self, document: Document, is_open: Callable[[FormField], bool]) -> None:
        self._document = document
        self._is_open = is_open

    def of_object(
        self, pointer: str, node: Node | None, parts: list[_SchemaNode], depth: int
    ) -> Iterator[FormField]:
        """The keys of the schemas in their order, then those that only the text has."""
        mapping = node if isinstance(node, Mapping) else None
        known_names: set[str] = set()
        for part in parts:
            required_names = part.schema.get("required", ())
            for name, schema in part.schema.get("properties", {}).items():
                if name not in known_names:
                    known_names.add(name)
                    child = mapping.get(name) if mapping else None
                    yield from self._field(
                        f"{pointer}/{escape(name)}", name, part.below(schema), child, depth,
                        is_required=name in required_names,
                    )  # fmt: skip
        for name in dict.fromkeys(entry.name for entry in mapping.entries) if mapping else ():
            if name not in known_names and mapping:
                node, note = resolve(mapping.get(name)), "the schema does not define this key"
                yield self._raw(f"{pointer}/{escape(name)}", name, node, depth, "key", note)

    def _raw(
        self, pointer: str, name: str, node: Node | None, depth: int, place: Place, note: str
    ) -> FormField:
        value = to_value(node)
        literal = json.dumps(value, ensure_ascii=False, default=str)
        note += "; edit it in the text"
        return FormField(
            pointer, name, "raw", depth, place, value, True, note=note, literal=literal
        )

    def _field(
        self,
        pointer: str,
        label: str,
        part: _SchemaNode,
        written_node: Node | None,
        depth: int,
        place: Place = "key",
        is_required: bool = False,
    ) -> Iterator[FormField]:
        node = resolve(written_node)
        kind = _kind(part, node)
        if kind == "raw":
            type_names = " or ".join(part.types)
            note = f"{_NAMES.get(type(node), 'this')} instead of {type_names}"
            raw = self._raw(pointer, label, node, depth, place, note)
            yield raw._replace(required=is_required, description=part.description)
            return
        title, summary = _words(node, part, place)
        field = FormField(
            pointer,
            label,
            kind,
            depth,
            place,
            node.value if isinstance(node, Scalar) else None,
            written_node is not None,
            is_required,
            part.description,
            part.schema.get("default"),
            YES_NO if kind == "switch" else part.choices,
            _note(written_node, kind),
            self._literal(node),
            _size(node),
            title if isinstance(node, Mapping) else "",
            summary,
            _example(part),
            self._item(pointer, part, kind, depth),
            part.template(),
        )
        yield field
        if field.is_container and depth < _DEEPEST and self._is_open(field):
            yield from self._inside(pointer, part, kind, node, depth + 1)

    def _inside(
        self, pointer: str, part: _SchemaNode, kind: FormKind, node: Node | None, depth: int
    ) -> Iterator[FormField]:
        if kind == "group":
            yield from self.of_object(pointer, node, [part], depth)
        elif isinstance(node, List):
            below = part.below(part.schema.get("items"))
            for index, item in enumerate(node.items):
                yield from self._field(
                    f"{pointer}/{index}", str(index + 1), below, item, depth, "item", True
                )
        elif isinstance(node, Mapping):
            for name in dict.fromkeys(entry.name for entry in node.entries):
                address = f"{pointer}/{escape(name)}"
                yield from self._field(
                    address, name, part.further, node.get(name), depth, "entry", True
                )

    def _item(
        self, pointer: str, part: _SchemaNode, kind: FormKind, depth: int
    ) -> FormField | None:
        """A new item of a list or map."""
        if kind not in ("list", "map"):
            return None
        below = part.below(part.schema.get("items")) if kind == "list" else part.further
        place: Place = "item" if kind == "list" else "entry"
        return FormField(
            f"{pointer}/-", "new", _kind(below, None), depth + 1, place, required=True,
            description=below.description, choices=below.choices,
            example=_example(below), template=below.template(),
        )  # fmt: skip

    def _literal(self, node: Node | None) -> str:
        if isinstance(node, Scalar) and not isinstance(node.value, str):
            return self._document.source.text[node.start : node.end]
        return ""


def _kind(part: _SchemaNode, node: Node | None) -> FormKind:
    """The kind of a field, from the text if the schema allows several."""
    types = part.types
    if isinstance(node, Mapping):
        if types and "object" not in types:
            return "raw"
        return "group" if part.schema.get("properties") else "map"
    if isinstance(node, List):
        return "list" if not types or "array" in types else "raw"
    if part.choices:
        return "choice"
    value = node.value if isinstance(node, Scalar) else None
    if not types:
        return "json"
    if isinstance(value, str) and "string" in types:
        return _text(part, value)
    if types[0] == "array":
        return "list" if value is None else "raw"
    if types[0] == "object":
        if value is not None:
            return "raw"
        return "group" if part.schema.get("properties") else "map"
    if types[0] == "boolean":
        return "switch"
    return _text(part, "") if "string" in types else "number"


def _text(part: _SchemaNode, value: str) -> FormKind:
    long = "\n" in value or len(value) > LONG or part.schema.get("maxLength", 0) > 2 * LONG
    return "multiline" if long else "text"


def _note(written_node: Node | None, kind: FormKind) -> str:
    if isinstance(written_node, Alias):
        return f"an alias of &{written_node.name}"
    if isinstance(written_node, Missing):
        return "the value is missing or unreadable"
    if not isinstance(written_node, Scalar):
        return ""
    if written_node.style in ("literal", "folded"):
        return "a block of lines"
    value = written_node.value
    if kind in ("text", "multiline") and isinstance(value, bool | int | float):
        return "not a string; a new value is written as a string"
    return "a string" if kind in ("number", "switch") and isinstance(value, str) else ""


def _size(node: Node | None) -> int:
    if isinstance(node, Mapping):
        return len({entry.name for entry in node.entries})
    return len(node.items) if isinstance(node, List) else 0


def _words(node: Node | None, part: _SchemaNode, place: Place) -> tuple[str, str]:
    """The title of an item, and a summary: further strings of a mapping, or a short list."""
    if isinstance(node, Scalar):
        return " ".join(shown_value(node.value).split()) or json.dumps(node.value), ""
    if isinstance(node, List):
        below = part.below(part.schema.get("items"))
        titles = [_words(resolve(item), below, "item")[0] for item in node.items[:LONG]]
        text = " · ".join(titles)
        return "", text if all(titles) and len(text) <= LONG else ""
    if not isinstance(node, Mapping):
        return "", ""
    keys = list(part.schema.get("properties", ()))
    texts = {}
    for name in dict.fromkeys([*keys, *(entry.name for entry in node.entries)]):
        value = resolve(node.get(name))
        if isinstance(value, Scalar) and isinstance(value.value, str) and value.value.strip():
            texts[name] = " ".join(value.value.split())
    names = ("name", "id", "path", *keys[:1]) if place == "item" else ()
    title = next((texts.pop(name) for name in names if name in texts), "")
    return title, " · ".join(list(texts.values())[: 1 if title else 2])


def _example(part: _SchemaNode) -> str:
    examples = part.schema.get("examples") or list(part.schema.get("x-enum-descriptions", ()))
    first = examples[0] if examples else ""
    return first if isinstance(first, str) else json.dumps(first, ensure_ascii=False)
