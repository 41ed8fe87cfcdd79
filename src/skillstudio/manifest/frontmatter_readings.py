"""Read frontmatter as each target does: where it ends, which YAML, which types of words.

If our reading has no fault, it is used for all targets; else the text is parsed again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, Literal, NamedTuple

from skillstudio.manifest.dialect import Skill
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.node import (
    MAX_DEPTH,
    Document,
    Mapping,
    Missing,
    Node,
    Scalar,
    Sequence,
    resolve,
)
from skillstudio.text.reading.markdown import Markdown
from skillstudio.text.reading.yaml_scalars import older_reading
from skillstudio.text.source import BOM, Span

_MATCH_OPENS = lazy_pattern(r"---(?:\r\n|\n|\r)")
_MATCH_CLOSES = lazy_pattern(r"(?:\r\n|\n|\r)---")
_EXACT_CLOSES = lazy_pattern(r"(?:\r\n|\n|\r)---(?=[\r\n]|\Z)")
_FREE_TEXT = lazy_pattern(
    r"^(?P<quote>[\"']?)(?P<key>description|summary|read_when)(?P=quote):[ \t]*"
    r"(?![|>](?:[1-9][+-]?|[+-][1-9]?)?[ \t]*$)(?P<value>\S[^\n]*)",
    re.MULTILINE,
)
_FIRST_OPENS = lazy_pattern(r"---\s*\n")
_TOP_LEVEL = lazy_pattern(r"([a-zA-Z_-]+):\s+(\S.*)")
_SPECIAL = lazy_pattern(r"[{}\[\]*&#!|>%@`]|: ")
_TABS = lazy_pattern(r"^\t+", re.MULTILINE)
_LINE_END = lazy_pattern(r"\r\n|\r")
_OLD_LINE_END = lazy_pattern("[\x85\u2028\u2029]")
_KEY_LINE = lazy_pattern(r"\s*(name|description):(.*)")
_QUOTED_AT = lazy_pattern(r"[\"']?[a-zA-Z_][a-zA-Z0-9_]*[\"']?\s*:")
_DASHES = lazy_pattern(r"^-{3,}\s*$", re.MULTILINE)
_PROPERTY = lazy_pattern(r"(?:^|[\s:,\[{-])[&!]\S", re.MULTILINE)
_DISPUTED_SPACE = lazy_pattern("[\t\ufeff\x85\u2028\u2029]")
"""White space that libyaml and Python parsers treat differently."""
_ALWAYS_READ = frozenset(("value-yaml-1.1", "alias-used"))
"""Faults of our reading that do not keep others from reading the whole text."""
_NOT_YAML = "the frontmatter is not valid YAML"
LONG = 5000  # For longer texts, a rejection by libyaml is final: it is ten times as fast.
GIANT = 16 * 1024
"""Longer texts are read only by libyaml, although it treats some white space differently, because
the Python parser would take seconds."""
TOO_LONG = 128 * 1024
"""Longer texts are not read again: frontmatter normally has some hundred characters."""
_BLOCK = ("|", ">")
_SERDE = ("serde", "serde-repairing")
_NULLS = ("null", "Null", "NULL", "~")
_COMMENT = lazy_pattern(r"\s#")
_SEPARATOR = lazy_pattern(r":\s")


class UnreadableFrontmatter(NamedTuple):
    """A frontmatter that a target cannot read, and the reason."""

    reason: str
    span: Span | None = None
    fault: Literal["none", "broken", "duplicate"] = "broken"


Readings = dict[tuple[str, str], "FrontmatterReading | UnreadableFrontmatter"]
"""How one skill is read, by the opening and the YAML of its targets."""


class FrontmatterReading(NamedTuple):
    """The keys of the frontmatter as a target reads them."""

    keys: list[str]
    text: Callable[[str], str | None]
    """The value of a key; None if it is not a string for this target."""
    document: Document | None

    def value(self, key: str) -> Any:
        """The value at a key, or below one as in `metadata/internal`; None without it."""
        value = self.document.value if self.document is not None else None
        for part in key.split("/"):
            value = value.get(part) if isinstance(value, dict) else None
        return value

    def span(self, key: str, on_key: bool = False) -> Span | None:
        """The span of a value or a key; otherwise the opening line."""
        document = self.document
        if document is None:
            return None
        if not key:
            return document.opening_line
        node = document.at(f"/{key}")
        return node.span if node is not None and not on_key else document.key_span(f"/{key}")


def read_as(
    skill: Skill, opening_style: str, yaml: str, readings: Readings
) -> FrontmatterReading | UnreadableFrontmatter:
    """Read a frontmatter in one of the ways of `targets/`; `readings` keeps the readings.

    Openings: between two `---` lines ("lines"), the same with spaces around `---` but nothing else
    ("trimmed"), the same below empty lines ("dashes"), two `---` of which the first starts the file
    ("split"), a `---` line that starts the file and the next `---` ("first"), any two `---`
    ("anywhere"), `---` at two line starts ("match"; "match-bom" after a byte order mark, too), the
    same with anything after the first ("prefix"), two lines that are exactly `---` ("exact"),
    gray-matter's ("gray-matter").
    YAML: 1.2 ("core"), strictyaml ("strict"), 1.1 ("old"), serde_yaml, which reads each scalar as a
    string ("serde"); js-yaml 3 ("js"); with quotes added where needed ("repairing"), as Codex does
    ("serde-repairing"), as Claude Code does ("quoting"), only around values with a colon ("colons")
    or around descriptions, as OpenClaw does ("free-text"); line by line after a failure, as Gemini
    CLI ("lines") or Qwen Code ("simple") does.
    """
    how = (opening_style, yaml)
    if how not in readings:
        readings[how] = _read(skill, opening_style, yaml)
    return readings[how]


def _read(
    skill: Skill, opening_style: str, yaml: str
) -> FrontmatterReading | UnreadableFrontmatter:
    markdown = skill.markdown
    if markdown is None:
        return UnreadableFrontmatter("has no SKILL.md")
    text = markdown.source.text
    by_lines = _LINE_READERS.get(yaml)
    in_node = opening_style in _NODE_OPENINGS or by_lines is not None
    # Node.js replaces what is not UTF-8.
    if "\ufffd" in text and not in_node and not _is_utf8(skill, markdown.source.path):
        return UnreadableFrontmatter("the file is not UTF-8")
    span = _OPENINGS[opening_style](markdown)
    if isinstance(span, UnreadableFrontmatter):
        return span
    document = skill.front.document if skill.front else None
    inner = text[span.start : span.end]
    if document is None or not _is_same(document, span) or not _is_sound(document, yaml, inner):
        if by_lines is not None:
            return by_lines(inner, document)
        return _read_again(inner, yaml, document, markdown.opening)
    root = resolve(document.root)
    if not isinstance(root, Mapping):
        if by_lines is not None:
            return by_lines(inner, document)
        return UnreadableFrontmatter("the frontmatter is not a mapping", markdown.opening)
    refusal = _strict_refusal(document) if yaml == "strict" else None
    if refusal is not None:
        return refusal
    of = _TEXTS.get(yaml, _core_text)

    def value(key: str) -> str | None:
        return of(resolve(root.get(key)), document)

    if yaml == "lines" and not (value("name") is not None and value("description") is not None):
        return _read_lines(inner, document)
    keys = [entry.name for entry in root.entries]
    is_wrong = any(key in keys and value(key) is None for key in ("name", "description"))
    # Codex repairs what does not fit its types, too: `{a: b}` becomes a text.
    if yaml == "serde-repairing" and is_wrong and (repaired_text := _quote_values(inner)) != inner:
        return _read_again(repaired_text, yaml, document, markdown.opening)
    return FrontmatterReading(keys, value, document)


def _by_lines(markdown: Markdown) -> Span | UnreadableFrontmatter:
    if markdown.frontmatter is None:
        return UnreadableFrontmatter("no frontmatter", None, "none")
    if any(fault.rule == "frontmatter-unclosed" for fault in markdown.faults):
        reason = "the frontmatter has no closing --- line"
        return UnreadableFrontmatter(reason, markdown.opening, "none")
    return markdown.frontmatter


def _by_trimmed(markdown: Markdown) -> Span | UnreadableFrontmatter:
    text = markdown.source.text
    start = at = text.find("\n") + 1
    if start and text[:start].strip() == "---":
        while at < len(text):
            end = text.find("\n", at) + 1 or len(text)
            if text[at:end].strip() == "---":
                if at > start:
                    return Span(start, at)
                break
            at = end
    return UnreadableFrontmatter("no frontmatter between two --- lines", None, "none")


def _by_first(markdown: Markdown) -> Span | UnreadableFrontmatter:
    text = markdown.source.text
    start = len(BOM) if text.startswith(BOM) else 0
    opens = _FIRST_OPENS.match(text, start)
    if opens is None:
        return UnreadableFrontmatter("the file does not start with a --- line", None, "none")
    end = text.find("---", opens.end())
    if end < 0:
        return UnreadableFrontmatter("the frontmatter has no closing ---", markdown.opening, "none")
    return Span(opens.end(), end)


def cut_at(markdown: Markdown) -> Span | None:
    """Where the first `---` is in the frontmatter, if one is before the closing line."""
    front = markdown.frontmatter
    at = markdown.source.text.find("---", *front) if front is not None else -1
    return Span(at, at + 3) if at >= 0 else None


def _by_split(markdown: Markdown) -> Span | UnreadableFrontmatter:
    if not markdown.source.text.startswith("---"):
        return UnreadableFrontmatter("the file does not start with ---", None, "none")
    return _anywhere(markdown)


def _anywhere(markdown: Markdown) -> Span | UnreadableFrontmatter:
    text = markdown.source.text
    start = text.find("---")
    end = text.find("---", start + 3)
    if start < 0:
        return UnreadableFrontmatter("no frontmatter", None, "none")
    if end < 0:
        return UnreadableFrontmatter("the frontmatter has no closing ---", markdown.opening, "none")
    return Span(start + 3, end)


def _by_dashes(markdown: Markdown) -> Span | UnreadableFrontmatter:
    text = markdown.source.text
    opens = _DASHES.search(text)
    closes = _DASHES.search(text, opens.end()) if opens else None
    if opens is None or closes is None or text[: opens.start()].strip():
        return UnreadableFrontmatter("no frontmatter between two --- lines", None, "none")
    return Span(opens.end(), closes.start())


def _by_gray_matter(markdown: Markdown) -> Span | UnreadableFrontmatter:
    text = markdown.source.text
    start = len(text) - len(text.removeprefix(BOM))
    if not text.startswith("---", start) or text.startswith("-", start + 3):
        return UnreadableFrontmatter("the file does not start with ---", None, "none")
    end = text.find("\n---", start + 3)
    return Span(start + 3, end if end >= 0 else len(text))


def _by_prefix(markdown: Markdown) -> Span | UnreadableFrontmatter:
    text = markdown.source.text
    if not text.startswith("---"):
        return UnreadableFrontmatter("the file does not start with ---", None, "none")
    closes = _MATCH_CLOSES.search(text, 3)
    if closes is None:
        return UnreadableFrontmatter("the frontmatter has no closing ---", markdown.opening, "none")
    start = min(4, closes.start())  # It reads on after one character, whatever that is.
    return Span(start, closes.start())


def _by_match_bom(markdown: Markdown) -> Span | UnreadableFrontmatter:
    return _by_match(markdown, len(BOM) if markdown.source.text.startswith(BOM) else 0)


def _by_exact(markdown: Markdown) -> Span | UnreadableFrontmatter:
    start = len(BOM) if markdown.source.text.startswith(BOM) else 0
    return _by_match(markdown, start, _EXACT_CLOSES, "exactly ---")


def _by_match(
    markdown: Markdown, start: int = 0, closing_pattern: Any = _MATCH_CLOSES, line: str = "---"
) -> Span | UnreadableFrontmatter:
    text = markdown.source.text
    opens = _MATCH_OPENS.match(text, start)
    if opens is None:
        return UnreadableFrontmatter("the file does not start with a --- line", None, "none")
    closes = closing_pattern.search(text, opens.end())
    if closes is None:
        reason = f"the frontmatter has no closing {'line that is ' * (line != '---')}{line}"
        return UnreadableFrontmatter(reason, markdown.opening, "none")
    return Span(opens.end(), closes.start())


_OPENINGS: dict[str, Callable[[Markdown], Span | UnreadableFrontmatter]] = {
    "lines": _by_lines,
    "trimmed": _by_trimmed,
    "split": _by_split,
    "first": _by_first,
    "anywhere": _anywhere,
    "match": _by_match,
    "match-bom": _by_match_bom,
    "prefix": _by_prefix,
    "exact": _by_exact,
    "dashes": _by_dashes,
    "gray-matter": _by_gray_matter,
}
_NODE_OPENINGS = ("gray-matter", "match-bom", "prefix", "exact")


def _is_same(document: Document, span: Span) -> bool:
    """Whether a span contains the same YAML as our reading, except for line endings and spaces."""
    text, document_span = document.source.text, document.span
    before = text[min(span.start, document_span.start) : max(span.start, document_span.start)]
    after = text[min(span.end, document_span.end) : max(span.end, document_span.end)]
    return not before.strip() and not after.strip()


def _is_sound(document: Document, yaml: str, text: str) -> bool:
    """Whether the target would read the text as we do."""
    faults = {fault.rule for fault in document.faults} - _ALWAYS_READ
    if yaml in ("strict", "old") and _DISPUTED_SPACE.search(document.source.text, *document.span):
        return False
    if yaml == "repairing":
        return not faults & {"syntax-yaml", "nesting-too-deep", "control-character"}
    if yaml == "colons" and _are_colons(document):
        faults -= {"value-unquoted", "key-duplicate"}
    if yaml in _SERDE:
        faults -= {"key-duplicate"}
    if faults == {"value-unquoted"} and yaml not in ("strict", "old") and len(text) <= TOO_LONG:
        # What needs quotes to mean what it says can be valid without them, as `a # b`.
        return _events(text) is not None
    return not faults


def _are_colons(document: Document) -> bool:
    """Whether all values that need quotes have a colon, and a key that OpenCode quotes them at."""
    text = document.source.text
    for fault in document.faults:
        if fault.rule == "value-unquoted":
            line = text[text.rfind("\n", 0, fault.start) + 1 : fault.start]
            if ":" not in text[fault.start : fault.end] or not _QUOTED_AT.match(line):
                return False
    return True


def _is_utf8(skill: Skill, path: str) -> bool:
    try:
        skill.tree.read(path).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return True


def _core_text(node: Node | None, _document: Document) -> str | None:
    return node.value if isinstance(node, Scalar) and isinstance(node.value, str) else None


def _old_text(node: Node | None, document: Document) -> str | None:
    """The string value for YAML 1.1 readers, for whom `yes` and `2025-01-01` are not strings."""
    if not isinstance(node, Scalar):
        return None
    if node.style != "plain":
        return node.value if isinstance(node.value, str) else None
    scalar_text = document.source.text[node.start : node.end]
    older = older_reading(scalar_text, node.value) if "\n" not in scalar_text else ""
    if isinstance(node.value, str):
        return None if older else node.value
    return scalar_text if older == "a string" else None


def _any_text(node: Node | None, document: Document) -> str | None:
    """Every scalar is a string for strictyaml, as written."""
    if isinstance(node, Missing):
        return ""
    if not isinstance(node, Scalar):
        return None
    if isinstance(node.value, str):
        return node.value
    return document.source.text[node.start : node.end]


def _serde_text(node: Node | None, document: Document) -> str | None:
    """As for strictyaml, but null is no text."""
    text = _any_text(node, document)
    return "" if isinstance(node, Scalar) and node.value is None else text


def _js_text(node: Node | None, document: Document) -> str | None:
    """The string value for js-yaml 3, for which dates are not strings."""
    text = _core_text(node, document)
    scalar_text = document.source.text[node.start : node.end] if node is not None else ""
    return None if text and older_reading(scalar_text, text) == "a date" else text


def _string_text(node: Node | None, document: Document) -> str | None:
    """The string that JavaScript makes of a value: none of a mapping."""
    if isinstance(node, Sequence):
        return ",".join(_string_text(resolve(item), document) or "" for item in node.items)
    return _serde_text(node, document)


def _any_json(node: Node | None, document: Document) -> str | None:
    """The string that OpenClaw makes of a value, of a list or mapping its JSON."""
    if isinstance(node, Mapping | Sequence):
        return document.source.text[node.start : node.end]
    return _any_text(node, document)


_TEXTS = {
    "free-text": _any_json,
    "simple": _string_text,
    "strict": _any_text,
    "serde": _serde_text,
    "serde-repairing": _serde_text,
    "old": _old_text,
    "js": _js_text,
    "colons": _js_text,
}


def _read_lines(text: str, document: Document | None) -> FrontmatterReading:
    """Find the last `name:` and `description:` at the start of a line."""
    values: dict[str, str] = {}
    key = ""
    for line in _LINE_END.sub("\n", text).split("\n"):
        match = _KEY_LINE.match(line)
        if key == "description" and line[:1] in (" ", "\t") and line.strip():
            values[key] = f"{values[key]} {line.strip()}".strip()
        elif match is not None:
            key = match[1]
            values[key] = match[2].strip()
        else:
            key = ""
    return FrontmatterReading([*values], values.get, document)


def _read_simple(text: str, document: Document | None) -> FrontmatterReading:
    """Read each line with a colon as a key and its value, lists and mappings only two spaces in."""
    values: dict[str, str | None] = {}
    key, kind = "", ""
    for line in _LINE_END.sub("\n", text).split("\n"):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if line.startswith("  - ") and kind != "mapping":
            values[key] = ",".join(filter(None, (values.get(key), line[4:].strip())))
            continue
        if line.startswith("  ") and (kind == "mapping" or (kind == "key" and key)):
            values[key], kind = None, "mapping"
            continue
        name, colon, value = line.partition(":")
        key, kind = name.strip(), "value"
        if colon and (value := value.strip()):
            is_quoted = len(value) > 1 and value[0] == value[-1] == '"'
            values[key] = value[1:-1] if is_quoted else "" if value == "null" else value
        elif colon:
            kind = "key"
    return FrontmatterReading([*values], values.get, document)


_LINE_READERS = {"lines": _read_lines, "simple": _read_simple}


def _strict_refusal(document: Document) -> UnreadableFrontmatter | None:
    """Syntax that strictyaml does not allow in otherwise valid YAML."""
    for fault in document.faults:
        if fault.rule == "alias-used":
            span = Span(fault.start, fault.end)
            return UnreadableFrontmatter("anchors and aliases are not supported", span)
    text = document.source.text[document.span.start : document.span.end]
    # Few texts have such a character, and the search takes long.
    has_marks = "&" in text or "!" in text
    if has_marks and _PROPERTY.search(text) and (len(text) > TOO_LONG or _has_properties(text)):
        return UnreadableFrontmatter("anchors and tags are not supported")
    stack: list[Node] = [document.root]
    while stack:
        node = stack.pop()
        if not isinstance(node, Mapping) and not isinstance(node, Sequence):
            continue
        if node.flow:
            span = Span(node.start, node.start + 1)
            return UnreadableFrontmatter("values in [] or {} are not supported", span)
        if isinstance(node, Mapping):
            values = [entry.value for entry in node.entries if type(entry.value) is not Scalar]
            inner = [value for value in values if isinstance(value, Mapping)]
            columns = {document.source.position(value.start).column for value in inner[:100]}
            if len(inner) > 1 and len(columns) > 1:
                return UnreadableFrontmatter("indentation must be consistent", inner[1].span)
            stack += values
        else:
            stack += node.items
    return None


def _has_properties(text: str) -> bool:
    """Whether a YAML text has an anchor or a tag outside scalars."""
    events = _events(text)
    return events is None or _any_has(events, "anchor", "tag")


class _Unreadable(Exception):
    """A text that is nested more deeply than any reader supports, or has an undefined alias."""


def _shallow(events: Iterable[Any]) -> Iterator[Any]:
    """The events of a parser; raises _Unreadable beyond `MAX_DEPTH` levels, and at an alias
    without its anchor."""
    depth = 0
    anchors: set[str] = set()
    for event in events:
        name = type(event).__name__
        if (anchor := getattr(event, "anchor", None)) is not None:
            if name == "AliasEvent" and anchor not in anchors:
                raise _Unreadable
            anchors.add(anchor)
        depth += name.endswith("StartEvent") - name.endswith("EndEvent")
        if depth > MAX_DEPTH:
            raise _Unreadable
        yield event


def _events(text: str) -> list[Any] | None:
    """The parser's events, None for a text that is not YAML or too deep to load safely."""
    import yaml
    from yaml import YAMLError, parse

    events: list[Any] = []
    try:
        if LONG < len(text) <= GIANT:
            # libyaml rejects broken text much faster than the Python parser.
            for _ in _shallow(parse(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))):
                pass
        events += _shallow(parse(text, _loader("SafeLoader", text)))
    except (YAMLError, _Unreadable):
        return None
    return events


