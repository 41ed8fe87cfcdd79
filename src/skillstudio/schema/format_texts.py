"""Patterns that approximate formats from above and below.

No pattern matches exactly the email addresses or dates. But what is true for all strings of the
wider pattern is true for the format, and both engines accept each string of the narrower one.
"""

from __future__ import annotations

from typing import NamedTuple


class FormatTexts(NamedTuple):
    """Two anchored patterns; `every` is "" if the engines disagree about the format."""

    every: str  # Matches each string of the format, and others.
    some: str  # Matches only strings of the format, if they are at most `longest` characters long.
    longest: int | None = None


_DAY = r"2[0-9]{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])"
_HOUR = (
    r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?"
    r"(?:Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9])"
)
_EVERY_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_EVERY_HOUR = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})"
_UUID = r"^[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$"
_LABELS = r"(?:[a-z0-9]{1,9}(?:-[a-z0-9]{1,9})?\.)*[a-z]{1,9}"
_HOST = r"[a-z0-9]+(?:[.-][a-z0-9]+)*"
_PATH = r"(?:/[A-Za-z0-9._~-]+)*/?(?:\?[A-Za-z0-9=&._~/-]*)?(?:#[A-Za-z0-9._~/-]*)?"
_BYTE = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"

FORMAT_TEXTS = {
    "date": FormatTexts(f"^{_EVERY_DAY}$", f"^{_DAY}$"),
    "time": FormatTexts(f"^{_EVERY_HOUR}$", f"^{_HOUR}$"),
    "date-time": FormatTexts(f"^{_EVERY_DAY}[Tt ]{_EVERY_HOUR}$", f"^{_DAY}T{_HOUR}$"),
    "email": FormatTexts(
        r"^[^]+@[^]+$", rf"^[A-Za-z0-9](?:[._+-]?[A-Za-z0-9]){{0,31}}@{_LABELS}$", 254
    ),
    "hostname": FormatTexts("", rf"^{_LABELS}$", 253),
    "ipv4": FormatTexts(r"^[0-9]{1,3}(?:\.[0-9]{1,3}){3}$", rf"^{_BYTE}(?:\.{_BYTE}){{3}}$"),
    "ipv6": FormatTexts(
        r"^[0-9A-Fa-f:.]{2,45}$", r"^(?:::|(?:[0-9A-Fa-f]{1,4}:){7})[0-9A-Fa-f]{1,4}$"
    ),
    "uri": FormatTexts(
        r"^[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7e]*$",
        rf"^[A-Za-z][A-Za-z0-9+-]*:(?://{_HOST}(?::[0-9]{{1,4}})?)?{_PATH}$",
    ),
    "uri-reference": FormatTexts(
        r"^[\x21-\x7e]*$",
        rf"^(?:[A-Za-z][A-Za-z0-9+-]*:(?://{_HOST})?|[A-Za-z0-9._~-]+)?{_PATH}$",
    ),
    "uuid": FormatTexts(_UUID, _UUID),
    "json-pointer": FormatTexts(r"^(?:/[^]*)?$", r"^(?:/(?:[A-Za-z0-9._-]|~[01])*)*$"),
    "regex": FormatTexts(r"^[^]*$", r"^[A-Za-z0-9_ -]*$"),
    "duration": FormatTexts("", r"^P(?:[0-9]{1,9}[YMDW]|T[0-9]{1,9}[HMS])$"),
}
