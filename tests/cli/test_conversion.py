"""`skillstudio migrate`, `convert` and `export`: the results, the reports and the errors."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import tomllib
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.scaffold.conversion.test_convert import CONTRACT
from tests.scaffold.conversion.test_migrate import ROUTER

from skillstudio.files import placing
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.registry import conversion_targets
from skillstudio.text.versions import is_semver


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


def test_convert_writes_a_new_folder(run: Run, notes: Path, tmp_path: Path) -> None:
    out = tmp_path / "a" / "b" / "notes"
    ran = run("convert", notes, "--to", "skill-manifest-2.0", "-o", out)
    assert ran.status == 0, ran.err
    assert "  Skill Manifest v2 has no equivalent for\n" in ran.out
    assert "    /env/required/0/name: environment variables\n" in ran.out
    assert f"wrote {out}" in ran.err
    assert "not copied: .git: version control data" in ran.err
    assert sorted(path.name for path in out.iterdir()) == ["SKILL.md", "scripts"]
    assert os.access(out / "scripts" / "n.sh", os.X_OK)
    assert (notes / "SKILL.md").read_text() == CONTRACT
    assert run("check", out).status == 0


def test_convert_prints_its_report_as_json(run: Run, notes: Path, tmp_path: Path) -> None:
    out = tmp_path / "notes-2"
    ran = run("convert", notes, "--to", "agent-skills", "-o", out, "--format", "json")
    assert list(ran.json) == ["carried", "changed", "lost", "invented"]
    assert ran.json["carried"] == ["/description"]
    assert {"pointer": "/metadata/version", "how": "from /version"} in ran.json["changed"]
    assert set(ran.json["lost"][0]) == {"pointer", "why"}


def test_convert_without_a_folder_adds_to_the_skill(run: Run, notes: Path) -> None:
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


def test_convert_reports_nothing_that_it_could_not_write(
    run: Run, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    ran = run("convert", notes, "--to", "skill-manifest-2.0")
    assert (ran.status, ran.out) == (1, "")
    assert "No space left on device" in ran.err
    assert (notes / "SKILL.md").read_text() == CONTRACT


def test_convert_with_diff_prints_json_and_writes_nothing(run: Run, notes: Path) -> None:
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
def test_an_unusable_destination_stays_as_it_is(
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
def test_convert_names_a_read_only_folder(run: Run, notes: Path, tmp_path: Path) -> None:
    (tmp_path / "ro").mkdir(mode=0o555)
    ran = run("convert", notes, "--to", "agent-skills", "-o", tmp_path / "ro" / "notes")
    assert ran.status == 2
    assert "read-only" in ran.err


def test_convert_leaves_nothing_on_a_full_disk(
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


def test_convert_names_an_unreadable_file(
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


def test_convert_checks_the_name_of_the_new_folder(run: Run, notes: Path, tmp_path: Path) -> None:
    ran = run("convert", notes, "--to", "agent-skills", "-o", tmp_path / "My Notes")
    assert ran.status == 1
    assert "error name-folder" in ran.err
    assert (tmp_path / "My Notes" / "SKILL.md").read_text().count("name: notes") == 1


def test_convert_places_syntax_errors(run: Run, notes: Path, tmp_path: Path) -> None:
    (notes / "SKILL.md").write_text(CONTRACT.replace("execution:", "execution: [x"))
    ran = run("convert", notes, "--to", "agent-skills", "-o", tmp_path / "out")
    assert ran.status == 2
    assert f"{notes}/SKILL.md:27:12: " in ran.err
    assert not (tmp_path / "out").exists()


def test_convert_lists_every_dialect_that_it_can_write(
    run: Run, notes: Path, tmp_path: Path
) -> None:
    ran = run("convert", notes, "--to", "nothing", "-o", tmp_path / "out")
    assert ran.status == 2
    assert all(each.id in ran.err for each in conversion_targets())


def test_convert_lists_some_of_many_skills(run: Run, notes: Path, tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "SKILL.md").write_text(CONTRACT)
    ran = run("convert", tmp_path, "--to", "agent-skills", "-o", tmp_path / "out")
    assert ran.status == 2
    assert "contains 7 skills; name one: " in ran.err
    assert ran.err.endswith(", …\n")


@pytest.mark.parametrize("to", ["router-manifest-1", "docx"])
def test_convert_refuses_other_dialects(run: Run, notes: Path, tmp_path: Path, to: str) -> None:
    ran = run("convert", notes, "--to", to, "-o", tmp_path / "out")
    assert ran.status == 2
    assert "agent-skills, frontmatter-1.0, skill-manifest-2.0" in ran.err


def test_convert_copies_what_links_point_to(run: Run, notes: Path, tmp_path: Path) -> None:
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
    ran = run("export", notes, "--target", "claude", "-o", tmp_path / "out")
    assert ran.status == 2
    assert "choose from skill-creator, skills-ref, spec" in ran.err


def test_export_requires_a_destination(run: Run, notes: Path) -> None:
    ran = run("export", notes, "--target", "spec")
    assert ran.status == 2
    assert "-o" in ran.err


def test_export_reports_a_shortened_description(run: Run, notes: Path, tmp_path: Path) -> None:
    (notes / "SKILL.md").write_text(f"---\nname: a\ndescription: {'Finds. ' * 200}\n---\n")
    ran = run("export", notes, "--target", "spec", "-o", tmp_path / "out")
    assert ran.status == 0
    assert "the description was shortened" in ran.err


EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", ["greeter", "deploy", "analyze-git", "memory", "echo-json"])
def test_an_example_as_a_caro_skill_is_clean(run: Run, tmp_path: Path, name: str) -> None:
    made = tmp_path / name
    ran = run("convert", EXAMPLES / name, "--to", "caro-1.0", "-o", made)
    assert ran.status == 0
    assert run("check", made, "--fail-on", "error").status == 0
    if (made / "SKILL.md").exists():
        old = (EXAMPLES / name / "SKILL.md").read_bytes()
        assert (made / "SKILL.md").read_bytes() == old
    value = tomllib.loads((made / "skill.toml").read_text())
    assert value["skill"]["id"].startswith("custom.")
    assert is_semver(value["skill"]["version"])


@pytest.mark.parametrize("name", ["greeter", "deploy", "memory", "aws"])
def test_a_provenact_draft_says_what_is_missing(run: Run, tmp_path: Path, name: str) -> None:
    made = tmp_path / name
    ran = run("convert", EXAMPLES / name, "--to", "provenact-1", "-o", made, "--format", "json")
    assert ran.status == 1
    missing = {
        each["pointer"].rpartition("#")[2]
        for each in ran.json["invented"]
        if each["why"].startswith("missing: the skill has no WASM module")
    }
    assert missing == {"/entrypoint/path", "/artifact"}
    rules = {
        each["rule"]
        for each in run("check", made, "--format", "json").json["skills"][0]["diagnostics"]
        if each["severity"] == "error"
    }
    assert "artifact-format" in rules


def test_a_provenact_manifest_of_a_skill_with_a_module(run: Run, tmp_path: Path) -> None:
    skill = tmp_path / "old" / "greeter"
    shutil.copytree(EXAMPLES / "greeter", skill)
    (skill / "greet.wasm").write_bytes(b"\0asm\1\0\0\0")
    made = tmp_path / "greeter"
    run("convert", skill, "--to", "provenact-1", "-o", made)
    value = json.loads((made / "manifest.json").read_text())
    assert value["entrypoint"] == {"kind": "wasi-command", "path": "greet.wasm"}
    digest = hashlib.sha256(b"\0asm\1\0\0\0").hexdigest()
    assert value["artifact"] == f"sha256:{digest}"
    assert value["inputs_schema"]["required"] == ["username"]
    assert run("check", made, "--fail-on", "error").status == 0
