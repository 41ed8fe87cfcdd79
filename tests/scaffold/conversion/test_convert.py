"""Skills of one system as skills of another: what is carried, changed, lost and invented."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from tests.scaffold.conversion.difftest import assert_the_interfaces_differ_as_told
from tests.scaffold.conversion.leaftest import assert_every_leaf_is_told

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.conversion.leaf_tracker import ConversionReport
from skillstudio.manifest.locate import locate
from skillstudio.scaffold.conversion.convert import ConversionRefused, Converted, convert
from skillstudio.scaffold.conversion.source_checks import SourceUnusable
from skillstudio.skill.analysis import analyse

CONTRACT = """---
# what it is called
name: notes
description: Finds notes. Use when a note is looked for.
manifest_version: "1.0"
version: 1.2.0
inputs:
  required:
    - name: query
      description: What to look for
      schema: {type: string, pattern: "^a"}
  optional:
    - name: limit
      description: How many
      schema: {type: integer, default: 5}
    - name: key
      description: A key
      sensitive: true
      schema: {type: string}
env:
  required:
    - name: HOME
outputs:
  files:
    - pattern: "{{query}}.md"
      description: The note
execution:
  network: true
  timeout: 30
---

# Notes
"""
BLOCK: dict[str, Any] = {
    "schema_version": "2.0",
    "id": "notes",
    "version": "0.3.0",
    "capabilities": ["note-find"],
    "effects": ["fs.read", "net.fetch"],
    "operations": {
        "find": {
            "description": "Find a note",
            "input": {
                "query": {"type": "string", "required": True, "description": "What to look for"},
                "limit": {"type": "integer", "default": 5},
                "extra": {"type": "json", "default": {"a": []}},
            },
            "output": {"description": "The notes", "fields": {"data": "array"}},
            "entrypoints": {"unix": ["bash", "n.sh", "{query}", "{limit}", "{extra}"]},
        }
    },
    "stdout_contract": {"last_line_json": True},
}
V1: dict[str, Any] = {
    "schema_version": "1.0.0-draft",
    "id": "x.notes",
    "name": "Notes",
    "version": "0.1.0",
    "entrypoint": "run",
    "artifact": "sha256:" + "0" * 64,
    "capabilities": [{"kind": "fs.read", "value": "/data"}, {"kind": "env", "value": "HOME"}],
    "signers": ["alice"],
    "inputs_schema": {"type": "object"},
    "outputs_schema": {},
}
CARO = """[skill]
id = "tool.notes"
name = "Notes"   # a title
version = "0.1.0"
description = "Finds notes"
api_version = "1.0"

[provides]
recipes = true

[capabilities]
filesystem_read = ["~/notes"]

[platform]
required_tools = ["git"]
"""
RECIPE = """id: find
name: Find a note
description: Look a note up
parameters:
  - {name: query, type: string, required: true, description: What, validation: "^a"}
steps:
  - {command: "grep {{query}} notes", confirmation: always}
