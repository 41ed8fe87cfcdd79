"""Write values in YAML so that 1.1 and 1.2 readers agree."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from skillstudio.text.editing import EditRefused
from skillstudio.text.reading.yaml_scalars import same_in_both

_NOT_PLAIN = re.compile(r"[^ -~\xa1-\u167f\u1681-\u1fff\u2070-\ud7ff\ue000-\ufefe\uff00-\ufffd"
                        r"\U00010000-\U0010ffff]")  # fmt: skip
_SPECIAL_CHARACTERS = re.compile(
    r'["\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]'
)
_BLOCK_UNFIT = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]"
)
_SHORT_ESCAPES = {
    '"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\0": "\\0",
    "\x85": "\\N", "\u2028": "\\L", "\u2029": "\\P",
}  # fmt: skip
_INDICATORS = "-?:,[]{}#&*!|>'\"%@`"
_MAX_KEY = 1000


class Style(NamedTuple):
    """The style of new text: indents and quotes of its neighbors."""

    step: int = 2
    dash: int = 2
    quote: str = ""


def is_leaf(value: Any) -> bool:
    """Whether a value fits on one line in block style: a scalar or an empty container."""
    return not (isinstance(value, dict | list) and value)


def write_scalar(value: Any, quote: str = "", flow: bool = False) -> str:
    """A scalar on one line. `quote` is the preferred style."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _write_float(value)
    if not isinstance(value, str):
        raise EditRefused(f"YAML cannot represent a value of type {type(value).__name__}")
    if quote == "single" and not _NOT_PLAIN.search(value):
        return "'" + value.replace("'", "''") + "'"
    if quote not in ("single", "double") and is_plain(value, flow):
        return value
    return '"' + _SPECIAL_CHARACTERS.sub(_escape, value) + '"'


def _write_float(value: float) -> str:
    if value != value:
        return ".nan"
    if value in (float("inf"), float("-inf")):
        return ".inf" if value > 0 else "-.inf"
    text = repr(value)
    mantissa, mark, exponent = text.partition("e")
    # YAML 1.1 reads a number with an exponent only if it has a point before the exponent.
    return f"{mantissa}.0e{exponent}" if mark and "." not in mantissa else text


def is_plain(text: str, flow: bool = False) -> bool:
    """Whether every reader reads the unquoted string as this string."""
    if not text or text[0] == " " or text[-1] in " :" or _NOT_PLAIN.search(text):
        return False
    if text[0] in _INDICATORS and not (text[0] in "-?:" and text[1:2] not in ("", " ")):
        return False
    if ": " in text or " #" in text or text.startswith(("---", "...")):
        return False
    if flow and (text[0] in "-?:" or any(char in ",[]{}:" for char in text)):
        return False
    return same_in_both(text)


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    if "\ud800" <= char <= "\udfff":
        raise EditRefused("the text contains a lone surrogate, which cannot be encoded")
    code = ord(char)
    return _SHORT_ESCAPES.get(char) or (f"\\x{code:02X}" if code < 0x100 else f"\\u{code:04X}")


def write_key(name: str, quote: str = "", flow: bool = False) -> str:
    if len(name) > _MAX_KEY:
        raise EditRefused("the key is too long")
    return write_scalar(name, quote, flow)


def write_flow(value: Any, style: Style) -> str:
    """A value of any type in flow style, on one line."""
    if isinstance(value, dict):
        quote = style.quote if style.quote == "double" else ""
        pairs = (
            f"{write_key(str(key), quote, flow=True)}: {write_flow(item, style)}"
            for key, item in value.items()
        )
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(write_flow(item, style) for item in value) + "]"
    return write_scalar(value, style.quote, flow=True)


def write_leaf(value: Any, style: Style) -> str:
    is_container = isinstance(value, dict | list)
    return write_flow(value, style) if is_container else write_scalar(value, style.quote)


def write_entry(name: str, value: Any, style: Style, key_quote: str = "") -> list[str]:
    """The lines of a key with its value in block style."""
    key = write_key(name, key_quote)
    if is_leaf(value):
        return [f"{key}: {write_leaf(value, style)}"]
    offset = style.step if isinstance(value, dict) else style.dash
    return [f"{key}:", *(" " * offset + line for line in write_block(value, style))]


def write_block(value: Any, style: Style) -> list[str]:
    """The lines of a nonempty container in block style."""
    if isinstance(value, dict):
        parts = [write_entry(str(key), item, style) for key, item in value.items()]
    else:
        parts = [write_item(item, style) for item in value]
    return [line for part in parts for line in part]


def write_item(value: Any, style: Style, gap: int = 1) -> list[str]:
    """The lines of a list item, including its dash."""
    if is_leaf(value):
        return ["-" + " " * gap + write_leaf(value, style)]
    first, *rest = write_block(value, style)
    return ["-" + " " * gap + first, *(" " * (gap + 1) + line for line in rest)]


def write_block_scalar(old: str, value: str, newline: str) -> str | None:
    """A text of several lines in the style of the block scalar `old`; None if not possible."""
    header, *content = re.split(r"\r\n|\n|\r", old)
    indent = next(
        (line[: len(line) - len(line.lstrip(" "))] for line in content if line.strip()), ""
    )
    body = value.removesuffix("\n")
    if "\n" not in value or not indent or not body or _BLOCK_UNFIT.search(value):
        return None
    if body[0] in " \t\n" or body[-1] in " \t\n":
        return None
    lines = body.split("\n")
    if header[0] == ">":
        folded_lines = _fold_lines(lines, max(len(line) - len(indent) for line in content))
        lines = folded_lines or lines
        header = header if folded_lines else "|" + header[1:]
    chomp = "" if value.endswith("\n") else "-"
    header = re.sub(r"^([|>])([0-9]?)[-+]?([0-9]?)", rf"\g<1>\g<2>\g<3>{chomp}", header)
    return newline.join([header, *(indent + line if line else "" for line in lines)])


def _fold_lines(lines: list[str], width: int) -> list[str] | None:
    """Lines that fold to the given ones, none much wider than `width`."""
    folded_lines: list[str] = []
    for index, line in enumerate(lines):
        if line[:1] in (" ", "\t"):
            return None
        if index and line and lines[index - 1]:
            folded_lines.append("")
        elif index and not line:
            folded_lines.append("")
            if lines[index - 1]:
                folded_lines.append("")
            continue
        folded_lines += _wrap_line(line, max(width, 40))
    return folded_lines


def _wrap_line(line: str, width: int) -> list[str]:
    wrapped_lines = [""]
    for word in re.split(r"(?<=[^ \t]) (?=[^ \t])", line):
        if wrapped_lines[-1] and len(wrapped_lines[-1]) + 1 + len(word) > width:
            wrapped_lines.append(word)
        else:
            wrapped_lines[-1] = f"{wrapped_lines[-1]} {word}" if wrapped_lines[-1] else word
    return wrapped_lines
