"""The published schemas of what commands print as JSON, closed for keys that they do not name."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from skillstudio.cli.config import output_schema, schema_files
from skillstudio.cli.verbs import find_verb
from skillstudio.schema.bundle import read_bundled
from skillstudio.schema.engine import compile_schema
from skillstudio.schema.outcome import Validator

_IN_PLACE = ("allOf", "anyOf", "oneOf")
_OPEN = ("additionalProperties", "unevaluatedProperties")


def assert_published(arguments: Sequence[str], out: str) -> None:
    """Require that what a command printed as JSON has the published shape, and no other key."""
    if not out or not _wants_json(arguments):
        return
    value = json.loads(out)
    verb = find_verb(arguments[0])
    is_refusal = isinstance(value, dict) and value.keys() == {"error"}
    assert verb is not None or is_refusal, f"{arguments}: not a command, and no refusal"
    name = "error" if verb is None or is_refusal else output_schema(verb.name)
    if verb is not None and verb.name == "config" and "schema" in arguments and not is_refusal:
        return  # A schema may have any keys.
    if not published_validator(name).is_valid(value):
        errors = "\n".join(explain_mismatch(name, value))
        raise AssertionError(f"{' '.join(arguments)}: not as `config schema {name}`:\n{errors}")


@cache
def published_validator(name: str) -> Validator:
    """The closed schema of a name, compiled."""
    return compile_schema(closed(read_bundled(schema_files()[name])))


def explain_mismatch(name: str, value: Any) -> list[str]:
    """What is wrong with a value; of several shapes, the one that it comes nearest to."""
    schema = read_bundled(schema_files()[name])
    shapes = [
        {**shape, "$defs": schema.get("$defs", {})} for shape in schema.get("anyOf", [schema])
    ]
    errors = [compile_schema(closed(shape)).errors(value) for shape in shapes]
    fewest = min(errors, key=lambda branch: sum(len(str(error.params)) for error in branch))
    return [f"/{'/'.join(map(str, error.instance))}: {error.message} {error.params}"
            for error in fewest]  # fmt: skip


def closed(schema: Any) -> Any:
    """A schema that accepts no key that it does not name, except where it says that it does."""
    if not isinstance(schema, dict):
        return schema
    result = _closed_inside(schema)
    has_keys = "properties" in result or "$ref" in result or any(key in result for key in _IN_PLACE)
    if has_keys and not any(key in result for key in _OPEN):
        result["unevaluatedProperties"] = False
    return result


def _closed_inside(schema: Any) -> Any:
    """A schema with the values of its keys and lists closed, but not the keys of its own value:
    another schema of the same value may name further ones."""
    if not isinstance(schema, dict):
        return schema
    result = dict(schema)
    for key, part in schema.items():
        if key == "properties":
            result[key] = {name: closed(value) for name, value in part.items()}
        elif key in ("items", "additionalProperties"):
            result[key] = closed(part)
        elif key in _IN_PLACE:
            result[key] = [_closed_inside(value) for value in part]
        elif key == "$defs":
            result[key] = {name: _closed_inside(value) for name, value in part.items()}
    return result


def _wants_json(arguments: Sequence[str]) -> bool:
    """Whether the last `--format` before `--` is json."""
    words = [*arguments]
    words = words[: words.index("--")] if "--" in words else words
    formats = [word.partition("=")[2] for word in words if word.startswith("--format=")]
    formats += [word for option, word in pairwise(words) if option == "--format"]
    return formats[-1:] == ["json"]
