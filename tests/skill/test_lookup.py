"""Names and versions that skills state, and which skills of a workspace a name means."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.files.workspace import workspace_of
from skillstudio.manifest.locate import locate
from skillstudio.skill.lookup import look_up, stated_names, stated_version

FRONT = "---\nname: notes\ndescription: d\n{}---\n"
BLOCK = '```skill-manifest\n{{"schema_version": "2.0", "id": "{}", "version": "{}"}}\n```\n'
CASES = [
    ({"SKILL.md": FRONT.format("")}, ("notes",), ("", "")),
    (
        {"SKILL.md": FRONT.format("version: 1.2.0\n")},
        ("notes",),
        ("1.2.0", "agent-skills in SKILL.md:4"),
    ),
    (
        {"SKILL.md": FRONT.format('manifest_version: "1.0"\nversion: 1.2.0\n')},
        ("notes",),
        ("1.2.0", "frontmatter-1.0 in SKILL.md:5"),
    ),
    ({"SKILL.md": FRONT.format("version: 1.2\n")}, ("notes",), ("", "")),
    (
        {"SKILL.md": FRONT.format("") + BLOCK.format("notes-2", "0.3.0")},
        ("notes", "notes-2"),
        ("0.3.0", "skill-manifest-2.0 in SKILL.md:6"),
    ),
    (
        {"skill.toml": '[skill]\nid = "core.notes"\nname = "Notes"\nversion = "2.0.0"\n'},
        ("core.notes",),
        ("2.0.0", "caro-1.0 in skill.toml:4"),
    ),
    ({"SKILL.md": "---\nname: [1]\n---\n"}, (), ("", "")),
    ({"SKILL.md": "no manifest"}, (), ("", "")),
]


@pytest.mark.parametrize(("files", "names", "version"), CASES)
def test_what_a_skill_says_of_itself(
    files: dict[str, str], names: tuple[str, ...], version: tuple[str, str]
) -> None:
    tree = MemoryTree({path: text.encode() for path, text in files.items()}, "folder")
    skill = locate(tree).skill
    assert stated_names(skill) == names
    assert tuple(stated_version(skill)) == version


def test_a_name_goes_before_a_folder(tmp_path: Path) -> None:
    for folder, name in (("a/notes", "other"), ("b/x", "notes"), ("b/y", "notes")):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: d\n---\n")
    found = look_up(str(tmp_path), str(tmp_path / "b"))
    assert [each.folder for each in found.all("notes")] == [
        str(tmp_path / "b" / "x"), str(tmp_path / "b" / "y"),
    ]  # fmt: skip
    assert [each.folder for each in found.all("y")] == [str(tmp_path / "b" / "y")]
    assert found.get("gone") is None
    assert found.names() == {"notes", "other", "x", "y"}


def test_the_workspace_is_the_repository_or_the_folder(tmp_path: Path) -> None:
    inside = tmp_path / "r" / "a" / "b"
    inside.mkdir(parents=True)
    assert workspace_of(str(inside)) == str(inside)
    (tmp_path / "r" / ".git").write_text("gitdir: elsewhere\n")
    assert workspace_of(str(inside)) == str(tmp_path / "r")
