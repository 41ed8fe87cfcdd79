"""The skill-manifest-2.0 block of a converted skill: operations with parameters and entrypoints."""

from __future__ import annotations

import re

from skillstudio.interface.model import ABSENT, Input, Operation, token
from skillstudio.manifest.conversion.document_draft import DocumentDraft, Keys
from skillstudio.manifest.conversion.frontmatter import put_name
from skillstudio.manifest.conversion.leaves import Leaf
from skillstudio.manifest.conversion.source import ConversionSource
from skillstudio.manifest.dialect import Dialect
from skillstudio.manifest.skill_manifest.migrate import operation_names
from skillstudio.manifest.todo import TODO
from skillstudio.manifest.values import pointer, strings

RUN = "run"  # The name of an unnamed operation.
_REQUIRED = "required by the format; the source does not state it"
_TYPES = frozenset(("string", "integer", "number", "boolean"))
_SHORT = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_EFFECTS = {
    "fs-read": "fs.read", "fs-write": "fs.write", "network": "net.fetch",
    "exec-allowed": "proc.exec", "fs.read": "fs.read", "fs.write": "fs.write",
    "net.http": "net.fetch", "exec": "proc.exec", "exec.safe": "proc.exec",
}  # fmt: skip
"""Permissions by the effect that they allow: caro's by name, provenact's by kind."""
_LIMITED = "replaced by the effect {}, which has no limits"


def put(source: ConversionSource, draft: DocumentDraft, target: Dialect, name: str) -> None:
    """Add the whole manifest of a skill to a block."""
    own = source.skill.of(target.id)
    if own is not None:
        if not own.document.value:
            draft.ledger.move([Leaf(target.fence, "")], Leaf(target.fence, ""))
        for key, value in own.document.value.items():
            if key == "id":
                put_name(source, draft, ("id",), name)
            else:
                draft.copy((key,), value, Leaf(target.fence, pointer(key)))
        return
    draft.invent(("schema_version",), target.versions[0], "the version of the format")
    put_name(source, draft, ("id",), name)
    _version(source, draft)
    _capabilities(source, draft)
    _effects(source, draft)
    _operations(source, draft)
    _stdout(source, draft)


def _version(source: ConversionSource, draft: DocumentDraft) -> None:
    stating = source.stating("version")
    if not stating:
        draft.invent(("version",), "0.1.0", _REQUIRED)
        return
    first = source.text(stating[0])
    value = ".".join([*first.split("."), "0", "0"][:3]) if _SHORT.fullmatch(first) else first
    for leaf in stating:
        if source.text(leaf) != first:
            draft.ledger.lose(leaf, "a manifest before it states another version")
    same = [leaf for leaf in stating if source.text(leaf) == first]
    draft.carry(("version",), value, *same, how="" if value == first else "three numbers")


def _capabilities(source: ConversionSource, draft: DocumentDraft) -> None:
    tags = next((e.value for e in source.interface.terms if e.name == "capability-tag"), ())
    for index, tag in enumerate(tags):
        leaf = source.exactly(f"/terms/capability-tag/{token(tag)}")
        draft.carry(("capabilities", index), tag, *leaf)
    if not tags:
        draft.invent(("capabilities",), [], _REQUIRED)


def _effects(source: ConversionSource, draft: DocumentDraft) -> None:
    found: dict[str, list[Leaf]] = {}
    for manifest in source.skill.manifests:
        # Read from the document: without an operation the interface has none.
        if manifest.dialect.fence:
            for at, effect in strings(manifest.document.value, "effects"):
                found.setdefault(effect, []).append(Leaf(manifest.dialect.fence, at))
    asked = _permitted(source, draft, found)
    execution = source.exactly("/execution/network")
    if execution and source.values[execution[0]] is True:
        found.setdefault("net.fetch", []).extend(execution)
    elif execution:
        draft.ledger.said(execution[0], "expressed by the absence of the effect net.fetch")
    for index, (effect, leaves) in enumerate(found.items()):
        same = bool(leaves) and all(source.values[leaf] == effect for leaf in leaves)
        how = f"permission requested at {asked[effect]}" if effect in asked else "as an effect"
        how = "" if same else how
        draft.carry(("effects", index), effect, *dict.fromkeys(leaves), how=how)
    if not found:
        draft.invent(("effects",), [], _REQUIRED)


