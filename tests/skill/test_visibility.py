"""Which targets find a skill at its place, and its outcome there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.manifest.marked import unmark

from skillstudio.files.disk import DiskTree
from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.locate import locate
from skillstudio.manifest.targets import targets
from skillstudio.skill.visibility import (
    NOT_FOUND,
    NOT_RECORDED,
    Placed,
    TargetAnswer,
    explain_visibility,
    neighbours,
)

GOOD = "---\nname: worklog\ndescription: d\n---\n"
CLAUDE = {"claude-code", "cline", "copilot", "cursor", "goose", "opencode"}
AGENTS = {
    "amp", "cline", "codex", "copilot", "cursor", "gemini-cli", "goose", "junie", "mistral-vibe",
    "opencode", "roo", "windsurf",
}  # fmt: skip
ANYWHERE = {id for id, each in targets().items() if "roots" not in each["discovery"]}


def skill(text: str = GOOD, name: str = "worklog", file: str = "SKILL.md") -> Skill:
    return locate(MemoryTree({file: text.encode()}, name)).skill


def answers(
    where: str, text: str = GOOD, *siblings: Placed, **given: str
) -> dict[str, TargetAnswer]:
    found = explain_visibility(skill(text, **given), where, siblings)
    return {each.target: each for each in found}


def finding(where: str) -> set[str]:
    return {id for id, each in answers(where).items() if each.outcome != NOT_FOUND} - ANYWHERE


@pytest.mark.parametrize(
    ("where", "found"),
    [
        (".claude/skills/worklog", CLAUDE),
        ("~/.claude/skills/worklog", CLAUDE - {"cline"}),
        ("packages/a/.claude/skills/worklog", CLAUDE),
        (".claude/skills/deep/worklog", {"cursor", "goose", "opencode"}),
        (".agents/skills/worklog", AGENTS),
        (".codex/skills/worklog", {"codex", "cursor"}),
        (".github/skills/worklog", {"copilot"}),
        (".opencode/skill/a/b/worklog", {"opencode"}),
        ("~/.codex/skills/worklog", {"codex", "cursor"}),
        (".codex/skills/1/2/3/4/5/worklog", {"codex", "cursor"}),
        (".codex/skills/1/2/3/4/5/6/worklog", {"cursor"}),
        (".kiro/skills/worklog", {"kiro"}),
        (".factory/skills/worklog", {"factory"}),
        ("examples/worklog", set()),
        ("worklog", set()),
        (".claude/skills", set()),
        (".claude\\skills\\worklog", CLAUDE),
    ],
)
def test_where_each_client_looks(where: str, found: set[str]) -> None:
    assert finding(where) == found


def test_a_folder_that_is_too_deep() -> None:
    (reason,) = answers(".claude/skills/deep/worklog")["claude-code"].reasons
    assert reason.text == "the folder is too deep: it looks 1 level below its roots"
    assert reason.evidence


AT = ".claude/skills/worklog"


def test_a_target_whose_reading_is_not_recorded() -> None:
    assert answers(AT, "# no frontmatter\n")["cursor"].outcome == NOT_RECORDED
    assert answers("worklog")["cursor"].outcome == NOT_FOUND


def test_a_reason_shows_its_place() -> None:
    text, spans = unmark("---\nname: worklog\ndescription: Use when«:» files arrive\n---\n")
    answer = answers(AT, text)["cline"]
    assert (answer.outcome, answer.reasons[0].span) == ("dropped", spans[0])


def test_a_skill_of_the_same_name_comes_first() -> None:
    own = Placed("~/.claude/skills/worklog", skill())
    answer = answers(AT, GOOD, own)["claude-code"]
    assert answer.outcome == "dropped"
    assert "~/.claude/skills/worklog" in answer.reasons[0].text
    assert (
        answers("~/.claude/skills/worklog", GOOD, Placed(AT, skill()))["claude-code"].outcome
        == "loads"
    )


def test_codex_lists_both_of_one_name() -> None:
    other = Placed(".agents/skills/a/worklog", skill())
    assert answers(".agents/skills/worklog", GOOD, other)["codex"].outcome == "loads"


def test_skills_of_other_names_shadow_nothing() -> None:
    other = Placed("~/.claude/skills/notes", skill(GOOD.replace("worklog", "notes"), "notes"))
    assert answers(AT, GOOD, other)["claude-code"].outcome == "loads"


def test_all_reasons_are_given() -> None:
    answer = answers("examples/worklog", "---\nmetadata: x\n---\n")["codex"]
    assert [each.outcome for each in answer.reasons] == [
        NOT_FOUND,
        "loads without",
        "dropped",
        "dropped",
    ]


def linked(tmp_path: Path) -> Path:
    """A skill in .agents/skills to which .claude/skills has a link, as `npx skills` installs it."""
    real = tmp_path / ".agents/skills/worklog"
    real.mkdir(parents=True)
    (real / "SKILL.md").write_text(GOOD)
    (tmp_path / ".git").mkdir()
    link = tmp_path / ".claude/skills/worklog"
    link.parent.mkdir(parents=True)
    link.symlink_to("../../.agents/skills/worklog")
    return link


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
def test_a_folder_reached_through_a_link_is_found_at_both_places(tmp_path: Path) -> None:
    link = linked(tmp_path)
    made = locate(DiskTree(link)).skill
    siblings = neighbours(str(link), str(tmp_path / "home"))
    found = explain_visibility(made, ".agents/skills/worklog", siblings, os.path.realpath(link))
    outcomes = {each.target: each.outcome for each in found}
    assert {outcomes["claude-code"], outcomes["codex"], outcomes["opencode"]} == {"loads"}


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
def test_a_skill_md_that_is_a_link(tmp_path: Path) -> None:
    (tmp_path / "worklog").mkdir()
    (tmp_path / "worklog/text.md").write_text(GOOD)
    (tmp_path / "worklog/SKILL.md").symlink_to("text.md")
    made = locate(DiskTree(tmp_path / "worklog")).skill
    found = {each.target: each for each in explain_visibility(made, ".agents/skills/worklog")}
    assert found["codex"].reasons[0].text == "SKILL.md is a symbolic link"
    assert found["codex"].outcome == NOT_FOUND
    assert found["gemini-cli"].outcome == "loads"
