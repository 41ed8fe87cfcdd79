"""Project provenact's three manifests: schemas, requested permissions and the artifact."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from skillstudio.files.tree import FileTree
from skillstudio.interface.model import Covering, Interface, Operation, Term, token
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.places import Places
from skillstudio.manifest.provenact.rules import path_problem
from skillstudio.manifest.values import dig, has_type, mapping, mappings, strings, text

ALL = ("*",)
_COVERS: dict[str, Covering] = {"fs.read": "path", "fs.write": "path", "net.http": "path"}
"""A folder or URL includes everything below it; other values include only themselves."""


_DEFAULT_PORTS = {"http": ":80", "https": ":443"}


def project(manifest: Manifest, skill: Skill) -> Interface:
    """One unnamed operation, with schemas as terms."""
    value = manifest.document.value
    places = Places(manifest)
    is_v0 = manifest.dialect.id == "provenact-0"
    name_key = {"provenact-0": "skill_id", "provenact-1": "id"}.get(manifest.dialect.id, "name")
    places.key("/name", f"/{name_key}")
    places.key(f"/manifest_versions/{manifest.dialect.id}", "/schema_version")
    version = text(value, "schema_version")
    title = text(value, "name") if name_key != "name" else None
    if title:
        places.key("/metadata/name", "/name")
    terms = [
        *(_v0_terms(value, places) if is_v0 else _terms(value, places)),
        *_named_file(manifest, skill.tree, places),
    ]
    return Interface(
        name=text(value, name_key) or "",
        description=text(value, "description") or "",
        metadata={"name": title} if title else {},
        manifest_versions={manifest.dialect.id: version} if version else {},
        declared=True,
        operations=(Operation("", terms=tuple(_schemas(value, is_v0, places))),),
        permissions=tuple(_permissions(value, is_v0, places)),
        terms=tuple(terms),
        places=places,
    )


def _schemas(value: Any, is_v0: bool, places: Places) -> Iterator[Term]:
    """Schemas unchanged, or the URI of one, which is never fetched."""
    for side in ("inputs", "outputs"):
        keys = (side, "json_schema") if is_v0 else (f"{side}_schema",)
        name = f"{side}-schema"
        schema = dig(value, *keys)
        if isinstance(schema, dict | bool | str):
            where = "".join(f"/{key}" for key in keys)
            places.key(f"/terms/{name}", where)
            places.tree(f"/terms/{name}", where)
            yield Term(name, schema, "schema-in" if side == "inputs" else "schema-out")
        media = text(value, side, "content_type") if is_v0 else None
        yield from places.text_term(f"{side}-content-type", media, f"/{side}/content_type")


def _permissions(value: Any, is_v0: bool, places: Places) -> Iterator[Term]:
    """Requested permissions by kind; a kind without a limit requests everything."""
    at = "/permissions/capability"
    items_by_kind: dict[str, dict[str, None]] = {}
    places.key(at, "/caps" if is_v0 else "/capabilities")
    if is_v0:
        requests = list(_v0_requests(value))
    else:
        requests = [
            (kind, where, [_request(kind, about)])
            for where, capability in mappings(value, "capabilities")
            if (kind := text(capability, "kind")) and (about := text(capability, "value"))
        ]
    for kind, where, items in requests:
        if kind not in items_by_kind:
            places.value(f"{at}/{token(kind)}", where)
        for item in items:
            places.value(f"{at}/{token(kind)}/{token(item)}", where)
            items_by_kind.setdefault(kind, {})[item] = None
    for kind, kind_items in items_by_kind.items():
        values = ALL if "*" in kind_items else tuple(kind_items)
        yield Term("capability", values, "allow-list", kind, _COVERS.get(kind, "exact"))


def _request(kind: str, about: str) -> str:
    """The value of a capability in comparable form."""
    if kind == "exec" and about == "true":
        return "*"
    if kind != "net.http":
        return about
    scheme, mark, rest = about.partition("://")
    if not mark:
        return about
    scheme = scheme.lower()
    host, slash, path = rest.partition("/")
    host = host.lower().removesuffix(_DEFAULT_PORTS.get(scheme, ""))
    return f"{scheme}://{host}{slash}{path}".rstrip("/")


def _v0_requests(value: Any) -> Iterator[tuple[str, str, list[str]]]:
    for where, capability in mappings(value, "caps"):
        name = text(capability, "name")
        if name:
            limits = [
                item
                for key in _LIMITS
                for _, item in strings(capability, "constraints", key)
                if item
            ]
            yield name, where, limits or ["*"]


_LIMITS = ("domains", "paths")  # The constraints whose items are compared one by one.


def _terms(value: Any, places: Places) -> Iterator[Term]:
    yield from _entrypoint(value, places)
    yield from places.text_term("artifact", text(value, "artifact"), "/artifact")
    signers = dict.fromkeys(signer for _, signer in strings(value, "signers"))
    if signers:
        places.key("/terms/signer", "/signers")
        yield Term("signer", tuple(signers), "set")
    profiles = dict.fromkeys(
        f"{kind}: {tag}"
        for kind in ("runtime", "adapter")
        for _, tag in strings(value, "compatibility", f"{kind}_profiles")
    )
    if profiles:
        places.key("/terms/compatibility-profile", "/compatibility")
        yield Term("compatibility-profile", tuple(profiles), "set")
    yield from _as_text("provenance", dig(value, "provenance"), "/provenance", places)


def _entrypoint(value: Any, places: Places) -> Iterator[Term]:
    """A string names a function of the artifact, an object a component."""
    entrypoint = dig(value, "entrypoint")
    kind = "function" if isinstance(entrypoint, str) else text(entrypoint, "kind")
    path = entrypoint if isinstance(entrypoint, str) else text(entrypoint, "path")
    for name, term_text in (("kind", kind), ("path", path)):
        where = f"/entrypoint/{name}" if isinstance(entrypoint, dict) else "/entrypoint"
        yield from places.text_term(f"entrypoint-{name}", term_text, where)


def _named_file(manifest: Manifest, tree: FileTree, places: Places) -> Iterator[Term]:
    """Whether the path of an entrypoint names a file of the skill."""
    keys = ("entrypoint", "wasm" if manifest.dialect.id == "provenact-0" else "path")
    path = text(manifest.document.value, *keys)
    if path:
        exists = path_problem(tree, path) is None
        places.key("/terms/entrypoint-file", f"/{keys[0]}/{keys[1]}")
        yield Term("entrypoint-file", exists, "switch", shown=path, detail=True)


def _v0_terms(value: Any, places: Places) -> Iterator[Term]:
    wasi = text(value, "entrypoint", "wasi")
    wasm = text(value, "entrypoint", "wasm")
    yield from places.text_term("entrypoint-kind", wasi and f"wasi {wasi}", "/entrypoint/wasi")
    yield from places.text_term("entrypoint-path", wasm, "/entrypoint/wasm")
    for key, limit in mapping(value, "limits").items():
        if has_type(limit, "number"):
            places.key(f"/terms/limit/{token(key)}", f"/limits/{token(key)}")
            yield Term("limit", limit, "order", key)
    loose = {}
    for _, capability in mappings(value, "caps"):
        rest = {
            key: limit
            for key, limit in mapping(capability, "constraints").items()
            if key not in _LIMITS
        }
        if capability.get("required") is False:
            rest["required"] = False
        if rest:
            loose[text(capability, "name") or ""] = rest
    yield from _as_text("capability-constraints", loose, "/caps", places)
    yield from _as_text("provenance", dig(value, "supply_chain"), "/supply_chain", places)


def _as_text(name: str, value: Any, where: str, places: Places) -> Iterator[Term]:
    """An uninterpreted value in canonical form, so that changes are visible."""
    term_text = json.dumps(value, sort_keys=True, ensure_ascii=False) if value else ""
    return places.text_term(name, term_text, where)
