"""Discovery within the workbench: a prompt, which skills it finds as one types, and why."""

from __future__ import annotations

import re
import threading
import time
from pathlib import Path

import pytest
from tests.tui.conftest import NARROW_FIRST, PATIENCE, Open, bench, settled, shown, until
from textual.pilot import Pilot
from textual.widgets import Input

from skillstudio.session.previewing.discovering import Discovering, Prompted
from skillstudio.tui.screens.discovery import DiscoveryScreen
from skillstudio.tui.widgets.preview.lines import ViewLines
from skillstudio.tui.widgets.rows import Rows

TEXTS = {
    "pdf": "Fill in PDF forms and merge PDF files",
    "forms": "Fill in PDF forms",
    "git": "Write commit messages from the staged changes",
}
TOML = """[skill]
id = "tool.cloud"
name = "Cloud"
version = "1.0.0"
description = "Clusters"
api_version = "1.0"
[provides]
knowledge = true
[knowledge]
topics = ["kubernetes", "database"]
priority = 70
max_context_tokens = 10
"""


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    """Two skills that compete, one of something else, one with topics."""
    for name, text in TEXTS.items():
        made = tmp_path / "skills" / name
        made.mkdir(parents=True)
        (made / "SKILL.md").write_text(f"---\nname: {name}\ndescription: {text}\n---\n# {name}\n")
    cloud = tmp_path / "skills" / "cloud" / "knowledge"
    cloud.mkdir(parents=True)
    (cloud.parent / "skill.toml").write_text(TOML)
    (cloud / "synonyms.yaml").write_text("kubernetes: [k8s]\n")
    (cloud / "pods.md").write_text("p" * 400)
    return tmp_path / "skills"


def dialog(pilot: Pilot[int]) -> DiscoveryScreen:
    screen = pilot.app.screen
    assert isinstance(screen, DiscoveryScreen)
    return screen


async def found(pilot: Pilot[int], prompt: str | None = None) -> str:
    """The screen, once it is of what is typed."""
    if prompt is not None:
        dialog(pilot).query_one(Input).value = prompt
    await pilot.pause()
    await until(
        pilot,
        lambda: isinstance(pilot.app.screen, DiscoveryScreen) and dialog(pilot).is_settled,
    )
    await pilot.pause()
    return shown(pilot)


@pytest.mark.slow
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_what_is_typed_is_looked_for_at_once_and_each_skill_says_why(
    open_studio: Open, skills: Path, size: tuple[int, int]
) -> None:
    async with open_studio(skills, size) as pilot:
        await pilot.press("F")
        screen = await found(pilot)
        assert "enter a prompt for an agent" in screen
        await pilot.press(*"fill", "space", *"pdf")
        screen = await found(pilot)
        assert "2 of 4 skills match, 2 compete" in screen
        assert re.findall(r"│ (\d|·) ([\w.]+)  ", screen) == [
            ("1", "pdf"), ("2", "forms"), ("·", "tool.cloud"), ("·", "git")]  # fmt: skip
        assert "competes with forms (forms)" in screen
        await pilot.press("down")
        assert "competes with pdf (pdf)" in await found(pilot)
        screen = await found(pilot, "a kubernets cluster and a database")
        assert "similar topic kubernetes: kubernets differs by 1 letter" in screen
        assert "topic database" in screen
        assert "about 10 of 100 tokens: cut by" in screen
        screen = await found(pilot, "k8s")
        assert "synonym of topic kubernetes: k8s" in screen
        assert "1 of 4 skills match" in screen


@pytest.mark.slow
@pytest.mark.parametrize("size", NARROW_FIRST)
async def test_enter_opens_the_skill_and_the_prompt_is_there_again(
    open_studio: Open, skills: Path, size: tuple[int, int]
) -> None:
    async with open_studio(skills, size) as pilot:
        await pilot.press("F")
        await found(pilot, "commit my changes")
        await pilot.press("enter")
        await settled(pilot)
        assert bench(pilot).open.skill == "git"
        await pilot.press("escape", "F")
        screen = await found(pilot)
        assert "git (open)" in screen
        assert dialog(pilot).query_one(Input).value == "commit my changes"
        await pilot.press("escape")
        await settled(pilot)
        assert bench(pilot).open.skill == "git"


async def test_what_is_unsaved_is_what_is_found(open_studio: Open, skills: Path) -> None:
    async with open_studio(skills) as pilot:
        await bench(pilot).open_file("git")
        await settled(pilot)
        buffer = bench(pilot).open.buffer
        assert buffer is not None
        from skillstudio.text.diagnostic import Splice

        at = buffer.text.index("Write commit")
        buffer.replace([Splice(at, at, "Zebras: no. ")], "typed")
        await pilot.press("escape", "F")
        screen = await found(pilot, "zebras")
        assert "1 of 4 skills match" in screen
        assert "1 git (open)" in screen


