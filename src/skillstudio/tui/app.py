"""The application: one workbench at a time, themes and keys from the user's folders."""

from __future__ import annotations

import os
import select
import sys
import threading
import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from textual import _time, events
from textual.await_complete import AwaitComplete
from textual.geometry import Offset

from skillstudio.files.state import config_folder, state_folder
from skillstudio.session.commands.commands import COMMANDS
from skillstudio.session.commands.keymap import Keymap, default_keymap, read_keymap
from skillstudio.session.drafts import Drafts
from skillstudio.session.recent import recent_folders, remember_folder
from skillstudio.session.session import Session
from skillstudio.session.workspace import Workspace
from skillstudio.text.safe import safe_text
from skillstudio.text.source import Source, decode
from skillstudio.tui.bindings import with_keys
from skillstudio.tui.dialog import Dialog, SingleAnswerScreen
from skillstudio.tui.palette import ThemedApp
from skillstudio.tui.terminal_background import read_answers
from skillstudio.tui.terminal_input import InputGate, read_alt_as_a_key
from skillstudio.tui.words import to_clipboard

if TYPE_CHECKING:
    from rich.console import RenderableType
    from textual.screen import Screen
    from textual.widget import Widget

    from skillstudio.session.tour import Tour, TourOrigin
    from skillstudio.tui.screens.dialogs import OpenPath
    from skillstudio.tui.screens.workbench import MouseWanted, Workbench
    from skillstudio.tui.tour import TourRequested

_AFTER_START = 1.0  # Seconds until work that is not urgent.
_NOTICE_SECONDS = 30.0  # How long a notice of the start is shown.
_WIDTHS = ((0, "-tiny"), (60, "-narrow"), (100, "-wide"))
_HEIGHTS = ((0, "-short"), (16, "-low"), (22, "-tall"))
"""The least columns and lines of a screen with a class."""
PATIENCE = 2.0  # Seconds after a signal until the program ends without restoring the terminal.


