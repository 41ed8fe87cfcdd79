"""The tables `[dependencies]` and `[suggestions]`; unquoted dotted ids are reconstructed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from skillstudio.manifest.caro.ranges import RangeFault, parse_range
from skillstudio.manifest.dialect import Manifest
from skillstudio.manifest.hook_values import Need
from skillstudio.manifest.values import dig, mapping, pointer
from skillstudio.text.diagnostic import Diagnostic, Fix, Splice
from skillstudio.text.node import Document, Mapping, resolve
from skillstudio.text.source import Span

FIELDS = ("version", "optional", "features")

_SEGMENT_BEFORE = re.compile(r"(?:[A-Za-z0-9_-]+|\"[^\"\r\n]*\"|'[^'\r\n]*')[ \t]*\.[ \t]*$")
_MAX_DEPTH = 6


class CaroDependency(NamedTuple):
    """A key of `[dependencies]`: its id, the value it was given, and the keys to its version."""

    id: str
    value: Any
    range: str | None
    keys: tuple[str, ...]  # The keys of the range, whether it exists or not.


def dependencies(value: Any) -> Iterator[CaroDependency]:
    """The well-formed dependencies of a manifest's plain value."""
    for id, entry in mapping(value, "dependencies").items():
        if isinstance(entry, str):
            yield CaroDependency(id, entry, entry, ("dependencies", id))
        elif isinstance(entry, dict) and not is_nested(id, entry):
            version = entry.get("version")
            range_ = version if isinstance(version, str) else None
            yield CaroDependency(id, entry, range_, ("dependencies", id, "version"))


def needs(manifest: Manifest) -> Iterator[Need]:
    """The hook: what a skill needs, and what it suggests."""
    value = manifest.document.value
    for dependency in dependencies(value):
        features = dig(dependency.value, "features")
        keys = ("dependencies", dependency.id)
        yield Need(
            dependency.id,
            pointer(*keys),
            dependency.range,
            pointer(*dependency.keys),
            tuple(
                (pointer(*keys, "features", index), feature)
                for index, feature in enumerate(features if isinstance(features, list) else [])
                if isinstance(feature, str)
            ),
            dig(dependency.value, "optional") is True,
        )
    for id, reason in mapping(value, "suggestions").items():
        if isinstance(reason, str):
            yield Need(id, pointer("suggestions", id), suggested=True)


def features(manifest: Manifest) -> frozenset[str]:
    """The hook: the names of the table `[features]`."""
    return frozenset(mapping(manifest.document.value, "features"))


def admits(version_range: str, version: str) -> bool | None:
    """The hook: whether a version is in a range."""
    try:
        return parse_range(version_range).admits(version)
    except RangeFault:
        return None


def is_nested(id: str, table: dict[str, Any]) -> bool:
    """Whether a table is the first part of unquoted ids rather than a dependency."""
    return "." not in id and any(
        isinstance(value, str | dict) for key, value in table.items() if key not in FIELDS
    )


def check_quotes(document: Document, table: str) -> Iterator[Diagnostic]:
    """`dependency-id-unquoted` at each id of a table whose dot TOML reads as a separator."""
    for id, entry in mapping(document.value, table).items():
        if isinstance(entry, dict) and (table != "dependencies" or is_nested(id, entry)):
            for path in _leaves(entry, (id,)):
                yield _report_unquoted(document, table, path)


def _leaves(table: dict[str, Any], path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The paths to the intended values of an id."""
    for key, value in table.items():
        if isinstance(value, str) and not (len(path) > 1 and key in FIELDS):
            yield (*path, key)
        elif isinstance(value, dict):
            deeper = len(path) < _MAX_DEPTH and not any(field in value for field in FIELDS)
            if deeper and any(isinstance(below, str | dict) for below in value.values()):
                yield from _leaves(value, (*path, key))
            else:
                yield (*path, key)


def _report_unquoted(document: Document, table: str, path: tuple[str, ...]) -> Diagnostic:
    """The span of an unquoted id, and the edit that quotes it."""
    where = pointer(table, *path)
    id = ".".join(path)
    message = f'TOML reads {id} as nested tables; write "{id}"'
    plain = Diagnostic("dependency-id-unquoted", message, None, where)
    last = document.key_span(where)
    if last is None:
        return plain
    text = document.source.text
    line = max(text.rfind("\n", 0, last.start), text.rfind("\r", 0, last.start)) + 1
    start = last.start
    for _ in path[1:]:
        before = _SEGMENT_BEFORE.search(text[line:start])
        if before is None:
            # In nested tables such as `cloud = { aws = "1" }`, adding quotes is not enough.
            return plain._replace(span=document.key_span(pointer(table, path[0])))
        start = line + before.start()
    edit = Splice(start, last.end, f'"{id}"')
    fix = Fix(f'Quote "{id}"', (edit,), _is_whole(document, where, last.end))
    is_taken = id in mapping(document.value, table)
    return plain._replace(span=Span(start, last.end), fixes=() if is_taken else (fix,))


def _is_whole(document: Document, where: str, end: int) -> bool:
    """Whether everything about an id is in one place of the text, not on several lines."""
    node = resolve(document.at(where))
    written_out = isinstance(node, Mapping) and len(node.entries) > 1
    return not (written_out and document.source.text[end:].lstrip(" \t").startswith("."))
