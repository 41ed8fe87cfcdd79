"""`skillstudio identity`: the version tuple on the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run

Skill = Callable[..., Path]
VERSIONED = "---\nname: plain\ndescription: d\nversion: 1.0.0\n---\n"


def test_the_text_is_yaml_with_what_a_trace_records(run: Run, skill: Skill) -> None:
    done = run("identity", skill(text=VERSIONED), "--deployed-at", "2025-12-23T10:00:00Z")
    lines = done.out.splitlines()
    assert done.status == 0
    assert lines[:2] == ["name: plain", "skill_version:"]
    assert [line.split(":")[0].strip() for line in lines[2:8]] == [
        "nix_store_path", "source_ref", "source_rev", "content_hash", "version", "deployed_at",
    ]  # fmt: skip
    assert '  deployed_at: "2025-12-23T10:00:00Z"' in lines
    assert "version_from: frontmatter-1.0 in SKILL.md:4" in lines
    assert "not in a git repository" in done.err


def test_json(run: Run, skill: Skill) -> None:
    folder = skill(text=VERSIONED)
    value = run("identity", folder / "SKILL.md", "--format", "json").json
    assert value["path"] == str(folder)
    assert value["skill_version"]["version"] == "1.0.0"
    assert value["skill_version"]["deployed_at"] is None
    assert value["tree_sha256"].startswith("sha256:")


def test_what_is_shared_names_no_one(run: Run, skill: Skill) -> None:
    folder = skill("home/dan/skills/plain", text=VERSIONED)
    path = str(folder)
    assert "/home/dan/" in path
    done = run("identity", folder, "--share", "--format", "json")
    assert "dan" not in done.out + done.err
    assert done.json["path"].endswith("LOCAL/skills/plain")
    assert "dan" in run("identity", folder, "--format", "json").out


@pytest.mark.parametrize("purpose", ["dev", "replay", "pin"])
def test_the_identity_for_a_purpose_stands_alone(run: Run, skill: Skill, purpose: str) -> None:
    folder = skill()
    own = run("identity", folder, "--format", "json").json["skill_version"]["content_hash"]
    assert run("identity", folder, "--for", purpose).out == own + "\n"
    value = run("identity", folder, "--for", purpose, "--format", "json").json
    assert value == {
        "path": str(folder), "for": purpose, "field": "content_hash", "value": own,
    }  # fmt: skip


def test_a_skill_that_nix_did_not_deploy_has_no_identity_for_it(run: Run, skill: Skill) -> None:
    done = run("identity", skill(), "--for", "nix")
    assert (done.status, done.out) == (1, "")
    assert "--for dev" in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--deployed-at", "noon"], "--deployed-at noon: it is no moment"),
        (["--deployed-at", "2025-12-23T10:00:00"], "2025-12-23T10:00:00Z"),
        (["--for", "sale"], "invalid choice"),
    ],
)
def test_wrong_use(run: Run, skill: Skill, arguments: list[str], said: str) -> None:
    done = run("identity", skill(), *arguments)
    assert (done.status, done.out) == (2, "")
    assert said in done.err


def test_a_skill_without_a_hash(run: Run, skill: Skill) -> None:
    done = run("identity", skill(**{".skillignore": "*\n"}))
    assert (done.status, done.out) == (2, "")
    assert "no content hash: .skillignore leaves out SKILL.md" in done.err
    assert run("identity", "nowhere").status == 2
