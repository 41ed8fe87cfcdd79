"""Which targets are selected for a skill, and how severe problems are at them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.manifest.targets.expectations import expectation

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.plugin_skills import plugin_systems
from skillstudio.manifest.targets import recorded_targets, targets
from skillstudio.settings.settings import NO_SETTINGS, SkillSettings
from skillstudio.skill.analysis import analyse
from skillstudio.skill.selection import (
    PLUGIN_FOLDERS,
    KnownHomes,
    home_of,
    request_targets,
    select_targets,
)

SHARED = tuple(id for id in recorded_targets() if ".agents/skills/worklog" in expectation(id).looks)
CLAUDE, CODEX, CURSOR = (f"{folder}/plugin.json" for folder in PLUGIN_FOLDERS)


@pytest.mark.parametrize(
    ("place", "selected"),
    [
        (".claude/skills/tea", ("claude-code",)),
        (".claude/skills/deep/er/tea", ("claude-code",)),
        ("packages/a/.claude/skills/tea", ("claude-code",)),
        (".codex/skills/tea", ("codex",)),
        (".gemini/skills/tea", ("gemini-cli",)),
        (".opencode/skill/tea", ("opencode",)),
        (".github/skills/tea", ("copilot", "copilot-cli")),
        (".clinerules/skills/tea", ("cline",)),
        (".agents/skills/tea", SHARED),
        (".claude/skills/tea/examples/.codex/skills/tea", ("codex",)),
        (".kiro/skills/tea", ()),
        (".claude/skillset/tea", ()),
        ("x.claude/skills/tea", ()),
        ("skills/tea", ()),
    ],
)
def test_the_root_of_a_skill_selects_its_targets(
    place: str, selected: tuple[str, ...], tmp_path: Path
) -> None:
    made = select_targets(NO_SETTINGS, str(tmp_path / place))
    assert made.targets == selected
    assert bool(made.selected_by) == bool(selected)


def test_a_link_in_the_root_of_another_client_selects_it_too(tmp_path: Path) -> None:
    """`npx skills` installs in `.agents/skills` and links from the roots of other clients."""
    (tmp_path / ".agents/skills/tea").mkdir(parents=True)
    (tmp_path / ".claude/skills").mkdir(parents=True)
    (tmp_path / ".claude/skills/tea").symlink_to("../../.agents/skills/tea")
    (tmp_path / ".codex/skills").mkdir(parents=True)
    (tmp_path / ".codex/skills/tea").symlink_to("elsewhere")
    made = select_targets(NO_SETTINGS, str(tmp_path / ".agents/skills/tea"))
    assert made.targets == (*SHARED, "claude-code")
    assert made.selected_by == "the skill is in .agents/skills, linked from .claude/skills"


@pytest.mark.parametrize(
    ("links", "selected", "reason"),
    [
        ({".claude/skills/tea": "../../skills/tea"}, ("claude-code",),
         "the skill is linked from .claude/skills"),
        ({".claude/skills": "../skills"}, ("claude-code",),
         "the skill is linked from .claude/skills"),
        ({".claude/skills/pot": "../../skills/tea", ".codex/skills": "../skills"},
         ("claude-code", "codex"),
         "the skill is linked from .claude/skills and .codex/skills"),
        ({".claude/skills/pot": "../../skills/pot"}, (), ""),
        ({"../.claude/skills/tea": "../../repo/skills/tea"}, (), ""),
        ({".claude/skills/tea": "tea"}, (), ""),
        ({".claude/skills/tea": "../../skills/tea", ".claude/skills/loop": "loop"},
         ("claude-code",), "the skill is linked from .claude/skills"),
    ],
)  # fmt: skip
def test_a_link_selects_the_targets_of_its_root(
    links: dict[str, str], selected: tuple[str, ...], reason: str, tmp_path: Path
) -> None:
    repository = tmp_path / "repo"
    for folder in (".git", "skills/tea", "skills/pot"):
        (repository / folder).mkdir(parents=True)
    for link, target in links.items():
        (repository / link).parent.mkdir(parents=True, exist_ok=True)
        (repository / link).symlink_to(target)
    made = select_targets(NO_SETTINGS, str(repository / "skills/tea"))
    assert (made.targets, made.selected_by) == (selected, reason)


@pytest.mark.parametrize(
    ("files", "place", "selected"),
    [
        ([CLAUDE], "skills/tea", ("claude-code",)),
        ([CLAUDE], ".", ("claude-code",)),
        ([CLAUDE, CODEX], "skills/tea", ("claude-code", "codex")),
        ([f"plugins/one/{CODEX}"], "plugins/one/skills/tea", ("codex",)),
        ([f"plugins/one/{CODEX}"], "plugins/two/skills/tea", ()),
        # Codex also reads it, but it is not its own.
        ([CURSOR], "skills/tea", ()),
        ([CLAUDE], ".agents/skills/tea", SHARED),
        ([f".agents/skills/tea/{CLAUDE}"], ".agents/skills/tea", ("claude-code",)),
        ([CLAUDE], "vendor/skills/tea", ()),
    ],
)
def test_a_plugin_selects_its_targets(
    files: list[str], place: str, selected: tuple[str, ...], tmp_path: Path
) -> None:
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True)
        (tmp_path / file).write_text("{}")
    (tmp_path / "vendor/.git").mkdir(parents=True)
    known = KnownHomes()
    for _ in range(2):
        assert select_targets(NO_SETTINGS, str(tmp_path / place), known).targets == selected


def test_settings_and_options_come_first(tmp_path: Path) -> None:
    place = str(tmp_path / ".claude/skills/tea")
    settings = select_targets(SkillSettings(targets=("spec",)), place)
    assert (settings.targets, settings.selected_by) == (("spec",), "targets in skillstudio.toml")
    both = request_targets(settings, ["codex", "spec"])
    assert (both.targets, both.selected_by) == (
        ("spec", "codex"),
        "--target, targets in skillstudio.toml",
    )
    placed = select_targets(NO_SETTINGS, place)
    assert placed.selected_by == "the skill is in .claude/skills"
    assert request_targets(placed, ["codex"]).targets == ("codex",)


def test_the_records_state_what_selection_looks_for() -> None:
    for each in targets().values():
        discovery = each["discovery"]
        roots = discovery.get("roots", {"is": []})["is"]
        # The path of a skill below a root contains `/.`, without which no root is looked for.
        assert all(root.removeprefix("~/").startswith(".") for root in roots)
        assert set(discovery.get("borrowed", {"is": []})["is"]) <= set(roots)
    files = {file for system in plugin_systems().values() for file in system.files}
    assert files == {CLAUDE, CODEX, CURSOR}


LONG = "d" * 1100
VERY_LONG = "d" * 1600


@pytest.mark.parametrize(
    ("lines", "selected", "found"),
    [
        ("name: Tea\ndescription: d", "", {"name-format": "error"}),
        ("name: Tea\ndescription: d", "claude-code", {"name-format": "info"}),
        ("name: Tea\ndescription: d", "roo", {"name-format": "error"}),
        ("name: pot\ndescription: d", "claude-code", {"name-folder": "info"}),
        (
            "name: pot\ndescription: d",
            "copilot",
            {"name-folder": "info", "target-partial": "warning"},
        ),
        # What the target refuses is the error itself, and is said once.
        ("name: tea\ndescription: Use when: d", "cline", {"description-unquoted": "error"}),
        ("name: tea\ndescription: d\nversion: 1", "claude-upload", {"target-refused": "error"}),
        ("description: d", "claude-code", {"key-missing": "info"}),
        ("description: d", "goose", {"key-missing": "error"}),
        ("name: tea", "claude-code", {"key-missing": "info"}),
        ("name: tea", "opencode", {"key-missing": "warning"}),
        ("name: tea", "codex", {"key-missing": "error"}),
        (f"name: tea\ndescription: {LONG}", "", {"description-length": "error"}),
        (f"name: tea\ndescription: {LONG}", "claude-code", {"description-length": "info"}),
        (
            f"name: tea\ndescription: {LONG}",
            "claude-code codex",
            {"description-length": "info", "target-partial": "warning"},
        ),
        (
            f"name: tea\ndescription: {VERY_LONG}",
            "claude-code codex",
            {"description-length": "info", "target-partial": "warning"},
        ),
        ("name: tea\ndescription: d\nmetadata: text", "", {"value-type": "error"}),
        (
            "name: tea\ndescription: d\nmetadata: text",
            "claude-code",
            {"value-type": "info", "target-partial": "warning"},
        ),
        (
            "name: tea\ndescription: d\nallowed-tools: Read, Bash",
            "",
            {"allowed-tools-form": "info"},
        ),
        (
            "name: tea\ndescription: d\nallowed-tools: Read, Bash",
            "claude-code",
            {},
        ),
        ("name: tea\ndescription: d\ndisable-model-invocation: true", "claude-code", {}),
        ("name: tea\ndescription: d\nmodel: opus", "claude-code codex", {}),
        ("name: tea\ndescription: d\nmodel: opus", "codex", {"key-unknown": "info"}),
        ("name: tea\ndescription: d\nagent: a", "copilot", {}),
        # It repairs the value, but others do not.
        ("name: tea\ndescription: Says: d", "claude-code", {"description-unquoted": "warning"}),
        ("name: tea\ndescription: Says: d", "cline", {"description-unquoted": "error"}),
    ],
)
def test_problems_are_as_severe_as_their_outcome(
    lines: str, selected: str, found: dict[str, str]
) -> None:
    tree = MemoryTree({"SKILL.md": f"---\n{lines}\n---\n# Tea\n\nBrew it.\n".encode()}, "tea")
    analysis = analyse(tree, SkillSettings(targets=tuple(selected.split())))
    assert {each.rule: each.severity for each in analysis.diagnostics} == found


@pytest.mark.parametrize(
    ("lines", "rule"),
    [
        ("name: Tea\ndescription: d", "name-format"),
        ("name: tea--tea\ndescription: d", "name-format"),
        (f"name: {'t' * 65}\ndescription: d", "name-length"),
        ("name: pot\ndescription: d", "name-folder"),
        ("description: d", "key-missing"),
        ("name: tea", "key-missing"),
        (f"name: tea\ndescription: {LONG}", "description-length"),
        ("name: tea\ndescription: 12", "value-type"),
        ("name: tea\nname: tea\ndescription: d", "key-duplicate"),
        ("name: tea\ndescription: Says: d", "description-unquoted"),
    ],
)
def test_a_fault_is_reported_once_however_many_targets_are_selected(lines: str, rule: str) -> None:
    text = f"---\n{lines}\n---\n# Tea\n\nBrew it.\n"
    tree = MemoryTree({"SKILL.md": text.encode()}, "tea")
    analysis = analyse(tree, targets=tuple(recorded_targets()))
    assert [problem.rule for problem in analysis.diagnostics] == [rule]


def test_another_fault_of_the_same_value_is_reported() -> None:
    text = "---\nname: claude-tea\ndescription: d\n---\n# Tea\n\nBrew it.\n"
    analysis = analyse(MemoryTree({"SKILL.md": text.encode()}, "tea"), targets=("claude-upload",))
    messages = {problem.rule: problem.message for problem in analysis.diagnostics}
    assert messages["target-refused"] == (
        "claude.ai refuses this skill: the name contains the reserved word claude; rename it"
    )


def test_one_problem_names_all_targets_that_do_not_use_a_value() -> None:
    text = f"---\nname: tea\ndescription: {VERY_LONG}\n---\n# Tea\n"
    tree = MemoryTree({"SKILL.md": text.encode()}, "tea")
    analysis = analyse(tree, targets=("claude-code", "codex", "copilot"))
    (problem,) = [each for each in analysis.diagnostics if each.rule == "target-partial"]
    assert problem.message == (
        "not used as written by Claude Code: the description is longer than 1536 characters, so "
        "the text is cut in the list; Codex: the description is longer than 1024 characters, so it "
        "is cut in the list; GitHub Copilot in VS Code: the description is longer than 1024 "
        "characters, so it is cut; shorten it"
    )
    assert problem.pointer == "/description"
    assert problem.span is not None
    assert text[problem.span.start : problem.span.end] == VERY_LONG


def test_severities_of_the_settings_count() -> None:
    tree = MemoryTree({"SKILL.md": b"---\nname: Tea\ndescription: d\n---\n# Tea\n"}, "tea")
    settings = SkillSettings(targets=("claude-code",), severities={"name-format": "error"})
    assert [each.severity for each in analyse(tree, settings).diagnostics] == ["error"]


def test_the_home_of_a_skill() -> None:
    home = home_of("/projects/.claude/skills/tea")
    assert home is not None
    assert (home.folder, home.reason) == (
        "/projects/.claude/skills",
        "the skill is in .claude/skills",
    )
