"""What is said of the key or value under the cursor. `‸` marks it."""

from __future__ import annotations

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.hover import Hover, hover
from skillstudio.manifest.locate import locate
from skillstudio.manifest.outline import outline

FRONT = "---\nname: worklog\ndescription: Keeps a worklog.\nexecution:\n  network: true\n%s---\n"
BLOCK = "---\nname: memory\ndescription: x\n---\n\n```skill-manifest\n%s\n```\n"


def hovered(path: str, marked: str) -> Hover | None:
    text = marked.replace("‸", "")
    skill = locate(MemoryTree({path: text.encode()})).skill
    return hover(skill, path, text, marked.index("‸"))


@pytest.mark.parametrize(
    ("path", "text", "title", "words"),
    [
        ("SKILL.md", (FRONT % "").replace("name:", "na‸me:"), "name",
         ["Name of the skill", "required", "string", "at most 64 characters"]),
        ("SKILL.md", (FRONT % "").replace("worklog\n", "work‸log\n"), "name",
         ["Name of the skill"]),
        ("SKILL.md", (FRONT % "").replace("Keeps", "Ke‸eps"), "description",
         ["16 of 1,024 characters. What the skill does"]),
        ("SKILL.md", FRONT % "sensi‸tive: true\n", "sensitive", ["boolean", "default false"]),
        ("SKILL.md", (FRONT % "").replace("network", "net‸work"), "execution.network",
         ["Whether the skill needs network access.", "boolean"]),
        ("SKILL.md", FRONT % "outputs:\n  files:\n    - base: cw‸d\n", "outputs.files[0].base",
         ["cwd: Working directory of the skill.", "one of skill_root, repo_root, cwd"]),
        ("SKILL.md", BLOCK % '{"effects": ["db.re‸ad"]}', "effects[0]",
         ["db.read: Reads from a database.", "One side effect."]),
        ("SKILL.md", BLOCK % '{"schema_ver‸sion": "2.0"}', "schema_version", ["always 2.0"]),
        ("SKILL.md", BLOCK % '{"operations": {"a/b": {"descrip‸tion": "x"}}}',
         "operations.a/b.description", ["agents choose operations by this text", "required"]),
        ("SKILL.md", BLOCK % '{"id": "x", "effects‸": ["db.', "effects", ["Side effects"]),
        ("skill.toml", '[skill]\nlicen‸se = "MIT"\n', "skill.license", ["SPDX"]),
    ],
)  # fmt: skip
def test_hover(path: str, text: str, title: str, words: list[str]) -> None:
    found = hovered(path, text)
    assert found is not None
    assert found.title == title
    assert [word for word in words if word not in found.text] == []
    assert found.span.start <= text.index("‸") <= found.span.end


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("SKILL.md", (FRONT % "") + "\nPro‸se.\n"),
        ("SKILL.md", FRONT % "unkn‸own: 1\n"),
        ("SKILL.md", BLOCK % "‸"),
        ("notes.txt", "na‸me"),
        ("skill.toml", "‸"),
    ],
)
def test_nothing_to_say(path: str, text: str) -> None:
    assert hovered(path, text) is None


def test_outline_of_a_skill() -> None:
    text = BLOCK % '{\n"operations": {"search": {"input": {}}}\n}' + "# Title\n\n## Part\n"
    skill = locate(MemoryTree({"SKILL.md": text.encode()})).skill
    found = outline(skill, "SKILL.md", text)
    assert [(item.name, item.level, item.line) for item in found] == [
        ("name", 0, 2),
        ("description", 0, 3),
        ("operations", 0, 8),
        ("search", 1, 8),
        ("input", 2, 8),
        ("Title", 0, 11),
        ("Part", 1, 13),
    ]
    assert all(text.startswith((item.name, f'"{item.name}', "#"), item.offset) for item in found)


def test_outline_names_items_by_what_they_are_called() -> None:
    text = "---\ninputs:\n  required:\n    - name: day\n    - description: x\n---\n"
    skill = locate(MemoryTree({"SKILL.md": text.encode()})).skill
    assert [item.name for item in outline(skill, "SKILL.md", text)] == [
        "inputs", "required", "day", "name", "[1]", "description",
    ]  # fmt: skip
