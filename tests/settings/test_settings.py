"""Which settings file applies in a folder, and what is read from it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from skillstudio.settings.read import read_settings, read_settings_file
from skillstudio.settings.settings import SettingsFile, find_settings
from skillstudio.text.source import Position, Source


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


PYPROJECT = """\
[project]
name = "tea"

[tool.skillstudio]
targets = ["spec", "codexx"]
target = []

[tool.ruff]
line-length = 100

[tool.skillstudio.rules]
name-format = "of"

[[tool.skillstudio.ignore]]
rule = "link-missing"
path = "*"

[[tool.skillstudio.waive]]
fingerprint = "0123456789ab"
reason = "agreed"

[tool.skillstudio.policy]
hosts = []
"""


def test_a_table_of_pyproject_has_the_places_of_the_whole_file(tmp_path: Path) -> None:
    found = read_settings(Source(PYPROJECT, "pyproject.toml"))
    source = found.document.source
    named = found.unknown_names({"link-missing", "name-format"}, lambda: ["spec", "codex"], set)
    rows = [
        (each.rule, each.path, *source.position(each.span.start))
        for each in (*found.diagnostics, *named)
        if each.span
    ]
    assert rows == [
        ("key-unknown", "pyproject.toml", 6, 1),
        ("value-enum", "pyproject.toml", 12, 15),
        ("settings-target-unknown", "pyproject.toml", 5, 20),
    ]
    assert [each.place for each in found.everywhere.ignores] == [Position(15, 1)]
    assert [each.place for each in found.waivers] == [Position(19, 1)]
    assert found.everywhere.policy is not None
    assert found.everywhere.policy.places == {"hosts": Position(23, 1)}
    assert found.for_skill("a").file == "pyproject.toml"


@pytest.mark.parametrize(
    ("text", "rule", "place"),
    [
        ("[tool]\nskillstudio = 3\n", "value-type", (2, 15)),
        ("[tool.skillstudio]\n[[tool.skillstudio.waive]]\nreason = 'x'\n", "key-missing", (2, 20)),
        ("[tool.skillstudio]\ntargets = \n", "syntax-toml", (2, 9)),
        ("name = \n[tool.skillstudio]\n", "syntax-toml", (1, 6)),
    ],
)
def test_what_is_wrong_in_pyproject(text: str, rule: str, place: tuple[int, int]) -> None:
    found = read_settings(Source(text, "pyproject.toml"))
    first = found.diagnostics[0]
    assert first.span is not None
    assert (first.rule, found.document.source.position(first.span.start)) == (rule, place)


def test_a_file_that_was_removed_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_settings_file(SettingsFile(str(tmp_path / "gone.toml"), str(tmp_path)))
