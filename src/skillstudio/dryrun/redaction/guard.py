"""The guard before everything that is written to be committed: samples, expectations, recorded
responses. What looks like a credential is refused, what may be a password needs an answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice

from skillstudio.dryrun.redaction.suspects import MOST, mask_suspects
from skillstudio.manifest.secrets import looks_like_secret

_PASSWORD = re.compile(
    r"(?i)(?:pass(?:wor[dt]|wd|phrase)|secret|token|api[_-]?key|credentials?)[\w.-]*[\"']?\s*[:=]"
    r"\s*[\"']?[^\s\"'$<{%]"
)
"""A name that is usual for a secret, and a value that is no placeholder."""
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SECRETS = frozenset(
    {
        *("password", "passwd", "pwd", "passphrase", "passwort", "secret", "credential"),
        *("credentials", "apikey", "accesskey", "secretkey", "jwt", "bearer"),
    }
)
_KEYS = frozenset(
    {
        *("api", "access", "private", "secret", "auth", "subscription", "account", "master"),
        *("signing", "encryption", "service", "client", "license", "functions"),
    }
)
"""What a name has before `key` when its value is a secret; others are keys of a table."""
_PAGES = frozenset({"page", "next", "prev", "previous", "continuation", "sync", "start", "cursor"})
"""What a name has before `token` when its value is a place in a list."""
_IN_ADDRESS = frozenset(
    {"key", "sig", "signature", "auth", "authorization", "session", "sid", "code"}
)
"""Names of parameters that may have a secret as value, or a short word."""
_RANDOM = re.compile(r"(?=.*\d)(?=.*[A-Za-z])[\w.~%+/=-]{12,}", re.ASCII)
_ABOUT = frozenset(
    {
        *("id", "name", "type", "url", "uri", "count", "length", "policy", "field", "file"),
        *("path", "hint", "label", "expires", "expiry", "limit", "version", "required", "prompt"),
    }
)
"""Last words of names that tell something about a secret."""


def credential_lines(text: str, known: str = "") -> tuple[int, ...]:
    """The lines that show what looks like a credential, from 1, but for the lines of `known`."""
    return _lines(text, known, looks_like_secret)


def password_lines(text: str, known: str = "") -> tuple[int, ...]:
    """The lines that may show a password, although its form is that of any text."""
    return _lines(text, known, lambda line: _PASSWORD.search(line) is not None)


def refusal(text: str, known: str = "") -> str:
    """Why a text must not be committed, as the end of a sentence; "" when it may be. Lines of
    `known`, the text before, were committed already."""
    lines = credential_lines(text, known)
    if not lines:
        return ""
    shown = mask_suspects(text.split("\n")[lines[0] - 1].strip())
    return (
        f"would contain what looks like a credential in line {lines[0]}: {shown}; what is "
        "committed never contains sensitive values"
    )


def _lines(text: str, known: str, is_one: Callable[[str], bool]) -> tuple[int, ...]:
    before = set(known.split("\n"))

    def numbers() -> Iterator[int]:
        for number, line in enumerate(text.split("\n"), 1):
            if line not in before and is_one(line):
                yield number

    return tuple(islice(numbers(), MOST))


def is_secret_name(name: str) -> bool:
    """Whether the value of a field is a secret by its name."""
    *before, last = _words(name) or [""]
    if last in _ABOUT:
        return False
    if last == "key" and before:
        return before[-1] in _KEYS
    if last == "token":
        return not before or before[-1] not in _PAGES
    return not _SECRETS.isdisjoint((*before, last))


def is_secret_parameter(name: str, value: str) -> bool:
    """Whether a parameter of an address is a secret; some names say so only of a long value."""
    if is_secret_name(name):
        return True
    *_, last = _words(name) or [""]
    return last in _IN_ADDRESS and _RANDOM.fullmatch(value) is not None


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(name)]
