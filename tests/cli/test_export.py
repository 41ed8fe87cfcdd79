"""`skillstudio export` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.scaffold.conversion.test_convert import CONTRACT


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    skill = tmp_path / "notes"
    skill.mkdir()
    (skill / "SKILL.md").write_text(CONTRACT)
    return skill


def test_a_copy_and_who_accepts_it(run: Run, notes: Path, tmp_path: Path) -> None:
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


def test_json_is_the_report(run: Run, notes: Path, tmp_path: Path) -> None:
    out = tmp_path / "memos"
    ran = run("export", notes, "--target", "spec", "-o", out, "--format", "json")
    assert list(ran.json) == ["carried", "changed", "lost", "invented"]
    assert (ran.json["carried"], ran.json["lost"]) == (["/description"], [])
    assert json.loads(ran.out) == ran.json


@pytest.mark.parametrize(
    ("text", "status", "says"),
    [
        ("---\nname: notes\n---\n", 1, "the skill has no description; add one"),
        ("---\nname: notes\ndescription: a <b>\n---\n", 1, "would refuse the copy: the descr"),
        ("---\nname: [notes\n---\n", 2, "SKILL.md:2:7: "),
    ],
)
def test_where_there_is_no_copy_the_reason_is_told(
    run: Run, notes: Path, tmp_path: Path, text: str, status: int, says: str
) -> None:
    (notes / "SKILL.md").write_text(text)
    ran = run("export", notes, "--target", "claude-upload", "-o", tmp_path / "out")
    assert ran.status == status
    assert says in ran.err
    assert not (tmp_path / "out").exists()


def test_a_target_that_is_not_there(run: Run, notes: Path, tmp_path: Path) -> None:
    ran = run("export", notes, "--target", "claude", "-o", tmp_path / "out")
    assert ran.status == 2
    assert "choose from skill-creator, skills-ref, spec" in ran.err


def test_a_destination_is_asked_for(run: Run, notes: Path) -> None:
    ran = run("export", notes, "--target", "spec")
    assert ran.status == 2
    assert "-o" in ran.err


def test_a_cut_description_is_pointed_out(run: Run, notes: Path, tmp_path: Path) -> None:
    (notes / "SKILL.md").write_text(f"---\nname: a\ndescription: {'Finds. ' * 200}\n---\n")
    ran = run("export", notes, "--target", "spec", "-o", tmp_path / "out")
    assert ran.status == 0
    assert "the description was shortened" in ran.err
