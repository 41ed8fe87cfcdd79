"""Fix values that YAML does not read as the intended string."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from skillstudio.text.diagnostic import Fix, Set, Splice
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.node import Document, Fault, Node, Scalar, resolve

_PROPERTIES = lazy_pattern(r"(?:^|[\s:,\[{-])(?:[&!]\S*\s+)+\Z")
_LONGEST = 200  # Maximum length of an anchor and tag before a value.


def quote_fix(document: Document, pointer: str, node: Node | None) -> tuple[Fix, ...]:
    """Quote the value at a JSON Pointer exactly as written: 2.40 stays 2.40."""
    if not isinstance(node, Scalar) or isinstance(node.value, str):
        return ()
    if node.value is None:
        return (Fix('Write "" for an empty string', (Set(pointer, ""),), safe=True),)
    text = document.source.text
    scalar_text = text[node.start : node.end]
    if node.style != "plain" or not scalar_text.isprintable():
        return ()
    before = text[max(0, node.start - _LONGEST) : node.start]
    # Most values have none, and the search takes long.
    properties = _PROPERTIES.search(before) if "&" in before or "!" in before else None
    if properties and "!" in properties.group():
        # The tag determines the type, with or without quotes.
        return ()
    splice = Splice(node.start, node.end, f'"{scalar_text}"')
    return (Fix("Quote this value", (splice,), safe=not properties),)


def keeps_meaning(
    document: Document, fault: Fault, pointer: str, schemas: Iterable[dict[str, Any]]
) -> bool:
    """Whether the fix of a `value-yaml-1.1` fault writes the type that the schemas expect."""
    node = resolve(document.at(pointer))
    if not isinstance(node, Scalar) or node.start != fault.start:
        return True  # a key, which is a string in any case
    scalar_text = document.source.text[node.start : node.end]
    from skillstudio.schema.navigate import subschemas
    from skillstudio.text.reading.yaml_scalars import older_reading

    # Dates and special values are strings in any case.
    older = older_reading(scalar_text, scalar_text)
    if isinstance(node.value, str) and older not in ("a boolean", "a number"):
        return True
    expected_types: set[str] = set()
    for schema in schemas:
        for subschema in subschemas(schema, pointer):
            types = subschema.get("type", "string" if subschema.get("x-string") else ())
            expected_types |= {types} if isinstance(types, str) else set(types)
    becomes_string = any(edit[2].startswith(("'", '"')) for edit in fault.edits)
    numbers = expected_types & {"number", "integer"}
    if becomes_string:
        return expected_types == {"string"}
    return bool(numbers) and "string" not in expected_types
