"""Migrate router-manifest-1 to skill-manifest-2.0, as its specification describes.

The fence is renamed, each flat entrypoint becomes an operation, and placeholders of its commands
become inputs. Values that version 1 lacks are marked TODO.
"""

from __future__ import annotations

import json
import re
from typing import Any

from skillstudio.manifest.conversion.document_draft import DocumentDraft
from skillstudio.manifest.conversion.leaf_tracker import LeafTracker
from skillstudio.manifest.conversion.leaves import Leaf, leaves
from skillstudio.manifest.conversion.migration import MigrationRefused, Rewritten
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.placeholders import SINGLE, placeholders
from skillstudio.manifest.registry import dialect
from skillstudio.manifest.skill_manifest.blocks import as_json
from skillstudio.manifest.skill_manifest.operations import BUILT_IN
from skillstudio.manifest.todo import TODO
from skillstudio.manifest.values import mapping, members, pointer, strings
from skillstudio.text.diagnostic import Splice
from skillstudio.text.editing.json import format_value
from skillstudio.text.node import Document, Mapping, resolve
from skillstudio.text.reading import read
from skillstudio.text.source import Source, Span
from skillstudio.text.splicing import apply

OLD, NEW = "router-manifest", "skill-manifest"
_V1, _V2 = "router-manifest-1", "skill-manifest-2.0"
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_BLANK = re.compile(r"[ \t]*(?:\r\n|\r|\n)")
_REQUIRED_REASON = "required by the format; version 1 does not state it"


def step(manifest: Manifest) -> str:
    """Migrate version 1."""
    return f"{_V1} to {_V2}" if manifest.dialect.id == _V1 else ""


def rewritten(manifest: Manifest, skill: Skill) -> Rewritten:
    """SKILL.md with its block in version 2. Raises MigrationRefused."""
    document = manifest.document
    text = document.source.text
    if (newer := skill.of(_V2)) is not None:
        return _without_old(manifest, newer)
    ledger = LeafTracker()
    value = _version_2(document.value, ledger)
    word = text.find(OLD, document.opening_line.start, document.opening_line.end)
    fence = Splice(word, word + len(OLD), NEW)
    whole = [Splice(*edit) for edit in as_json(document, value)]
    for splices in (_splices(document, value), whole):
        if splices:
            new = apply(text, [fence, *splices])
            if _holds(document, new, value):
                return Rewritten(new, ledger)
    raise MigrationRefused(f"{manifest.path}: the block cannot be written as JSON")


def _without_old(manifest: Manifest, newer: Manifest) -> Rewritten:
    """SKILL.md without its block in version 1, which the block in version 2 replaces.

    Raises MigrationRefused for operations that version 2 lacks.
    """
    old, new = manifest.document, newer.document
    names = operation_names(list(mapping(old.value, "entrypoints")))
    operations = mapping(new.value, "operations")
    missing_names = [name for name, short in names.items() if not {name, short} & operations.keys()]
    if missing_names:
        raise MigrationRefused(
            f"{manifest.path}: the {NEW} block lacks {', '.join(missing_names)} of the {OLD} "
            f"block; add them to its operations, or remove them from the {OLD} block"
        )
    ledger = LeafTracker()
    ledger.keep(Leaf(NEW, at) for at, _ in leaves(new.value))
    for at, _ in leaves(old.value):
        ledger.lose(Leaf(OLD, at), f"the {NEW} block replaces it")
    text = old.source.text
    end = old.span.end
    closing_line = _LINE.match(text, end)
    end = closing_line.end() if closing_line else end
    blank = _BLANK.match(text, end)
    end = blank.end() if blank else end
    return Rewritten(apply(text, [Splice(old.opening_line.start, end, "")]), ledger)


def operation_names(names: list[str]) -> dict[str, str]:
    """Old names to new names, without a prefix that all share: `mem.search` becomes `search`."""
    parts = [name.split(".") for name in names]
    shared_count = 0
    while parts and all(len(name_parts) > shared_count + 1 for name_parts in parts):
        if len({name_parts[shared_count] for name_parts in parts}) > 1:
            break
        shared_count += 1
    short = [".".join(name_parts[shared_count:]) for name_parts in parts]
    return dict(zip(names, short if all(short) else names, strict=True))


