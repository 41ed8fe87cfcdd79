"""The canonical form: what it makes equal, and what has none."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.digests import DigestRefused, digests
from skillstudio.manifest.locate import locate
from skillstudio.manifest.provenact.hashing import manifest_hash

ARTIFACT = "sha256:" + hashlib.sha256(b"\0asm").hexdigest()
BUNDLE = (
    '{"name": "echo", "version": "1.0.0", "entrypoint": "run", "artifact": "%s",\n'
    ' "capabilities": [], "signers": ["a"], "limits": %s}'
)


def found(
    limits: str = "{}", artifact: str = ARTIFACT, **files: bytes
) -> list[tuple[str, str, str]]:
    text = BUNDLE % (artifact, limits)
    tree = MemoryTree({"manifest.json": text.encode("utf-8", "surrogateescape"), **files}, "echo")
    return [tuple(each) for each in digests(locate(tree))]  # type: ignore[misc]


def refused(limits: str) -> str:
    with pytest.raises(DigestRefused) as error:
        found(limits)
    return str(error.value)


@pytest.mark.parametrize(
    ("value", "canonical"),
    [
        ({"b": 1, "a": [True, None, "é"]}, '{"a":[true,null,"é"],"b":1}'),
        ({"\u20ac": 1, "\r": 2, "1": 3}, '{"\\r":2,"1":3,"€":1}'),
        ({"\U0001f600": 1, "\ufb33": 2}, '{"😀":1,"\ufb33":2}'),
        ([1.0, 1e21, 1e-7, -0.0, 0.1], "[1,1e+21,1e-7,0,0.1]"),
        (2**53 - 1, "9007199254740991"),
    ],
)
def test_values(value: Any, canonical: str) -> None:
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    assert manifest_hash(value) == f"sha256:{digest}"


@pytest.mark.parametrize(
    "value",
    [2**53, -(2**53), float("inf"), float("nan"), "\ud800", {"\udfff": 1}, {1: 2}, object()],
)
def test_values_without_a_canonical_form(value: Any) -> None:
    with pytest.raises(DigestRefused, match="no canonical form"):
        manifest_hash(value)


def test_depth_without_end_is_refused() -> None:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises(DigestRefused, match="too deeply"):
        manifest_hash(value)


def test_spaces_and_order_do_not_count() -> None:
    one = found('{"a": 1, "b": 2}')
    assert one == found('{ "b" : 2.0,\n"a":1 }')
    assert one != found('{"a": 1, "b": 3}')


@pytest.mark.parametrize(
    ("limits", "place", "reason"),
    [
        ('{"a": 1, "a": 1}', "2:59", "duplicate"),
        ('{"a": 9007199254740992}', "2:56", "exactly"),
        ('{"a": -9007199254740992}', "2:56", "exactly"),
        ('{"a": 1e999}', "2:56", "too large"),
        ('{"a": 1,}', "2:", ""),
        ('{"a": "\\ud800"}', "1:1", "no canonical form"),
    ],
)
def test_a_text_that_is_not_one_value_is_refused_with_its_place(
    limits: str, place: str, reason: str
) -> None:
    said = refused(limits)
    assert said.startswith(f"manifest.json:{place}")
    assert reason in said


def test_bytes_that_are_no_utf_8_are_refused() -> None:
    assert "not UTF-8" in refused('{"a": "\udcff"}')


def test_the_artifact_is_what_lies_beside_the_manifest() -> None:
    assert found(**{"skill.wasm": b"\0asm"})[1] == ("artifact", ARTIFACT, "")
    said = found()[1]
    assert said[:2] == ("artifact", ARTIFACT)
    assert "the artifact is not next to" in said[2]
    other = found(**{"skill.wasm": b"other"})[1]
    assert other[1] == "sha256:" + hashlib.sha256(b"other").hexdigest()
    assert ARTIFACT in other[2]


def test_a_skill_of_another_system_has_no_digest_of_its_own() -> None:
    tree = MemoryTree({"SKILL.md": b"---\nname: a\ndescription: b\n---\n"}, "a")
    assert list(digests(locate(tree))) == []
