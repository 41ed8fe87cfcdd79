"""Resolve plain YAML scalars for YAML 1.2 (core schema) and YAML 1.1 readers; agents use both."""

from __future__ import annotations

import re
from typing import Any

from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.node import LONG_INTEGER

_WORDS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_OLD_BOOLEANS = frozenset(
    form for word in ("yes", "no", "on", "off") for form in (word, word.title(), word.upper())
)
_INFINITY = float("inf")
_FROM_1 = frozenset("123456789")
_NUMERIC = _FROM_1 | frozenset("0+-.")
SPECIAL = _NUMERIC | frozenset("~nNtTfFyYoO=<")
"""First characters of all plain scalars, except the empty one, that some reader reads otherwise."""

_INT = lazy_pattern(r"[-+]?[0-9]+")
_PREFIXED_INT = lazy_pattern(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = lazy_pattern(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_OLD_NUMBER = lazy_pattern(
    r"""[-+]?(?:
      0b[01_]+ | 0[0-7_]+ | 0x[0-9a-fA-F_]+ | 0 | [1-9][0-9_]*
    | [1-9][0-9_]*(?::[0-5]?[0-9])+
    | [0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*
    | [0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?
    | \.[0-9][0-9_]*(?:[eE][-+][0-9]+)?
    )""",
    re.VERBOSE,
)
_OLD_OCTAL = lazy_pattern(r"[-+]?0[0-7_]+")
_OLD_DATE = lazy_pattern(
    r"\d{4}-\d\d-\d\d|\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?"
    r"(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?",
    re.ASCII,
)


def resolve_plain(text: str) -> Any:
    """The value of a plain scalar by the core schema of YAML 1.2."""
    if text and text[0] not in SPECIAL:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMERIC:
        return text
    if _INT.fullmatch(text):
        return _integer(text, 10)
    if _PREFIXED_INT.fullmatch(text):
        return _integer(text, 0)
    return float(text) if _FLOAT.fullmatch(text) else text


def is_plain_number(text: str) -> bool:
    """Whether a text is a short decimal number, which all readers read the same."""
    return text[0] in _FROM_1 and len(text) < 19 and text.isdecimal() and text.isascii()


def _integer(text: str, base: int) -> int | float:
    """The number, or infinity if it has more digits than Python formats."""
    if len(text) > LONG_INTEGER:
        return float("-inf") if text[0] == "-" else float("inf")
    return int(text, base)


def too_long(text: str, value: Any) -> bool:
    """Whether `value` is infinite because `text` has too many digits."""
    return type(value) is float and value in (_INFINITY, -_INFINITY) and text not in _WORDS


def older_reading(text: str, value: Any) -> str:
    """The value for YAML 1.1 readers if it differs from `value`, the 1.2 reading; else ""."""
    if not text or text[0] not in SPECIAL:
        return ""
    kind = type(value)
    if kind is str:
        if text in _OLD_BOOLEANS:
            return "a boolean"
        if text in ("=", "<<"):
            return "a special value"
        if text[0] not in _NUMERIC:
            return ""
        if _OLD_DATE.fullmatch(text):
            return "a date"
        return "a number" if _OLD_NUMBER.fullmatch(text) else ""
    if (kind is not int and kind is not float) or text in _WORDS:
        return ""
    if text[0] in _FROM_1 and text.isdecimal() and text.isascii():
        return ""
    if len(text) <= LONG_INTEGER and _OLD_OCTAL.fullmatch(text):
        octal = int(text.replace("_", ""), 8)
        return "" if octal == value else "an octal number"
    return "" if _OLD_NUMBER.fullmatch(text) else "a string"


def same_in_both(text: str) -> bool:
    """Whether YAML 1.1 and 1.2 readers both read a plain scalar as this string."""
    value = resolve_plain(text)
    is_text = isinstance(value, str) and text not in ("y", "Y", "n", "N")
    return is_text and not older_reading(text, value)


def quote_edits(raw: str, start: int) -> tuple[tuple[int, int, str], ...]:
    """Splices that quote `raw` at `start`, with the quotes that change the text least."""
    doubles = [at for at, char in enumerate(raw) if char in '"\\']
    singles = [at for at, char in enumerate(raw) if char == "'"]
    quote, inner, mark = (
        ('"', doubles, "\\") if len(doubles) <= len(singles) else ("'", singles, "'")
    )
    return (
        (start, start, quote),
        *((start + at, start + at, mark) for at in inner),
        (start + len(raw), start + len(raw), quote),
    )