def _read_again(
    text: str, yaml: str, document: Document | None, opening: Span
) -> FrontmatterReading | UnreadableFrontmatter:
    faults = document.faults if document is not None else []
    first = next((f for f in faults if f.rule not in _ALWAYS_READ), None)
    where = Span(first.start, first.end) if first else opening
    reason = _NOT_YAML if first is None else f"{_NOT_YAML}: {first.message}"
    if yaml not in ("strict", "old", "quoting", "free-text", *_SERDE):
        twice = first is not None and first.rule == "key-duplicate"
        return UnreadableFrontmatter(reason, where, "duplicate" if twice else "broken")
    if len(text) > TOO_LONG:
        return UnreadableFrontmatter("the frontmatter is very long and contains errors", where)
    original_text = text
    text = _LINE_END.sub("\n", text)
    if yaml == "serde-repairing" and _events(text) is None:
        text = _quote_values(text)
    if yaml == "quoting" and _events(text) is None:
        text = _TABS.sub(_spaces, _LINE_END.sub("\n", _quote_top_level(original_text)))
    if yaml == "free-text" and _events(text) is None:
        text = _FREE_TEXT.sub(_quoted_line, text)
    if yaml == "strict":
        # Line ends of YAML 1.1 only; U+3000, which is not white space in YAML, replaces them for
        # 1.2.
        text = _OLD_LINE_END.sub("\u3000", text)
    events = _events(text)
    if events is None:
        return UnreadableFrontmatter(reason, where)
    if yaml == "strict":
        if _any_has(events, "anchor", "tag", "flow_style"):
            return UnreadableFrontmatter("[], {}, anchors and tags are not supported", where)
        blocks = [event.value for event in events if getattr(event, "style", None) in _BLOCK]
        if any("\u3000" in block for block in blocks):
            # Within a block it still treats them as line ends, which ends the block.
            return UnreadableFrontmatter(_NOT_YAML, where)
    if yaml in ("strict", "free-text"):
        if _has_duplicates(text):
            return UnreadableFrontmatter("a key is duplicated", where, "duplicate")
    elif "<<" in text and any(type(event).__name__ == "AliasEvent" for event in events):
        # Merged mappings can grow without bound, so they are not loaded.
        return UnreadableFrontmatter(_NOT_YAML, where)
    value = _load(text, "SafeLoader" if yaml == "old" else "BaseLoader")
    if value is None:
        return UnreadableFrontmatter(_NOT_YAML, where)
    if not isinstance(value, dict):
        return UnreadableFrontmatter("the frontmatter is not a mapping", opening)

    def text_of(key: str) -> str | None:
        field_value = value.get(key)
        if yaml in _SERDE and field_value in _NULLS:
            return ""
        if yaml == "free-text" and isinstance(field_value, list | dict):
            return _as_json(field_value)
        return field_value if isinstance(field_value, str) else None

    return FrontmatterReading([str(key) for key in value], text_of, document)


