"""Complete keys, values, inputs and files at the cursor, also in half-typed text."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Set
from typing import Any, Literal, NamedTuple

from skillstudio.files.tree import FileTree
from skillstudio.manifest import snippets
from skillstudio.manifest.caret import Caret
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.focus import Focus, around, focus_at
from skillstudio.manifest.placeholders import DOUBLE, SINGLE
from skillstudio.manifest.snippets import SchemaField, Schemas, first, kind, literal, types
from skillstudio.manifest.values import dig
from skillstudio.manifest.values import text as text_at
from skillstudio.text.node import Mapping, split_pointer
from skillstudio.text.source import Span

Kind = Literal["key", "value", "input", "path"]
_TYPED_NAME = {
    DOUBLE: re.compile(r"\{\{([\w.-]*)\Z"),
    SINGLE: re.compile(r"(?<!\{)\{([\w.-]*)\Z"),
}
_NAME = re.compile(r"[\w.-]*")
_INDENT = re.compile(r"^( +)(?=\S)", re.MULTILINE)
_MAX_FILES = 500
_DEEPEST_TABLE = 3
_INPUT_KEYS = ("input", "inputs", "parameters")


class Completion(NamedTuple):
    """A completion that replaces the text from `start` to `end`."""

    label: str
    insert: str
    start: int
    end: int
    detail: str
    kind: Kind
    cursor: int = -1  # The cursor position in `insert`; -1 for its end.


def complete(skill: Skill, path: str, text: str, offset: int) -> list[Completion]:
    """The completions at an offset of the editor's text; `skill` may be from the last check."""
    focus = focus_at(skill, path, text, offset)
    return [] if focus is None else complete_in(focus, skill.tree, offset)


def complete_in(focus: Focus, tree: FileTree, offset: int) -> list[Completion]:
    """The completions at an offset of a text with a schema; `tree` has the files for paths."""
    caret = caret_at(focus.source.text, focus.syntax, focus.span, offset)
    inputs = _inputs(focus, caret, offset)
    if inputs is not None:
        return inputs
    if caret is None:
        return []
    return _rank_completions(_candidates(tree, focus, caret, offset), caret.typed_text)


def caret_at(text: str, syntax: str, span: Span, offset: int) -> Caret | None:
    """The place of an offset in the manifest at `span`; None if nothing can be inserted."""
    if syntax == "yaml":
        from skillstudio.manifest.caret.yaml import yaml_caret

        return yaml_caret(text, span, offset)
    if syntax == "toml":
        from skillstudio.manifest.caret.toml import toml_caret

        return toml_caret(text, span, offset)
    from skillstudio.manifest.caret.brackets import JSON, bracket_caret

    return bracket_caret(text, span.start, span.end, offset, JSON, ())


def _candidates(tree: FileTree, focus: Focus, caret: Caret, offset: int) -> Iterator[Completion]:
    schemas = focus.at(caret.pointer)
    if caret.role == "table":
        yield from _tables(focus, caret, offset)
    elif caret.role == "value":
        yield from _values(tree, focus, caret, schemas)
    elif caret.role == "item":
        yield from _keys(focus, caret, schemas, offset)
        if kind(schemas) != "object":
            yield from _values(tree, focus, caret, schemas)
    elif kind(schemas) in ("object", "") or caret.flow:
        yield from _keys(focus, caret, schemas, offset)
        if focus.syntax == "toml" and not caret.is_assigned and not caret.typed_text:
            yield from _headers(focus, caret, offset)
    elif not caret.siblings and not caret.is_assigned:
        yield from _below_key(tree, focus, caret, schemas)


# Keys


def _keys(focus: Focus, caret: Caret, schemas: Schemas, offset: int) -> Iterator[Completion]:
    indent, step = _indent_at(focus, offset), _step(focus)
    required_names = {name for schema in schemas for name in schema.get("required", ())}
    for name in _names(schemas):
        if name in caret.siblings:
            continue
        field = SchemaField(focus.at, (*caret.pointer, name))
        if focus.syntax == "toml" and not caret.flow and _is_table(field):
            continue
        snippet = snippets.entry(field, focus.syntax, caret, indent, step)
        yield Completion(
            name,
            snippet.text,
            caret.start,
            caret.end,
            _about(field.schemas, name in required_names),
            "key",
            snippet.cursor,
        )


def _names(schemas: Schemas) -> list[str]:
    """The keys that schemas define, required ones first."""
    names = [name for schema in schemas for name in schema.get("properties", ())]
    required_names = [name for schema in schemas for name in schema.get("required", ())]
    return list(dict.fromkeys([name for name in required_names if name in names] + names))


def _about(schemas: Schemas, is_required: bool) -> str:
    text = str(first(schemas, "description", ""))
    return f"required: {text}" if is_required and text else "required" if is_required else text


def _is_table(field: SchemaField) -> bool:
    """Whether a value is written as a TOML table with a header."""
    return field.kind == "object" or (field.kind == "array" and field.below("0").kind == "object")


