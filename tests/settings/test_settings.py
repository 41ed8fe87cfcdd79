"""Which `skillstudio.toml` holds in a folder."""

from __future__ import annotations

from pathlib import Path

from skillstudio.settings.settings import find_settings


def test_the_nearest_file_upwards(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)
    assert find_settings(tmp_path / "a" / "b" / "c") is None
    (tmp_path / "skillstudio.toml").write_text("")
    assert find_settings(tmp_path / "a" / "b" / "c") == str(tmp_path / "skillstudio.toml")
    (tmp_path / "a" / "skillstudio.toml").write_text("")
    assert find_settings(tmp_path / "a" / "b" / "c") == str(tmp_path / "a" / "skillstudio.toml")
    assert find_settings(tmp_path) == str(tmp_path / "skillstudio.toml")


def test_the_search_ends_at_the_root_of_the_repository(tmp_path: Path) -> None:
    (tmp_path / "skillstudio.toml").write_text("")
    inner = tmp_path / "repository" / "skills"
    inner.mkdir(parents=True)
    (tmp_path / "repository" / ".git").write_text("gitdir: elsewhere")
    assert find_settings(inner) is None
