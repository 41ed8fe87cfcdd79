"""The command table of the workbench."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from skillstudio.tui.commands import comparing, files, navigation, previewing, problems, running
from skillstudio.tui.screens.workbench import Workbench

if TYPE_CHECKING:
    from skillstudio.session.moving import Verb

Handler = Callable[[Workbench], Awaitable[None]]


def _view(view: str) -> Handler:
    async def show(workbench: Workbench) -> None:
        await workbench.show_view(view)
        workbench.go_to_pane("view")

    return show


def _at_once(act: Callable[[Workbench], None]) -> Handler:
    async def run(workbench: Workbench) -> None:
        act(workbench)

    return run


def _to(pane: str) -> Handler:
    async def go(workbench: Workbench) -> None:
        workbench.go_to_pane(pane)

    return go


async def _save_all(workbench: Workbench) -> None:
    await files.save_all(workbench)


async def _new(workbench: Workbench) -> None:
    from skillstudio.tui.commands.new import begin

    await begin(workbench)


def _moving(verb: Verb) -> Handler:
    async def move(workbench: Workbench) -> None:
        from skillstudio.tui.commands.moving import MOVES

        await MOVES[verb](workbench)

    return move


async def _pack(workbench: Workbench) -> None:
    from skillstudio.tui.commands.pack import pack

    await pack(workbench)


async def _theme(workbench: Workbench) -> None:
    from skillstudio.tui.commands.themes import choose

    await choose(workbench)


def _in_editor(action: str) -> Handler:
    async def go(workbench: Workbench) -> None:
        await workbench.show_view("edit")
        workbench.go_to_pane("view")
        if workbench.views.editor is not None:
            await workbench.views.editor.run_action(action)

    return go


HANDLERS: dict[str, Handler] = {
    "help.show": navigation.show_help,
    "help.palette": navigation.show_palette,
    "file.save": files.save,
    "file.save-all": _save_all,
    "file.conflict": files.conflict,
    "file.external": files.external,
    "file.copy": files.copy,
    "file.copy-path": files.copy_path,
    "edit.undo": files.undo,
    "edit.redo": files.redo,
    "problem.next": problems.following,
    "problem.previous": problems.previous,
    "problem.fix": problems.fix,
    "problem.copy": problems.copy,
    "problem.explain": problems.explain,
    "skill.filter": _at_once(Workbench.open_filter),
    "skill.rescan": navigation.rescan,
    "skill.cancel": navigation.cancel_scan,
    "skill.new": _new,
    "skill.migrate": _moving("migrate"),
    "skill.convert": _moving("convert"),
    "skill.export": _moving("export"),
    "skill.pack": _pack,
    "skill.goto": navigation.go_to_skill,
    "editor.complete": _in_editor("complete"),
    "editor.find": _in_editor("find"),
    "editor.go-to-line": _in_editor("go_to_line"),
    "editor.outline": navigation.go_to_outline,
    "view.edit": _view("edit"),
    "view.form": _view("form"),
    "view.run": _view("run"),
    **running.HANDLERS,
    "view.preview": _view("preview"),
    **previewing.HANDLERS,
    "view.compare": _view("compare"),
    "compare.old": comparing.choose_old,
    "compare.new": comparing.choose_new,
    "compare.text": comparing.texts,
    "compare.waive": comparing.waive,
    "compare.bump": comparing.bump,
    "pane.skills": _to("skills"),
    "pane.view": _to("view"),
    "pane.problems": _to("problems"),
    "pane.next": _at_once(Workbench.next_pane),
    "theme.choose": _theme,
    "app.back": _at_once(Workbench.back),
    "app.open": navigation.open_folder,
    "app.quit": navigation.quit_,
}
"""What each command does; those of the wizard belong to its screen."""
