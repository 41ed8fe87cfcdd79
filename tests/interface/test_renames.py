"""What is called otherwise now: told where nothing else could be meant, and at a bounded cost."""

from __future__ import annotations

import time
from typing import Any

import pytest
from tests.interface.build import interface, operation

from skillstudio.interface import renames
from skillstudio.interface.compare import compare
from skillstudio.interface.renames import MOST, find_renames, successors
from skillstudio.manifest.changes import all_kinds

NONE: dict[str, Any] = {}
Q = {"q": {"type": "string", "required": True}}
TWO = {**Q, "limit": {"type": "integer"}}
FIND = {"inputs": Q, "fields": {"rows": "string"}}
RUN = {"entrypoints": {"unix": ["sh", "a.sh", "find", "{q}"]}, "declared": False}


@pytest.mark.parametrize(
    ("gone", "come", "found"),
    [
        ({}, {}, {}),
        ({"a": 1}, {}, {}),
        ({"a": 1}, {"zzz": 1}, {"a": "zzz"}),
        ({"a": 1}, {"zzz": 2}, {}),
        ({"start_date": 1, "end_date": 1}, {"since": 1, "end_dates": 1}, {"end_date": "end_dates"}),
        ({"from": 1, "until": 1}, {"from_": 1, "until_": 1}, {"from": "from_", "until": "until_"}),
        ({"ab": 1}, {"ab1": 1, "ab2": 1}, {}),
        ({"ab1": 1, "ab2": 1}, {"ab": 1}, {}),
        ({"Topic": 1, "x": 1}, {"topic": 1, "y": 1}, {"Topic": "topic"}),
        ({"topic": 1, "x": 1}, {"banana": 1, "y": 1}, {}),
        ({"a" * 65: 1, "b": 1}, {"a" * 66: 1, "c": 1}, {}),
        ({"ab": 1, "cd": 2}, {"ab_": 1, "cd_": 2}, {"ab": "ab_", "cd": "cd_"}),
    ],
)
def test_what_is_called_otherwise(
    gone: dict[str, int], come: dict[str, int], found: dict[str, str]
) -> None:
    assert find_renames(gone, come) == found


def test_many_that_are_alike_are_not_told_apart() -> None:
    gone = {f"name_{n}": 1 for n in range(MOST + 1)}
    assert find_renames(gone, {f"{name}x": 1 for name in gone}) == {}


