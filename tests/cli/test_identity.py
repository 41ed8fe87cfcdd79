"""`skillstudio identity`: the version tuple on the command line."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.repositories import Repo, needs_git, plain

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
    assert "version_from: agent-skills in SKILL.md:4" in lines
    assert "not in a git repository" in done.err


def test_json(run: Run, skill: Skill) -> None:
    folder = skill(text=VERSIONED)
    value = run("identity", folder / "SKILL.md", "--format", "json").json
    assert value["path"] == str(folder)
    assert value["skill_version"]["version"] == "1.0.0"
    assert value["skill_version"]["deployed_at"] is None
    assert value["tree_sha256"].startswith("sha256:")


@pytest.mark.slow
@needs_git
def test_a_version_in_a_commit_is_named_as_diff_takes_it(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = Repo(tmp_path / "repo")
    first = repo.commit({"one/SKILL.md": plain("one"), "one/a.txt": "a"}, "one@1.0.0")
    repo.commit({"other.txt": "x"}, "base")
    repo.commit({"one/SKILL.md": plain("one", "2.0.0")}, "one@2.0.0")
    monkeypatch.chdir(repo.root)
    (repo.root / "one" / "a.txt").write_text("changed")
    past = {
        text: run("identity", text, "--format", "json").json["skill_version"]
        for text in ("one@1.0.0", "one@base", "one@HEAD~2", "base:one", "one@one@1.0.0")
    }
    for recorded in past.values():
        assert (recorded["source_rev"], recorded["version"]) == (first, "1.0.0")
        assert (
            recorded["content_hash"]
            == run("identity", "one@base", "--digests", "--format", "json").json["content_hash"]
        )
    now = run("identity", "one", "--format", "json").json
    then = run("identity", "one@2.0.0", "--format", "json").json
    assert (now["dirty"], then["dirty"]) == (["a.txt"], [])
    assert (now["path"], then["path"]) == ("one", "one@2.0.0:one")
    assert now["skill_version"]["content_hash"] != then["skill_version"]["content_hash"]
    assert run("identity", "one@2.0.0", "--for", "dev").out == (
        then["skill_version"]["content_hash"] + "\n"
    )
    repo.commit({"one/SKILL.md": None, "one/a.txt": None})
    assert (
        run("identity", "one@1.0.0", "--format", "json").json["skill_version"]
        == (past["one@1.0.0"])
    )


@needs_git
def test_a_tag_of_the_commit_tells_the_version_that_no_manifest_states(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = Repo(tmp_path / "repo")
    text = "---\nname: bare\ndescription: Says things.\n---\n"
    commit = repo.commit({"bare/SKILL.md": text}, "bare@1.2.0")
    repo.commit({"bare/SKILL.md": text + "More.\n"})
    monkeypatch.chdir(repo.root)
    value = run("identity", "bare@1.2.0", "--format", "json").json
    assert value["skill_version"]["version"] == "1.2.0"
    assert value["version_from"] == f"tag bare@1.2.0 at {commit[:12]}"
    assert run("identity", "bare", "--format", "json").json["skill_version"]["version"] is None


def test_a_skill_in_an_archive_has_no_source(run: Run, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "one.zip", "w") as archive:
        archive.writestr("one/SKILL.md", plain("one"))
    ran = run("identity", tmp_path / "one.zip", "--format", "json")
    recorded = ran.json["skill_version"]
    assert (recorded["source_ref"], recorded["version"]) == (None, "1.0.0")
    assert "no source: the skill is in an archive" in ran.err


@needs_git
def test_a_skill_that_was_not_there_has_no_identity(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = Repo(tmp_path / "repo")
    repo.commit({"x": "x"})
    repo.commit({"one/SKILL.md": plain("one")})
    monkeypatch.chdir(repo.root)
    for text, said in (
        ("one@HEAD~1", "there is no skill at one@HEAD~1"),
        ("one@nothing", "unknown git revision"),
        ("nowhere", "nowhere is not a file or folder"),
    ):
        ran = run("identity", text)
        assert (ran.status, ran.out) == (2, "")
        assert said in ran.err


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
        (["--deployed-at", "noon"], "--deployed-at noon: not an ISO 8601 date and time"),
        (["--deployed-at", "2025-12-23T10:00:00"], "2025-12-23T10:00:00Z"),
        (["--digests", "--for", "pin"], "--digests and --files exclude"),
        (["--files", "--share"], "--digests and --files exclude"),
        (["--for", "sale"], "unknown value for --for: sale"),
    ],
)
def test_wrong_use(run: Run, skill: Skill, arguments: list[str], said: str) -> None:
    done = run("identity", skill(), *arguments)
    assert (done.status, done.out) == (2, "")
    assert said in done.err


def test_a_skill_without_a_hash(run: Run, skill: Skill) -> None:
    done = run("identity", skill(**{".skillignore": "*\n"}))
    assert (done.status, done.out) == (2, "")
    assert "no content hash: .skillignore excludes SKILL.md" in done.err
    assert run("identity", "nowhere").status == 2
