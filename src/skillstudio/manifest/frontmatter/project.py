"""Project ADR-002 and the contract of ADR-003 to an Interface with one unnamed operation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from skillstudio.interface.model import (
    ABSENT,
    Artifact,
    Execution,
    Input,
    Interface,
    Operation,
    Output,
    Requirement,
    Term,
    Variable,
    token,
)
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.places import Places
from skillstudio.manifest.values import (
    dig,
    has_type,
    mapping,
    mappings,
    pointer,
    sequence,
    stated_text,
    strings,
    text,
)

_HINTS = ("idempotent", "destructive", "network", "interactive")
_GROUPS = ("required", "optional")


def project(manifest: Manifest, _skill: Skill) -> Interface:
    """The interface of the manifest; unreadable parts are omitted."""
    value = manifest.document.value
    places = Places(manifest)
    inputs = tuple(_inputs(value, places))
    outputs = tuple(_outputs(value, places))
    artifacts = tuple(_artifacts(value, places))
    version = stated_text(manifest.document, "/manifest_version")
    places.key("/sensitive", "/sensitive")
    places.key(f"/manifest_versions/{manifest.dialect.id}", "/manifest_version")
    return Interface(
        name="",
        manifest_versions={manifest.dialect.id: version} if version else {},
        declared=True,
        operations=(Operation("", inputs=inputs, outputs=outputs, artifacts=artifacts),),
        env=tuple(_env(value, places)),
        requirements=tuple(_requirements(manifest, places)),
        execution=_execution(value, places),
        sensitive=dig(value, "sensitive") is True,
        promises=tuple(_promises(value, places)),
        places=places,
    )


def _iter_items(value: Any, key: str) -> Iterator[tuple[str, str, bool, dict[str, Any]]]:
    """The items of two lists, each name once: name, JSON Pointer, whether required, the item."""
    seen_names: set[str] = set()
    for group in _GROUPS:
        for where, item in mappings(value, key, group):
            name = text(item, "name")
            if name and name not in seen_names:
                seen_names.add(name)
                yield name, where, group == "required", item


def _inputs(value: Any, places: Places) -> Iterator[Input]:
    for name, where, is_required, item in _iter_items(value, "inputs"):
        at = f"/inputs/{token(name)}"
        places.tree(at, where)
        places.value(at, f"{where}/name")
        schema: dict[str, Any] | bool = {}
        default: Any = ABSENT
        declared_schema = item.get("schema")
        if isinstance(declared_schema, dict):
            schema = {key: part for key, part in declared_schema.items() if key != "default"}
            if "default" in declared_schema:
                default = declared_schema["default"]
                places.key(f"{at}/default", f"{where}/schema/default")
        elif isinstance(declared_schema, bool):
            schema = declared_schema
        sensitive = item.get("sensitive") is True
        yield Input(name, schema, is_required, default, sensitive, text(item, "description") or "")


def _outputs(value: Any, places: Places) -> Iterator[Output]:
    for where, item in mappings(value, "outputs", "files"):
        pattern = text(item, "pattern")
        if pattern:
            at = f"/outputs/{token(pattern)}"
            places.tree(at, where)
            places.value(at, f"{where}/pattern")
            base = text(item, "base") or "repo_root"
            yield Output(pattern, base, text(item, "description") or "")


def _artifacts(value: Any, places: Places) -> Iterator[Artifact]:
    for index, item in enumerate(sequence(value, "outputs", "artifacts")):
        name = item if isinstance(item, str) else text(item, "name")
        if name:
            places.value(f"/artifacts/{token(name)}", pointer("outputs", "artifacts", index))
            yield Artifact(name, text(item, "kind") or "other", text(item, "description") or "")


def _env(value: Any, places: Places) -> Iterator[Variable]:
    for name, where, is_required, item in _iter_items(value, "env"):
        at = f"/env/{token(name)}"
        places.tree(at, where)
        places.value(at, f"{where}/name")
        sensitive = item.get("sensitive") is True
        yield Variable(name, is_required, sensitive, text(item, "description") or "")


def _requirements(manifest: Manifest, places: Places) -> Iterator[Requirement]:
    document = manifest.document
    kinds: tuple[tuple[Literal["command", "file"], str, str], ...] = (
        ("command", "commands", "cmd"),
        ("file", "files", "path"),
    )
    for kind, key, name_key in kinds:
        for where, item in mappings(document.value, "preconditions", key):
            name = text(item, name_key)
            if not name:
                continue
            at = f"/requirements/{kind}/{token(name)}"
            places.tree(at, where)
            places.value(at, f"{where}/{name_key}")
            if kind == "command":
                limits = (
                    stated_text(document, f"{where}/{bound}_version") for bound in ("min", "max")
                )
                yield Requirement(kind, name, *limits)
            else:
                yield Requirement(kind, name, base=text(item, "base") or "skill_root")


def _execution(value: Any, places: Places) -> Execution | None:
    execution = mapping(value, "execution")
    if not execution:
        return None
    places.key("/execution", "/execution")
    places.tree("/execution", "/execution")
    timeout = execution.get("timeout")
    return Execution(
        **{name: execution.get(name) is True for name in _HINTS},
        timeout=timeout if has_type(timeout, "number") else None,
    )


def _promises(value: Any, places: Places) -> Iterator[Term]:
    """The restated contract; a missing part promises nothing."""
    contract_lists = {
        "inputs": strings(value, "interface", "inputs"),
        "outputs": (
            (f"{where}/pattern", text(output, "pattern") or "")
            for where, output in mappings(value, "interface", "outputs")
        ),
        "env": strings(value, "interface", "env"),
    }
    for name, pairs in contract_lists.items():
        items: dict[str, str] = {}
        for where, item in pairs:
            if item or name != "outputs":
                items.setdefault(item, where)
        yield from places.set_term(name, items, f"/interface/{name}", "/promises")
