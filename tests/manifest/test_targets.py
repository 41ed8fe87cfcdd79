"""Which validators, and lenient clients, accept a skill; the other clients are in `targets/`."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from skillstudio.files.disk import DiskTree
from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.locate import locate
from skillstudio.manifest.targets import (
    TargetOutcome,
    judge,
    recorded_targets,
    refusals,
    without_repeats,
)
from skillstudio.settings.settings import SkillSettings
from skillstudio.skill.analysis import analyse
from skillstudio.text.diagnostic import Diagnostic, Fix, Severity, Splice
from skillstudio.text.source import Span

DATA = Path(os.environ.get("SKILLSTUDIO_DATA") or Path(__file__).parents[3] / "shared")
LETTERS = {
    "s": "spec",
    "r": "skills-ref",
    "u": "claude-upload",
    "x": "skill-creator",
    "l": "lenient",
}
ALL = "sruxl"


def skill(data: str | bytes, name: str = "worklog", file: str = "SKILL.md") -> Skill:
    raw = data.encode() if isinstance(data, str) else data
    return locate(MemoryTree({file: raw}, name)).skill


def verdicts(data: str | bytes, name: str = "worklog") -> dict[str, TargetOutcome]:
    return judge(skill(data, name))


def accepting(data: str | bytes, name: str = "worklog", file: str = "SKILL.md") -> str:
    found = judge(skill(data, name, file))
    return "".join(letter for letter, id in LETTERS.items() if found[id].is_accepted)


def of(*lines: str) -> str:
    return "---\n" + "".join(f"{line}\n" for line in lines) + "---\n# Body\n"


NAME, TEXT = "name: worklog", "description: d"

# The letters of those who accept: s spec, r skills-ref, u claude-upload, x skill-creator,
# l lenient.
CASES = [
    (of(NAME, TEXT), ALL),
    (of(NAME, TEXT, "license: MIT", "allowed-tools: Read"), ALL),
    (of(NAME, TEXT, "metadata:", "  version: 1.0"), ALL),
    (of(NAME, TEXT, "compatibility: git"), "srul"),
    (of(NAME, TEXT, 'compatibility: ""'), "rul"),
    (of(NAME, TEXT, "compatibility:"), "rul"),
    (of(NAME, TEXT, "compatibility: 0"), "rul"),
    (of(NAME, TEXT, f"compatibility: {'c' * 501}"), "l"),
    (of(NAME, TEXT, "compatibility: 5"), "rl"),
    (of(NAME, TEXT, "version: 1.0.0"), "l"),
    (of(NAME, TEXT, "model: opus"), "l"),
    (of(NAME, TEXT, "disable-model-invocation: true"), "l"),
    (of(NAME, TEXT, "metadata: {a: b}"), "suxl"),
    (of(NAME, TEXT, "allowed-tools: [Read]"), "suxl"),
    (of(NAME, TEXT, "metadata:", "  a: &x b", "  c: *x"), "suxl"),
    (of(NAME, TEXT, "metadata:", "  a: &x b"), "suxl"),
    (of(NAME, TEXT, "metadata:", "  a: !!str b"), "suxl"),
    (of(NAME, TEXT, "license: a &b !c"), ALL),
    (of(NAME, TEXT, "metadata:", "  a: b", "license: x"), ALL),
    (of(NAME, NAME, TEXT), "uxl"),
    (of(NAME), ""),
    (of(TEXT), "l"),
    (of("name: work-log", TEXT), "uxl"),
    (of("name: Worklog", TEXT), "l"),
    (of("name: work--log", TEXT), "l"),
    (of("name: wörklog", TEXT), "l"),
    (of(f"name: {'a' * 65}", TEXT), "l"),
    (of('name: ""', TEXT), "uxl"),
    (of("name: 2025", TEXT), "l"),
    (of("name: yes", TEXT), "l"),
    (of("name:", TEXT), "l"),
    (of("name: [worklog]", TEXT), "l"),
    (of(NAME, 'description: ""'), "ux"),
    (of(NAME, "description:"), ""),
    (of(NAME, "description: 5"), "r"),
    (of(NAME, "description: 2025-01-01"), "srl"),
    (of(NAME, "description: a <b> c"), "srl"),
    (of(NAME, f"description: {'d' * 1024}"), ALL),
    (of(NAME, f"description: {'d' * 1025}"), "l"),
    (of(NAME, f"description: >\n  {'d' * 1024}"), "uxl"),
    (of(NAME, "description: Use when: files arrive"), "l"),
    (of(NAME, "description: a # b"), ALL),
    (of(NAME, "description: [a"), "l"),
    (of(NAME, "description: a --- b"), ALL),
    (of(NAME, "description: |", "  a", "", "  b"), ALL),
    (of("- name"), ""),
    ("# no frontmatter\n", ""),
    ("---\nname: worklog\ndescription: d\n", ""),
    ("--- \nname: worklog\ndescription: d\n---\n", "srl"),
    ("---\nname: worklog\ndescription: d\n--- \n", ALL),
    ("\n---\nname: worklog\ndescription: d\n---\n", ""),
    ("---\r\nname: worklog\r\ndescription: d\r\n---\r\n", ALL),
    ("\ufeff---\nname: worklog\ndescription: d\n---\n", "sl"),
    ("", ""),
]


@pytest.mark.parametrize(("data", "letters"), CASES)
def test_who_accepts(data: str, letters: str) -> None:
    assert accepting(data) == letters


def test_a_file_that_is_not_utf_8_is_refused_by_all() -> None:
    assert accepting(of(NAME, "description: wörk").encode("latin-1")) == ""


def test_a_replacement_character_that_was_typed_is_a_character() -> None:
    assert accepting(of(NAME, "description: a \ufffd b")) == ALL


def test_the_name_of_the_file() -> None:
    assert accepting(of(NAME, TEXT), file="skill.md") == "r"


def test_unicode_names_are_compared_in_one_normal_form() -> None:
    data = of("name: wo\u0308rk", TEXT)
    assert accepting(data, "w\u00f6rk") == "rl"


@pytest.mark.parametrize(
    ("name", "letters"),
    [
        ("my-claude-tool", "srxl"),
        ("anthropic", "srxl"),
        ("claudette", ALL),
        ("クロード-claude", "rl"),
    ],
)
def test_reserved_words_in_names(name: str, letters: str) -> None:
    assert accepting(of(f"name: {name}", TEXT), name) == letters


def test_the_size_of_an_upload() -> None:
    most = 30 << 20
    text = of(NAME, TEXT)
    rest = most - len(text)

    def accepted(**files: bytes) -> str:
        tree = MemoryTree({"SKILL.md": text.encode(), **files}, "worklog")
        found = judge(locate(tree).skill)
        return "".join(letter for letter, id in LETTERS.items() if found[id].is_accepted)

    assert accepted(a=bytes(rest)) == ALL
    assert accepted(a=bytes(rest), b=b"x") == "srxl"
    assert accepted(**{"a": bytes(rest), ".git/x": b"x", "b/node_modules/x": b"x"}) == ALL


def test_every_refusal_has_a_reason() -> None:
    for data, _ in CASES:
        assert all(each.is_accepted != bool(each.refusals) for each in verdicts(data).values())


@pytest.mark.parametrize(
    ("data", "target", "place"),
    [
        (of(NAME, TEXT, "version: 1.0.0"), "spec", "version"),
        (of("name: Worklog", TEXT), "spec", "Worklog"),
        (of(NAME, "description: a <b> c"), "skill-creator", "a <b> c"),
        (of(NAME, TEXT, "compatibility: git"), "skill-creator", "compatibility"),
        (of(NAME), "lenient", "---"),
        (of(NAME, TEXT, "metadata: {a: b}"), "skills-ref", "{"),
    ],
)
def test_a_refusal_shows_its_place(data: str, target: str, place: str) -> None:
    span = verdicts(data)[target].reasons[0].span
    assert span is not None
    assert data[span.start : span.end] == place


def test_a_skill_of_another_system_has_no_skill_md() -> None:
    toml = b'[skill]\nid = "tool.x"\nname = "x"\nversion = "1.0.0"\n'
    found = judge(skill(toml, file="skill.toml"))
    assert {each.reasons[0].text for each in found.values()} == {"has no SKILL.md"}
    assert not any(each.is_accepted for each in found.values())


def test_only_targets_asked_for_become_diagnostics() -> None:
    made = skill(of(NAME, TEXT, "compatibility: git"))
    told = refusals(judge(made), ("skill-creator", "spec", "skill-creator", "nobody"), made)
    assert [(each.rule, each.path) for each in told] == [("target-refused", "SKILL.md")]
    assert told[0].message.startswith("OpenAI skill-creator does not allow the key compatib")


@pytest.mark.parametrize("size", [1, 20_000])
def test_a_reused_anchor_breaks_no_reading(size: int) -> None:
    text = of("name: &a worklog", "description: &a d", "when_to_use: *a", f"note: {'n ' * size}")
    outcomes = verdicts(text)
    reason = outcomes["skill-creator"].reasons[0].text  # It reads with PyYAML.
    assert reason.startswith("the frontmatter is not valid YAML")
    if size == 1:
        # The packages yaml and serde_yaml allow it, as YAML 1.2 does.
        assert {outcomes[id].outcome for id in ("openclaw", "codex")} == {"loads"}


ASKED = ("skill-creator", "codex", "claude-upload", "cline")


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (of(NAME, TEXT), []),
        (
            of(NAME, TEXT, "model: opus", "effort: high"),
            [
                f"OpenAI skill-creator and claude.ai do not allow the key {key}; export a copy"
                for key in ("model", "effort")
            ],
        ),
        (
            of(NAME, "description: Use when: asked"),
            [
                "OpenAI skill-creator and claude.ai refuse this skill, Cline ignores it: the "
                "frontmatter is not valid YAML: unquoted `: ` starts a nested value in YAML; quote "
                "this text",
            ],
        ),
        (
            "Boil water.\n",
            [
                "OpenAI skill-creator and claude.ai refuse this skill: the file does not start "
                "with a --- line; Codex ignores it: no frontmatter between two --- lines; start "
                "the file with keys between two --- lines",
            ],
        ),
    ],
)
def test_targets_that_refuse_the_same_are_one_problem(text: str, messages: list[str]) -> None:
    made = skill(text)
    assert [one.message for one in refusals(judge(made), ASKED, made)] == messages


HERE, THERE = Span(4, 8), Span(4, 9)
FIX = Fix("Move it", (Splice(4, 8, ""),))


@pytest.mark.parametrize(
    ("problems", "left"),
    [
        # A refusal for an error of its own, which the error says.
        ([("colon", "error", HERE), ("refused: colon", "error", HERE)], "a"),
        ([("refused: colon", "error", HERE), ("colon", "error", HERE)], "b"),
        # What does not end with the error is said.
        ([("colon", "warning", HERE), ("refused: colon", "error", HERE)], "ab"),
        ([("colon", "error", THERE), ("refused: colon", "error", HERE)], "ab"),
        ([("colon", "error", HERE), ("refused: other", "error", HERE)], "ab"),
        ([("colon", "error", None), ("refused: colon", "error", None)], "ab"),
        # A note about the key that is refused.
        ([("note", "info", HERE), ("refused: key", "error", HERE)], "b"),
        ([("note", "info", THERE), ("refused: key", "error", HERE)], "ab"),
        ([("fixed note", "info", HERE), ("refused: key", "error", HERE)], "ab"),
        ([("fixed note", "info", HERE), ("refused: fixed", "error", HERE)], "b"),
        ([("note", "info", HERE), ("key", "error", HERE)], "ab"),
        ([("refused: one", "error", HERE), ("refused: one", "error", HERE)], "ab"),
    ],
)
def test_what_another_problem_says_is_left_out(
    problems: list[tuple[str, Severity, Span | None]], left: str
) -> None:
    found = [
        Diagnostic(
            "target-refused" if text.startswith("refused") else "own",
            text,
            span,
            fixes=(FIX,) if "fixed" in text else (),
            severity=severity,
        )
        for text, severity, span in problems
    ]
    rest = list(without_repeats(found))
    assert "".join("ab"[n] for n, one in enumerate(found) if any(one is it for it in rest)) == left
    elsewhere = found[0]._replace(path="other.md")
    assert list(without_repeats([elsewhere, found[1]])) == [elsewhere, found[1]]


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("Boil water.\n", ["frontmatter-missing"]),
        (of("name: Work Log", TEXT), ["name-format"]),
        (of("name: a--b", TEXT), ["name-format"]),
        (of(f"name: {'n' * 65}", TEXT), ["name-length"]),
        (of("name: my-claude-tool", TEXT), ["target-refused"]),
        (of(NAME, f"description: {'d' * 1025}"), ["description-length"]),
        (of(NAME, NAME, TEXT), ["key-duplicate"]),
        (of(NAME, TEXT, "x: 1"), ["target-refused"]),
    ],
)
def test_an_upload_has_one_error_for_one_fault(text: str, rules: list[str]) -> None:
    folder = "my-claude-tool" if "my-claude-tool" in text else "worklog"
    found = analyse(skill(text, folder).tree, targets=("claude-upload",)).diagnostics
    assert [each.rule for each in found if each.severity == "error"] == rules


DISPUTED = "; disputed: accepted by skills-ref 0.1, refused by "


@pytest.mark.parametrize(
    ("name", "severity", "is_disputed"),
    [
        ("café", "warning", True),
        ("überprüfung", "warning", True),
        ("技能-审查", "warning", True),
        ("мой-навык", "warning", True),
        ("Überprüfung", "error", False),
        ("über--prüfung", "error", False),
        ("über_prüfung", "error", False),
        ("Work_Log", "error", False),
    ],
)
def test_a_name_in_another_script_is_disputed(
    name: str, severity: Severity, is_disputed: bool
) -> None:
    made = skill(of(f"name: {name}", TEXT), name)
    [found] = [each for each in analyse(made.tree).diagnostics if each.rule == "name-format"]
    assert (found.severity, DISPUTED in found.message) == (severity, is_disputed)
    assert not (found.fixes and not name.isascii())
    [asked] = [
        each
        for each in analyse(made.tree, targets=("spec",)).diagnostics
        if each.rule == "name-format"
    ]
    assert (asked.severity, DISPUTED in asked.message) == ("error", False)
    settings = SkillSettings(severities={"name-format": "error"})
    [own] = [e for e in analyse(made.tree, settings).diagnostics if e.rule == "name-format"]
    assert (own.severity, DISPUTED in own.message) == ("error", False)


KEYS = {"name", "description", "license", "allowed-tools", "metadata", "compatibility"}


def upload_accepts(folder: Path) -> bool:
    """What is known of the check before an upload, stated anew: the oracle of the next test."""
    try:
        text = (folder / "SKILL.md").read_text(encoding="utf-8")
        block = re.match(r"---\n(.*?)\n---", text, re.DOTALL)
        fields: Any = yaml.safe_load(block.group(1)) if block else None
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValueError):
        return False
    if not isinstance(fields, dict) or not {"name", "description"} <= set(fields) <= KEYS:
        return False
    name, about = fields["name"], fields["description"]
    note = fields.get("compatibility") or ""
    if not all(isinstance(each, str) for each in (name, about, note)):
        return False
    name, about = name.strip(), about.strip()
    named = not name or (bool(re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", name)) and len(name) <= 64)
    named = named and not {"anthropic", "claude"} & set(name.split("-"))
    return named and len(about) <= 1024 and not set("<>") & set(about) and len(note) <= 500


def corpus() -> list[Path]:
    return sorted(path.parent for path in (DATA / "corpus").rglob("SKILL.md"))


@pytest.mark.slow
@pytest.mark.skipif(not (DATA / "corpus").is_dir(), reason="the corpus is not there")
def test_the_upload_target_agrees_with_its_oracle_on_real_skills() -> None:
    disagreed = [
        folder
        for folder in corpus()
        if judge(locate(DiskTree(folder)).skill)["claude-upload"].is_accepted
        != upload_accepts(folder)
    ]
    assert len(corpus()) > 300
    assert disagreed == []


@pytest.mark.parametrize("data", [data for data, _ in CASES])
def test_the_upload_target_agrees_with_its_oracle(data: str, tmp_path: Path) -> None:
    folder = tmp_path / "worklog"
    folder.mkdir()
    (folder / "SKILL.md").write_bytes(data.encode())
    accepted = judge(locate(DiskTree(folder)).skill)["claude-upload"].is_accepted
    assert accepted == upload_accepts(folder)


@pytest.mark.parametrize(
    ("key", "selected", "is_known"),
    [
        ("argument-hint", (), True),
        ("argument-hint", ("claude-code",), True),
        ("argument-hint", ("codex", "claude-code"), True),
        ("argument-hint", ("codex",), False),
        ("modeSlugs", (), True),
        ("modeSlugs", ("claude-code",), False),
        ("alowed-tools", (), False),
        ("license", ("codex",), True),
    ],
)
def test_a_key_is_unknown_if_no_selected_target_documents_it(
    key: str, selected: tuple[str, ...], is_known: bool
) -> None:
    tree = MemoryTree({"SKILL.md": of(NAME, TEXT, f"{key}: a").encode()}, "worklog")
    analysis = analyse(tree, SkillSettings(targets=selected))
    assert ("key-unknown" not in {each.rule for each in analysis.diagnostics}) is is_known


def test_many_unknown_keys_are_listed_up_to_a_maximum() -> None:
    keys = [f"key-{number}: a" for number in range(250)]
    found = verdicts(of(NAME, TEXT, *keys))["skill-creator"].reasons
    assert len(found) == 101
    assert found[0].text == "it does not allow the key key-0"
    assert found[-1].text == "the same is true of 150 more keys"
    assert {each.outcome for each in found} == {"refused"}


@pytest.mark.parametrize(
    ("selected", "judged"),
    [
        ((), set(recorded_targets())),
        (("codex", "spec"), {"codex", "spec"}),
        (("codex", "codeks"), {"codex"}),
        (("codeks",), set(recorded_targets())),
    ],
)
def test_only_selected_targets_are_judged(selected: tuple[str, ...], judged: set[str]) -> None:
    assert set(judge(skill(of(NAME, TEXT)), selected_ids=selected)) == judged


@pytest.mark.parametrize(
    ("key", "fix"),
    [
        ("effort: high", "export a copy"),
        ("colour: red", "move the key under metadata"),
    ],
)
def test_a_key_that_another_target_reads_stays_for_it(key: str, fix: str) -> None:
    """Below `metadata`, the other target would not read it any more."""
    (reason,) = verdicts(of(NAME, TEXT, key))["spec"].reasons
    assert reason.fix == fix
