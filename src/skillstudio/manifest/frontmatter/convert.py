"""The frontmatter-1.0 contract of a converted skill: one unnamed operation."""

from __future__ import annotations

from skillstudio.interface.model import ABSENT, Input, Operation, token
from skillstudio.manifest.conversion.document_draft import DocumentDraft, Keys
from skillstudio.manifest.conversion.leaves import Leaf
from skillstudio.manifest.conversion.source import ConversionSource
from skillstudio.manifest.dialect import Dialect
from skillstudio.manifest.values import pointer, strings, text


def put(source: ConversionSource, draft: DocumentDraft, target: Dialect, _name: str) -> None:
    """Add the contract to the keys that all frontmatter has."""
    own = source.skill.of(target.id)
    if own is not None:
        for key, value in own.document.value.items():
            if key in source.contract_keys:
                draft.copy((key,), value, Leaf(own.path, pointer(key)))
    if not draft.holds("manifest_version"):
        why = "without it the fields are read as a legacy format"
        draft.invent(("manifest_version",), target.versions[0], why)
    _version(source, draft)
    if own is not None:
        return
    operations = source.interface.operations
    if len(operations) == 1:
        _operation(source, draft, operations[0])
    elif operations:
        why = f"{target.title} has one operation, and this skill has {len(operations)}"
        for operation in operations:
            for leaf in source.at(operation.pointer):
                draft.ledger.lose(leaf, why)
            named = {
                "inputs": [each.name for each in operation.inputs],
                "fields": [each.name for each in operation.fields],
                "entrypoints": [each.platform for each in operation.entrypoints],
                "terms": [each.name for each in operation.terms],
            }
            for element, names in named.items():
                for name in names:
                    for leaf in source.at(f"{operation.pointer}/{element}/{token(name)}"):
                        draft.ledger.lose(leaf, why)
    _requirements(source, draft)
    _network(source, draft)


def _version(source: ConversionSource, draft: DocumentDraft) -> None:
    stating = source.stating("version")
    if not stating:
        return
    value = draft.value.get("version", source.text(stating[0]))
    for leaf in stating:
        if not draft.holds("version"):
            draft.carry(("version",), value, leaf)
        elif leaf.document != draft.label:
            target = Leaf(draft.label, "/version")
            if source.text(leaf) == str(value):
                draft.ledger.move([leaf], target)
            else:
                draft.ledger.lose(leaf, "a manifest before it states another version")


def _operation(source: ConversionSource, draft: DocumentDraft, operation: Operation) -> None:
    counts = {"required": 0, "optional": 0}
    for each in operation.inputs:
        group = "required" if each.required else "optional"
        keys: Keys = ("inputs", group, counts[group])
        counts[group] += 1
        _input(source, draft, operation, each, keys)
    said = source.exactly(f"{operation.pointer}/terms/output-text")
    if said:
        at: Keys = ("outputs", "artifacts", 0)
        draft.invent((*at, "name"), "stdout", "required for an artifact")
        draft.invent((*at, "kind"), "stdout", "the operation prints it")
        draft.carry((*at, "description"), source.values[said[0]], said[0])


def _input(
    source: ConversionSource, draft: DocumentDraft, operation: Operation, each: Input, keys: Keys
) -> None:
    at = f"{operation.pointer}/inputs/{token(each.name)}"
    named = [leaf for leaf in source.exactly(at) if source.values[leaf] == each.name]
    stated = next((p for _, p in source.stated(at)), "")
    draft.carry((*keys, "name"), each.name, *named, how="" if named else f"the key at {stated}")
    if not source.copy_stated(draft, (*keys, "description"), f"{at}/description"):
        draft.invent((*keys, "description"), "", "required for every input; the source has none")
    kind = text(each.schema, "type")
    type_leaf = source.exactly(f"{at}/schema/type")
    if kind:
        how = (
            ""
            if type_leaf and source.values[type_leaf[0]] == kind
            else "the source does not state a type"
        )
        draft.carry((*keys, "schema", "type"), kind, *type_leaf, how=how)
    source.copy_stated(draft, (*keys, "schema", "pattern"), f"{at}/schema/pattern")
    default = source.at(f"{at}/default")
    if each.default is not ABSENT and not each.sensitive:
        leaf = source.exactly(f"{at}/default")
        value = source.values[leaf[0]] if leaf else each.default
        draft.carry((*keys, "schema", "default"), value, *default)
    how = "any value, which has no type here"
    if not draft.holds(*keys, "schema"):
        draft.carry((*keys, "schema"), {}, *type_leaf, how=how)
    elif not kind:
        for stated_type in type_leaf:
            draft.ledger.said(stated_type, how)
    for stated_there in source.exactly(f"{at}/required"):
        group = pointer(*keys[:2])
        draft.ledger.said(stated_there, f"expressed by its place in {group}")


def _requirements(source: ConversionSource, draft: DocumentDraft) -> None:
    """Required programs, in whichever way they are declared."""
    found: dict[str, list[Leaf]] = {}
    elements = [("/terms/platform-required-tool", source.interface.terms)]
    if len(source.interface.operations) == 1:
        only = source.interface.operations[0]
        elements.append((f"{only.pointer}/terms/recipe-command", only.terms))
    for element, terms in elements:
        for term in terms:
            if element.endswith(f"/{term.name}") and isinstance(term.value, tuple):
                for name in term.value:
                    leaf = source.exactly(f"{element}/{token(str(name))}")
                    found.setdefault(str(name), []).extend(leaf)
    for index, (name, sources) in enumerate(found.items()):
        keys: Keys = ("preconditions", "commands", index, "cmd")
        draft.carry(keys, name, *sources)


def _network(source: ConversionSource, draft: DocumentDraft) -> None:
    """`net.fetch` is what `execution.network` says."""
    found = [
        Leaf(manifest.dialect.fence, at)
        for manifest in source.skill.manifests
        if manifest.dialect.fence
        for at, effect in strings(manifest.document.value, "effects")
        if effect == "net.fetch"
    ]
    if found:
        draft.carry(("execution", "network"), True, *found, how="the effect net.fetch")
