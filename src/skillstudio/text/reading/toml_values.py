"""Read the strings, numbers and dates of TOML 1.0, with their faults.

TOML 1.1 syntax is read and reported, because most readers do not support it yet. Dates are strings,
because manifests need no other type.
"""

from __future__ import annotations

import re

from skillstudio.text.node import LONG_INTEGER, Fault, Missing, Node, Scalar

_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}
_ESCAPE = re.compile(
    r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|x([0-9A-Fa-f]{2})|[ \t]*(\r?\n)[ \t\r\n]*|(.?))"
)
# No possessive quantifiers around alternatives: Python before 3.11.5 matches them wrongly.
_STRINGS = {
    '"': re.compile(r'"((?:[^"\\\n\r]|\\[^\n\r])*)"'),
    "'": re.compile(r"'([^'\n\r]*)'"),
    '"""': re.compile(r'"""((?:[^"\\]|\\[\s\S]|"{1,2}(?!"))*)("{3,5})'),
    "'''": re.compile(r"'''((?:[^']|'{1,2}(?!'))*)('{3,5})"),
}
_STYLES = {
    '"': "basic", "'": "literal", '"""': "multi-basic", "'''": "multi-literal",
}  # fmt: skip
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)")
_LINE = re.compile(r"[^\n\r]*")

