"""Show how each target sees the open skill, and why."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, Static

from skillstudio.manifest.targets import recorded_targets, render_reason
from skillstudio.present.targets import AnswerGroup, AnswerRow, answer_groups, answer_rows
from skillstudio.skill.analysis import Analysis
from skillstudio.skill.outcomes import TargetAnswer
from skillstudio.skill.visibility import Visibility
from skillstudio.text.source import Span
from skillstudio.tui.dialog import BACK
from skillstudio.tui.screens.dialogs import ListDialog
from skillstudio.tui.widgets.entry import EntryLine
from skillstudio.tui.widgets.lines import STYLES, KeyHint, KeyLine, line_content
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import join, paragraphs, plain

_FILTER = KeyHint("/", "filter")
_FILTER_KEYS = (KeyHint("enter", "to the rows"),)
_TITLE_WIDTH = 20  # Cells of the title of a folded group, before its names.


class ChosenTarget(NamedTuple):
    """A target to add to the settings, to remove from them or to export for, or a place in SKILL.md
    to go to."""

    target: str
    selects: bool | None = None
    span: Span | None = None
    export: bool = False


class TargetRow(NamedTuple):
    """A row of the list: of a group, or of a target and a reason of it."""

    line: Content
    text: str  # The whole text, which the row may cut.
    answer: TargetAnswer | None = None
    span: Span | None = None
    group: str = ""  # The folded group that the row opens or closes.

    @property
    def is_choice(self) -> bool:
        return self.answer is not None or bool(self.group)


class TargetsScreen(ListDialog[ChosenTarget | None]):
    """Ends with what the user chose, or None when the user goes back."""

    SIZE = "wide fit"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "select", "Add to the targets, or remove"),
        Binding("e", "export", "Export a copy"),
        Binding("i", "open_group", "Open the names"),
        Binding("slash", "filter", "Filter"),
    ]

    def __init__(
        self,
        analysis: Analysis,
        look: Callable[[], Visibility],
        on_answers: Callable[[Sequence[TargetAnswer]], None] = lambda _: None,
        start: str = "",
    ) -> None:
        """`look` runs in a thread; it reads the skills beside this one. `on_answers` gets what it
        found; `start` is the target that is selected first."""
        super().__init__(f"Targets of {analysis.name}", (_FILTER,))
        self._start = start
        self._analysis = analysis
        self._look = look
        self._on_answers = on_answers
        self._visibility: Visibility | None = None
        self._open_groups: set[str] = set()
        self._rows: list[TargetRow] = []

    def body(self) -> ComposeResult:
        yield Static(id="state")
        entry = EntryLine(placeholder="the title or id of a target", id="query")
        entry.display = False
        yield entry
        yield Rows(id="answers", empty=Content("no matches"))
        yield Static(id="whole")

    def on_mount(self) -> None:
        self.query_one("#state", Static).update(Content("reading the skills beside this one …"))
        self.query_one(Rows).focus()
        self.run_worker(self._read(), group="targets", exclusive=True)

    async def _read(self) -> None:
        try:
            visibility = await asyncio.to_thread(self._look)
        except OSError as error:
            self.query_one("#state", Static).update(plain(f"cannot be read: {error}"))
            return
        self._visibility = visibility
        self._on_answers(visibility.answers)
        self.query_one("#state", Static).update(
            plain(f"clients see it as {visibility.where}", "dim")
        )
        self._list()
        places = {
            row.answer.target: at for at, row in reversed([*enumerate(self._rows)]) if row.answer
        }
        first = min(places.values(), default=0)
        self.query_one(Rows).cursor = places.get(self._start, first)

    @property
    def _query(self) -> str:
        entry = self.query_one("#query", EntryLine)
        return entry.value.strip().casefold() if entry.display else ""

    def _list(self, group: str = "") -> None:
        """Show the rows; select the one of a group."""
        self._rows = list(self._all_rows())
        at = next((i for i, row in enumerate(self._rows) if group and row.group == group), None)
        skipped_rows = {i for i, row in enumerate(self._rows) if not row.is_choice}
        self.query_one(Rows).show([row.line for row in self._rows], at, skipped_rows)
        self._show_details()

    def _all_rows(self) -> Iterator[TargetRow]:
        if self._visibility is None:
            return
        query, is_first = self._query, True
        for group in answer_groups(self._analysis.skill.settings, self._visibility.answers):
            matches = [
                answer
                for answer in group.answers
                if query in f"{answer.title}\n{answer.target}".casefold()
            ]
            if not matches:
                continue
            if not is_first:
                yield TargetRow(Content(""), "")
            is_first = False
            group = group._replace(answers=matches)
            is_open = not group.is_folded or bool(query) or group.title in self._open_groups
            yield from self._rows_of(group, is_open, self._visibility)

    def _rows_of(
        self, group: AnswerGroup, is_open: bool, visibility: Visibility
    ) -> Iterator[TargetRow]:
        title = Content.styled(group.title, "bold")
        number = plain(f"{len(group.answers):>2}", "dim")
        head = join(title.pad_right(_TITLE_WIDTH - 4 - title.cell_length), number)
        if not group.is_folded:
            line = join(title, "  ", plain(group.remark, "dim"))
            yield TargetRow(line, f"{group.title}: {group.remark}")
        elif is_open:
            about = f"{group.about}; enter closes the rows"
            yield TargetRow(head, about, group=group.title)
        else:
            for names in _wrap_names(group.names, self.query_one(Rows).width - _TITLE_WIDTH):
                pad = " " * max(_TITLE_WIDTH - head.cell_length, 2)
                line = join(head, plain(pad), plain("  ".join(names)))
                about = f"{group.about}; enter shows one row per target"
                yield TargetRow(line, about, group=group.title)
                head = Content("")
        if not is_open:
            return
        room = max(cell_len(answer.title) for answer in group.answers)
        for row in answer_rows(self._analysis.skill, group.answers, visibility):
            reasons = [row.reason] if row.reason is not None else row.answer.reasons
            about = render_reason(row.reason) if row.reason is not None else row.line.text
            text = " ".join(filter(None, (about, row.line.remark)))
            span = next((reason.span for reason in reasons if reason.span is not None), None)
            yield TargetRow(_answer_line(row, room), text, row.answer, span)

    @property
    def _here(self) -> TargetRow | None:
        at = self.query_one(Rows).cursor
        return self._rows[at] if at < len(self._rows) else None

    def _show_details(self) -> None:
        row = self._here
        self.query_one("#whole", Static).update(paragraphs("" if row is None else row.text))
        if self.focused is not self.query_one("#query", EntryLine):
            self.query_one(KeyLine).show((*_keys_of(row), _FILTER), (BACK,))

    def on_resize(self) -> None:
        self._list(self._here.group if self._here is not None else "")

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        row = self._here
        if row is None:
            return
        if row.group:
            self.action_open_group()
        elif row.answer is not None and row.span is not None:
            self.dismiss(ChosenTarget(row.answer.target, span=row.span))
        else:
            self.notify("this has no place in SKILL.md", markup=False)

    def action_open_group(self) -> None:
        """Open the selected row of names into one row per target, or close it."""
        row = self._here
        if row is None or not row.group:
            self.notify("only a row of names opens", markup=False)
            return
        self._open_groups ^= {row.group}
        self._list(row.group)

    def action_filter(self) -> None:
        """Show only the targets whose title or id contains a text."""
        entry = self.query_one("#query", EntryLine)
        entry.display = True
        self.set_focus(entry)  # At once: letters may follow this key.
        self.query_one(KeyLine).show(_FILTER_KEYS, (KeyHint("esc", "end the filter"),))

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._list()
        first = next((i for i, row in enumerate(self._rows) if row.answer), 0)
        self.query_one(Rows).cursor = first

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._go_to_rows()

    def _go_to_rows(self) -> None:
        self.set_focus(self.query_one(Rows))
        self._show_details()

    def action_back(self) -> None:
        """Leave the filter, else the list."""
        entry = self.query_one("#query", EntryLine)
        if not entry.display:
            super().action_back()
            return
        entry.display = False
        entry.value = ""
        self._go_to_rows()
        self._list()

    def action_select(self) -> None:
        """Add the target of the row to those in `skillstudio.toml`, or remove it."""
        answer = self._target()
        if answer is not None:
            self.dismiss(ChosenTarget(answer.target, selects=not answer.is_selected))

    def action_export(self) -> None:
        """Export a copy of the skill that the target of the row accepts."""
        answer = self._target()
        if answer is not None:
            self.dismiss(ChosenTarget(answer.target, export=True))

    def _target(self) -> TargetAnswer | None:
        """The target of the selected row, None with a notice if it has none to use."""
        row = self._here
        answer = row.answer if row is not None else None
        if answer is None:
            if row is not None:
                self.notify("select a target; enter opens a row of names", markup=False)
        elif answer.target not in recorded_targets():
            self.notify(f"how {answer.title} reads SKILL.md is not recorded", markup=False)
            return None
        return answer


def _keys_of(row: TargetRow | None) -> Iterator[KeyHint]:
    """The keys that do something at a row."""
    if row is None:
        return
    if row.group:
        yield KeyHint("enter", "names")
    elif row.span is not None:
        yield KeyHint("enter", "go there")
    if row.answer is not None and row.answer.target in recorded_targets():
        yield KeyHint("a", "remove from yours" if row.answer.is_selected else "add to yours")
        yield KeyHint("e", "export a copy")


def _answer_line(row: AnswerRow, room: int) -> Content:
    """The title of a target in so many cells and its answer, or a reason with its place."""
    line, answer = row.line, row.answer
    if line.indent:
        place = plain(f"{_position(line.remark):<7}", "dim")
        return join("  ", place, line_content(line._replace(remark="")))
    pad = " " * (room - cell_len(answer.title) + 2)
    words = line.text.removeprefix(f"{answer.title}: ")
    sign = plain(f"{line.lead} ", STYLES[line.style])
    return join(sign, plain(answer.title, "bold"), pad, plain(words))


def _position(place: str) -> str:
    """The line and column of a place; all reasons are in one file."""
    return ":".join(place.split(":")[-2:])


def _wrap_names(names: Sequence[str], width: int) -> Iterator[list[str]]:
    """The names in lines of at most `width` cells."""
    line: list[str] = []
    for name in names:
        if line and len("  ".join((*line, name))) > width:
            yield line
            line = []
        line.append(name)
    yield line
