"""`check --hook`: which skills a git hook checks."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.repositories import Repo, needs_git, plain

pytestmark = needs_git
LINKED = (
    "---\nname: tea\ndescription: Makes tea. Use when tea is wanted.\n---\n"
    "See [the steps](references/steps.md) and run `scripts/brew.sh`.\n"
)
APP = '{"name": "App", "start_url": "/", "icons": []}\n'
FILES = {
    "skills/tea/SKILL.md": LINKED,
    "skills/tea/references/steps.md": "Steps.\n",
    "skills/tea/scripts/brew.sh": "exit 0\n",
    "skills/broken/SKILL.md": "---\nname: broken\ndescription: one: two\n---\n",
    "public/manifest.json": APP,
    "recipes/cake.yaml": "skill: baking\n",
}


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    made = Repo(tmp_path / "repo")
    made.commit(dict(FILES), "base")
    monkeypatch.chdir(made.root)
    return made


@pytest.mark.parametrize(
    ("staged", "given", "checked"),
    [
        ({}, [], []),
        ({}, ["public/manifest.json", "recipes/cake.yaml"], []),
        ({}, ["skills/tea/scripts/brew.sh"], ["tea"]),
        ({}, [*FILES], ["tea", "broken"]),
        ({"skills/tea/scripts/brew.sh": "exit 1\n"}, [], ["tea"]),
        ({"skills/tea/references/steps.md": None}, [], ["tea"]),
        ({"skills/tea/references/steps.md": None}, ["skills/broken/SKILL.md"], ["broken", "tea"]),
        ({"skills/tea/SKILL.md": None}, [], []),
        (dict.fromkeys(name for name in FILES if "/tea/" in name), [], []),
        ({"public/manifest.json": None, "recipes/pie.yaml": "skill: [\n"}, [], []),
    ],
)
def test_the_skills_of_given_and_staged_files_are_checked(
    run: Run, repo: Repo, staged: dict[str, str | None], given: list[str], checked: list[str]
) -> None:
    repo.write(staged)
    repo.git("add", "-A")
    ran = run("check", "--hook", *given, "--fail-on", "info", "--format", "json")
    assert [each["name"] for each in ran.json["skills"]] == checked
    assert ran.json["workspace"]["diagnostics"] == []
    is_wrong = "broken" in checked or (checked == ["tea"] and None in staged.values())
    assert ran.status == is_wrong, ran.out


def test_a_repository_can_be_the_skill_and_have_no_commit(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = Repo(tmp_path / "tea")
    repo.write({"SKILL.md": plain("tea"), "scripts/brew.sh": "exit 0\n"})
    monkeypatch.chdir(repo.root)
    assert run("check", "--hook", "--format", "json").json["skills"] == []
    repo.git("add", "scripts/brew.sh")
    ran = run("check", "--hook", "--format", "json")
    assert [each["name"] for each in ran.json["skills"]] == ["tea"]


def test_a_file_outside_of_the_working_directory_belongs_to_its_own_skill(
    run: Run, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write({"skills/tea/references/steps.md": None, "top.txt": "x\n"})
    repo.git("add", "-A")
    monkeypatch.chdir(repo.root / "skills" / "broken")
    ran = run("check", "--hook", "--format", "json")
    assert [each["name"] for each in ran.json["skills"]] == ["tea"]


def test_without_a_repository_the_hook_is_refused(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run("check", "--hook")
    assert ran.status == 2
    assert "not in a git repository" in ran.err
