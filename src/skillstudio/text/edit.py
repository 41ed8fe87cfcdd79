"""Turn edits of values into splices of the text.

The new text is parsed, and its tree must be the old one with only the requested change and no new
fault. Otherwise the edit is refused with a reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any

from skillstudio.text import image
from skillstudio.text.diagnostic import CreateFile, Edit, Remove, Rename, RenameFile, Set, Splice
from skillstudio.text.editing import EditRefused
from skillstudio.text.node import (
    Document,
    Mapping,
    Missing,
    Node,
    Scalar,
    escape,
    join_pointer,
    resolve,
    split_pointer,
)
from skillstudio.text.node import Sequence as List
from skillstudio.text.reading import read
from skillstudio.text.source import Source, Span
from skillstudio.text.splicing import Rounds, apply, common_ends

__all__ = [
    "EditRefused", "apply", "in_new_mapping", "insert", "move", "remove", "rename",
    "resolve_edits", "set_value",
]  # fmt: skip

FEW_STEPS = 3  # This many changes are made one by one in a document of any length.
MOST_READ = 600_000
"""Maximum number of characters to parse in all, for each change again: about 2 s."""

_Change = Callable[[Document], list[Splice]]


def set_value(doc: Document, pointer: str, value: Any) -> list[Splice]:
    """Set the value at a pointer; a missing key is added, and `-` appends to a list."""
    tokens = _tokens(pointer)
    if tokens and doc.at(pointer) is None:
        return insert(doc, pointer, value)
    expected_image, holder, key = _image(doc, tokens)
    old, new = resolve(doc.at(pointer)), image.of_value(value)
    if holder[key] == new:
        return []
    holder[key] = new
    steps = _steps(old, tokens, value)
    if steps is not None:
        try:
            return _proven(doc, _rounds(doc, steps), expected_image)
        except EditRefused:
            pass
    try:
        return _proven(doc, _editor(doc).set_value(doc, tokens, value), expected_image)
    except EditRefused:
        if not isinstance(old, Mapping | List) or old.flow or not tokens:
            raise
        steps = [partial(remove, pointer=pointer), partial(insert, pointer=pointer, value=value)]
        return _proven(doc, _rounds(doc, steps), expected_image)


def in_new_mapping(doc: Document, pointer: str, value: Any) -> tuple[str, Any]:
    """The same edit as one of the key above, if the mapping for the last key is missing or empty.

    Only one mapping is made; a misspelled pointer with several missing keys is refused later.
    """
    tokens = _tokens(pointer)
    if len(tokens) < 2 or tokens[-1] == "-" or tokens[-1].isdecimal():
        return pointer, value
    above, parent = (resolve(doc.at(join_pointer(tokens[:end]))) for end in (-2, -1))
    is_empty = isinstance(parent, Missing) or (isinstance(parent, Scalar) and parent.value is None)
    if isinstance(above, Mapping) and (parent is None or is_empty):
        return join_pointer(tokens[:-1]), {tokens[-1]: value}
    return pointer, value


def insert(doc: Document, pointer: str, value: Any) -> list[Splice]:
    """Insert a key or a list item, as `add` in JSON Patch (RFC 6902): before the existing item."""
    tokens = _tokens(pointer)
    parent = resolve(doc.at(join_pointer(tokens[:-1])))
    if not tokens or (isinstance(parent, Mapping) and parent.entry(tokens[-1])):
        return set_value(doc, pointer, value)
    if isinstance(parent, List):
        tokens = [*tokens[:-1], str(_index(tokens[-1], len(parent.items)))]
    elif not isinstance(parent, Mapping):
        raise EditRefused(f"no list or mapping at {join_pointer(tokens[:-1]) or '/'}")
    expected_image, holder, key = _image(doc, tokens)
    if isinstance(holder, list):
        holder.insert(key, image.of_value(value))
    else:
        holder[key] = image.of_value(value)
    return _proven(doc, _editor(doc).insert(doc, tokens, value), expected_image)


def remove(doc: Document, pointer: str) -> list[Splice]:
    """Remove a key with its value, or a list item."""
    tokens = _tokens(pointer)
    if not tokens:
        raise EditRefused("cannot remove the whole document")
    if doc.at(pointer) is None:
        raise EditRefused(f"no value at {pointer}")
    parent = resolve(doc.at(join_pointer(tokens[:-1])))
    _once(parent, tokens[-1])
    expected_image, holder, key = _image(doc, tokens)
    del holder[key]
    return _proven(doc, _editor(doc).remove(doc, tokens), expected_image)


def rename(doc: Document, pointer: str, name: str) -> list[Splice]:
    """Rename the key at the end of a pointer."""
    tokens = _tokens(pointer)
    parent = resolve(doc.at(join_pointer(tokens[:-1]))) if tokens else None
    if not isinstance(parent, Mapping) or parent.entry(tokens[-1]) is None:
        raise EditRefused(f"no key at {pointer or '/'}")
    _once(parent, tokens[-1])
    if name == tokens[-1]:
        return []
    if parent.entry(name) is not None:
        raise EditRefused(f"the key {name} already exists")
    expected_image, holder, key = _image(doc, tokens)
    holder[name] = holder.pop(key)
    return _proven(doc, _editor(doc).rename(doc, tokens, name), expected_image)


def move(doc: Document, from_: str, to: str) -> list[Splice]:
    """Move a value, as `move` in JSON Patch (RFC 6902)."""
    if from_ == to:
        return []
    if to.startswith(from_ + "/") or not from_:
        raise EditRefused("cannot move a value into itself")
    node = doc.at(from_)
    if node is None:
        raise EditRefused(f"no value at {from_}")
    here, there = _tokens(from_), _tokens(to)
    parent = doc.at(join_pointer(here[:-1])) if there and here[:-1] == there[:-1] else None
    if isinstance(parent, Mapping):
        return rename(doc, from_, there[-1])
    if doc.syntax == "yaml" and isinstance(parent, List):
        # Move an item within its list without changing its text.
        with suppress(EditRefused):
            expected_image, items, index = _image(doc, here)
            item = items.pop(index)
            index = _index(there[-1], len(items))
            items.insert(index, item)
            return _proven(doc, _editor(doc).move(doc, here, index), expected_image)
    value = image.plain_value(node)
    steps = [partial(remove, pointer=from_), partial(insert, pointer=to, value=value)]
    return _rounds(doc, steps)


def resolve_edits(doc: Document, edits: Sequence[Edit]) -> list[Splice]:
    """The splices of a fix's edits; each pointer refers to the text after the previous edits."""
    splices = sorted(edit for edit in edits if isinstance(edit, Splice))
    steps: list[_Change] = [lambda _: splices] if splices else []
    for edit in edits:
        if isinstance(edit, Set):
            steps.append(partial(set_value, pointer=edit.pointer, value=edit.value))
        elif isinstance(edit, Remove):
            steps.append(partial(remove, pointer=edit.pointer))
        elif isinstance(edit, Rename):
            steps.append(partial(rename, pointer=edit.pointer, name=edit.name))
        elif isinstance(edit, CreateFile | RenameFile):
            raise EditRefused("an edit of files cannot be applied to this text")
    return _rounds(doc, steps)


