"""Explain why a line is not JSON: the likely mistake, rather than where parsing failed."""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import Any

from skillstudio.text.strict_json import NotJson, is_json, read_json

MAX_SHOWN = 60
"""Characters of a line repeated in a message."""
TRIES = 50
"""Positions at which a value is looked for."""
_COLOUR = re.compile(r"\x1b[\[\]()#;?]?[0-9;]*[A-Za-z]?")
_PYTHON_WORD = re.compile(r"[\[:,{(]\s*(?:True|False|None)\b")
_BARE_KEY = re.compile(r"[{,]\s*[A-Za-z_$][\w$]*\s*:")
_TRAILING_COMMA = re.compile(r",\s*[}\]]")
_COMMENT = re.compile(r"(?:^|[\s,{\[}\]])(?://|/\*|#)")


def read_value(text: str) -> Any:
    """The JSON value of a text. Raises NotJson with the mistake and the fix."""
    try:
        return read_json(text)
    except NotJson as error:
        raise NotJson(_explained(text, error)) from None


def _explained(text: str, error: NotJson) -> str:
    if error.fault == "constant":
        return f"{error.what} is not valid JSON; print null instead"
    if error.fault == "number":
        return f"the number {error.what} is too large to read; print it as a string"
    if error.fault == "twice":
        cut = "…" if len(error.what) > MAX_SHOWN else ""
        return f"duplicate key {error.what[:MAX_SHOWN]}{cut}"
    if error.fault == "depth":
        return "its values are nested too deeply"
    return _mistake(text, error)


def _mistake(text: str, error: NotJson) -> str:
    """The likeliest mistake; those that hide others come first."""
    stripped = text.strip()
    if "\x1b" in text:
        if is_json(_COLOUR.sub("", text)):
            return "it contains colour codes; print none when the output is not a terminal"
        return "it contains terminal escape codes; print plain text"
    if "\0" in text:
        return "it contains NUL bytes, like UTF-16; print UTF-8"
    if error.what == "Extra data":
        return _extra(text, error.position)
    if re.search(r"[{,\[]\s*'|'\s*[:,}\]]", stripped) or _PYTHON_WORD.search(stripped):
        return "it is a Python literal; print json.dumps(value)"
    if _TRAILING_COMMA.search(stripped) and is_json(_TRAILING_COMMA.sub(_bracket, stripped)):
        return "remove the comma after the last item"
    if _BARE_KEY.search(stripped):
        return "put its keys in double quotes"
    if stripped.startswith(("{", "[")) and error.position >= len(text.rstrip()):
        return "it ends in the middle of the JSON; the program may have stopped while it printed"
    if error.what.startswith("Invalid control character"):
        return f"control character at column {error.position + 1}; escape it as \\u00XX"
    if error.what.startswith("Invalid \\escape"):
        return f"invalid escape at column {error.position + 1}; write a backslash as \\\\"
    if _COMMENT.search(stripped) and stripped.startswith(("{", "[")):
        return "JSON does not allow comments; remove it"
    start = _start_of_value(text)
    if start:
        return "there is text before the JSON; print the JSON on a line of its own"
    if stripped.startswith("```"):
        return "it is the fence of a code block; print the JSON without one"
    if stripped.startswith(("{", "[", '"')):
        return f"parsing failed at column {error.position + 1} ({error.what.lower()})"
    return "it is plain text; print one JSON value on the last line"


def _extra(text: str, at: int) -> str:
    try:
        json.JSONDecoder().raw_decode(text[at:].lstrip())
    except json.JSONDecodeError:
        if text.lstrip().startswith(("{", "[")):
            return f"there is text after the JSON, at column {at + 1}"
        return "it is plain text; print one JSON value on the last line"
    return "there are two JSON values; print one, or a list of both"


def _start_of_value(text: str) -> int:
    """The position of a JSON object or list that extends to the end; 0 when there is none."""
    for found in islice(re.finditer(r"[{\[]", text), TRIES):
        if found.start() and is_json(text[found.start() :]):
            return found.start()
    return 0


def _bracket(found: re.Match[str]) -> str:
    return found.group()[-1]
