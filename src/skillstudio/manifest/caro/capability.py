"""Check the syntax of the permissions in `[capabilities]`.

Each function returns the problem of a text, or an empty string.
"""

from __future__ import annotations

import re

_PATH = re.compile(r"(?:~|\$CARO_PROJECT_ROOT|\$CARO_CACHE)(?:/[^\0]*)?|(?:\./|/)[^\0]*")
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?"
_NAME = rf"{_LABEL}(?:\.{_LABEL})*"
_ADDRESS = r"\[[0-9A-Fa-f:.]+\]"
_HOST = re.compile(rf"(?:\*\.)?{_NAME}|{_ADDRESS}")
_URL = re.compile(rf"[A-Za-z][A-Za-z0-9+.-]*://(?:{_NAME}|{_ADDRESS}):([0-9]{{1,5}})")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:_\*)?")


def path_fault(path: str) -> str:
    """A path starts with one of the bases that caro defines."""
    if _PATH.fullmatch(path):
        return ""
    return "a path must start with ~, ./, /, $CARO_PROJECT_ROOT or $CARO_CACHE"


def host_fault(host: str) -> str:
    """A host is exact, `*.host`, or a URL with scheme, host and port."""
    url = _URL.fullmatch(host)
    if url:
        return "" if 0 < int(url.group(1)) < 65536 else "the port must be a number from 1 to 65535"
    if _HOST.fullmatch(host):
        return ""
    if "://" in host:
        return "a URL must have only a scheme, host and port, as in https://host:8443"
    if "*" in host:
        return "* may only replace leading subdomains, as in *.example.com"
    return "a host must be example.com, *.example.com or https://example.com:8443"


def variable_fault(variable: str) -> str:
    """A variable is exact, or `PREFIX_*`."""
    if _VARIABLE.fullmatch(variable):
        return ""
    return "a variable must be a name such as HOME, or a prefix such as PREFIX_*"


def command_fault(command: str) -> str:
    """A command is the name of one program."""
    if command.strip() and not any(character.isspace() for character in command):
        return ""
    return "a command must be the name of one program, without arguments"


FAULTS = {
    "filesystem_read": path_fault,
    "filesystem_write": path_fault,
    "network": host_fault,
    "env_read": variable_fault,
}
