"""Write provenact-1 as a bundle, which has no schemas, provenance or compatibility."""

from __future__ import annotations

from typing import Any

from skillstudio.manifest.conversion.document_draft import DocumentDraft
from skillstudio.manifest.conversion.leaf_tracker import LeafTracker
from skillstudio.manifest.conversion.leaves import Leaf, leaves
from skillstudio.manifest.conversion.migration import Rewritten
from skillstudio.manifest.dialect import Manifest
from skillstudio.manifest.provenact.rules import ARTIFACT
from skillstudio.manifest.todo import TODO
from skillstudio.manifest.values import pointer, text
from skillstudio.text import image
from skillstudio.text.diagnostic import Edit, Remove, Rename, Set
from skillstudio.text.edit import EditRefused, resolve_edits
from skillstudio.text.editing.json import format_value
from skillstudio.text.splicing import apply

_KEYS = ("version", "artifact", "capabilities", "signers")
_START = "_start"  # The function that starts a WASI command.


def as_bundle(manifest: Manifest) -> Rewritten:
    """manifest.json as a bundle. Raises EditRefused."""
    document = manifest.document
    old: dict[str, Any] = document.value
    ledger = LeafTracker()
    draft = DocumentDraft(manifest.path, ledger)
    if "id" in old:
        draft.copy(("name",), old["id"], Leaf(draft.label, "/id"))
        if "name" in old:
            ledger.lose(Leaf(draft.label, "/name"), "a bundle has no title; its name is the id")
    elif "name" in old:
        name_leaves = [Leaf(draft.label, f"/name{below}") for below, _ in leaves(old["name"])]
        how = "the title becomes the name, because there is no id"
        draft.carry(("name",), old["name"], *name_leaves, how=how)
    for key in _KEYS:
        if key in old:
            draft.copy((key,), old[key], Leaf(draft.label, pointer(key)))
    _entrypoint(old, draft)
    # The keys in the order of v1.
    order = ["name" if key == "id" else key for key in old if key != "name" or "id" not in old]
    value = {key: draft.value[key] for key in order if key in draft.value}
    try:
        new = apply(document.source.text, resolve_edits(document, _edits(old, value)))
    except EditRefused:
        new = format_value(document, value) + document.source.newline
    return Rewritten(new, ledger)


def _entrypoint(old: dict[str, Any], draft: DocumentDraft) -> None:
    """A function's name, which a component does not have."""
    entrypoint = old.get("entrypoint")
    if entrypoint is None:
        return
    if isinstance(entrypoint, str):
        draft.copy(("entrypoint",), entrypoint, Leaf(draft.label, "/entrypoint"))
        return
    kind = Leaf(draft.label, "/entrypoint/kind")
    path = text(entrypoint, "path")
    if path == ARTIFACT:
        how = f"the artifact of a bundle is always {ARTIFACT}"
        draft.ledger.imply(Leaf(draft.label, "/entrypoint/path"), how)
    else:
        why = f"the artifact of a bundle is always {ARTIFACT}; rename the file"
        draft.ledger.lose(Leaf(draft.label, "/entrypoint/path"), why)
    if text(entrypoint, "kind") == "wasi-command":
        draft.carry(("entrypoint",), _START, kind, how=f"{_START} starts a command")
    else:
        value = f"{TODO}name the function that is called"
        why = "a bundle names a function, and the kind of a component does not"
        draft.invent(("entrypoint",), value, why)


def _edits(old: dict[str, Any], new: dict[str, Any]) -> list[Edit]:
    edits: list[Edit] = []
    if "id" in old:
        edits += [Remove("/name")] if "name" in old else []
        edits.append(Rename("/id", "name"))
    old_values = {**old, **({"name": old["id"]} if "id" in old else {})}
    for key, value in new.items():
        if image.of_value(old_values.get(key)) != image.of_value(value):
            edits.append(Set(pointer(key), value))
    edits += [Remove(pointer(key)) for key in old if key not in new and key not in ("id", "name")]
    return edits
