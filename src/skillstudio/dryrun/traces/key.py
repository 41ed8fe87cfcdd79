"""The user's key, under which a sensitive value becomes a token that tells equal ones alone."""

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
    """Whether something of a value was masked, so that it is no longer what it was."""
    if isinstance(value, dict):
        return any(map(holds_mask, (*value, *value.values())))
    if isinstance(value, list | tuple):
        return any(map(holds_mask, value))
    return isinstance(value, str) and (SENSITIVE in value or value.startswith(SCHEME))


class KeyUnusable(Exception):
    """There is no key to be had; a sentence that says why and what to do."""


class Key(NamedTuple):
    """A secret of the user's that never leaves this machine."""

    secret: bytes

    @property
    def id(self) -> str:
        """Which key it is: tokens of two keys cannot be compared."""
        return self._digest(["key"])[:16]

    def token(self, skill: str, kind: str, name: str, value: Any) -> str:
        """What stands for a value: the same for equal values of one input of one skill.

        Two inputs, and two skills, give other tokens for the same value: that a password is used
        in both is nobody's business. All have the same length.
        """
        return SCHEME + self._digest([skill, kind, name, value])

    def _digest(self, parts: list[Any]) -> str:
        # A list in JSON: no two lists of parts make the same text. Numbers equal in JSON Schema
        # (5 and 5.0) are equal inputs.
        text = json.dumps([_PURPOSE, *map(_plain, parts)], sort_keys=True, default=str)
        return hmac.new(self.secret, text.encode(), hashlib.sha256).hexdigest()

    def __repr__(self) -> str:
        return f"Key({SENSITIVE})"


def read_key(folder: str) -> Key:
    """The key in the user's state folder; made, for its owner alone, where there is none.

    Raises KeyUnusable.
    """
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
                f"{path} is the key of the traces and others can read it, or it is not yours: "
                "delete it, and a new one is made; older traces cannot be compared with it"
            )
        text = file.read(2 * _BYTES + 2).strip()
    try:
        secret = bytes.fromhex(text.decode("ascii"))
    except ValueError:
        secret = b""
    if len(secret) != _BYTES:
        raise KeyUnusable(f"{path} is no key of traces: delete it, and a new one is made")
    return secret


def _make(folder: str, path: str) -> None:
    """Whole or not at all; of two programs that begin at once both take the first one's."""
    os.makedirs(folder, 0o700, exist_ok=True)
    fd, made = tempfile.mkstemp(prefix=f".{_FILE}-", dir=folder)
    try:
        with open(fd, "w", encoding="ascii") as file:
            file.write(os.urandom(_BYTES).hex() + "\n")
        try:
            os.link(made, path)
        except FileExistsError:
            return
        except OSError:  # A file system without hard links.
            os.rename(made, path)
    finally:
        if os.path.lexists(made):
            os.unlink(made)


def _plain(value: Any) -> Any:
    """The same for numbers that are equal."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value
