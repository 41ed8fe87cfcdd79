"""Which targets find a skill at its place, and its outcome there."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.manifest.marked import unmark
from tests.manifest.targets.expectations import PLACES, expectation, lookers

from skillstudio.files.disk import DiskTree
from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.locate import locate
from skillstudio.manifest.targets import targets
from skillstudio.settings.settings import ClientPlace, PluginPlace, SkillSettings
from skillstudio.skill.analysis import analyse
from skillstudio.skill.client_places import place_of
from skillstudio.skill.facts import SkillFacts
from skillstudio.skill.lookup import plugin_around
from skillstudio.skill.outcomes import NOT_FOUND, NOT_RECORDED, TargetAnswer
from skillstudio.skill.visibility import Placed, explain_place, explain_visibility, shadows

GOOD = "---\nname: worklog\ndescription: d\n---\n"
ANYWHERE = {id for id, each in targets().items() if "roots" not in each["discovery"]}


def skill(text: str = GOOD, name: str = "worklog", file: str = "SKILL.md") -> Skill:
    return locate(MemoryTree({file: text.encode()}, name)).skill


def answers(
    where: str, text: str = GOOD, *siblings: Placed, **given: str
) -> dict[str, TargetAnswer]:
    return at_place(skill(text, **given), ClientPlace(where), *siblings)


def at_place(made: Skill, place: ClientPlace, *siblings: Placed) -> dict[str, TargetAnswer]:
    made = made._replace(settings=SkillSettings(client_place=place))
    return {each.target: each for each in explain_visibility(made, place, siblings)}


def finding(where: str) -> set[str]:
    return {id for id, each in answers(where).items() if each.outcome != NOT_FOUND} - ANYWHERE


@pytest.mark.parametrize("place", PLACES)
def test_where_each_client_looks(place: str) -> None:
    assert finding(place) == lookers(place)


def test_each_client_is_expected_somewhere() -> None:
    assert all(expectation(target).looks for target in targets().keys() - ANYWHERE)


@pytest.mark.parametrize(
    ("where", "target", "text"),
    [
        (
            ".claude/skills/deep/worklog", "claude-code",
            "SKILL.md is 2 levels below .claude/skills; it looks only 1 level below",
        ),
        (
            "a/.codex/skills/1/2/3/4/5/6/worklog", "codex",
            "SKILL.md is 7 levels below a/.codex/skills; it looks only 6 levels below",
        ),
        (
            ".claude/skills", "claude-code",
            "SKILL.md is directly in .claude/skills; it looks in the folders below it",
        ),
    ],
)  # fmt: skip
def test_a_folder_at_the_wrong_depth(where: str, target: str, text: str) -> None:
    answer = answers(where)[target]
    (reason,) = answer.reasons
    assert (answer.outcome, reason.text) == (NOT_FOUND, text)
    assert reason.evidence
    assert reason.fix


@pytest.mark.parametrize(
    ("where", "target", "text"),
    [
        (".claude/skills/worklog", "claude-code", None),
        (
            "web/.claude/skills/worklog", "claude-code",
            "only when it is started in web or below, or after it used a file there",
        ),
        ("web/.agents/skills/worklog", "codex", "only when it is started in web or below"),
        ("web/.agents/skills/worklog", "gemini-cli", "only when it is started in web, not below"),
        (
            ".agents/skills/worklog", "gemini-cli",
            "only when it is started in the folder of the project, not below",
        ),
        ("~/.agents/skills/worklog", "gemini-cli", None),
        ("web/.agents/skills/worklog", "pi", "only when it is started in web or below"),
        ("web/.pi/skills/worklog", "pi", "only when it is started in web, not below"),
        (".agents/skills/worklog", "cursor", None),
    ],
)  # fmt: skip
def test_where_a_client_must_be_started(where: str, target: str, text: str | None) -> None:
    reasons = answers(where)[target].reasons
    assert [each.text for each in reasons] == ([] if text is None else [text])


PLUGIN = ".claude-plugin/plugin.json"
MARKET = ".claude-plugin/marketplace.json"


def market(*entries: dict[str, Any]) -> str:
    return json.dumps({"name": "m", "plugins": [{"name": "e", **each} for each in entries]})


@pytest.mark.parametrize(
    ("files", "place", "expected"),
    [
        ({}, "skills/worklog", None),
        ({PLUGIN: '{"name": "p"}'}, "skills/worklog", ("p", "", True)),
        ({PLUGIN: '{"name": "p"}'}, "skills/a/worklog", ("p", "", False)),
        ({PLUGIN: '{"name": "p"}'}, "other/worklog", ("p", "", False)),
        ({PLUGIN: '{"name": "p"}'}, "", ("p", "", True)),
        ({PLUGIN: "[" * 9999}, "skills/worklog", None),
        ({PLUGIN: '{"name": "p", "skills": ["./a/worklog"]}'}, "a/worklog", ("p", "", True)),
        ({PLUGIN: '{"name": "p", "skills": "./a"}'}, "a/worklog", ("p", "", True)),
        ({PLUGIN: '{"name": "p", "skills": "./a"}'}, "skills/worklog", ("p", "", True)),
        ({"x/" + PLUGIN: '{"name": "p"}'}, "x/skills/worklog", ("p", "", True)),
        (
            {MARKET: market({"source": "./x"}), "x/" + PLUGIN: '{"name": "p"}'},
            "x/skills/worklog", ("p", "e@m", True),
        ),
        ({MARKET: market({"source": "./x"})}, "y/skills/worklog", None),
        ({MARKET: market({"source": "./"})}, "skills/worklog", ("e", "e@m", True)),
        (
            {MARKET: market({"source": "./", "skills": ["./skills/b"]})},
            "skills/worklog", ("e", "e@m", False),
        ),
        (
            {MARKET: market({"source": "./", "skills": ["./skills/"]})},
            "skills/worklog", ("e", "e@m", True),
        ),
        (
            {MARKET: market({"source": "./x", "skills": ["./b"]})},
            "x/skills/worklog", ("e", "e@m", True),
        ),
        ({MARKET: market({"source": {"source": "npm"}}, {"source": 1})}, "skills/worklog", None),
        ({MARKET: '{"plugins": 1}'}, "skills/worklog", None),
    ],
)  # fmt: skip
def test_the_plugin_of_a_skill(
    tmp_path: Path, files: dict[str, str], place: str, expected: tuple[str, str, bool] | None
) -> None:
    (tmp_path / ".git").mkdir()
    for path, text in {**files, f"{place}/SKILL.md".lstrip("/"): GOOD}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    found = plugin_around(str(tmp_path / place))
    assert (found and (found.plugin, found.listing, found.contains_skill)) == expected


def of_claude(listed: str, where: str, contains: bool) -> PluginPlace:
    return PluginPlace("claude-code", "p", listed, where, contains)


@pytest.mark.parametrize(
    ("plugin", "outcome", "text", "fix"),
    [
        (
            of_claude("e@m", "", True),
            "loads",
            "as /p:worklog,",
            "/plugin install e@m",
        ),
        (of_claude("", "", True), "loads", "as /p:worklog,", "--plugin-dir"),
        (
            of_claude("", ".claude/skills/p", True),
            "loads",
            "as /p:worklog,",
            "loads from",
        ),
        (
            of_claude("", "", False),
            NOT_FOUND,
            "contains only skills/NAME",
            "list the folder",
        ),
    ],
)
def test_a_skill_of_a_plugin(plugin: PluginPlace, outcome: str, text: str, fix: str) -> None:
    answer = at_place(skill(), ClientPlace("p/skills/worklog", (), (plugin,)))
    (reason,) = answer["claude-code"].reasons
    assert answer["claude-code"].outcome == outcome
    assert text in reason.text
    assert fix in reason.fix
    assert reason.evidence
    assert answer["cline"].outcome == NOT_FOUND


def test_a_root_comes_before_a_plugin() -> None:
    plugin = of_claude("", "", False)
    answer = at_place(skill(), ClientPlace(".claude/skills/worklog", (), (plugin,)))["claude-code"]
    assert (answer.outcome, answer.reasons) == ("loads", ())


AT = ".claude/skills/worklog"


def test_a_target_whose_reading_is_not_recorded() -> None:
    assert answers(AT, "# no frontmatter\n")["cursor"].outcome == NOT_RECORDED
    assert answers("worklog")["cursor"].outcome == NOT_FOUND


def test_a_reason_shows_its_place() -> None:
    text, spans = unmark("---\nname: worklog\ndescription: Use when«:» files arrive\n---\n")
    answer = answers(AT, text)["goose"]
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


@pytest.mark.parametrize(
    ("where", "name", "other", "its", "target", "outcome"),
    [
        # At Claude Code the folder is the name, and one below the project has another.
        (AT, "worklog", ".claude/skills/notes", "worklog", "claude-code", "loads"),
        (AT, "a", "~/.claude/skills/worklog", "b", "claude-code", "dropped"),
        (AT, "worklog", f"apps/web/{AT}", "worklog", "claude-code", "loads"),
        (f"apps/web/{AT}", "worklog", AT, "worklog", "claude-code", "loads"),
        (f"apps/web/{AT}", "worklog", f"~/{AT}", "worklog", "claude-code", "loads"),
        # At others it is the key.
        (AT, "worklog", ".claude/skills/notes", "worklog", "opencode", "dropped"),
        (AT, "a", "~/.claude/skills/worklog", "b", "opencode", "loads"),
    ],
)
def test_what_counts_as_the_same_name(
    where: str, name: str, other: str, its: str, target: str, outcome: str
) -> None:
    rival = Placed(other, skill(GOOD.replace("worklog", its), other.rpartition("/")[2]))
    text = GOOD.replace("worklog", name)
    answer = answers(where, text, rival)[target]
    assert (answer.outcome == "dropped") == (outcome == "dropped")
    # A check of both gives the same answer as one of them with its neighbours.
    own = facts(where, "worklog", name)
    both = [own, facts(other, other.rpartition("/")[2], its)]
    assert (target in shadows(both).get(where, {})) == (outcome == "dropped")


def facts(where: str, folder: str, name: str) -> SkillFacts:
    settings = SkillSettings(client_place=ClientPlace(where))
    return SkillFacts(where, folder, settings, name=name)


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


def linked(tmp_path: Path) -> None:
    """A skill in .agents/skills to which .claude/skills has a link, as `npx skills` installs it."""
    real = tmp_path / ".agents/skills/worklog"
    real.mkdir(parents=True)
    (real / "SKILL.md").write_text(GOOD)
    (tmp_path / ".git").mkdir()
    link = tmp_path / ".claude/skills/worklog"
    link.parent.mkdir(parents=True)
    link.symlink_to("../../.agents/skills/worklog")


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
def test_a_folder_reached_through_a_link_is_found_at_both_places(tmp_path: Path) -> None:
    linked(tmp_path)
    real = tmp_path / ".agents/skills/worklog"
    assert place_of(str(real)).links == (".claude/skills/worklog",)
    seen = explain_place(locate(DiskTree(real)).skill, str(real))
    outcomes = {each.target: each.outcome for each in seen.answers}
    assert {outcomes["claude-code"], outcomes["codex"], outcomes["opencode"]} == {"loads"}


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
def test_a_skill_md_that_is_a_link(tmp_path: Path) -> None:
    (tmp_path / "worklog").mkdir()
    (tmp_path / "worklog/text.md").write_text(GOOD)
    (tmp_path / "worklog/SKILL.md").symlink_to("text.md")
    made = locate(DiskTree(tmp_path / "worklog")).skill
    found = at_place(made, ClientPlace(".agents/skills/worklog"))
    assert found["codex"].reasons[0].text == "SKILL.md is a symbolic link"
    assert found["codex"].outcome == NOT_FOUND
    assert found["gemini-cli"].outcome == "loads"


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
@pytest.mark.parametrize(
    ("target", "body", "problem"),
    [
        (
            "../../real/SKILL.md",
            "Do it.\n",
            "symlink-outside: SKILL.md is a symbolic link to ../../real/SKILL.md, which some "
            "clients do not follow; link the folder",
        ),
        (
            "../../real/SKILL.md",
            "Read [a](a.md) and [b](b.md).\n",
            "symlink-outside: SKILL.md is a symbolic link to ../../real/SKILL.md, and 2 files that "
            "it names are not beside it; link the folder",
        ),
        (
            "../../none/SKILL.md",
            "",
            "path-link-outside: SKILL.md is a symbolic link to ../../none/SKILL.md, which does not "
            "exist or is outside of the skill",
        ),
        (
            "../../../above.md",
            "",
            "path-link-outside: SKILL.md is a symbolic link to ../../../above.md, outside of the "
            "repository",
        ),
    ],
)
def test_a_skill_md_that_is_a_link_out_of_the_skill(
    tmp_path: Path, target: str, body: str, problem: str
) -> None:
    (tmp_path / "above.md").write_text(GOOD)
    root = tmp_path / "root"
    for folder in (".git", "real", ".gemini/worklog"):
        (root / folder).mkdir(parents=True)
    (root / "real/SKILL.md").write_text(GOOD.replace(": d", ": Logs work. Use it.") + body)
    (root / ".gemini/worklog/SKILL.md").symlink_to(target)
    analysis = analyse(DiskTree(root / ".gemini/worklog"), targets=("gemini-cli",))
    assert [f"{one.rule}: {one.message}" for one in analysis.diagnostics] == [problem] * bool(
        problem
    )
