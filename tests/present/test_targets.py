"""The outcomes of a skill at targets, as lines."""

from __future__ import annotations

import pytest

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.targets import Reason
from skillstudio.present.targets import (
    answer_groups,
    answer_rows,
    at_targets,
    evidence_lines,
    refusals_at,
    target_chips,
    target_lines,
    unseen_line,
)
from skillstudio.settings.settings import NO_SETTINGS, ClientPlace, SkillSettings
from skillstudio.skill.analysis import analyse
from skillstudio.skill.outcomes import TargetAnswer
from skillstudio.skill.visibility import Visibility
from skillstudio.text.diagnostic import Diagnostic


@pytest.mark.parametrize(
    ("outcomes", "lines"),
    [
        ({"a": "loads"}, ["accepted by ✓ a"]),
        ({"a": "loads", "b": "loads"}, ["accepted by ✓ all 2 targets"]),
        (
            {"a": "loads", "b": "loads without", "c": "listed without description"},
            ["accepted by ✓ a", "accepted in part by ! b ! c"],
        ),
        (
            {"a": "refused", "b": "dropped", "c": "loads"},
            ["accepted by ✓ c", "rejected by ✗ a ✗ b"],
        ),
        (
            {**dict.fromkeys("abcdef", "loads"), "g": "refused"},
            ["accepted by ✓ 6 of 7 targets", "rejected by ✗ g"],
        ),
        # Those that look elsewhere accept nothing, so that not all accept it.
        ({"a": "not found"}, ["○ a looks elsewhere"]),
        ({"a": "loads", "b": "not found"}, ["accepted by ✓ a", "○ b looks elsewhere"]),
        ({"a": "not found", "b": "not found"}, ["○ a and b look elsewhere"]),
        (
            {**dict.fromkeys("abcdef", "loads"), **dict.fromkeys("ghi", "not found")},
            ["accepted by ✓ 6 of 9 targets", "○ 3 look elsewhere"],
        ),
        ({"a": "loads", "b": "loads", "c": "not recorded"}, ["accepted by ✓ all 2 targets"]),
        ({"claude-upload": "refused"}, ["rejected by ✗ claude.ai"]),
    ],
)
def test_the_lines_of_targets(outcomes: dict[str, str], lines: list[str]) -> None:
    assert [f"{each.lead} {each.text}".lstrip() for each in target_lines(outcomes)] == lines


@pytest.mark.parametrize(
    ("outcomes", "texts"),
    [
        ({}, ["", "", ""]),
        (dict.fromkeys("abcdef", "loads"), ["✓ all 6 targets", "✓ all 6 targets", "✓ 6"]),
        ({"codex": "not found"}, ["○ codex looks elsewhere", "○ codex elsewhere", "○ 1"]),
        (
            {
                **dict.fromkeys("abcdefghijk", "loads"),
                **dict.fromkeys("lmno", "not found"),
                "claude-code": "loads without",
                "claude-upload": "refused",
            },
            [
                "✗ claude.ai  ! claude-code  ✓ 11 more  ○ 4 look elsewhere",
                "✗ claude.ai  ! claude-code  ✓ 11 more  ○ 4 elsewhere",
                "✗ 1  ! 1  ✓ 11  ○ 4",
            ],
        ),
    ],
)
def test_chips_come_worst_first_in_three_lengths(
    outcomes: dict[str, str], texts: list[str]
) -> None:
    chips = target_chips(outcomes)
    assert ["  ".join(chip.texts[length] for chip in chips) for length in range(3)] == texts


def answer(target: str, outcome: str, is_selected: bool = False) -> TargetAnswer:
    reasons = (Reason(outcome, "reason"),) if outcome == "not found" else ()
    return TargetAnswer(target, target, outcome, reasons, "loads", is_selected)


@pytest.mark.parametrize(
    ("answers", "groups"),
    [
        (
            [answer("a", "loads"), answer("b", "refused"), answer("c", "not found")],
            ["Look here: b a", "Look elsewhere: c, folded"],
        ),
        (
            [
                answer("a", "loads", True),
                answer("b", "refused", True),
                answer("c", "not found", True),
                answer("claude-upload", "loads without"),
                answer("e", "dropped"),
                answer("f", "not recorded"),
                answer("g", "not found"),
            ],
            [
                "Yours: b a c",
                "Would load it: claude.ai, folded",
                "Would reject it: e, folded",
                "Not recorded: f, folded",
                "Look elsewhere: g, folded",
            ],
        ),
        ([answer("a", "loads", True)], ["Yours: a"]),
    ],
)
def test_the_groups_of_targets(answers: list[TargetAnswer], groups: list[str]) -> None:
    assert [
        f"{group.title}: {' '.join(group.names)}{', folded' * group.is_folded}"
        for group in answer_groups(NO_SETTINGS, answers)
    ] == groups


