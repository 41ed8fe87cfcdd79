"""What is a dialect's stays in its folder: no other module names one or knows its modules."""

from __future__ import annotations

import ast
import inspect
import json
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import skillstudio
from skillstudio.manifest import hooks
from skillstudio.manifest.registry import dialects

ROOT = Path(skillstudio.__file__).parent
IDS = frozenset(each.id for each in dialects())
FOLDERS = sorted({each.folder for each in dialects()})
EXCEPTIONS = {
    "settings/schema.json": "examples for editors; every id is accepted",
    "manifest/plugins.json": "agent-skills is also the reserved name of a marketplace",
}
OPTIONAL = {"migrate": {"downgraded"}}
"""Functions that a hook has or leaves out."""


def outside() -> Iterator[Path]:
    """The files of the package that are no dialect's."""
    for path in sorted(ROOT.rglob("*")):
        inner = path.relative_to(ROOT).parts
        of_a_dialect = inner[:1] == ("manifest",) and inner[1:2] and inner[1] in FOLDERS
        shipped = inner[:1] == ("data",)
        if path.suffix in (".py", ".toml", ".json") and not of_a_dialect and not shipped:
            yield path


def strings(value: Any) -> Iterator[str]:
    """Every string of plain data."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from strings(each)


def literals(text: str) -> Iterator[str]:
    """The string literals of a module, and what it imports; docstrings left out."""
    tree = ast.parse(text)
    documents = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if id(node) not in documents:
                yield node.value
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{each.name}" for each in node.names)


def names_a_dialect(text: str) -> bool:
    words = text.replace(",", " ").replace('"', " ").replace("`", " ").split()
    inner = text.removeprefix("skillstudio.manifest.").partition(".")[0]
    imported = text.startswith("skillstudio.manifest.") and inner in FOLDERS
    return imported or not IDS.isdisjoint(words)


def test_no_other_file_names_a_dialect() -> None:
    found = []
    for path in outside():
        text = path.read_text(encoding="utf-8")
        if not any(name in text for name in (*IDS, *FOLDERS)):
            continue
        told = (
            literals(text)
            if path.suffix == ".py"
            else strings(tomllib.loads(text) if path.suffix == ".toml" else json.loads(text))
        )
        found += [
            (path.relative_to(ROOT).as_posix(), each) for each in told if names_a_dialect(each)
        ]
    assert [each for each in found if each[0] not in EXCEPTIONS] == []
    assert {path for path, _ in found} == EXCEPTIONS.keys(), "no exception is left over"


@pytest.mark.parametrize(
    "text",
    ['x = "caro-1.0"', 'f"as {x}, caro-1.0 is"', "from skillstudio.manifest.caro import rules"],
)
def test_the_search_finds_what_it_is_for(text: str) -> None:
    assert any(map(names_a_dialect, literals(text)))


def test_the_import_contract_protects_every_dialect() -> None:
    file = Path(__file__).parents[2] / "pyproject.toml"
    contracts = tomllib.loads(file.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    [protected] = [each for each in contracts if each["type"] == "protected"]
    modules = {f"skillstudio.manifest.{folder}" for folder in FOLDERS}
    assert set(protected["protected_modules"]) == modules
    assert protected["allowed_importers"] == []


HOOKS = {
    name.removesuffix("Hook").lower(): protocol
    for name, protocol in vars(hooks).items()
    if name.endswith("Hook")
}


def test_the_hooks_are_those_that_can_be_asked_for() -> None:
    source = inspect.getsource(hooks)
    asked = {name for name in HOOKS if f'Literal["{name}"]' in source}
    assert asked == HOOKS.keys() - {"rules", "project"}


@pytest.mark.parametrize("name", sorted(HOOKS))
def test_each_hook_has_the_functions_of_its_protocol(name: str) -> None:
    wanted = {
        key: list(inspect.signature(value).parameters)[1:]
        for key, value in vars(HOOKS[name]).items()
        if inspect.isfunction(value)
    }
    found = [each for each in FOLDERS if (ROOT / "manifest" / each / f"{name}.py").is_file()]
    assert found, "some dialect has it"
    for folder in found:
        module = import_module(f"skillstudio.manifest.{folder}.{name}")
        for function, parameters in wanted.items():
            if hasattr(module, function) or function not in OPTIONAL.get(name, ()):
                own = inspect.signature(getattr(module, function)).parameters
                assert [each.removeprefix("_") for each in own] == parameters, (folder, function)
