"""The sizes of panes between sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillstudio.session.layout import pane_sizes, remember_sizes


def test_sizes_are_kept(tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    assert pane_sizes(state) == {}
    remember_sizes(state, {"skills-pane": 40})
    assert pane_sizes(state) == {"skills-pane": 40}


@pytest.mark.parametrize(
    "text", ["", "[1]", "{", '{"a": "b", "c": true, "d": -1, "e": 1e9}', "\xff"]
)
def test_a_file_that_is_not_ours_has_no_sizes(tmp_path: Path, text: str) -> None:
    (tmp_path / "layout.json").write_bytes(text.encode("latin-1"))
    assert pane_sizes(str(tmp_path)) == {}


def test_a_state_folder_that_cannot_be_written_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    remember_sizes(str(tmp_path / "state"), {"side": 40})
