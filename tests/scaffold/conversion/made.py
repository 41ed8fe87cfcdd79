"""Manifests of every system made at random: right in form, odd in names, now and then wrong."""

from __future__ import annotations

import json
from typing import Any

import yaml
from hypothesis import strategies as st

NAMES = st.sampled_from(["a", "query", "x_1", "the-name", "a/b", "~c", "version", "name", "é"])
TEXTS = st.sampled_from(["", "Says.", "one: two", "1.0", "yes", "# no", "a\nb", "{x}", "été", "0"])
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.just(1.5), TEXTS)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=4,
)
VERSIONS = st.sampled_from(["0.1.0", "1.2.3", "1.0", "2"])
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "array", "object"])


def maybe(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """A mapping in which each key may be missing."""
    return st.fixed_dictionaries({}, optional=fields)


def odd(known: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """A mapping that may have keys which nobody knows, and values of the wrong type."""

    def spoilt(parts: tuple[dict[str, Any], dict[str, Any], Any]) -> dict[str, Any]:
        made, extra, wrong = parts
        keys = sorted(made)
        spoil = {keys[len(keys) // 2]: wrong} if keys and wrong is not None else {}
        return {**made, **spoil, **{f"own-{key}": value for key, value in extra.items()}}

    rarely = st.one_of(st.none(), st.none(), st.none(), VALUES)
    return st.tuples(known, st.dictionaries(NAMES, VALUES, max_size=1), rarely).map(spoilt)


SCHEMAS = maybe(
    type=TYPES,
    pattern=st.just("^a+$"),
    default=SCALARS,
    enum=st.just(["a", "b"]),
    maximum=st.just(9),
)
INPUT = maybe(name=NAMES, description=TEXTS, sensitive=st.booleans(), schema=SCHEMAS)
GROUPS = maybe(required=st.lists(INPUT, max_size=2), optional=st.lists(INPUT, max_size=2))
FRONT = {
    "name": st.sampled_from(["notes", "Notes", "other"]),
    "description": TEXTS,
    "license": TEXTS,
    "compatibility": TEXTS,
    "metadata": st.dictionaries(NAMES, VALUES, max_size=2),
    "allowed-tools": st.sampled_from(["Read", "Read, Write", ["Read", "Bash(git:*)"], 5]),
    "disable-model-invocation": st.booleans(),
}
CONTRACT = {
    "manifest_version": st.sampled_from(["1.0", 1.0]),
    "version": VERSIONS,
    "inputs": GROUPS,
    "env": GROUPS,
    "preconditions": maybe(
        commands=st.lists(maybe(cmd=NAMES, min_version=VERSIONS), max_size=2),
        files=st.lists(maybe(path=NAMES, base=st.just("cwd")), max_size=1),
    ),
    "outputs": maybe(
        files=st.lists(maybe(pattern=NAMES, base=st.just("cwd"), description=TEXTS), max_size=2),
        artifacts=st.lists(NAMES | maybe(name=NAMES, kind=st.just("state")), max_size=2),
    ),
    "execution": maybe(network=st.booleans(), timeout=st.integers(1, 9)),
    "sensitive": st.booleans(),
    "interface": maybe(inputs=st.lists(NAMES, max_size=2), outputs=st.lists(maybe(pattern=NAMES))),
}
PARAMETER = maybe(
    type=st.sampled_from(["string", "integer", "json"]),
    required=st.booleans(),
    default=SCALARS,
    description=TEXTS,
)
ARGV = st.lists(st.sampled_from(["bash", "{query}", "${x}", "{skill_dir}"]), max_size=3)
OPERATION = maybe(
    description=TEXTS,
    input=st.dictionaries(NAMES, PARAMETER, max_size=2),
    output=maybe(description=TEXTS, fields=st.dictionaries(NAMES, TEXTS, max_size=2)),
    entrypoints=maybe(unix=ARGV, windows=ARGV, agent=TEXTS),
)
EFFECTS = st.lists(st.sampled_from(["fs.read", "net.fetch"]), max_size=2)
STDOUT = maybe(last_line_json=st.booleans(), note=TEXTS, schema_version=st.just("1.0"))
BLOCK = {
    "schema_version": st.just("2.0"),
    "id": NAMES,
    "version": VERSIONS,
    "capabilities": st.lists(st.sampled_from(["a-b", "c-d"]), max_size=2),
    "effects": EFFECTS,
    "operations": st.dictionaries(NAMES, OPERATION, max_size=2),
    "stdout_contract": STDOUT,
}
ROUTER = {
    "id": NAMES,
    "version": VERSIONS,
    "effects": EFFECTS,
    "entrypoints": st.dictionaries(
        st.sampled_from(["m.find", "m.list", "show"]), maybe(unix=ARGV, windows=ARGV), max_size=2
    ),
    "stdout_contract": STDOUT,
}
CAPABILITY = maybe(kind=st.sampled_from(["fs.read", "exec", "env"]), value=st.just("/data"))
V1 = {
    "schema_version": st.just("1.0.0-draft"),
    "id": st.just("x.y"),
    "name": TEXTS,
    "version": VERSIONS,
    "artifact": st.just("sha256:" + "0" * 64),
    "entrypoint": st.sampled_from(
        ["run", {"kind": "wasi-command", "path": "skill.wasm"}, {"kind": "wasi-reactor"}]
    ),
    "capabilities": st.lists(CAPABILITY, max_size=3),
    "signers": st.lists(TEXTS, max_size=1),
    "inputs_schema": SCHEMAS,
    "outputs_schema": st.one_of(st.just("https://example.com/a"), SCHEMAS),
    "provenance": st.dictionaries(NAMES, VALUES, max_size=1),
    "compatibility": maybe(runtime_profiles=st.lists(TEXTS, max_size=1)),
}
BODY = "\n# Notes\n\nFind notes.\n"


def _markdown(front: dict[str, Any] | None, fence: str = "", block: Any = None) -> dict[str, bytes]:
    head = ""
    if front is not None:
        head = f"---\n{yaml.safe_dump(front, allow_unicode=True, sort_keys=False)}---\n"
    tail = f"\n```{fence}\n{json.dumps(block, indent=1)}\n```\n\nMore.\n" if fence else ""
    return {"SKILL.md": (head + BODY + tail).encode()}


def _file(value: dict[str, Any]) -> dict[str, bytes]:
    return {"manifest.json": json.dumps(value, indent=2).encode()}


FRONTMATTERS = odd(maybe(**FRONT))
SKILLS: dict[str, st.SearchStrategy[dict[str, bytes]]] = {
    "agent-skills": FRONTMATTERS.map(_markdown),
    "frontmatter-1.0": odd(maybe(**FRONT, **CONTRACT)).map(_markdown),
    "skill-manifest-2.0": st.tuples(FRONTMATTERS | st.none(), odd(maybe(**BLOCK))).map(
        lambda parts: _markdown(parts[0], "skill-manifest", parts[1])
    ),
    "both": st.tuples(odd(maybe(**FRONT, **CONTRACT)), odd(maybe(**BLOCK))).map(
        lambda parts: _markdown(parts[0], "skill-manifest", parts[1])
    ),
    "router-manifest-1": st.tuples(FRONTMATTERS, odd(maybe(**ROUTER))).map(
        lambda parts: _markdown(parts[0], "router-manifest", parts[1])
    ),
    "provenact-1": odd(maybe(**V1)).map(
        lambda value: _file({"schema_version": "1.0.0-draft", "caps": [], "limits": {}, **value})
    ),
}
"""The files of a skill by what its manifests are."""
