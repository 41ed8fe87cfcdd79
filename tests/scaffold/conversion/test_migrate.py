"""Manifests in the next version of their systems: what changes, and that nothing else does."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.scaffold.conversion.difftest import assert_the_interfaces_differ_as_told
from tests.scaffold.conversion.leaftest import assert_every_leaf_is_told
from tests.scaffold.conversion.sources import BLOCK, CARO, SOURCES, V1, markdown

from skillstudio.files.listed import MemoryTree
from skillstudio.files.tree import Overlay
from skillstudio.manifest.conversion.migration import MigrationRefused
from skillstudio.manifest.locate import locate
from skillstudio.manifest.registry import dialect
from skillstudio.manifest.skill_manifest.migrate import operation_names
from skillstudio.scaffold.conversion.migrate import Migration, downgrade, migrate
from skillstudio.scaffold.conversion.source_checks import SourceUnusable
from skillstudio.skill.analysis import analyse

ROUTER = """---
name: notes   # kept
description: Finds notes. Use when a note is looked for.
---

Text above.

```router-manifest
{
  "id": "notes",
  "version": "0.1.0",
  "effects": ["fs.read"],
  "entrypoints": {
    "note.find": {"unix": ["bash", "scripts/n.sh", "find", "{query}", "${HOME}", "{skill_dir}"]},
    "note.list": {"unix": ["bash", "scripts/n.sh", "list"]}
  },
  "stdout_contract": {"last_line_json": true, "schema_version": "1.0"}
}
```

