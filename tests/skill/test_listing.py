"""What skills take of the listings of targets."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.locate import locate
from skillstudio.manifest.targets import judge
from skillstudio.settings.settings import NO_SETTINGS
from skillstudio.skill.listing import ListedSkill, list_skill, listings
from skillstudio.skill.selection import select_targets

LINE = len("- tea: ") + 1


def listed(target: str, *lengths: int) -> list[ListedSkill]:
    return [
        ListedSkill(target, "skills", f"s{number}", "tea", "d" * length)
        for number, length in enumerate(lengths)
    ]


def in_tokens(length: int) -> int:
    return -(-(len("- tea:  (file: r0/s0/SKILL.md)") + 1 + length) // 4)


@pytest.mark.parametrize(
    ("target", "lengths", "used", "cut", "dropped"),
    [
        ("claude-code", [100], LINE + 100, {}, 0),
        ("claude-code", [100, 200], 2 * LINE + 300, {}, 0),
        ("claude-code", [1536], LINE + 1536, {}, 0),
        ("claude-code", [1600], LINE + 1536, {"s0": 64}, 0),
        ("claude-code", [992] * 8, 8000, {}, 0),
        ("claude-code", [992] * 7 + [993], 8001, {}, 1),
        ("claude-code", [1000] * 9, 9 * (LINE + 1000), {}, 2),
        ("claude-code", [0] * 1100, 1100 * LINE, {}, 1100),
        ("codex", [100], in_tokens(100), {}, 0),
        ("codex", [1100], in_tokens(1024), {"s0": 76}, 0),
        ("codex", [1000] * 21, 21 * in_tokens(1000), {}, 0),
        (
            "codex",
            [1000] * 22 + [10],
            22 * in_tokens(1000) + in_tokens(10),
            {f"s{number}": 52 for number in range(22)},
            0,
        ),
    ],
)
def test_figures_of_a_listing(
    target: str, lengths: list[int], used: int, cut: dict[str, int], dropped: int
) -> None:
    (found,) = listings(listed(target, *lengths)).values()
    assert (found.used, found.skills) == (used, len(lengths))
    assert found.dropped == dropped
    if target == "codex" and used > found.limit:
        sizes = [in_tokens(length - found.cut.get(f"s{n}", 0)) for n, length in enumerate(lengths)]
        assert found.limit - len(lengths) <= sum(sizes) <= found.limit
        assert found.cut.keys() == cut.keys()
    else:
        assert found.cut == cut


def test_the_budget_is_nearly_used_up() -> None:
    states = [
        (found.is_near, found.is_exceeded)
        for lengths in ([7000], [992] * 7, [992] * 8, [993] * 8)
        for found in listings(listed("claude-code", *lengths)).values()
    ]
    assert states == [(False, False), (False, False), (True, False), (True, True)]


@pytest.mark.parametrize(
    ("lines", "target", "text"),
    [
        ("name: tea\ndescription: Brews.", "claude-code", "Brews."),
        ("description: Brews.\nwhen_to_use: Thirst.", "claude-code", "Brews. - Thirst."),
        ("description: Brews.\nwhen_to_use: Thirst.", "codex", "Brews."),
        ("description: |\n  Brews\n\n  tea.", "claude-code", "Brews tea."),
        ("name: tea", "claude-code", ""),
        ("name: tea", "codex", None),
        ("description: Brews.\ndisable-model-invocation: true", "claude-code", None),
        ("description: Brews: tea", "claude-code", "Brews: tea"),
        ("description: Brews.", "opencode", None),
    ],
)
def test_the_text_that_a_target_lists(lines: str, target: str, text: str | None) -> None:
    tree = MemoryTree({"SKILL.md": f"---\n{lines}\n---\nBody.\n".encode()}, "tea")
    skill = locate(tree).skill
    found = list_skill(skill, "skills", judge(skill, selected_ids=[target]))
    assert [each.text for each in found] == ([] if text is None else [text])
    assert {each.name for each in found} <= {"tea"}


@pytest.mark.parametrize(
    ("place", "plugin", "folder"),
    [
        (".claude/skills/tea", False, ".claude/skills"),
        (".agents/skills/deep/tea", False, ".agents/skills"),
        ("plugin/skills/tea", True, "plugin/skills"),
        ("plugin/skills/deep/tea", True, None),
        ("elsewhere/tea", False, "elsewhere"),
    ],
)
def test_the_folder_whose_skills_share_a_listing(
    place: str, plugin: bool, folder: str | None, tmp_path: Path
) -> None:
    (tmp_path / place).mkdir(parents=True)
    if plugin:
        (tmp_path / "plugin/.claude-plugin").mkdir()
        (tmp_path / "plugin/.claude-plugin/plugin.json").write_text("{}")
    found = select_targets(NO_SETTINGS, str(tmp_path / place)).listed_in
    assert found == ("" if folder is None else str(tmp_path / folder))
