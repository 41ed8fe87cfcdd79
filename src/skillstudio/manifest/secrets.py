"""Credentials that stand in a manifest. Nothing here ever repeats one in a message."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.node import Document, Mapping, Node, Scalar, escape, resolve

_KNOWN = re.compile(
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
    r"|[a-z][a-z0-9+.-]{1,20}://[^/\s:@{}<>$]{1,64}:[^/\s:@{}<>$*]{3,128}@"
)
_TOKEN = re.compile(r"[A-Za-z0-9+/=_-]{24,200}")
_CLASSES = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=_",
    "a" * 26 + "A" * 26 + "0" * 10 + "-" * 4,
)


def looks_like_secret(text: str) -> bool:
    """Whether a text holds what is probably a credential.

    Either it begins as the keys of a known service do, or a long word of it mixes capitals,
    small letters and digits as only random text does. Digests in hexadecimal are not secrets.
    """
    return _KNOWN.search(text) is not None or any(
        _is_random(token.group()) for token in _TOKEN.finditer(text)
    )


def secret_findings(document: Document) -> Iterator[Diagnostic]:
    """`secret-default`: a default beside or in the schema of what is marked `sensitive: true`.
    `secret-literal`: any other string that looks like a credential."""
    told: set[int] = set()
    if "sensitive" in document.source.text:
        for pointer, node in _sensitive_defaults(document.root):
            told.add(id(node))
            yield Diagnostic(
                "secret-default",
                "a sensitive input must not have a default; take it out, the caller gives it",
                node.span,
                pointer,
            )
    # One look at the whole text spares nearly every manifest the walk.
    text = document.source.text[document.span.start : document.span.end]
    if "\\" not in text and not looks_like_secret(text):
        return
    for pointer, node in document.walk():
        if (
            isinstance(node, Scalar)
            and isinstance(node.value, str)
            and id(node) not in told
            and looks_like_secret(node.value)
        ):
            yield Diagnostic(
                "secret-literal",
                "this looks like a credential; take it out of the manifest and make it invalid",
                node.span,
                pointer,
            )


def _sensitive_defaults(root: Node) -> Iterator[tuple[str, Node]]:
    stack: list[tuple[str, Node | None, int]] = [("", root, 0)]
    while stack:
        pointer, node, depth = stack.pop()
        if depth > 100:
            continue
        if isinstance(node, Mapping):
            if _is_true(node.get("sensitive")):
                yield from _defaults(node, pointer)
            stack += [
                (f"{pointer}/{escape(entry.name)}", entry.value, depth + 1)
                for entry in reversed(node.entries)
            ]
        elif items := getattr(node, "items", None):
            stack += [
                (f"{pointer}/{index}", item, depth + 1)
                for index, item in reversed(list(enumerate(items)))
            ]


def _defaults(node: Mapping, pointer: str) -> Iterator[tuple[str, Node]]:
    for above, where in ((node, pointer), (resolve(node.get("schema")), f"{pointer}/schema")):
        if isinstance(above, Mapping) and (found := above.get("default")) and _has_value(found):
            yield f"{where}/default", found


def _is_true(node: Node | None) -> bool:
    found = resolve(node)
    return isinstance(found, Scalar) and found.value is True


def _has_value(node: Node) -> bool:
    found: Any = resolve(node)
    return not isinstance(found, Scalar) or found.value not in (None, "")


def _is_random(token: str) -> bool:
    kinds = token.translate(_CLASSES)
    counts = [kinds.count(kind) for kind in "aA0"]
    if min(counts) < 2 or kinds.count("-") > len(token) // 6:
        return False
    # In random text the kind changes at more than every second character; in names it does not.
    changes = sum(one != other for one, other in pairwise(kinds))
    return changes * 5 >= len(token) * 2 and len(set(token)) >= 14
