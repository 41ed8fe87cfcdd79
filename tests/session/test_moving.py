"""What a move from the workbench would make: told before, then made."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.scaffold.conversion.test_convert import CONTRACT, SOURCES
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
    proposed,
    rows,
    summary,
)
from skillstudio.settings.settings import NO_SETTINGS

BLOCK = Aim("convert", "skill-manifest-2.0", "Skill Manifest v2")
CLAUDE = Aim("export", "claude-upload", "Claude upload")


def tree(text: str) -> MemoryTree:
    return MemoryTree({"SKILL.md": text.encode()}, "notes")


def moved(aim: Aim, text: str, folder: str = "notes") -> MovePlan:
    return look(aim, tree(text), NO_SETTINGS, folder)


def heads(found: MovePlan) -> list[str]:
    return [row.text for row in rows(found) if row.kind == "head"]


def test_every_system_and_consumer_has_a_title() -> None:
    systems = [
        *("agent-skills", "frontmatter-1.0", "skill-manifest-2.0"),
        *("caro-1.0", "provenact-1", "provenact-bundle"),
    ]
    assert [each.to for each in aims("convert")] == systems
    assert {"spec", "claude-upload", "codex", "skill-creator"} <= {
        each.to for each in aims("export")
    }
    assert all(each.title for verb in ("convert", "export") for each in aims(verb))


def test_the_folder_that_is_proposed_has_the_skills_name() -> None:
    path = os.path.join(os.sep, "a", "notes")
    assert proposed(BLOCK, path) == os.path.join(os.sep, "a", "skill-manifest-2.0", "notes")


def test_a_migration_is_its_diff_and_then_the_report() -> None:
    found = migration(tree(ROUTER), NO_SETTINGS)
    assert found is not None
    assert heads(found) == ["SKILL.md", "Report"]
    shown = rows(found)
    assert MoveRow("old", "-```router-manifest") in shown
    assert MoveRow("new", "+```skill-manifest") in shown
    assert not any(row.text.startswith(("---", "+++")) for row in shown)
    assert found.aim.title == "router-manifest-1 to skill-manifest-2.0"
    assert found.tree is None
    assert migration(tree(CONTRACT), NO_SETTINGS) is None


def test_a_new_skill_is_its_report_and_then_its_manifest() -> None:
    found = moved(BLOCK, CONTRACT)
    assert heads(found) == ["Report", "SKILL.md"]
    shown = rows(found)
    assert MoveRow("text", "    /manifest_version: the version of the old dialect") in shown
    assert MoveRow("same", "```skill-manifest") in shown
    assert summary(found) == (
        "5 lost, 4 generated, 27 changed, 3 copied; check of the result: no problems"
    )


def test_what_the_check_of_a_result_finds_is_counted() -> None:
    found = moved(BLOCK, CONTRACT, "My Notes")
    assert found.counts["error"] == 2
    assert "check of the result: 2 errors" in summary(found)


def test_notes_come_first() -> None:
    found = moved(Aim("convert", "frontmatter-1.0"), CONTRACT)
    assert rows(found)[0].text == "it already uses frontmatter-1.0; the result is a copy"


def test_a_long_manifest_is_shown_from_its_beginning() -> None:
    found = moved(CLAUDE, CONTRACT + "line\n" * 6_000)
    assert rows(found)[-1].text.endswith("more lines")
    assert len(rows(found)) < 5_100


@pytest.mark.parametrize(
    ("aim", "text", "why"),
    [
        (CLAUDE, "---\nname: notes\n---\n", "the skill has no description"),
        (BLOCK, "---\nname: [notes\n---\n", "SKILL.md:2:7: "),
        (Aim("convert", "provenact-bundle"), CONTRACT, "only provenact-1 can be converted"),
    ],
)
def test_what_cannot_be_made_says_why(aim: Aim, text: str, why: str) -> None:
    with pytest.raises(NotMoved) as refused:
        moved(aim, text)
    assert why in str(refused.value)


def test_a_refusal_lists_the_first_problems_and_counts_the_others() -> None:
    text = "---\nname: notes\n" + "x: 1\n" * 100 + "---\n"
    with pytest.raises(NotMoved) as refused:
        moved(BLOCK, text)
    *problems, more, _ = str(refused.value).splitlines()
    assert len(problems) == 20
    assert more == "… 79 more; skillstudio check PATH --all lists them"


def test_what_does_not_parse_is_not_migrated() -> None:
    with pytest.raises(NotMoved, match=r"SKILL\.md:12:"):
        migration(tree(ROUTER.replace('"effects":', '"effects"')), NO_SETTINGS)


def test_what_is_told_is_what_is_made(tmp_path: Path) -> None:
    for path, data in SOURCES["caro-1.0"].items():
        (tmp_path / "notes" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "notes" / path).write_bytes(data)
    (tmp_path / "notes" / "away").symlink_to("/etc/hostname")
    found = look(BLOCK, DiskTree(tmp_path / "notes"), NO_SETTINGS, "notes")
    left = make(found, str(tmp_path / "new" / "notes"))
    made = tmp_path / "new" / "notes"
    assert (made / "SKILL.md").read_text() == found.texts["SKILL.md"][1]
    assert sorted(p.name for p in made.iterdir()) == ["SKILL.md", "recipes"]
    assert list(left) == ["away"]
    with pytest.raises(NotPlaced, match="already exists"):
        make(found, str(made))
