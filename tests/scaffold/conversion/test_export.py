"""Copies that a target accepts: what is folded, what is written otherwise, what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from tests.scaffold.conversion.leaftest import assert_every_leaf_is_told
from tests.scaffold.conversion.made import SKILLS
from tests.scaffold.conversion.sources import CONTRACT, SOURCES

from skillstudio.files.listed import MemoryTree
from skillstudio.manifest.locate import locate
from skillstudio.manifest.targets import judge, targets
from skillstudio.scaffold.conversion.export import ExportedSkill, ExportRefused, export
from skillstudio.scaffold.conversion.source_checks import SourceUnusable

STRICT = ["spec", "skills-ref", "claude-upload", "skill-creator"]
LONG = "Finds a note and reads it out. " * 40


def exported(text: str, target: str = "claude-upload", name: str = "notes") -> ExportedSkill:
    located = locate(MemoryTree({"SKILL.md": text.encode()}, "notes"))
    made = export(located, target, name)
    after = locate(made.tree).skill
    assert judge(after)[target].is_accepted
    assert_every_leaf_is_told(made.report, located.skill, after)
    assert made.report.lost_leaves == ()
    return made


def front(made: ExportedSkill) -> Any:
    return yaml.safe_load(made.texts["SKILL.md"][1].split("---\n")[1])


def skill(*lines: str) -> str:
    return "\n".join(["---", "name: notes", *lines, "---", "# Notes", ""])


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["description: Finds.", "version: 1.10"], {"version": "1.10"}),
        (["description: Finds.", "hidden: true"], {"hidden": "true"}),
        (["description: Finds.", "since: 2025-01-02"], {"since": "2025-01-02"}),
        (["description: Finds.", "tags: [a, b]"], {"tags": "a, b"}),
        (["description: Finds.", "tags: ['a, b', c]"], {"tags": '["a, b", "c"]'}),
        (["description: Finds.", "hooks: {a: {b: 1}}"], {"hooks": '{"a": {"b": 1}}'}),
        (["description: Finds.", "none:"], {"none": ""}),
        (["description: Finds.", "metadata: {a: 1, b: [x]}"], {"a": "1", "b": "x"}),
        (["description: Finds.", "metadata: plain"], {"metadata": "plain"}),
        (["description: Finds.", "own: 1", "metadata: {own: 1}"], {"own": "1"}),
        (["description: Finds.", "own: 1", "metadata: {own: 2}"], {"own": "2", "own-2": "1"}),
    ],
)
@pytest.mark.parametrize("target", STRICT)
def test_what_no_key_holds_goes_under_metadata_as_text(
    lines: list[str], expected: dict[str, str], target: str
) -> None:
    assert front(exported(skill(*lines), target))["metadata"] == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("Read, Write", "Read Write"),
        ("[Read, 'Bash(git add:*, git rm:*)']", "Read Bash(git add:*, git rm:*)"),
        ("Read Write", "Read Write"),
    ],
)
def test_lists_of_tools_are_separated_by_spaces(given: str, expected: str) -> None:
    made = exported(skill("description: Finds.", f"allowed-tools: {given}"))
    assert front(made)["allowed-tools"] == expected


@pytest.mark.parametrize(
    ("folder", "old", "name"),
    [
        ("memos", "notes", "memos"),
        ("My Memos", "Foo Bar!", "foo-bar"),
        ("memos", "''", "memos"),
        ("memos", "5", "memos"),
    ],
)
def test_the_name_is_that_of_the_folder_where_it_may_be(folder: str, old: str, name: str) -> None:
    text = f"---\nname: {old}\ndescription: Finds.\n---\n"
    assert front(exported(text, "claude-upload", folder))["name"] == name
    assert front(exported("---\ndescription: Finds.\n---\n", "claude-upload", "a"))["name"] == "a"


def test_skill_creator_does_not_know_compatibility() -> None:
    text = skill("description: Finds.", "compatibility: git")
    assert front(exported(text, "skill-creator"))["metadata"] == {"compatibility": "git"}
    assert front(exported(text, "spec"))["compatibility"] == "git"


def test_a_target_that_ignores_unknown_keys_keeps_them() -> None:
    text = skill("description: Finds.", "model: opus", "other: 1")
    made = front(exported(text, "claude-code"))
    assert (made["model"], made["other"]) == ("opus", 1)


def test_keys_of_claude_code_are_kept_or_moved_to_metadata() -> None:
    lines = [f"{key}: opus" for key in targets()["claude-code"]["fields"]["keys"]["is"]]
    plain = ("name", "description", "metadata", "license", "compatibility", "allowed-tools")
    moved = [line for line in lines if line.split(":")[0] not in plain]
    text = skill("description: Finds.", *moved)
    assert front(exported(text, "claude-code")) == yaml.safe_load(text.split("---\n")[1])
    assert front(exported(text))["metadata"] == yaml.safe_load("\n".join(moved))


def test_a_contract_is_folded_and_can_be_read_again() -> None:
    made = exported(CONTRACT)
    metadata = front(made)["metadata"]
    assert all(isinstance(value, str) for value in metadata.values())
    assert json.loads(metadata["inputs"]) == yaml.safe_load(CONTRACT.split("---")[1])["inputs"]
    assert all(verdict.is_accepted for verdict in judge(locate(made.tree).skill).values())


def test_what_is_accepted_keeps_its_bytes() -> None:
    text = "---\n# mine\nname:   notes\ndescription: 'Finds.'\n---\r\ntext"
    assert exported(text).texts["SKILL.md"][1] == text
    odd = "---\nname: other\ndescription: Finds.\nown: {a: 1}\n---\n"
    assert exported(odd, "lenient", "memos").texts["SKILL.md"][1] == odd


@pytest.mark.parametrize("target", ["skills-ref", "spec", "claude-upload"])
@pytest.mark.parametrize(
    "text",
    [
        "\ufeff---\nname: notes\ndescription: Finds.\n---\n",
        "---\r\nname: notes\r\ndescription: Finds.\r\n---\r\nText\r\n",
        "--- \nname: notes\ndescription: Finds.\n---\n",
        "---\n{name: notes, description: Finds.}\n---\n",
        "---\nname: &a notes\ndescription: Finds.\nmetadata: {x: *a}\n---\n",
        "---\nname: notes\ndescription: yes\n---\n",
        "---\nname: notes\ndescription: [TODO, later]\n---\n",
        "---\nname: notes\ndescription: Finds\n...\ntext\n",
    ],
)
def test_ways_of_writing_that_some_do_not_read_are_written_otherwise(
    text: str, target: str
) -> None:
    made = exported(text, target)
    assert judge(locate(made.tree).skill)["skills-ref"].is_accepted


def test_a_value_that_lacks_its_quotes_gets_them() -> None:
    text = "---\nname: notes\ndescription: Use it: find notes\n---\n"
    located = locate(MemoryTree({"SKILL.md": text.encode()}, "notes"))
    made = export(located, "claude-upload", "notes")
    assert front(made)["description"] == "Use it: find notes"
    assert_every_leaf_is_told(made.report, located.skill, locate(made.tree).skill)


def test_quotes_swallow_no_other_fault() -> None:
    text = "---\nname: notes\ndescription: Use it: find notes\n\tlicense: MIT\n---\n"
    with pytest.raises(SourceUnusable) as refused:
        exported(text)
    assert [each.split(" ")[0] for each in refused.value.faults] == [
        "SKILL.md:3:20:",
        "SKILL.md:4:1:",
    ]


def test_a_long_description_is_cut_after_a_sentence_and_kept_whole() -> None:
    made = exported(skill(f"description: {LONG}"))
    value = front(made)
    assert value["description"] == LONG[:1022].strip()
    assert value["description"].endswith("out.")
    assert value["metadata"]["description"] == LONG.strip()
    assert made.notes
    how = {each.pointer: each.how for each in made.report.changed_leaves}["/description"]
    assert how.startswith("cut to 1022 of 1239 characters")
    for text in ("x" * 2000, "word " * 400, "a. " + "b" * 2000):
        assert len(front(exported(skill(f"description: {text}")))["description"]) <= 1024


def test_blocks_are_called_as_the_copy_is() -> None:
    text = SOURCES["skill-manifest-2.0"]["SKILL.md"].decode()
    made = exported(text, "claude-upload", "memos")
    assert '"id": "memos"' in made.texts["SKILL.md"][1]
    assert front(made)["name"] == "memos"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("---\nname: notes\n---\n", "the skill has no description; add one"),
        ("---\nname: notes\ndescription: ''\n---\n", "the skill has no description"),
        (
            "---\nname: notes\ndesription: Finds.\n---\n",
            "did you mean `description` instead of `desription`",
        ),
        ("---\nname: notes\ndescription: Finds <x>.\n---\n", "the description contains <"),
        (f"---\nname: notes\ndescription: a\ncompatibility: {'x' * 600}\n---\n", "longer than 500"),
    ],
)
def test_what_only_the_author_can_mend_is_the_reason(text: str, why: str) -> None:
    with pytest.raises(ExportRefused) as refused:
        export(locate(MemoryTree({"SKILL.md": text.encode()}, "notes")), "claude-upload", "notes")
    assert why in str(refused.value)


def test_line_ends_comments_and_the_text_stay() -> None:
    text = CONTRACT.replace("\n", "\r\n")
    new = exported(text).texts["SKILL.md"][1]
    assert new.startswith("---\r\n# what it is called\r\nname: notes\r\n")
    assert "\n" not in new.replace("\r\n", "")
    assert new.endswith("\r\n---\r\n\r\n# Notes\r\n")


def test_a_credential_is_carried_and_not_shown() -> None:
    key = "ghp_" + "a1B2" * 9
    made = exported(skill(f"description: Finds {key}", f"own: {key}"))
    assert front(made)["metadata"] == {"own": key}
    assert key not in json.dumps(made.report.as_json())


def test_the_facts_of_another_manifest_go_under_metadata() -> None:
    files = {**SOURCES["caro-1.0"], "SKILL.md": skill("description: Finds notes").encode()}
    located = locate(MemoryTree(files, "notes"))
    made = export(located, "claude-upload", "notes")
    assert front(made)["metadata"] == {"name": "Notes"}
    assert made.tree.read("skill.toml") == files["skill.toml"]
    assert_every_leaf_is_told(made.report, located.skill, locate(made.tree).skill)


def test_without_a_skill_md_there_is_nothing_to_export() -> None:
    with pytest.raises(ExportRefused, match=r"no SKILL\.md to export; add one with a name"):
        export(locate(MemoryTree(SOURCES["caro-1.0"])), "spec", "notes")
    with pytest.raises(ExportRefused, match="unknown target x; choose one of skill-creator"):
        export(locate(MemoryTree(SOURCES["agent-skills"])), "x", "notes")


def test_broken_yaml_is_refused_with_its_place() -> None:
    text = b"---\nname: notes\n\tx: 1\ndescription: a\n---\n"
    with pytest.raises(SourceUnusable) as refused:
        export(locate(MemoryTree({"SKILL.md": text}, "notes")), "spec", "notes")
    assert "SKILL.md:3:1" in refused.value.faults[0]


@pytest.mark.parametrize("system", ["agent-skills", "frontmatter-1.0", "both"])
@pytest.mark.parametrize("target", [*STRICT, "lenient"])
def test_copies_of_skills_made_at_random(system: str, target: str) -> None:
    reached = []

    @settings(
        max_examples=10, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(SKILLS[system])
    def told(files: dict[str, bytes]) -> None:
        if b"\ndescription:" not in files["SKILL.md"]:
            head = b"---\ndescription: Finds.\n"
            files = {"SKILL.md": files["SKILL.md"].replace(b"---\n", head, 1)}
        located = locate(MemoryTree(files, "notes"))
        try:
            made = export(located, target, "notes")
        except (ExportRefused, SourceUnusable):
            return
        after = locate(made.tree).skill
        assert judge(after)[target].is_accepted
        assert_every_leaf_is_told(made.report, located.skill, after)
        assert made.report.lost_leaves == ()
        reached.append(made)

    told()
    assert len(reached) >= 2
    assert set(targets()) >= {target}


@pytest.mark.parametrize("target", ["codex", "claude-upload"])
def test_pointers_of_git_lfs_are_named(target: str) -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"
    files = {"SKILL.md": b"---\nname: notes\ndescription: Finds.\n---\n", "a/b.bin": pointer}
    located = locate(MemoryTree(files, "notes"))
    message = "a/b.bin is a Git LFS pointer, not the file; run git lfs pull"
    if target == "claude-upload":
        with pytest.raises(ExportRefused, match=message):
            export(located, target, "notes")
    else:
        assert message in export(located, target, "notes").notes
