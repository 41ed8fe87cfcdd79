"""Read what a person or a sample says about the network of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from skillstudio.dryrun.plan import NetworkChoice, NetworkMode
from skillstudio.text.lazy_pattern import lazy_pattern

PORT = 43128
"""The port of the proxy in the program's own network, where every other port is free."""
ADDRESS = f"127.0.0.1:{PORT}"
AT_ONCE = {
    "PIP_RETRIES": "0",
    "UV_HTTP_RETRIES": "0",
    "npm_config_fetch_retries": "0",
    "CARGO_NET_RETRY": "0",
}
"""Package managers try for up to a minute to reach a network that is closed."""
_WORDS: tuple[NetworkMode, ...] = ("none", "loopback", "record", "replay")
_HOST = lazy_pattern(
    r"(\*\.)?[A-Za-z0-9_]([A-Za-z0-9_.-]{0,250}[A-Za-z0-9_])?|\[[0-9A-Fa-f:.]{2,45}\]"
)
_HERE = "127.0.0.1"
_LOOPBACK = ("localhost", _HERE, "::1")
_WEB = (80, 443)
_FIRST_USER_PORT = 1024
_MOST = 64


class NetworkRefused(Exception):
    """A choice that cannot be used: a sentence with the fix."""


class HostPattern(NamedTuple):
    """Hosts that a run may reach."""

    name: str  # In lower case; `*.` at the start stands for every subdomain.
    port: int | None = None  # None for 80 and 443.

    @property
    def is_service(self) -> bool:
        """Whether it is a service of this machine, which the program reaches at the same port."""
        return self.name == _HERE

    def matches(self, host: str, port: int) -> bool:
        """Whether a host and port are covered."""
        if port != self.port and (self.port is not None or port not in _WEB):
            return False
        host = _plain(host)
        return host.endswith(self.name[1:]) if self.name[0] == "*" else host == self.name


def _plain(host: str) -> str:
    host = host.lower().strip("[]")
    return _HERE if host in _LOOPBACK else host


def read_network(words: Sequence[str], option: str = "--net") -> NetworkChoice:
    """The network of `none`, `loopback`, `record`, `replay` or hosts. Raises NetworkRefused."""
    modes = [mode for mode in _WORDS if mode in words]
    hosts = tuple(dict.fromkeys(word for word in words if word not in _WORDS))
    if len(modes) > 1:
        raise NetworkRefused(f"{option} {modes[0]} and {modes[1]} exclude each other")
    if hosts and modes and modes[0] != "record":
        raise NetworkRefused(f"{option} {modes[0]} cannot be combined with hosts")
    if len(hosts) > _MOST:
        raise NetworkRefused(f"{option} accepts at most {_MOST} hosts")
    for host in hosts:
        host_pattern(host, option)
    return NetworkChoice(modes[0] if modes else "hosts" if hosts else "", hosts)


def host_pattern(word: str, option: str = "--net") -> HostPattern:
    """A host with an optional port. Raises NetworkRefused."""
    ends = word.endswith("]") or ":" not in word
    name, port = (word, "") if ends else word.rsplit(":", 1)
    number = int(port) if port.isascii() and port.isdecimal() and len(port) < 6 else 0
    if not _HOST.fullmatch(name) or (not ends and not 0 < number < 1 << 16):
        choices = ", ".join(_WORDS)
        raise NetworkRefused(
            f"{option}: {word!r} is not a host; use {choices}, or a host such as api.example.org, "
            "*.example.org or 127.0.0.1:8000"
        )
    pattern = HostPattern(_plain(name), number or None)
    if pattern.is_service and number < _FIRST_USER_PORT:
        raise NetworkRefused(
            f"{option}: name the port of the service on this machine, 1024 or higher, as in "
            "127.0.0.1:8000"
        )
    return pattern
