"""The version tuple of ADR-003: where each part comes from, and what is said where it is not."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from skillstudio.files.disk import DiskTree
from skillstudio.manifest.locate import locate
from skillstudio.skill.hashing.content_hash import HashRefused
from skillstudio.skill.hashing.identity import (
    Identity,
    identify,
    nix_store_path,
    parse_time,
    source_url,
)

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
PERSON = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "a"), ("EMAIL", "a@example.org"))
}


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", str(folder), *arguments],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **PERSON},
    ).stdout.strip()


def write(folder: Path, version: str = "", more: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    stated = f"version: {version}\n" if version else ""
    text = f"---\nname: {folder.name}\ndescription: d\n{stated}---\n{more}"
    (folder / "SKILL.md").write_text(text)
    return folder


def of(folder: Path, **options: Any) -> Identity:
    return identify(locate(DiskTree(folder)).skill, str(folder), **options)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with the skills `notes` and `other`, committed."""
    root = tmp_path / "repository"
    write(root / "skills" / "notes")
    write(root / "skills" / "other")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    return root


def test_the_tuple_has_the_fields_of_the_seed(tmp_path: Path) -> None:
    found = of(write(tmp_path / "notes", "1.2.0"), deployed_at="2025-12-23T10:00:00Z")
    assert " ".join(found.version_tuple) == (
        "nix_store_path source_ref source_rev content_hash version deployed_at"
    )
    assert found.version_tuple == {
        "nix_store_path": None,
        "source_ref": None,
        "source_rev": None,
        "content_hash": found.digests.content_hash,
        "version": "1.2.0",
        "deployed_at": "2025-12-23T10:00:00Z",
    }
    assert found.version.where == "agent-skills in SKILL.md:4"
    assert of(tmp_path / "notes").version_tuple["deployed_at"] is None


@needs_git
def test_the_source_is_the_last_commit_that_touched_the_skill(repository: Path) -> None:
    notes = repository / "skills" / "notes"
    first = git(repository, "rev-parse", "HEAD")
    write(repository / "skills" / "other", "2.0.0")
    git(repository, "commit", "-qam", "second")
    found = of(notes)
    assert found.source.rev == first
    assert found.source.ref == f"git+file://{os.path.realpath(repository)}#notes"
    assert of(repository / "skills" / "other").source.rev == git(repository, "rev-parse", "HEAD")
    git(repository, "remote", "add", "origin", "https://me:secret@example.org/a/b.git?key=1")
    assert of(notes).version_tuple["source_ref"] == "git+https://example.org/a/b.git#notes"


@needs_git
def test_what_no_commit_holds_is_shown(repository: Path) -> None:
    notes = repository / "skills" / "notes"
    assert of(notes).source.dirty == ()
    (notes / "new.md").write_text("new")
    write(notes, more="changed")
    write(repository / "skills" / "other", "3.0.0")
    assert of(notes).source.dirty == ("SKILL.md", "new.md")


@needs_git
@pytest.mark.parametrize(
    ("tags", "version", "where"),
    [
        ([], None, None),
        (["v1.2.0"], "1.2.0", "tag v1.2.0 at HEAD"),
        (["v2.0.0", "notes@1.2.0"], "1.2.0", "tag notes@1.2.0 at HEAD"),
        (["v2.0.0", "notes-v1.2.0"], "1.2.0", "tag notes-v1.2.0 at HEAD"),
        (["notes/v1.2.0", "notes@v1.3.0", "notes-1.1.0"], "1.3.0", "tag notes@v1.3.0 at HEAD"),
        (["other-notes-v4.0.0", "notesv1.0.0", "notes-v1"], None, None),
        (["v1.9.0", "v1.10.0", "v1.10.0-rc.1"], "1.10.0", "tag v1.10.0 at HEAD"),
        (["other@4.0.0", "v1", "vx.y.z", "1.0.0", "notes@one"], None, None),
    ],
)
def test_a_tag_gives_the_version_that_no_manifest_states(
    repository: Path, tags: list[str], version: str | None, where: str | None
) -> None:
    for tag in tags:
        git(repository, "tag", tag)
    value = of(repository / "skills" / "notes").as_json()
    assert (value["skill_version"]["version"], value["version_from"]) == (version, where)


@needs_git
def test_the_manifest_goes_before_the_tag_and_an_old_tag_names_nothing(repository: Path) -> None:
    notes = repository / "skills" / "notes"
    git(repository, "tag", "notes@1.0.0")
    write(notes)
    (notes / "more.md").write_text("x")
    assert of(notes).version.where == "tag notes@1.0.0 at HEAD, with uncommitted changes"
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "more")
    assert of(notes).version.version == ""
    git(repository, "tag", "notes@1.1.0")
    write(notes, "1.3.0")
    assert of(notes).version == ("1.3.0", "agent-skills in SKILL.md:4")