_STOP = r"(?![^ \t\r\n,\]}#])"
_INTEGER = re.compile(r"[+-]?(?:0|[1-9](?:_?[0-9])*)" + _STOP)
_PREFIXED_INTEGER = re.compile(
    r"0(?:x[0-9A-Fa-f](?:_?[0-9A-Fa-f])*|o[0-7](?:_?[0-7])*|b[01](?:_?[01])*)" + _STOP
)
_FLOAT = re.compile(
    r"[+-]?(?:(?:0|[1-9](?:_?[0-9])*)"
    r"(?:\.[0-9](?:_?[0-9])*(?:[eE][+-]?[0-9](?:_?[0-9])*)?|[eE][+-]?[0-9](?:_?[0-9])*)|inf|nan)"
    + _STOP
)
_DATE = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
    r"(?:[Tt ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]+)?)?"
    r"(?:[Zz]|[+-]([0-9]{2}):([0-9]{2}))?)?" + _STOP
)
_TIME = re.compile(r"([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]+)?)?" + _STOP)
_MINUTES = re.compile(r"[0-9]{2}:[0-9]{2}(?=[Zz+-]|\Z)")
_TOKEN = re.compile(r"[^ \t\r\n,\]}#\[{\"'=]+")
_WORDS = {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false"}


def read_string(text: str, pos: int, end: int, faults: list[Fault]) -> Scalar:
    """The string that starts at `pos`; an unclosed one ends with its line."""
    quote = text[pos]
    marks = quote * 3 if text.startswith(quote * 3, pos, end) else quote
    match = _STRINGS[marks].match(text, pos, end)
    start = pos + len(marks)
    if match:
        content = "".join((match[1], *(ends[3:] for ends in match.groups()[1:])))
        return _finish(content, marks, start, pos, match.end(), faults)
    line = _LINE.match(text, start, end)
    stop = start + len(line[0].rstrip(" \t,]}")) if line else start
    faults.append(
        Fault("syntax-toml", "unclosed string", pos, stop, "Close it",
              ((stop, stop, marks),))
    )  # fmt: skip
    return Scalar(pos, stop, text[start:stop], _STYLES[marks])


def _finish(
    content: str, marks: str, inner: int, start: int, end: int, faults: list[Fault]
) -> Scalar:
    for control in _CONTROL.finditer(content):
        at = inner + control.start()
        message = f"a string must not contain the control character U+{ord(control[0]):04X}"
        faults.append(Fault("control-character", message, at, at + 1))
    if len(marks) == 3:
        for line_end in ("\r\n", "\n"):
            if content.startswith(line_end):
                content, inner = content[len(line_end) :], inner + len(line_end)
                break
    if marks[0] == '"' and "\\" in content:
        value = _unescape(content, len(marks) == 3, inner, faults)
    else:
        value = content.replace("\r\n", "\n")
    return Scalar(start, end, value, _STYLES[marks])


def _unescape(content: str, multi: bool, inner: int, faults: list[Fault]) -> str:
    parts = []
    last = 0
    for escape in _ESCAPE.finditer(content):
        at, stop = inner + escape.start(), inner + escape.end()
        parts.append(content[last : escape.start()].replace("\r\n", "\n"))
        last = escape.end()
        digits = escape[1] or escape[2] or escape[3]
        if digits:
            code = int(digits, 16)
            if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
                faults.append(Fault("syntax-toml", "not a valid character", at, stop))
                parts.append("\ufffd")
                continue
            parts.append(chr(code))
            if escape[3]:
                faults.append(_newer(r"\x", at, stop, f"\\u00{digits}"))
        elif escape[5] in _ESCAPES and escape[5]:
            parts.append(_ESCAPES[escape[5]])
        elif escape[5] == "e":
            parts.append("\x1b")
            faults.append(_newer(r"\e", at, stop, "\\u001b"))
        elif not (escape[4] and multi):
            parts.append(escape[0])
            faults.append(Fault("syntax-toml", "unknown escape in TOML", at, stop))
    parts.append(content[last:].replace("\r\n", "\n"))
    return "".join(parts)


def _newer(what: str, start: int, end: int, instead: str) -> Fault:
    message = f"the escape {what} is only valid in TOML 1.1; most readers reject it"
    edits = ((start, end, instead),)
    return Fault("syntax-toml-1.1", message, start, end, f"Write {instead}", edits)


def read_bare(text: str, pos: int, end: int, faults: list[Fault]) -> Node:
    """The number, date or word that starts at `pos`; Missing for anything else."""
    match = _INTEGER.match(text, pos, end)
    if match:
        return _integer(match, 10, faults)
    if text.startswith("true", pos, end) or text.startswith("false", pos, end):
        token = _TOKEN.match(text, pos, end)
        if token and token[0] in ("true", "false"):
            return Scalar(pos, token.end(), token[0] == "true", "word")
    match = _FLOAT.match(text, pos, end)
    if match:
        return Scalar(pos, match.end(), float(match[0].replace("_", "")), "number")
    match = _DATE.match(text, pos, end) or _TIME.match(text, pos, end)
    if match:
        return _date(match, faults)
    match = _PREFIXED_INTEGER.match(text, pos, end)
    if match:
        return _integer(match, 0, faults)
    return _unknown(text, pos, end, faults)


def _integer(match: re.Match[str], base: int, faults: list[Fault]) -> Node:
    start, end = match.span()
    if end - start > LONG_INTEGER:
        faults.append(Fault("syntax-toml", "this number is too large", start, end))
        return Missing(start, end)
    return Scalar(start, end, int(match[0], base), "number")


def _date(match: re.Match[str], faults: list[Fault]) -> Scalar:
    from datetime import date, time

    groups = match.groups() if match.re is _DATE else (1, 1, 1, *match.groups(), None, None)
    year, month, day, hour, minute, second, east, minutes = (int(group or 0) for group in groups)
    start, end = match.span()
    try:
        date(year, month, day)
        time(hour, minute, second)
        time(east, minutes)
    except ValueError:
        faults.append(Fault("syntax-toml", "not a valid date or time", start, end))
    else:
        if groups[3] and not groups[5]:
            at = start + _MINUTES.search(match[0]).end()  # type: ignore[union-attr]
            message = "a time without seconds is only valid in TOML 1.1; most readers reject it"
            edits = ((at, at, ":00"),)
            faults.append(Fault("syntax-toml-1.1", message, start, end, "Add the seconds", edits))
    return Scalar(start, end, match[0], "date")


def _unknown(text: str, pos: int, end: int, faults: list[Fault]) -> Node:
    token = _TOKEN.match(text, pos, end)
    if not token:
        faults.append(Fault("syntax-toml", "expected a value", pos, min(pos + 1, end)))
        return Missing(pos, pos)
    stop = token.end()
    right = _WORDS.get(token[0])
    if right:
        edits = ((pos, stop, right),)
        message = f"write {right} in TOML"
        faults.append(Fault("syntax-toml", message, pos, stop, f"Write {right}", edits))
        return Scalar(pos, stop, right == "true", "word")
    if token[0][0] in "+-.0123456789":
        faults.append(Fault("syntax-toml", "not a valid TOML number or date", pos, stop))
        return Missing(pos, stop)
    fault = Fault("syntax-toml", "put the string in quotes", pos, stop)
    if "\\" not in token[0]:
        fault.title, fault.edits = "Add quotes", ((pos, pos, '"'), (stop, stop, '"'))
    faults.append(fault)
    return Missing(pos, stop)
