"""Why a line that should be JSON is not: the mistake that was made, rather than where it shows."""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import Any

from skillstudio.text.strict_json import NotJson, is_json, read_json

MAX_SHOWN = 60
"""Characters of a line that are repeated in a message."""
TRIES = 50
"""At how many places a value is looked for."""
_COLOUR = re.compile(r"\x1b[\[\]()#;?]?[0-9;]*[A-Za-z]?")
_PYTHON_WORD = re.compile(r"[\[:,{(]\s*(?:True|False|None)\b")
_BARE_KEY = re.compile(r"[{,]\s*[A-Za-z_$][\w$]*\s*:")
_TRAILING_COMMA = re.compile(r",\s*[}\]]")
_COMMENT = re.compile(r"(?:^|[\s,{\[}\]])(?://|/\*|#)")


def read_value(text: str) -> Any:
    """The one JSON value that a text is. Raises NotJson: the mistake, and what to do."""
    try:
        return read_json(text)
    except NotJson as error:
        raise NotJson(_explained(text, error)) from None


def _explained(text: str, error: NotJson) -> str:
    if error.fault == "constant":
        return f"it holds {error.what}, which JSON does not know; print null instead"
    if error.fault == "number":
        return f"it holds the number {error.what}, too large to be read; print it as a text"
    if error.fault == "twice":
        cut = "…" if len(error.what) > MAX_SHOWN else ""
        return f"the key {error.what[:MAX_SHOWN]}{cut} stands twice in one object"
    if error.fault == "depth":
        return "its values are nested too deep for a reader of JSON"
    return _mistake(text, error)


def _mistake(text: str, error: NotJson) -> str:
    """The likeliest mistake. The order matters: what hides others comes first."""
    stripped = text.strip()
    if "\x1b" in text:
        if is_json(_COLOUR.sub("", text)):
            return "it holds colour codes around the JSON; print none when it is no terminal"
        return "it holds codes for a terminal; print plain text"
    if "\0" in text:
        return "it holds NUL bytes, as UTF-16 does; print UTF-8"
    if error.what == "Extra data":
        return _extra(text, error.position)
    if re.search(r"[{,\[]\s*'|'\s*[:,}\]]", stripped) or _PYTHON_WORD.search(stripped):
        return "it is written as Python does, not as JSON; print json.dumps(value)"
    if _TRAILING_COMMA.search(stripped) and is_json(_TRAILING_COMMA.sub(_bracket, stripped)):
        return "there is a comma behind the last item, which JSON does not allow"
    if _BARE_KEY.search(stripped):
        return "its keys have no quotes, as in JavaScript; JSON wants them in double quotes"
    if stripped.startswith(("{", "[")) and error.position >= len(text.rstrip()):
        return "it ends in the middle of the JSON; the program may have stopped while it printed"
    if error.what.startswith("Invalid control character"):
        return f"it holds a control character at column {error.position + 1}; escape it as \\u00XX"
    if error.what.startswith("Invalid \\escape"):
        return (
            f"there is a backslash at column {error.position + 1} that escapes nothing; write \\\\"
        )
    if _COMMENT.search(stripped) and stripped.startswith(("{", "[")):
        return "it holds a comment, which JSON does not allow"
    start = _start_of_value(text)
    if start:
        return "there is text before the JSON; print the JSON on a line of its own"
    if stripped.startswith("```"):
        return "it is the fence of a code block; print the JSON without one"
    if stripped.startswith(("{", "[", '"')):
        return f"it is no JSON from column {error.position + 1} on ({error.what.lower()})"
    return "it is plain text; print one JSON value on the last line"


def _extra(text: str, at: int) -> str:
    try:
        json.JSONDecoder().raw_decode(text[at:].lstrip())
    except json.JSONDecodeError:
        if text.lstrip().startswith(("{", "[")):
            return f"there is text behind the JSON, from column {at + 1} on"
        return "it is plain text; print one JSON value on the last line"
    return "there are two JSON values on it; print one, or a list of both"


def _start_of_value(text: str) -> int:
    """Where a JSON object or list begins that goes on to the end; 0 where none does."""
    for found in islice(re.finditer(r"[{\[]", text), TRIES):
        if found.start() and is_json(text[found.start() :]):
            return found.start()
    return 0


def _bracket(found: re.Match[str]) -> str:
    return found.group()[-1]