def test_reasons_that_several_targets_have_are_listed_once() -> None:
    colon, key = Reason("refused", "no YAML"), Reason("refused", "unknown key")
    refusing = [("a", (colon,)), ("b", (colon,)), ("c", (colon, key)), ("d", (colon, key))]
    answers = [TargetAnswer(name, name, "refused", reasons) for name, reasons in refusing]
    skill = analyse(MemoryTree({"SKILL.md": COLON}, name="a")).skill
    rows = answer_rows(skill, answers, Visibility("", answers, {}))
    assert [row.line.text for row in rows if row.line.indent] == [
        *("no YAML", "the same as a"),
        *("no YAML", "unknown key", "the same as c"),
    ]


def test_skills_that_no_target_sees_are_named_in_one_line() -> None:
    text = "○ no selected target looks at a, b; skillstudio why PATH prints where they look"
    assert unseen_line(["a", "b"]).text == text
    assert "looks at 0, 1, 2, 3, 4 and 2 more;" in unseen_line([*"0123456"]).text


def test_a_target_that_looks_elsewhere_makes_nothing_of_a_problem() -> None:
    settings = SkillSettings(
        targets=("copilot", "gemini-cli"), client_place=ClientPlace(".github/skills/a")
    )
    tree = MemoryTree({"SKILL.md": COLON}, name="a")
    found = analyse(tree, settings)
    (colon,) = [each for each in found.diagnostics if each.rule == "description-unquoted"]
    assert at_targets(colon, found.targets) == (
        "GitHub Copilot in VS Code lists it without its description"
    )


COLON = b"---\nname: a\ndescription: Says: things.\n---\n# A\n\nSay.\n"


@pytest.mark.parametrize(
    ("selected", "line"),
    [
        (("codex",), ""),
        (("cline",), "Cline ignores the skill"),
        (("cline", "codex"), "Cline ignores the skill · 1 other loads it"),
        (
            ("spec", "copilot", "codex", "claude-code"),
            "Agent Skills specification refuses the skill · GitHub Copilot in VS Code lists it "
            "without its description · 2 others load it",
        ),
        (("cline", "goose", "codex"), "Cline and goose ignore the skill · 1 other loads it"),
        (("cline", "goose", "roo", "codex"), "3 targets ignore the skill · 1 other loads it"),
    ],
)
def test_what_targets_make_of_a_problem(selected: tuple[str, ...], line: str) -> None:
    found = analyse(MemoryTree({"SKILL.md": COLON}, name="a"), targets=selected)
    (colon,) = [each for each in found.diagnostics if each.rule == "description-unquoted"]
    assert at_targets(colon, found.targets) == line
    assert at_targets(Diagnostic("x", ""), found.targets) == ""


KEYS = b"---\nname: a\ndescription: Says.\nmodel: opus\neffort: high\n---\n# A\n\nSay.\n"


@pytest.mark.parametrize(
    ("key", "refusing"),
    [("model", ["claude-upload", "skill-creator"]), ("effort", ["claude-upload", "skill-creator"])],
)
def test_the_targets_that_refuse_a_key_and_where_that_is_stated(
    key: str, refusing: list[str]
) -> None:
    selected = ("claude-upload", "skill-creator", "codex")
    found = analyse(MemoryTree({"SKILL.md": KEYS}, name="a"), targets=selected)
    (refusal,) = [one for one in found.diagnostics if f"key {key};" in one.message]
    at = refusals_at(refusal, found.targets)
    assert sorted(answer.target for answer, _ in at) == refusing
    assert {reason.text for _, reason in at} == {f"it does not allow the key {key}"}
    first, *_ = evidence_lines(refusal, found.targets)
    assert first.startswith("claude.ai: https://code.claude.com/docs/en/skills (documented ")
    assert "scripts/quick_validate.py (read, run) 45-50; blader/humanizer#8: " in first
    assert refusals_at(refusal._replace(rule="other"), found.targets) == []
