"""Formats for the fallback engine; jsonschema-rs has its own."""

from __future__ import annotations

import re
from collections.abc import Callable

_ZONE = r"([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"
_TIME = rf"([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?{_ZONE}"
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_EMAIL = r"[^\s@\"(),:;<>\[\]\\]{1,64}@[A-Za-z0-9]([A-Za-z0-9.-]{0,250}[A-Za-z0-9])?"
_URI_REST = r"([A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*"


def _is(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.fullmatch(text) is not None


def _is_date(text: str) -> bool:
    from datetime import date

    if not _DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _is_date_time(text: str) -> bool:
    return _is_date(text[:10]) and bool(re.fullmatch(rf"[Tt ]{_TIME}", text[10:]))


def _is_address(version: int) -> Callable[[str], bool]:
    def check(text: str) -> bool:
        from ipaddress import IPv4Address, IPv6Address

        try:
            found = IPv4Address(text) if version == 4 else IPv6Address(text)
        except ValueError:
            return False
        return "%" not in str(found)

    return check


def _is_regex(text: str) -> bool:
    from skillstudio.schema.regex import PatternError, parse_pattern

    try:
        parse_pattern(text)
    except PatternError:
        return False
    return True


FORMATS: dict[str, Callable[[str], bool]] = {
    "date": _is_date,
    "time": _is(re.compile(rf"{_TIME}")),
    "date-time": _is_date_time,
    "email": _is(re.compile(rf"{_EMAIL}")),
    "ipv4": _is_address(4),
    "ipv6": _is_address(6),
    "json-pointer": _is(re.compile(r"(/([^/~]|~[01])*)*")),
    "regex": _is_regex,
    "uri": _is(re.compile(rf"[A-Za-z][A-Za-z0-9+.-]*:{_URI_REST}")),
    "uri-reference": _is(re.compile(rf"{_URI_REST}")),
    "uuid": _is(re.compile(r"[0-9A-Fa-f]{8}-([0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}")),
}
