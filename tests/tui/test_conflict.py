"""Two texts of one file: every choice has its own key, and neither side is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.binding import Binding
from textual.pilot import Pilot
from textual.widget import Widget

from skillstudio.text.diagnostic import Splice
from skillstudio.tui.screens.conflict import ConflictScreen

from .conftest import Open, bench, read, settled, shown


async def disagree(pilot: Pilot[int], file: Path) -> None:
    """Change the description here and on disk, and open the dialog."""
    buffer = bench(pilot).open.buffer
    assert buffer is not None
    at = buffer.text.index("Does one")
    buffer.replace([Splice(at, at + len("Does one"), "Mine")], "Typing")
    file.write_text(file.read_text().replace("Does one", "Theirs"))
    bench(pilot).look_at_disk(frozenset({str(file)}))
    await settled(pilot)
    await pilot.press("f3")
    assert isinstance(pilot.app.screen, ConflictScreen)


def dialog(pilot: Pilot[int]) -> str:
    """What the dialog shows, without what is behind it, which may be painted later."""
    frame = pilot.app.screen.query_one("#answers").parent
    assert isinstance(frame, Widget)
    region = frame.region
    rows = pilot.app.screen._compositor.render_strips()[region.y : region.bottom]
    return "\n".join(strip.crop(region.x, region.right).text for strip in rows)


def text(pilot: Pilot[int]) -> str:
    buffer = bench(pilot).open.buffer
    assert buffer is not None
    return next(line for line in buffer.text.splitlines() if line.startswith("description"))


@pytest.fixture
def file(skills: Path) -> Path:
    return skills / "alpha" / "SKILL.md"


async def test_enter_chooses_and_accepts_nothing(open_studio: Open, file: Path) -> None:
    async with open_studio(file.parent, by_hand=True) as pilot:
        await disagree(pilot, file)
        before = dialog(pilot)
        await read(pilot, "\r\r")
        for _ in range(5):
            await pilot.press("enter")
        assert isinstance(pilot.app.screen, ConflictScreen)
        assert dialog(pilot) == before
        assert "→ mine" in before
        assert "enter next place" in shown(pilot)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "kept"),
    [
        (["m"], ["Mine"]),
        (["t"], ["Theirs"]),
        (["a"], ["Mine"]),
        (["2", "a"], ["Theirs"]),
        (["4", "a"], ["Does one"]),
        (["2", "enter", "1", "enter", "a"], ["Mine"]),
    ],
)
async def test_both_sides_come_back_by_undo(
    open_studio: Open, file: Path, keys: list[str], kept: list[str]
) -> None:
    async with open_studio(file.parent) as pilot:
        await disagree(pilot, file)
        await pilot.press(*keys)
        await settled(pilot)
        assert text(pilot) == f"description: {kept[0]} thing well."
        await pilot.press("ctrl+s")
        await settled(pilot)
        seen = set()
        for _ in range(3):
            seen.add(text(pilot))
            await pilot.press("ctrl+z")
        seen.add(text(pilot))
        assert {f"description: {side} thing well." for side in ("Mine", "Theirs")} <= seen


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (60, 16)])
async def test_every_key_that_decides_is_in_the_line_of_keys(
    open_studio: Open, file: Path, size: tuple[int, int]
) -> None:
    async with open_studio(file.parent, size) as pilot:
        await disagree(pilot, file)
        hint = shown(pilot)
        for each in ConflictScreen.BINDINGS:
            assert isinstance(each, Binding)
            assert f"{'esc' if each.key == 'escape' else each.key} " in hint
