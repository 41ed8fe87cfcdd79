"""What is said of provenact manifests: `‸` marks where each finding begins."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.locate import locate
from skillstudio.manifest.provenact.rules import asks
from skillstudio.text.diagnostic import Diagnostic, Set

Look = Callable[..., list[Diagnostic]]

DIGEST = "sha256:" + hashlib.sha256(b"").hexdigest()
BUNDLE = f"""{{
  "name": "echo.minimal",
  "version": "0.1.0",
  "entrypoint": "run",
  "artifact": "{DIGEST}",
  "capabilities": [],
  "signers": ["release"]
}}"""
V1 = f"""{{
  "schema_version": "1.0.0-draft",
  "id": "echo.minimal",
  "version": "0.1.0",
  "entrypoint": "run",
  "artifact": "{DIGEST}",
  "capabilities": [],
  "signers": ["release"],
  "inputs_schema": {{"type": "object"}},
  "outputs_schema": "https://skills.example/out.json",
  "provenance": {{"anything": [1, 2.5, {{"at": "all"}}]}},
  "compatibility": {{"runtime_profiles": ["runtime/v1"], "adapter_profiles": ["none"]}}
}}"""
V0 = """{
  "schema_version": "v0",
  "skill_id": "com.example.fetch",
  "version": "0.1.0",
  "entrypoint": {"wasm": "fetch.wasm", "wasi": "preview2"},
  "description": "Fetches",
  "inputs": {"content_type": "application/json", "json_schema": {"$ref": "#/schemas/In"}},
  "outputs": {"content_type": "application/json", "json_schema": {"type": "object"}},
  "caps": [{"name": "net.http", "required": true, "constraints": {"domains": ["skills.example"]}}],
  "limits": {"cpu_ms": 1, "mem_mb": 1, "io_bytes": 1},
  "supply_chain": {"sbom": "sbom.json", "signatures": ["bundle.json"]}
}"""
BASES = {"bundle": BUNDLE, "v1": V1, "v0": V0}


def judge(look: Look, text: str) -> list[tuple[str, int]]:
    return [
        (each.rule, each.span.start if each.span else -1)
        for each in look(text)
        if each.rule != "manifest-experimental"
    ]


@pytest.mark.parametrize("base", BASES.values(), ids=BASES)
def test_a_sound_manifest(look: Look, base: str) -> None:
    assert judge(look, base) == []


def test_a_draft_is_remarked_upon(look: Look) -> None:
    found = look(V1)
    assert [(each.rule, each.severity) for each in found] == [("manifest-experimental", "info")]
    assert found[0].span is not None
    assert V1[slice(*found[0].span)] == '"1.0.0-draft"'


CASES = [
    # The three shapes are closed
    ("bundle", "key-unknown", '"version"', '‸"licence": 1, "version"'),
    ("bundle", "key-unknown", '"version"', '‸"provenance": {}, "version"'),
    ("v1", "key-unknown", '"runtime_profiles"', '‸"runtime"'),
    ("v0", "key-unknown", '"cpu_ms"', '‸"cpu": 1, "cpu_ms"'),
    ("bundle", "value-type", '"run"', '‸{"kind": "wasi-command", "path": "a.wasm"}'),
    ("bundle", "value-length", '"run"', '‸""'),
    ("v1", "value-type", '"release"', "‸5"),
    ("v1", "value-type", '{"anything": [1, 2.5, {"at": "all"}]}', "‸[]"),
    ("bundle", "artifact-format", f'"{DIGEST}"', f'‸"{DIGEST.upper()}"'),
    ("v1", "artifact-format", f'"{DIGEST}"', f'‸"{DIGEST[7:]}"'),
    ("bundle", "value-type", f'"{DIGEST}"', "‸null"),
    # Two shapes of an entrypoint
    ("v1", "", '"run"', '{"kind": "wasi-reactor", "path": "bin/echo.wasm"}'),
    ("v1", "value-length", '"run"', '‸""'),
    ("v1", "value-type", '"run"', "‸null"),
    ("v1", "value-type", '"run"', '‸["run"]'),
    ("v1", "key-missing", '"entrypoint": "run"', '‸"entrypoint": {"kind": "wasi-command"}'),
    ("v1", "value-enum", '"run"', '{"kind": ‸"native", "path": "a.wasm"}'),
    ("v1", "key-unknown", '"run"', '{"kind": "wasi-command", "path": "a", ‸"args": []}'),
    ("v1", "value-type", '"run"', '{"kind": "wasi-command", "path": ‸5}'),
    ("v1", "value-length", '"run"', '{"kind": "wasi-command", "path": ‸""}'),
    ("v1", "path-outside", '"run"', '{"kind": "wasi-command", "path": ‸"../a.wasm"}'),
    ("v1", "path-absolute", '"run"', '{"kind": "wasi-command", "path": ‸"/a.wasm"}'),
    ("v0", "path-absolute", '"fetch.wasm"', '‸"C:\\\\fetch.wasm"'),
    ("v0", "path-outside", '"sbom.json"', '‸"../sbom.json"'),
    ("v0", "path-outside", '["bundle.json"]', '["b.json", ‸"../b.json"]'),
    ("v0", "", '["bundle.json"]', '["https://signatures.example/b.json"]'),
    # Two shapes of a schema
    ("v1", "", '{"type": "object"}', '"urn:example:in"'),
    ("v1", "", '{"type": "object"}', '{"$ref": "#/$defs/a", "$defs": {"a": {"not": {}}}}'),
    ("v1", "", '{"type": "object"}', '{"not": {"type": "string", "enum": [1]}}'),
    ("v1", "schema-uri-relative", '{"type": "object"}', '‸"schemas/in.json"'),
    ("v1", "schema-uri-relative", '{"type": "object"}', '‸"//skills.example/in.json"'),
    ("v1", "schema-uri-relative", '{"type": "object"}', '‸"#/in"'),
    ("v1", "schema-uri-relative", '{"type": "object"}', '‸""'),
    ("v1", "value-format", '{"type": "object"}', '‸"https://skills.example/a b.json"'),
    ("v1", "value-type", '{"type": "object"}', "‸true"),
    ("v1", "value-type", '{"type": "object"}', "‸[{}]"),
    ("v1", "schema-invalid", '{"type": "object"}', '{"type": ‸"thing"}'),
    ("v1", "schema-ref-remote", '{"type": "object"}', '{"$ref": ‸"https://skills.example/x"}'),
    ("v0", "schema-invalid", '{"type": "object"}', '{"minLength": ‸"1"}'),
    ("v0", "value-type", '{"type": "object"}', "‸true"),
    # Capabilities
    ("bundle", "capability-unknown", "[],", '[{"kind": ‸"fs.raed", "value": "/a"}],'),
    ("bundle", "capability-value", "[],", '[{"kind": "fs.read", "value": ‸"a"}],'),
    ("v1", "capability-value", "[],", '[{"kind": "net.http", "value": ‸"skills.example"}],'),
    ("v1", "capability-value", "[],", '[{"kind": "exec", "value": ‸"ls"}],'),
    ("v1", "capability-value", "[],", '[{"kind": "exec", "value": ‸""}],'),
    (
        "v1",
        "value-duplicate",
        "[],",
        '‸[{"kind": "exec", "value": "true"}, {"kind": "exec", "value": "true"}],',
    ),
    ("bundle", "key-missing", "[],", '[‸{"kind": "exec"}],'),
    ("bundle", "value-type", "[],", '[‸"exec"],'),
    ("v0", "capability-unknown", '"net.http"', '‸"net.https"'),
    ("v0", "key-missing", '{"name": "net.http", "required": true', '‸{"name": "net.http"'),
    # What cannot be hashed
    ("bundle", "key-duplicate", '"version"', '"name": "echo.minimal", "version"'),
    ("v1", "integer-unsafe", "2.5", "‸9007199254740992"),
    ("v1", "integer-unsafe", "2.5", "‸-9007199254740992"),
    ("v1", "", "2.5", "9007199254740991"),
    ("v1", "", "2.5", "-9007199254740991"),
    ("v1", "", "2.5", "1e300"),
    ("v0", "integer-unsafe", '"io_bytes": 1', '"io_bytes": ‸18446744073709551616'),
    # Credentials
    ("bundle", "secret-literal", '"release"', f'‸"ghp_{"a1B2" * 9}"'),
    # The shape of v0
    ("v0", "skill-id-format", '"com.example.fetch"', '‸"fetch"'),
    ("v0", "version-not-semver", '"0.1.0"', '‸"0.1"'),
    ("v0", "value-enum", '"preview2"', '‸"preview1"'),
    ("v0", "value-range", '"cpu_ms": 1', '"cpu_ms": ‸0'),
    ("v0", "value-length", '["bundle.json"]', "‸[]"),
]


@pytest.mark.parametrize(("base", "rule", "old", "new"), CASES)
def test_one_change(look: Look, base: str, rule: str, old: str, new: str) -> None:
    text = BASES[base]
    assert text.count(old) == 1
    text = text.replace(old, new)
    if rule == "key-duplicate":
        text = text.replace('  "name": "echo.minimal",\n', '  "name": "other",\n')
        text = text.replace('"name": "echo', '‸"name": "echo')
    start = text.find("‸")
    assert judge(look, text.replace("‸", "")) == ([(rule, start)] if rule else [])


@pytest.mark.parametrize("version", ['"2.0.0"', '"v1"', '"1.0.0"', "1", "null", '""'])
def test_another_version_ends_the_check(look: Look, version: str) -> None:
    text = V1.replace('"1.0.0-draft"', version).replace('"run"', "5")
    found = look(text)
    assert [each.rule for each in found] == ["schema-version-unsupported"]
    assert found[0].span is not None
    assert text[slice(*found[0].span)] == version
    assert "v0" in found[0].message
    assert "1.0.0-draft" in found[0].message


def test_the_artifact_beside_the_manifest(look: Look) -> None:
    wasm = b"\0asm\1\0\0\0"
    digest = "sha256:" + hashlib.sha256(wasm).hexdigest()
    right = BUNDLE.replace(DIGEST, digest)
    assert look(right, {"skill.wasm": wasm}) == []
    found = look(BUNDLE, {"skill.wasm": wasm})
    assert [each.rule for each in found] == ["artifact-mismatch"]
    assert found[0].fixes[0].edits == (Set("/artifact", digest),)
    assert found[0].span is not None
    assert BUNDLE[slice(*found[0].span)] == f'"{DIGEST}"'


@pytest.mark.parametrize(
    ("entrypoint", "files", "compared"),
    [
        ('{"kind": "wasi-command", "path": "bin/a.wasm"}', {"bin/a.wasm", "skill.wasm"}, "bin/a"),
        ('{"kind": "wasi-command", "path": "./bin/a.wasm"}', {"bin/a.wasm"}, "bin/a"),
        ('{"kind": "wasi-command", "path": "bin/a.wasm"}', {"skill.wasm"}, "skill"),
        ('{"kind": "wasi-command", "path": "bin"}', {"bin/a.wasm", "skill.wasm"}, "skill"),
        ('"a.wasm"', {"a.wasm", "skill.wasm"}, "a"),
        ('"run"', {"skill.wasm"}, "skill"),
        ('"run"', {"other.wasm"}, None),
    ],
)
def test_which_file_is_the_artifact(
    look: Look, entrypoint: str, files: set[str], compared: str | None
) -> None:
    contents = {path: path.encode() for path in files}
    found = look(V1.replace('"run"', entrypoint), contents)
    fixes = [each.fixes[0].edits[0] for each in found if each.rule == "artifact-mismatch"]
    expected = f"{compared}.wasm".encode()
    digest = "sha256:" + hashlib.sha256(expected).hexdigest()
    assert fixes == ([Set("/artifact", digest)] if compared else [])


def test_a_manifest_of_something_else_is_not_ours(look: Look) -> None:
    web = {"name": "Notes", "short_name": "Notes", "icons": [], "start_url": "/", "version": "1"}
    assert look(json.dumps(web)) == []
    extension = {"manifest_version": 3, "name": "Notes", "capabilities": [], "entrypoint": "a"}
    assert look(json.dumps(extension)) == []


@pytest.mark.parametrize("base", BASES.values(), ids=BASES)
def test_a_missing_key_does_not_make_it_another(look: Look, base: str) -> None:
    value = json.loads(base)
    optional = {"provenance", "compatibility", "supply_chain", "schema_version"}
    for key in value.keys() - optional:
        text = json.dumps({name: each for name, each in value.items() if name != key})
        assert judge(look, text) == [("key-missing", 0)]


@pytest.mark.parametrize("value", ["5", "null", "[]", '"text"', "{}", "[5]", "[[]]", '{"kind": 5}'])
@pytest.mark.parametrize("base", BASES.values(), ids=BASES)
def test_a_value_of_any_other_type_is_survived(look: Look, base: str, value: str) -> None:
    for key in json.loads(base):
        changed = json.loads(base)
        changed[key] = json.loads(value)
        assert all(each.span is not None for each in look(json.dumps(changed)))


def test_what_it_asks_for() -> None:
    capabilities = [
        {"kind": "net.http", "value": "https://API.example:443/v1"},
        {"kind": "fs.read", "value": "/data"},
        {"kind": "exec.safe", "value": "git"},
        {"kind": "time.now", "value": "utc"},
        {"kind": 5},
    ]
    text = BUNDLE.replace("[],", json.dumps(capabilities) + ",")
    manifest = locate(MemoryTree({"manifest.json": text.encode()})).skill.manifests[0]
    assert [(ask.kind, ask.value) for ask in asks(manifest)] == [
        ("capability", "net.http"),
        ("host", "api.example"),
        ("capability", "fs.read"),
        ("path", "/data"),
        ("capability", "exec.safe"),
        ("command", "git"),
        ("capability", "time.now"),
    ]
    manifest = locate(MemoryTree({"manifest.json": V0.encode()})).skill.manifests[0]
    assert [tuple(ask) for ask in asks(manifest)] == [
        ("capability", "net.http", "/caps/0/name"),
        ("host", "skills.example", "/caps/0/constraints/domains/0"),
    ]
