"""Migrate provenact bundles and v0 manifests to v1, the draft.

The result never allows more: a permission whose limits v1 cannot express is dropped with the
reason. Required values that only the author knows are marked TODO.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillstudio.files.paths import judge_path
from skillstudio.files.tree import FileTree
from skillstudio.manifest.conversion.document_draft import DocumentDraft, Keys
from skillstudio.manifest.conversion.leaf_tracker import LeafTracker
from skillstudio.manifest.conversion.leaves import Leaf, leaves
from skillstudio.manifest.conversion.migration import MigrationRefused, Rewritten
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.provenact.downgrade import as_bundle
from skillstudio.manifest.provenact.rules import digest_of, value_problem
from skillstudio.manifest.registry import dialect
from skillstudio.manifest.todo import TODO
from skillstudio.manifest.values import dig, mapping, mappings, pointer, strings, text
from skillstudio.text.diagnostic import Rename, Set, Splice
from skillstudio.text.edit import EditRefused, resolve_edits
from skillstudio.text.editing.json import format_value
from skillstudio.text.node import Document, Mapping, resolve
from skillstudio.text.splicing import apply

_ANYTHING = "required by v1; an empty schema accepts everything"
_KINDS = {
    "fs.read": "fs.read",
    "fs.write": "fs.write",
    "net.http": "net.http",
    "clock.read": "time.now",
    "kv.get": "kv.read",
    "kv.put": "kv.write",
}
"""Capabilities of v0 with their names in v1; others have no equivalent."""
_LIMITS = {"fs.read": "paths", "fs.write": "paths", "net.http": "domains"}
"""The constraint of v0 that limits a capability."""
_V1, _BUNDLE = "provenact-1", "provenact-bundle"


def step(manifest: Manifest) -> str:
    """Migrate a bundle or v0."""
    id = manifest.dialect.id
    return f"{id} to {_V1}" if id != _V1 else ""


def rewritten(manifest: Manifest, skill: Skill) -> Rewritten:
    """manifest.json in v1. Raises MigrationRefused."""
    ledger = LeafTracker()
    document = manifest.document
    draft = DocumentDraft(manifest.path, ledger)
    try:
        if manifest.dialect.id == "provenact-0":
            _of_v0(document.value, draft, skill.tree)
            start, end = document.root.start, document.root.end
            splices = [Splice(start, end, format_value(document, draft.value))]
        else:
            _of_bundle(document.value, draft)
            splices = _bundle_splices(document, draft.value)
    except EditRefused as error:
        raise MigrationRefused(f"{manifest.path}: {error}") from None
    return Rewritten(apply(document.source.text, splices), ledger)


def downgraded(manifest: Manifest, to: str) -> Rewritten | None:
    """manifest.json in v1 as a bundle. Raises MigrationRefused."""
    if (manifest.dialect.id, to) != (_V1, _BUNDLE):
        return None
    try:
        return as_bundle(manifest)
    except EditRefused as error:
        raise MigrationRefused(f"{manifest.path}: {error}") from None


def _of_bundle(old: dict[str, Any], draft: DocumentDraft) -> None:
    file = draft.label
    draft.invent(("schema_version",), _latest(), "distinguishes v1 from a bundle, which has none")
    for key, value in old.items():
        draft.copy(("id" if key == "name" else key,), value, Leaf(file, pointer(key)))
    for key in ("inputs_schema", "outputs_schema"):
        if key not in old:
            draft.invent((key,), {}, _ANYTHING)


def _bundle_splices(document: Document, value: dict[str, Any]) -> list[Splice]:
    """Insert the version first and the schemas last, and rename the name."""
    root = resolve(document.root)
    if not isinstance(root, Mapping) or not root.entries or not isinstance(document.value, dict):
        raise EditRefused("the manifest is empty")
    edits: list[Rename | Set] = []
    if "name" in document.value:
        edits.append(Rename("/name", "id"))
    edits += [
        Set(pointer(key), value[key])
        for key in ("inputs_schema", "outputs_schema")
        if key not in document.value
    ]
    between = document.source.text[root.start + 1 : root.entries[0].key.start]
    first = root.entries[0].key.start
    gap = between if "\n" in between else " "
    version = f'"schema_version": {format_value(document, value["schema_version"])},{gap}'
    return sorted([Splice(first, first, version), *resolve_edits(document, edits)])


def _of_v0(old: dict[str, Any], draft: DocumentDraft, tree: FileTree) -> None:
    file = draft.label

    def at(pointer: str) -> Leaf:
        return Leaf(file, pointer)

    how = "the version of the format"
    draft.carry(("schema_version",), _latest(), at("/schema_version"), how=how)
    for key, new in (("skill_id", "id"), ("version", "version")):
        if key in old:
            draft.copy((new,), old[key], at(pointer(key)))
    _entrypoint(old, draft)
    _artifact(old, draft, tree)
    _capabilities(old, draft)
    draft.invent(("signers",), [], "required by v1; v0 has no signers")
    for side in ("inputs", "outputs"):
        key = f"{side}_schema"
        if isinstance(dig(old, side, "json_schema"), dict):
            draft.copy((key,), dig(old, side, "json_schema"), at(f"/{side}/json_schema"))
        else:
            draft.invent((key,), {}, _ANYTHING)
        draft.ledger.lose(at(f"/{side}/content_type"), "v1 has no media types: values are JSON")
    if "supply_chain" in old:
        draft.copy(("provenance",), old["supply_chain"], at("/supply_chain"))


def _entrypoint(old: dict[str, Any], draft: DocumentDraft) -> None:
    """v1 distinguishes commands from reactors and v0 does not, so the author must decide."""
    wasm, wasi = text(old, "entrypoint", "wasm"), text(old, "entrypoint", "wasi")
    question = (
        f"{TODO}say whether {wasm or 'the artifact'} ({wasi or 'wasi'}) is a wasi-command or a "
    )
    sources = [Leaf(draft.label, f"/entrypoint/{key}") for key in mapping(old, "entrypoint")]
    how = "v1 requires the kind, which v0 does not state"
    draft.carry(("entrypoint",), f"{question}wasi-reactor", *sources, how=how)


def _artifact(old: dict[str, Any], draft: DocumentDraft, tree: FileTree) -> None:
    """v1 declares the digest of the artifact, so the file must exist."""
    wasm = text(old, "entrypoint", "wasm")
    verdict = judge_path(tree, wasm) if wasm else None
    target = tree.resolve(verdict.path) if verdict and verdict.problem is None else None
    if target is None or tree.kind(target) != "file":
        raise MigrationRefused(
            f"{draft.label}: v1 states the digest of the artifact, and {wasm or 'it'} is not in "
            "the skill; build it, then migrate"
        )
    try:
        digest = digest_of(tree, target)
    except OSError as error:
        raise MigrationRefused(f"{wasm} cannot be read: {error.strerror or error}") from None
    draft.invent(("artifact",), digest, f"the digest of {wasm} as it is")


def _capabilities(old: dict[str, Any], draft: DocumentDraft) -> None:
    count = 0
    for where, capability in mappings(old, "caps"):
        name = text(capability, "name") or ""
        kind = _KINDS.get(name)
        if kind is None:
            _lose(draft, where, capability, f"v1 has no capability {name}")
            continue
        value_count = 0
        for value, source in _values(where, name, kind, capability, draft):
            at: Keys = ("capabilities", count)
            draft.carry((*at, "kind"), kind, Leaf(draft.label, f"{where}/name"))
            if source:
                draft.carry((*at, "value"), value, Leaf(draft.label, source))
            else:
                draft.invent((*at, "value"), value, f"{name} has no limit")
            count, value_count = count + 1, value_count + 1
        if value_count:
            _need(draft, f"{where}/required", capability)
        else:
            _lose(
                draft,
                where,
                capability,
                f"{kind} of v1 requires a value, which {name} does not have",
            )
    if not count:
        draft.invent(("capabilities",), [], "required by v1; no capability is left")


def _values(
    where: str, name: str, kind: str, capability: dict[str, Any], draft: DocumentDraft
) -> Iterator[tuple[str, str]]:
    """The v1 values of one v0 capability, each with its pointer."""
    limit = _LIMITS.get(name)
    constraints = mapping(capability, "constraints")
    if limit is None:
        if not constraints:
            # Everything, which is what v0 asks for where it sets no constraint.
            yield ("*" if kind.startswith("kv.") else "utc"), ""
        return
    for at, item in strings(capability, "constraints", limit):
        problem = value_problem(kind, item)
        if problem is None:
            yield item, where + at
        else:
            draft.ledger.lose(Leaf(draft.label, where + at), f"in v1 {problem}")


def _need(draft: DocumentDraft, where: str, capability: dict[str, Any]) -> None:
    """In v1 every capability is required."""
    leaf = Leaf(draft.label, where)
    if capability.get("required") is True:
        draft.ledger.imply(leaf, "every capability of v1 is required")
    elif "required" in capability:
        draft.ledger.lose(leaf, "v1 has no optional capabilities")


def _lose(draft: DocumentDraft, where: str, capability: dict[str, Any], why: str) -> None:
    for below, _ in leaves(capability):
        draft.ledger.lose(Leaf(draft.label, where + below), why)


def _latest() -> str:
    latest = dialect(_V1)
    return latest.versions[0] if latest else ""
