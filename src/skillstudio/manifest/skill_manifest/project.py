"""Project the operations of a manifest block, of version 2 and of the router's format."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from skillstudio.files.tree import FileTree
from skillstudio.interface.model import (
    ABSENT,
    Entrypoint,
    Input,
    Interface,
    Operation,
    OutputField,
    Stdout,
    Term,
    token,
)
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.placeholders import SINGLE, names
from skillstudio.manifest.places import Places
from skillstudio.manifest.skill_manifest.operations import BUILT_IN, unstartable
from skillstudio.manifest.values import dig, mapping, members, stated_text, strings, text
from skillstudio.text.node import Document

_ROUTER = "router-manifest-1"
_TYPES = frozenset(("string", "integer", "number", "boolean"))
_FIELD_TYPES = _TYPES | {"array", "object", "null"}
_ANY = frozenset(("json", "any"))
_LIST = re.compile(r"array of ([a-z]+?)s?")
_QUOTED_TEXT = re.compile(r'"([^"|]*)"|\'([^\'|]*)\'')
_WORD = re.compile(r"[A-Za-z0-9_.-]+")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}


def project(manifest: Manifest, skill: Skill) -> Interface:
    """The operations, with the shared effects and output contract."""
    value = manifest.document.value
    places = Places(manifest)
    is_router = manifest.dialect.id == _ROUTER
    version = "1.0" if is_router else stated_text(manifest.document, "/schema_version")
    places.key("/name", "/id")
    places.key(f"/manifest_versions/{token(manifest.dialect.id)}", "/schema_version")
    places.key("/operations", "/entrypoints" if is_router else "/operations")
    _shared_places("", value, places)
    find = _router_operations if is_router else _operations
    operations = find(manifest.document, skill.tree, places)
    return Interface(
        name=text(value, "id") or "",
        manifest_versions={manifest.dialect.id: version} if version else {},
        declared=True,
        operations=tuple(operations),
        terms=tuple(_terms(value, places)),
        places=places,
    )


def _operations(document: Document, tree: FileTree, places: Places) -> Iterator[Operation]:
    value = document.value
    stdout, effects = _stdout(value), _effects(value)
    is_shared = any(dig(value, key) is not None for key in ("stdout_contract", "effects"))
    for where, name, operation in members(value, "operations"):
        at = f"/operations/{token(name)}"
        places.key(at, where)
        if is_shared:
            _shared_places(at, value, places)
        if not operation:
            yield Operation(name, stdout=stdout, effects=effects)
            continue
        places.key(f"{at}/description", f"{where}/description")
        yield Operation(
            name,
            text(operation, "description") or "",
            inputs=tuple(_inputs(operation, at, where, places)),
            fields=tuple(_fields(operation, at, where, places)),
            stdout=stdout,
            entrypoints=tuple(
                _entrypoints(
                    document,
                    tree,
                    mapping(operation, "entrypoints"),
                    mapping(operation, "input"),
                    (at, f"{where}/entrypoints"),
                    places,
                )
            ),
            effects=effects,
            terms=tuple(
                places.text_term(
                    "output-text",
                    text(operation, "output", "description"),
                    f"{where}/output/description",
                    above=f"{at}/terms",
                )
            ),
        )


def _router_operations(document: Document, tree: FileTree, places: Places) -> Iterator[Operation]:
    """Each entrypoint is an operation; the placeholders of its commands are required inputs."""
    value = document.value
    stdout, effects = _stdout(value), _effects(value)
    for where, name, commands in members(value, "entrypoints"):
        at = f"/operations/{token(name)}"
        places.key(at, where)
        _shared_places(at, value, places)
        inputs: dict[str, str] = {}
        for platform, command in mapping(commands).items():
            for below, argument in strings(command):
                for parameter in names(argument, SINGLE):
                    if parameter != BUILT_IN:
                        inputs.setdefault(parameter, f"{where}/{token(platform)}{below}")
        for parameter, used in inputs.items():
            places.value(f"{at}/inputs/{token(parameter)}", used)
        yield Operation(
            name,
            inputs=tuple(Input(input_name, {"type": "string"}, True) for input_name in inputs),
            stdout=stdout,
            entrypoints=tuple(
                _entrypoints(document, tree, mapping(commands), None, (at, where), places)
            ),
            effects=effects,
            declared=False,
        )


def _inputs(operation: Any, at: str, where: str, places: Places) -> Iterator[Input]:
    for below, name, declaration in members(operation, "input"):
        element = f"{at}/inputs/{token(name)}"
        places.key(element, where + below)
        places.tree(element, where + below)
        for inside in ("schema", "schema/type"):
            places.key(f"{element}/{inside}", f"{where}{below}/type")
        kind, default = text(declaration, "type"), dig(declaration, "default")
        yield Input(
            name,
            {"type": kind} if kind in _TYPES else True,
            dig(declaration, "required") is True,
            ABSENT if default is None else default,
            description=text(declaration, "description") or "",
        )


def _fields(operation: Any, at: str, where: str, places: Places) -> Iterator[OutputField]:
    for below, name, field_text in members(operation, "output", "fields"):
        if isinstance(field_text, str):
            places.key(f"{at}/fields/{token(name)}", where + below)
            yield OutputField(name, field_text, field_schema(field_text))


def _entrypoints(
    document: Document,
    tree: FileTree,
    commands: dict[str, Any],
    parameters: dict[str, Any] | None,
    pointers: tuple[str, str],
    places: Places,
) -> Iterator[Entrypoint]:
    """The commands by platform; a procedure for the agent is one text. `pointers` lead to the
    operation in the interface and to the commands in the manifest."""
    at, where = pointers
    refusals = unstartable(document, tree, where, commands, parameters)
    for platform, command in commands.items():
        argv = [command] if isinstance(command, str) else command
        if isinstance(argv, list) and argv:
            places.key(f"{at}/entrypoints/{token(platform)}", f"{where}/{token(platform)}")
            texts = tuple(argument for argument in argv if isinstance(argument, str))
            yield Entrypoint(platform, texts, refusals.get(platform, ""))


def _stdout(value: Any) -> Stdout | None:
    contract = dig(value, "stdout_contract")
    if not isinstance(contract, dict):
        return None
    return Stdout(last_line_json=contract.get("last_line_json") is True)


def _effects(value: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(effect for _, effect in strings(value, "effects")))


def _shared_places(at: str, value: Any, places: Places) -> None:
    """Places of elements that all operations share; `at` is one operation, "" is all."""
    for element, key in (("stdout", "stdout_contract"), ("effects", "effects")):
        if dig(value, key) is not None:
            places.key(f"{at}/{element}", f"/{key}")
    for where, effect in strings(value, "effects"):
        places.value(f"{at}/effects/{token(effect)}", where)


def _terms(value: Any, places: Places) -> Iterator[Term]:
    tags = {tag: where for where, tag in strings(value, "capabilities")}
    yield from places.set_term("capability-tag", tags, "/capabilities")
    for name, key in (("stdout-note", "note"), ("stdout-schema-version", "schema_version")):
        term_text = text(value, "stdout_contract", key)
        yield from places.text_term(name, term_text, f"/stdout_contract/{key}")


def field_schema(text: str) -> dict[str, Any] | None:
    """The JSON Schema of types or values such as `string | null`; None for prose."""
    parts = [part.strip() for part in text.split("|")]
    if len(parts) == 1:
        return _field_type(parts[0])
    types = [_field_type(part) for part in parts]
    if all(type(schema) is dict and set(schema) == {"type"} for schema in types):
        return {"type": list(dict.fromkeys(schema["type"] for schema in types if schema))}
    values = [_field_value(part) for part in parts]
    if any(part in _FIELD_TYPES and part not in _WORDS for part in parts) or () in values:
        return None
    return {"enum": [value[0] for value in values]}


def _field_type(text: str) -> dict[str, Any] | None:
    if text in _ANY:
        return {}
    if text in _FIELD_TYPES:
        return {"type": text}
    inner = _LIST.fullmatch(text)
    items = _field_type(inner[1]) if inner else None
    return None if items is None else {"type": "array", "items": items}


def _field_value(text: str) -> tuple[Any, ...]:
    """The one value that an alternative names, or () for prose."""
    match = _QUOTED_TEXT.fullmatch(text)
    if match:
        return (match[1] or match[2] or "",)
    if text in _WORDS:
        return (_WORDS[text],)
    return (text,) if _WORD.fullmatch(text) else ()
