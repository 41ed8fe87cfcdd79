"""Settings are named by every command that uses them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import CLEAN, Run

PLACE = "pkg/skillstudio.toml:1:1: this table header needs"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with settings at its root, and a package that has settings of its own."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "skillstudio.toml").write_text("")
    for name in ("pkg/tea", "pot"):
        (tmp_path / name).mkdir(parents=True)
        text = CLEAN.format(name=name.rpartition("/")[2])
        (tmp_path / name / "SKILL.md").write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "pkg"


@pytest.mark.parametrize(
    "words",
    [
        "why pkg/tea", "lock pkg/tea", "index pkg --output -",
        "export pkg/tea --target codex -o out", "edit pkg/tea set /license MIT --diff",
        "show pkg/tea", "plan pkg/tea", "new agent-skills pkg/pan --defaults --anyway",
    ],
)  # fmt: skip
def test_broken_settings_are_named(run: Run, package: Path, words: str) -> None:
    (package / "skillstudio.toml").write_text("[rules\n")
    assert PLACE in run(*words.split()).err


def test_a_waiver_belongs_to_the_settings_of_its_skill(run: Run, package: Path) -> None:
    (package / "skillstudio.toml").write_text("")
    words = ("--reason", "agreed", "0123456789ab")
    ran = run("waive", *words)
    assert ran.status == 2
    assert "settings of their own, such as pkg/skillstudio.toml; name the skill" in ran.err
    assert "such as pkg/tea" in ran.err
    assert run("waive", *words, "pkg/tea").status == 0
    assert "0123456789ab" in (package / "skillstudio.toml").read_text()
    assert (package.parent / "skillstudio.toml").read_text() == ""
    assert run("waive", *words, "pot").status == 0


@pytest.mark.parametrize("words", [".", "pkg", "pkg/tea", "pkg/tea/SKILL.md", "./pkg/../pkg/tea"])
def test_a_skill_has_the_nearest_settings_whichever_folder_is_checked(
    run: Run, package: Path, words: str
) -> None:
    wrong = (package / "tea/SKILL.md").read_text().replace("name: tea", "name: tea\nlicence: MIT")
    (package / "tea/SKILL.md").write_text(wrong)
    (package.parent / "skillstudio.toml").write_text("[rules]\nkey-unknown = 'error'\n")
    assert run("check", words).status == 1
    (package / "pyproject.toml").write_text("[tool.skillstudio.rules]\nkey-unknown = 'off'\n")
    assert run("check", words).status == 0
