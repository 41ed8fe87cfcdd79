"""The application: one workbench at a time, themes and keys from the user's folders."""

from __future__ import annotations

import os

from textual.app import App

from skillstudio.session.commands import COMMANDS
from skillstudio.session.desk import Desk
from skillstudio.session.drafts import Drafts, config_folder, state_folder
from skillstudio.session.keymap import Keymap, default_keymap, read_keymap
from skillstudio.session.workspace import Workspace
from skillstudio.text.source import Source, decode
from skillstudio.tui.bindings import with_keys
from skillstudio.tui.messages import OpenPath
from skillstudio.tui.palette import Themed


class Studio(Themed, inherit_bindings=False):
    """skillstudio on the screen."""

    TITLE = "skillstudio"
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        path: str | None = None,
        config: str | None = None,
        state: str | None = None,
        watch: bool = True,
    ) -> None:
        """`config` and `state` are the user's folders; `watch` follows the disk."""
        self._config = config_folder() if config is None else config
        self._state = state_folder() if state is None else state
        super().__init__(_theme_folders(self._config), self._state, watch)
        self._path = path
        self.HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (60, "-narrow"), (100, "-wide")]
        self.VERTICAL_BREAKPOINTS = [(0, "-short"), (16, "-tall")]
        self._watch = watch
        self.keymap = default_keymap()
        self.animation_level = "none"

    def on_mount(self) -> None:
        self.start_themes()
        self.keymap = self._read_keymap()
        self.set_keymap(
            {
                command.id: ",".join(self.keymap.keys[command.id])
                for command in COMMANDS
                if command.context == "editor" and self.keymap.keys[command.id]
            }
        )
        for problem in self.keymap.problems:
            self.notify(
                f"{self.keymap.path}:{problem.line}:{problem.column}: {problem.message}",
                title="Keymap",
                severity="warning",
                markup=False,
                timeout=10,
            )
        self._open(self._path)

    def _open(self, path: str | None) -> None:
        if path is None:
            from skillstudio.tui.screens.welcome import Welcome

            self.push_screen(Welcome(_examples(), os.getcwd()))
            return
        from skillstudio.tui.screens.workbench import Workbench

        workspace, file = Workspace.of(path)
        desk = Desk(workspace, Drafts(os.path.join(self._state, "drafts")))
        self.push_screen(with_keys(Workbench, self.keymap)(desk, self.keymap, file, self._watch))

    async def on_open_path(self, message: OpenPath) -> None:
        """Open another skill or folder in the place of what is open."""
        while len(self.screen_stack) > 1:
            await self.pop_screen()
        self._open(message.path)

    def _read_keymap(self) -> Keymap:
        path = os.path.join(self._config, "keymap.yaml")
        try:
            with open(path, "rb") as file:
                text, _ = decode(file.read())
        except FileNotFoundError:
            return default_keymap()
        except OSError as error:
            self.notify(f"{path}: {error.strerror}", severity="error", markup=False)
            return default_keymap()
        return read_keymap(Source(text, path))


def open_workbench(path: str | None) -> int:
    """Run the workbench until the user quits; its exit code."""
    app: App[int] = Studio(path)
    status = app.run()
    return app.return_code or 0 if status is None else status


def _theme_folders(config: str) -> list[str]:
    from skillstudio.resources import folder

    try:
        own = [folder("themes")]
    except FileNotFoundError:
        own = [""]
    return [*own, os.path.join(config, "themes")]


def _examples() -> str:
    """The folder of the examples, where this installation has one."""
    from skillstudio.resources import folder

    try:
        return folder("examples")
    except FileNotFoundError:
        return ""
