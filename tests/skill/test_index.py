"""The index of skills: what it says of each, and how two of them differ."""

from __future__ import annotations

import copy
import json

import pytest

from skillstudio.interface.model import Input, Interface, Operation, Term
from skillstudio.skill.index import (
    IndexDifference,
    IndexedSkill,
    differences,
    is_index,
    make_index,
    render,
)


def indexed(path: str, name: str, *tags: str, **more: object) -> IndexedSkill:
    terms = (Term("capability-tag", tags, "set"),) if tags else ()
    interface = Interface(name=name, terms=terms, dialects=("agent-skills",), **more)  # type: ignore[arg-type]
    return IndexedSkill(path, interface, f"sha256:{path}")


MEMORY = indexed(
    "skills/memory",
    "memory",
    "memory-store",
    "memory-search",
    version="0.2.0",
    description="Remembers.",
    operations=(
        Operation(
            "store", "Keep it.", inputs=(Input("title", True, True), Input("tags", True, False)),
            effects=("db.write", "db.read"),
        ),
        Operation("search", effects=("db.read",)),
    ),
)  # fmt: skip


def test_an_entry_says_all_of_a_skill() -> None:
    assert make_index([MEMORY])["skills"] == {
        "memory": {
            "name": "memory",
            "dir": "skills/memory",
            "path": "skills/memory",
            "version": "0.2.0",
            "description": "Remembers.",
            "dialects": ["agent-skills"],
            "capabilities": ["memory-search", "memory-store"],
            "effects": ["db.read", "db.write"],
            "operations": {
                "search": {"description": "", "input_params": []},
                "store": {"description": "Keep it.", "input_params": ["title", "tags"]},
            },
            "content_hash": "sha256:skills/memory",
        }
    }


def test_the_inputs_of_an_operation_that_takes_one_value_are_its_properties() -> None:
    schema = {"type": "object", "properties": {"text": {"type": "string"}, "n": True}}
    operation = Operation("", terms=(Term("inputs-schema", schema, "schema-in"),))
    entry = make_index([indexed("a", "a", operations=(operation,))])["skills"]["a"]
    assert entry["operations"][""]["input_params"] == ["text", "n"]


def test_the_skills_of_a_capability_are_found() -> None:
    index = make_index([indexed("b", "b", "x"), indexed("a", "a", "x", "y"), indexed("c", "c")])
    assert index["capability_index"] == {"x": ["a", "b"], "y": ["a"]}


@pytest.mark.parametrize(
    ("skills", "keys"),
    [
        ({"one": "a", "two": "b"}, {"a": "one", "b": "two"}),
        ({"one": "a", "two": "a"}, {"one": "one", "two": "two"}),
        ({"a": "a", "b": "a"}, {"a": "a", "b": "b"}),
        ({"a": "x", "b": "a"}, {"x": "a", "b": "b"}),
        ({"a": "b", "b": "a"}, {"a": "a", "b": "b"}),
        ({".": "a", "b": "b"}, {"a": ".", "b": "b"}),
    ],
)
def test_a_skill_goes_by_its_path_where_its_name_is_not_its_alone(
    skills: dict[str, str], keys: dict[str, str]
) -> None:
    index = make_index([indexed(path, name) for path, name in skills.items()])
    assert {key: entry["path"] for key, entry in index["skills"].items()} == keys
    assert {entry["path"]: entry["name"] for entry in index["skills"].values()} == skills


def test_the_bytes_do_not_depend_on_the_order_in_which_skills_are_found() -> None:
    skills = [MEMORY, indexed("b", "b", "x"), indexed("a", "é \udc80", "x")]
    made = render(make_index(skills))
    assert made == render(make_index(reversed(skills)))
    assert made.endswith(b"}\n")
    assert "é \\udc80".encode() in made
    assert json.loads(made) == make_index(skills)


@pytest.mark.parametrize(
    ("value", "is_one"),
    [
        (make_index([]), True),
        (make_index([MEMORY]), True),
        ({"schema_version": "2.0", "generated_at": "", "skills": {}, "capability_index": {}}, True),
        ({"skills": {}}, False),
        ({"skills": [], "capability_index": {}}, False),
        ({"skills": {"a": 1}, "capability_index": {}}, False),
        ([], False),
        (None, False),
    ],
)
def test_what_is_an_index(value: object, is_one: bool) -> None:
    assert is_index(value) is is_one


def test_what_differs_is_named() -> None:
    old = make_index([MEMORY, indexed("gone", "gone")])
    assert differences(old, old) == []
    changed = MEMORY._replace(content_hash="sha256:other")
    new = make_index([changed, indexed("new/one", "fresh")])
    assert differences(old, new) == [
        IndexDifference("fresh", "new/one", "added"),
        IndexDifference("gone", "gone", "removed"),
        IndexDifference("memory", "skills/memory", "changed", ("content_hash",), ("content_hash",)),
    ]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"version": "1.0.0"}, "version 0.2.0 → 1.0.0"),
        ({"version": ""}, "version 0.2.0 → null"),
        ({"description": "Forgets."}, "description"),
        ({"dialects": ("caro-1.0",)}, "dialects +caro-1.0 -agent-skills"),
        ({"terms": (Term("capability-tag", ("memory-store", "x"), "set"),)},
         "capabilities +x -memory-search"),
        ({"operations": ()}, "operations search, store"),
        ({"operations": (*MEMORY.interface.operations, Operation(""))}, 'operations ""'),
    ],
)  # fmt: skip
def test_what_came_and_what_went_is_told(more: dict[str, object], told: str) -> None:
    interface = MEMORY.interface._replace(**more)  # type: ignore[arg-type]
    other = make_index([MEMORY._replace(interface=interface)])
    [found] = differences(make_index([MEMORY]), other)
    assert told in found.summaries
    assert len(found.summaries) == len(found.fields)


def test_an_index_that_was_edited_differs_though_its_skills_do_not() -> None:
    old = make_index([MEMORY])
    edited = copy.deepcopy(old)
    edited["capability_index"]["memory-store"] = ["other"]
    assert differences(edited, old) == [
        IndexDifference("", "", "changed", ("capability_index",), ("capability_index",))
    ]


def test_an_index_of_the_public_form_is_told_what_it_lacks() -> None:
    public = {
        "schema_version": "2.0",
        "generated_at": "2026-01-01T00:00:00Z",
        "skills": {"memory": {"dir": "memory", "version": "0.2.0"}, "old": {"dir": "old"}},
        "capability_index": {},
    }
    [one, other] = differences(public, make_index([MEMORY]))
    assert (one.skill, one.how, "content_hash" in one.fields) == ("memory", "changed", True)
    assert other == IndexDifference("old", "old", "removed")