def test_no_more_names_are_measured_than_there_is_time_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    measured = 0
    real = renames.edit_distance

    def counting(one: str, other: str) -> int:
        nonlocal measured
        measured += len(one) * len(other)
        return real(one, other)

    monkeypatch.setattr(renames, "edit_distance", counting)
    monkeypatch.setattr(renames, "MOST_LETTERS", 100_000)
    gone = {f"n{n:07d}": n // MOST for n in range(2_400)}
    found = find_renames(gone, {f"m{name[1:]}": kind for name, kind in gone.items()})
    assert 0 < measured <= 100_000
    # Those that were measured are found, whatever comes after them.
    assert len(found) % MOST == 0
    assert found["n" + "0" * 7] == "m" + "0" * 7


def entry(*argv: str, platform: str = "unix") -> dict[str, Any]:
    return {"entrypoints": {platform: list(argv)}}


@pytest.mark.parametrize(
    ("gone", "come", "renamed"),
    [
        # The name, but for what stands before it or how it is written.
        ({"mem.find": NONE}, {"find": NONE}, {"mem.find": "find"}),
        ({"find": NONE}, {"mem/find": NONE}, {"find": "mem/find"}),
        ({"a.mem.find": NONE}, {"mem.find": NONE}, {"a.mem.find": "mem.find"}),
        ({"find_all": NONE}, {"Find-All": NONE}, {"find_all": "Find-All"}),
        ({"mem.find": NONE, "mem.list": NONE}, {"list": NONE, "find": NONE},
         {"mem.find": "find", "mem.list": "list"}),
        ({"mem.find": {"inputs": Q}}, {"find": {"inputs": TWO}}, {"mem.find": "find"}),
        ({"mem.find": {"inputs": TWO}}, {"find": {"inputs": Q}}, {"mem.find": "find"}),
        # Not where the inputs are others, or several end alike, or the ends differ.
        ({"mem.find": {"inputs": Q}}, {"find": {"inputs": {"word": {}}}}, {}),
        ({"mem.find": NONE, "web.find": NONE}, {"find": NONE}, {}),
        ({"find": NONE}, {"mem.find": NONE, "web.find": NONE}, {}),
        ({"mem.find": NONE}, {"web.find": NONE}, {}),
        ({"find": NONE}, {"refind": NONE}, {}),
        ({"...": NONE}, {"::": NONE}, {}),
        # The command, on any platform.
        ({"look": RUN}, {"find": RUN}, {"look": "find"}),
        ({"look": entry("a", platform="windows")},
         {"find": {"entrypoints": {"unix": ["b"], "windows": ["a"]}}}, {"look": "find"}),
        ({"look": entry("a")}, {"find": entry("a", platform="windows")}, {}),
        ({"look": entry("a", "look")}, {"find": entry("a", "find")}, {}),
        # What it takes and gives, where it says enough of that to be known by it.
        ({"look": FIND}, {"find": FIND}, {"look": "find"}),
        ({"look": {"description": "Finds"}}, {"find": {"description": "Finds"}}, {"look": "find"}),
        ({"look": {"inputs": Q}}, {"find": {"inputs": Q}}, {}),
        ({"look": {"fields": {"rows": "string"}}}, {"find": {"fields": {"rows": "string"}}}, {}),
        ({"look": NONE}, {"find": NONE}, {}),
        ({"look": {**FIND, "declared": False}}, {"find": {**FIND, "declared": False}}, {}),
        ({"look": FIND}, {"find": {**FIND, "inputs": TWO}}, {}),
        # Of several alike, the names tell which is which.
        ({"get_one": FIND, "list": FIND}, {"getone": FIND, "lists": FIND},
         {"get_one": "getone", "list": "lists"}),
        ({"a": FIND, "b": FIND}, {"x": FIND, "y": FIND}, {}),
        # The name says more than the command, and the command more than the rest.
        ({"mem.find": entry("a"), "mem.list": entry("b")},
         {"find": entry("b"), "list": entry("a")}, {"mem.find": "find", "mem.list": "list"}),
        ({"one": {**FIND, **entry("a")}, "two": {**FIND, **entry("b")}},
         {"three": {**FIND, **entry("b")}, "four": {**FIND, **entry("a")}},
         {"one": "four", "two": "three"}),
        # The only operation of a skill has no name to change.
        ({"": FIND}, {"find": FIND}, {}),
    ],
)  # fmt: skip
def test_what_is_the_same_operation(
    gone: dict[str, Any], come: dict[str, Any], renamed: dict[str, str]
) -> None:
    olds, news = (
        {name: operation(name, each) for name, each in side.items()} for side in (gone, come)
    )
    assert successors(olds, news) == renamed
    assert successors(news, olds) == {new: old for old, new in renamed.items()}


def test_what_else_changed_stands_where_the_operation_stood() -> None:
    old = interface(
        {
            "operations": {
                "mem.find": {"inputs": Q, **entry("sh", "a.sh", "{q}"), "effects": ["a"]}
            },
            "places": {
                "/operations/mem.find": 3,
                "/operations/mem.find/inputs/q": 4,
                "/operations/mem.find/entrypoints/unix": 5,
            },
        }
    )
    new = interface(
        {
            "operations": {"find": {"inputs": {"q": {}}, **entry("sh", "b.sh", "{q}")}},
            "places": {"/operations/find": 13, "/operations/find/entrypoints/unix": 15},
        }
    )
    lines = {
        change.kind: tuple(place and place.line for place in (change.old_place, change.new_place))
        for change in compare(old, new, all_kinds())
    }
    assert lines == {
        "operation-renamed": (3, 13),
        "input-became-optional": (4, 13),
        "input-type-removed": (4, 13),
        "entrypoint-subcommand-changed": (5, 15),
        "effect-removed": (3, 13),
    }


@pytest.mark.parametrize("named", ["{}.find", "{}", "find{}"])
def test_thousands_of_operations_cost_little(named: str) -> None:
    olds, news = (
        {name: operation(name, {**FIND, **entry("a", name)}) for name in names}
        for names in (
            [named.format(f"a{number}") for number in range(3_000)],
            [named.format(f"b{number}") for number in range(3_000)],
        )
    )
    start = time.process_time()
    assert successors(olds, news) == {}
    assert time.process_time() - start < 3
