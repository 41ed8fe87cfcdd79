"""The outcome of a skill at a target, by its place, how the target was selected, and its text."""

from __future__ import annotations

from typing import Literal

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.targets import targets
from skillstudio.settings.settings import ClientPlace, PluginPlace, SkillSettings
from skillstudio.skill.analysis import Analysis, analyse
from skillstudio.skill.outcomes import (
    NOT_FOUND,
    NOT_RECORDED,
    answer_targets,
    is_unseen,
    judge_targets,
)

GOOD = "---\nname: tea\ndescription: Makes tea. Use it.\n---\nBoil water.\n"
COLON = "---\nname: tea\ndescription: Makes: tea.\n---\nBoil water.\n"
NAMELESS = "---\ndescription: Makes tea. Use it.\n---\nBoil water.\n"
HIDDEN = GOOD.replace("---\nBoil", "disable-model-invocation: true\n---\nBoil")
LINKED = ClientPlace("skills/tea", (".claude/skills/tea",))
LINKED_ROOT = ClientPlace("skills/tea", (".agents/skills/tea",))
LINKED_AGENTS, LINKED_HOME = (
    ClientPlace("skills/tea", (at,), linked_places=frozenset([at]))
    for at in (".agents/skills/tea", "~/.agents/skills/tea")
)
OUTSIDE, PLUGIN = (
    (PluginPlace("claude-code", "p", "", "", contains),) for contains in (False, True)
)
OF_CODEX = (PluginPlace("codex", "p", "", "", True),)
By = Literal["nobody", "settings", "place"]


def analysis_at(
    place: ClientPlace | str | None, text: str, by: By = "nobody", *selected: str
) -> Analysis:
    settings = SkillSettings(
        targets=selected,
        selected_by="" if by == "nobody" else by,
        by_place=by == "place",
        client_place=ClientPlace(place) if isinstance(place, str) else place,
    )
    return analyse(MemoryTree({"SKILL.md": text.encode()}, "tea"), settings)


