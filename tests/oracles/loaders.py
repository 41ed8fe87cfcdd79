"""What five clients do with the text of a SKILL.md, written from their sources.

Each function names the repository, commit, file and lines that it follows. It shares no code with
skillstudio, so that a fault there is not repeated here; YAML is read with PyYAML.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import yaml


class Loaded(NamedTuple):
    """A skill as a client lists it."""

    name: str
    description: str


class _Refused(Exception):
    """A text that a YAML reader rejects."""


class _Core(yaml.SafeLoader):
    """YAML 1.2 types, and no key twice."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}


class _Dates(_Core):
    """The same with dates, as js-yaml 3."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}


_NUMBER = r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+"
for _loader in (_Core, _Dates):
    for _tag, _pattern in (
        ("null", r"~|null|Null|NULL|"),
        ("bool", r"true|True|TRUE|false|False|FALSE"),
        ("float", rf"{_NUMBER}|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"),
    ):
        _loader.add_implicit_resolver(
            f"tag:yaml.org,2002:{_tag}", re.compile(f"(?:{_pattern})$"), None
        )
_Dates.add_implicit_resolver(
    "tag:yaml.org,2002:timestamp", re.compile(r"\d{4}-\d\d-\d\d$"), list("0123456789")
)


def _no_key_twice(loader: yaml.SafeLoader, node: yaml.MappingNode, deep: bool = False) -> Any:
    keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
    if len(set(keys)) < len(keys):
        raise yaml.YAMLError("a key is repeated")
    return yaml.SafeLoader.construct_mapping(loader, node, deep=True)


for _loader in (_Core, _Dates):
    _loader.add_constructor("tag:yaml.org,2002:map", _no_key_twice)
    _loader.add_constructor("tag:yaml.org,2002:float", lambda loader, node: 1.0)
_Core.add_constructor(None, lambda loader, node: loader.construct_scalar(node))


def _read(text: str, loader: type[yaml.SafeLoader]) -> Any:
    try:
        return yaml.load(text, loader)
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        raise _Refused from error


def _struct(text: str, known: set[str]) -> dict[str, yaml.Node]:
    """The fields of a serde struct: unknown keys are ignored, known ones stand once."""
    try:
        root = yaml.compose(text, yaml.SafeLoader)
        yaml.load(text, yaml.BaseLoader)
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        raise _Refused from error
    if not isinstance(root, yaml.MappingNode):
        raise _Refused
    found: dict[str, yaml.Node] = {}
    for key, value in root.value:
        if key.value in known and key.value in found:
            raise _Refused
        found[key.value] = value
    return found


def _serde_text(node: yaml.Node | None) -> str | None:
    """An optional string: every scalar is one, except for null."""
    if node is None:
        return None
    if not isinstance(node, yaml.ScalarNode):
        raise _Refused
    plain = node.style is None and node.value in ("", "~", "null", "Null", "NULL")
    return None if plain else str(node.value)


def _lines(text: str) -> list[str]:
    return [line.removesuffix("\r") for line in text.split("\n")]


def codex(data: bytes, folder: str) -> Loaded | None:
    """openai/codex@6162409 codex-rs/core-skills/src/loader.rs.

    extract_frontmatter, parse_skill_frontmatter_metadata_inner, repair_frontmatter_scalar_fields,
    sanitize_single_line and validate_len: after a failure, values with a colon and a space are
    quoted and the text is read once more; the name has 64 characters at most; the description is
    required.
    """
    lines = _lines(data.decode())
    if lines[0].strip() != "---":
        return None
    closing = next((n for n, line in enumerate(lines) if n and line.strip() == "---"), 1)
    if closing < 2:
        return None
    text = "\n".join(lines[1:closing])
    try:
        fields = _codex_fields(text)
    except _Refused:
        fields = _codex_fields(_codex_repaired(lines[1:closing]))
    name = " ".join(fields["name"].split()) or folder
    description = " ".join(fields["description"].split())
    return Loaded(name, description) if description and len(name) <= 64 else None


def _codex_fields(text: str) -> dict[str, str]:
    """The struct of a text; raises _Refused for a key of another type, too."""
    fields = _struct(text, {"name", "description", "metadata"})
    metadata = fields.get("metadata")
    if not isinstance(metadata, yaml.MappingNode) and _serde_text(metadata):
        raise _Refused
    if isinstance(metadata, yaml.MappingNode):
        for key, value in metadata.value:
            if key.value == "short-description":
                _serde_text(value)
    return {key: _serde_text(fields.get(key)) or "" for key in ("name", "description")}


def _codex_repaired(lines: list[str]) -> str:
    found, inside = [], -1
    for line in lines:
        indent = re.match(" *", line).end()  # type: ignore[union-attr]
        if inside >= 0 and (not line.strip() or indent > inside):
            found.append(line)
            continue
        inside = -1
        head, colon, tail = line.partition(":")
        value = re.split(r"(?:^|(?<=\s))#", tail.strip(), maxsplit=1)[0].strip()
        if head.strip() and colon and value and tail[0].isspace():
            if value[0] in "|>":
                inside = indent
            elif value[0] not in "'\"" and (re.search(r":\s", value) or _is_broken_flow(value)):
                line = head + ": '" + value.replace("'", "''") + "'"
        found.append(line)
    return "\n".join(found)


def _is_broken_flow(value: str) -> bool:
    try:
        yaml.compose(value, yaml.SafeLoader)
    except yaml.YAMLError:
        return value[0] in "[{@`"
    return False


def goose(data: bytes, folder: str) -> Loaded | None:
    """block/goose@013ab84 crates/goose/src/skills/mod.rs, @00c3874 crates/goose/src/sources.rs.

    parse_frontmatter splits at each `---`; parse_skill_content requires a name without a slash.
    The description is a string and not an option, so null is the text "null".
    """
    parts = data.decode().split("---")
    if len(parts) < 3:
        return None
    fields = _struct(parts[1].strip(), {"name", "description", "metadata"})
    metadata, description = fields.get("metadata"), fields.get("description")
    if not isinstance(metadata, yaml.MappingNode) and _serde_text(metadata):
        raise _Refused
    if description is not None and not isinstance(description, yaml.ScalarNode):
        raise _Refused
    name = _serde_text(fields.get("name"))
    if not name or "/" in name:
        return None
    return Loaded(name, description.value if description is not None else "")


def opencode(data: bytes, folder: str) -> Loaded | None:
    """anomalyco/opencode@a2cc772 packages/opencode/src/skill/index.ts and config/markdown.ts.

    parse, fallbackSanitization and isSkillFrontmatter: gray-matter, and after a failure the same
    with block scalars for values with a colon; the name and the description are strings.
    """
    text = data.decode(errors="replace").removeprefix("\ufeff")
    if not text.startswith("---") or text.startswith("----"):
        return None
    inner = text[3:].split("\n---", 1)[0]
    try:
        value = _read(inner, _Dates)
    except _Refused:
        value = _read("\n".join(_opencode_line(each) for each in _lines(inner)), _Dates)
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return None
    if not isinstance(value.get("description", ""), str):
        return None
    return Loaded(value["name"], value.get("description", ""))


def _opencode_line(line: str) -> str:
    found = re.match(r"([a-zA-Z_][a-zA-Z0-9_]*)\s*:\s*(.*)$", line)
    if not found or ":" not in found[2] or found[2][0] in "\"'":
        return line
    return f"{found[1]}: |-\n  {found[2].strip()}"


def cline(data: bytes, folder: str) -> Loaded | None:
    """cline/cline@21cb8d2 sdk/packages/core/src/extensions/config/, two files.

    user-instruction-config-loader.ts 198-315: without frontmatter, and without a name, the folder's
    name is used; a skill without instructions, or with another type than a string, is left out.
    Lines 309-311, and user-instruction-plugin.ts 99-104, leave out what is disabled.
    """
    text = data.decode(errors="replace").removeprefix("\ufeff")
    found = re.match(r"---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$", text)
    value = _read(found[1], _Core) if found else {}
    fields = value if isinstance(value, dict) else {}
    if not (found[2] if found else text).strip():
        return None
    for key, kind in (("name", str), ("description", str), ("disabled", bool), ("enabled", bool)):
        if fields.get(key) is not None and not isinstance(fields[key], kind):
            return None
    if fields.get("disabled") or fields.get("enabled") is False:
        return None
    name, description = fields.get("name") or "", fields.get("description") or ""
    return Loaded(name.strip() or folder, description.strip())


def gemini_cli(data: bytes, folder: str) -> Loaded | None:
    """google-gemini/gemini-cli@5411f11 packages/core/src/skills/skillLoader.ts, lines 34-110.

    YAML, and where that gives no two strings, the lines that start with the two keys.
    """
    found = re.match(r"---\r?\n([\s\S]*?)\r?\n---", data.decode(errors="replace"))
    if not found:
        return None
    try:
        value = _read(found[1], _Dates)
    except _Refused:
        value = None
    if isinstance(value, dict):
        name, description = value.get("name"), value.get("description")
        if isinstance(name, str) and isinstance(description, str):
            return Loaded(name, description)
    return _gemini_lines(re.split(r"\r?\n", found[1]))


def _gemini_lines(lines: list[str]) -> Loaded | None:
    fields: dict[str, list[str]] = {}
    key = ""
    for line in lines:
        named = re.match(r"\s*(name|description):\s*(.*)$", line)
        if key == "description" and re.match(r"[ \t]+\S", line):
            fields[key].append(line.strip())
        elif named:
            key = named[1]
            fields[key] = [named[2].strip()]
        else:
            key = ""
    if len(fields) < 2:
        return None
    return Loaded(fields["name"][0], " ".join(each for each in fields["description"] if each))


ORACLES: dict[str, Callable[[bytes, str], Loaded | None]] = {
    "cline": cline,
    "codex": codex,
    "gemini-cli": gemini_cli,
    "goose": goose,
    "opencode": opencode,
}


def loaded(target: str, data: bytes, folder: str) -> Loaded | None:
    """What a client lists of a text in a folder of this name; None if nothing."""
    try:
        return ORACLES[target](data, folder)
    except (_Refused, UnicodeDecodeError):
        return None