def _quote_values(text: str) -> str:
    """Quote the values of one line that Codex quotes in an invalid text: with a colon, or broken
    flow collections and reserved characters."""
    lines, block = text.split("\n"), -1
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip(" "))
        if block >= 0 and (indent > block or not line.strip()):
            continue
        block = -1
        key, _, rest = line.partition(":")
        comment = _COMMENT.search(rest)
        value = rest[: comment.start() if comment else len(rest)].strip()
        if not key.strip() or not value or not rest[0].isspace() or value[0] in "'\"":
            continue
        if value[0] in _BLOCK:
            block = indent
        elif (
            _SEPARATOR.search(value)
            or value[0] in "@`"
            or (value[0] in "[{" and _events(value) is None)
        ):
            quoted_value = value.replace("'", "''")
            lines[number] = f"{key}: '{quoted_value}'"
    return "\n".join(lines)


def _quoted_line(line: re.Match[str]) -> str:
    """Quote a whole value as OpenClaw does, others than descriptions only with a colon."""
    value = line["value"].strip()
    if line["key"] != "description" and ": " not in value:
        return line[0]
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
        value = value[1:-1]
    return f"{line['key']}: {_as_json(value)}"


def _as_json(value: Any) -> str:
    import json  # Few frontmatters need it, and it takes a fiftieth of the time of a check.

    return json.dumps(value)


