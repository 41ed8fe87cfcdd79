"""The digests that provenact defines."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.hook_values import Digest, DigestRefused
from skillstudio.manifest.provenact.canonical import document_hash
from skillstudio.manifest.provenact.rules import artifact_path, digest_of
from skillstudio.manifest.values import text


def digests(manifest: Manifest, skill: Skill) -> Iterator[Digest]:
    """The manifest_hash, and the digest of the artifact: of the file, else as declared."""
    yield Digest("manifest_hash", document_hash(manifest.document))
    said = text(manifest.document.value, "artifact")
    path = artifact_path(manifest, skill.tree)
    if path is None:
        if said is not None:
            note = (
                "the artifact is not next to the manifest, so its digest is taken from the manifest"
            )
            yield Digest("artifact", said, note)
        return
    try:
        found = digest_of(skill.tree, path)
    except OSError as error:
        raise DigestRefused(f"{path} cannot be read: {error.strerror or error}") from None
    differs = said is not None and said != found
    yield Digest("artifact", found, f"the manifest declares {said} for {path}" if differs else "")
