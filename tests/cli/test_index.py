"""`index`: written, left as it is, held against the skills."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import CLEAN, Run

Skill = Callable[..., Path]
BLOCK = (
    '```skill-manifest\n{"schema_version": "2.0", "id": "plain", "version": "1.0.0",'
    '"capabilities": ["text-say"], "effects": ["proc.exec"], "operations": {"say": {'
    '"description": "Say it.", "input": {"word": {"type": "string", "required": true,'
    '"description": "It."}}, "output": {"description": "It."},'
    '"entrypoints": {"unix": ["true", "{word}"], "windows": ["cmd.exe", "{word}"]}}},'
    '"stdout_contract": {"last_line_json": true}}\n```\n'
)


@pytest.fixture
def skills(skill: Skill) -> Path:
    """A folder with two skills."""
    skill("plain", CLEAN.format(name="plain") + BLOCK)
    return skill("other").parent


def test_an_index_is_written_and_left(run: Run, skills: Path) -> None:
    ran = run("index", skills)
    target = skills / "skills-index.json"
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == f"{target}: written, 2 skills, 1 capability\n"
    index = json.loads(target.read_bytes())
    assert list(index["skills"]) == ["other", "plain"]
    assert index["capability_index"] == {"text-say": ["plain"]}
    plain = index["skills"]["plain"]
    assert plain["operations"] == {"say": {"description": "Say it.", "input_params": ["word"]}}
    assert plain["dialects"] == ["agent-skills", "skill-manifest-2.0"]
    hashed = run("identity", skills / "plain", "--digests", "--format", "json").json
    assert plain["content_hash"] == hashed["content_hash"]
    before = target.stat()
    assert run("index", skills).out == f"{target}: unchanged, 2 skills, 1 capability\n"
    assert target.stat() == before


def test_the_bytes_do_not_depend_on_where_the_skills_lie(
    run: Run, skills: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = run("index", skills, "-o", "-").out
    monkeypatch.chdir(skills / "other")
    assert run("index", "..", "-o", "-").out == out
    assert run("index", "../", "-o", "new/er.json").status == 2  # within a skill
    monkeypatch.chdir(skills)
    assert run("index", ".", "-o", "out/er.json").status == 0
    assert (skills / "out" / "er.json").read_text() == out


def test_what_changed_is_named(run: Run, skills: Path, skill: Skill) -> None:
    target = skills / "skills-index.json"
    run("index", skills)
    assert run("index", skills, "--check").out == f"{target}: ok, 2 skills, 1 capability\n"
    (skills / "other" / "a.md").write_text("x")
    skill("third")
    (skills / "plain" / "SKILL.md").rename(skills / "plain" / "README.md")
    before = target.read_bytes()
    ran = run("index", skills, "--check")
    assert ran.status == 1
    assert ran.out.splitlines() == [
        f"{target}: other was changed: content_hash",
        f"{target}: plain was removed",
        f"{target}: third was added",
    ]
    assert f"run skillstudio index {skills} to update it" in ran.err
    assert target.read_bytes() == before
    told = run("index", skills, "--check", "--format", "json")
    assert (told.status, told.json["state"]) == (1, "differs")
    assert told.json["differences"][0] == {
        "skill": "other",
        "path": "other",
        "how": "changed",
        "fields": ["content_hash"],
    }
    assert run("index", skills).status == 0
    assert run("index", skills, "--check").status == 0


def test_two_skills_of_one_name_go_by_their_paths(run: Run, skills: Path) -> None:
    (skills / "old" / "plain").mkdir(parents=True)
    (skills / "old" / "plain" / "SKILL.md").write_text(CLEAN.format(name="plain"))
    ran = run("index", skills, "-o", "-")
    assert list(json.loads(ran.out)["skills"]) == ["old/plain", "other", "plain"]
    assert "old/plain: another skill has the name plain; the index uses its path" in ran.err


def test_a_skill_that_cannot_be_read_is_named_with_its_place(run: Run, skills: Path) -> None:
    (skills / "other" / "SKILL.md").write_text('---\nname: "x\n---\n')
    (skills / "plain" / "SKILL.md").write_text("---\nname: x\na: [\n---\n")
    ran = run("index", skills)
    assert (ran.status, ran.out) == (2, "")
    assert f"{skills}/other/SKILL.md:2:7: " in ran.err
    assert f"{skills}/plain/SKILL.md:3:4: " in ran.err
    (skills / "plain" / "SKILL.md").write_text("{")
    assert f"{skills}/plain/SKILL.md:1:1: it contains no manifest" in run("index", skills).err
    assert not (skills / "skills-index.json").exists()
    assert run("index", skills, "--check").status == 2


def test_a_skill_without_a_digest_is_named(run: Run, skills: Path) -> None:
    (skills / "other" / ".skillignore").write_text("SKILL.md\n")
    ran = run("index", skills)
    assert (ran.status, ran.out) == (2, "")
    assert "has no content hash: .skillignore excludes SKILL.md" in ran.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"name": "mine"}', "exists and is not an index of skills"),
        ("", "skills-index.json:1:1: "),
        ('{"skills": {},\n', "skills-index.json:1:1: "),
        ("[" * 20_000, "skills-index.json:1:"),
        ('{"skills": {"a": []}, "capability_index": {}}', "is not an index of skills"),
    ],
)
@pytest.mark.parametrize("check", [True, False], ids=["check", "write"])
def test_another_file_is_not_written_over(
    run: Run, skills: Path, text: str, said: str, check: bool
) -> None:
    target = skills / "skills-index.json"
    target.write_text(text)
    ran = run("index", skills, *(["--check"] if check else []))
    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err
    assert target.read_text() == text


def test_what_cannot_be_indexed(run: Run, skills: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for words, said in (
        ([tmp_path / "gone"], "is not a folder"),
        ([skills / "plain" / "SKILL.md"], "is not a folder"),
        ([tmp_path / "empty"], "does not contain a skill"),
        ([skills, "--check"], "there is no such index; omit --check to write it"),
        ([skills, "-o", "-", "--check"], "--check compares a file with the skills"),
        ([skills, "-o", tmp_path / "empty"], "empty is a folder; name a file with -o"),
        ([skills, "-o", os.devnull], f"{os.devnull} is not a file; name a file with -o"),
    ):
        ran = run("index", *words)
        assert (ran.status, ran.out) == (2, ""), words
        assert said in ran.err
    assert os.listdir(tmp_path / "empty") == []


def test_an_index_within_a_skill_would_change_what_it_says(run: Run, skill: Skill) -> None:
    folder = skill()
    ran = run("index", folder)
    assert (ran.status, ran.out) == (2, "")
    assert "is in the skill" in ran.err
    (folder / ".skillignore").write_text("skills-index.json\n")
    assert run("index", folder).status == 0
    assert run("index", folder, "--check").status == 0


def test_hostile_texts_are_shown_and_steer_nothing(run: Run, skills: Path) -> None:
    run("index", skills)
    (skills / "\x1b[31mred").mkdir()
    (skills / "\x1b[31mred" / "SKILL.md").write_text(
        '---\nname: "a\\e]0;x\\a"\ndescription: "[red]x\\e[2J"\n---\n'
    )
    ran = run("index", skills, "--check")
    assert (ran.status, "\x1b" in ran.out + ran.err) == (1, False)
    ran = run("index", skills, "-o", "-")
    assert (ran.status, "\x1b" in ran.out + ran.err) == (0, False)


@pytest.mark.skipif(os.name == "nt", reason="links of Unix")
def test_a_link_out_of_the_folder_is_not_written_through(
    run: Run, skills: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "index.json"
    (skills / "skills-index.json").symlink_to(elsewhere)
    ran = run("index", skills)
    assert (ran.status, ran.out, elsewhere.exists()) == (2, "", False)
    assert "link leads out of the workspace" in ran.err