def _permitted(
    source: ConversionSource, draft: DocumentDraft, found: dict[str, list[Leaf]]
) -> dict[str, str]:
    """The effects that permissions allow, each with its origin; their limits are lost."""
    asked: dict[str, str] = {}
    for term in source.interface.permissions:
        at = f"/permissions/{term.name}" + (f"/{token(term.key)}" if term.key else "")
        effect = _EFFECTS.get(term.key or term.name)
        if effect is None or term.name == "allowed-tools":
            continue
        limits = source.at(at)
        asked.setdefault(effect, next((pointer for _, pointer in source.stated(at)), ""))
        if term.key:
            # provenact: the kind is the effect, the value its limit.
            for leaf in limits:
                if leaf.pointer.endswith(("/kind", "/name")):
                    found.setdefault(effect, []).append(leaf)
                else:
                    draft.ledger.lose(leaf, _LIMITED.format(effect))
        elif term.comparer == "switch":
            above = [leaf for leaf in limits if leaf.pointer.endswith("/allowed")]
            found.setdefault(effect, []).extend(above)
        else:
            found.setdefault(effect, [])
            for leaf in limits:
                draft.ledger.lose(leaf, _LIMITED.format(effect))
    return asked


def _operations(source: ConversionSource, draft: DocumentDraft) -> None:
    operations = [each for each in source.interface.operations if _says_something(each)]
    none = [leaf for leaf in source.exactly("/operations") if source.values[leaf] == {}]
    if not operations and none:
        draft.carry(("operations",), {}, *none)
        return
    if not operations:
        why = "the source has no operation that is started by a command"
        draft.invent(("operations",), {}, why)
        return
    names = {each.name: each.name for each in operations}
    if source.skill.of("router-manifest-1") is not None:
        names = operation_names(list(names))
    for each in operations:
        _operation(source, draft, each, ("operations", names[each.name] or RUN))


def _says_something(operation: Operation) -> bool:
    held = (operation.inputs, operation.outputs, operation.artifacts, operation.entrypoints)
    return bool(operation.name) or any(held)


def _operation(
    source: ConversionSource, draft: DocumentDraft, operation: Operation, keys: Keys
) -> None:
    name = str(keys[-1])
    above = operation.pointer
    named = [e for e in source.exactly(above) if source.values[e] == operation.name]
    for leaf in named:
        draft.ledger.said(leaf, f"now the key {pointer(*keys)}")
    described = source.exactly(f"{above}/description") if above else source.stating("description")
    described = [leaf for leaf in described if str(source.values[leaf]).strip()]
    if described:
        how = "" if above else "from the skill, which has one operation"
        draft.carry((*keys, "description"), source.values[described[0]], described[0], how=how)
    else:
        draft.invent((*keys, "description"), f"{TODO}say what {name} does", _REQUIRED)
    for each in operation.inputs:
        _input(source, draft, operation, each, (*keys, "input", each.name))
    if not operation.inputs:
        draft.invent((*keys, "input"), {}, "the operation has no inputs")
    _output(source, draft, operation, (*keys, "output"))
    _entrypoints(source, draft, operation, (*keys, "entrypoints"))


