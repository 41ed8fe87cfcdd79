"""`skillstudio convert` as a user runs it: where the result goes, and what may be in the way."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.scaffold.conversion.test_convert import CONTRACT

from skillstudio.files import placing
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.registry import conversion_targets


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    skill = tmp_path / "notes"
    (skill / "scripts").mkdir(parents=True)
    (skill / "scripts" / "n.sh").write_text("#!/bin/sh\n")
    (skill / "scripts" / "n.sh").chmod(0o755)
    (skill / ".git").mkdir()
    (skill / ".git" / "config").write_text("")
    (skill / "SKILL.md").write_text(CONTRACT)
    return skill


def test_a_new_folder_holds_the_result(run: Run, notes: Path, tmp_path: Path) -> None:
    out = tmp_path / "a" / "b" / "notes"
    ran = run("convert", notes, "--to", "skill-manifest-2.0", "-o", out)
    assert ran.status == 0, ran.err
    assert "  Skill Manifest v2 has no equivalent for\n" in ran.out
    assert "    /env/required/0/name: environment variables\n" in ran.out
    assert f"wrote {out}" in ran.err
    assert "not copied: .git: it belongs to the repository" in ran.err
    assert sorted(path.name for path in out.iterdir()) == ["SKILL.md", "scripts"]
    assert os.access(out / "scripts" / "n.sh", os.X_OK)
    assert (notes / "SKILL.md").read_text() == CONTRACT
    assert run("check", out).status == 0


def test_json_is_the_report(run: Run, notes: Path, tmp_path: Path) -> None:
    out = tmp_path / "notes-2"
    ran = run("convert", notes, "--to", "agent-skills", "-o", out, "--format", "json")
    assert list(ran.json) == ["carried", "changed", "lost", "invented"]
    assert ran.json["carried"] == ["/description"]
    assert {"pointer": "/metadata/version", "how": "from /version"} in ran.json["changed"]
    assert set(ran.json["lost"][0]) == {"pointer", "why"}


def test_without_a_folder_it_goes_beside_the_old_manifest(run: Run, notes: Path) -> None:
    ran = run("convert", notes, "--to", "skill-manifest-2.0", "--diff")
    assert ran.status == 0
    assert "+```skill-manifest\n" in ran.out
    assert (notes / "SKILL.md").read_text() == CONTRACT
    ran = run("convert", notes, "--to", "skill-manifest-2.0")
    assert ran.status == 0
    assert (notes / "SKILL.md").read_text().startswith(CONTRACT)
    ran = run("convert", notes, "--to", "skill-manifest-2.0")
    assert ran.status == 1
    assert "already" in ran.err


def test_what_is_not_written_is_not_told_of(
    run: Run, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    ran = run("convert", notes, "--to", "skill-manifest-2.0")
    assert (ran.status, ran.out) == (1, "")
    assert "No space left on device" in ran.err
    assert (notes / "SKILL.md").read_text() == CONTRACT


def test_json_of_a_diff_is_the_report_and_nothing_is_written(run: Run, notes: Path) -> None:
    ran = run("convert", notes, "--to", "skill-manifest-2.0", "--diff", "--format", "json")
    assert list(ran.json) == ["carried", "changed", "lost", "invented"]
    assert (notes / "SKILL.md").read_text() == CONTRACT


def _file(tmp_path: Path, notes: Path) -> Path:
    (tmp_path / "out").write_text("")
    return tmp_path / "out"


def _folder(tmp_path: Path, notes: Path) -> Path:
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def _below_a_file(tmp_path: Path, notes: Path) -> Path:
    return _file(tmp_path, notes) / "notes"


def _in_itself(tmp_path: Path, notes: Path) -> Path:
    return notes / "new" / "notes"


def _in_another(tmp_path: Path, notes: Path) -> Path:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "SKILL.md").write_text(CONTRACT)
    return tmp_path / "other" / "notes"


def _through_a_link(tmp_path: Path, notes: Path) -> Path:
    (tmp_path / "link").symlink_to(notes)
    return tmp_path / "link" / "notes"


def _empty(tmp_path: Path, notes: Path) -> str:
    return ""


def _roundabout(tmp_path: Path, notes: Path) -> Path:
    return _folder(tmp_path, notes) / "nowhere" / ".." / ".." / "out"


def _dangling(tmp_path: Path, notes: Path) -> Path:
    (tmp_path / "out").symlink_to(tmp_path / "nowhere")
    return tmp_path / "out"


@pytest.mark.parametrize(
    ("where", "says"),
    [
        (_file, "already exists"),
        (_folder, "it already exists"),
        (_below_a_file, "is a file, not a folder"),
        (_in_itself, "choose a folder outside of it"),
        (_in_another, "choose a folder outside of it"),
        (_through_a_link, "choose a folder outside of it"),
        (_dangling, "already exists"),
        (_empty, "is empty"),
        (_roundabout, "already exists"),
    ],
)
@pytest.mark.parametrize(
    "command", [["convert", "--to", "agent-skills"], ["export", "--target", "claude-upload"]]
)
def test_a_destination_in_the_way_is_left_alone(
    run: Run, notes: Path, tmp_path: Path, where: object, says: str, command: list[str]
) -> None:
    assert callable(where)
    out = where(tmp_path, notes)
    before = sorted(tmp_path.rglob("*"))
    ran = run(command[0], notes, *command[1:], "-o", out)
    assert ran.status == 2
    assert says in ran.err
    assert "-o" in ran.err
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_protected_folder_is_named(run: Run, notes: Path, tmp_path: Path) -> None:
    (tmp_path / "ro").mkdir(mode=0o555)
    ran = run("convert", notes, "--to", "agent-skills", "-o", tmp_path / "ro" / "notes")
    assert ran.status == 2
    assert "read-only" in ran.err


def test_a_full_disk_leaves_nothing(
    run: Run, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sorted(tmp_path.rglob("*"))
    write = placing._write

    def full(path: str, data: bytes, executable: bool) -> None:
        if path.endswith("n.sh"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        write(path, data, executable)

    monkeypatch.setattr(placing, "_write", full)
    ran = run("convert", notes, "--to", "agent-skills", "-o", tmp_path / "x" / "notes")
    assert ran.status == 1
    assert "No space left on device; nothing was created" in ran.err
    assert sorted(tmp_path.rglob("*")) == before


def test_a_file_that_cannot_be_read_is_named(
    run: Run, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = DiskTree.read

    def refused(tree: DiskTree, path: str, limit: int | None = None) -> bytes:
        if path.endswith("n.sh"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return read(tree, path, limit)

    monkeypatch.setattr(DiskTree, "read", refused)
    ran = run("convert", notes, "--to", "agent-skills", "-o", tmp_path / "out")
    assert ran.status == 1
    assert "scripts/n.sh cannot be read: Permission denied; nothing was created" in ran.err
    assert not (tmp_path / "out").exists()


def test_a_folder_whose_name_no_skill_may_have(run: Run, notes: Path, tmp_path: Path) -> None:
    ran = run("convert", notes, "--to", "agent-skills", "-o", tmp_path / "My Notes")
    assert ran.status == 1
    assert "error name-folder" in ran.err
    assert (tmp_path / "My Notes" / "SKILL.md").read_text().count("name: notes") == 1


def test_syntax_errors_are_named_with_their_place(run: Run, notes: Path, tmp_path: Path) -> None:
    (notes / "SKILL.md").write_text(CONTRACT.replace("execution:", "execution: [x"))
    ran = run("convert", notes, "--to", "agent-skills", "-o", tmp_path / "out")
    assert ran.status == 2
    assert f"{notes}/SKILL.md:27:12: " in ran.err
    assert not (tmp_path / "out").exists()


def test_the_dialects_of_the_command_are_those_there_are(
    run: Run, notes: Path, tmp_path: Path
) -> None:
    ran = run("convert", notes, "--to", "nothing", "-o", tmp_path / "out")
    assert ran.status == 2
    assert all(each.id in ran.err for each in conversion_targets())


def test_of_many_skills_some_are_named(run: Run, notes: Path, tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "SKILL.md").write_text(CONTRACT)
    ran = run("convert", tmp_path, "--to", "agent-skills", "-o", tmp_path / "out")
    assert ran.status == 2
    assert "contains 7 skills; name one: " in ran.err
    assert ran.err.endswith(", …\n")


@pytest.mark.parametrize("to", ["caro-1.0", "provenact-1", "docx"])
def test_a_system_that_none_is_converted_to(run: Run, notes: Path, tmp_path: Path, to: str) -> None:
    ran = run("convert", notes, "--to", to, "-o", tmp_path / "out")
    assert ran.status == 2
    assert "agent-skills, frontmatter-1.0, skill-manifest-2.0" in ran.err


def test_links_are_copied_as_what_they_lead_to(run: Run, notes: Path, tmp_path: Path) -> None:
    (notes / "copy.sh").symlink_to("scripts/n.sh")
    (notes / "away").symlink_to("/etc/hostname")
    (notes / "pipe").symlink_to("scripts")
    out = tmp_path / "out"
    ran = run("convert", notes, "--to", "agent-skills", "-o", out)
    assert "not copied: away: the link points outside of the skill" in ran.err
    assert "not copied: pipe: the link does not point to a file" in ran.err
    assert (out / "copy.sh").read_text() == "#!/bin/sh\n"
    assert not (out / "copy.sh").is_symlink()
    assert not (out / "away").exists()
