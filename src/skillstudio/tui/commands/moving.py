"""Commands that migrate, convert and export the open skill."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from skillstudio.files.tree import FileTree
from skillstudio.session.conflict import splices_between
from skillstudio.session.moving import (
    Aim,
    MovePlan,
    NotMoved,
    Verb,
    aims,
    look,
    migration,
    proposed,
)
from skillstudio.settings.settings import SkillSettings
from skillstudio.tui.commands.new import open_made
from skillstudio.tui.screens.chooser import Answer, Chooser
from skillstudio.tui.screens.move import MoveScreen
from skillstudio.tui.screens.workbench import Workbench
from skillstudio.tui.words import joined, plain


async def migrate(workbench: Workbench) -> None:
    """Show the diff and the report, then change the text as one undo step."""
    if not workbench.views.settle() or workbench.open.skill is None:
        return
    try:
        moved = await asyncio.to_thread(migration, *_files(workbench, workbench.open.skill))
    except (NotMoved, OSError) as error:
        workbench.say(f"not migrated: {'; '.join(str(error).splitlines())}", bad=True)
        return
    if moved is None:
        workbench.say("every manifest is of the latest version of its dialect")
        return
    screen = MoveScreen(f"Migrate: {moved.aim.title}", lambda _: moved)
    agreed = await workbench.app.push_screen_wait(screen)
    if isinstance(agreed, MovePlan):
        await _change(workbench, workbench.open.skill, agreed)


async def _change(workbench: Workbench, skill: str, moved: MovePlan) -> None:
    (path, (old, new)), *_ = moved.texts.items()
    if not await workbench.open_file(skill, path) or workbench.open.buffer is None:
        return
    if workbench.open.buffer.read_only or workbench.open.buffer.text != old:
        why = workbench.open.buffer.read_only or "the text has changed meanwhile"
        workbench.say(f"not migrated: {why}", bad=True)
        return
    workbench.open.buffer.replace(
        splices_between(workbench.open.buffer.text, new), "Migrate the manifest"
    )
    await workbench.show_view("edit")
    workbench.go_to_pane("view")
    workbench.say(f"{path} is migrated, unsaved: {moved.aim.title}")


async def convert(workbench: Workbench) -> None:
    """Choose a dialect and a folder, and open the new skill."""
    await _move(workbench, "convert", "Convert to")


async def export(workbench: Workbench) -> None:
    """Choose a target and a folder, and open the copy."""
    await _move(workbench, "export", "Export for")


async def _move(workbench: Workbench, verb: Verb, title: str) -> None:
    if not workbench.views.settle() or workbench.open.skill is None:
        return
    found = {each.to: each for each in aims(verb)}
    answers = [_answer(each) for each in found.values()]
    chosen = await workbench.app.push_screen_wait(Chooser(title, answers))
    if chosen is None:
        return
    aim = found[chosen]
    try:
        tree, settings = _files(workbench, workbench.open.skill)
    except OSError as error:
        workbench.say(f"the settings cannot be read: {error.strerror or error}", bad=True)
        return
    start = proposed(aim, workbench.session.workspace.path(workbench.open.skill))
    screen = MoveScreen(f"{title} {aim.title}", partial(look, aim, tree, settings), start)
    made = await workbench.app.push_screen_wait(screen)
    if isinstance(made, str):
        await open_made(workbench, made)


def _files(workbench: Workbench, skill: str) -> tuple[FileTree, SkillSettings]:
    """The files of a skill, unsaved texts included, and its settings. Raises OSError."""
    workspace = workbench.session.workspace
    return workspace.files(skill, workbench.session.unsaved()), workspace.settings(skill)


def _answer(aim: Aim) -> Answer:
    line = joined(plain(f"{aim.to:<20}"), plain(aim.title, "dim"))
    return Answer(aim.to, f"{aim.to} {aim.title}", line)


MOVES: dict[Verb, Callable[[Workbench], Awaitable[None]]] = {
    "migrate": migrate,
    "convert": convert,
    "export": export,
}
