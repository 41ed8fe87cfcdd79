"""Read a PowerShell script: its `param()` block, its help and its probable effects."""

from __future__ import annotations

import re
from typing import Any

from skillstudio.text.scripts import effects
from skillstudio.text.scripts.model import (
    MOST,
    NOTHING,
    Script,
    ScriptCommand,
    ScriptOption,
    Type,
    first_sentence,
)

_TYPES: dict[str, Type] = {
    "int": "integer", "int32": "integer", "int64": "integer", "long": "integer",
    "double": "number", "float": "number", "single": "number", "decimal": "number",
    "bool": "boolean", "boolean": "boolean",
}  # fmt: skip
_COMMENT = re.compile(r"(?<![`\w])#[^\n]*")
_BLOCK_COMMENT = re.compile(r"<#.*?(?:#>|\Z)", re.DOTALL)
_PARAM = re.compile(r"(?im)^[ \t]*param[ \t]*\(")
_PROGRAM = re.compile(r"(?:& ?)?(git|curl|python3?|node)\b([^|;]*)")
_CMDLET = re.compile(r"[a-z]+-[a-z]+")
_ARGUMENTS = re.compile(r"[$@]args\b")  # The variable with the arguments that match no parameter.
_VARIABLE = re.compile(r"\$(\w+)\s*(?:=\s*(.*))?\Z", re.DOTALL)
_ATTRIBUTE = re.compile(r"\[\s*([\w.]+)\s*(?:\((.*?)\))?\s*(\[\])?\s*\]", re.DOTALL)
_PAIRS = {"(": ")", "[": "]", "{": "}"}


def read_powershell(text: str) -> Script:
    """Read the parameters and effects of a PowerShell script."""
    plain = _COMMENT.sub(_blank, _BLOCK_COMMENT.sub(_blank, text))
    start = _PARAM.search(plain)
    # A function before it has its own param().
    has_script_param = start is not None and not re.search(
        r"(?im)^[ \t]*function\b", plain[: start.start()]
    )
    parts = _parts(plain, start.end()) if start is not None and has_script_param else []
    options = [option for part in parts[:MOST] if (option := _option(part, text)) is not None]
    certain = (
        has_script_param and len(options) == len(parts) and not _ARGUMENTS.search(plain.lower())
    )
    command = ScriptCommand("", _about(text), tuple(options), certain)
    words = set(_CMDLET.findall(plain.lower()))
    effect_names = effects.of_names("cmdlets", words)
    for line in plain.splitlines():
        program = _PROGRAM.match(line.strip())
        if program:
            effect_names |= effects.of_call([program[1], *program[2].split()])
    notes = () if certain else ("some arguments could not be determined",)
    return Script(
        "powershell",
        (command,),
        frozenset(effect_names),
        notes,
        speaks_json="convertto-json" in words,
    )


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def _parts(text: str, at: int) -> list[str]:
    """The parameters within the brackets that open before `at`, split at commas."""
    parts: list[str] = []
    begin = at
    open_brackets = [")"]
    while at < len(text) and open_brackets:
        character = text[at]
        if character in "\"'":
            end = text.find(character, at + 1)
            at = len(text) if end < 0 else end
        elif character in _PAIRS:
            open_brackets.append(_PAIRS[character])
        elif character == open_brackets[-1]:
            open_brackets.pop()
        if (character == "," and len(open_brackets) == 1) or not open_brackets:
            parts.append(text[begin:at].strip())
            begin = at + 1
        at += 1
    return [part for part in parts if part]


def _option(part: str, text: str) -> ScriptOption | None:
    attributes: dict[str, str] = {}
    kind, many = "", False
    rest = part
    while attribute := _ATTRIBUTE.match(rest.lstrip()):
        name = attribute[1].lower().rpartition(".")[2]
        if attribute[2] is None:
            kind, many = name, attribute[3] is not None
        else:
            attributes[name] = attribute[2]
        rest = rest.lstrip()[attribute.end() :]
    variable = _VARIABLE.match(rest.strip())
    if variable is None:
        return None
    mandatory_word = re.search(
        r"(?i)\bmandatory\b(?!\s*=\s*\$false)", attributes.get("parameter", "")
    )
    switch = kind in ("switch", "switchparameter")
    return ScriptOption(
        name=variable[1],
        flags=(f"-{variable[1]}",),
        type="boolean" if switch else _TYPES.get(kind, "string"),
        required=mandatory_word is not None,
        default=False if switch else _literal(variable[2]),
        help=_section(rf"\.PARAMETER\s+{re.escape(variable[1])}[ \t]*\n", text),
        choices=tuple(re.findall(r"""["']([^"']*)["']""", attributes.get("validateset", ""))),
        switch=switch,
        many=many,
    )


def _literal(text: str | None) -> Any:
    text = (text or "").strip()
    if re.fullmatch(r"-?[0-9]+", text):
        return int(text[:20])
    if re.fullmatch(r"-?[0-9]+\.[0-9]+", text):
        return float(text[:40])
    if text.lower() in ("$true", "$false"):
        return text.lower() == "$true"
    string = re.fullmatch(r"'([^']*)'|\"([^\"$`]*)\"", text)
    return NOTHING if string is None else string[1] if string[1] is not None else string[2]


def _about(text: str) -> str:
    description = _section(r"\.SYNOPSIS[ \t]*\n", text)
    if not description:
        lines: list[str] = []
        for line in text.splitlines():
            if not line.startswith("#") or line.startswith("#!"):
                if lines or line.strip():
                    break
                continue
            lines.append(line.lstrip("#").strip())
        description = " ".join(lines)
    return first_sentence(description)


def _section(start: str, text: str) -> str:
    header = re.search(rf"(?i)^[ \t#]*{start}", text, re.MULTILINE)
    if header is None:
        return ""
    section = re.split(r"(?m)^[ \t#]*\.[A-Z]+|#>", text[header.end() :])[0]
    return " ".join(line.strip(" \t#") for line in section.splitlines()).strip()
