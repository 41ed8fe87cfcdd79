"""Migrating, converting and exporting the open skill: the aim, a preview, then the result."""

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
from skillstudio.tui.command_runner import CommandRunner
from skillstudio.tui.commands.new import open_made
from skillstudio.tui.screens.chooser import Answer, Chooser
from skillstudio.tui.screens.move import MoveScreen
from skillstudio.tui.words import joined, plain


async def migrate(bench: CommandRunner) -> None:
    """Show the diff and the report, then change the text, unsaved, as one step of undo."""
    if not bench.settle() or bench.skill is None:
        return
    try:
        moved = await asyncio.to_thread(migration, *_files(bench, bench.skill))
    except (NotMoved, OSError) as error:
        bench.say(f"not migrated: {'; '.join(str(error).splitlines())}", bad=True)
        return
    if moved is None:
        bench.say("every manifest is of the latest version of its dialect")
        return
    screen = MoveScreen(f"Migrate: {moved.aim.title}", lambda _: moved)
    agreed = await bench.app.push_screen_wait(screen)
    if isinstance(agreed, MovePlan):
        await _change(bench, bench.skill, agreed)


async def _change(bench: CommandRunner, skill: str, moved: MovePlan) -> None:
    (path, (old, new)), *_ = moved.texts.items()
    if not await bench.open_file(skill, path) or bench.buffer is None:
        return
    if bench.buffer.read_only or bench.buffer.text != old:
        why = bench.buffer.read_only or "the text has changed meanwhile"
        bench.say(f"not migrated: {why}", bad=True)
        return
    bench.buffer.replace(splices_between(bench.buffer.text, new), "Migrate the manifest")
    await bench.show_view("edit")
    bench.go_to_pane("view")
    bench.say(f"{path} is migrated, unsaved: {moved.aim.title}")


async def convert(bench: CommandRunner) -> None:
    """Choose a system and a folder, and open the skill that is made there."""
    await _move(bench, "convert", "Convert to")


async def export(bench: CommandRunner) -> None:
    """Choose a target and a folder, and open the copy that is made there."""
    await _move(bench, "export", "Export for")


async def _move(bench: CommandRunner, verb: Verb, title: str) -> None:
    if not bench.settle() or bench.skill is None:
        return
    found = {each.to: each for each in aims(verb)}
    answers = [_answer(each) for each in found.values()]
    chosen = await bench.app.push_screen_wait(Chooser(title, answers))
    if chosen is None:
        return
    aim = found[chosen]
    try:
        tree, settings = _files(bench, bench.skill)
    except OSError as error:
        bench.say(f"the settings cannot be read: {error.strerror or error}", bad=True)
        return
    start = proposed(aim, bench.session.workspace.path(bench.skill))
    screen = MoveScreen(f"{title} {aim.title}", partial(look, aim, tree, settings), start)
    made = await bench.app.push_screen_wait(screen)
    if isinstance(made, str):
        await open_made(bench, made)


def _files(bench: CommandRunner, skill: str) -> tuple[FileTree, SkillSettings]:
    """A skill with its unsaved texts. Raises OSError where its settings cannot be read."""
    workspace = bench.session.workspace
    return workspace.files(skill, bench.session.unsaved()), workspace.settings(skill)


def _answer(aim: Aim) -> Answer:
    line = joined(plain(f"{aim.to:<20}"), plain(aim.title, "dim"))
    return Answer(aim.to, f"{aim.to} {aim.title}", line)


MOVES: dict[Verb, Callable[[CommandRunner], Awaitable[None]]] = {
    "migrate": migrate,
    "convert": convert,
    "export": export,
}
