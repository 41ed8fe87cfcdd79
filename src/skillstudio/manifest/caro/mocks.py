"""The `mock_commands` of a skill's recipe tests, which replace programs.

A test file is any YAML below `tests/`; its `mock_commands` are at the top or in the items of
`tests`, each with a glob for the whole command and its output.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillstudio.files.paths import glob
from skillstudio.files.tree import FileTree
from skillstudio.manifest.launching import Mock
from skillstudio.manifest.values import dig, mappings, text
from skillstudio.text.reading import read
from skillstudio.text.source import Source, Span, decode

FOLDER = "tests"
_MOST = 100
_LARGEST = 256 * 1024
"""Maximum size of a test file, in bytes."""
_RECIPE_KEYS = ("recipe", "recipe_id")


def mocks(tree: FileTree, recipe: str) -> tuple[Mock, ...]:
    """The mocks of a recipe and those for all recipes, in the order of the files."""
    if tree.kind(FOLDER) != "folder":
        return ()
    return tuple(mock for path in _files(tree) for mock in _of_file(tree, path, recipe))


def _files(tree: FileTree) -> list[str]:
    found = [path for end in ("yaml", "yml") for path in glob(tree, f"{FOLDER}/**/*.{end}")]
    return sorted(found)[:_MOST]


def _of_file(tree: FileTree, path: str, recipe: str) -> Iterator[Mock]:
    try:
        if tree.size(path) > _LARGEST:
            return
        written, _ = decode(tree.read(path))
    except OSError:
        return
    value = read(Source(written, path), "yaml", Span(0, len(written))).value
    cases = [value, *(case for _, case in mappings(value, "tests"))]
    for case in cases:
        named = next((name for key in _RECIPE_KEYS if (name := text(case, key))), recipe)
        if named == recipe:
            yield from _of_case(case)


def _of_case(case: Any) -> Iterator[Mock]:
    for _, given in mappings(case, "mock_commands"):
        pattern, code = text(given, "command"), dig(given, "exit_code")
        if pattern:
            is_code = isinstance(code, int) and not isinstance(code, bool)
            yield Mock(pattern, text(given, "stdout") or "", code if is_code else 0)
