"""What provenact's three manifests promise: schemas, permissions, the artifact."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.manifest.projected import changes, interface, kinds, only, spot, term

from skillstudio.interface.model import Interface

DIGEST = "sha256:" + "ab" * 32
V1: dict[str, Any] = {
    "schema_version": "1.0.0-draft",
    "id": "a.echo",
    "name": "Echo",
    "version": "0.1.0",
    "entrypoint": {"kind": "wasi-command", "path": "skill.wasm"},
    "artifact": DIGEST,
    "capabilities": [
        {"kind": "fs.read", "value": "/srv/data"},
        {"kind": "net.http", "value": "https://API.example/v1/"},
        {"kind": "fs.read", "value": "/tmp"},
    ],
    "signers": ["alice", "bob", "alice"],
    "inputs_schema": {"type": "object", "properties": {"a": {"type": "integer"}}},
    "outputs_schema": "https://skills.example/out.json",
    "compatibility": {"runtime_profiles": ["r/1"], "adapter_profiles": ["r/1"]},
    "provenance": {"b": 1, "a": 2},
}
V0: dict[str, Any] = {
    "schema_version": "v0",
    "skill_id": "org.sum",
    "version": "0.1.0",
    "entrypoint": {"wasm": "sum.wasm", "wasi": "preview2"},
    "description": "Adds numbers",
    "inputs": {"content_type": "application/json", "json_schema": {"type": "array"}},
    "outputs": {"content_type": "text/plain", "json_schema": {"type": "integer"}},
    "caps": [
        {"name": "net.http", "required": True, "constraints": {"domains": ["a.example"]}},
        {"name": "clock.read", "required": False, "constraints": {"every": 5}},
    ],
    "limits": {"cpu_ms": 100, "mem_mb": 16, "io_bytes": 1024},
    "supply_chain": {"sbom": "sbom.json"},
}
BUNDLE: dict[str, Any] = {
    "name": "echo",
    "version": "0.1.0",
    "entrypoint": "run",
    "artifact": DIGEST,
    "capabilities": [{"kind": "exec", "value": "true"}],
    "signers": [],
}


def of(value: dict[str, Any]) -> Interface:
    return interface(manifest_json=json.dumps(value, indent=1))


def with_(base: dict[str, Any], **parts: Any) -> Interface:
    return of({**base, **parts})


def test_the_draft() -> None:
    found = of(V1)
    assert (found.name, found.version) == ("a.echo", "0.1.0")
    assert found.metadata == {"name": "Echo"}
    assert found.dialects == ("provenact-1",)
    assert found.manifest_versions == {"provenact-1": "1.0.0-draft"}
    assert found.declared
    operation = only(found)
    assert operation.name == ""
    assert operation.inputs == ()
    assert term(operation, "inputs-schema").value == V1["inputs_schema"]
    assert term(operation, "inputs-schema").comparer == "schema-in"
    assert term(operation, "outputs-schema").value == "https://skills.example/out.json"
    assert term(found, "capability", "fs.read").value == ("/srv/data", "/tmp")
    assert term(found, "capability", "fs.read").covers == "path"
    assert term(found, "capability", "net.http").value == ("https://api.example/v1",)
    assert term(found, "signer").value == ("alice", "bob")
    assert term(found, "compatibility-profile").value == ("runtime: r/1", "adapter: r/1")
    assert term(found, "provenance").value == '{"a": 2, "b": 1}'
    assert term(found, "entrypoint-kind").value == "wasi-command"
    assert term(found, "entrypoint-path").value == "skill.wasm"


def test_the_bundle() -> None:
    found = of(BUNDLE)
    assert (found.name, found.version, found.dialects) == ("echo", "0.1.0", ("provenact-bundle",))
    assert found.manifest_versions == {}
    assert term(found, "capability", "exec").value == ("*",)
    assert term(found, "entrypoint-kind").value == "function"
    assert only(found).terms == ()


def test_the_old_one() -> None:
    found = of(V0)
    assert (found.name, found.description) == ("org.sum", "Adds numbers")
    assert term(only(found), "inputs-schema").value == {"type": "array"}
    assert term(only(found), "outputs-content-type").value == "text/plain"
    assert term(found, "capability", "net.http").value == ("a.example",)
    assert term(found, "capability", "clock.read").value == ("*",)
    assert (
        term(found, "capability-constraints").value
        == '{"clock.read": {"every": 5, "required": false}}'
    )
    assert term(found, "limit", "cpu_ms").value == 100
    assert term(found, "entrypoint-kind").value == "wasi preview2"


@pytest.mark.parametrize(
    ("pointer", "mark"),
    [
        ("/name", '"id"'),
        ("/version", '"version"'),
        ("/metadata/name", '"name"'),
        ("/terms/inputs-schema", '"inputs_schema"'),
        ("/terms/inputs-schema/properties/a/type", '"type": "integer"'),
        ("/terms/outputs-schema", '"outputs_schema"'),
        ("/permissions/capability/net.http", '{\n   "kind": "net.http"'),
        ("/permissions/capability/fs.read/~1tmp", '{\n   "kind": "fs.read",\n   "value": "/tmp"'),
        ("/terms/entrypoint-path", '"path"'),
        ("/terms/signer", '"signers"'),
    ],
)
def test_places(pointer: str, mark: str) -> None:
    text = json.dumps(V1, indent=1)
    assert interface(manifest_json=text).place(pointer) == spot(text, mark, "manifest.json")


def capability(kind: str, *values: str) -> Interface:
    return with_(V1, capabilities=[{"kind": kind, "value": value} for value in values])


def constrained(**limits: Any) -> Interface:
    return with_(V0, caps=[{"name": "kv.get", "required": True, "constraints": limits}])


SUBSET = {"type": "integer", "minimum": 1}


@pytest.mark.parametrize(
    ("old", "new", "there", "back"),
    [
        (
            with_(V1, artifact=DIGEST),
            with_(V1, artifact="sha256:" + "cd" * 32),
            ["artifact-digest-changed"],
            ["artifact-digest-changed"],
        ),
        (
            with_(V1, entrypoint={"kind": "wasi-reactor", "path": "skill.wasm"}),
            with_(V1, entrypoint="run"),
            ["entrypoint-kind-changed", "entrypoint-path-changed"],
            ["entrypoint-kind-changed", "entrypoint-path-changed"],
        ),
        (
            with_(V1, inputs_schema={"type": "integer"}),
            with_(V1, inputs_schema=SUBSET),
            ["inputs-schema-narrowed"],
            ["inputs-schema-widened"],
        ),
        (
            with_(V1, inputs_schema={"type": "integer"}),
            with_(V1, inputs_schema={"type": "string"}),
            ["inputs-schema-changed"],
            ["inputs-schema-changed"],
        ),
        (
            with_(V1, inputs_schema="https://a.example/1"),
            with_(V1, inputs_schema="https://a.example/2"),
            ["inputs-schema-reference-changed"],
            ["inputs-schema-reference-changed"],
        ),
        (
            with_(V1, outputs_schema={"type": "integer"}),
            with_(V1, outputs_schema=SUBSET),
            ["output-schema-narrowed"],
            ["output-schema-widened"],
        ),
        (
            capability("fs.read", "/srv"),
            capability("fs.read", "/srv", "/tmp"),
            ["capability-request-widened"],
            ["capability-request-narrowed"],
        ),
        (
            capability("fs.read", "/tmp"),
            capability("fs.read", "/tmp/a"),
            ["capability-request-narrowed"],
            ["capability-request-widened"],
        ),
        (
            capability("fs.read", "/tmp"),
            capability("fs.read", "/tmp2"),
            ["capability-request-narrowed", "capability-request-widened"],
            ["capability-request-narrowed", "capability-request-widened"],
        ),
        (
            capability("net.http", "https://a.example/v1"),
            capability("net.http", "https://a.example/v1/users", "https://A.example/v1"),
            [],
            [],
        ),
        (
            capability("kv.read", "a"),
            capability("kv.read", "*"),
            ["capability-request-opened"],
            ["capability-request-narrowed"],
        ),
        (
            capability("env"),
            capability("env", "HOME"),
            ["capability-request-added"],
            ["capability-request-removed"],
        ),
        (
            with_(V1, compatibility={"runtime_profiles": ["r/1"]}),
            with_(V1, compatibility={"runtime_profiles": ["r/1", "r/2"]}),
            ["compatibility-profile-added"],
            ["compatibility-profile-removed"],
        ),
        (
            with_(V1, provenance={"a": 1}),
            with_(V1, provenance={"a": 2}),
            ["provenance-changed"],
            ["provenance-changed"],
        ),
        (
            with_(V1, signers=["a"]),
            with_(V1, signers=["a", "b"]),
            ["signer-added"],
            ["signer-removed"],
        ),
        (
            with_(V0, limits={"cpu_ms": 100}),
            with_(V0, limits={"cpu_ms": 200}),
            ["limit-raised"],
            ["limit-lowered"],
        ),
        (
            with_(V0, limits={"cpu_ms": 100}),
            with_(V0, limits={}),
            ["limit-removed"],
            ["limit-added"],
        ),
        (
            constrained(most=5),
            constrained(most=6),
            ["capability-constraints-changed"],
            ["capability-constraints-changed"],
        ),
        (
            constrained(paths=["/a"]),
            constrained(),
            ["capability-request-opened"],
            ["capability-request-narrowed"],
        ),
        (
            with_(V0, inputs={"content_type": "a/b"}),
            with_(V0, inputs={"content_type": "a/c"}),
            ["content-type-changed"],
            ["content-type-changed"],
        ),
    ],
)
def test_each_kind_of_this_system_in_both_directions(
    old: Interface, new: Interface, there: list[str], back: list[str]
) -> None:
    assert kinds(old, new) == there
    assert kinds(new, old) == back


def test_a_permission_that_grows_is_told_with_its_place_and_for_review() -> None:
    (grown,) = changes(capability("fs.write", "/tmp/a"), capability("fs.write", "/tmp"))
    assert grown.pointer == "/permissions/capability/fs.write"
    assert grown.review
    assert grown.message == 'the skill requests more of "fs.write": ["/tmp/a"] → ["/tmp"]'
    assert grown.new_place is not None
    assert grown.new_place.path == "manifest.json"


@pytest.mark.parametrize(
    "parts",
    [
        {"capabilities": [1, {"kind": 5}, {"kind": "env"}, {"value": "x"}], "signers": "all"},
        {"inputs_schema": 5, "outputs_schema": None, "entrypoint": [], "artifact": 1},
        {"compatibility": [], "provenance": [], "version": 5, "id": []},
    ],
)
def test_what_cannot_be_read_is_left_out(parts: dict[str, Any]) -> None:
    found, whole = with_(V1, **parts), with_(V1)
    assert set(found.terms) < set(whole.terms)
    assert found.permissions == (() if "capabilities" in parts else whole.permissions)
    assert kinds(found, found) == []
