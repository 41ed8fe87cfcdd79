"""Convert provenact-1 to a bundle, which has no schemas, provenance or compatibility, and other
skills to a draft of provenact-1."""

from __future__ import annotations

import json
from typing import Any

from skillstudio.interface.model import ABSENT, token
from skillstudio.manifest.conversion.document_draft import DocumentDraft
from skillstudio.manifest.conversion.leaf_tracker import LeafTracker
from skillstudio.manifest.conversion.leaves import Leaf, leaves
from skillstudio.manifest.conversion.migration import ConversionRefused
from skillstudio.manifest.conversion.source import ConversionSource
from skillstudio.manifest.dialect import Dialect
from skillstudio.manifest.provenact.rules import ARTIFACT, digest_of
from skillstudio.manifest.todo import TODO
from skillstudio.manifest.values import pointer
from skillstudio.manifest.values import text as text_at
from skillstudio.text import image
from skillstudio.text.diagnostic import Edit, Remove, Rename, Set
from skillstudio.text.edit import EditRefused, resolve_edits
from skillstudio.text.editing.json import written
from skillstudio.text.splicing import apply
from skillstudio.text.versions import is_semver

_DRAFT = "provenact-1"
_KEYS = ("version", "artifact", "capabilities", "signers")
_START = "_start"  # The function that starts a WASI command.


def text(source: ConversionSource, target: Dialect, ledger: LeafTracker) -> str:
    """The text of manifest.json. Raises ConversionRefused and EditRefused."""
    if target.id == _DRAFT:
        return _drafted(source, target, ledger)
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


def _drafted(source: ConversionSource, target: Dialect, ledger: LeafTracker) -> str:
    """A draft of provenact-1; without a WASM module it marks what is missing."""
    if any(each.dialect.folder == target.folder for each in source.skill.manifests):
        given = ", ".join(source.interface.dialects)
        already = target.id in source.interface.dialects
        problem = "already uses" if already else "cannot be converted to"
        raise ConversionRefused(f"{'it' if already else given} {problem} {target.id}")
    draft = DocumentDraft(target.file, ledger)
    draft.invent(("schema_version",), target.versions[0], "the version of the format")
    name = source.interface.name
    draft.carry(("id",), name, *source.stating("name"))
    stating = source.stating("version")
    version = source.text(stating[0]) if stating else ""
    if is_semver(version):
        draft.carry(("version",), version, *stating)
    else:
        why = f"{version} is not MAJOR.MINOR.PATCH" if version else "the source has no version"
        draft.invent(("version",), "0.1.0", why)
    _module(source, draft)
    _capabilities(source, draft)
    draft.invent(("signers",), [], "required by the format; nobody has signed it")
    _schemas(source, draft)
    return json.dumps(draft.value, indent=2, ensure_ascii=False) + "\n"


def _module(source: ConversionSource, draft: DocumentDraft) -> None:
    """The only WASM module in the skill's folder, else what is missing."""
    tree = source.skill.tree
    files = [each.name for each in tree.list() if each.kind == "file"]
    modules = [name for name in files if name.endswith(".wasm")]
    only = modules[0] if len(modules) == 1 else ""
    draft.invent(("entrypoint", "kind"), "wasi-command", "a program that runs once and ends")
    if only:
        draft.invent(("entrypoint", "path"), only, "the only WASM module of the skill")
        draft.invent(("artifact",), digest_of(tree, only), f"the digest of {only}")
        return
    why = "the skill has no WASM module; compile one" if not modules else "choose one of several"
    draft.invent(("entrypoint", "path"), ARTIFACT, f"missing: {why}")
    value = f"{TODO}write sha256: and the digest of {ARTIFACT}"
    draft.invent(("artifact",), value, f"missing: {why}")


def _capabilities(source: ConversionSource, draft: DocumentDraft) -> None:
    """The programs and variables that the skill needs; anything else is denied."""
    needed = [
        ("exec.safe", each.name, f"/requirements/command/{token(each.name)}")
        for each in source.interface.requirements
        if each.kind == "command"
    ]
    needed += [("env", each.name, f"/env/{token(each.name)}") for each in source.interface.env]
    if not needed:
        draft.invent(("capabilities",), [], "the source requires no programs and no variables")
    for index, (kind, name, element) in enumerate(dict.fromkeys(needed)):
        leaves_of = source.at(element)[:1]
        draft.invent(("capabilities", index, "kind"), kind, f"{name} is required")
        draft.carry(("capabilities", index, "value"), name, *leaves_of)


def _schemas(source: ConversionSource, draft: DocumentDraft) -> None:
    """The inputs of the only operation as one schema."""
    operations = source.interface.operations
    why = "the source has no operation" if not operations else "the source has several operations"
    draft.invent(("inputs_schema", "type"), "object", "inputs are the members of one object")
    inputs = operations[0].inputs if len(operations) == 1 else ()
    for each in inputs:
        schema = dict(each.schema) if isinstance(each.schema, dict) else {}
        element = f"{operations[0].pointer}/inputs/{token(each.name)}"
        found = source.at(f"{element}/schema")
        if each.default is not ABSENT:
            schema["default"] = each.default
            found = list(dict.fromkeys((*found, *source.at(f"{element}/default"))))
        draft.carry(("inputs_schema", "properties", each.name), schema, *found)
    # A JSON Schema requires a value even where it states a default.
    required = [each.name for each in inputs if each.must_be_given]
    if required:
        draft.invent(("inputs_schema", "required"), required, "required inputs of the source")
    if len(operations) == 1:
        why = "the source has no schema of its output"
    draft.invent(("outputs_schema",), {}, f"{why}; any output is accepted")


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
