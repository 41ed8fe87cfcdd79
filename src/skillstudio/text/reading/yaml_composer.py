"""Compose libyaml's events into nodes with spans.

libyaml's own composer is not used: it crashes on deep nesting, gives an alias the place of its
anchor, and silently accepts duplicate keys.
"""

from __future__ import annotations

import re
from typing import Any

import yaml
from yaml import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    MarkedYAMLError,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
    YAMLError,
)

from skillstudio.text.node import (
    MAX_DEPTH,
    MOST_REPORTED,
    Alias,
    Entry,
    Fault,
    Mapping,
    Missing,
    Node,
    Scalar,
    Sequence,
)
from skillstudio.text.reading.yaml_scalars import (
    SPECIAL,
    is_plain_number,
    older_reading,
    quote_edits,
    resolve_plain,
    too_long,
)

MAX_EXPANDED = 1000

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_PROPERTIES = re.compile(r"(?:[&!]\S*(?:[ \t]*(?:#[^\r\n]*)?[\r\n]+[ \t]*|[ \t]+|$))+")
_TRAILING_BLANK = re.compile(r"[ \t]*(?:(?:\r\n|\n|\r)[ \t]*)+\Z")
_COMMENT = re.compile(r"[ \t]+#[^\r\n]*")
_SUPPRESSION = re.compile(r"[ \t]+#[ \t]*skillstudio:")
_STYLES = {None: "plain", "": "plain", "'": "single", '"': "double", "|": "literal", ">": "folded"}
_OLDER = "readers of YAML 1.1 take this for something else; put it in quotes"
_CORE = "tag:yaml.org,2002:"
_COLLECTION_TAGS = (None, "!", f"{_CORE}map", f"{_CORE}seq", f"{_CORE}omap", f"{_CORE}set")
_SCALAR_TAGS = {f"{_CORE}{name}" for name in ("str", "int", "float", "bool", "null", "timestamp")}


class Repairs:
    """Characters of a text that were replaced to make it readable.

    `hidden_characters`: characters replaced with `mark`, by offset. `keys`: the true name and end
    of a key, by offset. `values`: the text after a colon, by the offset after it."""

    __slots__ = ("faults", "hidden_characters", "keys", "lost_spans", "mark", "text", "values")

    def __init__(self, text: str) -> None:
        self.text = text
        self.mark = next((chr(c) for c in range(0xE000, 0xF8FF) if chr(c) not in text), "\ue000")
        self.hidden_characters: dict[int, str] = {}
        self.keys: dict[int, tuple[str, int]] = {}
        self.values: dict[int, Node] = {}
        self.lost_spans: list[tuple[int, int]] = []
        self.faults: list[Fault] = []

    def copy(self) -> Repairs:
        twin = Repairs.__new__(Repairs)
        twin.text, twin.mark = self.text, self.mark
        twin.hidden_characters, twin.keys, twin.values = (
            dict(self.hidden_characters),
            dict(self.keys),
            dict(self.values),
        )
        twin.lost_spans, twin.faults = list(self.lost_spans), list(self.faults)
        return twin