@needs_git
def test_why_there_is_no_source_is_said(repository: Path, tmp_path: Path) -> None:
    outside = of(write(tmp_path / "outside"))
    assert "not in a git repository" in " ".join(outside.notes)
    new = of(write(repository / "skills" / "new"))
    assert new.source.ref == new.source.rev == ""
    assert "no commit contains the skill" in " ".join(new.notes)
    git(repository, "rm", "-rq", "--cached", "skills/notes")
    git(repository, "commit", "-qm", "gone")
    assert of(repository / "skills" / "notes").source.rev == ""


def test_a_version_that_is_none_is_noted(tmp_path: Path) -> None:
    found = of(write(tmp_path / "notes", "'2025-12'"))
    assert found.version_tuple["version"] == "2025-12"
    assert "the version 2025-12 is not a semantic version" in found.notes


def test_a_skill_without_a_hash_has_no_identity(tmp_path: Path) -> None:
    (write(tmp_path / "notes") / ".skillignore").write_text("SKILL.md\n")
    with pytest.raises(HashRefused, match=r"SKILL\.md"):
        of(tmp_path / "notes")


def test_a_skill_in_the_nix_store_is_known_by_where_it_lies(tmp_path: Path) -> None:
    store = tmp_path / "store"
    skill = write(store / "abc-notes-1.0.0")
    link = tmp_path / "deployed"
    link.symlink_to(skill)
    found = of(link, store=str(store))
    assert found.nix_store_path == os.path.realpath(skill)
    assert found.primary("nix") == ("nix_store_path", found.nix_store_path)
    assert found.primary("replay") == ("nix_store_path", found.nix_store_path)
    assert found.primary("dev") == ("content_hash", found.digests.content_hash)
    assert found.primary("pin") == ("content_hash", found.digests.content_hash)
    assert nix_store_path("/nix/store-of-mine/abc") == ""
    assert nix_store_path("/nix/store/abc123-notes") == "/nix/store/abc123-notes"


def test_outside_the_store_only_nix_has_no_identity(tmp_path: Path) -> None:
    found = of(write(tmp_path / "notes"))
    assert found.primary("nix") is None
    assert found.primary("replay") == ("content_hash", found.digests.content_hash)


@pytest.mark.parametrize(
    ("remote", "url"),
    [
        ("", "git+file:///srv/r"),
        ("https://example.org/a.git", "git+https://example.org/a.git"),
        ("https://me@example.org/a.git", "git+https://example.org/a.git"),
        ("https://me:pass@word@example.org:8080/a", "git+https://example.org:8080/a"),
        ("https://example.org/a.git?token=x#y", "git+https://example.org/a.git"),
        ("ssh://git@example.org/a.git", "git+ssh://example.org/a.git"),
        ("git+ssh://git@example.org/a", "git+ssh://example.org/a"),
        ("git@example.org:a/b.git", "git+ssh://example.org/a/b.git"),
        ("example.org:/srv/b.git", "git+ssh://example.org/srv/b.git"),
        ("me@[::1]:b.git", "git+ssh://[::1]/b.git"),
        ("/srv/a b.git", "git+file:///srv/a%20b.git"),
        ("../other#1", "git+file:///srv/other%231"),
        ("file:///srv/a.git", "git+file:///srv/a.git"),
        ("ext::sh -c 'secret'", "git+file:///srv/r"),
    ],
)
@pytest.mark.skipif(os.sep != "/", reason="paths of other systems")
def test_the_address_of_a_repository_names_no_user(remote: str, url: str) -> None:
    assert source_url(remote, "/srv/r") == url


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("2025-12-23T10:00:00Z", "2025-12-23T10:00:00Z"),
        ("2025-12-23 10:00:00.75+02:00", "2025-12-23T08:00:00Z"),
        ("2025-12-23T10:00:00", "the time zone is missing"),
        ("2025-12-23", "the time zone is missing"),
        ("yesterday", "not an ISO 8601 date and time"),
        ("0001-01-01T00:00:00+10:00", "not an ISO 8601 date and time"),
    ],
)
def test_a_moment_is_read_with_its_zone(given: str, told: str) -> None:
    if not told.endswith("Z"):
        with pytest.raises(ValueError, match=told):
            parse_time(given)
    else:
        assert parse_time(given) == told
