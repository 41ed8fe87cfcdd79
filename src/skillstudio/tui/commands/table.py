"""The command table of the workbench."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module

from skillstudio.session.commands.commands import COMMANDS
from skillstudio.tui.commands import comparing, files, navigation, problems, tree
from skillstudio.tui.screens.workbench import PANES, Handler, Workbench
from skillstudio.tui.widgets.views import VIEWS


def _at_once(act: Callable[[Workbench], None]) -> Handler:
    async def run(workbench: Workbench) -> None:
        act(workbench)

    return run


def _skill(name: str) -> Handler:
    async def run(workbench: Workbench) -> None:
        from skillstudio.tui.commands import skills

        handler: Handler = getattr(skills, name)
        await handler(workbench)

    return run


def _of_runs(id_: str) -> Handler:
    """A handler from a module that is imported at its first use: those of runs are large."""

    async def run(workbench: Workbench) -> None:
        for name in OF_RUNS:
            module = import_module(f"skillstudio.tui.commands.{name}")
            if id_ in module.HANDLERS:
                await module.HANDLERS[id_](workbench)

    return run


def _in_editor(action: str) -> Handler:
    async def go(workbench: Workbench) -> None:
        await workbench.go_to_view("edit")
        if workbench.views.editor is not None:
            await workbench.views.editor.run_action(action)

    return go


OF_RUNS = ("running", "previewing", "testing")
"""The modules of the commands of runs, previews and tests; each has `HANDLERS`."""
_SKILL = ("new", "migrate", "export", "targets", "update")

HANDLERS: dict[str, Handler] = {
    "help.show": navigation.show_help,
    "help.palette": navigation.show_palette,
    "help.tour": navigation.show_tour,
    "file.save": files.save,
    "file.save-all": files.save_all,
    "file.save-skill": files.save_skill,
    "file.conflict": files.conflict,
    "file.external": files.external,
    "file.copy": files.copy,
    "file.copy-path": files.copy_path,
    "edit.undo": files.undo,
    "edit.redo": partial(files.undo, again=True),
    "problem.next": partial(problems.go, way=1),
    "problem.previous": partial(problems.go, way=-1),
    "problem.fix": problems.fix,
    "problem.copy": problems.copy,
    "problem.explain": problems.explain,
    "skill.filter": _at_once(Workbench.open_filter),
    "skill.rescan": navigation.rescan,
    "skill.cancel": navigation.cancel_scan,
    **{f"skill.{name}": _skill(name) for name in _SKILL},
    "skill.add-operation": _skill("add_operation"),
    "skill.goto": navigation.go_to_skill,
    "editor.complete": _in_editor("complete"),
    "editor.find": _in_editor("find"),
    "editor.go-to-line": _in_editor("go_to_line"),
    "editor.outline": navigation.go_to_outline,
    **{f"view.{view}": partial(Workbench.switch_view, view=view) for view, _, _ in VIEWS},
    **tree.HANDLERS,
    "skill.run": _of_runs("skill.run"),
    **{
        command.id: _of_runs(command.id)
        for command in COMMANDS
        if command.category in ("run", "preview", "tests")
    },
    "compare.old": partial(comparing.choose, side="old"),
    "compare.new": partial(comparing.choose, side="new"),
    "compare.text": comparing.texts,
    "compare.waive": comparing.waive,
    "compare.bump": comparing.bump,
    **{f"pane.{pane}": _at_once(partial(Workbench.go_to_pane, pane=pane)) for pane in PANES},
    "pane.jump": navigation.jump,
    "editor.wrap": _in_editor("wrap"),
    "editor.vim": navigation.toggle_vim,
    "pane.larger": _at_once(partial(Workbench.resize_pane, by=2)),
    "pane.smaller": _at_once(partial(Workbench.resize_pane, by=-2)),
    "pane.zoom": _at_once(Workbench.zoom),
    "pane.next": _at_once(Workbench.next_pane),
    "theme.choose": navigation.choose_theme,
    "app.back": _at_once(Workbench.back),
    "app.open": navigation.open_folder,
    "app.quit": navigation.quit_,
}
"""Command id to its handler; the wizard's screen handles its own."""
