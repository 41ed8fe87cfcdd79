"""`skillstudio migrate` and `export`: the results, the reports and the errors."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.scaffold.conversion.sources import CONTRACT, V1
from tests.scaffold.conversion.test_migrate import ROUTER

from skillstudio.files import placing
from skillstudio.files.disk import DiskTree


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


@pytest.fixture
def router(tmp_path: Path) -> Path:
    skill = tmp_path / "notes"
    (skill / "scripts").mkdir(parents=True)
    (skill / "scripts" / "n.sh").write_text("#!/bin/sh\n")
    (skill / "SKILL.md").write_bytes(ROUTER.encode())
    return skill


def test_migrate_changes_the_file_and_prints_a_report(run: Run, router: Path) -> None:
    ran = run("migrate", router)
    assert ran.status == 0
    assert "/entrypoints/note.find/unix/* → /operations/find/entrypoints/unix/*" in ran.out
    assert "added: " in ran.out
    assert "router-manifest-1 to skill-manifest-2.0" in ran.err
    assert "5 values contain TODO" in ran.err
    assert "```skill-manifest\n" in (router / "SKILL.md").read_text()
    again = run("migrate", router)
    assert (again.status, again.out) == (0, "")
    assert "latest version" in again.err


def test_migrate_with_diff_writes_nothing(run: Run, router: Path) -> None:
    ran = run("migrate", router, "--diff")
    assert ran.status == 0
    assert "-```router-manifest\n+```skill-manifest\n" in ran.out
    assert (router / "SKILL.md").read_bytes() == ROUTER.encode()


def test_migrate_prints_its_report_as_json(run: Run, router: Path) -> None:
    ran = run("migrate", router, "--format", "json", "--diff")
    assert list(ran.json) == ["carried", "changed", "lost", "invented"]
    assert "/id" in ran.json["carried"]
    assert set(ran.json["changed"][0]) == {"pointer", "how"}
    assert set(ran.json["lost"][0]) == {"pointer", "why"}
    assert set(ran.json["invented"][0]) == {"pointer", "what", "why"}
    assert (router / "SKILL.md").read_bytes() == ROUTER.encode()


def test_migrate_keeps_all_of_a_current_manifest(run: Run, router: Path) -> None:
    (router / "SKILL.md").write_text("---\nname: notes\ndescription: Finds.\n---\n")
    ran = run("migrate", router, "--format", "json")
    assert ran.json["carried"] == ["/name", "/description"]
    assert (ran.json["changed"], ran.json["lost"], ran.json["invented"]) == ([], [], [])


def test_migrate_places_syntax_errors(run: Run, router: Path) -> None:
    (router / "SKILL.md").write_text(ROUTER.replace('"effects":', '"effects"'))
    ran = run("migrate", router)
    assert ran.status == 2
    assert f"{router}/SKILL.md:12:" in ran.err
    assert "fix this before the skill can be migrated" in ran.err


def test_migrate_explains_a_refusal(run: Run, router: Path) -> None:
    with (router / "SKILL.md").open("a") as file:
        file.write("\n```skill-manifest\n{}\n```\n")
    ran = run("migrate", router)
    assert ran.status == 1
    assert "lacks note.find, note.list of the router-manifest block" in ran.err


def test_migrate_reports_a_full_disk(
    run: Run, router: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    before = sorted(router.rglob("*"))
    ran = run("migrate", router, "--format", "json")
    assert (ran.status, ran.result) == (1, "")
    assert f"{router}/SKILL.md: No space left on device" in ran.err
    assert sorted(router.rglob("*")) == before
    assert (router / "SKILL.md").read_bytes() == ROUTER.encode()


def test_migrate_requires_one_skill(run: Run, router: Path, tmp_path: Path) -> None:
    assert run("migrate", tmp_path / "nowhere").status == 2
    (tmp_path / "empty").mkdir()
    assert run("migrate", tmp_path / "empty").status == 2


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
def test_an_unusable_destination_stays_as_it_is(
    run: Run, notes: Path, tmp_path: Path, where: object, says: str
) -> None:
    assert callable(where)
    out = where(tmp_path, notes)
    before = sorted(tmp_path.rglob("*"))
    ran = run("export", notes, "--target", "claude-upload", "-o", out)
    assert ran.status == 2
    assert says in ran.err
    assert "-o" in ran.err
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_export_names_a_read_only_folder(run: Run, notes: Path, tmp_path: Path) -> None:
    (tmp_path / "ro").mkdir(mode=0o555)
    ran = run("export", notes, "--target", "spec", "-o", tmp_path / "ro" / "notes")
    assert ran.status == 2
    assert "read-only" in ran.err


def test_export_leaves_nothing_on_a_full_disk(
    run: Run, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sorted(tmp_path.rglob("*"))
    write = placing._write

    def full(path: str, data: bytes, executable: bool) -> None:
        if path.endswith("n.sh"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
        write(path, data, executable)

    monkeypatch.setattr(placing, "_write", full)
    ran = run("export", notes, "--target", "spec", "-o", tmp_path / "x" / "notes")
    assert ran.status == 1
    assert "No space left on device; nothing was created" in ran.err
    assert sorted(tmp_path.rglob("*")) == before


def test_export_names_an_unreadable_file(
    run: Run, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = DiskTree.read

    def refused(tree: DiskTree, path: str, limit: int | None = None) -> bytes:
        if path.endswith("n.sh"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
        return read(tree, path, limit)

    monkeypatch.setattr(DiskTree, "read", refused)
    ran = run("export", notes, "--target", "spec", "-o", tmp_path / "out")
    assert ran.status == 1
    assert "scripts/n.sh cannot be read: Permission denied; nothing was created" in ran.err
    assert not (tmp_path / "out").exists()


def test_export_places_syntax_errors(run: Run, notes: Path, tmp_path: Path) -> None:
    (notes / "SKILL.md").write_text(CONTRACT.replace("execution:", "execution: [x"))
    ran = run("export", notes, "--target", "spec", "-o", tmp_path / "out")
    assert ran.status == 2
    assert f"{notes}/SKILL.md:27:12: " in ran.err
    assert not (tmp_path / "out").exists()


def test_export_lists_some_of_many_skills(run: Run, notes: Path, tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "SKILL.md").write_text(CONTRACT)
    ran = run("export", tmp_path, "--target", "spec", "-o", tmp_path / "out")
    assert ran.status == 2
    assert "contains 7 skills; name one: " in ran.err
    assert ran.err.endswith(", …\n")


def test_export_copies_what_links_point_to(run: Run, notes: Path, tmp_path: Path) -> None:
    (notes / "copy.sh").symlink_to("scripts/n.sh")
    (notes / "away").symlink_to("/etc/hostname")
    (notes / "pipe").symlink_to("scripts")
    out = tmp_path / "out"
    ran = run("export", notes, "--target", "spec", "-o", out)
    assert "not copied: away: the link points outside of the skill" in ran.err
    assert "not copied: pipe: the link does not point to a file" in ran.err
    assert (out / "copy.sh").read_text() == "#!/bin/sh\n"
    assert not (out / "copy.sh").is_symlink()
    assert not (out / "away").exists()


def test_migrate_to_an_earlier_format_says_what_is_lost(run: Run, tmp_path: Path) -> None:
    """Seed 002: a defined downgrade behavior."""
    (tmp_path / "manifest.json").write_text(json.dumps(V1, indent=2))
    ran = run("migrate", tmp_path, "--to", "provenact-bundle", "--diff")
    assert (ran.status, '-  "id": "x.notes",\n' in ran.out) == (0, True)
    ran = run("migrate", tmp_path, "--to", "provenact-bundle")
    assert ran.status == 0
    assert "  Provenact bundle manifest has no equivalent:\n    /schema_version\n" in ran.out
    assert "provenact-1 to provenact-bundle" in ran.err
    assert json.loads((tmp_path / "manifest.json").read_text())["name"] == "x.notes"
    ran = run("migrate", tmp_path, "--to", "provenact-bundle")
    assert (ran.status, "no manifest of the skill can be migrated to" in ran.err) == (1, True)
    ran = run("migrate", tmp_path, "--to", "provenact-2")
    assert (ran.status, "unknown manifest format provenact-2; did you mean" in ran.err) == (2, True)


def test_export_copies_the_files_of_the_skill(run: Run, notes: Path, tmp_path: Path) -> None:
    out = tmp_path / "a" / "b" / "notes"
    ran = run("export", notes, "--target", "spec", "-o", out)
    assert ran.status == 0, ran.err
    assert f"wrote {out}" in ran.err
    assert "not copied: .git: version control data" in ran.err
    assert sorted(path.name for path in out.iterdir()) == ["SKILL.md", "scripts"]
    assert os.access(out / "scripts" / "n.sh", os.X_OK)
    assert (notes / "SKILL.md").read_text() == CONTRACT
    assert run("check", out).status == 0


def test_export_writes_a_copy_and_lists_the_targets_that_accept_it(
    run: Run, notes: Path, tmp_path: Path
) -> None:
    out = tmp_path / "upload" / "memos"
    ran = run("export", notes, "--target", "claude-upload", "-o", out)
    assert ran.status == 0, ran.err
    assert "  /name: replaced by the name of the new folder\n" in ran.out
    assert (
        f"wrote {out}\naccepted by skill-creator, skills-ref, spec, claude-upload, claude-code"
        in ran.err
    )
    assert run("check", out, "--target", "claude-upload", "--target", "spec").status == 0
    assert (notes / "SKILL.md").read_text() == CONTRACT


def test_export_prints_its_report_as_json(run: Run, notes: Path, tmp_path: Path) -> None:
    out = tmp_path / "memos"
    ran = run("export", notes, "--target", "spec", "-o", out, "--format", "json")
    assert list(ran.json) == ["carried", "changed", "lost", "invented"]
    assert (ran.json["carried"], ran.json["lost"]) == (["/description"], [])
    assert json.loads(ran.out) == {"format_version": 1, **ran.json}


@pytest.mark.parametrize(
    ("text", "status", "says"),
    [
        ("---\nname: notes\n---\n", 1, "the skill has no description; add one"),
        ("---\nname: notes\ndescription: a <b>\n---\n", 1, "would refuse the copy: the descr"),
        ("---\nname: [notes\n---\n", 2, "SKILL.md:2:7: "),
    ],
)
def test_export_explains_why_there_is_no_copy(
    run: Run, notes: Path, tmp_path: Path, text: str, status: int, says: str
) -> None:
    (notes / "SKILL.md").write_text(text)
    ran = run("export", notes, "--target", "claude-upload", "-o", tmp_path / "out")
    assert ran.status == status
    assert says in ran.err
    assert not (tmp_path / "out").exists()


def test_export_lists_the_targets_for_an_unknown_one(run: Run, notes: Path, tmp_path: Path) -> None:
    ran = run("export", notes, "--target", "nowhere", "-o", tmp_path / "out")
    assert ran.status == 2
    assert "choose from skill-creator, skills-ref, spec" in ran.err
    ran = run("export", notes, "--target", "claude", "-o", tmp_path / "out")
    assert ran.status == 2
    assert "did you mean claude-upload or claude-code?" in ran.err


def test_export_requires_a_destination(run: Run, notes: Path) -> None:
    ran = run("export", notes, "--target", "spec")
    assert ran.status == 2
    assert "-o" in ran.err


def test_export_reports_a_shortened_description(run: Run, notes: Path, tmp_path: Path) -> None:
    (notes / "SKILL.md").write_text(f"---\nname: a\ndescription: {'Finds. ' * 200}\n---\n")
    ran = run("export", notes, "--target", "spec", "-o", tmp_path / "out")
    assert ran.status == 0
    assert "the description was shortened" in ran.err


OUTER = "---\nname: outer\ndescription: Checks invoices when asked.\n---\n# Outer\n\nDo it.\n"


@pytest.fixture
def outer(tmp_path: Path) -> Path:
    folder = tmp_path / "r" / "skills" / "outer"
    (folder / "sub").mkdir(parents=True)
    (folder / "SKILL.md").write_text(OUTER)
    (folder / "sub" / "SKILL.md").write_text(OUTER.replace("outer", "sub"))
    (tmp_path / "r" / ".git").mkdir()
    (tmp_path / "r" / "shared.md").write_text("shared\n")
    return folder


def test_export_leaves_inner_skills_out_of_an_upload(run: Run, outer: Path, tmp_path: Path) -> None:
    ran = run("export", outer, "--target", "claude-upload", "-o", tmp_path / "outer")
    assert ran.status == 0, ran.err
    command = f"skillstudio export {outer}/sub --target claude-upload -o sub"
    assert f"sub is a skill of its own and not copied; {command}\n" in ran.err
    assert "accepted by skill-creator, skills-ref, spec, claude-upload" in ran.err
    assert os.listdir(tmp_path / "outer") == ["SKILL.md"]
    assert run("check", tmp_path / "outer", "--target", "claude-upload").status == 0
    ran = run("export", outer, "--target", "spec", "-o", tmp_path / "whole" / "outer")
    assert (tmp_path / "whole" / "outer" / "sub" / "SKILL.md").exists()


@pytest.mark.skipif(os.name == "nt", reason="links of Unix")
def test_export_copies_linked_files_of_the_repository(
    run: Run, outer: Path, tmp_path: Path
) -> None:
    (outer / "a.md").symlink_to("../../shared.md")
    (outer / "away.md").symlink_to("/etc/hostname")
    ran = run("export", outer, "--target", "claude-upload", "-o", tmp_path / "outer")
    assert ran.status == 0, ran.err
    assert "a.md is a link; shared.md is copied instead\n" in ran.err
    assert "not copied: away.md: a link to '/etc/hostname', which is not a path within" in ran.err
    assert (tmp_path / "outer" / "a.md").read_text() == "shared\n"
    assert not (tmp_path / "outer" / "a.md").is_symlink()


@pytest.mark.parametrize("target", ["claude-upload", "spec"])
def test_export_names_links_that_lead_to_nothing(
    run: Run, outer: Path, tmp_path: Path, target: str
) -> None:
    (outer / ".git").mkdir()
    (outer / ".git" / "x.md").write_text("x")
    text = OUTER + "[x](.git/x.md)\n[shared](../../shared.md)\n[none](none.md)\n"
    (outer / "SKILL.md").write_text(text)
    ran = run("export", outer, "--target", target, "-o", tmp_path / "outer")
    assert ran.status == 1
    assert "SKILL.md:8: the link to .git/x.md leads to nothing in the copy\n" in ran.err
    assert "SKILL.md:9: this link leaves the skill, so it leads nowhere where only" in ran.err
    assert "none.md" not in ran.err
    assert "accepted by" not in ran.err
    assert (tmp_path / "outer" / "SKILL.md").exists()


def test_export_refuses_what_no_repair_makes_acceptable(
    run: Run, outer: Path, tmp_path: Path
) -> None:
    for number in range(200):
        (outer / f"{number}.md").write_text("x")
    ran = run("export", outer, "--target", "claude-upload", "-o", tmp_path / "outer")
    assert ran.status == 1
    assert "claude.ai would refuse the copy: it has 201 files, and at most 200" in ran.err
    assert not (tmp_path / "outer").exists()
