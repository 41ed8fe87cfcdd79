"""What is known of the names of a Python module."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from skillstudio.text import scripts
from skillstudio.text.scripts.python_names import Names

USES = (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)


FOLDER = Path(scripts.__file__).parent


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("python*.py")))
def test_the_nodes_are_those_of_the_standard_walk(name: str) -> None:
    tree = ast.parse((FOLDER / name).read_text(encoding="utf-8"))
    assert Names(tree).nodes == [node for node in ast.walk(tree) if not isinstance(node, USES)]
