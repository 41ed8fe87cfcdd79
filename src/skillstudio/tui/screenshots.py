"""Pictures of the screens, drawn without a terminal and the same on every machine.

Each is a short journey by keys over a copy of the examples, so that a picture cannot show what
the program does not do. Nothing of the machine that drew it is in a picture.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from skillstudio.resources import folder
from skillstudio.tui.app import Studio
from skillstudio.tui.bench import Bench
from skillstudio.tui.screens.welcome import Welcome
from skillstudio.tui.svg import tidy
from skillstudio.tui.viewing import Viewing
from skillstudio.tui.widgets.skill_tree import SkillTree

Journey = Callable[[Pilot[int]], Awaitable[None]]
_BACKGROUND = (
    "survey", "analysis", "completion", "hint", "comparison", "new", "dry-plan", "dry-run",
    "preview",
)  # fmt: skip


class Picture(NamedTuple):
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


def _svg(name: str, picture: Picture) -> str:
    with tempfile.TemporaryDirectory() as place, _same_everywhere(picture.colours):
        examples = os.path.join(place, "examples")
        shutil.copytree(folder("examples"), examples)
        app = Studio(
            None if picture.journey is _welcome else examples,
            config=os.path.join(place, "config"),
            state=os.path.join(place, "state"),
            watch=False,
        )
        drawn = asyncio.run(_shoot(app, picture))
    return tidy(drawn, name)


async def _shoot(app: Studio, picture: Picture) -> str:
    size = (picture.width, picture.height)
    async with app.run_test(size=size, notifications=True) as pilot:
        await _settled(pilot)
        app.theme = picture.theme
        await picture.journey(pilot)
        await _settled(pilot)
        for screen in app.screen_stack:
            for field in screen.query(Input):
                field.cursor_blink = False
            for area in screen.query(TextArea):
                area.cursor_blink = False
        await pilot.pause()
        return app.export_screenshot(title="skillstudio")


async def _settled(pilot: Pilot[int]) -> None:
    """Wait for the work in the background, but not for commands: they may wait for an answer."""
    for _ in range(2):
        await pilot.pause()
        background = [each for each in pilot.app.workers if each.group.startswith(_BACKGROUND)]
        if background:
            await pilot.app.workers.wait_for_complete(background)
        await pilot.pause()


@contextmanager
def _same_everywhere(colours: bool) -> Iterator[None]:
    """The variables that the screen heeds, the same for every user, until the picture is drawn."""
    wanted = {"NO_COLOR": None if colours else "1", "VISUAL": None, "EDITOR": "vi"}
    before = {name: os.environ.get(name) for name in wanted}
    _set_variables(wanted)
    try:
        yield
    finally:
        _set_variables(before)


def _set_variables(values: dict[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


# Journeys.


async def _open(pilot: Pilot[int], skill: str) -> Bench:
    bench = next(screen for screen in pilot.app.screen_stack if isinstance(screen, Bench))
    bench.query_one(SkillTree).go_to_skill(skill)
    await pilot.press("enter")
    await _settled(pilot)
    return bench


async def _type(pilot: Pilot[int], bench: Bench, after: str, text: str) -> None:
    """Type behind the first place where `after` stands in the open file."""
    if bench.editor is not None and bench.buffer is not None:
        bench.editor.go_to(bench.buffer.text.index(after) + len(after))
    await pilot.press(*("space" if key == " " else _KEYS.get(key, key) for key in text))
    await pilot.pause()


_KEYS = {":": "colon", ",": "comma", '"': "quotation_mark", "{": "left_curly_bracket"}


async def _edit(pilot: Pilot[int]) -> None:
    """A colon that makes agents drop the skill."""
    bench = await _open(pilot, "worklog")
    await _type(pilot, bench, "Create org-mode worklogs", ":")


async def _fix(pilot: Pilot[int]) -> None:
    await _edit(pilot)
    await pilot.press("f2")


async def _form(pilot: Pilot[int]) -> None:
    await _open(pilot, "worklog")
    await pilot.press("escape", "2")
    await _settled(pilot)
    await pilot.press("down", "down")


async def _compare(pilot: Pilot[int]) -> None:
    """Two changes that are not saved, held against what is."""
    bench = await _open(pilot, "worklog")
    await _type(pilot, bench, "Use at the end of a session", " or at a break")
    await _type(pilot, bench, 'pattern: "^', "20")
    await pilot.press("right", "right", "right", "right", "delete", "2")
    await pilot.press("escape", "escape", "5")
    await _settled(pilot)
    await pilot.press("o")
    await _settled(pilot)
    await pilot.press(*"saved", "enter")
    await _settled(pilot)


async def _run(pilot: Pilot[int], operation: str, skill: str = "memory") -> Viewing:
    """The run view of a skill, on a machine where nothing confines."""
    from skillstudio.dryrun.rungs.holes import holes
    from skillstudio.dryrun.rungs.host import this_host
    from skillstudio.dryrun.rungs.ladder import Ladder, Rung

    bench = await _open(pilot, skill)
    await pilot.press("escape", "3")
    await _settled(pilot)
    if not isinstance(bench, Viewing) or bench.runner is None or bench.run_view is None:
        raise RuntimeError("the run view is not shown")
    host = this_host()
    told = holes("copy", host._replace(system="linux", root=False), False)
    ladder = Ladder(
        (
            Rung("plan", True, "", ()),
            Rung("copy", True, "", told),
            Rung("confined", False, "this kernel has no Landlock, or it is turned off", ()),
            Rung("isolated", False, "bwrap is not installed", ()),
        ),
        host,
    )
    bench.runner.probe = lambda: ladder
    bench.runner.cwd = os.path.realpath(bench.desk.workspace.root)
    bench.runner.operation = operation
    bench.run_view.look_soon()
    await _settled(pilot)
    return bench


async def _run_wrong(pilot: Pilot[int]) -> None:
    """A number that is none."""
    await _run(pilot, "search")
    await pilot.press("i", *"ruff", "enter")
    await _settled(pilot)
    await pilot.press(*"many")
    await _settled(pilot)


async def _sample(pilot: Pilot[int]) -> None:
    """Take the first sample."""
    from skillstudio.tui.screens.chooser import Chooser

    await pilot.press("f")
    while not isinstance(pilot.app.screen, Chooser):
        await pilot.pause()
    await pilot.press("enter")
    await _settled(pilot)


async def _run_done(pilot: Pilot[int]) -> None:
    """A sample, run; how long it took and its name are the same in every picture."""
    from skillstudio.tui.screens.confirm import Confirm

    bench = await _run(pilot, "store")
    await _sample(pilot)
    view = bench.run_view
    if view is None:
        return
    await pilot.press("f5")
    while view.report is None:
        await pilot.pause(0.02)
        if isinstance(pilot.app.screen, Confirm):
            await pilot.press("y")
    ended = view.report.ended._replace(duration_ms=400.0)
    view.show_report(view.report._replace(ended=ended, run="20261121T101500-123abcd"))


async def _preview_outputs(pilot: Pilot[int]) -> None:
    """Where a worklog would lie, and the one that is there already."""
    bench = await _run(pilot, "scripts/new-worklog.sh", "worklog")
    root = bench.desk.workspace.root
    place = os.path.join(root, "docs", "worklogs")
    os.makedirs(place)
    template = os.path.join(root, "worklog", "templates", "worklog-template.org")
    shutil.copyfile(template, os.path.join(place, "2025-12-31-parser.org"))
    await _sample(pilot)
    await pilot.press("4")
    await _settled(pilot)


async def _preview_changes(pilot: Pilot[int]) -> None:
    """What an analysis of the examples' history wrote; the run's name is always the same."""
    from skillstudio.tui.screens.confirm import Confirm

    bench = await _run(pilot, "scripts/analyze.py", "analyze-git")
    _commit(bench.desk.workspace.root)
    await _sample(pilot)
    await pilot.press("f5")
    while bench.run_view is not None and bench.run_view.report is None:
        await pilot.pause(0.02)
        if isinstance(pilot.app.screen, Confirm):
            await pilot.press("y")
    await pilot.press("4")
    await _settled(pilot)
    view = bench.preview_view
    if view is not None and view.looked is not None and view.looked.report is not None:
        about = "exit 0, 0.4 s · 20261121T101500-123abcd"
        view.show(view.looked._replace(about=about))


def _commit(folder: str) -> None:
    """Make a folder a repository with one commit, the same on every machine."""
    from skillstudio.files.git import ask_git

    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    ask_git(folder, "init", "--quiet", "--template=", "--initial-branch=main")
    ask_git(folder, "add", "--all")
    ask_git(folder, *who, "commit", "--quiet", "--message=Begin", "--date=2025-06-01T12:00:00Z")


async def _begin(pilot: Pilot[int], line: str) -> None:
    """The wizard, with a line of its first step taken."""
    from skillstudio.tui.screens.new import NewScreen
    from skillstudio.tui.widgets.new.templates import TemplateList

    await pilot.press("escape", "N")
    while not isinstance(pilot.app.screen, NewScreen):
        await pilot.pause()
    await _settled(pilot)
    templates = pilot.app.screen.query_one(TemplateList)
    templates.rows.cursor = templates.row_of(line)
    await pilot.press("enter")
    await _settled(pilot)


async def _new(pilot: Pilot[int], template: str, folder: str) -> None:
    """The questions of a template, the folder typed."""
    await _begin(pilot, template)
    await pilot.press(*("space" if key == " " else key for key in folder))
    await _settled(pilot)


async def _new_scripts(pilot: Pilot[int]) -> None:
    """What was read from scripts."""
    from skillstudio.tui.screens.prompt import Prompt

    bench = next(screen for screen in pilot.app.screen_stack if isinstance(screen, Bench))
    root = bench.desk.workspace.root
    await _begin(pilot, "scripts")
    while not isinstance(pilot.app.screen, Prompt):
        await pilot.pause()
    pilot.app.screen.query_one(Input).value = os.path.join(root, "analyze-git", "scripts")
    await pilot.press("enter")
    await _settled(pilot)


async def _new_wrong(pilot: Pilot[int]) -> None:
    """A name that agents refuse."""
    await _new(pilot, "script-tool", "Word Count")


async def _new_preview(pilot: Pilot[int]) -> None:
    await _new(pilot, "script-tool", "word-count")
    await pilot.press("ctrl+n")
    await _settled(pilot)
    await pilot.press("down", "down")


async def _completion(pilot: Pilot[int]) -> None:
    bench = await _open(pilot, "memory")
    await _type(pilot, bench, '"db.read", "db.write"', ', ""')
    await pilot.press("left", "f5")


async def _palette(pilot: Pilot[int]) -> None:
    await _edit(pilot)
    await pilot.press("ctrl+p", *"prob")


async def _help(pilot: Pilot[int]) -> None:
    await _edit(pilot)
    await pilot.press("f1")


async def _welcome(pilot: Pilot[int]) -> None:
    await pilot.app.switch_screen(Welcome("~/skillstudio/examples", "~/skills"))


PICTURES = {
    "edit-120x36": Picture(_edit, 120, 36),
    "edit-80x24": Picture(_edit, 80, 24),
    "fix-120x36": Picture(_fix, 120, 36),
    "form-120x36": Picture(_form, 120, 36),
    "form-80x24": Picture(_form, 80, 24),
    "compare-120x36": Picture(_compare, 120, 36),
    "compare-80x24": Picture(_compare, 80, 24),
    "run-120x36": Picture(_run_done, 120, 36),
    "run-80x24": Picture(_run_wrong, 80, 24),
    "preview-120x36": Picture(_preview_changes, 120, 36),
    "preview-80x24": Picture(_preview_outputs, 80, 24),
    "new-80x24": Picture(_new_wrong, 80, 24),
    "new-scripts-80x24": Picture(_new_scripts, 80, 24),
    "new-120x36": Picture(_new_preview, 120, 36),
    "completion-120x36": Picture(_completion, 120, 36),
    "palette-80x24": Picture(_palette, 80, 24),
    "help-120x36": Picture(_help, 120, 36),
    "light-120x36": Picture(_edit, 120, 36, "skillstudio-light"),
    "high-contrast-120x36": Picture(_edit, 120, 36, "high-contrast"),
    "welcome-80x24": Picture(_welcome, 80, 24),
    "no-color-80x24": Picture(_edit, 80, 24, colours=False),
}
"""The pictures by the names of their files, without the `.svg`."""
