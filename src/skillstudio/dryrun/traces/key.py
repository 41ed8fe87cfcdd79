"""The user's key, which turns sensitive values into tokens that only show equality."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import stat
import tempfile
from typing import Any, NamedTuple

from skillstudio.interface.wording import SENSITIVE

SCHEME = "hmac-sha256:"
_FILE = "trace.key"
_BYTES = 32
_PURPOSE = "skillstudio trace 1"


def is_masked(value: Any) -> bool:
    """Whether a value of a trace is a token, or the mask."""
    return isinstance(value, str) and (value == SENSITIVE or value.startswith(SCHEME))


def holds_mask(value: Any) -> bool:
    """Whether part of a value was masked."""
    if isinstance(value, dict):
        return any(map(holds_mask, (*value, *value.values())))
    if isinstance(value, list | tuple):
        return any(map(holds_mask, value))
    return isinstance(value, str) and (SENSITIVE in value or value.startswith(SCHEME))


class KeyUnusable(Exception):
    """There is no usable key: a sentence with the fix."""


class Key(NamedTuple):
    """A secret of the user that never leaves this machine."""

    secret: bytes

    @property
    def id(self) -> str:
        """The id of the key; tokens of two keys cannot be compared."""
        return self._digest(["key"])[:16]

    def token(self, skill: str, kind: str, name: str, value: Any) -> str:
        """A token, equal for equal values of one input of one skill and different elsewhere, so
        that reuse of a password does not show. All have the same length."""
        return SCHEME + self._digest([skill, kind, name, value])

    def _digest(self, parts: list[Any]) -> str:
        # JSON of a list: no two lists give the same text. Numbers that are equal in JSON Schema
        # (5 and 5.0) are equal inputs.
        text = json.dumps([_PURPOSE, *map(_plain, parts)], sort_keys=True, default=str)
        return hmac.new(self.secret, text.encode(), hashlib.sha256).hexdigest()

    def __repr__(self) -> str:
        return f"Key({SENSITIVE})"


def read_key(folder: str) -> Key:
    """Read the key in the user's state folder, or create a private one. Raises KeyUnusable."""
    path = os.path.join(folder, _FILE)
    try:
        if not os.path.lexists(path):
            _make(folder, path)
        return Key(_read(path))
    except OSError as error:
        raise KeyUnusable(f"{path}: {error.strerror or error}") from None


def _read(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with open(fd, "rb") as file:
        about = os.fstat(fd)
        is_own = os.name != "posix" or (
            about.st_uid == os.geteuid() and not stat.S_IMODE(about.st_mode) & 0o077
        )
        if not stat.S_ISREG(about.st_mode) or not is_own:
            raise KeyUnusable(
                f"{path}, the key of traces, is readable by others or not yours; delete it to "
                "create a new one (older traces cannot be compared with it)"
            )
        text = file.read(2 * _BYTES + 2).strip()
    try:
        secret = bytes.fromhex(text.decode("ascii"))
    except ValueError:
        secret = b""
    if len(secret) != _BYTES:
        raise KeyUnusable(f"{path} is not a key of traces; delete it to create a new one")
    return secret


def _make(folder: str, path: str) -> None:
    """Create the key atomically; of two programs at once both use the first one's."""
    os.makedirs(folder, 0o700, exist_ok=True)
    fd, temporary_path = tempfile.mkstemp(prefix=f".{_FILE}-", dir=folder)
    try:
        with open(fd, "w", encoding="ascii") as file:
            file.write(os.urandom(_BYTES).hex() + "\n")
        try:
            os.link(temporary_path, path)
        except FileExistsError:
            return
        except OSError:  # A file system without hard links.
            os.rename(temporary_path, path)
    finally:
        if os.path.lexists(temporary_path):
            os.unlink(temporary_path)


def _plain(value: Any) -> Any:
    """A value in which equal numbers are identical."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value
