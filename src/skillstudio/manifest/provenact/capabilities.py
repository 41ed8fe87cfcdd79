"""Check the values of provenact's capabilities, which must be unambiguous."""

from __future__ import annotations

import re

_NAME = re.compile(r"[A-Z_][A-Z0-9_]*")
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?://([^/?#]*)([^?#]*))?")
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)(?::([0-9]*))?")


def value_problem(kind: str, value: str) -> str | None:
    """The problem of a capability's value, as a message, or None."""
    if kind in ("fs.read", "fs.write"):
        return _path_problem(value)
    if kind == "net.http":
        return _url_problem(value)
    if kind == "env" and not _NAME.fullmatch(value):
        return "use only uppercase letters, digits and _ in the name of an environment variable"
    if kind == "exec" and value != "true":
        return 'the value of exec must be "true"; exec.safe names one program'
    if not value.strip():
        return f"{kind} needs a value"
    return None


def host_of(value: str) -> str | None:
    """The host of an absolute URL, without its port."""
    url = _URL.match(value)
    host = _HOST.fullmatch(url[2]) if url and url[2] else None
    return host[1].lower() if host else None


def _path_problem(path: str) -> str | None:
    if not path.startswith("/"):
        return "the path must be absolute: start it with /"
    segments = path[1:].split("/")
    if "." in segments or ".." in segments:
        return "the path must not contain . or .. segments"
    if "" in segments and path != "/":
        return "the path must not contain empty segments or end with /"
    if "\0" in path or "\\" in path:
        return "the path must not contain a backslash or NUL"
    return None


def _url_problem(value: str) -> str | None:
    url = _URL.match(value)
    if url is None or url[2] is None:
        return "the value must be an absolute URL, such as https://api.example/v1"
    if url[1].lower() not in ("http", "https"):
        return "the URL must start with https:// or http://"
    host = _HOST.fullmatch(url[2])
    if host is None:
        return "the URL needs a host, without a wildcard or user name"
    if host[2] is not None and not 0 < int(host[2] or "0") < 65536:
        return "the port of the URL must be a number from 1 to 65535"
    if "%" in url[3] or "\\" in url[3]:
        return "the path of the URL must not contain percent escapes or backslashes"
    if any(character.isspace() or ord(character) < 32 for character in value):
        return "the URL must not contain spaces"
    return None