def _headers(focus: Focus, caret: Caret, offset: int) -> Iterator[Completion]:
    """TOML headers, after the last key of a table."""
    rest = focus.source.text[offset : focus.span.end]
    next_line = next((line.strip() for line in rest.splitlines() if line.strip()), "[")
    if next_line.startswith("["):
        yield from _new_headers(focus, set(_present_tables(focus)), caret.start, caret.end)


def _tables(focus: Focus, caret: Caret, offset: int) -> Iterator[Completion]:
    """TOML headers, in one that is being typed."""
    text = focus.source.text
    start = text.index("[", offset - len(_line_before(focus, offset)))
    end = caret.end
    while text[end : end + 1] == "]":
        end += 1
    yield from _new_headers(focus, caret.siblings, start, end)


def _new_headers(focus: Focus, present: Set[str], start: int, end: int) -> Iterator[Completion]:
    for names, field in _iter_tables(SchemaField(focus.at, ())):
        is_array = field.kind == "array"
        if is_array or names not in present:
            snippet = snippets.table(names, field)
            label = f"{names}[]" if is_array else names
            about = _about(field.schemas, False)
            yield Completion(label, snippet.text, start, end, about, "key", snippet.cursor)


def _iter_tables(above: SchemaField) -> Iterator[tuple[str, SchemaField]]:
    for name in _names(above.schemas):
        field = above.below(name)
        if _is_table(field):
            yield ".".join(field.pointer), field
            if len(field.pointer) < _DEEPEST_TABLE and field.kind == "object":
                yield from _iter_tables(field)


def _present_tables(focus: Focus) -> Iterator[str]:
    for pointer, node in focus.document().walk():
        if isinstance(node, Mapping) and pointer:
            yield ".".join(split_pointer(pointer))


# Values


def _values(tree: FileTree, focus: Focus, caret: Caret, schemas: Schemas) -> Iterator[Completion]:
    other_items = _find_other_items(focus, caret)
    seen_labels = set()
    for value, detail in _known_values(focus, caret, schemas):
        label = value if isinstance(value, str) else literal(value, focus.syntax)
        if (
            label in seen_labels
            or value in other_items
            or (caret.quote and not isinstance(value, str))
        ):
            continue
        seen_labels.add(label)
        text = literal(value, focus.syntax, caret.quote, caret.flow)
        yield _make_replacement(caret, label, text, detail, "value")
    if _takes_path(schemas):
        for file in _files(tree):
            path = "./" + file if caret.typed_text.startswith("./") else file
            text = literal(path, focus.syntax, caret.quote, caret.flow)
            yield _make_replacement(caret, path, text, "a file of the skill", "path")
    if not caret.typed_text and not caret.quote and (caret.flow or focus.syntax == "toml"):
        field, indent = SchemaField(focus.at, caret.pointer), _indent_at(focus, caret.start)
        if snippet := snippets.container(field, focus.syntax, indent, _step(focus)):
            label = "{ }" if snippet.text.startswith("{") else "[ ]"
            detail = str(first(schemas, "description", ""))
            whole = _make_replacement(caret, label, snippet.text, detail, "value")
            yield whole._replace(cursor=len(caret.before) + snippet.cursor)


def _make_replacement(caret: Caret, label: str, text: str, detail: str, kind: Kind) -> Completion:
    """A completion that replaces the typed text, with the cursor after `text`."""
    insert, cursor = caret.before + text + caret.after, len(caret.before + text)
    return Completion(label, insert, caret.start, caret.end, detail, kind, cursor)


def _known_values(focus: Focus, caret: Caret, schemas: Schemas) -> Iterator[tuple[Any, str]]:
    about = first(schemas, "x-enum-descriptions", {})
    default = first(schemas, "default")
    constant = first(schemas, "const")
    if constant is not None:
        yield constant, "only allowed value"
    for value in first(schemas, "enum", []):
        detail = str(about.get(value, "")) if isinstance(value, str) else ""
        yield value, _mark_default(detail, value == default)
    if not first(schemas, "enum"):
        for value in about:
            yield value, str(about[value])
    if "boolean" in types(schemas):
        for flag in (True, False):
            yield flag, _mark_default("", flag is default)
    yield from _find_top_names(focus, caret, schemas)
    if default is not None and not isinstance(default, dict | list):
        yield default, "default"
    for value in () if _takes_path(schemas) else first(schemas, "examples", []):
        if not isinstance(value, dict | list):
            yield value, "example"


def _mark_default(detail: str, is_default: bool) -> str:
    if not is_default:
        return detail
    return f"default: {detail}" if detail else "default"


def _find_top_names(focus: Focus, caret: Caret, schemas: Schemas) -> Iterator[tuple[str, str]]:
    """Names from the list of the same key at the top, for a list that restates them."""
    if len(caret.pointer) < 3 or not caret.pointer[-1].isdecimal() or kind(schemas) != "string":
        return
    value = focus.document().value
    if isinstance(value, dict):
        yield from _collect_names(value.get(caret.pointer[-2])).items()


def _find_other_items(focus: Focus, caret: Caret) -> list[Any]:
    """The other items of a list with unique items."""
    if not caret.pointer or not caret.pointer[-1].isdecimal():
        return []
    if not first(focus.at(caret.pointer[:-1]), "uniqueItems"):
        return []
    *_, value = _values_along(focus.document().value, caret.pointer[:-1])
    return [item for item in value if item != caret.typed_text] if isinstance(value, list) else []


