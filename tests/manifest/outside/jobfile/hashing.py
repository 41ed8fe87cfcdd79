"""The digest of a job."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.hook_values import Digest


def digests(manifest: Manifest, _skill: Skill) -> Iterator[Digest]:
    """`job_hash`: of the text without spaces."""
    plain = "".join(manifest.document.source.text.split())
    yield Digest("job_hash", "sha256:" + hashlib.sha256(plain.encode()).hexdigest())
