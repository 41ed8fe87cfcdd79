"""Read a schema whose references may name other files, as one that is complete in itself."""

from __future__ import annotations

import json
import os
from typing import Any

from skillstudio.text.node import split_pointer


def read_bundled(path: str) -> dict[str, Any]:
    """The schema of a file, with each definition that it uses of other files in its `$defs`.

    A reference to another file is `FILE` or `FILE#/$defs/NAME`, relative to the file that has it.
    """
    return _SchemaBundle(os.path.abspath(path)).read()


class _SchemaBundle:
    """The definitions that a schema uses, by the file and the pointer at which they are."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._files: dict[str, dict[str, Any]] = {}
        self._names: dict[tuple[str, str], str] = {}
        self._definitions: dict[str, Any] = {}

    def read(self) -> dict[str, Any]:
        schema = self._file(self._path)
        own_names = schema.get("$defs", {})
        self._names = {(self._path, f"/$defs/{name}"): name for name in own_names}
        root = {key: value for key, value in schema.items() if key != "$defs"}
        result: dict[str, Any] = self._resolve(root, self._path)
        for name, definition in own_names.items():
            self._definitions[name] = self._resolve(definition, self._path)
        return {**result, "$defs": self._definitions} if self._definitions else result

    def _resolve(self, part: Any, path: str) -> Any:
        """A part of the schema in a file, its references replaced by ones within the result."""
        if isinstance(part, list):
            return [self._resolve(element, path) for element in part]
        if not isinstance(part, dict):
            return part
        return {
            key: self._rename(value, path)
            if key == "$ref" and isinstance(value, str)
            else self._resolve(value, path)
            for key, value in part.items()
        }

    def _rename(self, reference: str, path: str) -> str:
        file, _, pointer = reference.partition("#")
        if "://" in file:
            return reference
        target = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
        if (target, pointer) not in self._names:
            self._add(target, pointer)
        return f"#/$defs/{self._names[target, pointer]}"

    def _add(self, path: str, pointer: str) -> None:
        definition: Any = self._file(path)
        for token in split_pointer(pointer):
            definition = definition[token]
        name = pointer.rpartition("/")[2] or os.path.splitext(os.path.basename(path))[0]
        while name in self._names.values():
            name += "_"
        self._names[path, pointer] = name
        self._definitions[name] = {}  # Its place is before those that it uses itself.
        self._definitions[name] = self._resolve(
            {key: value for key, value in definition.items() if key not in ("$schema", "$defs")},
            path,
        )

    def _file(self, path: str) -> dict[str, Any]:
        if path not in self._files:
            with open(path, encoding="utf-8") as file:
                self._files[path] = json.load(file)
        return self._files[path]
