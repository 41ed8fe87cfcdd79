"""Which settings file applies in a folder, and what is read from it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from skillstudio.settings.settings import SettingsFile
from skillstudio.skill.settings_files import find_settings
from skillstudio.skill.workspace import WorkspaceSearch


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place of the user's own settings."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    folder = tmp_path / "home" / ".config" / "skillstudio"
    folder.mkdir(parents=True)
    return folder / "skillstudio.toml"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    (folder / ".git").mkdir(parents=True)
    (folder / "skills" / "tea").mkdir(parents=True)
    return folder


TABLE = "[tool.skillstudio]\ntargets = ['codex']\n"


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({}, None),
        ({"skillstudio.toml": ""}, "skillstudio.toml"),
        ({"skillstudio.toml": "", "skills/skillstudio.toml": ""}, "skills/skillstudio.toml"),
        ({"pyproject.toml": TABLE}, "pyproject.toml"),
        ({"pyproject.toml": "[tool.skillstudio.rules]\n"}, "pyproject.toml"),
        ({"pyproject.toml": "[tool]\nskillstudio.targets = []\n"}, "pyproject.toml"),
        ({"pyproject.toml": f"broken =\n{TABLE}"}, "pyproject.toml"),
        ({"pyproject.toml": TABLE, "skillstudio.toml": ""}, "skillstudio.toml"),
        ({"skills/pyproject.toml": TABLE, "skillstudio.toml": ""}, "skills/pyproject.toml"),
        # Another tool's file is passed over.
        ({"skills/pyproject.toml": "[project]\nname = 'tea'\n", "skillstudio.toml": ""},
         "skillstudio.toml"),
        ({"pyproject.toml": "[project]\ndependencies = ['skillstudio']\n"}, None),
        ({"pyproject.toml": "# [tool.skillstudio]\n"}, None),
        ({"../skillstudio.toml": "", "../pyproject.toml": TABLE}, None),
    ],
)  # fmt: skip
def test_the_nearest_file_in_the_repository(
    repository: Path, files: dict[str, str], found: str | None
) -> None:
    for path, text in files.items():
        (repository / path).write_text(text)
    file = find_settings(repository / "skills" / "tea")
    wanted = repository / found if found else None
    assert (file.path if file else None) == (str(wanted) if wanted else None)
    if file is not None and wanted is not None:
        assert (file.base, file.origin) == (str(wanted.parent), "workspace")


SKILL = "---\nname: tea\ndescription: Makes tea. Use when asked.\n---\n"


@pytest.mark.parametrize(
    ("files", "applying", "passed"),
    [
        (["tea/skillstudio.toml"], "tea/skillstudio.toml", []),
        (["tea/skillstudio.toml", "../skillstudio.toml"], "../skillstudio.toml",
         ["tea/skillstudio.toml"]),
        (["tea/pyproject.toml", "skillstudio.toml"], "skillstudio.toml", ["tea/pyproject.toml"]),
        # A skill in a skill is as little its own judge.
        (["SKILL.md", "skillstudio.toml", "../skillstudio.toml"], "../skillstudio.toml",
         ["skillstudio.toml"]),
        # A repository that is a skill.
        (["../SKILL.md", "../skillstudio.toml"], "../skillstudio.toml", []),
        (["../SKILL.md", "../skillstudio.toml", "skillstudio.toml"], "skillstudio.toml", []),
    ],
)  # fmt: skip
def test_no_skill_sets_its_own_rules(
    repository: Path, files: list[str], applying: str, passed: list[str]
) -> None:
    skills = repository / "skills"
    for path in ("tea/SKILL.md", *files):
        text = SKILL if path.endswith(".md") else TABLE
        (skills / path).write_text(text if path.endswith((".md", "pyproject.toml")) else "")
    search = WorkspaceSearch()
    _, file = search.settings_for(str(skills / "tea"))
    assert file == find_settings(skills / "tea")
    assert file is not None
    assert Path(file.path).resolve() == (skills / applying).resolve()
    assert [Path(problem.path).resolve() for problem in search.problems] == [
        (skills / path).resolve() for path in passed
    ]
    assert {problem.diagnostic.rule for problem in search.problems} <= {"settings-in-skill"}


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_a_skill_that_calls_itself_a_repository_is_still_in_the_workspace(
    repository: Path, kind: str
) -> None:
    tea = repository / "skills" / "tea"
    (tea / "SKILL.md").write_text(SKILL)
    (tea / "skillstudio.toml").write_text("")
    if kind == "folder":
        (tea / ".git").mkdir()
    else:
        (tea / ".git").write_text("gitdir: elsewhere")
    own = find_settings(tea)
    assert own is not None
    assert own.base == str(tea)
    (repository / "skillstudio.toml").write_text("")
    search = WorkspaceSearch()
    for file in (find_settings(tea), search.settings_for(str(tea))[1]):
        assert file is not None
        assert file.base == str(repository)
    assert [problem.diagnostic.rule for problem in search.problems] == ["settings-in-skill"]


@pytest.mark.parametrize("link", [".claude/skills", ".claude/skills/tea"])
def test_a_skill_has_the_settings_of_its_real_folder(repository: Path, link: str) -> None:
    (repository / "skills/skillstudio.toml").write_text(
        "[[folder]]\npath = 'tea'\ntargets = ['codex']\n"
    )
    (repository / "skillstudio.toml").write_text("targets = ['spec']\n")
    place = repository / link
    place.parent.mkdir(parents=True)
    place.symlink_to(repository / "skills" / ("tea" if link.endswith("tea") else ""))
    tea = repository / ".claude/skills/tea"
    file = find_settings(tea)
    assert file is not None
    assert Path(file.path).resolve() == (repository / "skills/skillstudio.toml").resolve()
    assert WorkspaceSearch().settings_of(str(tea)).targets == ("codex",)


@pytest.mark.parametrize(
    ("target", "is_read"),
    [("shared.toml", True), ("../secret.toml", False), (".git/config", False)],
)
def test_a_link_out_of_the_repository_is_not_read(
    repository: Path, target: str, is_read: bool
) -> None:
    (repository / "skillstudio.toml").symlink_to(target)
    (repository / target).write_text("targets = ['codex']\n")
    search = WorkspaceSearch()
    tea = str(repository / "skills/tea")
    if is_read:
        assert search.settings_of(tea).targets == ("codex",)
        return
    with pytest.raises(OSError, match="leads out of the workspace"):
        search.settings_of(tea)


def test_the_search_ends_at_a_worktree_or_submodule(repository: Path) -> None:
    (repository / "skillstudio.toml").write_text("")
    (repository / "skills" / ".git").write_text("gitdir: elsewhere")
    assert find_settings(repository / "skills" / "tea") is None


def test_the_users_own_file_applies_only_without_one_of_the_workspace(
    repository: Path, own: Path
) -> None:
    own.write_text("targets = ['codex']\n")
    tea = repository / "skills" / "tea"
    assert find_settings(tea) == SettingsFile(str(own), str(repository), "user")
    (repository / "skillstudio.toml").write_text("")
    found = find_settings(tea)
    assert found is not None
    assert found.path == str(repository / "skillstudio.toml")


def test_globs_of_a_file_elsewhere_start_outside_of_a_repository_at_the_working_directory(
    tmp_path: Path, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own.write_text("")
    (tmp_path / "loose").mkdir()
    monkeypatch.chdir(tmp_path)
    found = find_settings(tmp_path / "loose")
    assert found is not None
    assert found.base == str(tmp_path)


def test_the_named_file_replaces_the_search(
    repository: Path, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own.write_text("")
    (repository / "skills" / "skillstudio.toml").write_text("")
    monkeypatch.setenv("SKILLSTUDIO_CONFIG", str(tmp_path / "strict.toml"))
    wanted = SettingsFile(str(tmp_path / "strict.toml"), str(repository), "chosen")
    assert find_settings(repository / "skills" / "tea") == wanted


@pytest.mark.skipif(sys.platform != "linux", reason="the place is computed on Linux only")
@pytest.mark.parametrize("variable", ["", "/elsewhere", " ", "relative"])
def test_the_users_folder_is_that_of_platformdirs(
    own: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    from platformdirs import user_config_path

    from skillstudio.files.state import config_folder

    monkeypatch.setenv("XDG_CONFIG_HOME", variable)
    assert config_folder() == str(user_config_path("skillstudio", appauthor=False))
