"""Baselines, whichever way their skills are named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.repositories import Repo, needs_git

WRONG = "---\nname: {}\ndescription: Makes: it.\nlicense: [1]\n---\nMake it.\n"
RECORD = ("--baseline", "known.json", "--update-baseline")


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    repository = Repo(tmp_path / "repo")
    names = ("tea", "cake")
    repository.commit({f"skills/{name}/SKILL.md": WRONG.format(name) for name in names}, "base")
    monkeypatch.chdir(repository.root)
    return repository


def recorded(file: Path) -> set[tuple[str, str]]:
    rows = json.loads(file.read_text())["diagnostics"]
    return {(row["path"], row["rule"]) for row in rows}


def test_another_skill_has_one_name_however_the_skills_are_named(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("tea", "cake"):
        (tmp_path / "skills" / folder).mkdir(parents=True)
        text = "---\nname: tea\ndescription: Makes it. Use when asked.\n---\nMake it.\n"
        (tmp_path / "skills" / folder / "SKILL.md").write_text(text)
    monkeypatch.chdir(tmp_path)
    run("check", ".", *RECORD)
    assert ("skills/cake/SKILL.md", "skill-name-repeated") in recorded(tmp_path / "known.json")
    (tmp_path / "linked").symlink_to("skills")
    (tmp_path / "known-too.json").symlink_to("known.json")
    assert run("check", "linked", "--baseline", "known-too.json").status == 0
    for words in ([], ["skills"], ["./skills/"], ["skills/tea", "skills/cake"]):
        assert run("check", *words, "--baseline", "known.json").status == 0, words


@needs_git
@pytest.mark.parametrize(
    ("folder", "words"),
    [
        ("", ["."]),
        ("", ["skills"]),
        ("", ["./skills/tea"]),
        ("", ["skills/tea/SKILL.md"]),
        ("skills", [".", "cake"]),
        ("skills/tea", []),
        ("", ["--hook"]),
        ("", ["--hook", "skills/cake/SKILL.md"]),
        ("", ["--changed-since", "HEAD"]),
    ],
)
def test_it_does_not_matter_how_the_skills_are_named(
    run: Run, repo: Repo, monkeypatch: pytest.MonkeyPatch, folder: str, words: list[str]
) -> None:
    ran = run("check", ".", *RECORD)
    assert (ran.status, ran.out) == (0, "")
    count = len(recorded(repo.root / "known.json"))
    assert f"recorded {count} problems in known.json\n" in ran.err
    assert run("check", ".", *RECORD, "-q").err == ""
    repo.write({"skills/tea/notes.md": "Notes.\n", "skills/cake/notes.md": "Notes.\n"})
    repo.git("add", "-A")
    monkeypatch.chdir(repo.root / folder)
    ran = run("check", *words, "--baseline", repo.root / "known.json", "--format", "json")
    assert ran.json["summary"]["errors"] == ran.json["summary"]["warnings"] == 0, ran.out
    assert ran.json["skills"]


@needs_git
@pytest.mark.parametrize(
    ("words", "lost"),
    [
        (["."], {"description-unquoted", "value-type"}),
        (["skills/tea"], {"description-unquoted", "value-type"}),
        (["skills/cake"], set()),
        ([".", "--changed-since", "HEAD"], {"description-unquoted", "value-type"}),
        ([".", "--select", "value-type"], {"value-type"}),
        ([".", "--ignore", "value-type"], {"description-unquoted"}),
    ],
)
def test_what_is_not_checked_stays_recorded(
    run: Run, repo: Repo, words: list[str], lost: set[str]
) -> None:
    run("check", ".", *RECORD)
    before = recorded(repo.root / "known.json")
    repo.write({"skills/tea/SKILL.md": "---\nname: tea\ndescription: Makes tea.\n---\nTea.\n"})
    run("check", *words, *RECORD)
    after = recorded(repo.root / "known.json")
    assert before - after == {("skills/tea/SKILL.md", rule) for rule in lost}


def test_the_first_baselines_have_the_paths_of_the_command_line(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "skills" / "tea").mkdir(parents=True)
    (tmp_path / "skills" / "tea" / "SKILL.md").write_text(WRONG.format("tea"))
    monkeypatch.chdir(tmp_path)
    run("check", ".", *RECORD)
    value = json.loads(Path("known.json").read_text())
    for row in value["diagnostics"]:
        row["path"] = f"./{row['path']}"
    (tmp_path / "old").mkdir()
    old = tmp_path / "old" / "known.json"
    old.write_text(json.dumps({"diagnostics": value["diagnostics"]}))
    assert run("check", "skills", "--baseline", old).status == 0
    run("check", "skills", "--baseline", old, "--update-baseline")
    assert recorded(old) == {(f"../{path}", rule) for path, rule in recorded(Path("known.json"))}


def test_a_folder_that_does_not_exist_is_named(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run("check", ".", "--baseline", "none/known.json", "--update-baseline")
    assert ran.status == 2
    assert "none/known.json cannot be written: there is no folder none" in ran.err
