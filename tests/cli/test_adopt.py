"""`adopt`: what it shows, writes and refuses, on recorded runs that nobody ran."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Run
from tests.dryrun.adopting.skills import SKILLS, report, undeclared, written

from skillstudio.dryrun.adopting.choice import AdoptedManifest, adopt
from skillstudio.dryrun.plan import Roots
from skillstudio.dryrun.report import JudgedEffect
from skillstudio.dryrun.traces.store import RunStore, default_folder
from skillstudio.dryrun.traces.trace import Mode, make_trace
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.locate import locate
from skillstudio.skill.hashing.identity import identify

FRONT, TWO = "frontmatter-1.0", "skill-manifest-2.0"
EFFECTS = (undeclared("fs.write", "added x"), undeclared("net.fetch", "sent to a.test:1"))


@pytest.fixture
def skill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return made(tmp_path / "doer", TWO)


def made(folder: Path, dialect: str) -> Path:
    files = {"do.py": "#!/usr/bin/env python3\n", **SKILLS[dialect][0]}
    for path, text in files.items():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def kept(skill: Path, dialect: str = TWO, mode: Mode = "standard", **parts: Any) -> str:
    """Keep a run of a skill that nobody ran; its id."""
    found = report(dialect, **parts)
    roots = Roots(str(skill.parent), str(skill))
    identity = identify(locate(DiskTree(str(skill))).skill, str(skill)).version_tuple
    found = found._replace(plan=found.plan._replace(roots=roots), identity=identity)
    empty = skill.parent / "printed"
    empty.mkdir(exist_ok=True)
    RunStore(default_folder()).keep(found.run, make_trace(found, mode), str(empty), {})
    return found.run


def text(skill: Path) -> str:
    return (skill / "SKILL.md").read_text()


def test_without_write_it_shows_and_changes_nothing(skill: Path, run: Run) -> None:
    id = kept(skill, effects=(*EFFECTS, JudgedEffect("db.read", False, "undeclared", ("x",))))
    before = text(skill)
    shown = run("adopt", "last")
    assert shown.status == 1
    assert shown.out.splitlines()[:4] == [
        f"doer do  skill-manifest-2.0  run {id}",
        "[x] effect:fs.write",
        "    Declare the effect fs.write: the skill writes files.",
        "      added x",
    ]
    assert '+  "effects": [\n' in shown.out
    assert text(skill) == before
    assert run("adopt", id[:10]).out == shown.out


def test_quiet_prints_only_what_is_selected(skill: Path, run: Run) -> None:
    kept(skill, effects=EFFECTS, again=())
    full, quiet = run("adopt", "last"), run("adopt", "last", "-q")
    assert (full.status, quiet.status, quiet.err) == (1, 1, "")
    assert "[ ]" in full.out or "\n- " in full.out
    first, second, *diff = quiet.out.splitlines()
    assert [first, second] == ["[x] effect:fs.write", "[x] effect:net.fetch"]
    assert full.out.endswith("\n".join(diff) + "\n")
    assert '+  "effects": [' in diff
    done = run("adopt", "last", "-q", "--write")
    assert (done.status, done.err, done.out.splitlines()[-1]) == (0, "", "wrote doer/SKILL.md")


def test_quiet_prints_refusals_and_no_notes(skill: Path, run: Run) -> None:
    kept(skill, mode="aggressive", effects=EFFECTS)
    assert "no values of this run" in run("adopt", "last").err
    refused = "skillstudio: doer/SKILL.md: SKILL.md would still not declare effect:fs.write\n"
    assert run("adopt", "last", "-q").err == refused


def test_verbose_prints_every_observation(skill: Path, run: Run) -> None:
    added = tuple(f"added {number}" for number in range(8))
    kept(skill, effects=(JudgedEffect("fs.write", False, "undeclared", added),))
    assert "      and 3 more\n" in run("adopt", "last").out
    full = run("adopt", "last", "-v").out
    assert all(f"      {text}\n" in full for text in added)
    assert "more" not in full


def test_json_has_the_edits_and_the_diff(skill: Path, run: Run) -> None:
    kept(skill, effects=EFFECTS[:1], again=())
    told = run("adopt", "last", "--format", "json").json
    assert told["findings"] == [
        {
            "id": "effect:fs.write",
            "sentence": "Declare the effect fs.write: the skill writes files",
            "why": ["added x"],
            "edits": [{"kind": "set", "pointer": "/effects/-", "value": "fs.write"}],
            "fault": True,
            "picked": True,
            "cannot": None,
        },
        {
            "id": "idempotent",
            "sentence": "A second run changed nothing, which this manifest cannot declare: "
            "it has no field for repeated runs",
            "why": [],
            "edits": [],
            "fault": False,
            "picked": False,
            "cannot": "it has no field for repeated runs",
        },
    ]
    assert told["diff"].startswith("--- a/doer/SKILL.md\n+++ b/doer/SKILL.md\n")
    assert (told["error"], told["notes"]) == (None, [])
    assert {key: told[key] for key in ("skill", "operation", "dialect", "path", "written")} == {
        "skill": "doer", "operation": "do", "dialect": TWO, "path": "SKILL.md", "written": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("here", "named"), [("doer", "SKILL.md"), (".", "doer/SKILL.md"), ("../other", None)]
)
def test_the_diff_names_the_manifest_from_here(
    here: str, named: str | None, skill: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    id = kept(skill, effects=EFFECTS[:1])
    folder = skill.parent / here
    folder.mkdir(exist_ok=True)
    monkeypatch.chdir(folder)
    path = named or (skill / "SKILL.md").as_posix().lstrip("/")
    diff = run("adopt", id, "--anyway", "--format", "json").json["diff"]
    assert diff.startswith(f"--- a/{path}\n+++ b/{path}\n")


def test_what_is_named_is_adopted_and_nothing_else(skill: Path, run: Run) -> None:
    kept(skill, effects=EFFECTS)
    wrote = run("adopt", "last", "--pick", "effect:net.fetch", "--write")
    assert (wrote.status, wrote.out.splitlines()[-1]) == (0, "wrote doer/SKILL.md")
    assert '"net.fetch"' in text(skill)
    assert '"fs.write"' not in text(skill)
    # The rest of the same run is adopted later: what is declared by now is left out.
    again = run("adopt", "last", "--write")
    assert again.status == 0
    assert "doer has changed since this run" in again.err
    assert '"fs.write"' in text(skill)
    done = run("adopt", "last")
    assert (done.status, done.out.splitlines()[1:]) == (
        0, ["The manifest declares everything that this run showed."]
    )  # fmt: skip


def test_all_takes_what_is_only_offered(tmp_path: Path, skill: Path, run: Run) -> None:
    shutil.rmtree(skill)
    kept(made(skill, FRONT), FRONT, again=(), effects=EFFECTS[1:])
    assert run("adopt", "last", "--all", "--write").status == 0
    new = text(skill)
    assert "network: true   # as far as I know\n  idempotent: true\n" in new
    assert "cmd: make" not in new


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("adopt",), "RUN"),
        (("adopt", "20200101"), "there is no run 20200101"),
        (
            ("adopt", "last", "--pick", "effect:fs.flush"),
            "this run has no change effect:fs.flush to adopt",
        ),
        (
            ("adopt", "last", "--pick", "effect:sys.call"),
            "cannot be adopted: none of its eight effects covers it",
        ),
        (("adopt", "last", "--pick", "x", "--all"), "--pick and --all cannot be combined"),
    ],
)
def test_wrong_use_is_told(
    arguments: tuple[str, ...], said: str, skill: Path, capsys: pytest.CaptureFixture[str], run: Run
) -> None:
    kept(skill, effects=(*EFFECTS, undeclared("sys.call", "called ptrace")))
    try:
        refused = run(*arguments)
        status, err = refused.status, refused.err
    except SystemExit as exit:
        status, err = int(str(exit.code)), capsys.readouterr().err
    assert status == 2
    assert said in err


def test_without_a_kept_run_it_says_how_one_comes(run: Run) -> None:
    refused = run("adopt", "last")
    assert (refused.status, "skillstudio run records one" in refused.err) == (2, True)


def test_a_skill_that_is_gone_or_another_is_told(skill: Path, run: Run) -> None:
    kept(skill, effects=EFFECTS)
    (skill / "SKILL.md").write_text(text(skill).replace('"do":', '"done":'))
    refused = run("adopt", "last", "--write")
    assert refused.status == 2
    assert "doer: the skill has changed since the run: unknown operation do" in refused.err
    shutil.rmtree(skill)
    refused = run("adopt", "last")
    assert (refused.status, "no longer exists" in refused.err) == (2, True)


def test_a_manifest_that_is_a_link_out_of_the_workspace_is_not_written(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, skill: Path, run: Run
) -> None:
    kept(skill, effects=EFFECTS)
    outside = tmp_path_factory.mktemp("outside") / "SKILL.md"
    shutil.move(skill / "SKILL.md", outside)
    (skill / "SKILL.md").symlink_to(outside)
    before = outside.read_text()
    refused = run("adopt", "last", "--write")
    assert (refused.status, "unknown operation do" in refused.err) == (2, True)
    assert outside.read_text() == before


def test_a_manifest_that_changes_in_between_stays_as_it_is(
    skill: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    kept(skill, effects=EFFECTS)

    def meanwhile(*given: Any) -> AdoptedManifest:
        made = adopt(*given)
        (skill / "SKILL.md").write_text(f"{made.old}\nMore.\n")
        return made

    monkeypatch.setattr("skillstudio.cli.adopt.adopt", meanwhile)
    refused = run("adopt", "last", "--write")
    assert (refused.status, "changed on disk since it was read" in refused.err) == (1, True)
    assert text(skill).endswith("\nMore.\n")
    assert "fs.write" not in text(skill)


@pytest.mark.skipif(os.name == "nt", reason="such names cannot be there on Windows")
def test_what_a_program_named_reaches_no_terminal_as_it_is(
    skill: Path, tmp_path: Path, run: Run
) -> None:
    shutil.rmtree(skill)
    made(skill, FRONT)
    name = "a\x1b[31m\nb\u202e.md"
    kept(skill, FRONT, outputs=written(name), effects=(undeclared("fs.write", f"added {name}"),))
    shown = run("adopt", "last")
    assert shown.status == 1
    assert "\x1b" not in shown.out + shown.err
    assert "\u202e" not in shown.out
    assert run("adopt", "last", "--write").status == 0
    assert run("check", "doer").status == 0


def test_json_has_why_nothing_is_written(
    skill: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    kept(skill, effects=EFFECTS)
    (skill / "more.txt").write_text("new since the run")
    (skill / "SKILL.md").chmod(0o444)
    refused = run("adopt", "last", "--write", "--format", "json")
    assert (refused.status, refused.json["written"]) == (1, False)
    assert refused.json["error"] == "read-only"
    (note,) = refused.json["notes"]
    assert note.startswith("doer has changed since this run")
    assert all(said in refused.err for said in (refused.json["error"], note))


def test_a_manifest_that_is_broken_by_now_is_not_written(skill: Path, run: Run) -> None:
    kept(skill, effects=EFFECTS)
    broken = text(skill).replace('"effects": []', '"effects": [')
    (skill / "SKILL.md").write_text(broken)
    refused = run("adopt", "last", "--write")
    assert refused.status == 2
    assert "doer: SKILL.md:12:14: unclosed [" in refused.err
    assert text(skill) == broken


def test_a_trace_without_values_gives_no_paths(skill: Path, run: Run) -> None:
    shutil.rmtree(skill)
    made(skill, FRONT)
    kept(skill, FRONT, "aggressive", outputs=written("docs/secret.md"),
         effects=(undeclared("fs.write", "added docs/secret.md"),), traced=False)  # fmt: skip
    told = run("adopt", "last", "--format", "json")
    assert told.status == 0
    assert {each["cannot"] is not None for each in told.json["findings"]} == {True}
    assert "secret.md" not in told.out
    assert "no values of this run were recorded" in told.err
