"""Digests, ignore rules and canonical JSON against published and own vectors."""

from __future__ import annotations

import base64
import hashlib
import json
import struct
from pathlib import Path
from typing import Any

import pytest

from skillstudio.files.disk import DiskTree
from skillstudio.files.ignore import Ignore
from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.digests import DigestRefused, digests
from skillstudio.manifest.locate import locate
from skillstudio.manifest.provenact.hashing import manifest_hash
from skillstudio.skill.hashing.content_hash import content_hash, hash_tree

OWN = Path(__file__).parent / "vectors"
TREES: dict[str, Any] = json.loads((OWN / "content-hash-trees.json").read_text())
IGNORES: list[dict[str, Any]] = json.loads((OWN / "skillignore-gitignore.json").read_text())[
    "cases"
]

MADE_TO_DIFFER = "test-vectors/bad/hash-mismatch/manifest.json"
"""The manifest to which its publisher gave another's hash, so that it be noticed."""


@pytest.fixture
def vectors(data: Path) -> Path:
    return data / "vectors"


@pytest.mark.parametrize("name", TREES["digests"])
def test_a_tree_has_the_digest_of_the_seeds_script(name: str, tmp_path: Path) -> None:
    files = {p: base64.b64decode(text) for p, text in TREES["trees_base64"][name].items()}
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    expected = "sha256:" + TREES["digests"][name]
    for tree in (MemoryTree(files), DiskTree(tmp_path)):
        assert hash_tree(tree).content_hash == expected
        assert content_hash(tree) == expected


def test_there_are_six_trees_and_83_verdicts() -> None:
    assert len(TREES["digests"]) == 6
    assert sum(len(case["expect_ignored"]) for case in IGNORES) == 83


@pytest.mark.parametrize("case", IGNORES, ids=lambda case: case["name"])
def test_git_would_ignore_the_same(case: dict[str, Any]) -> None:
    ignore = Ignore("\n".join(case["patterns"]).encode(), ".skillignore")
    verdicts = {path: ignore.hides(path) for path in case["expect_ignored"]}
    assert verdicts == case["expect_ignored"]


@pytest.mark.parametrize("case", IGNORES, ids=lambda case: case["name"])
def test_a_digest_with_ignores_is_that_without_the_files(case: dict[str, Any]) -> None:
    verdicts: dict[str, bool] = case["expect_ignored"]
    if verdicts.get("SKILL.md"):
        pytest.skip("the manifest itself is ignored")
    # A file and a folder of one name are two verdicts of one case, and no tree has both.
    paths = {p for p in verdicts if not any(other.startswith(p + "/") for other in verdicts)}
    files = {path: path.encode() for path in paths}
    kept = {path: data for path, data in files.items() if not verdicts[path]}
    ignores = {".skillignore": "\n".join(case["patterns"]).encode()}
    assert hash_tree(MemoryTree({**files, **ignores}))[:3] == hash_tree(MemoryTree(kept))[:3]


@pytest.mark.parametrize("name", ["arrays", "french", "structures", "unicode", "values", "weird"])
def test_canonical_form_of_published_documents(name: str, vectors: Path) -> None:
    folder = vectors / "jcs" / "testdata"
    value = json.loads((folder / "input" / f"{name}.json").read_text(encoding="utf-8"))
    expected = (folder / "output" / f"{name}.json").read_bytes().rstrip(b"\n")
    assert manifest_hash(value) == "sha256:" + hashlib.sha256(expected).hexdigest()


def test_the_numbers_of_rfc_8785(vectors: Path) -> None:
    rows = json.loads((vectors / "jcs" / "rfc8785-appendix-b-numbers.json").read_text())
    for row in rows:
        number = struct.unpack(">d", bytes.fromhex(row["ieee754_hex"]))[0]
        if row["expected"] is None:
            with pytest.raises(DigestRefused):
                manifest_hash(number)
            continue
        expected = "sha256:" + hashlib.sha256(row["expected"].encode()).hexdigest()
        assert manifest_hash(number) == expected, row


def test_published_manifests_have_the_recomputed_hashes(data: Path) -> None:
    rows = (data / "vectors" / "provenact-hash-vectors.tsv").read_text().splitlines()
    compared: dict[str, bool] = {}
    for row in rows:
        _, path, expected, artifact = row.split("\t")
        file = data / "corpus" / "provenact" / path
        if not file.is_file():
            file = data / "vectors" / "provenact" / path
        if file.is_file():
            found = {each.name: each.value for each in digests(locate(DiskTree(file.parent)))}
            compared[path] = found == {"manifest_hash": expected, "artifact": artifact}
    assert sum(path.startswith("skills/") for path in compared) == 18
    assert [path for path, same in compared.items() if not same] == [MADE_TO_DIFFER]
