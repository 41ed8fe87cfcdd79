"""The command table of the workbench.

The modules of the commands are imported when one of theirs is run first: together they would take a
tenth of the time until the first frame.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module

from skillstudio.session.commands.commands import COMMANDS
from skillstudio.tui.screens.workbench import Handler, Workbench
from skillstudio.tui.widgets.views import VIEWS


def _at_once(act: Callable[[Workbench], None]) -> Handler:
    async def run(workbench: Workbench) -> None:
        act(workbench)

    return run


def handler_of(id_: str) -> Handler:
    """The handler of a command that one of `MODULES` or `OF_RUNS` has."""
    for module, names in MODULES.items():
        if id_ in names:
            function = getattr(import_module(f"skillstudio.tui.commands.{module}"), names[id_])
            handler: Handler = partial(function, **_ARGUMENTS.get(id_, {}))
            return handler
    tables = (import_module(f"skillstudio.tui.commands.{name}").HANDLERS for name in OF_RUNS)
    last: Handler = next(table[id_] for table in tables if id_ in table)
    return last


def _make_handler(id_: str) -> Handler:
    async def run(workbench: Workbench) -> None:
        await handler_of(id_)(workbench)

    return run


def _in_editor(action: str) -> Handler:
    async def go(workbench: Workbench) -> None:
        await workbench.go_to_view("edit")
        if workbench.views.editor is not None:
            await workbench.views.editor.run_action(action)

    return go


MODULES: dict[str, dict[str, str]] = {
    "navigation": {
        "help.show": "show_help",
        "help.palette": "show_palette",
        "skill.rescan": "rescan",
        "skill.cancel": "cancel_scan",
        "skill.goto": "go_to_skill",
        "editor.outline": "go_to_outline",
        "editor.vim": "toggle_vim",
        "pane.jump": "jump",
        "pane.resize": "resize_panes",
        "theme.choose": "choose_theme",
        "app.open": "open_folder",
        "app.quit": "quit_",
    },
    "files": {
        "file.save": "save",
        "file.save-all": "save_all",
        "file.save-skill": "save_skill",
        "file.conflict": "conflict",
        "file.external": "external",
        "file.copy": "copy",
        "file.copy-path": "copy_path",
        "edit.undo": "undo",
        "edit.redo": "undo",
    },
    "tree": {
        "file.new": "create",
        "file.rename": "rename",
        "file.delete": "delete",
        "file.restore": "restore",
    },
    "problems": {
        "problem.next": "go",
        "problem.previous": "go",
        "problem.fix": "fix",
        "problem.copy": "copy",
        "problem.explain": "explain",
    },
    "skills": {
        "skill.new": "new",
        "skill.migrate": "migrate",
        "skill.export": "export",
        "skill.targets": "targets",
        "skill.select-target": "select_target",
        "skill.update": "update",
        "skill.add-operation": "add_operation",
    },
    "tour": {
        "help.tour": "show",
        "help.tour-close": "close",
        "help.tour-leave": "leave",
    },
    "following": {
        "app.follow": "follow",
        "follow.test": "test",
        "follow.problem": "go_to_problem",
    },
    "comparing": {
        "compare.old": "choose",
        "compare.new": "choose",
        "compare.text": "texts",
        "compare.details": "details",
        "compare.copy": "copy",
        "compare.waive": "waive",
        "compare.bump": "bump",
    },
}
"""The functions of the commands, by the module that has them."""
_ARGUMENTS: dict[str, dict[str, object]] = {
    "edit.redo": {"again": True},
    "problem.next": {"way": 1},
    "problem.previous": {"way": -1},
    "compare.old": {"side": "old"},
    "compare.new": {"side": "new"},
}
OF_RUNS = ("running", "previewing", "testing")
"""The modules of the commands of runs, previews and tests; each has `HANDLERS`."""

HANDLERS: dict[str, Handler] = {
    **{id_: _make_handler(id_) for names in MODULES.values() for id_ in names},
    **{
        command.id: _make_handler(command.id)
        for command in COMMANDS
        if command.category in ("run", "preview", "tests")
    },
    "skill.run": _make_handler("skill.run"),
    "skill.filter": _at_once(Workbench.open_filter),
    "editor.complete": _in_editor("complete"),
    "editor.find": _in_editor("find"),
    "editor.go-to-line": _in_editor("go_to_line"),
    "editor.wrap": _in_editor("wrap"),
    **{f"view.{view}": partial(Workbench.switch_view, view=view) for view, _, _ in VIEWS},
    **{
        f"pane.{pane}": _at_once(partial(Workbench.go_to_pane, pane=pane))
        for pane in ("skills", "view", "problems")
    },
    "pane.larger": _at_once(lambda workbench: workbench.panes.grow(2)),
    "pane.smaller": _at_once(lambda workbench: workbench.panes.grow(-2)),
    "pane.zoom": _at_once(Workbench.zoom),
    "pane.next": _at_once(Workbench.next_pane),
    "app.back": _at_once(Workbench.back),
    "app.home": Workbench.go_home,
}
"""Command id to its handler; the wizard's screen handles its own."""
