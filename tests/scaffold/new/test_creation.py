"""A skill is made whole where nothing is, and is no part of another one."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from tests.scaffold.new.building import interview

from skillstudio.files.placing import NotPlaced
from skillstudio.scaffold.destination import where_fault
from skillstudio.scaffold.new.creation import SkillDraft, create, draft, name_of
from skillstudio.skill.discover import skill_around

SKILL = "---\nname: {{ name }}\ndescription: Says. Use when said.\n---\nSay.\n"
ASK = "name: {type: str}\n"


@cache
def drafted(name: str) -> SkillDraft:
    with interview(ASK, "made", **{"SKILL.md.jinja": SKILL}) as opened:
        return draft(opened, {"name": name})


def test_a_draft_is_checked_before_anything_is_written(tmp_path: Path) -> None:
    made = drafted("made")
    assert (made.errors, made.analysis.name) == (0, "made")
    create(made, str(tmp_path / "made"))
    assert (tmp_path / "made" / "SKILL.md").read_text().startswith("---\nname: made\n")


def test_a_draft_with_errors_can_be_told_from_one_without() -> None:
    made = drafted("other")
    assert made.errors == 1
    assert [each.rule for each in made.analysis.diagnostics] == ["name-folder"]


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("", "is empty"),
        (" ", "is empty"),
        ("a\0b", "contains a NUL"),
        ("there", "it already exists"),
        ("file", "it already exists"),
        ("file/x", "is a file, not a folder"),
        ("skill/x", "it is inside the skill"),
        ("skill/deep/er/x", "it is inside the skill"),
        ("a\nb", "its name contains a character"),
        ("con", "its name has the part con"),
        ("x.", "ends with a dot"),
        ("new", ""),
        ("new/and/deep", ""),
        ("there/new", ""),
    ],
)
def test_where_a_skill_can_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    (tmp_path / "file").write_text("")
    (tmp_path / "skill" / "deep").mkdir(parents=True)
    (tmp_path / "skill" / "SKILL.md").write_text(SKILL)
    before = sorted(tmp_path.rglob("*"))
    fault = where_fault(where)
    assert said in fault
    assert bool(said) == bool(fault)
    if fault:
        with pytest.raises(NotPlaced):
            create(drafted("made"), where)
    assert sorted(tmp_path.rglob("*")) == before


def test_the_name_is_the_last_part_of_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert name_of("a/b") == name_of("a/b/") == name_of("./a/../b") == "b"
    assert name_of(".") == tmp_path.name


def test_the_skill_around_a_path(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "SKILL.md").write_text(SKILL)
    assert skill_around(str(tmp_path / "s" / "a" / "b")) == str(tmp_path / "s")
    assert skill_around(str(tmp_path / "s")) == ""
