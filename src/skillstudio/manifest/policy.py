"""Check manifests against the policy in `skillstudio.toml`, whose lists are upper limits."""

from __future__ import annotations

import operator
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator

from skillstudio.manifest.dialect import Ask, Manifest
from skillstudio.settings.settings import Policy
from skillstudio.text.diagnostic import Diagnostic

_HOST = re.compile(
    r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://)?(?:[^/@]*@)?"
    r"(?P<host>\[[^\]]*\]|[^/:]*)(?::(?P<port>[0-9]+))?(?:[/?#].*)?",
    re.DOTALL,
)
_PORTS = {"http": "80", "https": "443"}


def check_policy(asks: Iterable[Ask], policy: Policy, manifest: Manifest) -> Iterator[Diagnostic]:
    """`policy-exceeded` for every request that no entry of the policy's list allows."""
    for ask in asks:
        if is_granted(ask, policy) is not False:
            continue
        document = manifest.document
        node = document.at(ask.pointer)
        key = None if ask.pointer.rpartition("/")[2].isdecimal() else document.key_span(ask.pointer)
        span = node.span if node else None
        request = f"the {ask.kind} {ask.value}"
        if ask.value == "*":
            request = f"permission for every {ask.kind}"
        message = f"{request} is not allowed by {said_in(ask, policy)}"
        place = key if ask.kind == "capability" and key else span
        yield Diagnostic("policy-exceeded", message, place, ask.pointer)


def is_granted(ask: Ask, policy: Policy) -> bool | None:
    """Whether a policy allows a request; None if it sets no limit."""
    field, grants = _KINDS[ask.kind]
    entries: tuple[str, ...] | None = getattr(policy, field)
    if entries is None:
        return None
    return any(entry == "*" or grants(entry, ask.value) for entry in entries)


def said_in(ask: Ask, policy: Policy) -> str:
    """The list of a policy that applies to a request, with its file and line."""
    field = _KINDS[ask.kind][0]
    place = policy.places.get(field)
    path = policy.path or "skillstudio.toml"
    return f"policy.{field} ({path}:{place.line})" if place else f"policy.{field} in {path}"


def host_within(entry: str, value: str) -> bool:
    """Whether an entry includes a host, `*.host` or URL; without a port it includes all."""
    entry_match, value_match = _HOST.fullmatch(entry), _HOST.fullmatch(value)
    if entry_match is None or value_match is None or not value_match["host"]:
        return False
    scheme, port = entry_match["scheme"], entry_match["port"]
    asked_scheme = (value_match["scheme"] or "").lower()
    if scheme and scheme.lower() != asked_scheme:
        return False
    if (port or scheme) and _port(port, scheme) != _port(value_match["port"], asked_scheme):
        return False
    pattern, host = entry_match["host"].lower(), value_match["host"].lower()
    if pattern.startswith("*."):
        return host.endswith(pattern[1:]) and host != pattern[1:]
    return pattern in ("*", host)


def path_within(entry: str, value: str) -> bool:
    """Whether a path is at or below an entry, segment by segment."""
    entry_segments, value_segments = _segments(entry), _segments(value)
    return ".." not in value_segments and value_segments[: len(entry_segments)] == entry_segments


def _port(port: str | None, scheme: str | None) -> str:
    return (port or _PORTS.get((scheme or "").lower(), "")).lstrip("0")


def _segments(path: str) -> list[str]:
    """A path's segments, with `.` and inner `..` resolved; the first one is the root."""
    clean = posixpath.normpath(path.replace("\\", "/")) if path else "."
    clean = clean.removeprefix("./")
    segments = [] if clean == "." else clean.strip("/").split("/")
    if clean.startswith("/"):
        return ["/", *(segment for segment in segments if segment)]
    if clean.startswith(("~", "$")):
        return segments
    return [".", *segments]


_KINDS: dict[str, tuple[str, Callable[[str, str], bool]]] = {
    "effect": ("effects", operator.eq),
    "capability": ("capabilities", operator.eq),
    "command": ("commands", operator.eq),
    "host": ("hosts", host_within),
    "path": ("paths", path_within),
}