async def test_tab_goes_to_the_reasons_and_escape_goes_out_one_level(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills, (80, 24)) as pilot:
        await pilot.press("F")
        await found(pilot, "fill in a pdf form, k8s")
        reasons = dialog(pilot).query_one(ViewLines)
        await pilot.press("tab")
        assert reasons.has_focus
        before = dialog(pilot).query_one(Rows).cursor
        await pilot.press("down", "pagedown")
        assert dialog(pilot).query_one(Rows).cursor == before
        await pilot.press("escape")
        assert dialog(pilot).query_one(Input).has_focus
        await pilot.press("down")
        assert dialog(pilot).query_one(Rows).cursor == before + 1
        await pilot.press("escape")
        await settled(pilot)
        assert not isinstance(pilot.app.screen, DiscoveryScreen)


@pytest.mark.parametrize(
    ("prompt", "summary"),
    [
        ("", "enter a prompt for an agent"),
        ("   ", "enter a prompt for an agent"),
        ("?!…", "the prompt has no words"),
        ("nothing here speaks of xylophones", "0 of 4 skills match"),
        ("kubernetes " * 1_000, "1 of 4 skills match"),
        ("[red]pdf[/] [@click=app.quit]x", "2 of 4 skills match"),
    ],
)
async def test_prompts_of_every_kind(
    open_studio: Open, skills: Path, prompt: str, summary: str
) -> None:
    async with open_studio(skills, (80, 24)) as pilot:
        await pilot.press("F")
        screen = await found(pilot, prompt)
        assert summary in screen
        assert "\x1b" not in screen
        if "of 4" not in summary:
            await pilot.press("enter")
            assert isinstance(pilot.app.screen, DiscoveryScreen), "there is nothing to open"


async def test_what_is_pasted_is_one_line(open_studio: Open, skills: Path) -> None:
    from textual import events

    async with open_studio(skills) as pilot:
        await pilot.press("F")
        await found(pilot)
        field = dialog(pilot).query_one(Input)
        pilot.app.post_message(events.Paste("fill in\n\x1b[2Jthe PDF\r\nform\n"))
        await pilot.pause()
        await found(pilot)
        assert field.value == "fill in ␛[2Jthe PDF form"


async def test_synonyms_that_cannot_be_read_are_said(open_studio: Open, skills: Path) -> None:
    (skills / "cloud" / "knowledge" / "synonyms.yaml").write_text("kubernetes: [k8s\n]: {\n")
    async with open_studio(skills) as pilot:
        await pilot.press("F")
        screen = await found(pilot, "kubernetes")
        assert "! cloud: knowledge/synonyms.yaml:" in screen


async def test_nothing_of_a_skill_is_markup(open_studio: Open, skills: Path) -> None:
    text = '---\nname: "[red]x"\ndescription: "pdf [/] \\e[31m [@click=app.quit]y"\n---\n'
    (skills / "git" / "SKILL.md").write_text(text)
    async with open_studio(skills) as pilot:
        await pilot.press("F")
        screen = await found(pilot, "y")
        assert "[red]x" in screen
        assert "[/] ␛[31m [@click=app.quit]y" in screen


async def test_the_last_prompt_wins_and_what_came_before_is_given_up(
    open_studio: Open, skills: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, given_up = threading.Event(), threading.Event()
    whole = Discovering.find

    def find(self: Discovering, prompt: str, is_wanted: object) -> Prompted | None:
        assert callable(is_wanted)
        if prompt == "slow":
            begun.set()
            while is_wanted():
                time.sleep(0.001)
            given_up.set()
            return None
        return whole(self, prompt, is_wanted)

    monkeypatch.setattr(Discovering, "find", find)
    async with open_studio(skills) as pilot:
        await pilot.press("F")
        await found(pilot)
        dialog(pilot).query_one(Input).value = "slow"
        await pilot.pause()
        while not begun.is_set():
            await pilot.pause(0.001)
        screen = await found(pilot, "pdf")
        assert given_up.wait(PATIENCE)
        assert "2 of 4 skills match" in screen
        dialog(pilot).query_one(Input).value = "slow"
        given_up.clear()
        await pilot.pause()
        await pilot.press("escape")
        await settled(pilot)
        assert given_up.wait(PATIENCE), "leaving gives it up, too"


async def test_a_skill_that_cannot_be_read_is_reported_and_costs_no_other(
    open_studio: Open, skills: Path
) -> None:
    async with open_studio(skills) as pilot:
        (skills / "git" / "SKILL.md").unlink()
        (skills / "git").rmdir()
        await pilot.press("F")
        screen = await found(pilot, "pdf")
        assert "2 of " in screen
        await pilot.press("escape")


async def test_without_a_skill_it_says_why_not(open_studio: Open, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    async with open_studio(tmp_path / "empty") as pilot:
        await pilot.press("F")
        await pilot.pause()
        assert not isinstance(pilot.app.screen, DiscoveryScreen)


@pytest.mark.slow_cases("size2")
@pytest.mark.parametrize("size", [(60, 16), (45, 20), (200, 50)])
async def test_a_dialog_that_changes_its_size_stays_whole(
    open_studio: Open, skills: Path, size: tuple[int, int]
) -> None:
    async with open_studio(skills, (80, 24)) as pilot:
        await pilot.press("F")
        await found(pilot, "fill in a pdf form")
        await pilot.resize_terminal(*size)
        await pilot.pause()
        screen = await found(pilot)
        assert "1 forms" in screen
        assert "2 pdf" in screen
        await pilot.press("down", "escape")
        await settled(pilot)
        assert not isinstance(pilot.app.screen, DiscoveryScreen)