class Composer:
    """One reading of a text. After `run`, `root` is the tree so far."""

    def __init__(self, repairs: Repairs, original: str, base: int) -> None:
        self.text = repairs.text
        self.original = original
        self.repairs = repairs
        self.base = base
        self.root: Node | None = None
        self.faults: list[Fault] = []
        self.stack: list[Mapping | Sequence] = []
        self.keys: list[Scalar | None] = []
        self.anchors: dict[str, Node] = {}
        self.anchored_nodes: list[tuple[str, Node]] = []
        self.expanded_size = 0
        self.expansions: list[tuple[int, int]] = []
        self.fault_count = 0
        """How many faults there were when the reading ended, with some nodes open."""

    def run(self, text: str = "", skip_count: int = 0) -> YamlProblem | None:
        """Read the first document; return the problem that ended the reading, if any.

        `text` and the events at its start that are skipped: of a reading that is resumed.
        """
        loader = None
        try:
            loader = _Loader(text or self.text)
            for _ in range(skip_count):
                loader.get_event()
            self._read(loader, 1 if skip_count else 0)
        except YamlProblem as problem:
            failure: YamlProblem | None = problem
        except MarkedYAMLError as error:
            failure = _problem_of(error, len(self.text))
        except YAMLError:
            failure = YamlProblem("not valid YAML", 0)
        else:
            return None
        finally:
            if loader is not None:
                loader.dispose()
        self.fault_count = len(self.faults)
        while self.stack:
            self._close(None).incomplete = True
        return failure

    def _read(self, loader: Any, documents: int) -> None:
        get_event = loader.get_event
        stack, keys, repairs, base = self.stack, self.keys, self.repairs, self.base
        has_repairs = repairs.hidden_characters or repairs.values or repairs.keys
        while True:
            event = get_event()
            kind = type(event)
            if kind is ScalarEvent:
                value = event.value
                is_plain = value and not event.style and not event.anchor and not event.tag
                if is_plain and value[0] in SPECIAL:
                    # Numbers, except as keys, are nearly as common as texts.
                    is_plain = keys and (keys[-1] is not None or type(stack[-1]) is Sequence)
                    is_plain = is_plain and is_plain_number(value)
                    value = int(value) if is_plain else value
                if not is_plain or has_repairs or not stack:
                    self._scalar(event)
                    continue
                # Most scalars: as in `_scalar` and `_place`, without the calls.
                start = event.start_mark.index + base
                node = Scalar(start, event.end_mark.index + base, value, "plain")
                parent, key = stack[-1], keys[-1]
                if isinstance(parent, Sequence):
                    parent.items.append(node)
                elif key is None:
                    keys[-1] = node
                    if not parent.flow and not parent.entries:
                        parent.start = start
                elif key.value == "description":
                    self._place(node)
                else:
                    keys[-1] = None
                    parent.entries.append(Entry(key, node))
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                self._open(event, kind is MappingStartEvent)
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                self._close(event.end_mark.index)
            elif kind is AliasEvent:
                self._alias(event)
            elif kind is DocumentStartEvent:
                documents += 1
                if documents == 2:
                    at = event.start_mark.index + self.base
                    message = "a second YAML document starts here; it is ignored"
                    self.faults.append(Fault("syntax-yaml", message, at, at + 3))
                    return
            elif kind is StreamEndEvent or event is None:
                return

    def _place(self, node: Node) -> None:
        stack = self.stack
        if not stack:
            self.root = node
            return
        parent = stack[-1]
        if isinstance(parent, Sequence):
            parent.items.append(node)
            return
        keys = self.keys
        key = keys[-1]
        if key is None:
            if not isinstance(node, Scalar):
                raise YamlProblem("a key must be a plain string", node.start - self.base)
            keys[-1] = self._as_key(node)
            if not parent.entries and not parent.flow:
                parent.start = node.start
            return
        keys[-1] = None
        if key.value == "description" and type(node) is Scalar and node.style == "plain":
            self._keep_number_sign(node)
        parent.entries.append(Entry(key, node))

    def _as_key(self, node: Scalar) -> Scalar:
        true_names = self.repairs.keys
        if true_names and node.start - self.base in true_names:
            name, end = true_names[node.start - self.base]
            return Scalar(node.start, end + self.base, name, node.style)
        if type(node.value) is not str:
            start, end = node.start - self.base, node.end - self.base
            node.value = self.original[start:end]
        return node

    def _open(self, event: Any, is_mapping: bool) -> None:
        start = event.start_mark.index
        if len(self.stack) >= MAX_DEPTH:
            message = f"nested more than {MAX_DEPTH} levels deep"
            raise YamlProblem(message, start, rule="nesting-too-deep")
        if event.tag not in _COLLECTION_TAGS:
            raise YamlProblem(f"unknown tag {event.tag}", start)
        parent = self.stack[-1] if self.stack else None
        if isinstance(parent, Mapping) and self.keys[-1] is None:
            at = parent.start - self.base if parent.flow else start
            raise YamlProblem("a key must be a plain string", at)
        if event.anchor or event.tag:
            start = self._after_properties(start)
        flow = bool(event.flow_style)
        start += self.base
        node: Mapping | Sequence
        node = Mapping(start, start, [], flow) if is_mapping else Sequence(start, start, [], flow)
        self._place(node)
        self.stack.append(node)
        self.keys.append(None)
        if event.anchor:
            self._anchor(event, node)

    def _close(self, end: int | None) -> Mapping | Sequence:
        node = self.stack.pop()
        key = self.keys.pop()
        if isinstance(node, Mapping):
            if key is not None:
                node.entries.append(Entry(key, Missing(key.end, key.end)))
            entries = node.entries
            last = entries[-1].value if entries else None
            if len({entry.key.value for entry in entries}) < len(entries):
                self._report_duplicates(entries)
            least = entries[-1].key.end if entries else node.start
        else:
            last = node.items[-1] if node.items else None
            least = node.start + 1
        if node.flow and end is not None:
            node.end = end + self.base
        else:
            node.end = max(last.end, least) if last else least
        return node

    def _report_duplicates(self, entries: list[Entry]) -> None:
        seen_keys = set()
        message = ""
        for entry in entries:
            key = entry.key
            if key.value in seen_keys:
                if not message or len(self.faults) < MOST_REPORTED:
                    message = f'the key "{key.value}" is duplicated; readers keep only one of them'
                self.faults.append(Fault("key-duplicate", message, key.start, key.end))
            seen_keys.add(key.value)

    def _anchor(self, event: Any, node: Node) -> None:
        name = event.anchor
        if name in self.anchors:
            at = event.start_mark.index + self.base
            message = f"duplicate anchor &{name}; some readers reject it"
            self.faults.append(Fault("syntax-yaml", message, at, at + 1 + len(name)))
        self.anchors[name] = node
        self.anchored_nodes.append((name, node))

    def _alias(self, event: Any) -> None:
        name = event.anchor
        if name not in self.anchors:
            raise YamlProblem(f"undefined anchor &{name}", event.start_mark.index)
        target: Node | None = self.anchors[name]
        start, end = event.start_mark.index + self.base, event.end_mark.index + self.base
        rule = "alias-used"
        message = f"some agents do not support the alias *{name}; write the value in full"
        if target in self.stack:
            rule, message = "alias-recursive", f"the alias *{name} is inside its own anchor"
            target = None
        else:
            within = self.expanded_size <= MAX_EXPANDED
            if within:
                self.expanded_size += _size(target, MAX_EXPANDED + 1)
                self.expansions.append((start, self.expanded_size))
            target = target if self.expanded_size <= MAX_EXPANDED else None
            if within and target is None:
                rule = "alias-expansion"
                message = f"aliases expand to more than {MAX_EXPANDED} values"
        self.faults.append(Fault(rule, message, start, end))
        self._place(Alias(start, end, name, target))

    def _scalar(self, event: Any) -> None:
        start, end = event.start_mark.index, event.end_mark.index
        value: Any = event.value
        style = _STYLES[event.style]
        anchor, tag = event.anchor, event.tag
        repairs = self.repairs
        if start == end and start in repairs.values:
            self._place(repairs.values[start])
            return
        if anchor or tag:
            if tag and tag != "!" and tag not in _SCALAR_TAGS:
                raise YamlProblem(f"unknown tag {tag}", start)
            start = min(self._after_properties(start), end)
        if repairs.hidden_characters and repairs.mark in value:
            node = self._unhide(value, start, end, style)
            if anchor:
                self._anchor(event, node)
            self._place(node)
            return
        if style in ("literal", "folded"):
            # Trailing blank lines belong to it only if its header keeps them.
            blank = _TRAILING_BLANK.search(self.text, start, end)
            if blank and "+" not in self.text[start : start + 3]:
                end = blank.start()
        elif tag:
            value = _resolve_tagged(value, tag)
        elif style == "plain" and (not value or value[0] in SPECIAL):
            text = value
            value = resolve_plain(text)
            at, title = start + self.base, "Quote this value"
            if type(value) is float and self._expects_value() and too_long(text, value):
                message = "this number is too large; quote it if it is a string"
                end_ = end + self.base
                fault = Fault("syntax-yaml", message, at, end_, title, quote_edits(text, at))
                self.faults.append(fault)
            older = older_reading(text, value)
            if older and (self._expects_value() or isinstance(value, str)):
                self._report_older(text, value, older, at, not anchor)
        node = Scalar(start + self.base, end + self.base, value, style)
        if anchor:
            self._anchor(event, node)
        self._place(node)

    def _expects_value(self) -> bool:
        """Whether the next node is a value, not the key of a mapping."""
        return not (self.stack and type(self.stack[-1]) is Mapping and self.keys[-1] is None)

    def _after_properties(self, start: int) -> int:
        properties = _PROPERTIES.match(self.text, start)
        return properties.end() if properties else start

    def _report_older(self, text: str, value: Any, older: str, start: int, safe: bool) -> None:
        end = start + len(text)
        if len(self.faults) >= MOST_REPORTED:
            self.faults.append(Fault("value-yaml-1.1", _OLDER, start, end))
            return
        message = f"YAML 1.1 readers read {text} as {older}; quote it"
        title, edits = "Quote this value", quote_edits(text, start)
        if not isinstance(value, str) and older == "a string":
            message = f"YAML 1.1 readers read {text} as a string; write {value}"
            title, edits = f"Write {value}", ((start, end, str(value)),)
        self.faults.append(Fault("value-yaml-1.1", message, start, end, title, edits, safe))

    def _unhide(self, value: str, start: int, end: int, style: str) -> Scalar:
        """Restore the true characters of a scalar; report those that need quotes."""
        hidden_characters = self.repairs.hidden_characters
        offsets = sorted(at for at in hidden_characters if start <= at < end)
        parts = value.split(self.repairs.mark)
        for index, at in enumerate(offsets):
            parts[index] += hidden_characters[at]
        value = "".join(parts)
        first, base = offsets[0], self.base
        if style == "double":
            message = "a backslash in double quotes starts an escape; write \\\\ for a literal one"
            fault = Fault("syntax-yaml", message, first + base, first + base + 2)
            fault.title = "Double the backslash"
            fault.edits = tuple((at + base, at + base, "\\") for at in offsets)
            self.faults.append(fault)
            return Scalar(start + base, end + base, value, style)
        if len(value) > 2 and value[0] in "\"'" and value[-1] == value[0]:
            self._report_inner_quote(start, end)
            return Scalar(start + base, end + base, value[1:-1], _STYLES[value[0]])
        edits = quote_edits(self.original[start:end], start + base)
        char = hidden_characters[first]
        message = f"{char} has a special meaning in YAML here; quote this text"
        if char == ":":
            message = "unquoted `: ` starts a nested value in YAML; quote this text"
        at, title = first + base, "Quote this value"
        self.faults.append(Fault("value-unquoted", message, at, at + 1, title, edits, True))
        return Scalar(start + base, end + base, value, style)

    def _report_inner_quote(self, start: int, end: int) -> None:
        quote = self.original[start]
        inner = [at for at in range(start + 1, end - 1) if self.original[at] == quote]
        if quote == '"':
            inner = [at for at in inner if self.original[at - 1] != "\\"]
        mark = "\\" if quote == '"' else "'"
        base = self.base
        first = (inner or [start])[0] + base
        message = f"this {quote} ends the value; escape it"
        edits = tuple((at + base, at + base, mark) for at in inner)
        title = "Escape the quote"
        self.faults.append(Fault("value-unquoted", message, first, first + 1, title, edits, True))

    def _keep_number_sign(self, node: Scalar) -> None:
        """In a description, ` #` was probably not intended to start a comment."""
        end = node.end - self.base
        comment = _COMMENT.match(self.original, end)
        if not comment or node.start == node.end or _SUPPRESSION.match(comment.group()):
            return
        start = node.start - self.base
        raw = self.original[start : comment.end()].rstrip()
        at = self.original.index("#", end) + self.base
        message = "unquoted ` #` starts a comment in YAML, so the rest is lost; quote this text"
        # Not safe: other readers take it for a comment, and so may the author.
        fault = Fault("value-unquoted", message, at, at + 1, "Quote this value")
        fault.edits = quote_edits(raw, node.start)
        self.faults.append(fault)
        node.end = node.start + len(raw)
        node.value = str(node.value) + raw[end - start :]


