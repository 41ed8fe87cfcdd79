"""Notices in the line of keys: they cover nothing, and the keys that fit stay."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from skillstudio.tui.widgets.lines import KeyLine

from .conftest import Open, bench, settled, shown, until


def lines(pilot: Pilot[int]) -> list[str]:
    return shown(pilot).splitlines()


async def test_a_notice_is_before_the_keys_and_expires(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills, (80, 24)) as pilot:
        height = bench(pilot).skills_pane.size.height
        bench(pilot).notify("saved [/] it", markup=False, timeout=0.2)
        await settled(pilot)
        assert lines(pilot)[-1].startswith(" » saved [/] it"), "a sign that is no key"
        assert "f1 help" in lines(pilot)[-1]
        assert bench(pilot).skills_pane.size.height == height
        await until(pilot, lambda: "saved" not in lines(pilot)[-1])


async def test_a_long_notice_takes_lines_from_the_panes(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills, (80, 24)) as pilot:
        pane, line = bench(pilot).skills_pane, bench(pilot).query_one(KeyLine)
        height = pane.size.height
        bench(pilot).say("word " * 30 + "end", bad=True)
        await settled(pilot)
        assert line.size.height == 3
        assert pane.size.height == height - 2
        assert lines(pilot)[-3].startswith(" ✗ word word")
        assert " end" in lines(pilot)[-2]
        assert "enter open" in lines(pilot)[-1]
        assert pane.region.bottom == line.region.y
        await pilot.click(KeyLine, offset=(3, 0))
        await settled(pilot)
        assert (line.size.height, pane.size.height) == (1, height)
        assert "word" not in lines(pilot)[-1]


@pytest.mark.parametrize(
    ("text", "height", "left_out"),
    [
        ("short", 1, ""),
        ("takes the room of keys that are always there", 1, "f1 help"),
        ("takes the room of what is important, so that it gets a line", 2, ""),
    ],
)
async def test_a_notice_covers_no_important_key(
    open_studio: Open, skills: Path, text: str, height: int, left_out: str
) -> None:
    async with open_studio(skills, (80, 24)) as pilot:
        line = bench(pilot).query_one(KeyLine)
        bench(pilot).say(text)
        await settled(pilot)
        shown(pilot)  # The places of the keys are known once the line is drawn.
        keys = [place.hint.key for place in line.places]
        assert keys[:3] == ["enter", "/", "N"]
        assert line.size.height == height
        assert ("f1 help" in lines(pilot)[-1]) == (left_out != "f1 help")


async def test_the_same_notice_is_shown_once(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills, (80, 24)) as pilot:
        for text in ("not now: one", "not now: two", "not now: one"):
            bench(pilot).say(text)
        await settled(pilot)
        assert shown(pilot).count("not now: one") == 1
        assert shown(pilot).count("not now: two") == 1


async def test_a_key_beside_a_notice_answers_a_click(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills, (80, 24)) as pilot:
        bench(pilot).say("saved")
        await settled(pilot)
        at = lines(pilot)[-1].index("^p")
        await pilot.click(KeyLine, offset=(at, 0))
        await until(pilot, lambda: "Commands" in shown(pilot))