def _rounds(doc: Document, steps: Sequence[_Change]) -> list[Splice]:
    """Apply changes in sequence. Raises EditRefused if that would take seconds."""
    if len(steps) > FEW_STEPS and len(steps) * (doc.span.end - doc.span.start) > MOST_READ:
        raise EditRefused(f"too many changes ({len(steps)}) for a document of this length")
    rounds = Rounds(doc.source.text)
    splices: list[Splice] = []
    for step in steps:
        try:
            doc = _reread(doc, rounds.text, splices) if splices else doc
            splices = step(doc)
            rounds.apply(splices)
        except ValueError as error:
            raise EditRefused(str(error)) from error
    return rounds.splices()


def _steps(old: Node | None, tokens: list[str], value: Any) -> list[_Change] | None:
    """The smallest edits that turn one list or mapping into another."""
    if isinstance(old, Mapping) and isinstance(value, dict) and old.entries and value:
        before, at = image.of_node(old), join_pointer(tokens)
        updates = [
            partial(set_value, pointer=f"{at}/{escape(name)}", value=inner)
            for name, inner in value.items()
            if before.get(name) != image.of_value(inner)
        ]
        removed_names = [name for name in before if name not in value]
        return [
            *updates,
            *(partial(remove, pointer=f"{at}/{escape(name)}") for name in removed_names),
        ]
    if isinstance(old, List) and isinstance(value, list) and old.items and value:
        return _list_steps(old, tokens, value)
    return None