def _size(target: Node | None, limit: int) -> int:
    """The number of nodes of an alias, including aliases within it, up to a limit."""
    count = 0
    stack = [target]
    while stack and count < limit:
        node = stack.pop()
        count += 1
        if isinstance(node, Mapping):
            stack += [entry.value for entry in node.entries]
        elif isinstance(node, Sequence):
            stack += node.items
        elif isinstance(node, Alias):
            stack.append(node.target)
    return count


def _resolve_tagged(text: str, tag: str) -> Any:
    """The value of a scalar with a tag of the core schema: `!!str` makes anything a string."""
    if tag in ("!", f"{_CORE}str", f"{_CORE}timestamp"):
        return text
    value = resolve_plain(text)
    if tag == f"{_CORE}float" and type(value) is int:
        return float(value) if abs(value) < 1 << 1000 else float("inf")
    return value


MISPLACED_TEXT = "unexpected text; check its indentation"
ESCAPE = "unknown escape in double quotes"

_REASONS = (
    ("mapping values are not allowed", "unexpected `: ` here; quote the text if it is one value"),
    ("could not find expected ':'", "missing colon after this key"),
    ("cannot start any token", "a value cannot start with this character; quote it"),
    ("unknown escape", ESCAPE),
    ("unexpected end of stream", "unclosed quote"),
    ("document indicator", "unclosed quote"),
    ("',' or ']'", "unclosed list or missing comma"),
    ("',' or '}'", "unclosed mapping or missing comma"),
    ("expected '-' indicator", "expected a list item: a dash at the same indentation"),
    ("sequence entries are not allowed", "a list item is not allowed here"),
    ("expected comment or line break", "only a comment may follow | or >"),
    ("chomping or indentation", "only a comment may follow | or >"),
    ("expected <block end>", MISPLACED_TEXT),
    ("expected key", MISPLACED_TEXT),
)


class YamlProblem(Exception):
    """The place where a text stops being YAML, as offsets into that text, and the reason."""

    def __init__(
        self, message: str, index: int, context: int | None = None, rule: str = "syntax-yaml"
    ) -> None:
        super().__init__(message)
        self.message = message
        self.index = index
        self.context = context
        self.rule = rule


def _problem_of(error: MarkedYAMLError, length: int) -> YamlProblem:
    """Translate libyaml's error for a text of the given length."""
    problem = f"{error.problem}"
    message = next((ours for theirs, ours in _REASONS if theirs in problem), "not valid YAML")
    mark, context = error.problem_mark, error.context_mark
    index = min(mark.index, length) if mark else length
    return YamlProblem(message, index, context.index if context else None)
