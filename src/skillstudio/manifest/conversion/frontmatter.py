"""The frontmatter of an exported skill.

Values of the source's frontmatter are kept. Those without a key in the specification are moved
to `metadata`, whose values are strings.
"""

from __future__ import annotations

from typing import Any

from skillstudio.manifest.conversion.document_draft import DocumentDraft
from skillstudio.manifest.conversion.leaf_tracker import LeafTracker
from skillstudio.manifest.conversion.leaves import Leaf
from skillstudio.manifest.conversion.source import ConversionSource, as_json
from skillstudio.manifest.front_values import split_tools
from skillstudio.manifest.values import mapping, pointer
from skillstudio.text.node import Mapping, Sequence, resolve, split_pointer

FILE = "SKILL.md"
_FOLDED_TEXT = "as text, which agents do not interpret"
_TEXT = "as text"


def front_draft(
    source: ConversionSource,
    name: str,
    ledger: LeafTracker,
    keys: frozenset[str],
    keep: bool = False,
) -> DocumentDraft:
    """The frontmatter of the result with the new name.

    `keys` are the allowed keys; others move to `metadata`. `keep` keeps all values unchanged.
    """
    draft = DocumentDraft(FILE, ledger)
    old = source.front.document.value if source.front is not None else {}
    label = source.front.path if source.front is not None else ""
    if keep and source.front is not None:
        draft.label = label
        for key, value in old.items():
            draft.copy((key,), value, Leaf(label, pointer(key)))
        if "name" not in old:
            put_name(source, draft, ("name",), name)
        if "description" not in old:
            _description(source, draft)
        return draft
    put_name(source, draft, ("name",), name)
    _description(source, draft)
    for key, value in old.items():
        if key in ("name", "description", "metadata"):
            continue
        if key == "allowed-tools":
            _tools(source, draft, value, Leaf(label, pointer(key)))
        elif key in keys:
            draft.copy((key,), value, Leaf(label, pointer(key)))
    _metadata(source, draft, mapping(old, "metadata"), label)
    for key, value in old.items():
        is_known = key in keys or key in ("name", "description")
        if not is_known or (key == "metadata" and not isinstance(value, dict)):
            fold(source, draft, key, label)
    _of_interface(source, draft)
    empty = Leaf(label, "/metadata")
    if old.get("metadata") == {} and draft.holds("metadata"):
        ledger.imply(empty, "no longer empty")
    elif old.get("metadata") == {}:
        draft.copy(("metadata",), {}, empty)
    return draft


def put_name(
    source: ConversionSource, draft: DocumentDraft, keys: tuple[str, ...], name: str
) -> None:
    """Add the name of the result, with its origin in the source."""
    leaves = source.find_identity_leaves("name")
    same = [leaf for leaf in leaves if source.values[leaf] == name]
    draft.carry(keys, name, *same, how="" if same else "the name of the folder")
    for leaf in (*leaves, *source.within("name")):
        if leaf not in same:
            target = Leaf(draft.label, pointer(*keys))
            draft.ledger.move([leaf], target, "replaced by the name of the new folder")


def fold(source: ConversionSource, draft: DocumentDraft, key: str, label: str) -> None:
    """Move a key of the frontmatter to `metadata` as one text."""
    above = Leaf(label, pointer(key))
    if above in source.values:
        leaves, value = [above], source.text(above)
    else:
        leaves = source.below(label, above.pointer)
        value = _as_text(source, leaves, above)
    draft.carry(("metadata", free_key(draft, key, value)), value, *leaves, how=_FOLDED_TEXT)


def free_key(draft: DocumentDraft, key: str, value: str) -> str:
    """A key of `metadata` that is unused, or already has the value."""
    free, number = key, 2
    while draft.holds("metadata", free) and draft.value["metadata"][free] != value:
        free, number = f"{key}-{number}", number + 1
    return free


def _put_metadata(
    draft: DocumentDraft, key: str, value: str, *sources: Leaf, how: str = ""
) -> None:
    """Add an entry to `metadata`, unless it exists."""
    if not draft.holds("metadata", key):
        draft.carry(("metadata", key), value, *sources, how=how)
        return
    target = Leaf(draft.label, pointer("metadata", key))
    old_value = draft.value["metadata"][key]
    for leaf in sources:
        if old_value == value:
            draft.ledger.move([leaf], target, how)
        else:
            draft.ledger.lose(leaf, f"{target.pointer} already has another value")


