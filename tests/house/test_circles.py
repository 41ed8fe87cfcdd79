"""No file of the house leads back to itself by what it imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import skillstudio

ROOT = Path(skillstudio.__file__).parent.parent


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imported(text: str, known: set[str]) -> Iterator[str]:
    """The files that one imports anywhere: within functions and for types alone, too."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name in known)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports name the whole path"
            for each in node.names:
                inner = f"{node.module}.{each.name}"
                if inner in known or node.module in known:
                    yield inner if inner in known else str(node.module)


def circle(arrows: dict[str, set[str]]) -> list[str]:
    """The names along one circle; empty where there is none."""
    done: set[str] = set()
    for start in arrows:
        way = [start]
        waiting = [iter(sorted(arrows[start] - done))]
        while way:
            name = next(waiting[-1], None)
            if name is None:
                done.add(way.pop())
                waiting.pop()
            elif name in way:
                return [*way[way.index(name) :], name]
            elif name not in done:
                way.append(name)
                waiting.append(iter(sorted(arrows[name])))
    return []


@pytest.mark.slow
def test_no_file_leads_back_to_itself() -> None:
    files = {module_of(path): path for path in ROOT.joinpath("skillstudio").rglob("*.py")}
    known = set(files)
    arrows = {
        name: set(imported(path.read_text(encoding="utf-8"), known)) - {name}
        for name, path in files.items()
    }
    assert len(arrows["skillstudio.cli.main"]) > 2, "imports are read"
    assert circle(arrows) == []


@pytest.mark.parametrize(
    ("arrows", "found"),
    [
        ({}, []),
        ({"a": {"b"}, "b": {"c"}, "c": set()}, []),
        ({"a": {"b", "c"}, "b": {"c"}, "c": set()}, []),
        ({"a": {"b"}, "b": {"a"}}, ["a", "b", "a"]),
        ({"a": {"b"}, "b": {"c"}, "c": {"b"}}, ["b", "c", "b"]),
        ({"a": set(), "b": {"a", "c"}, "c": {"d"}, "d": {"b"}}, ["b", "c", "d", "b"]),
    ],
)
def test_a_circle_is_seen(arrows: dict[str, set[str]], found: list[str]) -> None:
    assert circle(arrows) == found


@pytest.mark.parametrize(
    "text",
    [
        "import a.b",
        "from a.b import c",
        "from a import b",
        "def f():\n    from a.b import c",
        "if TYPE_CHECKING:\n    from a.b import c",
    ],
)
def test_an_import_is_seen_wherever_it_stands(text: str) -> None:
    assert list(imported(text, {"a.b"})) == ["a.b"]
