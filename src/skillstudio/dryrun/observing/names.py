"""Host names out of questions to a name server (RFC 1035, section 4.1)."""

from __future__ import annotations

_HEADER = 12
_LONGEST = 253


def asked_name(message: bytes) -> str | None:
    """The name that a question is about; None of what is no question, or cut before its end."""
    if len(message) <= _HEADER or message[2] & 0x80 or message[4:6] == b"\0\0":
        return None
    labels: list[str] = []
    at = _HEADER
    while at < len(message) and message[at]:
        length = message[at]
        label = message[at + 1 : at + 1 + length]
        # A longer length is a pointer back, which no question begins with.
        if length > 63 or len(label) < length:
            return None
        labels.append(label.decode("ascii", "replace"))
        at += 1 + length
    name = ".".join(labels)
    return name if at < len(message) and 0 < len(name) <= _LONGEST else None
