"""What dialects accept beyond their specification: `extensions.toml` in their folders."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from skillstudio.manifest.dialect import Manifest
from skillstudio.manifest.registry import dialects, tables_of
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.node import Scalar, resolve

RULE = "extension-used"
_ABSENT = object()


class Extension(NamedTuple):
    """A value that a dialect accepts although its specification does not describe it."""

    dialects: tuple[str, ...]
    what: str
    source: str
    at: str = ""  # A JSON Pointer; `*` is any name, `**` any place below. "" is only documented.
    value: Any = _ABSENT  # Only this value.
    contains: str = ""  # Only strings with this text.
    pattern: str = ""  # Only strings in which this ECMA-262 regular expression matches.

    @property
    def folder(self) -> str:
        """The folder of its dialects."""
        return next(dialect.folder for dialect in dialects() if dialect.id in self.dialects)


@cache
def extensions() -> tuple[Extension, ...]:
    """The extensions of all dialects."""
    return tuple(
        Extension(**{**row, "dialects": tuple(ids)})
        for ids, row in tables_of("extensions.toml", "extension")
    )


def check_extensions(manifest: Manifest) -> Iterator[Diagnostic]:
    """`extension-used` at each value that only our reading of the dialect accepts."""
    dialect_extensions = [
        extension
        for extension in extensions()
        if extension.at and manifest.dialect.id in extension.dialects
    ]
    if not dialect_extensions:
        return
    for pointer, node in manifest.document.walk():
        parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
        for extension in dialect_extensions:
            if _matches(extension.at.split("/")[1:], parts) and _has(extension, resolve(node)):
                message = f"{extension.what}: an extension that is not in the specification"
                yield Diagnostic(RULE, message, node.span, pointer)


def _matches(pattern: list[str], parts: list[str]) -> bool:
    if pattern[-1:] == ["**"]:
        pattern, parts = pattern[:-1], parts[: len(pattern) - 1]
    return len(pattern) == len(parts) and all(
        pattern_part in ("*", part) for pattern_part, part in zip(pattern, parts, strict=True)
    )


def _has(extension: Extension, node: Any) -> bool:
    value = node.value if isinstance(node, Scalar) else None
    if extension.contains:
        return isinstance(value, str) and extension.contains in value
    if extension.pattern:
        from skillstudio.schema.regex import is_match

        return isinstance(value, str) and is_match(extension.pattern, value)
    # 0 is not false.
    same = value == extension.value and type(value) is type(extension.value)
    return extension.value is _ABSENT or same
