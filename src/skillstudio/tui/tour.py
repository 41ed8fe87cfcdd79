"""The tour in the workbench: reads the facts from the screen, and shows the step in a strip."""

from __future__ import annotations

import os
import re
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from textual.message import Message
from textual.screen import Screen
from textual.widget import AwaitMount, Widget

from skillstudio.session.commands.keymap import format_key, is_typed
from skillstudio.session.tour import (
    COLON,
    STEPS,
    TOUR_MANIFEST,
    Tour,
    TourOrigin,
    TourState,
    advance_tour,
    tour_state,
)
from skillstudio.text.diagnostic import Splice
from skillstudio.tui.widgets.lines import KeyHint
from skillstudio.tui.widgets.tour import TourStrip

if TYPE_CHECKING:
    from skillstudio.session.buffer import Buffer
    from skillstudio.session.commands.keymap import Keymap
    from skillstudio.session.session import Session
    from skillstudio.text.diagnostic import Diagnostic
    from skillstudio.tui.open_skill import OpenSkill
    from skillstudio.tui.widgets.views import Views

_IN_BRACES = re.compile(r"\{([^}]+)\}")
_ABOVE_KEYS = "#body"  # What the strip is below.


@dataclass
class TourRequested(Message):
    """Asks the application to begin the tour, or to go on with it."""

    screen: Screen[Any]


class TourRefused(Message):
    """There is no copy for the tour."""


class TourScreen(Protocol):
    """What is used of the workbench."""

    session: Session
    open: OpenSkill
    views: Views
    keymap: Keymap

    @property
    def is_in_text(self) -> bool: ...
    @property
    def is_in_view(self) -> bool: ...
    @property
    def problem_to_fix(self) -> Diagnostic | None: ...
    def say(self, text: str, bad: bool = False) -> None: ...
    def refresh_all(self) -> None: ...
    def run_clicked(self, id_: str) -> None: ...
    def start_following(self, work: Coroutine[Any, Any, None]) -> None: ...
    async def go_to_view(self, view: str) -> None: ...
    def mount(
        self,
        *widgets: Widget,
        before: int | str | Widget | None = None,
        after: int | str | Widget | None = None,
    ) -> AwaitMount: ...


