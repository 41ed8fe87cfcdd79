"""The application: one workbench at a time, themes and keys from the user's folders."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from textual import _time, events
from textual.await_complete import AwaitComplete
from textual.geometry import Offset

from skillstudio.files.state import state_folder
from skillstudio.session.commands.commands import COMMANDS
from skillstudio.session.commands.keymap import Keymap, default_keymap, read_keymap
from skillstudio.session.drafts import Drafts, config_folder
from skillstudio.session.session import Session
from skillstudio.session.workspace import Workspace
from skillstudio.text.safe import safe_text
from skillstudio.text.source import Source, decode
from skillstudio.tui.alt_keys import read_alt_as_a_key
from skillstudio.tui.bindings import with_keys
from skillstudio.tui.dialog import Dialog, SingleAnswerScreen
from skillstudio.tui.input_gate import InputGate
from skillstudio.tui.messages import OpenPath
from skillstudio.tui.palette import Themed
from skillstudio.tui.sighup import on_hangup

if TYPE_CHECKING:
    from rich.console import RenderableType
    from textual.screen import Screen

    from skillstudio.tui.screens.workbench import Workbench

_UNTIL_READ = 30.0
"""Seconds that a sentence of the start stands there; a click or key takes it away."""
PATIENCE = 2.0
"""Seconds that a signal leaves for giving the terminal back."""


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
        told: Sequence[str] = (),
        by_hand: bool = True,
    ) -> None:
        """`config` and `state` are the user's folders; `watch` follows the disk; `told` are
        sentences to begin with; `by_hand` is not set by what types faster than people."""
        self._config = config_folder() if config is None else config
        self._state = state_folder() if state is None else state
        read_alt_as_a_key()
        super().__init__(_theme_folders(self._config), self._state, watch)
        self._path = path
        self._told = told
        self.HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (60, "-narrow"), (100, "-wide")]
        self.VERTICAL_BREAKPOINTS = [(0, "-short"), (16, "-tall")]
        self._watch = watch
        self.keymap = default_keymap()
        self.animation_level = "none"
        self._session: Session | None = None
        self._gate = InputGate(by_hand)
        self.failure: Exception | None = None
        """What made the application stop before its time."""

    @property
    def cursor_position(self) -> Offset:
        """Where the terminal's own cursor is put: screen readers and magnifiers follow it.

        It is asked for at every drawing, so that it is where the focused widget is by then.
        """
        focused = self.focused if self.is_running else None
        there = getattr(focused, "cursor_screen_offset", None)
        return there if isinstance(there, Offset) else self._cursor_position

    @cursor_position.setter
    def cursor_position(self, place: Offset) -> None:
        self._cursor_position = place

    def on_mount(self) -> None:
        self.start_themes()
        self.keymap = self._read_keymap()
        self.set_keymap(
            {
                command.id: ",".join(self.keymap.keys[command.id])
                for command in COMMANDS
                if command.context in ("editor", "run", "preview") and self.keymap.keys[command.id]
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
        if not self.is_headless and sys.platform != "win32":
            self._leave_on_signal()
        self._open(self._path)
        for sentence in self._told:
            self.notify(safe_text(sentence), severity="warning", markup=False, timeout=_UNTIL_READ)

    def _leave_on_signal(self) -> None:
        """Give the terminal back before a signal ends the program, and end with the terminal."""
        import asyncio
        import signal

        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._end, 128 + number)
        if sys.__stdin__ is not None:
            gone = partial(loop.call_soon_threadsafe, self._end, 128 + signal.SIGHUP)
            on_hangup(sys.__stdin__.fileno(), gone)

    def _end(self, status: int) -> None:
        # With the terminal gone, taking leave of it can wait for ever.
        last = threading.Timer(PATIENCE, os._exit, [status])
        last.daemon = True
        last.start()
        try:
            if self._session is not None:
                self._session.keep_drafts(time.time())
        except OSError as error:
            self.failure = self.failure or error
        self.exit(status)

    def _open(self, path: str | None) -> None:
        if path is None:
            from skillstudio.tui.screens.welcome import Welcome

            self.push_screen(Welcome(_examples(), os.getcwd(), self.keymap))
            return
        from skillstudio.tui.commands.table import HANDLERS
        from skillstudio.tui.screens.workbench import Workbench

        workspace, file = Workspace.of(path)
        session = self._session = Session(workspace, Drafts(os.path.join(self._state, "drafts")))
        workbench = with_keys(Workbench, self.keymap)
        self.push_screen(workbench(session, self.keymap, HANDLERS, file, self._watch))

    def on_workbench_ready(self, message: Workbench.Ready) -> None:
        """Offer the drafts of an earlier session."""
        from skillstudio.tui.commands.navigation import offer_drafts

        workbench = message.workbench
        workbench.run_worker(offer_drafts(workbench), group="commands", exit_on_error=False)

    async def on_open_path(self, message: OpenPath) -> None:
        """Open another skill or folder in the place of what is open."""
        while len(self.screen_stack) > 1:
            await self.pop_screen()
        self._open(message.path)

    # Keys, clicks and pastes.

    async def on_event(self, event: events.Event) -> None:
        """Drop input that was meant for a dialog which is answered, or came before a question."""
        if isinstance(event, events.InputEvent | events.Paste) and not event.is_forwarded:
            screen = self.screen_stack[-1] if self.screen_stack else None
            if isinstance(screen, Dialog) and not screen.is_seen(event):
                return
            if not self._gate.lets(event, isinstance(screen, SingleAnswerScreen)):
                return
        await super().on_event(event)

    def pop_screen(self) -> AwaitComplete:
        self._gate.close()
        return super().pop_screen()

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        """Note when something is drawn: input that was made before is for what was there.

        The terminal may show it, and the user answer, before Textual is done with it.
        """
        begun = _time.get_time()
        super()._display(screen, renderable)
        if self.screen_stack and screen is self.screen_stack[-1]:
            self._gate.open(begun)
            if isinstance(screen, Dialog):
                screen.note_shown(begun)

    def _handle_exception(self, error: Exception) -> None:
        self.failure = self.failure or error
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """Leave the screen without a traceback on it; `stopped` tells of the failure."""
        self._close_messages_no_wait()

    def stopped(self, error: Exception) -> str:
        """What to say of a failure, once the drafts are kept."""
        from skillstudio.session.crash import report_crash

        folder = os.path.join(self._state, "reports")
        advice = "Unsaved text is kept and offered on the next start."
        said = report_crash(error, folder, sys.argv[1:], advice)
        try:
            if self._session is not None:
                self._session.keep_drafts(time.time())
        except OSError as trouble:
            said += f"; the last draft could not be kept: {trouble.strerror or trouble}"
        return said

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


def open_workbench(path: str | None, told: Sequence[str] = ()) -> int:
    """Run the workbench until the user quits; its exit code. `told` is told once, at the start."""
    app = Studio(path, told=told)
    try:
        status = app.run()
    except Exception as error:
        app.failure = app.failure or error
        status = None
    if app.failure is not None:
        print(app.stopped(app.failure), file=sys.stderr)
        return 1
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
