"""The explanations of the problems of runs: one for each code that the program prints."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import get_args

import pytest

import skillstudio
from skillstudio.dryrun.judging import advice
from skillstudio.dryrun.plan import RequirementState
from skillstudio.dryrun.planning.processes import _PATHS
from skillstudio.dryrun.problem_rules import problem_rules
from skillstudio.text.diagnostic import SEVERITIES

SOURCE = Path(skillstudio.__file__).parent
RULES = problem_rules()
CODE = re.compile(r"[a-z]+(-[a-z]+)*\Z")


def code_patterns() -> Iterator[str]:
    """The code of each problem in the sources, with `*` for a part that is computed."""
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "PlanProblem(" in text:
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Call) and node.args and is_problem(node.func):
                    yield from patterns_of(node.args[0])
    yield from strings_of(advice.failure_advice.__code__.co_consts)
    yield "sample-differs"


def is_problem(function: ast.expr) -> bool:
    if isinstance(function, ast.Name):
        return function.id == "PlanProblem"
    return isinstance(function, ast.Attribute) and function.attr == "_add"


def patterns_of(code: ast.expr) -> Iterator[str]:
    if isinstance(code, ast.Constant):
        yield str(code.value)
    elif isinstance(code, ast.JoinedStr):
        yield "".join(
            str(part.value) if isinstance(part, ast.Constant) else "*" for part in code.values
        )


def strings_of(constants: tuple[object, ...]) -> Iterator[str]:
    for value in constants:
        if isinstance(value, tuple):
            yield from strings_of(value)
        elif isinstance(value, str) and "-" in value and CODE.match(value):
            yield value


PATTERNS = sorted(set(code_patterns()))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_code_of_a_problem_has_an_explanation(pattern: str) -> None:
    assert any(fnmatchcase(code, pattern) for code in RULES)


def test_every_computed_code_has_an_explanation() -> None:
    paths = {f"script-{problem.removeprefix('path-')}" for problem in _PATHS}
    states = {f"requirement-{state}" for state in get_args(RequirementState) if state != "fine"}
    assert paths | states <= set(RULES)


def test_the_sources_are_searched() -> None:
    assert {"input-missing", "script-*", "requirement-*", "stdin-closed"} <= set(PATTERNS)
    assert len(PATTERNS) > 40


@pytest.mark.parametrize("code", sorted(RULES))
def test_every_explanation_is_of_a_code(code: str) -> None:
    assert any(fnmatchcase(code, pattern) for pattern in PATTERNS)


@pytest.mark.parametrize("code", sorted(RULES))
def test_an_explanation_is_complete(code: str) -> None:
    rule = RULES[code]
    assert rule.severity in SEVERITIES
    assert all(text.endswith(".") for text in (rule.what, rule.why, rule.fix))
    assert "{" not in rule.what + rule.why