def written_description(source: ConversionSource) -> tuple[str, list[Leaf]]:
    """A description that is not a string, as written, such as `yes` or `[later]`."""
    for leaf in source.find_identity_leaves("description"):
        if source.values[leaf] is not None and source.text(leaf).strip():
            return source.text(leaf), [leaf]
    front = source.front
    node = resolve(front.document.at("/description")) if front is not None else None
    if front is None or not isinstance(node, Sequence | Mapping):
        return "", []
    leaves = source.below(front.path, "/description")
    if node.flow:
        return front.document.source.text[node.start : node.end], leaves
    return as_json(front.document.value["description"]), leaves


def _description(source: ConversionSource, draft: DocumentDraft) -> None:
    texts = {leaf: source.values[leaf] for leaf in source.find_identity_leaves("description")}
    text_leaves = [leaf for leaf, text in texts.items() if isinstance(text, str) and text.strip()]
    if text_leaves:
        value = source.values[text_leaves[0]]
        draft.carry(
            ("description",),
            value,
            *(origin for origin in text_leaves if source.values[origin] == value),
        )
        for leaf in text_leaves:
            if source.values[leaf] != value:
                draft.ledger.lose(leaf, "a manifest before it states another description")
        return
    description, leaves = written_description(source)
    draft.carry(("description",), description, *leaves, how=_TEXT)


def _tools(source: ConversionSource, draft: DocumentDraft, value: Any, leaf: Leaf) -> None:
    """The tools as the specification requires: one string, separated by spaces."""
    items = value if isinstance(value, list) else [value]
    if not all(isinstance(item, str) for item in items):
        fold(source, draft, "allowed-tools", leaf.document)
        return
    split = [tool for item in items for tool in (split_tools(item) or [item.strip()])]
    if isinstance(value, str) and len(split) < 2:
        draft.copy(("allowed-tools",), value, leaf)
        return
    whole = " ".join(tool for tool in split if tool)
    leaves = source.below(leaf.document, leaf.pointer)
    draft.carry(("allowed-tools",), whole, *leaves, how="separated by spaces")


def _metadata(
    source: ConversionSource, draft: DocumentDraft, old: dict[str, Any], label: str
) -> None:
    for key, value in old.items():
        leaf = Leaf(label, pointer("metadata", key))
        if isinstance(value, str):
            draft.copy(("metadata", key), value, leaf)
        elif leaf in source.values:
            draft.carry(("metadata", key), source.text(leaf), leaf, how=_TEXT)
        else:
            leaves = source.below(label, leaf.pointer)
            draft.carry(("metadata", key), _as_text(source, leaves, leaf), *leaves, how=_TEXT)


def _of_interface(source: ConversionSource, draft: DocumentDraft) -> None:
    """Information for people in other dialects: license, authors, keywords, URLs."""
    if not draft.holds("license"):
        license_leaves = source.exactly("/license")
        if license_leaves and source.interface.license:
            draft.carry(("license",), source.interface.license, *license_leaves)
    front = source.front.path if source.front is not None else None
    if all(paper.label == front for paper in source.papers):
        return
    for key, value in source.interface.metadata.items():
        leaves = [leaf for leaf in source.at(f"/metadata/{key}") if leaf.document != front]
        if leaves:
            _put_metadata(draft, key, value, *leaves, how="" if len(leaves) == 1 else "as one text")


def _as_text(source: ConversionSource, leaves: list[Leaf], above: Leaf) -> str:
    """A list of words with commas, any other value as JSON."""
    values = [source.values[leaf] for leaf in leaves]
    is_list = all(leaf.pointer.rpartition("/")[0] == above.pointer for leaf in leaves)
    is_numbered = all(leaf.pointer.rpartition("/")[2].isdecimal() for leaf in leaves)
    if is_list and is_numbered and all(isinstance(v, str) and "," not in v for v in values):
        return ", ".join(values)
    document = next(paper.value for paper in source.papers if paper.label == above.document)
    for key in split_pointer(above.pointer):
        document = document[key]
    return as_json(document)
