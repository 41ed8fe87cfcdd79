"""The canonical form of a manifest (RFC 8785), and its digest."""

from __future__ import annotations

from typing import Any

from skillstudio.manifest.hook_values import DigestRefused
from skillstudio.text.node import Document, Scalar

SAFE_INTEGER = 2**53 - 1
"""The largest magnitude of integers that every JSON reader represents exactly."""


def manifest_hash(value: Any) -> str:
    """`sha256:` and the digest of a value's canonical form.

    Raises DigestRefused for integers beyond SAFE_INTEGER, infinite numbers, lone surrogates and
    values that are not JSON.
    """
    import hashlib

    import rfc8785

    try:
        data = rfc8785.dumps(value)
    except ValueError as error:
        raise DigestRefused(f"no canonical form: {error}") from None
    except RecursionError:
        raise DigestRefused("nested too deeply for a canonical form") from None
    return "sha256:" + hashlib.sha256(data).hexdigest()


def document_hash(document: Document) -> str:
    """The manifest_hash of a text, which must be unambiguous JSON (RFC 7493).

    Raises DigestRefused with the place of a fault, a duplicate key or an integer beyond
    SAFE_INTEGER.
    """
    for fault in document.faults:
        raise DigestRefused(fault.message, fault.start)
    for _, node in document.walk():
        if isinstance(node, Scalar) and is_unsafe(node.value):
            message = (
                "the canonical form cannot represent this number exactly; write it as a string"
            )
            raise DigestRefused(message, node.start)
    return manifest_hash(document.value)


def is_unsafe(value: Any) -> bool:
    """Whether a number is an integer beyond SAFE_INTEGER."""
    return isinstance(value, int) and not -SAFE_INTEGER <= value <= SAFE_INTEGER