def _input(
    source: ConversionSource, draft: DocumentDraft, operation: Operation, each: Input, keys: Keys
) -> None:
    at = f"{operation.pointer}/inputs/{token(each.name)}"
    whole = pointer(*keys)
    named = [leaf for leaf in source.exactly(at) if source.values[leaf] == each.name]
    for leaf in named:
        draft.ledger.said(leaf, f"now the key {whole}")
    kind = each.schema.get("type") if isinstance(each.schema, dict) else None
    leaves = source.exactly(f"{at}/schema/type") or source.at(f"{at}/schema/type")
    if kind in _TYPES:
        how = "" if leaves else "the source does not state the type"
        draft.carry((*keys, "type"), kind, *leaves, how=how)
    else:
        draft.carry((*keys, "type"), "json", *leaves, how="any value is of the type json")
    required = source.exactly(f"{at}/required")
    if required:
        draft.copy((*keys, "required"), each.required, required[0])
    else:
        where = next((p.rpartition("/")[0] for _, p in source.stated(at)), "")
        draft.carry((*keys, "required"), each.required, how=f"expressed by its place in {where}")
    if each.default is not ABSENT and not each.sensitive and not source.interface.sensitive:
        places = [place for place in source.stated(f"{at}/default") if source.below(*place)]
        if places:
            draft.copy((*keys, "default"), each.default, Leaf(*places[0]))
    elif each.default is not ABSENT:
        for leaf in source.at(f"{at}/default"):
            draft.ledger.lose(leaf, "a manifest must not contain a sensitive value")
    source.copy_stated(draft, (*keys, "description"), f"{at}/description")


def _output(
    source: ConversionSource, draft: DocumentDraft, operation: Operation, keys: Keys
) -> None:
    said = source.exactly(f"{operation.pointer}/terms/output-text")
    if said:
        draft.carry((*keys, "description"), source.values[said[0]], said[0])
    else:
        _results(source, draft, operation, keys)
    for field in operation.fields:
        leaf = source.exactly(f"{operation.pointer}/fields/{token(field.name)}")
        draft.carry((*keys, "fields", field.name), field.text, *leaf)


def _results(
    source: ConversionSource, draft: DocumentDraft, operation: Operation, keys: Keys
) -> None:
    """Describe files and artifacts in words: they have no keys of their own."""
    words: list[str] = []
    found: list[Leaf] = []
    for output in operation.outputs:
        about = f": {output.description}" if output.description else ""
        words.append(f"{output.pattern} (from {output.base}){about}")
        found += source.at(f"{operation.pointer}/outputs/{token(output.pattern)}")
    for artifact in operation.artifacts:
        about = f": {artifact.description}" if artifact.description else ""
        words.append(f"{artifact.name} ({artifact.kind}){about}")
        found += source.at(f"{operation.pointer}/artifacts/{token(artifact.name)}")
    if words:
        draft.carry((*keys, "description"), "; ".join(words), *found, how="described in words")
    else:
        draft.invent((*keys, "description"), "Not declared.", _REQUIRED)


def _entrypoints(
    source: ConversionSource, draft: DocumentDraft, operation: Operation, keys: Keys
) -> None:
    for each in operation.entrypoints:
        for label, where in source.stated(
            f"{operation.pointer}/entrypoints/{token(each.platform)}"
        ):
            leaf = Leaf(label, where)
            draft.copy((*keys, each.platform), source.values.get(leaf, list(each.argv)), leaf)
            break
    if operation.entrypoints:
        return
    file = next((leaf.document for leaf in source.exactly(operation.pointer)), "")
    if file in {paper.label for paper in source.papers if paper.is_part}:
        draft.invent((*keys, "agent"), file, "the file has instructions for an agent")
        at = pointer(*keys, "agent")
        commands = {operation.pointer + at for at in operation.commands}
        for leaf in source.below(file, ""):
            # What callers could count on is lost all the same: the system does not read the file.
            if source.element(leaf) in ("", *commands):
                draft.ledger.stays(leaf, f"stays in {file}, which {at} names")
    else:
        why = "the source has no command; the text has instructions for an agent"
        draft.invent((*keys, "agent"), "SKILL.md", why)


def _stdout(source: ConversionSource, draft: DocumentDraft) -> None:
    contract = source.at("/stdout")
    if not contract:
        contract = [
            leaf
            for each in source.interface.operations
            for leaf in source.at(f"{each.pointer}/stdout")
        ]
    for leaf in dict.fromkeys(contract):
        key = leaf.pointer.rpartition("/")[2]
        if key in ("last_line_json", "note") and not draft.holds("stdout_contract", key):
            draft.copy(("stdout_contract", key), source.values[leaf], leaf)
    if not draft.holds("stdout_contract", "last_line_json"):
        why = f"{_REQUIRED}; false promises nothing"
        draft.invent(("stdout_contract", "last_line_json"), False, why)
