"""The wizard for a new skill within the workbench."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scaffold.new.building import Kept
from textual.pilot import Pilot
from textual.widgets import Input

from skillstudio.scaffold.new.catalogue import user_folder
from skillstudio.tui.screens.new import NewScreen
from skillstudio.tui.widgets.new.templates import TemplateList

from ..conftest import settled, shown

SKILL = "---\nname: {{ name }}\ndescription: Does it. Use when asked.\n---\n# It\n"
NAMED = '_skillstudio: {dialect: agent-skills}\nname: {type: str, default: "{{ _folder_name }}"}\n'


def own(name: str, copier: str, **files: str) -> Path:
    """A template of the user's own; `__` in a file's name stands for `/`."""
    folder = Path(user_folder()) / name
    for path, text in {"copier.yml": copier, **files}.items():
        file = folder / path.replace("__", "/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


@pytest.fixture(autouse=True)
def one_renderer(monkeypatch: pytest.MonkeyPatch) -> None:
    """One process renders for all stories, as long as it lives."""
    monkeypatch.setattr("skillstudio.scaffold.new.interview.Renderer", Kept)


@pytest.fixture
def only_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The package has no template."""
    (tmp_path / "none").mkdir()
    monkeypatch.setattr(
        "skillstudio.scaffold.new.catalogue.folder", lambda _: str(tmp_path / "none")
    )


def wizard(pilot: Pilot[int]) -> NewScreen:
    return next(s for s in pilot.app.screen_stack if isinstance(s, NewScreen))


async def done(pilot: Pilot[int]) -> str:
    """What is shown once nothing of the wizard is under way."""
    while True:
        await settled(pilot)
        groups = {"new", "new-list", "new-read", "new-make"}
        under_way = [each for each in pilot.app.workers if each.group in groups]
        if under_way:
            await pilot.app.workers.wait_for_complete(under_way)
            continue
        await pilot.pause()
        screens = [s for s in pilot.app.screen_stack if isinstance(s, NewScreen)]
        if all(each.is_settled for each in screens):
            return shown(pilot)


async def to_templates(pilot: Pilot[int]) -> str:
    await pilot.press("escape", "N")
    while not isinstance(pilot.app.screen, NewScreen):
        await pilot.pause()
    return await done(pilot)


async def to_questions(pilot: Pilot[int], name: str) -> str:
    """Open the wizard and take a template."""
    await to_templates(pilot)
    await take(pilot, name)
    return await done(pilot)


async def take(pilot: Pilot[int], name: str) -> None:
    """Take a template of the list with the cursor."""
    shown_ = wizard(pilot).query_one(TemplateList)
    shown_.rows.cursor = shown_.row_of(name)
    await pilot.press("enter")
    await done(pilot)


async def type_(pilot: Pilot[int], text: str) -> str:
    """Put a text in the place of what the focused line holds."""
    focused = pilot.app.focused
    assert isinstance(focused, Input)
    focused.value = text
    return await done(pilot)
