"""What a manifest block promises: operations with their inputs, fields, effects and commands."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.manifest.projected import interface, kinds, only, spot, term

from skillstudio.interface.model import (
    ABSENT,
    Entrypoint,
    Input,
    Interface,
    OutputField,
    Stdout,
)
from skillstudio.manifest.skill_manifest.project import field_schema

FRONT = "---\nname: skill\ndescription: Does things.\n---\n"


def block(value: Any, fence: str = "skill-manifest") -> str:
    return f"{FRONT}```{fence}\n{json.dumps(value, indent=1)}\n```\n"


def of(value: Any, fence: str = "skill-manifest") -> Interface:
    return interface(SKILL_md=block(value, fence))


OPERATION = {
    "description": "Searches.",
    "input": {
        "query": {"type": "string", "required": True, "description": "What"},
        "limit": {"type": "integer", "default": 5},
        "share": {"type": "number", "default": None},
        "all": {"type": "boolean", "default": False},
        "filter": {"type": "json"},
        "odd": {"type": "date"},
    },
    "output": {"description": "Rows", "fields": {"status": "ok | error", "rows": "what was found"}},
    "entrypoints": {
        "unix": ["bash", "a.sh", "{query}"],
        "windows": ["a.exe"],
        "agent": "Follow a.md",
    },
}
MANIFEST = {
    "schema_version": "2.0",
    "id": "skill",
    "version": "0.1.0",
    "capabilities": ["a-search", "a-store"],
    "effects": ["fs.read", "net.fetch"],
    "operations": {"search/all": OPERATION},
    "stdout_contract": {"last_line_json": True, "note": "One line"},
}


def test_an_operation_with_all_that_it_may_have() -> None:
    found = of(MANIFEST)
    assert (found.name, found.version, found.description) == ("skill", "0.1.0", "Does things.")
    assert found.manifest_versions == {"skill-manifest-2.0": "2.0"}
    operation = only(found)
    assert (operation.name, operation.pointer) == ("search/all", "/operations/search~1all")
    assert operation.inputs == (
        Input("query", {"type": "string"}, True, description="What"),
        Input("limit", {"type": "integer"}, False, 5),
        Input("share", {"type": "number"}, False, ABSENT),
        Input("all", {"type": "boolean"}, False, False),
        Input("filter", True, False),
        Input("odd", True, False),
    )
    assert operation.fields == (
        OutputField("status", "ok | error", {"enum": ["ok", "error"]}),
        OutputField("rows", "what was found"),
    )
    assert operation.effects == ("fs.read", "net.fetch")
    assert operation.stdout == Stdout(last_line_json=True)
    assert operation.entrypoints == (
        Entrypoint(
            "unix", ("bash", "a.sh", "{query}"), "the file a.sh does not exist in the skill"
        ),
        Entrypoint("windows", ("a.exe",)),
        Entrypoint("agent", ("Follow a.md",)),
    )
    assert term(operation, "output-text").value == "Rows"
    assert term(found, "capability-tag").value == ("a-search", "a-store")


@pytest.mark.parametrize(
    ("pointer", "mark"),
    [
        ("/version", '"version"'),
        ("/operations/search~1all", '"search/all"'),
        ("/operations/search~1all/inputs/limit/default", '"default": 5'),
        ("/operations/search~1all/inputs/query/schema/type", '"type": "string"'),
        ("/operations/search~1all/fields/rows", '"rows"'),
        ("/operations/search~1all/effects/net.fetch", '"net.fetch"'),
        ("/operations/search~1all/effects/db.read", '"effects"'),
        ("/operations/search~1all/stdout", '"stdout_contract"'),
        ("/operations/search~1all/entrypoints/windows", '"windows"'),
        ("/terms/capability-tag/a-store", '"a-store"'),
        ("/manifest_versions/skill-manifest-2.0", '"schema_version"'),
    ],
)
def test_places(pointer: str, mark: str) -> None:
    assert of(MANIFEST).place(pointer) == spot(block(MANIFEST), mark)


def test_the_router_format_takes_what_its_commands_refer_to() -> None:
    found = of(
        {
            "id": "skill",
            "version": "1.0.0",
            "effects": ["proc.exec"],
            "entrypoints": {
                "mem.search": {
                    "unix": ["bash", "{skill_dir}/a.sh", "{query}", "--top={limit}"],
                    "windows": ["a.exe", "{query}", "{deep}"],
                }
            },
            "stdout_contract": {"last_line_json": True, "schema_version": "3"},
        },
        "router-manifest",
    )
    operation = only(found)
    assert operation.name == "mem.search"
    assert operation.inputs == tuple(
        Input(name, {"type": "string"}, True) for name in ("query", "limit", "deep")
    )
    assert operation.effects == ("proc.exec",)
    assert found.manifest_versions == {"router-manifest-1": "1.0"}
    assert term(found, "stdout-schema-version").value == "3"


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("string", {"type": "string"}),
        ("json", {}),
        ("array", {"type": "array"}),
        ("array of strings", {"type": "array", "items": {"type": "string"}}),
        ("array of integer", {"type": "array", "items": {"type": "integer"}}),
        ("string | null", {"type": ["string", "null"]}),
        ("ok | error", {"enum": ["ok", "error"]}),
        ('"ok" | "not ok"', {"enum": ["ok", "not ok"]}),
        ("ok | null | true", {"enum": ["ok", None, True]}),
        ("ok | string", None),
        ("ok | what went wrong", None),
        ("array of {id, title}", None),
        ("array of matches", None),
        ("YAML", None),
        ("The id of it", None),
        ("", None),
        (" | ", None),
    ],
)
def test_the_type_or_description_of_a_field(text: str, schema: dict[str, Any] | None) -> None:
    assert field_schema(text) == schema


def changed(**top: Any) -> Interface:
    return of({**MANIFEST, **top})


def of_operation(**parts: Any) -> Interface:
    return changed(operations={"search/all": {**OPERATION, **parts}})


@pytest.mark.parametrize(
    ("old", "new", "there", "back"),
    [
        (
            changed(),
            changed(capabilities=["a-search"]),
            ["capability-tag-removed"],
            ["capability-tag-added"],
        ),
        (
            changed(),
            changed(effects=["fs.read"]),
            ["effect-removed"],
            ["effect-added"],
        ),
        (
            changed(),
            changed(stdout_contract={"last_line_json": False, "note": "One line"}),
            ["stdout-contract-weakened"],
            ["stdout-contract-strengthened"],
        ),
        (
            changed(),
            changed(stdout_contract={"last_line_json": True}),
            ["stdout-note-changed"],
            ["stdout-note-changed"],
        ),
        (
            changed(),
            of_operation(output={"description": "More", "fields": OPERATION["output"]["fields"]}),
            ["output-text-changed"],
            ["output-text-changed"],
        ),
        (
            changed(),
            of_operation(entrypoints={"unix": ["bash", "a.sh", "{query}"], "windows": ["a.exe"]}),
            ["entrypoint-platform-removed"],
            ["entrypoint-platform-added"],
        ),
    ],
)
def test_kinds_of_this_system_in_both_directions(
    old: Interface, new: Interface, there: list[str], back: list[str]
) -> None:
    assert kinds(old, new) == there
    assert kinds(new, old) == back


def test_another_format_of_the_last_line() -> None:
    def router(version: str) -> Interface:
        contract = {"last_line_json": True, "schema_version": version}
        value = {"id": "skill", "version": "1.0.0", "effects": [], "entrypoints": {}}
        return of({**value, "stdout_contract": contract}, "router-manifest")

    assert kinds(router("1"), router("2")) == ["stdout-schema-version-changed"]


@pytest.mark.parametrize(
    "value",
    [
        5,
        [],
        {"operations": []},
        {"operations": {"a": 5, "b": {"input": [1], "output": {"fields": {"x": 1}}}}},
        {"operations": {"a": {"input": {"x": None}, "entrypoints": {"unix": [], "agent": 5}}}},
        {"operations": {"a": {"entrypoints": {"unix": [1, "a", None]}}}, "effects": "all"},
        {"capabilities": [1, "a"], "stdout_contract": []},
    ],
)
def test_what_cannot_be_read_is_left_out(value: Any) -> None:
    found = of(value)
    assert found.name == "skill"
    assert found._replace(operations=(), terms=()) == of({})
    assert [each.value for each in found.terms] == [("a",)] * ("capabilities" in str(value))
    assert kinds(found, found) == []


def test_a_block_that_breaks_off_gives_what_was_read() -> None:
    text = block(MANIFEST)
    whole = len(only(interface(SKILL_md=text)).inputs)
    assert whole > 1
    counts = []
    for end in range(text.index('"operations"'), len(text), 37):
        found = interface(SKILL_md=text[:end])
        counts.append(sum(len(each.inputs) for each in found.operations))
    assert counts == sorted(counts)
    assert set(counts) == {*range(whole + 1)}
