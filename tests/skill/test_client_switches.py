"""Skills that a user's settings of Codex disable; as @openai/codex 0.171.0 does."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillstudio.files.disk import DiskTree
from skillstudio.manifest.locate import locate
from skillstudio.skill.client_switches import disabled_by
from skillstudio.skill.visibility import explain_place

OFF, ON = "enabled = false\n", "enabled = true\n"
NAME = '[[skills.config]]\nname = "tea"\n'
PATH = '[[skills.config]]\npath = "{folder}/SKILL.md"\n'


@pytest.mark.parametrize(
    ("settings", "is_disabled"),
    [
        (NAME + OFF, True),
        (PATH + OFF, True),
        (NAME + ON + NAME + OFF, True),
        ("", False),
        (NAME, False),
        ('[[skills.config]]\nname = "green"\n' + OFF, False),
        ('[[skills.config]]\npath = "{folder}"\n' + OFF, False),
        ('[[skills.config]]\npath = "SKILL.md"\n' + OFF, False),
        (NAME + OFF + NAME + ON, False),
        (NAME + OFF + PATH + ON, False),
        (PATH + OFF + NAME + ON, False),
        (PATH + 'name = "tea"\n' + OFF, False),
        ("[[skills.config]\n", False),
        ("skills = 3\n", False),
        ('skills.config = ["tea"]\n', False),
    ],
)
def test_the_last_entry_counts(tmp_path: Path, settings: str, is_disabled: bool) -> None:
    (tmp_path / ".codex").mkdir()
    file = tmp_path / ".codex/config.toml"
    file.write_text(settings.replace("{folder}", (tmp_path / "tea").as_posix()))
    reason = disabled_by("tea", str(tmp_path / "tea"), str(tmp_path))
    assert (reason is not None) == is_disabled
    if reason is not None:
        assert reason.text == (
            "[[skills.config]] in ~/.codex/config.toml has enabled = false for it"
        )


def test_settings_that_are_not_utf8_or_missing(tmp_path: Path) -> None:
    assert disabled_by("tea", str(tmp_path), str(tmp_path)) is None
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex/config.toml").write_bytes(b"\xff")
    assert disabled_by("tea", str(tmp_path), str(tmp_path)) is None


def test_a_disabled_skill_is_ignored_by_codex_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "project/.agents/skills/tea"
    folder.mkdir(parents=True)
    (tmp_path / "project/.git").mkdir()
    (folder / "SKILL.md").write_text("---\nname: tea\ndescription: Makes tea.\n---\nBoil.\n")
    settings = tmp_path / "codex"
    settings.mkdir()
    (settings / "config.toml").write_text(NAME + OFF)
    for variable, expected in (("CODEX_HOME", "dropped"), ("UNUSED", "loads")):
        monkeypatch.delenv("CODEX_HOME", raising=False)
        monkeypatch.setenv(variable, str(settings))
        seen = explain_place(locate(DiskTree(folder)).skill, str(folder))
        outcomes = {answer.target: answer.outcome for answer in seen.answers}
        assert (outcomes["codex"], outcomes["gemini-cli"]) == (expected, "loads")
