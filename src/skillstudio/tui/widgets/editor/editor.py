"""The manifest editor: a buffer's text with completion, find, outline and what is known here."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.document._document import EditResult, Selection
from textual.document._edit import Edit
from textual.geometry import Offset
from textual.message import Message

from skillstudio.files.disk import DiskTree
from skillstudio.manifest.completion import Completion, complete
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.hover import hover
from skillstudio.manifest.outline import outline
from skillstudio.session.buffer import Buffer, BufferChange
from skillstudio.settings.settings import SkillSettings
from skillstudio.text.diagnostic import Splice
from skillstudio.tui.widgets.editor import shown as marks
from skillstudio.tui.widgets.editor import theme
from skillstudio.tui.widgets.editor.bars import Bar, FindBar, LineBar
from skillstudio.tui.widgets.editor.indentation import line_break
from skillstudio.tui.widgets.editor.outline_screen import OutlineScreen
from skillstudio.tui.widgets.editor.popup import CompletionPopup
from skillstudio.tui.widgets.editor.shown import ShownDiagnostic
from skillstudio.tui.widgets.editor.surface import BufferArea
from skillstudio.tui.widgets.entry import do_bound

_LARGE = 16_000
"""Characters of a text from which on it is read in a thread and not between two keys."""
_PAUSE = 0.15
_OPENS = frozenset("\"'/.{-_")
"""What, besides letters and digits, brings up completions as it is typed."""
_BEFORE_VALUE = (":", "=", "-", ",", "[")
_MOVES = {"up": -1, "down": 1, "pageup": -8, "pagedown": 8}


def _binding(keys: str, action: str, title: str) -> Binding:
    """A key that acts before the ones typed after it: others have to bubble up first."""
    name = "editor." + action.replace("_", "-")
    return Binding(keys, action, title, show=False, priority=True, id=name)


class ManifestEditor(BufferArea):
    """Edits the text of a buffer."""

    DEFAULT_CSS = theme.CSS

    HELP = """The text of the manifest, byte for byte. Left of the numbers: E, W or i for a problem,
    ~ for a changed line. ctrl+space or f5 completes, ctrl+f finds, ctrl+g goes to a line,
    ctrl+e shows the outline; tab indents, escape leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        _binding("ctrl+@,ctrl+space,f5", "complete", "Complete"),
        _binding("ctrl+f", "find", "Find"),
        _binding("ctrl+g", "go_to_line", "Go to line"),
        _binding("ctrl+e", "outline", "Outline"),
    ]

    class CursorMoved(Message):
        """The cursor is somewhere else, or other text is under it."""

        def __init__(self, offset: int) -> None:
            super().__init__()
            self.offset = offset

    class LeaveRequested(Message):
        """Escape was pressed with nothing left to close."""

    class Edited(Message):
        """The user changed the text in this editor. Changes from elsewhere are the buffer's."""

    class HoverChanged(Message):
        """What there is to say of the place of the cursor; empty when nothing is."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class _Completed(Message):
        """A thread has found completions."""

        def __init__(self, version: int, found: list[Completion], asked: bool) -> None:
            super().__init__()
            self.version = version
            self.found = found
            self.asked = asked

    def __init__(self, id: str | None = None, classes: str | None = None) -> None:
        self._skill: Skill | None = None
        self._path = ""
        self._popup: CompletionPopup | None = None
        self._hint_waits = False
        self._hint = ""
        self.last_search = ""
        super().__init__(id=id, classes=classes)

    def load(self, buffer: Buffer, dialect: str = "") -> None:
        """Show a buffer from its beginning, and follow it from now on.

        Until `set_skill` says better, the skill is the folder that the file lies in; `dialect`
        then tells apart the dialects that share a file name.
        """
        self.close_popup()
        folder, self._path = os.path.split(buffer.path)
        settings = SkillSettings(dialect=dialect or None)
        self._skill = Skill(DiskTree(folder), os.path.basename(folder), settings=settings)
        super().load(buffer)
        self._moved()

    def set_skill(self, skill: Skill, path: str) -> None:
        """The skill as the last analysis found it, and the path of this file in it."""
        self._skill, self._path = skill, path
        self._hint_soon()

    def set_diagnostics(self, diagnostics: Sequence[ShownDiagnostic]) -> None:
        super().set_diagnostics(diagnostics)
        self._hint_soon()

    # Keys

    async def on_key(self, event: events.Key) -> None:
        """Keys that mean something else here than in a plain text area, and its own in order."""
        key = event.key
        if self._popup_key(key) or self._own_key(key):
            event.stop()
            event.prevent_default()
        elif await do_bound(self, event) or not event.is_printable:
            return
        elif self.read_only and self._buffer:
            self.post_message(self.HoverChanged(f"read-only: {self._buffer.read_only}"))

    def _own_key(self, key: str) -> bool:
        if key == "escape":
            if self.selection.is_empty:
                self.post_message(self.LeaveRequested())
            else:
                self.selection = Selection.cursor(self.selection.end)
            return True
        if key == "enter" and not self.read_only:
            self._break_line()
            return True
        return False

    def _popup_key(self, key: str) -> bool:
        popup = self._popup
        if popup is None or not popup.is_open:
            return False
        if key in _MOVES:
            popup.move(_MOVES[key])
        elif key in ("enter", "tab"):
            self._accept(popup.chosen)
        elif key == "escape":
            popup.close()
        else:
            return False
        return True

    def _break_line(self) -> None:
        document = self._text_document
        row, column = min(self.selection)
        last, end_column = max(self.selection)
        before = document.raw_line(row)[:column]
        after = document.raw_line(last)[end_column:]
        made = line_break(self._highlighter.language(row), before, after, " " * self.indent_width)
        start = document.offset_of((row, column))
        first = made.before.replace("\n", document.newline)
        self._cursor_next = start + len(first)
        self.edit(Edit(made.before + made.after, (row, column), (last, end_column), False))

    def edit(self, edit: Edit) -> EditResult:
        before = self._buffer.version if self._buffer else 0
        result = super().edit(edit)
        if self._buffer and self._buffer.version != before:
            self.post_message(self.Edited())
            if len(edit.text) <= 1 and not edit.maintain_selection_offset:
                self._typed(edit.text)
            else:
                self.close_popup()
        return result

    def _typed(self, character: str) -> None:
        """Bring up completions for what was typed, keep those that are open up to date."""
        is_open = self._popup is not None and self._popup.is_open
        if character in ("\n", "\r") or (not character and not is_open):
            self.close_popup()
        elif is_open or character.isalnum() or character in _OPENS or self._begins_value(character):
            self._ask(asked=False)
        else:
            self.close_popup()

    def _begins_value(self, character: str) -> bool:
        return character == " " and self._before_cursor().rstrip().endswith(_BEFORE_VALUE)

    def _before_cursor(self) -> str:
        row, column = self.cursor_location
        return self._text_document.raw_line(row)[:column]

    # Completion

    def action_complete(self) -> None:
        """Show what may stand at the cursor, once the keys before this one have moved it there."""
        self.call_later(self._ask, asked=True)

    def _ask(self, asked: bool) -> None:
        skill, buffer = self._skill, self._buffer
        if skill is None or buffer is None or self.read_only:
            return
        path, text, offset, version = self._path, buffer.text, self.cursor_offset, buffer.version

        def find() -> None:
            found = complete(skill, path, text, offset)
            self.post_message(self._Completed(version, found, asked))

        if len(text) < _LARGE:
            self.call_after_refresh(find)
        else:
            self.run_worker(find, thread=True, exclusive=True, group="completion")

    def on_manifest_editor__completed(self, event: _Completed) -> None:
        event.stop()
        buffer = self._buffer
        if buffer is None or event.version != buffer.version or not self.has_focus:
            return
        offset = self.cursor_offset
        found = event.found if event.asked else _at_once(event.found, buffer.text, offset)
        if not found:
            self.close_popup()
            if event.asked:
                self.post_message(self.HoverChanged("nothing to complete here"))
            return
        typed = offset - max(
            found[0].start, self._text_document.offset_of((self.cursor_location[0], 0))
        )
        if self._popup is None:
            self._popup = CompletionPopup()
            self.screen.mount(self._popup)
        place = self.cursor_screen_offset
        self._popup.open(found, Offset(max(place.x - max(typed, 0) - 2, 0), place.y + 1))

    def close_popup(self) -> None:
        if self._popup is not None:
            self._popup.close()

    def _accept(self, completion: Completion | None) -> None:
        buffer, document = self._buffer, self._text_document
        self.close_popup()
        if completion is None or buffer is None:
            return
        newline = document.newline
        insert = completion.insert.replace("\n", newline)
        cursor = completion.cursor if completion.cursor >= 0 else len(completion.insert)
        shift = len(completion.insert[:cursor].replace("\n", newline))
        self._cursor_after = completion.start + shift
        splice = Splice(completion.start, completion.end, insert)
        buffer.replace([splice], f"Completing {completion.label}", origin=self)
        if self._cursor_after is not None:
            self._put_cursor(self._cursor_after)
        self.post_message(self.Edited())
        if completion.kind == "key":
            self._ask(asked=False)

    # Moving about

    @property
    def selection_offsets(self) -> tuple[int, int]:
        """The offsets of the selection's beginning and of the cursor."""
        start, end = self.selection
        return self._text_document.offset_of(start), self._text_document.offset_of(end)

    def go_to_line(self, line: int, column: int = 1) -> None:
        """Put the cursor on a line and column, both from 1, held within the text."""
        row = min(max(line, 1), self._text_document.line_count) - 1
        self.go_to(self._text_document.offset_of((row, max(column, 1) - 1)))

    async def action_find(self) -> None:
        """Find a text: the selected one, else the one looked for last."""
        chosen = self.selected_text
        await self._open_bar(
            FindBar(self, chosen if "\n" not in chosen and chosen else self.last_search)
        )

    async def action_go_to_line(self) -> None:
        await self._open_bar(LineBar(self))

    async def _open_bar(self, bar: Bar) -> None:
        self.close_popup()
        await self.screen.query(Bar).remove()
        await self.screen.mount(bar, after=self)

    def action_outline(self) -> None:
        """List the keys and headings of the file, to go to one."""
        if self._skill is not None and self._buffer is not None:
            items = outline(self._skill, self._path, self._buffer.text)
            self.app.push_screen(OutlineScreen(items, self.cursor_offset), self._go_back_to)

    def _go_back_to(self, offset: int | None) -> None:
        if offset is not None:
            self.go_to(offset)

    # What is here

    def hint(self) -> str:
        """What to say of the cursor's place: a diagnostic's message, else what is known of it."""
        here = marks.at(self.diagnostics, self.cursor_offset)
        if here is not None:
            return f"{here.severity}: {here.message} ({here.rule})"
        if self._skill is None or self._buffer is None:
            return ""
        found = hover(self._skill, self._path, self._buffer.text, self.cursor_offset)
        return f"{found.title}: {found.text}" if found else ""

    def _hint_soon(self) -> None:
        """Say what is here once the keys are through with; for a large text after a pause."""
        if self._hint_waits or not self.is_mounted:
            return
        self._hint_waits = True
        if self._buffer is None or len(self._buffer.text) < _LARGE:
            self.call_after_refresh(self._say_hint)
        else:
            self.set_timer(_PAUSE, self._read_hint)

    def _read_hint(self) -> None:
        self.run_worker(self._say_hint, thread=True, exclusive=True, group="hint")

    def _say_hint(self) -> None:
        self._hint_waits = False
        text = self.hint()
        if text != self._hint:
            self._hint = text
            self.post_message(self.HoverChanged(text))

    def _moved(self) -> None:
        if self.is_mounted:
            self.post_message(self.CursorMoved(self.cursor_offset))
            self._hint_soon()

    def watch_selection(self) -> None:
        super().watch_selection()
        if not self._applying:
            self.close_popup()
        self._moved()

    def _buffer_changed(self, change: BufferChange) -> None:
        if change.origin is not self:
            self.close_popup()
        super()._buffer_changed(change)

    def on_blur(self) -> None:
        self.close_popup()

    def on_unmount(self) -> None:
        super().on_unmount()
        if self._popup is not None and self._popup.is_attached:
            self._popup.remove()


def _at_once(found: list[Completion], text: str, offset: int) -> list[Completion]:
    """Those to show without being asked: what goes on with the word that was typed."""
    shown = []
    for each in found:
        typed = text[each.start : offset].strip("\"', \t\r\n").lower()
        is_example = each.detail == "an example" and not typed
        if each.label.lower().startswith(typed) and not is_example:
            shown.append(each)
    same = len(shown) == 1 and text[shown[0].start : offset].strip("\"', \t\r\n") == shown[0].label
    return [] if same else shown