"""


def markdown(block: Any) -> str:
    text = (
        "---\nname: notes\ndescription: Finds notes. Use when one is looked for.\n---\n\nAbove.\n"
    )
    return f"{text}\n```skill-manifest\n{json.dumps(block, indent=2)}\n```\n\nBelow.\n"


SOURCES: dict[str, dict[str, bytes]] = {
    "agent-skills": {
        "SKILL.md": b"---\nname: notes\ndescription: Finds notes. Use it.\nallowed-tools: Read, X"
        b"\nhidden: true\nmetadata: {a: 1.10, b: [x, y]}\n---\nText.\n"
    },
    "frontmatter-1.0": {"SKILL.md": CONTRACT.encode()},
    "skill-manifest-2.0": {"SKILL.md": markdown(BLOCK).encode(), "n.sh": b"#!/bin/sh\n"},
    "provenact-1": {"manifest.json": json.dumps(V1, indent=2).encode()},
    "caro-1.0": {"skill.toml": CARO.encode(), "recipes/find.yaml": RECIPE.encode()},
}


def converted(files: dict[str, bytes], to: str, name: str = "notes") -> Converted:
    located = locate(MemoryTree(files, "notes"))
    made = convert(located, to, name)
    new = locate(made.tree).skill
    assert_every_leaf_is_told(made.report, located.skill, new)
    assert_the_interfaces_differ_as_told(made.report, located.skill, new)
    return made


def text(made: Converted) -> str:
    return made.texts["SKILL.md"][1]


def front(made: Converted) -> Any:
    return yaml.safe_load(text(made).split("---\n")[1])


def block(made: Converted) -> Any:
    return json.loads(text(made).partition("```skill-manifest\n")[2].partition("```")[0])


def lost(made: Converted) -> dict[str, str]:
    return {each.pointer: each.why for each in made.report.lost}


def changed(made: Converted) -> dict[str, str]:
    return {each.pointer: each.how for each in made.report.changed}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("to", ["agent-skills", "frontmatter-1.0", "skill-manifest-2.0"])
def test_every_result_is_of_its_system_and_checks_clean(source: str, to: str) -> None:
    made = converted(SOURCES[source], to)
    analysis = analyse(made.tree)
    assert to in analysis.dialects
    assert set(analysis.dialects) <= {"agent-skills", to}
    assert analysis.targets["spec"].accepted is (to != "frontmatter-1.0")
    serious = [(e.rule, e.pointer) for e in analysis.diagnostics if e.severity != "info"]
    # No description is guessed.
    assert serious == ([("todo-left", "/description")] if source == "provenact-1" else [])


def test_a_contract_as_a_block() -> None:
    made = converted(SOURCES["frontmatter-1.0"], "skill-manifest-2.0")
    assert front(made) == {
        "name": "notes",
        "description": "Finds notes. Use when a note is looked for.",
    }
    value = block(made)
    assert (value["id"], value["version"], value["effects"]) == ("notes", "1.2.0", ["net.fetch"])
    assert value["operations"]["run"]["input"] == {
        "query": {"type": "string", "required": True, "description": "What to look for"},
        "limit": {"type": "integer", "required": False, "default": 5, "description": "How many"},
        "key": {"type": "string", "required": False, "description": "A key"},
    }
    assert value["operations"]["run"]["entrypoints"] == {"agent": "SKILL.md"}
    why = lost(made)
    assert set(why) == {
        "/manifest_version",
        "/inputs/required/0/schema/pattern",
        "/inputs/optional/1/sensitive",
        "/env/required/0/name",
        "/execution/timeout",
    }
    assert (
        why["/env/required/0/name"]
        == "Skill Manifest v2 has no equivalent for environment variables"
    )
    assert "described in words" in changed(made)["/outputs/files/0/pattern"]
    assert made.report.carried == ("/name", "/description", "/version")


def test_a_block_of_one_operation_as_a_contract() -> None:
    made = converted(SOURCES["skill-manifest-2.0"], "frontmatter-1.0")
    value = front(made)
    assert value["inputs"] == {
        "required": [
            {"name": "query", "description": "What to look for", "schema": {"type": "string"}}
        ],
        "optional": [
            {"name": "limit", "description": "", "schema": {"type": "integer", "default": 5}},
            {"name": "extra", "description": "", "schema": {"default": {"a": []}}},
        ],
    }
    assert value["execution"] == {"network": True}
    assert value["outputs"]["artifacts"] == [
        {"name": "stdout", "kind": "stdout", "description": "The notes"}
    ]
    assert "```" not in text(made)
    assert text(made).endswith("\n\nAbove.\n\nBelow.\n")
    assert {"/operations/find/entrypoints/unix/0", "/capabilities/0", "/effects/0"} <= set(
        lost(made)
    )


def test_several_operations_are_not_one() -> None:
    operations = {"find": BLOCK["operations"]["find"], "list": BLOCK["operations"]["find"]}
    files = {"SKILL.md": markdown({**BLOCK, "operations": operations}).encode(), "n.sh": b""}
    made = converted(files, "frontmatter-1.0")
    assert "inputs" not in front(made)
    assert "has one operation, and this skill has 2" in lost(made)["/operations/find/description"]


@pytest.mark.parametrize("source", ["frontmatter-1.0", "skill-manifest-2.0"])
def test_to_the_system_that_it_is_of_nothing_changes_and_that_is_said(source: str) -> None:
    made = converted(SOURCES[source], source)
    assert made.report == ConversionReport(made.report.carried)
    assert made.texts == {}, "a copy writes no manifest anew"
    assert made.tree.read("SKILL.md") == SOURCES[source]["SKILL.md"]
    assert made.notes == (f"it already uses {source}; the result is a copy",)
    assert converted(SOURCES[source], "agent-skills").notes == ()
    assert converted(SOURCES["agent-skills"], source).notes == ()


def test_a_copy_under_another_name_says_what_changed() -> None:
    source = "frontmatter-1.0"
    made = convert(locate(MemoryTree(SOURCES[source])), source, "other")
    assert "name: other" in text(made)
    assert [each.pointer for each in made.report.changed] == ["/name"]
    assert made.notes == ()


def test_plain_skills_fold_what_no_key_says() -> None:
    made = converted(SOURCES["agent-skills"], "agent-skills")
    assert front(made) == {
        "name": "notes",
        "description": "Finds notes. Use it.",
        "allowed-tools": "Read X",
        "metadata": {"a": "1.10", "b": "x, y", "hidden": "true"},
    }
    assert made.report.lost == ()


def test_recipes_become_procedures_for_the_agent() -> None:
    made = converted(SOURCES["caro-1.0"], "skill-manifest-2.0")
    assert block(made)["effects"] == ["fs.read"]
    find = block(made)["operations"]["find"]
    assert find["entrypoints"] == {"agent": "recipes/find.yaml"}
    assert find["input"] == {"query": {"type": "string", "required": True, "description": "What"}}
    assert "stays in recipes/find.yaml" in changed(made)["recipes/find.yaml#/steps/0/command"]
    why = lost(made)
    assert why["recipes/find.yaml#/parameters/0/validation"].endswith("the file itself is copied")
    assert "no limits" in why["/capabilities/filesystem_read/0"]
    assert made.tree.kind("skill.toml") is None
    assert made.tree.kind("recipes/find.yaml") == "file"
    assert "- `recipes/find.yaml`" in text(made)
    assert made.notes == ("the comments of skill.toml are not copied",)


def test_a_version_goes_under_metadata_as_it_is_written() -> None:
    numbered = {"SKILL.md": b"---\nname: notes\ndescription: Finds.\nversion: 1.10\n---\n"}
    made = converted(numbered, "agent-skills")
    assert front(made)["metadata"] == {"version": "1.10"}
    assert block(converted(numbered, "skill-manifest-2.0"))["version"] == "1.10.0"


def test_one_recipe_as_a_contract() -> None:
    value = front(converted(SOURCES["caro-1.0"], "frontmatter-1.0"))
    assert value["inputs"]["required"][0]["schema"] == {"type": "string", "pattern": "^a"}
    assert value["preconditions"] == {"commands": [{"cmd": "git"}]}
    assert value["metadata"] == {"name": "Notes"}


def test_permissions_become_effects_without_their_limits() -> None:
    made = converted(SOURCES["provenact-1"], "skill-manifest-2.0")
    assert block(made)["effects"] == ["fs.read"]
    assert block(made)["operations"] == {}
    assert "which has no limits" in lost(made)["/capabilities/0/value"]
    assert "/inputs_schema/type" in lost(made)


@pytest.mark.parametrize(
    ("entrypoint", "value", "gone"),
    [
        ("run", "run", []),
        ({"kind": "wasi-command", "path": "skill.wasm"}, "_start", []),
        ({"kind": "wasi-command", "path": "a.wasm"}, "_start", ["/entrypoint/path"]),
        (
            {"kind": "wasi-reactor", "path": "skill.wasm"},
            "TODO: name the function that is called",
            ["/entrypoint/kind"],
        ),
    ],
)
def test_v1_as_a_bundle(entrypoint: Any, value: str, gone: list[str]) -> None:
    text = json.dumps({**V1, "entrypoint": entrypoint}, indent=3)
    made = converted({"manifest.json": text.encode()}, "provenact-bundle", "bundle")
    new = made.texts["manifest.json"][1]
    assert json.loads(new) == {
        "name": "x.notes",
        **{key: V1[key] for key in ("version", "artifact", "capabilities", "signers")},
        "entrypoint": value,
    }
    assert '\n   "version": "0.1.0",' in new
    why = lost(made)
    assert set(why) == {
        "/schema_version",
        "manifest.json#/name",
        "/inputs_schema/type",
        "/outputs_schema",
        *gone,
    }


def test_effects_do_not_need_an_operation() -> None:
    router = {"id": "notes", "version": "0.1.0", "effects": ["net.fetch"], "entrypoints": {}}
    text = markdown(router).replace("```skill-manifest", "```router-manifest")
    made = converted({"SKILL.md": text.encode()}, "skill-manifest-2.0")
    assert block(made)["effects"] == ["net.fetch"]
    assert "/effects/0" in made.report.carried
    assert front(converted({"SKILL.md": text.encode()}, "frontmatter-1.0"))["execution"] == {
        "network": True
    }


def test_the_folders_name_is_the_skills() -> None:
    made = converted(SOURCES["skill-manifest-2.0"], "skill-manifest-2.0", "memos")
    assert (front(made)["name"], block(made)["id"]) == ("memos", "memos")
    how = "replaced by the name of the new folder"
    assert changed(made)["/name"] == f"here and now /id: {how}"
    made = converted(SOURCES["caro-1.0"], "agent-skills", "Not A Name")
    assert front(made)["name"] == "tool-notes"


def test_what_nothing_states_is_said_to_be_invented() -> None:
    plain = {"SKILL.md": b"---\nname: notes\ndescription: Finds. Use it.\n---\n"}
    made = converted(plain, "skill-manifest-2.0")
    told = {each.pointer: (each.what, each.why) for each in made.report.invented}
    assert told["/version"] == ("0.1.0", "required by the format; the source does not state it")
    assert told["/operations"][0] == "{}"


def test_a_credential_is_carried_and_not_shown() -> None:
    key = "ghp_" + "a1B2" * 9
    files = {"SKILL.md": f"---\nname: notes\ndescription: Finds {key}\nown: {key}\n---\n".encode()}
    made = converted(files, "agent-skills")
    assert front(made)["metadata"] == {"own": key}
    assert key not in json.dumps(made.report.as_json())


def test_a_default_of_a_sensitive_input_is_not_written_again() -> None:
    bad = CONTRACT.replace("schema: {type: string}\n", "schema: {type: string, default: abc}\n")
    made = converted({"SKILL.md": bad.encode()}, "skill-manifest-2.0")
    assert "abc" not in text(made)
    assert "must not contain" in lost(made)["/inputs/optional/1/schema/default"]


@pytest.mark.parametrize("to", ["provenact-0", "router-manifest-1", "nothing"])
def test_a_system_that_none_is_converted_to_is_refused(to: str) -> None:
    with pytest.raises(ConversionRefused, match="cannot convert to"):
        convert(locate(MemoryTree(SOURCES["caro-1.0"])), to, "notes")


@pytest.mark.parametrize("source", ["agent-skills", "caro-1.0", "skill-manifest-2.0"])
def test_only_v1_becomes_a_bundle(source: str) -> None:
    with pytest.raises(ConversionRefused, match="only provenact-1 can"):
        convert(locate(MemoryTree(SOURCES[source])), "provenact-bundle", "notes")


@pytest.mark.parametrize(
    ("files", "where"),
    [
        ({"SKILL.md": b"---\nname: a\ndescription: b: c\n---\n"}, "SKILL.md:3:15"),
        ({"SKILL.md": b"---\nname: a\n"}, "SKILL.md:1:1"),
        ({"SKILL.md": b"---\nname: a\xff\n---\n"}, "SKILL.md:2:8"),
        ({"SKILL.md": b"\xff\xfe---\nname: a\n---\n"}, "SKILL.md:1:1"),
        ({"skill.toml": b"[skill]\nid = \n"}, "skill.toml:2:"),
        ({"SKILL.md": markdown(BLOCK).replace('"id":', '"id"').encode()}, "SKILL.md:11:"),
        ({"manifest.json": json.dumps({**V1, "schema_version": "3"}).encode()}, "json:1:20"),
        (
            {"skill.toml": CARO.encode(), "recipes/find.yaml": b"id: [a\n"},
            "recipes/find.yaml:",
        ),
    ],
)
def test_a_source_that_cannot_be_read_whole_is_refused(files: dict[str, bytes], where: str) -> None:
    with pytest.raises(SourceUnusable) as refused:
        convert(locate(MemoryTree(files, "a")), "agent-skills", "a")
    assert where in refused.value.faults[0]


def test_two_blocks_are_the_authors_to_choose_from() -> None:
    twice = markdown(BLOCK) + "\n```skill-manifest\n{}\n```\n"
    with pytest.raises(ConversionRefused, match="two skill-manifest blocks"):
        convert(locate(MemoryTree({"SKILL.md": twice.encode()})), "agent-skills", "notes")


def test_beside_the_old_manifest_everything_stays() -> None:
    located = locate(MemoryTree(SOURCES["frontmatter-1.0"], "notes"))
    made = convert(located, "skill-manifest-2.0", "notes", beside=True)
    assert text(made).startswith(CONTRACT)
    assert analyse(made.tree).dialects == ["agent-skills", "frontmatter-1.0", "skill-manifest-2.0"]
    assert made.report.lost == ()
    marked = {"SKILL.md": ("\ufeff" + CONTRACT).encode()}
    made = convert(locate(MemoryTree(marked, "notes")), "skill-manifest-2.0", "notes", beside=True)
    assert text(made).startswith("\ufeff" + CONTRACT)
    made = convert(
        locate(MemoryTree(SOURCES["caro-1.0"], "notes")), "agent-skills", "notes", beside=True
    )
    assert made.tree.kind("skill.toml") == "file"
    with pytest.raises(ConversionRefused, match="already"):
        convert(located, "agent-skills", "notes", beside=True)


def test_line_ends_comments_and_the_text_stay() -> None:
    crlf = CONTRACT.replace("\n", "\r\n")
    made = converted({"SKILL.md": crlf.encode()}, "skill-manifest-2.0")
    assert text(made).startswith("---\r\n# what it is called\r\nname: notes\r\n")
    assert "\n" not in text(made).replace("\r\n", "")
    assert "\r\n---\r\n\r\n# Notes\r\n\r\n```skill-manifest\r\n{" in text(made)


def test_the_first_faults_of_a_source_are_listed_and_all_are_counted() -> None:
    text = "---\nname: notes\ndescription: a\nversion: " + "a\0" * 400 + "\n---\n"
    with pytest.raises(SourceUnusable) as refused:
        convert(locate(MemoryTree({"SKILL.md": text.encode()}, "notes")), "agent-skills", "notes")
    assert (len(refused.value.faults), refused.value.total) == (20, 400)
    assert "… 380 more; skillstudio check notes --all lists them" in refused.value.under("notes")
