"""Convert provenact-1 to a bundle, which has no schemas, provenance or compatibility."""

from __future__ import annotations

from typing import Any

from skillstudio.manifest.conversion.document_draft import DocumentDraft
from skillstudio.manifest.conversion.leaf_tracker import LeafTracker
from skillstudio.manifest.conversion.leaves import Leaf, leaves
from skillstudio.manifest.conversion.migration import ConversionRefused
from skillstudio.manifest.conversion.source import ConversionSource
from skillstudio.manifest.dialect import Dialect
from skillstudio.manifest.provenact.rules import ARTIFACT
from skillstudio.manifest.todo import TODO
from skillstudio.manifest.values import pointer
from skillstudio.manifest.values import text as text_at
from skillstudio.text import image
from skillstudio.text.diagnostic import Edit, Remove, Rename, Set
from skillstudio.text.edit import EditRefused, resolve_edits
from skillstudio.text.editing.json import written
from skillstudio.text.splicing import apply

_DRAFT = "provenact-1"
_KEYS = ("version", "artifact", "capabilities", "signers")
_START = "_start"  # The function that starts a WASI command.


def text(source: ConversionSource, target: Dialect, ledger: LeafTracker) -> str:
    """The text of manifest.json as a bundle. Raises ConversionRefused and EditRefused."""
    manifest = source.skill.of(_DRAFT)
    if manifest is None:
        given = ", ".join(source.interface.dialects)
        message = f"only {_DRAFT} can be converted to {target.id}, and this is {given}"
        raise ConversionRefused(message)
    document = manifest.document
    old: dict[str, Any] = document.value
    draft = DocumentDraft(manifest.path, ledger)
    if "id" in old:
        draft.copy(("name",), old["id"], Leaf(draft.label, "/id"))
        if "name" in old:
            ledger.lose(Leaf(draft.label, "/name"), "a bundle has no title; its name is the id")
    elif "name" in old:
        found = [Leaf(draft.label, f"/name{below}") for below, _ in leaves(old["name"])]
        how = "the title becomes the name, because there is no id"
        draft.carry(("name",), old["name"], *found, how=how)
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
        new = written(document, value) + document.source.newline
    return new


def _entrypoint(old: dict[str, Any], draft: DocumentDraft) -> None:
    """A function's name, which a component does not have."""
    given = old.get("entrypoint")
    if given is None:
        return
    if isinstance(given, str):
        draft.copy(("entrypoint",), given, Leaf(draft.label, "/entrypoint"))
        return
    kind = Leaf(draft.label, "/entrypoint/kind")
    path = text_at(given, "path")
    if path == ARTIFACT:
        how = f"the artifact of a bundle is always {ARTIFACT}"
        draft.ledger.said(Leaf(draft.label, "/entrypoint/path"), how)
    else:
        why = f"the artifact of a bundle is always {ARTIFACT}; rename the file"
        draft.ledger.lose(Leaf(draft.label, "/entrypoint/path"), why)
    if text_at(given, "kind") == "wasi-command":
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
    kept = {**old, **({"name": old["id"]} if "id" in old else {})}
    for key, value in new.items():
        if image.of_value(kept.get(key)) != image.of_value(value):
            edits.append(Set(pointer(key), value))
    edits += [Remove(pointer(key)) for key in old if key not in new and key not in ("id", "name")]
    return edits
