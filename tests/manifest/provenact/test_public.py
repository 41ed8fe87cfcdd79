"""The public manifests and test vectors."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from skillstudio.manifest.provenact.rules import value_problem
from skillstudio.text.diagnostic import Diagnostic

Look = Callable[..., list[Diagnostic]]

VECTORS = {
    "skill-format/manifest/good/basic.json": set(),
    "skill-format/manifest/bad/unknown_field.json": {"key-unknown"},
    "skill-format/manifest/bad/invalid_artifact_digest.json": {"artifact-format"},
    "skill-format/manifest-v1/good/basic-draft.json": set(),
    "skill-format/manifest-v1/bad/missing_id.json": {"key-missing"},
    "skill-format/manifest-v1/bad/invalid_artifact_digest.json": {"artifact-format"},
    "skill-format/manifest-v1/bad/unsupported_schema_version.json": {"schema-version-unsupported"},
    "v0/skill-manifest/good/basic.json": set(),
    "v0/skill-manifest/bad/invalid-schema-version.json": {"schema-version-unsupported"},
    "v0/skill-manifest/bad/invalid-wasi.json": {"value-enum"},
    "good/minimal-zero-cap/manifest.json": set(),
    "good/pack-sign-roundtrip/manifest.json": set(),
    "bad/bad-signature/manifest.json": set(),
    "bad/hash-mismatch/manifest.json": set(),
}
"""Signatures and hashes are compared elsewhere, so the last two are manifests without fault."""

DENIED_FOR_THEIR_FORM = {
    "https://api.open-meteo.com/v1/%2f..%2fadmin",
    "tmp/a.txt",
    "/tmp/../etc/passwd",
    "/tmp/./allowed.txt",
    "data:text/plain,ok",
}
"""The requests among the vectors that no policy could allow."""


@pytest.mark.parametrize("path", VECTORS)
def test_the_vectors(look: Look, data: Path, path: str) -> None:
    file = data / "vectors" / "provenact" / "test-vectors" / path
    if not file.exists():
        pytest.skip("the vectors are not in the data folder")
    # Of the vectors, only the text of the manifest is public.
    rules = {each.rule for each in look(file.read_text(encoding="utf-8"))} - {"path-missing"}
    assert rules - {"manifest-experimental"} == VECTORS[path]


def test_the_public_manifests(look: Look, data: Path) -> None:
    paths = sorted(data.glob("corpus/provenact/**/manifest.json"))
    if not paths:
        pytest.skip("the public manifests are not in the data folder")
    for path in paths:
        assert look(path.read_text(encoding="utf-8")) == []


def test_the_requests_of_the_vectors(data: Path) -> None:
    files = sorted(data.glob("vectors/provenact/test-vectors/capability-eval/*.json"))
    if not files:
        pytest.skip("the vectors are not in the data folder")
    refused = set()
    for file in files:
        for case in json.loads(file.read_text(encoding="utf-8")).get("cases", []):
            request = case["capability"]
            if value_problem(request["kind"], request["value"]):
                refused.add(request["value"])
                assert case["expect"] == "deny"
    assert refused == DENIED_FOR_THEIR_FORM
