"""Reading files in the preview: folds by key and mouse, the header of a wide table, pictures."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

import pytest
from tests.session.kept_runs import keep_run
from tests.tui.conftest import SIZES, Open, bench

from skillstudio.tui.widgets.preview.lines import ViewLines
from skillstudio.tui.widgets.preview.table import FileTable

from .conftest import settled, to_preview, view

PAGE = {"title": "tea", "steps": [{"run": "boil"}, {"run": "pour"}], "last": 1}
TABLE = "id," + ",".join(f"column {n}" for n in range(30)) + "\n"
TABLE += "".join(f"{row},{','.join(['value'] * 30)}\n" for row in range(200))


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
async def test_a_tree_is_folded_and_a_table_keeps_its_header(
    open_studio: Open, skill: Path, tmp_path: Path, size: tuple[int, int]
) -> None:
    after = {
        "a.json": json.dumps(PAGE).encode(),
        "b.csv": TABLE.encode(),
    }
    keep_run(tmp_path / "state" / "runs", skill, after)
    async with open_studio(skill, size) as pilot:
        await to_preview(pilot)
        lines = view(pilot).query_one(ViewLines)
        screen = await settled(pilot)
        assert '▾   "steps": [' in screen
        await pilot.press("tab", "j", "j")
        assert lines.cursor == 2
        assert lines.cursor_screen_offset.y == lines.content_region.y + 2
        await pilot.press("space")
        assert '▸   "steps": [ … 2 items ],' in await settled(pilot)
        await pilot.press("right", "right", "right", "left", "left")
        screen = await settled(pilot)
        assert lines.cursor == 3
        assert "▸     { … 1 key }," in screen
        await pilot.press("left", "[")
        assert lines.cursor == 2
        assert '▸   "steps": [ … 2 items ],' in await settled(pilot)
        # A match within a fold is shown.
        await pilot.press("ctrl+f", *"pour", "enter")
        screen = await settled(pilot)
        assert '"run": "pour"' in screen
        assert lines.cursor == 5, "the first step is still folded"
        await pilot.press("]")
        assert "▾     {" in await settled(pilot)
        await pilot.click(lines, offset=(1, 2))
        assert '▸   "steps": [ … 2 items ],' in await settled(pilot)

        view(pilot).query_one(FileTable).cursor = 1
        await settled(pilot)
        lines.focus()
        await pilot.press("pagedown", "pagedown", *"llll")
        screen = await settled(pilot)
        shown = [each for each in screen.splitlines() if "│ column" in each]
        assert len(shown) == 1, "the header is above the rows"
        assert "─┼─" in screen
        assert "id │" not in screen, "it scrolls sideways with them"
        assert bench(pilot).focused is lines


@pytest.mark.slow
async def test_a_picture_is_painted_in_its_colours(
    open_studio: Open, skill: Path, tmp_path: Path
) -> None:
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    data = BytesIO()
    image.new("RGB", (8, 8), (255, 0, 0)).save(data, "PNG")
    keep_run(tmp_path / "state" / "runs", skill, {"a.png": data.getvalue()})
    async with open_studio(skill) as pilot:
        await to_preview(pilot)
        assert "▀" * 8 in await settled(pilot)
        lines = view(pilot).query_one(ViewLines)
        strip = lines.render_line(5)
        style = next(each.style for each in strip if each.text.startswith("▀"))
        assert style is not None
        assert style.color is not None
        assert style.color.get_truecolor() == (248, 0, 0)
