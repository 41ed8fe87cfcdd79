"""Settings from `--config`, the environment, pyproject.toml and the user's own file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.cli.conftest import CLEAN, Run
from tests.repositories import needs_git

from skillstudio.files.state import cache_folder
from skillstudio.present.problems import problem_text
from skillstudio.session.workspace import Workspace
from skillstudio.text.editing import EditRefused

KEY = CLEAN.replace("---\nSay", "licence: MIT\n---\nSay")


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "work"
    (root / ".git").mkdir(parents=True)
    (root / "skills" / "tea").mkdir(parents=True)
    (root / "skills" / "tea" / "SKILL.md").write_text(KEY.format(name="tea"))
    monkeypatch.chdir(root)
    return root


def level(text: str) -> str:
    return f"[rules]\nkey-unknown = '{text}'\n"


def found(run: Run, *words: str | Path) -> str:
    """The severity of the one problem in the workspace."""
    ran = run("check", "skills", "--format", "json", *words)
    rows = [row for skill in ran.json["skills"] for row in skill["diagnostics"]]
    return "".join(row["severity"] for row in rows)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own settings."""
    monkeypatch.setenv("HOME", str(tmp_path))
    file = tmp_path / ".config" / "skillstudio" / "skillstudio.toml"
    file.parent.mkdir(parents=True)
    file.write_text(level("error"))
    return file


