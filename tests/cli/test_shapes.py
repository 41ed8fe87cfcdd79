"""The shapes that programs rely on. `run` compares all JSON with the published ones."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from tests.cli.conftest import Run
from tests.dryrun.skills import block_skill, offered
from tests.repositories import Repo, needs_git, plain

pytestmark = needs_git
LEVELS = ("major", "minor", "patch", "none")
HASH = {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"}


DIGESTS = {
    "properties": {"content_hash": HASH, "tree_sha256": HASH, "files": {"minimum": 1}},
    "required": ["content_hash", "tree_sha256", "files"],
    "additionalProperties": False,
}


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    made = Repo(tmp_path / "repo")
    made.commit({"one/SKILL.md": plain("one"), "gone/SKILL.md": plain("gone")}, "base")
    made.commit(
        {
            "one/SKILL.md": plain("one", "1.1.0", "^[a-f]+$"),
            "gone/SKILL.md": None,
            "new/SKILL.md": plain("new", "latest"),
            "day.yaml": "steps:\n  - skill: one\n    inputs: {topic: g}\n",
        },
        "head",
    )
    monkeypatch.chdir(made.root)
    return made


@pytest.mark.parametrize(
    "versions",
    [
        ("one@base", "one"),
        ("one@base", "one@head"),
        ("one", "one"),
        ("one@head", "one@base"),
        ("gone@base", "gone@head"),
        ("new@base", "new@head"),
        ("new", "one"),
        ("one",),
    ],
    ids=" ".join,
)
def test_two_versions(run: Run, repo: Repo, versions: tuple[str, ...]) -> None:
    ran = run("diff", *versions, "--format", "json")
    counted = [change["level"] for change in ran.json["changes"] if change["waived"] is None]
    assert ran.json["summary"] == {level: counted.count(level) for level in LEVELS}


def test_a_change_that_is_waived_or_proven(run: Run, repo: Repo) -> None:
    (change,) = run("diff", "one@base", "one", "--format", "json").json["changes"]
    assert change["witness"] == {"value": "g", "accepted_by": "old", "refused_by": "new"}
    run("waive", change["fingerprint"], "--reason", "agreed")
    ran = run("diff", "one@base", "one", "--format", "json")
    assert ran.json["changes"][0]["waived"] == "agreed"
    assert ran.json["summary"]["major"] == 0


def test_a_range(run: Run, repo: Repo) -> None:
    ran = run("diff", "base..head", "--format", "json")
    sides = [(row["old"] is None, row["new"] is None) for row in ran.json["skills"]]
    assert sides == [(False, True), (True, False), (False, False)]
    assert run("diff", "head..head", "--format", "json").json
    assert run("diff", "--staged", "--format", "json").json


@pytest.mark.slow
def test_a_check(run: Run, repo: Repo) -> None:
    (repo.root / "one" / "SKILL.md").write_text(
        "---\nname: One\ndescription: a: b\n---\n[x](no.md)\n"
    )
    assert run("check", ".", "--format", "json").json
    assert run("check", "new", "--target", "codex", "--format", "json").json
    assert run("check", ".", "--statistics", "--format", "json").json
    assert run("check", ".", "--fix", "--diff", "--format", "json").json


def test_samples(run: Run, tmp_path: Path) -> None:
    offered("copy")
    tool = block_skill(tmp_path / "tool", "exit 1")
    for name, expected in (("good", 1), ("bad", 0)):
        sample = tool / "samples" / "go" / f"{name}.yaml"
        sample.parent.mkdir(parents=True, exist_ok=True)
        sample.write_text(f"inputs: {{}}\nexpect: {{exit: {expected}}}\n")
    ran = run("test", tool, "--isolation", "copy", "--format", "json")
    assert ran.json["summary"]["failed"] == 1


def test_the_digests(run: Run, repo: Repo) -> None:
    jsonschema.validate(run("identity", "one", "--digests", "--format", "json").json, DIGESTS)
    jsonschema.validate(run("identity", "one@base", "--digests", "--format", "json").json, DIGESTS)


@pytest.mark.parametrize("missing", ["format_version", "old", "new", "changes", "bump", "summary"])
def test_the_shape_refuses_what_lacks_a_key(run: Run, repo: Repo, missing: str) -> None:
    value = json.loads(run("diff", "one@base", "one", "--format", "json").out)
    del value[missing]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(value, run("config", "schema", "diff").json)