def _below_key(
    tree: FileTree, focus: Focus, caret: Caret, schemas: Schemas
) -> Iterator[Completion]:
    """Completions on the line below a YAML key without a value."""
    if kind(schemas) != "array":
        yield from _values(tree, focus, caret, schemas)
        return
    pointer = (*caret.pointer, "0")
    items = focus.at(pointer)
    if kind(items) == "object":
        snippet = snippets.item(SchemaField(focus.at, pointer), caret.column, _step(focus))
        detail = str(first(items, "description", ""))
        yield Completion("-", snippet.text, caret.start, caret.end, detail, "key", snippet.cursor)
    else:
        for completion in _values(tree, focus, caret._replace(pointer=pointer), items):
            yield completion._replace(insert="- " + completion.insert, cursor=completion.cursor + 2)


# Inputs and files


def _inputs(focus: Focus, caret: Caret | None, offset: int) -> list[Completion] | None:
    """Input names for the placeholder around the cursor; None if there is none."""
    text = focus.source.text
    line = _line_before(focus, offset)
    if "{" not in line:
        return None
    pointer = caret.pointer if caret and caret.role in ("value", "item") else None
    document = focus.document()
    if pointer is None:
        place = around(document, offset)
        pointer = place.pointer if place and not place.on_key else None
    if pointer is None:
        return None
    style = first(focus.at(pointer), "x-input-ref")
    match = _TYPED_NAME[style].search(line) if style in _TYPED_NAME else None
    if match is None:
        return None
    rest = _NAME.match(text, offset)
    end = rest.end() if rest else offset
    closer = "}}" if style == DOUBLE else "}"
    for _ in closer:
        end += text[end : end + 1] == "}"
    start = offset - len(match.group(1))
    completions = [
        Completion(name, name + closer, start, end, detail, "input")
        for name, detail in _declared_names(document.value, pointer).items()
    ]
    return _rank_completions(completions, match.group(1))


def _declared_names(value: Any, pointer: tuple[str, ...]) -> dict[str, str]:
    """Names to descriptions, from the nearest mapping around `pointer` that declares any."""
    for mapping in reversed(list(_values_along(value, pointer))):
        descriptions: dict[str, str] = {}
        for key in _INPUT_KEYS:
            descriptions |= _collect_names(dig(mapping, key))
        if descriptions:
            return descriptions
    return {}


def _collect_names(value: Any) -> dict[str, str]:
    """The names in a list of named items, in lists by group, or in the keys of a mapping."""
    if isinstance(value, list):
        return {name: _description(item) for item in value if (name := text_at(item, "name"))}
    if not isinstance(value, dict):
        return {}
    groups = [group for group in value.values() if isinstance(group, list)]
    if groups:
        return {name: text for group in groups for name, text in _collect_names(group).items()}
    return {name: _description(item) for name, item in value.items()}


def _description(item: Any) -> str:
    return text_at(item, "description") or ""


def _values_along(value: Any, pointer: tuple[str, ...]) -> Iterator[Any]:
    """A value and those below it, down to the one at a pointer; None where there is none."""
    yield value
    for token in pointer:
        is_index = isinstance(value, list) and token.isascii() and token.isdecimal()
        value = dig(value, int(token) if is_index else token)
        yield value


def _takes_path(schemas: Schemas) -> bool:
    return any("x-path" in schema for schema in schemas)


def _files(tree: FileTree) -> list[str]:
    """The files of a skill, shallow ones first, without hidden files and symbolic links."""
    files: list[str] = []
    folders = [""]
    while folders and len(files) < _MAX_FILES:
        folder = folders.pop(0)
        try:
            entries = tree.list(folder)
        except OSError:
            continue
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.name.startswith("."):
                continue
            if entry.kind == "folder":
                folders.append(path)
            elif entry.kind == "file":
                files.append(path)
    return files[:_MAX_FILES]


def _rank_completions(completions: Iterable[Completion], typed_text: str) -> list[Completion]:
    """Sort by prefix match, then substring match, then files by base name."""
    query = typed_text.lower()
    ranking = []
    for completion in completions:
        label = completion.label.lower()
        if label.startswith(query):
            ranking.append((0, completion))
        elif query in label:
            ranking.append(
                (
                    1 if completion.kind != "path" or query in os.path.basename(label) else 2,
                    completion,
                )
            )
    ranking.sort(key=lambda pair: pair[0])
    return [completion for _, completion in ranking]


def _step(focus: Focus) -> str:
    widths = {len(w) for w in _INDENT.findall(focus.source.text, focus.span.start, focus.span.end)}
    return "    " if widths and min(widths) == 4 else "  "


def _line_before(focus: Focus, offset: int) -> str:
    text = focus.source.text
    return text[max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1 : offset]


def _indent_at(focus: Focus, offset: int) -> str:
    line = _line_before(focus, offset)
    return line[: len(line) - len(line.lstrip(" \t"))]