def test_the_order_of_the_places(
    run: Run, workspace: Path, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert found(run) == "error"
    (workspace / "pyproject.toml").write_text("[tool.skillstudio.rules]\nkey-unknown = 'info'\n")
    assert found(run) == "info"
    (workspace / "skillstudio.toml").write_text("")
    assert found(run) == "warning"  # One file applies as a whole.
    named = tmp_path / "named.toml"
    named.write_text(level("off"))
    monkeypatch.setenv("SKILLSTUDIO_CONFIG", str(named))
    assert found(run) == ""
    other = tmp_path / "other.toml"
    other.write_text(level("error"))
    assert found(run, "--config", other) == "error"
    assert os.environ["SKILLSTUDIO_CONFIG"] == str(named)
    monkeypatch.delenv("SKILLSTUDIO_CONFIG")
    assert found(run, "--config", other) == "error"
    assert "SKILLSTUDIO_CONFIG" not in os.environ


def test_the_workbench_reads_the_same_file(
    run: Run, workspace: Path, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened() -> str:
        analysis = Workspace(str(workspace)).analyse("skills/tea")
        return "".join(str(each.severity) for each in analysis.diagnostics)

    assert opened() == found(run) == "error"
    (workspace / "pyproject.toml").write_text("[tool.skillstudio.rules]\nkey-unknown = 'info'\n")
    assert opened() == found(run) == "info"
    own.write_text(level("off"))
    monkeypatch.setenv("SKILLSTUDIO_CONFIG", str(own))
    assert opened() == found(run) == ""


def test_globs_of_a_named_file_are_relative_to_the_repository(
    run: Run, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = tmp_path / "elsewhere" / "ci.toml"
    named.parent.mkdir()
    named.write_text("[[ignore]]\nrule = 'key-unknown'\npath = 'skills/tea/SKILL.md'\n")
    assert found(run, "--config", named) == ""
    monkeypatch.chdir(workspace / "skills")
    ran = run("check", "tea", "--config", "../../elsewhere/ci.toml", "-v")
    assert ran.status == 0
    assert ran.out == "1 skill checked, no problems\n"
    assert "settings: ../../elsewhere/ci.toml\n" in ran.err


def test_unused_ignores_of_the_users_own_file_are_no_problem(
    run: Run, workspace: Path, own: Path
) -> None:
    text = "[[ignore]]\nrule = 'body-long'\npath = '*'\n"
    own.write_text(text)
    assert "ignore-unused" not in run("check", ".").out
    (workspace / "skillstudio.toml").write_text(text)
    assert "ignore-unused" in run("check", ".").out


def test_problems_of_each_file_have_their_place(run: Run, workspace: Path, own: Path) -> None:
    own.write_text("[rules]\nkey-unknow = 'off'\n")
    assert f"{own}:2:1: " in run("check", "skills").out
    (workspace / "pyproject.toml").write_text("[project]\n\n[tool.skillstudio]\ntarget = 3\n")
    assert "pyproject.toml:4:1: warning key-unknown" in run("check", "skills").out


@pytest.mark.parametrize("verb", ["check", "show", "diff", "why", "plan"])
def test_a_settings_file_that_is_missing_is_named(run: Run, verb: str) -> None:
    for path, said in (("gone.toml", "does not exist"), ("skills", "is a folder")):
        ran = run(verb, "skills/tea", "--config", path)
        assert ran.status == 2
        assert ran.err.splitlines() == [f"skillstudio: --config {path}: the file {said}"]


def test_the_null_device_has_no_settings(run: Run, workspace: Path) -> None:
    (workspace / "skillstudio.toml").write_text("[rules]\nnothing = 'off'\n")
    assert "settings-rule-unknown" in run("check", "skills").out
    assert "settings-rule-unknown" not in run("check", "skills", "--config", os.devnull).out


def test_a_broken_link_to_settings_is_no_missing_file(run: Run, workspace: Path) -> None:
    (workspace / "skillstudio.toml").symlink_to("shared/skillstudio.toml")
    ran = run("check", "skills")
    assert ran.status == 2
    assert f"{workspace / 'skillstudio.toml'}: No such file or directory" in ran.err


def test_a_missing_file_of_the_environment_is_named(
    run: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLSTUDIO_CONFIG", "gone.toml")
    ran = run("check", "skills")
    assert ran.status == 2
    assert ran.err == f"skillstudio: {workspace / 'gone.toml'}: SKILLSTUDIO_CONFIG names no file\n"
    opened = Workspace(str(workspace))
    opened.check()
    faults = list(map(problem_text, opened.problems))
    assert faults == ["the settings cannot be read: SKILLSTUDIO_CONFIG names no file"]
    assert run("completion", "fish").status == 0


def test_targets_of_the_environment(
    run: Run, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLSTUDIO_TARGETS", "codex, spec")
    (row,) = run("check", "skills", "--format", "json").json["skills"]
    assert (list(row["targets"]), row["selected_by"]) == (["codex", "spec"], "SKILLSTUDIO_TARGETS")
    (row,) = run("check", "skills", "--format", "json", "--target", "goose").json["skills"]
    assert (list(row["targets"]), row["selected_by"]) == (["goose"], "--target")
    monkeypatch.setenv("SKILLSTUDIO_TARGETS", "codx")
    ran = run("check", "skills")
    assert ran.status == 2
    assert "SKILLSTUDIO_TARGETS: unknown target codx; did you mean codex?" in ran.err


def test_the_caches_are_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLSTUDIO_CACHE_DIR", str(tmp_path / "cache"))
    assert cache_folder() == str(tmp_path / "cache" / "skillstudio")
    # Runs may read what was prepared for them, and nothing else of ours.
    assert not cache_folder("skillstudio-environments").startswith(cache_folder() + os.sep)


def test_the_page_of_variables(run: Run) -> None:
    ran = run("help", "environment")
    assert ran.status == 0
    assert all(name in ran.out for name in ("SKILLSTUDIO_TARGETS", "NO_COLOR", "FORCE_COLOR"))
    assert "help environment" in run("--help").out


@needs_git
def test_a_waiver_is_written_where_it_is_read(
    run: Run, workspace: Path, own: Path, tmp_path: Path
) -> None:
    words = ("waive", "0123456789ab", "skills", "--reason", "agreed")
    before = own.read_text()
    pyproject = workspace / "pyproject.toml"
    pyproject.write_text("[tool.skillstudio]\ntargets = []\n\n[tool.ruff]\nline-length = 9\n")
    assert run(*words).status == 0
    assert pyproject.read_text().endswith(
        'line-length = 9\n\n[[tool.skillstudio.waive]]\nfingerprint = "0123456789ab"\n'
        'reason = "agreed"\n'
    )
    assert "already waived" in run(*words).err
    named = tmp_path / "named.toml"
    named.write_text("")
    assert run(*words, "--config", named).status == 0
    assert "0123456789ab" in named.read_text()
    pyproject.unlink()
    assert run(*words).status == 0
    assert "0123456789ab" in (workspace / "skillstudio.toml").read_text()
    assert own.read_text() == before


def test_the_workbench_selects_a_target_where_settings_are_read(workspace: Path, own: Path) -> None:
    before = own.read_text()
    pyproject = workspace / "pyproject.toml"
    pyproject.write_text("[project]\nname = 'a'\n\n[tool.skillstudio]\ntargets = ['spec']\n")
    opened = Workspace(str(workspace))
    assert opened.select_target("skills/tea", "codex") == str(pyproject)
    assert opened.settings("skills/tea").targets == ("spec", "codex")
    assert opened.select_target("skills/tea", "spec", False) == str(pyproject)
    assert opened.settings("skills/tea").targets == ("codex",)
    opened.select_target("skills/tea", "codex", False)
    assert "targets" not in pyproject.read_text()
    with pytest.raises(EditRefused, match="only the place of the skill selects codex"):
        opened.select_target("skills/tea", "codex", False)
    pyproject.unlink()
    opened.forget_settings()
    assert opened.select_target("skills/tea", "codex") == str(workspace / "skillstudio.toml")
    assert own.read_text() == before
