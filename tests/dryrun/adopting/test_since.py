"""Whether a skill is another one than that which ran, and what that means for a finding."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.dryrun.adopting.skills import case

from skillstudio.dryrun.adopting.finding import AdoptFinding
from skillstudio.dryrun.adopting.since import Since, explain_change, since
from skillstudio.skill.hashing.content_hash import hash_tree

TWO = "skill-manifest-2.0"
STARTED = "2026-01-01T00:00:00Z"
AT = 1_767_225_600


def hashed(dialect: str) -> str:
    return hash_tree(case(dialect).tree).content_hash


@pytest.mark.parametrize(
    ("identity", "told"),
    [
        (None, False),
        ({}, False),
        ({"content_hash": None}, False),
        ({"content_hash": hashed(TWO)}, False),
        ({"content_hash": "sha256:of-another"}, True),
    ],
)
def test_only_another_hash_tells_of_a_change(
    tmp_path: Path, identity: dict[str, str | None] | None, told: bool
) -> None:
    it = case(TWO)
    it = it._replace(report=it.report._replace(identity=identity))
    assert (since(it, str(tmp_path)) is not None) == told


def test_what_is_newer_is_named_and_what_is_unsaved(tmp_path: Path) -> None:
    for name, time in (("a.py", AT + 5), ("old.py", AT - 5), ("same.py", AT), ("b.py", AT + 1)):
        (tmp_path / name).write_text("")
        os.utime(tmp_path / name, (time, time))
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "index").write_text("")
    it = case(TWO)
    report = it.report._replace(identity={"content_hash": "x"}, started_at=STARTED)
    found = since(it._replace(report=report), str(tmp_path), ["SKILL.md"])
    assert found is not None
    assert found.newer == ("SKILL.md", "a.py", "b.py")
    assert not found.only_manifest
    assert found.summary.startswith("has changed since this run (SKILL.md, a.py, b.py); ")
    more = found._replace(newer=("a", "b", "c", "d", "e"))
    assert "(a, b, c and 2 more)" in more.summary
    assert "run;" in found._replace(newer=()).summary


def test_a_time_that_cannot_be_read_names_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("")
    it = case(TWO)
    report = it.report._replace(identity={"content_hash": "x"}, started_at="long ago")
    found = since(it._replace(report=report), str(tmp_path))
    assert found is not None
    assert (found.newer, found.only_manifest) == ((), False)


OTHERS = Since(("do.py",), False, "fs.read\nout/{{a}}.md\nmake")
MANIFEST = OTHERS._replace(newer=("SKILL.md",), only_manifest=True)


@pytest.mark.parametrize(
    ("id", "of", "said"),
    [
        ("effect:fs.write", OTHERS, "the current ones may behave differently"),
        ("effect:fs.write", MANIFEST, "only the manifest is newer than the run"),
        ("unobserved:effect:fs.read", OTHERS, "the current ones may use it"),
        ("unobserved:effect:fs.read", MANIFEST, "so this still applies"),
        ("unobserved:effect:net.fetch", MANIFEST, "declared after the run"),
        ("unobserved:output:out/{{a}}.md", OTHERS, "the current ones may use it"),
        ("unobserved:output:other.md", OTHERS, "declared after the run"),
        ("unobserved:command:make", OTHERS, "the current ones may use it"),
        ("unobserved:command:npm", OTHERS, "declared after the run"),
        ("unobserved:field:rows", OTHERS, "the current ones may use it"),
        ("idempotent", OTHERS, "the current ones may behave differently"),
    ],
)
def test_what_it_means_for_each_finding(id: str, of: Since, said: str) -> None:
    assert said in explain_change(AdoptFinding(id, "x"), of)
