"""What an expectation and a run differ in, hunk by hunk."""

from __future__ import annotations

from typing import Any

import pytest

from skillstudio.dryrun.sampling.accepting import accept, expectation_hunks

CASES: dict[str, tuple[dict[str, Any], dict[str, Any], list[tuple[str, str, str]]]] = {
    "nothing": ({"stdout": "a\n"}, {"stdout": "a\n"}, []),
    "an end of line": ({"stdout": "a"}, {"stdout": "a\n"}, []),
    "an elision that still matches": ({"stdout": "in [..] ms\n"}, {"stdout": "in 3 ms\n"}, []),
    "two places of a text": (
        {"stdout": "a\nb\nc\nd\ne\n"},
        {"stdout": "A\nb\nc\nd\nE\n"},
        [("standard output", "a", "A"), ("standard output", "e", "E")],
    ),
    "a line beside an elision": (
        {"stdout": "in [..] ms\nold\n"},
        {"stdout": "in 3 ms\nnew\n"},
        [("standard output", "old", "new")],
    ),
    "lines beside those that stand for any lines": (
        {"stdout": "a\n...\nold\n"},
        {"stdout": "b\n1\n2\nnew\n"},
        [("standard output", "a", "b"), ("standard output", "old", "new")],
    ),
    "a line before any lines": (
        {"stdout": "a\n...\nend\n"},
        {"stdout": "b\n1\n2\nend\n"},
        [("standard output", "a", "b")],
    ),
    "fewer lines than around any lines": (
        {"stdout": "a\n...\nb\n"},
        {"stdout": "c\n"},
        [("standard output", "a|...|b", "c")],
    ),
    "the exit status": ({}, {"exit": 3}, [("exit status", "0", "3")]),
    "success again": ({"exit": 3}, {}, [("exit status", "3", "0")]),
    "a JSON value": (
        {"json": {"a": 1, "b": [1, 2], "c": "<int>"}},
        {"json": {"a": 2, "b": [1, 3], "c": 7, "d/e": None}},
        [("JSON at /a", "1", "2"), ("JSON at /b/1", "2", "3"), ("JSON at /d~1e", "", "null")],
    ),
    "a JSON list of another length": (
        {"json": [1]},
        {"json": [1, 2]},
        [("JSON at the root", "[1]", "[1, 2]")],
    ),
    "no JSON any more": ({"json": [1]}, {}, [("JSON", "[1]", "")]),
    "files": (
        {"files": {"a": "1\n", "gone": "<any>", "b.*": "<any>"}},
        {"files": {"a": "2\n", "b.md": "x\n", "new": "n\n"}},
        [("file a", "1", "2"), ("file gone", "<any>", ""), ("file new", "", "n")],
    ),
    "permissions": (
        {"modes": {"a": "755", "b": "700"}},
        {"modes": {"a": "755", "c": "777"}},
        [("permissions of b", "700", ""), ("permissions of c", "", "777")],
    ),
    "permissions that are no longer compared": (
        {"modes": {}},
        {},
        [("permissions", "{}", "")],
    ),
    "effects": (
        {"effects": ["fs.read"]},
        {"effects": ["fs.read", "net"]},
        [("effects", '["fs.read"]', '["fs.read", "net"]')],
    ),
}


def is_any(_path: str, content: Any) -> bool:
    return bool(content == "<any>")


@pytest.mark.parametrize("case", CASES)
def test_the_hunks_of_an_expectation(case: str) -> None:
    old, new, hunks = CASES[case]
    found = expectation_hunks(old, new, is_any)
    assert [(h.title, "|".join(h.removed), "|".join(h.added)) for h in found] == hunks


@pytest.mark.parametrize("case", CASES)
def test_all_accepted_hunks_leave_no_difference(case: str) -> None:
    old, new, _ = CASES[case]
    found = expectation_hunks(old, new, is_any)
    assert expectation_hunks(accept(old, found), new, is_any) == ()
    assert accept(old, ()) == old


def test_one_hunk_is_accepted_and_the_rest_stays() -> None:
    old = {"stdout": "a [..]\nb\nc\nd\ne\n", "files": {"x": "1\n", "y": "1\n"}}
    new = {"stdout": "a 1\nB\nB2\nc\nd\nE\n", "files": {"x": "2\n", "y": "2\n"}}
    first, second, x, y = expectation_hunks(old, new)
    assert accept(old, [second])["stdout"] == "a [..]\nb\nc\nd\nE\n"
    # In any order: each names the lines of the old text.
    assert accept(old, [first, second])["stdout"] == "a [..]\nB\nB2\nc\nd\nE\n"
    assert accept(old, [second, first])["stdout"] == "a [..]\nB\nB2\nc\nd\nE\n"
    assert accept(old, [y])["files"] == {"x": "1\n", "y": "2\n"}
    assert x.place == ("files", "x")
    assert old["files"] == {"x": "1\n", "y": "1\n"}
