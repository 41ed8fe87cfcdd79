"""`identity --digests` and `--files`: digests of folders, archives and revisions."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from skillstudio.files.disk import DiskTree
from skillstudio.skill.hashing.content_hash import hash_tree

Skill = Callable[..., Path]


def test_the_three_values_as_json(run: Run, skill: Skill) -> None:
    folder = skill(**{"a.txt": "x"})
    ran = run("identity", folder, "--digests", "--format", "json")
    hashed = hash_tree(DiskTree(folder))
    assert (ran.status, ran.err) == (0, "")
    assert ran.json == {
        "content_hash": hashed.content_hash,
        "tree_sha256": hashed.tree_sha256,
        "files": 2,
    }


def test_each_file_on_request(run: Run, skill: Skill) -> None:
    folder = skill(**{"a.txt": "x"})
    digest = hashlib.sha256(b"x").hexdigest()
    listed = run("identity", folder, "--files", "--format", "json").json["listed"]
    assert listed[1] == {"path": "a.txt", "mode": "100644", "size": 1, "sha256": digest}
    out = run("identity", folder, "--files").out.splitlines()
    assert [line.split()[0] for line in out[:3]] == ["content_hash", "tree_sha256", "files"]
    assert out[4].split() == ["100644", digest, "1", "a.txt"]


def test_an_archive_has_the_digests_of_its_folder(run: Run, skill: Skill, tmp_path: Path) -> None:
    folder = skill(**{"a.txt": "x"})
    with zipfile.ZipFile(tmp_path / "plain.skill", "w") as archive:
        for path in sorted(folder.iterdir()):
            archive.write(path, f"plain/{path.name}")
    expected = run("identity", folder, "--digests", "--format", "json").json
    assert (
        run("identity", tmp_path / "plain.skill", "--digests", "--format", "json").json == expected
    )


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_revision_has_the_digests_that_the_folder_had(
    run: Run, skill: Skill, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = skill(**{"a.txt": "x"})
    expected = run("identity", folder, "--digests", "--format", "json").json
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "x"], ["tag", "v1.0.0"]):
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", "-C", str(folder), *identity, *words], check=True)
    (folder / "a.txt").write_text("y")
    assert run("identity", f"{folder}@v1.0.0", "--digests", "--format", "json").json == expected
    assert run("identity", folder, "--digests", "--format", "json").json != expected
    monkeypatch.chdir(folder)
    assert run("identity", "HEAD:.", "--digests", "--format", "json").json == expected


def test_a_folder_need_not_be_a_skill(run: Run, tmp_path: Path) -> None:
    assert run("identity", tmp_path, "--digests", "--format", "json").json["files"] == 0


def test_provenact_has_two_more(run: Run, tmp_path: Path) -> None:
    artifact = hashlib.sha256(b"\0asm").hexdigest()
    manifest = {
        "name": "echo",
        "version": "1.0.0",
        "entrypoint": "run",
        "artifact": f"sha256:{artifact}",
        "capabilities": [],
        "signers": ["a"],
    }
    (tmp_path / "manifest.json").write_text(json.dumps(manifest, indent=2))
    (tmp_path / "skill.wasm").write_bytes(b"\0asm")
    canonical = json.dumps(manifest, sort_keys=True, separators=(",", ":")).encode()
    ran = run("identity", tmp_path, "--digests", "--format", "json")
    assert ran.json["manifest_hash"] == "sha256:" + hashlib.sha256(canonical).hexdigest()
    assert ran.json["artifact"] == f"sha256:{artifact}"
    assert ran.err == ""
    (tmp_path / "skill.wasm").write_bytes(b"other")
    assert "the manifest declares sha256:" in run("identity", tmp_path, "--digests").err


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("gone", "gone"),
        ("gone.zip", "gone.zip"),
        ("empty.zip", "not a zip or gzip archive"),
        ("a.txt", "a.txt"),
    ],
)
def test_what_has_no_digest_says_why(run: Run, tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / "empty.zip").write_bytes(b"")
    (tmp_path / "a.txt").write_text("x")
    ran = run("identity", tmp_path / name, "--digests")
    assert (ran.status, ran.out) == (2, "")
    assert reason in ran.err


def test_a_manifest_of_two_meanings_has_no_digest(run: Run, tmp_path: Path) -> None:
    text = '{"name": "a", "artifact": "x", "capabilities": [], "signers": [], "signers": []}'
    (tmp_path / "manifest.json").write_text(text)
    ran = run("identity", tmp_path, "--digests")
    assert (ran.status, ran.out) == (2, "")
    assert "manifest.json:1:67: " in ran.err


@pytest.mark.skipif(sys.platform == "win32", reason="a name that Windows cannot hold")
def test_hostile_names_are_shown_and_do_nothing(run: Run, skill: Skill) -> None:
    folder = skill(**{"$(touch x)": "", "\x1b[31mred": ""})
    ran = run("identity", folder, "--files")
    assert ran.status == 0
    assert "\x1b" not in ran.out + ran.err
    assert "the reference script's shell alters these names, so it differs: $(touch x)" in ran.err
    assert not (folder / "x").exists()
    assert not os.path.exists("x")
    (folder / "a\nb").write_text("")
    ran = run("identity", folder, "--digests")
    assert (ran.status, ran.out) == (2, "")
    assert "'a\\nb'" in ran.err


def test_no_manifest_is_read_where_no_system_has_a_digest_of_it(skill: Skill) -> None:
    code = (
        "import sys; from skillstudio.cli.main import main;"
        "main(['identity', sys.argv[1], '--digests']);"
        "print('read' if 'skillstudio.manifest.locate' in sys.modules else 'none')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(skill())], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "none"
