"""Pictures of the screens, drawn without a terminal and the same on every machine.

Each is a short journey by keys over a copy of the examples, so that a picture cannot show what
the program does not do. Nothing of the machine that drew it is in a picture.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import NamedTuple

from screenshots.draw.svg import tidy
from screenshots.draw.workbench import (
    hide_clock,
    open_run,
    open_skill,
    put_worklog,
    run_through,
    settled,
    shoot,
    studio,
    take_sample,
)
from textual.pilot import Pilot
from textual.widgets import Input

from skillstudio.session.commands.keymap import default_keymap
from skillstudio.tui.app import Studio
from skillstudio.tui.screens.welcome import Welcome
from skillstudio.tui.screens.workbench import Workbench

Journey = Callable[[Pilot[int]], Awaitable[None]]


class Screenshot(NamedTuple):
    """What one picture shows."""

    journey: Journey
    width: int
    height: int
    theme: str = "skillstudio-dark"
    colours: bool = True


def draw(names: Iterable[str] = ()) -> Iterator[tuple[str, str]]:
    """File names and their SVG texts; all pictures by default. Raises OSError."""
    for name in names or PICTURES:
        yield f"{name}.svg", _svg(name, PICTURES[name])


def _svg(name: str, picture: Screenshot) -> str:
    with studio(picture.journey is not _welcome, picture.colours) as app:
        return tidy(asyncio.run(_shoot(app, picture)), name)


async def _shoot(app: Studio, picture: Screenshot) -> str:
    size = (picture.width, picture.height)
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(pilot)
        app.theme = picture.theme
        await picture.journey(pilot)
        return await shoot(pilot)


# Journeys.


async def type_after(pilot: Pilot[int], bench: Workbench, after: str, text: str) -> None:
    """Type behind the first place where `after` stands in the open file."""
    if bench.views.editor is not None and bench.open.buffer is not None:
        bench.views.editor.go_to(bench.open.buffer.text.index(after) + len(after))
    bench.go_to_pane("view")
    await pilot.press(*("space" if key == " " else KEYS.get(key, key) for key in text))
    await pilot.pause()


KEYS = {":": "colon", "-": "minus", ",": "comma", '"': "quotation_mark", "{": "left_curly_bracket"}


async def _edit(pilot: Pilot[int]) -> None:
    """A colon that makes agents drop the skill."""
    bench = await open_skill(pilot, "worklog")
    await type_after(pilot, bench, "Create org-mode worklogs", ":")


async def _fix(pilot: Pilot[int]) -> None:
    await _edit(pilot)
    await pilot.press("f2")


async def _form(pilot: Pilot[int]) -> None:
    await open_skill(pilot, "worklog")
    await pilot.press("escape", "2")
    await settled(pilot)
    await pilot.press("down", "down")


async def _compare(pilot: Pilot[int]) -> None:
    """Two changes that are not saved, held against what is."""
    bench = await open_skill(pilot, "worklog")
    await type_after(pilot, bench, "Use at the end of a session", " or at a break")
    await type_after(pilot, bench, 'pattern: "^', "20")
    await pilot.press("right", "right", "right", "right", "delete", "2")
    await pilot.press("escape", "escape", "5")
    await settled(pilot)
    await pilot.press("o")
    await settled(pilot)
    await pilot.press(*"saved", "enter")
    await settled(pilot)


async def _wide(pilot: Pilot[int]) -> None:
    """A pattern that accepts less, beside what that means."""
    if isinstance(screen := pilot.app.screen, Workbench):
        commit(screen.session.workspace.root)
    bench = await open_skill(pilot, "worklog")
    await type_after(pilot, bench, 'pattern: "^', "20")
    await pilot.press("right", "right", "right", "right", "delete", "2")
    await settled(pilot)


async def _run_wrong(pilot: Pilot[int]) -> None:
    """A number that is none."""
    await open_run(pilot, "search")
    await pilot.press("e", *"ruff", "enter")
    await settled(pilot)
    await pilot.press(*"many")
    await settled(pilot)


async def _run_done(pilot: Pilot[int]) -> None:
    """A sample, run."""
    bench = await open_run(pilot, "store")
    await take_sample(pilot)
    await run_through(pilot, bench)
    hide_clock(bench)


async def _preview_outputs(pilot: Pilot[int]) -> None:
    """Where a worklog would lie, and the one that is there already."""
    bench = await open_run(pilot, "scripts/new-worklog.sh", "worklog")
    put_worklog(bench)
    await take_sample(pilot)
    await pilot.press("4")
    await settled(pilot)


async def _preview_changes(pilot: Pilot[int]) -> None:
    """What an analysis of the examples' history wrote; the run's name is always the same."""
    bench = await open_run(pilot, "scripts/analyze.py", "analyze-git")
    commit(bench.session.workspace.root)
    await take_sample(pilot, 1)  # The first one has no commits to count.
    await run_through(pilot, bench)
    await pilot.press("4")
    await settled(pilot)
    hide_clock(bench)


def commit(folder: str) -> None:
    """Make a folder a repository with one commit, the same on every machine."""
    from skillstudio.files.git import ask_git

    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    ask_git(folder, "init", "--quiet", "--template=", "--initial-branch=main")
    ask_git(folder, "add", "--all")
    ask_git(folder, *who, "commit", "--quiet", "--message=Begin", "--date=2025-06-01T12:00:00Z")


async def _follow(pilot: Pilot[int]) -> None:
    """Another program takes a value away that an input had."""
    bench = next(screen for screen in pilot.app.screen_stack if isinstance(screen, Workbench))
    workspace = bench.session.workspace
    commit(workspace.root)
    path = workspace.path("worklog", "SKILL.md")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    before, after = 'pattern: "^', 'pattern: "^20'
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(before, after, 1))
    await pilot.press("escape", "F")
    bench.look_at_disk(frozenset({path}))
    while bench.live_outcome is None or bench.views.hidden_tests is None:
        await pilot.pause()
    await settled(pilot)
    changes = bench.follower.changes
    changes[0] = changes[0]._replace(time="12:00:00")
    bench.refresh_all()


async def begin_new(pilot: Pilot[int], line: str) -> None:
    """The wizard, with a line of its first step taken."""
    from skillstudio.tui.screens.new import NewScreen
    from skillstudio.tui.widgets.new.templates import TemplateList

    await pilot.press("escape", "N")
    while not isinstance(pilot.app.screen, NewScreen):
        await pilot.pause()
    await settled(pilot)
    templates = pilot.app.screen.query_one(TemplateList)
    templates.rows.cursor = templates.row_of(line)
    await pilot.press("enter")
    await settled(pilot)


async def _new(pilot: Pilot[int], template: str, folder: str) -> None:
    """The questions of a template, the folder typed."""
    await begin_new(pilot, template)
    await pilot.press(*("space" if key == " " else key for key in folder))
    await settled(pilot)


async def _new_scripts(pilot: Pilot[int]) -> None:
    """What was read from scripts."""
    from skillstudio.tui.screens.dialogs import PromptDialog

    bench = next(screen for screen in pilot.app.screen_stack if isinstance(screen, Workbench))
    root = bench.session.workspace.root
    await begin_new(pilot, "scripts")
    while not isinstance(pilot.app.screen, PromptDialog):
        await pilot.pause()
    pilot.app.screen.query_one(Input).value = os.path.join(root, "analyze-git", "scripts")
    await pilot.press("enter")
    await settled(pilot)


async def _new_wrong(pilot: Pilot[int]) -> None:
    """A name that agents refuse."""
    await _new(pilot, "script-tool", "Word Count")


async def _new_preview(pilot: Pilot[int]) -> None:
    await _new(pilot, "script-tool", "word-count")
    await pilot.press("ctrl+n")
    await settled(pilot)
    await pilot.press("down", "down")


async def _completion(pilot: Pilot[int]) -> None:
    bench = await open_skill(pilot, "memory")
    await type_after(pilot, bench, '"db.read", "db.write"', ', ""')
    await pilot.press("left", "ctrl+space")


async def _palette(pilot: Pilot[int]) -> None:
    await _edit(pilot)
    await pilot.press("ctrl+p", *"prob")


async def _help(pilot: Pilot[int]) -> None:
    await _edit(pilot)
    await pilot.press("f1")


async def _welcome(pilot: Pilot[int]) -> None:
    await pilot.app.switch_screen(Welcome("~/skillstudio/examples", "~/skills", default_keymap()))


PICTURES = {
    "edit-120x36": Screenshot(_edit, 120, 36),
    "edit-80x24": Screenshot(_edit, 80, 24),
    "fix-120x36": Screenshot(_fix, 120, 36),
    "form-120x36": Screenshot(_form, 120, 36),
    "form-80x24": Screenshot(_form, 80, 24),
    "compare-120x36": Screenshot(_compare, 120, 36),
    "compare-80x24": Screenshot(_compare, 80, 24),
    "run-120x36": Screenshot(_run_done, 120, 36),
    "run-80x24": Screenshot(_run_wrong, 80, 24),
    "preview-120x36": Screenshot(_preview_changes, 120, 36),
    "preview-80x24": Screenshot(_preview_outputs, 80, 24),
    "wide-240x60": Screenshot(_wide, 240, 60),
    "follow-60x20": Screenshot(_follow, 60, 20),
    "new-80x24": Screenshot(_new_wrong, 80, 24),
    "new-scripts-80x24": Screenshot(_new_scripts, 80, 24),
    "new-120x36": Screenshot(_new_preview, 120, 36),
    "completion-120x36": Screenshot(_completion, 120, 36),
    "palette-80x24": Screenshot(_palette, 80, 24),
    "help-120x36": Screenshot(_help, 120, 36),
    "high-contrast-120x36": Screenshot(_edit, 120, 36, "high-contrast"),
    "welcome-80x24": Screenshot(_welcome, 80, 24),
    "no-color-80x24": Screenshot(_edit, 80, 24, colours=False),
}
"""The pictures by the names of their files, without the `.svg`."""
FIRST = ("edit", "new", "completion", "run", "preview", "compare")
"""The pictures of the README, which are there in light colours, too."""
PICTURES |= {
    f"{name}-120x36-light": PICTURES[f"{name}-120x36"]._replace(theme="skillstudio-light")
    for name in FIRST
}