def _quote_top_level(text: str) -> str:
    """Quote the values of one line that Claude Code quotes in an invalid text: those of top-level
    keys with special characters, except a whole quotation and a valid list.

    A line that ends with a carriage return does not match its pattern.
    """
    lines = text.split("\n")
    for number, line in enumerate(lines):
        match = _TOP_LEVEL.fullmatch(line)
        if match is None or line.endswith("\r") or not _SPECIAL.search(value := match[2]):
            continue
        is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
        is_list = value[0] == "[" and value[-1] == "]" and _events(value) is not None
        if not is_quoted and not is_list:
            escaped_value = value.replace("\\", "\\\\").replace('"', '\\"')
            lines[number] = f'{match[1]}: "{escaped_value}"'
    return "\n".join(lines)


def _spaces(tabs: re.Match[str]) -> str:
    return "  " * len(tabs[0])


def _any_has(events: list[Any], *fields: str) -> bool:
    return any(getattr(event, field, None) for event in events for field in fields)


def _has_duplicates(text: str) -> bool:
    """Whether a mapping of a safe text has a duplicate key; False if it cannot be composed."""
    from yaml import YAMLError

    try:
        stack = [_loader("BaseLoader", text)(text).get_single_node()]
    except YAMLError:  # libyaml rejects a reused anchor.
        return False
    while stack:
        node = stack.pop()
        if getattr(node, "id", "") == "mapping":
            keys = [key.value for key, _ in node.value if isinstance(key.value, str)]
            if len(set(keys)) < len(keys):
                return True
            stack += [value for _, value in node.value]
        elif getattr(node, "id", "") == "sequence":
            stack += node.value
    return False


def _load(text: str, loader: str) -> Any:
    from yaml import YAMLError

    try:
        return _loader(loader, text)(text).get_single_data()
    except (YAMLError, ValueError, TypeError, OverflowError, RecursionError):
        return None


def _loader(name: str, text: str) -> Any:
    """The loader in Python, which those programs use; libyaml's for a giant text."""
    import yaml

    loader = _overriding_loader() if name == "BaseLoader" else getattr(yaml, name)
    return getattr(yaml, f"C{name}", loader) if len(text) > GIANT else loader


@cache
def _overriding_loader() -> Any:
    """PyYAML's loader of texts for parsers that let a node reuse an anchor, as YAML 1.2 does
    (3.2.2.2) and PyYAML does not."""
    from yaml import AliasEvent, BaseLoader

    class OverridingLoader(BaseLoader):
        def compose_node(self, parent: Any, index: Any) -> Any:
            if not self.check_event(AliasEvent):
                self.anchors.pop(self.peek_event().anchor, None)  # type: ignore[no-untyped-call]
            return super().compose_node(parent, index)

    return OverridingLoader
