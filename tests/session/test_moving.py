"""What a move from the workbench would make: told before, then made."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.scaffold.conversion.sources import CONTRACT
from tests.scaffold.conversion.test_migrate import ROUTER

from skillstudio.files.disk import DiskTree
from skillstudio.files.listed import MemoryTree
from skillstudio.files.placing import NotPlaced
from skillstudio.session.moving import (
    Aim,
    MovePlan,
    MoveRow,
    NotMoved,
    aims,
    look,
    make,
    migration,
    propose_folder,
    rows,
    summary,
)
from skillstudio.settings.settings import NO_SETTINGS

CLAUDE = Aim("claude-upload", "claude.ai")


def tree(text: str) -> MemoryTree:
    return MemoryTree({"SKILL.md": text.encode()}, "notes")


def moved(aim: Aim, text: str, folder: str = "notes") -> MovePlan:
    return look(aim, tree(text), NO_SETTINGS, folder)


def heads(found: MovePlan) -> list[str]:
    return [row.text for row in rows(found) if row.kind == "head"]


def test_every_target_has_a_title() -> None:
    found = {each.to: each.title for each in aims()}
    assert {"spec", "claude-upload", "codex", "skill-creator"} <= found.keys()
    assert all(found.values())


def test_the_folder_that_is_proposed_has_the_skills_name() -> None:
    root = os.path.join(os.sep, "work", "skills")
    path = os.path.join(root, "a", "notes")
    copy = os.path.join(os.sep, "work", "skills-claude-upload", "notes")
    assert propose_folder(CLAUDE, path, root) == copy, (
        "in the folder of skills it would be one more"
    )
    alone = os.path.join(os.sep, "a", "notes")
    copy = os.path.join(os.sep, "a", "notes-claude-upload", "notes")
    assert propose_folder(CLAUDE, alone, alone) == copy


def test_a_migration_is_its_diff_and_then_the_report() -> None:
    found = migration(tree(ROUTER), NO_SETTINGS)
    assert found is not None
    assert heads(found) == ["SKILL.md", "Report"]
    shown = rows(found)
    assert MoveRow("old", "-```router-manifest") in shown
    assert MoveRow("new", "+```skill-manifest") in shown
    assert not any(row.text.startswith(("---", "+++")) for row in shown)
    assert found.title == "router-manifest-1 to skill-manifest-2.0"
    assert found.tree is None
    assert migration(tree(CONTRACT), NO_SETTINGS) is None


def test_a_new_skill_is_its_report_and_then_its_manifest() -> None:
    found = moved(CLAUDE, CONTRACT)
    assert heads(found) == ["Report", "SKILL.md"]
    shown = rows(found)
    assert MoveRow("same", "name: notes") in shown
    assert summary(found).startswith("0 lost, 0 generated, ")
    assert summary(found).endswith("copied; check of the result: no problems")


def test_what_the_check_of_a_result_finds_is_counted() -> None:
    found = moved(CLAUDE, CONTRACT, "My Notes")
    assert found.counts["error"] == 1
    assert "check of the result: 1 error" in summary(found)


def test_notes_come_first() -> None:
    found = moved(CLAUDE, CONTRACT.replace("Finds notes.", "Finds notes. " * 100))
    assert rows(found)[0].text.startswith("the description was shortened")


def test_a_long_manifest_is_shown_from_its_beginning() -> None:
    found = moved(CLAUDE, CONTRACT + "line\n" * 6_000)
    assert rows(found)[-1].text.endswith("more lines")
    assert len(rows(found)) < 5_100


@pytest.mark.parametrize(
    ("aim", "text", "why"),
    [
        (CLAUDE, "---\nname: notes\n---\n", "the skill has no description"),
        (CLAUDE, "---\nname: [notes\n---\n", "SKILL.md:2:7: "),
        (Aim("claude"), CONTRACT, "unknown target claude"),
    ],
)
def test_what_cannot_be_made_says_why(aim: Aim, text: str, why: str) -> None:
    with pytest.raises(NotMoved) as refused:
        moved(aim, text)
    assert why in str(refused.value)


def test_a_refusal_lists_the_first_problems_and_counts_the_others() -> None:
    text = "---\nname: notes\n" + "x: 1\n" * 100 + "---\n"
    with pytest.raises(NotMoved) as refused:
        moved(CLAUDE, text)
    *problems, more, _ = str(refused.value).splitlines()
    assert len(problems) == 20
    assert more == "… 79 more; skillstudio check PATH --all lists them"


def test_what_does_not_parse_is_not_migrated() -> None:
    with pytest.raises(NotMoved, match=r"SKILL\.md:12:"):
        migration(tree(ROUTER.replace('"effects":', '"effects"')), NO_SETTINGS)


def test_what_is_told_is_what_is_made(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "SKILL.md").write_text(CONTRACT)
    (tmp_path / "notes" / "n.sh").write_text("#!/bin/sh\n")
    (tmp_path / "notes" / "away").symlink_to("/etc/hostname")
    found = look(CLAUDE, DiskTree(tmp_path / "notes"), NO_SETTINGS, "notes")
    left = make(found, str(tmp_path / "new" / "notes"))
    made = tmp_path / "new" / "notes"
    assert (made / "SKILL.md").read_text() == found.texts["SKILL.md"][1]
    assert sorted(p.name for p in made.iterdir()) == ["SKILL.md", "n.sh"]
    assert list(left) == ["away"]
    with pytest.raises(NotPlaced, match="already exists"):
        make(found, str(made))


def test_the_folder_that_is_proposed_does_not_exist(tmp_path: Path) -> None:
    root, path = tmp_path / "skills", tmp_path / "skills" / "pdf"
    copies = [tmp_path / f"skills-{CLAUDE.to}{number}" / "pdf" for number in ("", "-2", "-3")]
    for copy in copies:
        assert propose_folder(CLAUDE, str(path), str(root)) == str(copy)
        copy.mkdir(parents=True)