def _version_2(old: dict[str, Any], ledger: LeafTracker) -> dict[str, Any]:
    """The new manifest, in the order of the specification."""
    draft = DocumentDraft(NEW, ledger)
    latest = dialect(_V2)
    version = latest.versions[0] if latest else ""
    if "schema_version" in old:
        ledger.lose(Leaf(OLD, "/schema_version"), "it names the old version of the format")
    draft.invent(("schema_version",), version, "distinguishes version 2 from version 1")
    for key in ("id", "version"):
        if key in old:
            draft.copy((key,), old[key], Leaf(OLD, pointer(key)))
    for key in ("capabilities", "effects"):
        if key in old:
            draft.copy((key,), old[key], Leaf(OLD, pointer(key)))
        else:
            draft.invent((key,), [], _REQUIRED_REASON)
    _operations(old, draft)
    contract = old.get("stdout_contract")
    if isinstance(contract, dict):
        for at, key, value in members(old, "stdout_contract"):
            if key != "schema_version":
                draft.copy(("stdout_contract", key), value, Leaf(OLD, at))
        why = "version 2 has no version of the output"
        ledger.lose(Leaf(OLD, "/stdout_contract/schema_version"), why)
    if not draft.holds("stdout_contract", "last_line_json"):
        why = f"{_REQUIRED_REASON}; false promises nothing"
        draft.invent(("stdout_contract", "last_line_json"), False, why)
    for key, value in old.items():
        if key not in draft.value and key not in ("entrypoints", "schema_version"):
            draft.copy((key,), value, Leaf(OLD, pointer(key)))
    return draft.value


def _operations(old: dict[str, Any], draft: DocumentDraft) -> None:
    names = operation_names(list(mapping(old, "entrypoints")))
    if old.get("entrypoints") == {}:
        draft.copy(("operations",), {}, Leaf(OLD, "/entrypoints"))
    elif not names:
        draft.invent(("operations",), {}, "version 1 has no entrypoints")
    for where, old_name, entrypoints in members(old, "entrypoints"):
        name = names[old_name]
        at = ("operations", name)
        draft.invent((*at, "description"), f"{TODO}say what {name} does", _REQUIRED_REASON)
        draft.invent((*at, "input"), {}, "its commands have no placeholders")
        for parameter, place in _parameters(entrypoints).items():
            why = f"inferred from {{{parameter}}} at {where}{place}"
            value = {
                "type": "string",
                "required": True,
                "description": f"{TODO}say what {parameter} is",
            }
            draft.invent((*at, "input", parameter), value, why)
        draft.invent(
            (*at, "output", "description"), f"{TODO}say what {name} prints", _REQUIRED_REASON
        )
        draft.copy((*at, "entrypoints"), entrypoints, Leaf(OLD, where))


def _parameters(entrypoints: Any) -> dict[str, str]:
    """The placeholders in the commands of an operation, each with its first place."""
    parameters: dict[str, str] = {}
    for at, _, command in members(entrypoints):
        for below, argument in strings(command):
            for placeholder in placeholders(argument, SINGLE):
                is_shells = argument[: placeholder.start].endswith("$")
                if placeholder.name != BUILT_IN and not is_shells:
                    parameters.setdefault(placeholder.name, at + below)
    return parameters


def _splices(document: Document, value: dict[str, Any]) -> list[Splice] | None:
    """The changes key by key; None if the block does not have one key after another."""
    root = resolve(document.root)
    if document.syntax != "json" or not isinstance(root, Mapping):
        return None
    entries = {entry.name: entry for entry in root.entries}
    if "entrypoints" not in entries or len(entries) < len(root.entries):
        return None
    text = document.source.text
    first = root.entries[0].key.start
    between = text[root.start + 1 : first]
    indent = between.rpartition("\n")[2] if "\n" in between else ""
    gap = between if "\n" in between else " "
    operations = entries["entrypoints"]

    def member(key: str) -> str:
        return f'"{key}": {format_value(document, value[key], indent)}'

    def before(at: int, key: str) -> Splice:
        return Splice(at, at, f"{member(key)},{gap}")

    splices = [Splice(operations.key.start, operations.value.end, member("operations"))]
    new = [key for key in ("capabilities", "effects") if key not in entries]
    at = (entries.get("effects") or operations).key.start
    splices += [before(at, key) for key in new]
    if "schema_version" in entries:
        version_node = entries["schema_version"].value
        splices.append(
            Splice(version_node.start, version_node.end, json.dumps(value["schema_version"]))
        )
    else:
        splices.append(before(first, "schema_version"))
    contract = entries.get("stdout_contract")
    if contract is None:
        end = root.entries[-1].value.end
        splices.append(Splice(end, end, f",{gap}{member('stdout_contract')}"))
    elif document.value["stdout_contract"] != value["stdout_contract"]:
        contract_text = format_value(document, value["stdout_contract"], indent)
        splices.append(Splice(contract.value.start, contract.value.end, contract_text))
    return _merge_inserts(splices)


def _merge_inserts(splices: list[Splice]) -> list[Splice]:
    """Sort splices, and join insertions at one place in the order of their creation."""
    inserts: dict[int, str] = {}
    replacements = []
    for splice in splices:
        if splice.start == splice.end:
            inserts[splice.start] = inserts.get(splice.start, "") + splice.text
        else:
            replacements.append(splice)
    return sorted([*replacements, *(Splice(at, at, text) for at, text in inserts.items())])


def _holds(document: Document, text: str, value: dict[str, Any]) -> bool:
    """Whether the block of a new text has a value and no errors."""
    growth = len(text) - len(document.source.text)
    span = Span(document.span.start + len(NEW) - len(OLD), document.span.end + growth)
    again = read(Source(text, document.source.path), "json", span)
    return not again.faults and bool(again.value == value)