@pytest.mark.parametrize(
    ("place", "by", "target", "text", "outcome"),
    [
        # Nobody selected it: it looks at the place, or says nothing of the skill.
        (".claude/skills/tea", "nobody", "claude-code", GOOD, "loads"),
        (".claude/skills/tea", "nobody", "cline", GOOD, NOT_FOUND),
        (".claude/skills/tea", "nobody", "cline", COLON, NOT_FOUND),
        (".agents/skills/tea", "nobody", "cline", COLON, "dropped"),
        ("skills/tea", "nobody", "codex", GOOD, NOT_FOUND),
        (".claude/skills/a/tea", "nobody", "claude-code", GOOD, NOT_FOUND),
        (".kiro/skills/tea", "nobody", "kiro", GOOD, NOT_RECORDED),
        ("skills/tea", "nobody", "kiro", GOOD, NOT_FOUND),
        # It may follow no links to folders.
        (LINKED_AGENTS, "nobody", "openclaw", GOOD, NOT_FOUND),
        (LINKED_AGENTS, "place", "openclaw", GOOD, NOT_FOUND),
        (LINKED_AGENTS, "nobody", "codex", GOOD, "loads"),
        (LINKED_ROOT, "nobody", "openclaw", GOOD, "loads"),
        (LINKED_HOME, "nobody", "openclaw", GOOD, "loads"),
        # Validators and uploads have no roots.
        ("skills/tea", "nobody", "spec", GOOD, "loads"),
        ("skills/tea", "nobody", "spec", NAMELESS, "refused"),
        ("skills/tea", "nobody", "npx-skills", GOOD, "loads"),
        # A link in a root leads to the skill.
        (LINKED, "nobody", "claude-code", GOOD, "loads"),
        (LINKED, "nobody", "codex", GOOD, NOT_FOUND),
        # A plugin contains the skill, or not.
        (ClientPlace("skills/tea", (), PLUGIN), "nobody", "claude-code", GOOD, "loads"),
        (ClientPlace("other/tea", (), OUTSIDE), "nobody", "claude-code", GOOD, NOT_FOUND),
        (ClientPlace("skills/tea", (), PLUGIN), "nobody", "cline", GOOD, NOT_FOUND),
        # Settings and options select it: what it would not load whole counts at any place.
        ("skills/tea", "settings", "codex", GOOD, NOT_FOUND),
        ("skills/tea", "settings", "cline", COLON, "dropped"),
        ("skills/tea", "settings", "claude-code", HIDDEN, "listed without description"),
        (".claude/skills/tea", "settings", "claude-code", HIDDEN, "listed without description"),
        ("skills/tea", "settings", "spec", NAMELESS, "refused"),
        (ClientPlace("other/tea", (), OUTSIDE), "settings", "claude-code", GOOD, NOT_FOUND),
        # Its place selects it.
        (".claude/skills/tea", "place", "claude-code", GOOD, "loads"),
        (".claude/skills/a/tea", "place", "claude-code", GOOD, NOT_FOUND),
        (ClientPlace("skills/tea", (), OF_CODEX), "place", "codex", GOOD, "loads"),
        (ClientPlace("other/tea", (), OUTSIDE), "place", "claude-code", GOOD, NOT_FOUND),
        # Without a place every target looks.
        (None, "nobody", "codex", GOOD, "loads"),
        (None, "nobody", "cline", COLON, "dropped"),
        (None, "settings", "cline", COLON, "dropped"),
        (None, "nobody", "kiro", GOOD, NOT_RECORDED),
    ],
)  # fmt: skip
def test_the_outcome_at_a_target(
    place: ClientPlace | str | None, by: By, target: str, text: str, outcome: str
) -> None:
    selected = () if by == "nobody" else (target,)
    found = analysis_at(place, text, by, *selected)
    answer = found.targets[target]
    assert answer.outcome == outcome
    assert answer.is_selected == (by != "nobody")
    assert outcome in (answer.installed, NOT_FOUND)
    assert answer.looks or outcome == NOT_FOUND or by != "nobody"
    # Among all targets it has the same answer.
    everyone = answer_targets(found.skill, judge_targets(found.skill))[target]
    assert everyone._replace(reasons=()) == answer._replace(
        reasons=(), installed=everyone.installed
    )
    assert found.is_unseen == (by != "nobody" and outcome == NOT_FOUND)
    assert answer.reasons == everyone.reasons[: len(answer.reasons)]


@pytest.mark.parametrize("text", [GOOD, COLON, NAMELESS, HIDDEN])
@pytest.mark.parametrize("place", ["skills/tea", ".claude/skills/tea", "~/.codex/skills/tea"])
def test_the_problems_of_selected_targets_do_not_depend_on_the_place(place: str, text: str) -> None:
    selected = ("claude-code", "cline", "spec")
    found = analysis_at(place, text, "settings", *selected)
    assert found.diagnostics == analysis_at(None, text, "settings", *selected).diagnostics
    rejecting = {id for id in selected if found.targets[id].is_rejection}
    refused = {
        id
        for id in selected
        for problem in found.diagnostics
        if problem.rule == "target-refused" and str(targets()[id]["title"]) in problem.message
    }
    # Targets that refuse the skill for an error of its own are not named by a second problem.
    is_error = any(
        problem.rule in ("description-unquoted", "key-missing") for problem in found.diagnostics
    )
    assert refused == (set() if is_error else rejecting)
    if is_error:
        assert rejecting == ({"spec"} if text == NAMELESS else {"cline", "spec"})


def test_only_selected_targets_can_leave_a_skill_unseen() -> None:
    assert analysis_at("skills/tea", GOOD, "settings", "codex", "cline").is_unseen
    assert not analysis_at("skills/tea", GOOD, "settings", "codex", "spec").is_unseen
    assert not analysis_at("skills/tea", COLON, "settings", "cline").is_unseen
    assert not analysis_at("skills/tea", GOOD).is_unseen
    assert not is_unseen([])


def test_skills_of_one_folder_are_placed_alike() -> None:
    """Places are compared without the name of the skill, unless that may be the name of a root."""
    for target in targets().values():
        for root in target["discovery"].get("roots", {"is": ()})["is"]:
            assert root.rpartition("/")[2].startswith("skill")