Text below.
"""
SCRIPT = {"scripts/n.sh": b"#!/bin/sh\n"}
BUNDLE = {
    "name": "echo.minimal",
    "version": "0.1.0",
    "entrypoint": "run",
    "artifact": "sha256:" + "0" * 64,
    "capabilities": [{"kind": "env", "value": "HOME"}],
    "signers": ["alice.dev"],
}
V0: dict[str, Any] = {
    "schema_version": "v0",
    "skill_id": "com.example.fetch",
    "version": "0.1.0",
    "entrypoint": {"wasm": "skill.wasm", "wasi": "preview2"},
    "description": "Fetches.",
    "inputs": {"content_type": "application/json", "json_schema": {"type": "object"}},
    "outputs": {"content_type": "application/json", "json_schema": {}},
    "caps": [
        {"name": "fs.read", "required": True, "constraints": {"paths": ["/data", "rel"]}},
        {"name": "net.http", "required": False, "constraints": {"domains": ["example.com"]}},
        {"name": "kv.get", "required": True, "constraints": {}},
        {"name": "llm.call", "required": True, "constraints": {}},
    ],
    "limits": {"cpu_ms": 1, "mem_mb": 1, "io_bytes": 1},
    "supply_chain": {"sbom": "sbom.json"},
}
WASM = {"skill.wasm": b"\0asm\1\0\0\0"}


def migrated(files: dict[str, bytes], name: str = "notes") -> tuple[Migration, MemoryTree]:
    tree = MemoryTree(files, name)
    done = migrate(locate(tree))
    assert done is not None
    new = locate(Overlay(tree, {done.path: done.new.encode()}))
    assert_every_leaf_is_told(done.report, locate(tree).skill, new.skill)
    assert migrate(new) is None
    return done, MemoryTree({**files, done.path: done.new.encode()}, name)


def of_json(manifest: dict[str, Any], beside: dict[str, bytes]) -> tuple[Migration, MemoryTree]:
    return migrated({"manifest.json": json.dumps(manifest, indent=2).encode(), **beside})


def outside(text: str) -> list[str]:
    return re.split(r"```[a-z-]+-manifest\r?\n.*?```", text, flags=re.DOTALL)


def test_a_router_manifest_becomes_operations() -> None:
    done, tree = migrated({"SKILL.md": ROUTER.encode(), **SCRIPT})
    assert outside(done.new) == outside(ROUTER)
    block = done.new.partition("```skill-manifest\n")[2].partition("```")[0]
    value = json.loads(block)
    assert list(value) == [
        "schema_version",
        "id",
        "version",
        "capabilities",
        "effects",
        "operations",
        "stdout_contract",
    ]
    assert value["operations"]["find"] == {
        "description": "TODO: say what find does",
        "input": {
            "query": {"type": "string", "required": True, "description": "TODO: say what query is"}
        },
        "output": {"description": "TODO: say what find prints"},
        "entrypoints": {
            "unix": ["bash", "scripts/n.sh", "find", "{query}", "${HOME}", "{skill_dir}"]
        },
    }
    assert value["stdout_contract"] == {"last_line_json": True}
    assert [tuple(each) for each in done.report.lost_leaves] == [
        (
            "/stdout_contract/schema_version",
            "version 2 has no version of the output",
        )
    ]
    assert {e.rule for e in analyse(tree).diagnostics if e.severity != "info"} == {"todo-left"}


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["mem.search", "mem.store"], ["search", "store"]),
        (["a.b.one", "a.b.two", "a.b.c.three"], ["one", "two", "c.three"]),
        (["a.one", "b.two"], ["a.one", "b.two"]),
        (["a.one", "plain"], ["a.one", "plain"]),
        (["mem.search"], ["search"]),
        (["a.", "a.b"], ["a.", "a.b"]),
        (["search"], ["search"]),
        ([], []),
    ],
)
def test_the_beginning_that_all_names_share_is_left_out(names: list[str], short: list[str]) -> None:
    assert list(operation_names(names).values()) == short


@pytest.mark.parametrize(
    "block",
    [
        '{"id": "notes", "version": "0.1.0", "entrypoints": {"find": {"unix": ["a"]}}}',
        '{\n"entrypoints": {}\n}',
        '{"id":"notes",\r\n "x-own": [1], "entrypoints": {"a": {"unix": ["a", "{x}"]}}}',
        '{"entrypoints": {"a": {"unix": ["a"]}}, "schema_version": "1.0", "capabilities": ["a-b"]}',
        'id: notes\nentrypoints:\n  find: {unix: [a, "{x}"]}',
        '{"id": "notes", "entrypoints": 5, "stdout_contract": 7, "effects": {"a": null}}',
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_blocks_of_every_shape_keep_what_is_around_them(block: str, end: str) -> None:
    text = f"---\nname: notes\ndescription: Finds.\n---\n```router-manifest\n{block}\n```\nend\n"
    text = text.replace("\r\n", "\n").replace("\n", end)
    done, _ = migrated({"SKILL.md": text.encode()})
    assert outside(done.new) == outside(text)
    assert (end == "\r\n") == ("\r\n" in done.new)


def test_a_block_in_an_illustration_is_left_alone() -> None:
    block = ROUTER[ROUTER.index("```") :]
    text = f"---\nname: notes\ndescription: Finds.\n---\n````\n{block}````\n"
    assert migrate(locate(MemoryTree({"SKILL.md": text.encode()}, "notes"))) is None


def test_operations_that_a_newer_block_lacks_are_not_lost() -> None:
    text = ROUTER + '\n```skill-manifest\n{"schema_version": "2.0"}\n```\n'
    with pytest.raises(MigrationRefused, match=r"block lacks note\.find, note\.list of"):
        migrate(locate(MemoryTree({"SKILL.md": text.encode()}, "notes")))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("is_first", [True, False])
def test_an_old_block_beside_a_newer_one_is_removed(end: str, is_first: bool) -> None:
    head = "---\nname: notes\ndescription: Finds.\n---\n# Notes\n\n"
    block = ROUTER[ROUTER.index("```router") :].partition("\n```\n")[0] + "\n```\n"
    operations = '{"note.find": {}, "list": {}}'
    newer = f'```skill-manifest\n{{"schema_version": "2.0", "operations": {operations}}}\n```\n'
    text = f"{head}{block}\n{newer}" if is_first else f"{head}{newer}\n{block}\nMore.\n"
    rest = f"{head}{newer}" if is_first else f"{head}{newer}\nMore.\n"
    done, tree = migrated({"SKILL.md": text.replace("\n", end).encode()})
    assert done.new == rest.replace("\n", end)
    assert {each.why for each in done.report.lost_leaves} == {
        "the skill-manifest block replaces it"
    }
    assert migrate(locate(tree)) is None


def test_legacy_frontmatter_is_given_its_version() -> None:
    text = (
        "---\nname: notes\ndescription: Finds.\n# inputs\ninputs:\n  required: []\n---\n# Notes\r\n"
    )
    done, tree = migrated({"SKILL.md": text.encode()})
    assert done.new == text.replace("inputs:\n", 'manifest_version: "1.0"\ninputs:\n', 1)
    assert [each.pointer for each in done.report.invented_leaves] == ["/manifest_version"]
    assert [e.rule for e in analyse(tree).diagnostics if e.severity != "info"] == []


def test_a_bundle_becomes_a_draft() -> None:
    done, tree = of_json(BUNDLE, {})
    value = json.loads(done.new)
    assert list(value)[:2] == ["schema_version", "id"]
    assert value == {
        "schema_version": "1.0.0-draft",
        "id": "echo.minimal",
        **{key: value for key, value in BUNDLE.items() if key != "name"},
        "inputs_schema": {},
        "outputs_schema": {},
    }
    assert done.report.lost_leaves == ()
    assert [e.rule for e in analyse(tree).diagnostics if e.severity != "info"] == []


def test_v0_becomes_a_draft_that_allows_no_more() -> None:
    done, tree = of_json(V0, WASM)
    value = json.loads(done.new)
    assert value["artifact"] == "sha256:" + hashlib.sha256(WASM["skill.wasm"]).hexdigest()
    assert value["capabilities"] == [
        {"kind": "fs.read", "value": "/data"},
        {"kind": "kv.read", "value": "*"},
    ]
    assert value["entrypoint"].startswith("TODO: say whether skill.wasm (preview2) is a ")
    lost = {each.pointer: each.why for each in done.report.lost_leaves}
    assert {"/description", "/limits/cpu_ms", "/caps/0/constraints/paths/1"} <= set(lost)
    assert "absolute URL" in lost["/caps/1/constraints/domains/0"]
    assert lost["/caps/3/name"] == "v1 has no capability llm.call"
    assert [e.rule for e in analyse(tree).diagnostics if e.severity != "info"] == ["todo-left"]


def test_v0_without_its_artifact_cannot_be_migrated() -> None:
    for beside in ({}, {"skill.wasm/x": b""}):
        with pytest.raises(MigrationRefused, match="build it, then migrate"):
            of_json(V0, beside)
    with pytest.raises(MigrationRefused, match="build it, then migrate"):
        of_json({**V0, "entrypoint": {"wasm": "../skill.wasm", "wasi": "preview2"}}, WASM)


def downgraded(files: dict[str, bytes]) -> Migration:
    tree, to = MemoryTree(files, "notes"), dialect("provenact-bundle")
    assert to is not None
    old = locate(tree).skill
    done = downgrade(locate(tree), to)
    new = locate(Overlay(tree, {done.path: done.new.encode()})).skill
    assert [each.dialect.id for each in new.manifests] == ["provenact-bundle"]
    assert_every_leaf_is_told(done.report, old, new)
    assert_the_interfaces_differ_as_told(done.report, old, new)
    return done


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
def test_v1_as_a_bundle_says_what_it_loses(entrypoint: Any, value: str, gone: list[str]) -> None:
    """Seed 002: a defined downgrade where the optional fields of v1 are not supported."""
    text = json.dumps({**V1, "entrypoint": entrypoint}, indent=3)
    done = downgraded({"manifest.json": text.encode()})
    assert json.loads(done.new) == {
        "name": "x.notes",
        **{key: V1[key] for key in ("version", "artifact", "capabilities", "signers")},
        "entrypoint": value,
    }
    assert '\n   "version": "0.1.0",' in done.new
    assert done.title == "provenact-1 to provenact-bundle"
    why = {each.pointer: each.why for each in done.report.lost_leaves}
    assert set(why) == {
        "/schema_version",
        "manifest.json#/name",
        "/inputs_schema/type",
        "/outputs_schema",
        *gone,
    }
    assert why["/outputs_schema"] == "Provenact bundle manifest has no equivalent"


@pytest.mark.parametrize("source", ["agent-skills", "caro-1.0", "skill-manifest-2.0"])
@pytest.mark.parametrize("to", ["provenact-bundle", "provenact-0", "router-manifest-1"])
def test_other_downgrades_are_refused(source: str, to: str) -> None:
    target = dialect(to)
    assert target is not None
    with pytest.raises(MigrationRefused, match=f"no manifest of the skill can be migrated to {to}"):
        downgrade(locate(MemoryTree(SOURCES[source])), target)


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
        ({"skill.toml": CARO.encode(), "recipes/find.yaml": b"id: [a\n"}, "recipes/find.yaml:"),
        ({"SKILL.md": ROUTER.replace('"effects":', '"effects"').encode()}, "SKILL.md:12:"),
        ({"SKILL.md": b"---\nname: [x\ninputs: {}\n---\n"}, "SKILL.md:2"),
        ({"manifest.json": b'{"name": "a", "artifact": 1, "signers": [], "capabilities"'}, "1:"),
        ({"SKILL.md": b"---\nname: a\nname: b\ninputs: {}\n---\n"}, "SKILL.md:3:1"),
    ],
)
def test_a_source_with_errors_is_refused_with_their_place(
    files: dict[str, bytes], where: str
) -> None:
    with pytest.raises(SourceUnusable) as refused:
        migrate(locate(MemoryTree(files, "notes")))
    assert where in refused.value.under("notes").splitlines()[0]


def test_the_first_faults_of_a_source_are_listed_and_all_are_counted() -> None:
    text = "---\nname: notes\ndescription: a\nversion: " + "a\0" * 400 + "\n---\n"
    with pytest.raises(SourceUnusable) as refused:
        migrate(locate(MemoryTree({"SKILL.md": text.encode()}, "notes")))
    assert (len(refused.value.faults), refused.value.total) == (20, 400)
    assert "… 380 more; skillstudio check notes --all lists them" in refused.value.under("notes")


def test_the_real_router_manifest_checks_clean_but_for_what_is_to_do(data: Path) -> None:
    file = data / "corpus" / "router-manifest" / "skill-system-memory.SKILL.md"
    text = file.read_bytes()
    scripts = {"scripts/router_mem.sh": b"", "scripts/router_mem.ps1": b""}
    done, tree = migrated({"SKILL.md": text, **scripts}, "skill-system-memory")
    assert outside(done.new) == outside(text.decode())
    # The corpus has not the other files that the text names.
    left_out = ("info", "file-missing")
    found = [e for e in analyse(tree).diagnostics if not {e.severity, e.rule} & {*left_out}]
    assert {each.rule for each in found} == {"todo-left"}
    todo = [e.pointer for e in done.report.invented_leaves if e.what.startswith("TODO")]
    assert sorted(each.pointer for each in found) == sorted(todo)
    assert len(todo) == 15
