"""Which client sees a skill, and what stops the others."""

from __future__ import annotations

import pytest
from tests.manifest.marked import unmark

from skillstudio.files.tree import MemoryTree
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.locate import locate
from skillstudio.skill.visibility import ClientAnswer, Placed, clients, explain_visibility

GOOD = "---\nname: worklog\ndescription: d\n---\n"


def skill(text: str = GOOD, name: str = "worklog", file: str = "SKILL.md") -> Skill:
    return locate(MemoryTree({file: text.encode()}, name)).skill


def answers(
    where: str, text: str = GOOD, *siblings: Placed, **given: str
) -> dict[str, ClientAnswer]:
    found = explain_visibility(skill(text, **given), where, siblings)
    return {each.client: each for each in found}


def loading(where: str, text: str = GOOD, *siblings: Placed, **given: str) -> set[str]:
    return {id for id, each in answers(where, text, *siblings, **given).items() if each.loaded}


BY_HAND = {"claude-upload", "npx-skills", "skills-ref"}


@pytest.mark.parametrize(
    ("where", "found"),
    [
        (".claude/skills/worklog", {"claude-code", "copilot", "cursor", "opencode"}),
        ("~/.claude/skills/worklog", {"claude-code", "copilot", "cursor", "opencode"}),
        ("packages/a/.claude/skills/worklog", {"claude-code", "copilot", "cursor", "opencode"}),
        (".claude/skills/deep/worklog", {"cursor"}),
        (".agents/skills/worklog", {"codex", "copilot", "cursor", "opencode"}),
        (".agents/skills/deep/worklog", {"codex", "cursor"}),
        (".github/skills/worklog", {"copilot"}),
        ("~/.codex/skills/worklog", {"codex", "cursor"}),
        ("examples/worklog", set()),
        ("worklog", set()),
        (".claude/skills", set()),
        (".claude\\skills\\worklog", {"claude-code", "copilot", "cursor", "opencode"}),
    ],
)
def test_where_each_client_looks(where: str, found: set[str]) -> None:
    assert {id for id, each in answers(where).items() if each.found} == found | BY_HAND


EVERYWHERE = {"claude-code", "copilot", "cursor", "opencode"} | BY_HAND
AT = ".claude/skills/worklog"


@pytest.mark.parametrize(
    ("text", "loaded"),
    [
        (GOOD, EVERYWHERE),
        ("---\nname: worklog\ndescription: Use when: files arrive\n---\n", {"cursor"}),
        ("---\nname: worklog\n---\n", set()),
        ("---\ndescription: d\n---\n", {"claude-code", "cursor"}),
        (
            "---\nname: work-log\ndescription: d\n---\n",
            EVERYWHERE - {"copilot", "opencode", "skills-ref"},
        ),
        (
            "---\nname: worklog\ndescription: d\ndisable-model-invocation: true\n---\n",
            {"opencode", "npx-skills"},
        ),
        (
            "---\nname: worklog\ndescription: d\nmetadata:\n  internal: true\n---\n",
            EVERYWHERE - {"npx-skills"},
        ),
        ("# no frontmatter\n", set()),
    ],
)
def test_what_each_client_takes_up(text: str, loaded: set[str]) -> None:
    assert loading(AT, text) == loaded


def test_the_name_of_the_file() -> None:
    assert loading(AT, file="skill.md") == {"skills-ref"}
    assert not answers(AT, file="skill.md")["claude-code"].found


def test_a_skill_without_skill_md_is_found_by_nobody() -> None:
    toml = '[skill]\nid = "tool.x"\n'
    assert not any(each.found for each in answers(AT, toml, file="skill.toml").values())


def test_an_obstacle_shows_its_place() -> None:
    text, spans = unmark("---\nname: worklog\ndescription: Use when«:» files arrive\n---\n")
    obstacle = answers(AT, text)["claude-code"].obstacles[0]
    assert obstacle.step == "parsed"
    assert obstacle.span == spans[0]


def test_a_skill_of_the_same_name_comes_first() -> None:
    own = Placed("~/.claude/skills/worklog", skill())
    answer = answers(AT, GOOD, own)["claude-code"]
    assert not answer.listed
    assert "~/.claude/skills/worklog" in answer.obstacles[0].reason
    assert answers("~/.claude/skills/worklog", GOOD, Placed(AT, skill()))["claude-code"].listed


def test_codex_lists_both_of_one_name() -> None:
    other = Placed(".agents/skills/a/worklog", skill())
    assert answers(".agents/skills/worklog", GOOD, other)["codex"].listed


def test_skills_of_other_names_shadow_nothing() -> None:
    other = Placed("~/.claude/skills/notes", skill(GOOD.replace("worklog", "notes"), "notes"))
    assert answers(AT, GOOD, other)["claude-code"].loaded


def test_every_client_gives_all_its_obstacles() -> None:
    answer = answers("examples/worklog", "---\nname: worklog\n---\n")["claude-code"]
    assert [each.step for each in answer.obstacles] == ["found", "listed"]
    assert set(answers(AT)) == set(clients())
