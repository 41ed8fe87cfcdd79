"""The sizes of panes between sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillstudio.session.layout import Sizes, pane_sizes, remember_sizes, size_class

SIZES: Sizes = {"wide": {"skills": 40}, "widest": {"skills": 50, "side": 60}}


def test_sizes_are_kept(tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    assert pane_sizes(state) == {}
    remember_sizes(state, SIZES)
    assert pane_sizes(state) == SIZES


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("", {}),
        ("[1]", {}),
        ("{", {}),
        ('{"skills-pane": 40}', {}),
        ('{"wide": 40, "narrow": {"skills": 40}}', {}),
        ('{"wide": {"a": "b", "c": true, "d": -1, "e": 1e9, "skills": 30}}',
         {"wide": {"skills": 30}}),
        ("\xff", {}),
    ],
)  # fmt: skip
def test_only_sizes_are_read(tmp_path: Path, text: str, sizes: Sizes) -> None:
    (tmp_path / "layout.json").write_bytes(text.encode("latin-1"))
    assert pane_sizes(str(tmp_path)) == sizes


def test_a_state_folder_that_cannot_be_written_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    remember_sizes(str(tmp_path / "state"), SIZES)


@pytest.mark.parametrize(
    ("columns", "name"),
    [(60, ""), (99, ""), (100, "wide"), (149, "wide"), (150, "wider"), (219, "wider"),
     (220, "widest"), (400, "widest")],
)  # fmt: skip
def test_a_width_has_a_size_class(columns: int, name: str) -> None:
    assert size_class(columns) == name