class TourGuide:
    """Follows what the user does, and shows the step of the tour."""

    def __init__(self, workbench: TourScreen) -> None:
        self._workbench = workbench
        self._tour: Tour | None = None
        self._strip: TourStrip | None = None

    @property
    def is_on(self) -> bool:
        """Whether the tour is taken in this workbench; its strip may be closed."""
        return self._tour is not None

    @property
    def is_done(self) -> bool:
        return self._tour is not None and self._tour.is_done

    @property
    def is_lost(self) -> bool:
        """Whether the copy was deleted."""
        return self._tour is not None and not os.path.isdir(self._tour.copy.folder)

    @property
    def origin(self) -> TourOrigin:
        """What was open before the tour."""
        return self._tour.origin if self._tour is not None else TourOrigin()

    @property
    def origin_from_here(self) -> TourOrigin:
        """What is open now; in the tour, what was open before it."""
        if self._tour is not None:
            return self._tour.origin
        open_ = self._workbench.open
        return TourOrigin(self._workbench.session.workspace.root, open_.skill, open_.file)

    @property
    def around(self) -> str:
        """The folder for new skills: in the tour not that of the copy, which is thrown away."""
        if self._tour is None:
            return self._workbench.session.workspace.root
        return self._tour.origin.root or os.getcwd()

    async def follow(self, tour: Tour) -> None:
        """Show the step of a tour; in the first one, put the cursor where to type."""
        workbench, self._tour = self._workbench, tour
        if workbench.open.skill is not None:
            # The example reads git, so the repository of the copy is its workspace.
            workbench.views.runner_of(workbench.open.skill).folder = tour.copy.folder
        if not tour.is_started:
            tour.is_started = True
            await workbench.go_to_view("edit")
            if workbench.views.editor is not None:
                workbench.views.editor.go_to(tour.copy.place)
            if tour.copy.earlier_copy:
                workbench.say(
                    f"a new copy of the example; {tour.copy.earlier_copy} has your changes"
                )
        workbench.refresh_all()

    def reopen(self) -> None:
        """Show the strip again."""
        if self._tour is not None:
            self._tour.is_closed = False
            self._workbench.refresh_all()

    def close(self) -> None:
        """Hide the strip; the tour goes on."""
        if self._tour is not None:
            self._tour.is_closed = True
            palette = self._hint("help.palette").key
            self._workbench.say(f"closed: Tour in {palette} shows it again, Leave the tour ends it")
            self._workbench.refresh_all()

    def refresh(self) -> None:
        """Show the step for what is on the screen now."""
        tour = self._tour
        if tour is None:
            return
        facts = frozenset(self._facts(tour))
        tour.done_ids = advance_tour(tour.done_ids, facts)
        if self._strip is None:
            self._strip = TourStrip(self._run)
            self._workbench.mount(self._strip, after=_ABOVE_KEYS)
        self._strip.display = not tour.is_closed
        state = tour_state(tour.done_ids, facts)
        does = "back" if state.is_done else "close"
        close = self._hint("help.tour-close")._replace(does=does)
        head = "✓" if state.is_done else f"{state.number}/{STEPS}"
        self._strip.show(head, tuple(self._pieces(state)), close)

    def _pieces(self, state: TourState) -> Iterator[str | KeyHint]:
        """The text of a state with its keys."""
        at = 0
        for match in _IN_BRACES.finditer(state.text):
            yield state.text[at : match.start()]
            yield KeyHint(COLON, "") if match[1] == COLON else self._hint(match[1])
            at = match.end()
        yield state.text[at:]

    def _hint(self, id_: str) -> KeyHint:
        """The key that runs a command from what has the focus: in a text, after escape."""
        keys = self._workbench.keymap.keys[id_]
        if not keys:
            return KeyHint(f"“{id_}” in {self._hint('help.palette').key}", "", command=id_)
        key = format_key(keys[0])
        if is_typed(keys[0]) and self._workbench.is_in_text:
            key = f"{format_key('escape')} {key}"
        return KeyHint(key, "", command=id_)

    def _run(self, hint: KeyHint) -> None:
        """Do what a clicked key does."""
        if hint.command:
            self._workbench.run_clicked(hint.command)
        else:
            self._workbench.start_following(self._type_colon())

    async def _type_colon(self) -> None:
        """Break the description as the first step wants it."""
        await self._workbench.go_to_view("edit")
        tour, editor = self._tour, self._workbench.views.editor
        if tour is None or editor is None:
            return
        buffer, place = self._buffer, tour.copy.place
        if buffer is not None and buffer is self._workbench.open.buffer and not buffer.read_only:
            editor.go_to(place)
            if buffer.text == tour.copy.text:
                buffer.replace([Splice(place, place, COLON)], "Type a colon")
                editor.go_to(place + len(COLON))

    @property
    def _buffer(self) -> Buffer | None:
        """The text of the copy's manifest, if it was opened."""
        session = self._workbench.session
        return session.buffers.get(session.workspace.path("", TOUR_MANIFEST))

    # The facts of `session.tour.TOUR_FACTS`.

    def _facts(self, tour: Tour) -> Iterator[str]:
        workbench, buffer = self._workbench, self._buffer
        if self.is_lost:
            yield "lost"
        if workbench.open.buffer is None:
            yield "closed"
        elif workbench.open.buffer is not buffer:
            yield "other-file"
        elif workbench.views.editor is not None:
            yield "edit"
            if workbench.is_in_text and workbench.is_in_view:
                yield "typing"
                vim = workbench.views.editor.vim
                if vim is not None and vim.mode != "insert":
                    yield "normal"
        yield "restored" if buffer is None or buffer.text == tour.copy.text else "changed"
        if buffer is not None and buffer.dirty:
            yield "dirty"
        analysis = workbench.open.analysis
        if analysis is not None and workbench.open.buffer is not None and workbench.open.is_current:
            errors = [
                diagnostic for diagnostic in analysis.diagnostics if diagnostic.severity == "error"
            ]
            yield "error" if errors else "clean"
        if workbench.problem_to_fix is not None:
            yield "fixable"
        yield from self._facts_of_run()
        yield from self._facts_of_compare()

    def _facts_of_run(self) -> Iterator[str]:
        views = self._workbench.views
        view = views.hidden_run_view
        if view is None:
            return
        if view is views.run_view and self._workbench.is_in_view:
            yield "run"
        if view.report is not None:
            yield "reported"
            if not view.report.ok:
                yield "failed"
        run_state = view.run_state
        if view.is_under_way:
            yield "running"
        elif view.failure:
            yield "blocked"
        elif run_state is not None and view.is_settled:
            if not run_state.why_not:
                yield "ready"
            else:
                yield "unfilled" if run_state.problem_fields else "blocked"

    def _facts_of_compare(self) -> Iterator[str]:
        view = self._workbench.views.compare
        if view is None:
            return
        yield "compare"
        if view.is_settled and view.outcome is not None:
            yield "compared" if view.outcome.changes else "incomparable"
            if view.outcome.bump is not None and view.outcome.bump.required == "patch":
                yield "patch"