def _list_steps(old: List, tokens: list[str], value: list[Any]) -> list[_Change]:
    before = [image.of_node(item) for item in old.items]
    after = [image.of_value(item) for item in value]
    head, tail = common_ends(before, after)
    old_end, new_end = len(before) - tail, len(after) - tail
    at = join_pointer(tokens)
    replaced_indexes = range(head, min(old_end, new_end))
    return [
        *(
            partial(set_value, pointer=f"{at}/{index}", value=value[index])
            for index in replaced_indexes
        ),
        *(
            partial(insert, pointer=f"{at}/{index}", value=value[index])
            for index in range(old_end, new_end)
        ),
        *(partial(remove, pointer=f"{at}/{index}") for index in reversed(range(new_end, old_end))),
    ]


def _proven(doc: Document, splices: list[Splice], expected_image: list[Any]) -> list[Splice]:
    """The splices, if they make the requested change and no other: `expected_image` is as of
    `_image`."""
    splices = sorted(splices)
    try:
        text = apply(doc.source.text, splices)
    except ValueError as error:
        raise EditRefused(str(error)) from error
    new = _reread(doc, text, splices)
    if _image(new, [])[0] != expected_image:
        raise EditRefused(
            "the edit would change another value, or the file format cannot represent it"
        )
    faults = Counter(fault.rule for fault in new.faults)
    faults.subtract(fault.rule for fault in doc.faults)
    for fault in new.faults:
        if faults[fault.rule] > 0:
            raise EditRefused(f"the edit would introduce an error: {fault.message}")
    if doc.source.path.endswith((".md", ".markdown")) and not _stands(new, doc):
        raise EditRefused("the edit would move the start or end of the block")
    return splices


def _reread(doc: Document, text: str, splices: Sequence[Splice]) -> Document:
    growth = sum(len(splice.text) - (splice.end - splice.start) for splice in splices)
    span = Span(doc.span.start, doc.span.end + growth)
    opening = doc.opening_line if doc.opening_line.end <= doc.span.start else None
    return read(Source(text, doc.source.path), doc.syntax, span, opening)


def _stands(new: Document, old: Document) -> bool:
    """Whether a block is still in the same place of its Markdown."""
    from skillstudio.text.reading.markdown import read_markdown

    def holds(doc: Document) -> bool:
        markdown = read_markdown(doc.source)
        return doc.span == markdown.frontmatter or any(
            fence.inner == doc.span for fence in markdown.fences
        )

    return holds(new) or not holds(old)


def _image(doc: Document, tokens: list[str]) -> tuple[list[Any], Any, Any]:
    """The image of a document in a list, and the container of a place in it with the key there."""
    try:
        whole = [image.of_node(doc.root)]
    except image.TreeTooLarge:
        raise EditRefused("the document's aliases expand to too many values") from None
    holder: Any = whole
    key: Any = 0
    for token in tokens:
        holder = holder[key]
        key = token if isinstance(holder, dict) else int(token)
    return whole, holder, key


def _editor(doc: Document) -> ModuleType:
    return import_module(f"skillstudio.text.editing.{doc.syntax}")


def _tokens(pointer: str) -> list[str]:
    try:
        return split_pointer(pointer)
    except ValueError as error:
        raise EditRefused(str(error)) from None


def _once(parent: Node | None, name: str) -> None:
    if isinstance(parent, Mapping) and sum(entry.name == name for entry in parent.entries) > 1:
        raise EditRefused(f"the key {name} is duplicated, so the edit is ambiguous")


def _index(place: str, count: int) -> int:
    if place == "-":
        return count
    if not (place.isascii() and place.isdecimal()) or len(place) > 9 or int(place) > count:
        raise EditRefused(f"the list has no item {place}")
    return int(place)
