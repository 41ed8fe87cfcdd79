"""Values that are left to be decided."""

from __future__ import annotations

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.skill.analysis import analyse

FRONT = "---\nname: notes\ndescription: {}\n---\nFind notes.\n"


def found(text: str) -> list[tuple[str, str]]:
    analysis = analyse(MemoryTree({"SKILL.md": text.encode()}, "notes"))
    return [(e.pointer, e.message) for e in analysis.diagnostics if e.rule == "todo-left"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("'TODO: say what it does'", "TODO: say what it does"),
        ("'[TODO: say what it does]'", "TODO: say what it does"),
        ("TODO", "TODO: fill in this value"),
        ("Finds TODO comments in code.", None),
        ("TODOs of a project, sorted.", None),
        ("TODO lists are kept here.", None),
    ],
)
def test_a_value_that_begins_so_is_left(value: str, message: str | None) -> None:
    expected = [("/description", message)] if message else []
    assert found(FRONT.format(value)) == expected


def test_the_body_may_speak_of_it() -> None:
    assert found(FRONT.format("Finds notes.") + "\nTODO: more of this\n") == []


def test_a_long_one_is_cut() -> None:
    assert found(FRONT.format(f"'TODO: {'x' * 200}'"))[0][1].endswith("x…")


def test_blocks_are_looked_at_too() -> None:
    block = '\n```skill-manifest\n{"operations": {"find": {"description": "TODO: say"}}}\n```\n'
    where = [pointer for pointer, _ in found(FRONT.format("Finds notes.") + block)]
    assert where == ["/operations/find/description"]
