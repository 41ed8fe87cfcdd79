"""`skillstudio lock`: what it writes, what it keeps, and what a check finds."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run

from skillstudio.cli import lock as module
from skillstudio.skill.pins.npx_lock import folder_hash

Skill = Callable[..., Path]
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
NOTES = "---\nname: {name}\ndescription: d\nversion: 1.0.0\n---\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, in which a workspace lies; no `bd` is on this machine."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("skillstudio.cli.beads.beads_version", lambda folders: "")
    return tmp_path


@pytest.fixture
def notes(skill: Skill) -> Path:
    """A skill with a script."""
    folder = skill("skills/notes", text=NOTES.format(name="notes"))
    (folder / "run.py").write_text("print(1)\n")
    return folder


def proto(text: str = "steps:\n  - skill: notes\n", name: str = "day.yaml") -> Path:
    Path(name).write_text(text)
    return Path(name)


def later(monkeypatch: pytest.MonkeyPatch, time: str) -> None:
    monkeypatch.setattr(module, "strftime", lambda *_: time)


def test_a_proto_is_locked_beside_it(run: Run, notes: Path, here: Path) -> None:
    done = run("lock", proto())
    assert (done.status, done.out.splitlines()[0]) == (0, "day.lock: written, 1 skill")
    assert "mode: locked by content_hash: notes is not pinned in the proto" in done.out
    text = (here / "day.lock").read_text()
    assert text.splitlines()[:3] == [
        "# day.lock",
        "# Generated from the skills; do not edit.",
        "# To update: skillstudio lock day.yaml",
    ]
    own = run("identity", notes, "--format", "json").json
    assert f'    content_hash: "{own["skill_version"]["content_hash"]}"\n' in text
    assert f'    tree_sha256: "{own["tree_sha256"]}"\n' in text
    assert '    version: "1.0.0"\n' in text
    assert "    run.py: 100644 " in text


def test_without_a_change_every_byte_stays(
    run: Run, notes: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later(monkeypatch, "2025-01-01T00:00:00Z")
    run("lock", proto())
    lock = here / "day.lock"
    first, when = lock.read_bytes(), lock.stat().st_mtime_ns
    later(monkeypatch, "2026-01-01T00:00:00Z")
    assert run("lock", "day.yaml").out.startswith("day.lock: unchanged, 1 skill\n")
    assert (lock.read_bytes(), lock.stat().st_mtime_ns) == (first, when)
    lock.unlink()
    run("lock", "day.yaml")
    assert lock.read_bytes() == first.replace(b"2025-", b"2026-")
    windows = lock.read_bytes().replace(b"\n", b"\r\n")
    lock.write_bytes(windows)
    assert run("lock", "day.yaml", "--check").status == 0
    run("lock", "day.yaml")
    assert lock.read_bytes() == windows


def test_an_edited_script_fails_the_check_by_name(run: Run, notes: Path, here: Path) -> None:
    run("lock", proto())
    locked = (here / "day.lock").read_bytes()
    assert run("lock", "day.yaml", "--check").out == "day.lock: 1 skill as locked\n"
    before = run("identity", notes, "--for", "dev").out.strip()
    (notes / "run.py").write_text("print(2)\n")
    after = run("identity", notes, "--for", "dev").out.strip()
    done = run("lock", "day.yaml", "--check")
    assert done.status == 1
    lines = done.out.splitlines()
    assert lines[0] == f"day.lock: notes: content_hash is locked as {before} and is {after}"
    assert lines[1] == "  notes/run.py: changed"
    assert done.err == "run skillstudio lock day.yaml to update it\n"
    assert (here / "day.lock").read_bytes() == locked
    (found,) = run("lock", "day.yaml", "--check", "--format", "json").json["locks"]
    assert found["state"] == "differs"
    assert [each["field"] for each in found["differences"]] == ["content_hash", "tree_sha256"]
    assert found["differences"][0]["files"] == [{"path": "run.py", "how": "changed"}]
    assert found["differences"][0]["locked"] == before
    assert run("lock", "day.yaml").out.startswith("day.lock: written")
    assert run("lock", "day.yaml", "--check").status == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda notes: (notes / "new.md").write_text("x"), "notes/new.md: added"),
        (lambda notes: (notes / "run.py").unlink(), "notes/run.py: removed"),
        (
            lambda notes: (notes / "SKILL.md").write_text(NOTES.format(name="notes") + "x"),
            "notes/SKILL.md: changed",
        ),
        pytest.param(
            lambda notes: (notes / "run.py").chmod(0o755),
            "notes/run.py: executable bit changed",
            marks=pytest.mark.skipif(os.name == "nt", reason="no modes"),
        ),
    ],
)
def test_each_kind_of_change_is_named(
    run: Run, notes: Path, change: Callable[[Path], Any], said: str
) -> None:
    run("lock", notes)
    change(notes)
    done = run("lock", notes, "--check")
    assert done.status == 1
    assert f"  {said}" in done.out.splitlines()


def test_skills_are_locked_in_this_folder(run: Run, notes: Path, skill: Skill, here: Path) -> None:
    skill("skills/other")
    done = run("lock", "skills")
    assert done.out.startswith("proto.lock: written, 2 skills\n")
    assert "no proto pins these skills" in done.out
    assert "# To update: skillstudio lock skills\n" in (here / "proto.lock").read_text()
    assert run("lock", "skills/notes", "skills/other", "--check").status == 0
    one = run("lock", "skills/notes", "--check")
    assert one.status == 1
    assert "other is locked with the content_hash sha256:" in one.out
    assert "that would drop skills/other; to keep what is locked, name those folders" in one.err
    narrow = run("lock", "skills/notes").out
    assert narrow.startswith("proto.lock: written, 1 skill\n")
    assert "  no longer locked: skills/other; to keep them, name their folders as well" in narrow
    (value,) = run("lock", "skills", "--format", "json").json["locks"]
    assert (sorted(value["skills"]), value["dropped"]) == (["notes", "skills/other"], [])
    (value,) = run("lock", "skills/other", "--format", "json").json["locks"]
    assert value["dropped"] == ["notes"]
    run("lock", "skills")
    skill("skills/third")
    more = run("lock", "skills", "--check")
    assert "third is not locked; it has the content_hash sha256:" in more.out


def test_without_a_path_what_is_locked_here(run: Run, notes: Path, here: Path) -> None:
    missing = run("lock", "--check")
    assert missing.status == 2
    assert missing.err == (
        "skillstudio: proto.lock: there is no such lock file; run skillstudio lock . to write it\n"
    )
    proto()
    run("lock", "day.yaml")
    assert run("lock").out.startswith("day.lock: unchanged")
    assert not (here / "proto.lock").exists()
    run("lock", "skills")
    names = [each["path"] for each in run("lock", "--check", "--format", "json").json["locks"]]
    assert names == ["day.lock", "proto.lock"]


def test_json(run: Run, notes: Path) -> None:
    (value,) = run("lock", proto(), "--format", "json").json["locks"]
    assert value["path"] == "day.lock"
    assert value["state"] == "written"
    assert value["mode"]["mode"] == "locked"
    assert value["skills"]["notes"]["version"] == "1.0.0"
    assert value["skills"]["notes"]["source_rev"] is None
    assert list(value["skills"]["notes"]["files"]) == ["SKILL.md", "run.py"]
    assert (value["differences"], value["problems"]) == ([], [])


def test_what_another_machine_knew_is_kept(
    run: Run, notes: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("lock", proto())
    lock = here / "day.lock"
    head, colon, tail = lock.read_text().partition("    tree_sha256")
    store = '    nix_store_path: "/nix/store/abc123-notes-1.0.0"\n    source_rev: "abc123def"\n'
    full = 'beads_version: "0.35.0"\n' + head + store + colon + tail
    lock.write_text(full)
    run("lock", "day.yaml")
    assert lock.read_text() == full
    monkeypatch.setattr("skillstudio.cli.beads.beads_version", lambda folders: "0.36.0")
    assert run("lock", "day.yaml", "--check").status == 0
    run("lock", "day.yaml")
    assert 'beads_version: "0.36.0"' in lock.read_text()
    (notes / "run.py").write_text("print(3)\n")
    run("lock", "day.yaml")
    assert "abc123" not in lock.read_text()


MARKERS = "the lockfile contains merge conflict markers; resolve the conflict"
CONFLICT = "<<<<<<< HEAD\nskills: {}\n=======\nskills: {a: 1}\n>>>>>>> theirs\n"


@pytest.mark.parametrize("check", [[], ["--check"]])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (CONFLICT, f"1:1: {MARKERS}"),
        (f"generated_at: x\n{CONFLICT}", f"2:1: {MARKERS}"),
        ("skills: [\n", "1:9: unclosed list"),
        ("\n- a\n", "1:1: not a lockfile: the mapping `skills` is missing"),
        (
            "skills:\n  notes: {content_hash: 12}\n",
            "2:25: the skill notes has a content_hash that is not a string",
        ),
    ],
)
def test_a_lockfile_that_cannot_be_read_is_left_alone(
    run: Run, notes: Path, here: Path, text: str, said: str, check: list[str]
) -> None:
    proto()
    (here / "day.lock").write_text(text)
    done = run("lock", "day.yaml", *check)
    assert (done.status, done.out) == (2, "")
    advice = "remove the file, then run skillstudio lock day.yaml"
    assert done.err == f"skillstudio: day.lock:{said}; {advice}\n"
    assert (here / "day.lock").read_text() == text


def test_a_lockfile_that_is_no_text_or_no_file(run: Run, notes: Path, here: Path) -> None:
    proto()
    (here / "day.lock").write_bytes(b"a: \xff\n")
    refused = run("lock", "day.yaml")
    assert refused.err == "skillstudio: day.lock:1:4: not UTF-8 from here on\n"
    (here / "day.lock").unlink()
    (here / "day.lock").mkdir()
    assert run("lock", "day.yaml").status == 2


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        (
            "steps:\n  - skill: nots\n",
            1,
            'day.yaml:2:12: no skill in the workspace is named nots; did you mean "notes"? '
            "(binding-skill-missing)",
        ),
        (
            "skill: {id: notes, min_version: 2.0.0}\n",
            1,
            "day.yaml:1:33: notes 1.0.0 is below min_version 2.0.0 (binding-version-low)",
        ),
        (
            "skill: {id: plain, min_version: 2.0.0}\n",
            1,
            "day.yaml:1:33: plain declares no version; min_version is 2.0.0 (binding-version-low)",
        ),
        (
            "skill: {id: notes, content_hash: abc}\n",
            1,
            "day.yaml:1:34: abc is not sha256: followed by 64 lowercase hex digits "
            "(binding-hash-malformed)",
        ),
        (
            f"skill: {{id: notes, content_hash: 'sha256:{'0' * 64}'}}\n",
            1,
            f"day.yaml:1:34: notes has the content hash HASH, but is pinned to sha256:{'0' * 64} "
            "(binding-hash-mismatch)",
        ),
        ("skill: [\n", 2, "skillstudio: day.yaml:1:8: unclosed list"),
        (
            "a: 1 # skill: none\n",
            2,
            "skillstudio: day.yaml names no skill, so there is nothing to lock",
        ),
    ],
)
def test_a_proto_that_cannot_be_locked_leaves_no_lock(
    run: Run, notes: Path, skill: Skill, here: Path, text: str, status: int, said: str
) -> None:
    skill("skills/plain", text="---\nname: plain\ndescription: d\n---\n")
    done = run("lock", proto(text))
    assert done.status == status
    hashed = run("identity", "skills/notes", "--digests", "--format", "json").json["content_hash"]
    printed = done.out if status == 1 else done.err
    assert printed == said.replace("HASH", hashed) + "\n"
    assert not (here / "day.lock").exists()
    if status == 1:
        (found,) = run("lock", "day.yaml", "--format", "json").json["locks"]
        assert found["state"] == "refused"
        assert found["problems"][0]["path"] == "day.yaml"


def test_dependencies_are_locked_too(run: Run, here: Path) -> None:
    for id, needs in (("cloud.aws", '"cloud.net" = ">=1.0"\n'), ("cloud.net", "")):
        folder = here / "skills" / id.removeprefix("cloud.")
        folder.mkdir(parents=True)
        text = f'[skill]\nid = "{id}"\nname = "N"\nversion = "1.4.0"\n[dependencies]\n{needs}'
        (folder / "skill.toml").write_text(text)
    (value,) = run("lock", "skills/aws", "--format", "json").json["locks"]
    assert list(value["skills"]) == ["cloud.aws", "cloud.net"]
    shutil.rmtree(here / "skills" / "net")
    done = run("lock", "skills/aws", "--check")
    assert done.status == 1
    assert done.out == (
        "skills/aws/skill.toml:6:1: cloud.aws depends on cloud.net, but no skill in the workspace "
        "has that id (dependency-unresolved)\n"
    )


def test_two_skills_of_a_name(run: Run, notes: Path, skill: Skill) -> None:
    skill("copies/notes", text=NOTES.format(name="notes") + "other")
    done = run("lock", proto())
    assert (done.status, done.out) == (2, "")
    named = "2 different skills are named notes: copies/notes and skills/notes"
    assert done.err == f"skillstudio: day.lock: {named}; give them different names\n"
    for paths in (["."], [], ["copies", "skills"]):
        done = run("lock", *paths)
        assert (done.status, done.out) == (2, "")
        advice = "lock only one of them: skillstudio lock copies/notes"
        assert done.err == f"skillstudio: proto.lock: {named}; {advice}\n"
    assert run("lock", "copies/notes").status == 0
    assert run("lock", "skills/notes", "--check").status == 1


def test_a_name_that_no_lock_can_hold(run: Run, skill: Skill, here: Path) -> None:
    skill("long", text=NOTES.format(name="n" * 5000))
    done = run("lock", "long")
    assert (done.status, done.out) == (2, "")
    assert "proto.lock: the name of a skill cannot be written: the key is too long" in done.err
    assert not (here / "proto.lock").exists()


def test_the_examples_are_locked_one_by_one_where_one_has_a_past(run: Run, here: Path) -> None:
    shutil.copytree(Path(__file__).parents[2] / "examples", "examples")
    done = run("lock", "examples")
    assert done.status == 2
    assert "examples/history/0.1.0/memory and examples/memory; lock only one" in done.err
    # What aws depends on is not among the examples.
    kept = {path for path in Path("examples").iterdir() if path.name not in ("history", "aws")}
    each = sorted(map(str, kept))
    assert run("lock", *each).status == 0
    assert run("lock", *each, "--check").status == 0


def test_a_lock_that_would_change_what_it_locks(
    run: Run, notes: Path, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(notes)
    done = run("lock")
    assert done.status == 2
    assert done.err == (
        "skillstudio: proto.lock is in the skill . and would change the hash that it locks; add it "
        "to the skill's .skillignore, or lock from a folder above\n"
    )
    (notes / ".skillignore").write_text("*.lock\n")
    assert run("lock").status == 0
    assert run("lock", "--check").status == 0


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nowhere", "nowhere: no such file or folder, and no skill of the workspace has this name"),
        ("empty", "empty does not contain a skill: no SKILL.md, skill.toml or manifest.json of a "
         "known dialect"),
        ("text.yaml", "text.yaml belongs to no skill"),
    ],
)  # fmt: skip
def test_nothing_to_lock(run: Run, here: Path, path: str, said: str) -> None:
    (here / "empty").mkdir()
    (here / "text.yaml").write_text("a: 1\n")
    done = run("lock", path)
    assert (done.status, done.out) == (2, "")
    assert done.err == f"skillstudio: {said}\n"


def test_two_things_with_one_lockfile(run: Run, notes: Path) -> None:
    proto(name="proto.yaml")
    done = run("lock", "proto.yaml", "skills")
    assert done.status == 2
    assert done.err == (
        "skillstudio: proto.lock is the lock file of two paths; lock them one by one\n"
    )
    assert run("lock", "proto.yaml", "proto.yaml").status == 0


def test_a_skill_without_a_hash(run: Run, notes: Path, here: Path) -> None:
    (notes / ".skillignore").write_text("*\n")
    done = run("lock", "skills/notes")
    assert done.status == 1
    assert done.out == (
        "skills/notes:1:1: notes: .skillignore excludes SKILL.md; the digest must include the "
        "manifest (hash-refused)\n"
    )
    assert not (here / "proto.lock").exists()


@needs_git
def test_the_commit_is_locked_and_a_later_one_elsewhere_changes_nothing(
    run: Run, notes: Path, here: Path
) -> None:
    def git(*arguments: str) -> str:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        command = ["git", "-C", str(here), *who, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    (here / ".git").rmdir()
    git("init", "-q")
    git("add", "skills")
    git("commit", "-qm", "notes")
    run("lock", proto())
    assert f'source_rev: "{git("rev-parse", "HEAD")}"' in (here / "day.lock").read_text()
    git("add", ".")
    git("commit", "-qm", "lock")
    assert run("lock", "day.yaml").out.startswith("day.lock: unchanged")
    (notes / "run.py").write_text("print(4)\n")
    done = run("lock", "day.yaml")
    assert "notes has uncommitted changes, so no source_rev: run.py" in done.err
    assert "source_rev" not in (here / "day.lock").read_text()


def npx_lock(skill: Skill, digest: str = "", kind: str = "github") -> None:
    """A skill that npx skills has installed, and its lock file."""
    folder = skill(".agents/skills/notes", text=NOTES.format(name="notes"))
    (folder / "NOTES.md").write_text("a\n")
    entry = {
        "source": "a/b",
        "sourceType": kind,
        "computedHash": digest or folder_hash(str(folder)),
    }
    Path("skills-lock.json").write_text(json.dumps({"version": 1, "skills": {"notes": entry}}))


@pytest.mark.parametrize("path", [(), ("skills-lock.json",)])
def test_the_lock_file_of_npx_skills_is_verified(
    run: Run, skill: Skill, path: tuple[str, ...]
) -> None:
    npx_lock(skill)
    done = run("lock", "--check", *path)
    assert (done.status, done.out) == (0, "skills-lock.json: 1 skill as locked\n")
    Path(".agents/skills/notes/NOTES.md").write_text("b\n")
    done = run("lock", "--check", *path)
    assert done.status == 1
    assert done.out.startswith("skills-lock.json: notes differs: locked as ")
    assert "npx skills locks the hash of the downloaded folder" in done.out
    value = run("lock", "--check", *path, "--format", "json").json
    (row,) = value["npx"]
    assert (row["state"], row["skills"][0]["folder"]) == ("differs", ".agents/skills/notes")
    assert value["locks"] == []


def test_a_skill_of_npx_skills_that_is_not_installed(run: Run, skill: Skill) -> None:
    npx_lock(skill, kind="local")
    shutil.rmtree(".agents")
    done = run("lock", "--check")
    text = "skills-lock.json: notes is not installed; run npx skills experimental_install\n"
    assert (done.status, done.out) == (1, text)


def test_both_lock_files_are_verified(run: Run, skill: Skill, notes: Path) -> None:
    run("lock", "skills/notes")
    npx_lock(skill)
    done = run("lock", "--check", "skills/notes", "skills-lock.json")
    assert (done.status, done.out.count("as locked")) == (0, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"version": 1, "skills": {', "skills-lock.json:1:"),
        (b"\xff", "skills-lock.json:1:1: not UTF-8 from here on"),
        (b" " * (2**20 + 1), "larger than 1 MiB"),
    ],
)
def test_a_broken_lock_file_of_npx_skills(run: Run, text: bytes, message: str) -> None:
    Path("skills-lock.json").write_bytes(text)
    done = run("lock", "--check")
    assert done.status == 2
    assert message in done.err


def test_npx_skills_writes_its_lock_file(run: Run, skill: Skill) -> None:
    npx_lock(skill)
    done = run("lock", "skills-lock.json")
    assert done.status == 2
    assert "is written by npx skills; verify it with --check" in done.err


def test_many_skills_of_npx_skills_are_counted(run: Run) -> None:
    entry = {"source": "a/b", "sourceType": "local", "computedHash": "0" * 64}
    skills = {f"skill-{each}": entry for each in range(5000)}
    Path("skills-lock.json").write_text(json.dumps({"version": 1, "skills": skills}))
    lines = run("lock", "--check").out.splitlines()
    assert (len(lines), lines[-1]) == (101, "skills-lock.json: 4,900 more skills not as locked")
