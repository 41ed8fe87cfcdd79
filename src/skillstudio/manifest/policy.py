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
        wanted = f"the {ask.kind} {ask.value}"
        if ask.value == "*":
            wanted = f"permission for every {ask.kind}"
        message = f"{wanted} is not allowed by {said_in(ask, policy)}"
        place = key if ask.kind == "capability" and key else span
        yield Diagnostic("policy-exceeded", message, place, ask.pointer)


def is_granted(ask: Ask, policy: Policy) -> bool | None:
    """Whether a policy allows a request; None if it sets no limit."""
    field, grants = _KINDS[ask.kind]
    granted: tuple[str, ...] | None = getattr(policy, field)
    if granted is None:
        return None
    return any(entry == "*" or grants(entry, ask.value) for entry in granted)


def said_in(ask: Ask, policy: Policy) -> str:
    """The list of a policy that applies to a request, with its file and line."""
    field = _KINDS[ask.kind][0]
    place = policy.places.get(field)
    path = policy.path or "skillstudio.toml"
    return f"policy.{field} ({path}:{place.line})" if place else f"policy.{field} in {path}"


def host_within(entry: str, value: str) -> bool:
    """Whether an entry includes a host, `*.host` or URL; without a port it includes all."""
    granted, asked = _HOST.fullmatch(entry), _HOST.fullmatch(value)
    if granted is None or asked is None or not asked["host"]:
        return False
    scheme, port = granted["scheme"], granted["port"]
    asked_scheme = (asked["scheme"] or "").lower()
    if scheme and scheme.lower() != asked_scheme:
        return False
    if (port or scheme) and _port(port, scheme) != _port(asked["port"], asked_scheme):
        return False
    pattern, host = granted["host"].lower(), asked["host"].lower()
    if pattern.startswith("*."):
        return host.endswith(pattern[1:]) and host != pattern[1:]
    return pattern in ("*", host)


def path_within(entry: str, value: str) -> bool:
    """Whether a path is at or below an entry, segment by segment."""
    granted, asked = _segments(entry), _segments(value)
    return ".." not in asked and asked[: len(granted)] == granted


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
