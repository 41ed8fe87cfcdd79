"""The digests that provenact defines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.hook_values import Digest, DigestRefused
from skillstudio.manifest.provenact.rules import UNSAFE, artifact_path, digest_of, is_unsafe
from skillstudio.manifest.values import text
from skillstudio.text.node import Document, Scalar


def digests(manifest: Manifest, skill: Skill) -> Iterator[Digest]:
    """The manifest_hash, and the digest of the artifact: of the file, else as declared."""
    yield Digest("manifest_hash", document_hash(manifest.document))
    declared_digest = text(manifest.document.value, "artifact")
    path = artifact_path(manifest, skill.tree)
    if path is None:
        if declared_digest is not None:
            note = (
                "the artifact is not next to the manifest, so its digest is taken from the manifest"
            )
            yield Digest("artifact", declared_digest, note)
        return
    try:
        actual_digest = digest_of(skill.tree, path)
    except OSError as error:
        raise DigestRefused(f"{path} cannot be read: {error.strerror or error}") from None
    differs = declared_digest is not None and declared_digest != actual_digest
    yield Digest(
        "artifact",
        actual_digest,
        f"the manifest declares {declared_digest} for {path}" if differs else "",
    )


def manifest_hash(value: Any) -> str:
    """The digest of a value's canonical form. Raises DigestRefused if it has none."""
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
    """The manifest_hash of unambiguous JSON (RFC 7493). Raises DigestRefused with the place."""
    for fault in document.faults:
        raise DigestRefused(fault.message, fault.start)
    for _, node in document.walk():
        if isinstance(node, Scalar) and is_unsafe(node.value):
            raise DigestRefused(UNSAFE, node.start)
    return manifest_hash(document.value)