class Studio(ThemedApp, inherit_bindings=False):
    """The application of the workbench and the welcome screen."""

    TITLE = "skillstudio"
    CSS_PATH = "screens/workbench.tcss"
    """Read with the others: a style sheet that comes with a screen parses all of them again."""
    # The workbench shows notices in its line of keys, and other screens at their lower edge.
    CSS = """
    ToastRack { margin: 0; padding: 0; align: left bottom; }
    ToastHolder { align-horizontal: left; }
    Toast {
        width: 100%;
        max-width: 100%;
        max-height: 8;
        margin: 0;
        padding: 0 1;
        background: $surface;
        border: none;
    }
    Toast.-information, Toast.-warning, Toast.-error { border: none; }
    Toast.-warning { color: $text-warning; }
    Toast.-error { color: $text-error; }
    .-few-colours Rows > .rows--cursor { text-style: underline; }
    .-few-colours Rows:focus > .rows--cursor, .-few-colours Chooser Rows > .rows--cursor {
        background: $background;
        color: $foreground;
        text-style: bold reverse;
    }
    Input > .input--placeholder, Input > .input--suggestion, TextArea .text-area--placeholder {
        color: $foreground 75%;
    }
    """
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        path: str | None = None,
        config: str | None = None,
        state: str | None = None,
        watch: bool = True,
        notices: Sequence[str] = (),
        by_hand: bool = True,
        follow: bool = False,
    ) -> None:
        """`config` and `state` are the user's folders; `watch` follows the disk; `notices` are
        shown at the start; `by_hand` is false for tests, which type faster than people;
        `follow` shows the skills that other programs write."""
        self._config = config_folder() if config is None else config
        self._state = state_folder() if state is None else state
        read_alt_as_a_key()
        read_answers()
        folders = [_resource("themes"), os.path.join(self._config, "themes")]
        super().__init__(folders, self._state, watch)
        self._path = path
        self._notices = notices
        self.HORIZONTAL_BREAKPOINTS = list(_WIDTHS)
        self.VERTICAL_BREAKPOINTS = list(_HEIGHTS)
        self._watch = watch
        self._is_following = follow
        self._mouse = True
        self._tour: Tour | None = None
        """The tour that was begun last, unless the user left it."""
        self._back: TourOrigin | None = None
        """What to open in the next workbench."""
        self.keymap = default_keymap()
        self.animation_level = "none"
        self._session: Session | None = None
        self._gate = InputGate(by_hand)
        self._refused_in: Widget | None = None
        """What had the focus when the text for a dialog was last refused."""
        self.failure: Exception | None = None
        """The error that stopped the application."""

    @property
    def cursor_position(self) -> Offset:
        """Where to put the terminal's own cursor, which screen readers and magnifiers follow.

        Textual reads it at every drawing: it follows the focused widget.
        """
        widget = self.focused if self.is_running else None
        offset = getattr(widget, "cursor_screen_offset", None)
        return offset if isinstance(offset, Offset) else self._cursor_position

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
                if command.context in ("tree", "editor", "run", "preview", "tests", "follow")
                and self.keymap.keys[command.id]
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
        for notice in self._notices:
            self.notify(
                safe_text(notice), severity="warning", markup=False, timeout=_NOTICE_SECONDS
            )

    def _leave_on_signal(self) -> None:
        """Restore the terminal before a signal ends the program; end when the terminal closes."""
        import asyncio
        import signal

        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._end, 128 + number)
        if sys.__stdin__ is not None and hasattr(select, "poll"):
            # SIGHUP goes to the leader of a session; if that survives its terminal, as make does,
            # no signal arrives here.
            terminal = select.poll()
            terminal.register(sys.__stdin__.fileno(), 0)

            def wait() -> None:
                if any(event & select.POLLHUP for _, event in terminal.poll()):
                    loop.call_soon_threadsafe(self._end, 128 + signal.SIGHUP)

            threading.Thread(target=wait, name="terminal", daemon=True).start()

    def _end(self, status: int) -> None:
        # Restoring a closed terminal can take forever.
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

            recent = recent_folders(self._state)
            self.push_screen(Welcome(_resource("examples"), os.getcwd(), self.keymap, recent))
            return
        from skillstudio.tui.commands.table import HANDLERS
        from skillstudio.tui.screens.workbench import Workbench

        workspace, file = Workspace.of(path)
        # Writing it would delay the first frame.
        self.set_timer(_AFTER_START, partial(remember_folder, self._state, workspace.root))
        session = self._session = Session(workspace, Drafts(os.path.join(self._state, "drafts")))
        workbench = with_keys(Workbench, self.keymap)(
            session, self.keymap, HANDLERS, file, self._watch, self._refuse_text,
            self._is_following and not self._is_of_tour(workspace.root),
        )  # fmt: skip
        # Textual adds the classes of the size after the first styling, and styles all again.
        for size, classes in (
            (self.size.width, _WIDTHS),
            (self.size.height, _HEIGHTS),
        ):
            workbench.add_class([name for least, name in classes if size >= least][-1])
        self.push_screen(workbench)

    def _refuse_text(self) -> None:
        self._refused_in = self.focused
        self._gate.refuse()

    def on_workbench_ready(self, message: Workbench.Ready) -> None:
        """Offer the drafts of earlier sessions."""
        workbench, back = message.workbench, self._back
        self._offer_drafts(workbench)
        tour, self._back = self._tour, None
        if tour is not None and self._is_of_tour(workbench.session.workspace.root):
            self.call_later(workbench.tour.follow, tour)
        elif back is not None and back.skill in workbench.session.workspace.skills:
            self.call_later(workbench.reopen, back.skill, back.file)

    def _is_of_tour(self, folder: str) -> bool:
        """Whether a folder is the copy that the tour works on."""
        return self._tour is not None and self._tour.copy.folder == folder

    def on_workbench_file_opened(self, message: Workbench.FileOpened) -> None:
        """Offer the drafts of sessions that ended since."""
        self._offer_drafts(message.workbench, message.path)

    def on_workbench_folder_chosen(self, message: Workbench.FolderChosen) -> None:
        """Open a recent folder, after asking about unsaved changes."""
        from skillstudio.tui.commands.navigation import open_other

        workbench = message.workbench
        workbench.run_worker(
            open_other(workbench, message.path), group="commands", exit_on_error=False
        )

    def _offer_drafts(self, workbench: Workbench, path: str = "") -> None:
        from skillstudio.tui.commands.navigation import offer_drafts

        workbench.run_worker(offer_drafts(workbench, path), group="commands", exit_on_error=False)

    async def on_open_path(self, message: OpenPath) -> None:
        """Open another skill or folder instead."""
        while len(self.screen_stack) > 1:
            await self.pop_screen()
        self._back = message.back
        if message.tour is not None or message.back is not None:
            self._tour = message.tour
        self._open(message.path)

    def on_tour_requested(self, message: TourRequested) -> None:
        """Begin the tour, or go on with it."""
        from skillstudio.tui.commands.tour import begin

        screen = message.screen
        work = begin(screen, self._tour, _resource("examples"), self._state)
        screen.run_worker(work, group="commands", exit_on_error=False)

    def on_mouse_wanted(self, message: MouseWanted) -> None:
        """Leave the mouse to the terminal, or use it."""
        self._mouse = message.is_wanted
        driver: Any = self._driver
        if hasattr(driver, "_disable_mouse_support"):
            # Textual only asks at the start, before the settings are read.
            if not message.is_wanted:
                driver._disable_mouse_support()
            driver._mouse = message.is_wanted
            if message.is_wanted:
                driver._enable_mouse_support()

    # Keys, clicks and pastes.

    async def on_event(self, event: events.Event) -> None:
        """Drop input that was meant for an answered dialog, or came before a question."""
        if isinstance(event, events.MouseEvent) and not self._mouse:
            return
        if isinstance(event, events.Key) and self.focused is not self._refused_in:
            self._gate.admit()
        if isinstance(event, events.InputEvent | events.Paste) and not event.is_forwarded:
            screen = self.screen_stack[-1] if self.screen_stack else None
            if isinstance(screen, Dialog) and not screen.is_seen(event):
                return
            if not self._gate.lets(event, isinstance(screen, SingleAnswerScreen)):
                return
        elif isinstance(event, events.Key) and self._gate.is_late(event):
            return
        await super().on_event(event)

    def on_text_selected(self) -> None:
        """Copy what was selected by dragging."""
        text = self.screen.get_selected_text()
        if text and text.strip():
            to_clipboard(self.screen, text)

    def pop_screen(self) -> AwaitComplete:
        self._gate.close()
        return super().pop_screen()

    def _refresh_notifications(self) -> None:
        """Show the notices in the line of keys of the topmost screen that has one."""
        from skillstudio.tui.widgets.lines import KeyLine

        for screen in reversed(self.screen_stack):
            lines = screen.query(KeyLine)
            for line in lines:
                line.show_notices(self._notifications)
            if lines:
                return
        super()._refresh_notifications()

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        """Note when a drawing starts: earlier input is for the screen before.

        The terminal may show it, and the user answer, before Textual has finished.
        """
        start_time = _time.get_time()
        super()._display(screen, renderable)
        if self.screen_stack and screen is self.screen_stack[-1]:
            self._gate.open(start_time)
            if isinstance(screen, Dialog):
                screen.note_shown(start_time)

    def _handle_exception(self, error: Exception) -> None:
        self.failure = self.failure or error
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        """Leave the screen without a traceback; `handle_crash` reports the error."""
        self._close_messages_no_wait()

    def handle_crash(self, error: Exception) -> str:
        """Save the drafts; a message about an error."""
        from skillstudio.session.crash import report_crash

        folder = os.path.join(self._state, "reports")
        advice = "Unsaved text is saved as a draft and offered on the next start."
        message = report_crash(error, folder, sys.argv[1:], advice)
        try:
            if self._session is not None:
                self._session.keep_drafts(time.time())
        except OSError as trouble:
            message += f"; cannot save the last draft: {trouble.strerror or trouble}"
        return message

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


def open_workbench(path: str | None, notices: Sequence[str] = (), follow: bool = False) -> int:
    """Run the workbench until the user quits; its exit code. `notices` are shown at the start,
    and `follow` shows the skills that other programs write."""
    app = Studio(path, notices=notices, follow=follow)
    try:
        status = app.run()
    except Exception as error:
        app.failure = app.failure or error
        status = None
    if app.failure is not None:
        print(app.handle_crash(app.failure), file=sys.stderr)
        return 1
    return app.return_code or 0 if status is None else status


def _resource(name: str) -> str:
    """A folder of resources, "" if this installation does not have it."""
    from skillstudio.resources import folder

    try:
        return folder(name)
    except FileNotFoundError:
        return ""
