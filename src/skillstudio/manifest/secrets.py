"""Detect credentials, by their form and by their name. Messages never contain them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any

from skillstudio.manifest.finding import at_value
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.lazy_pattern import lazy_pattern
from skillstudio.text.node import Document, Scalar, join_pointer

_MARKS = (
    *("-----BEGIN", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "sk-", "sk_"),
    *("rk_", "whsec_", "xox", "xapp-", "AKIA", "ASIA", "ABIA", "ACCA", "AIza", "ya29.", "hf_"),
    *("npm_", "pypi-", "dop_v1_", "SG.", "eyJ", "://"),
)
"""Each match of `_compile_prefixes` contains one of these; searching for them is many times
faster."""
_SHORTEST = 9  # The length of the shortest one: `://u:key@`.
_TOKEN = lazy_pattern(r"[A-Za-z0-9+/=_-]{24,200}")
_DIGEST = lazy_pattern(
    r"(?<![A-Za-z0-9])(?:"
    r"sha256[=:-][A-Za-z0-9+/_-]{43}=?"
    r"|sha384[=:-][A-Za-z0-9+/_-]{64}"
    r"|sha512[=:-][A-Za-z0-9+/_-]{86}(?:==)?"
    r"|h1:[A-Za-z0-9+/]{43}="
    r")(?![A-Za-z0-9+/=_-])"
)
"""Base64 digests after their names: file lists of Python wheels (PEP 376), subresource integrity
(W3C), go.sum."""
_ADDRESS = lazy_pattern(r"https?://[^\s?#]+")
_ESCAPE = lazy_pattern(r"\\[uUx]")
_CLASSES = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=_",
    "a" * 26 + "A" * 26 + "0" * 10 + "-" * 4,
)
_NAME_WORDS = lazy_pattern(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SECRET_WORDS = frozenset(
    {
        *("password", "passwd", "pwd", "passphrase", "passwort", "secret", "credential"),
        *("credentials", "apikey", "accesskey", "secretkey", "jwt", "bearer"),
    }
)
_KEY_KINDS = frozenset(
    {
        *("api", "access", "private", "secret", "auth", "subscription", "account", "master"),
        *("signing", "encryption", "service", "client", "license", "functions"),
    }
)
"""What a name has before `key` when its value is a secret; others are keys of a table."""
_PAGE_WORDS = frozenset(
    {"page", "next", "prev", "previous", "continuation", "sync", "start", "cursor"}
)
"""What a name has before `token` when its value is a place in a list."""
_IN_ADDRESS = frozenset(
    {"key", "sig", "signature", "auth", "authorization", "session", "sid", "code"}
)
"""Names of parameters that may have a secret as value, or a short word."""
_RANDOM = lazy_pattern(r"(?=.*\d)(?=.*[A-Za-z])[\w.~%+/=-]{12,}", re.ASCII)
_ABOUT = frozenset(
    {
        *("id", "name", "type", "url", "uri", "count", "length", "policy", "field", "file"),
        *("path", "hint", "label", "expires", "expiry", "limit", "version", "required", "prompt"),
    }
)
"""Last words of names that tell something about a secret."""


def looks_like_secret(text: str) -> bool:
    """Whether a text probably contains a credential.

    Either it starts like the keys of a known service, or a long word of it mixes uppercase letters,
    lowercase letters and digits as only random text does. Hexadecimal digests are not secrets, and
    neither are Base64 digests after the name of their kind.
    """
    if len(text) < _SHORTEST:
        return False
    for mark in _MARKS:
        if mark in text:
            if _compile_prefixes().search(text):
                return True
            break
    if "://" in text:
        # The parts of a path are words of their own, as in github.com/Owner/Name/tree/v1.2.
        text = _ADDRESS.sub(lambda address: address[0].replace("/", " "), text)
    if not _holds_random(text):
        return False
    return _DIGEST.search(text) is None or _holds_random(_DIGEST.sub("", text))


@cache
def _compile_prefixes() -> re.Pattern[str]:
    """Prefixes of the keys of known services. Compiled lazily, because most manifests have none."""
    return re.compile(
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY"
        r"|(?<![A-Za-z0-9])(?:"
        r"gh[pousr]_[A-Za-z0-9]{30,}"
        r"|github_pat_[A-Za-z0-9_]{40,}"
        r"|glpat-[A-Za-z0-9_-]{20,}"
        r"|sk-(?=[a-z-]*[A-Z0-9][A-Za-z_-]*[0-9])[A-Za-z0-9_-]{20,}"
        r"|[sr]k_(?:live|test)_[A-Za-z0-9]{16,}"
        r"|whsec_[A-Za-z0-9+/=]{24,}"
        r"|xox[abeoprs]-[A-Za-z0-9-]{10,}"
        r"|xapp-[0-9]-[A-Za-z0-9-]{20,}"
        r"|(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"
        r"|AIza[A-Za-z0-9_-]{35}"
        r"|ya29\.[A-Za-z0-9_-]{20,}"
        r"|hf_[A-Za-z0-9]{30,}"
        r"|npm_[A-Za-z0-9]{36}"
        r"|pypi-[A-Za-z0-9_-]{50,}"
        r"|dop_v1_[a-f0-9]{64}"
        r"|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"
        r"|eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"
        r")"
        r"|://[^/\s:@{}<>$]{1,64}:[^/\s:@{}<>$*]{3,128}@"
    )


def is_secret_name(name: str) -> bool:
    """Whether the value of a field is a secret by its name."""
    *before, last = _name_words(name) or [""]
    if last in _ABOUT:
        return False
    if last == "key" and before:
        return before[-1] in _KEY_KINDS
    if last == "token":
        return not before or before[-1] not in _PAGE_WORDS
    return not _SECRET_WORDS.isdisjoint((*before, last))


def is_secret_parameter(name: str, value: str) -> bool:
    """Whether a parameter of an address is a secret; some names say so only of a long value."""
    if is_secret_name(name):
        return True
    *_, last = _name_words(name) or [""]
    return last in _IN_ADDRESS and _RANDOM.fullmatch(value) is not None


def _name_words(name: str) -> list[str]:
    return [word.lower() for word in _NAME_WORDS.findall(name)]


def secret_findings(document: Document) -> Iterator[Diagnostic]:
    """`secret-default` for sensitive inputs, `secret-literal` for other credentials."""
    reported_pointers: set[str] = set()
    text = document.source.text[document.span.start : document.span.end]
    if "sensitive" in text and "default" in text:
        for pointer in _sensitive_defaults(document.value):
            reported_pointers.add(pointer)
            message = "a sensitive input must not have a default; remove it"
            yield at_value(document, pointer, "secret-default", message)
    # Checking the whole text once avoids the walk for nearly every manifest.
    if not _ESCAPE.search(text) and not looks_like_secret(text):
        return
    for pointer, node in document.walk():
        if (
            isinstance(node, Scalar)
            and isinstance(node.value, str)
            and pointer not in reported_pointers
            and looks_like_secret(node.value)
        ):
            message = "this looks like a credential; remove it from the manifest and revoke it"
            yield Diagnostic("secret-literal", message, node.span, pointer)


def _sensitive_defaults(value: Any) -> Iterator[str]:
    stack: list[tuple[tuple[str, ...], Any]] = [((), value)]
    while stack:
        path, node = stack.pop()
        if isinstance(node, dict):
            if node.get("sensitive") is True:
                if node.get("default") not in (None, ""):
                    yield join_pointer((*path, "default"))
                schema = node.get("schema")
                if isinstance(schema, dict) and schema.get("default") not in (None, ""):
                    yield join_pointer((*path, "schema", "default"))
            stack += [((*path, key), inner) for key, inner in node.items()]
        elif isinstance(node, list):
            stack += [((*path, str(index)), inner) for index, inner in enumerate(node)]


def _holds_random(text: str) -> bool:
    return any(_is_random(token.group()) for token in _TOKEN.finditer(text))


def _is_random(token: str) -> bool:
    kinds = token.translate(_CLASSES)
    counts = [kinds.count(kind) for kind in "aA0"]
    if min(counts) < 2 or kinds.count("-") > len(token) // 6:
        return False
    # In random text the kind changes at more than every second character; in names it does not.
    changes = sum(previous != other for previous, other in pairwise(kinds))
    return changes * 5 >= len(token) * 2 and len(set(token)) >= 14
