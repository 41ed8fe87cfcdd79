"""The editor of text files: shows and edits a buffer, with completion, find and outline."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

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
from skillstudio.manifest.outline import OutlineItem, outline
from skillstudio.session.buffer import Buffer, BufferChange
from skillstudio.settings.settings import SkillSettings
from skillstudio.text.diagnostic import Splice
from skillstudio.tui.widgets.editor import shown as marks
from skillstudio.tui.widgets.editor.bars import Bar, FindBar, LineBar
from skillstudio.tui.widgets.editor.highlight import language_of
from skillstudio.tui.widgets.editor.marked_text import MarkedTextArea
from skillstudio.tui.widgets.editor.painting import FIX_META
from skillstudio.tui.widgets.editor.popup import CompletionPopup
from skillstudio.tui.widgets.editor.shown import ShownDiagnostic
from skillstudio.tui.widgets.editor.text_document import line_break, unit_of
from skillstudio.tui.widgets.entry import do_bound
from skillstudio.tui.words import to_clipboard

if TYPE_CHECKING:
    from skillstudio.session.vim.keys import VimState, VimStep

_LARGE = 16_000  # Characters from which a text is analysed in a thread instead of between two keys.
_PAUSE = 0.15
_OPENS = frozenset("\"'/.{-_")
"""Characters, besides letters and digits, that open completions as they are typed."""
_BEFORE_VALUE = (":", "=", "-", ",", "[")
_MOVES = {"up": -1, "down": 1, "pageup": -8, "pagedown": 8}
_LINE_END = re.compile(r"\r\n|\n|\r")
_LARGEST_WRAPPED = 400_000  # The most characters of a text whose lines are wrapped.
_VIM_KEYS = frozenset(
    [
        "escape",
        "enter",
        "backspace",
        "delete",
        "left",
        "right",
        "up",
        "down",
        "home",
        "end",
        "tab",
        "ctrl+r",
        "ctrl+w",
        "ctrl+k",
        "ctrl+x",
        "ctrl+v",
    ]
)
"""The named keys that vim's modes get, and do not edit the text as usual."""
VIM_FIRST = frozenset({"ctrl+r"})
"""The keys of the workbench that vim's modes get instead."""


def _binding(keys: str, action: str, title: str, name: str = "") -> Binding:
    """A binding that runs before keys typed after it: other bindings have to bubble up first."""
    id_ = f"editor.{name or action.replace('_', '-')}"
    return Binding(keys, action, title, show=False, priority=True, id=id_)


class ManifestEditor(MarkedTextArea):
    """The text of one buffer, with completion, find and outline."""

    HELP = """The text of the file, byte for byte. Left of the numbers: ✗, ! or i for a problem,
    ~ for a changed line. ctrl+space completes, ctrl+f finds, ctrl+g goes to a line,
    ctrl+e shows the outline, alt+z wraps long lines or not; tab indents, escape leaves."""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+home", "to_edge(False)", "Start of the text", show=False),
        Binding("ctrl+end", "to_edge(True)", "End of the text", show=False),
        Binding("ctrl+shift+home", "to_edge(False, True)", "Select to the start", show=False),
        Binding("ctrl+shift+end", "to_edge(True, True)", "Select to the end", show=False),
        _binding("ctrl+@,ctrl+space", "complete", "Complete"),
        _binding("ctrl+f", "find", "Find"),
        _binding("ctrl+g", "go_to_line", "Go to line"),
        _binding("ctrl+e", "screen.run('editor.outline')", "Outline", "outline"),
        _binding("alt+z", "wrap", "Wrap long lines"),
    ]

    class CursorMoved(Message):
        """The cursor moved, or the text at the cursor changed."""

    class LeaveRequested(Message):
        """Escape was pressed with nothing left to close."""

    class ModeChanged(Message):
        """The mode of the vim keys changed, or a key of a command was pressed."""

    @dataclass
    class CommandsRequested(Message):
        """A key of vim runs some commands of the workbench, or is not available."""

        ids: tuple[str, ...] = ()
        text: str = ""

    @dataclass
    class HoverChanged(Message):
        """The text about the place of the cursor; may be empty."""

        text: str

    def __init__(self, id: str | None = None) -> None:
        self.buffer: Buffer | None = None
        self.path = ""
        """The path on disk of the file that was loaded."""
        self._unsubscribe: Callable[[], None] | None = None
        self._skill: Skill | None = None
        self._path = ""
        self._cursor_after: int | None = None
        """Where the next change puts the cursor; None to keep its place in the text."""
        self._cursor_next: int | None = None
        """The same for the next edit, unless it is the end of the inserted text."""
        self._is_applying = False
        self._popup: CompletionPopup | None = None
        self._hint_waits = False
        self._hint = ""
        self._is_left = False  # Whether escape was pressed, and the focus is on its way.
        self.vim: VimState | None = None
        """The state of the vim keys; None while they are off."""
        self._vim_head = 0  # The character that the cursor is on in a visual mode.
        self._insert_depth = 0  # The undo steps before insert mode.
        self._wraps: dict[str, bool] = {}
        """Whether texts of a kind are wrapped, where the user changed it."""
        super().__init__(id=id)

    async def _on_mouse_down(self, event: events.MouseDown) -> None:
        """Apply the fix whose key is clicked; elsewhere set the cursor."""
        if FIX_META.items() <= event.style.meta.items():
            event.stop()
            event.prevent_default()
            self.post_message(self.CommandsRequested(("problem.fix",)))
        else:
            await super()._on_mouse_down(event)

    def on_mouse_up(self) -> None:
        """Copy what was selected by dragging."""
        if self._selecting:
            self.action_copy()

    # The buffer

    def load(self, buffer: Buffer, dialect: str = "") -> None:
        """Show a buffer from its start, and follow its changes.

        Until `set_skill` is called, the skill is the folder of the file; `dialect` then selects
        among the dialects that share a file name.
        """
        self.close_popup()
        self._forget()
        folder, self._path = os.path.split(buffer.path)
        settings = SkillSettings(dialect=dialect or None)
        self._skill = Skill(DiskTree(folder), os.path.basename(folder), settings=settings)
        self.buffer, self.path = buffer, buffer.path
        self._language = language_of(buffer.path, buffer.text)
        self.indent_width = unit_of(buffer.text)
        self.soft_wrap = self._wraps_now(buffer.text)
        self._set_document(buffer.text, None)
        self._unsubscribe = buffer.subscribe(self._buffer_changed)
        self.read_only = bool(buffer.read_only)
        if self.vim is not None:
            self._to_vim_normal()
        self.refresh()
        self._report_move()

    def set_skill(self, skill: Skill, path: str) -> None:
        """Set the skill of the last analysis, and the path of this file in it."""
        self._skill, self._path = skill, path
        self._hint_soon()

    def on_unmount(self) -> None:
        self._forget()
        if self._popup is not None and self._popup.is_attached:
            self._popup.remove()

    def _wraps_now(self, text: str) -> bool:
        """Whether to wrap a text; one that would take long to wrap is not."""
        return self._wraps.get(self._language, True) and len(text) <= _LARGEST_WRAPPED

    def action_wrap(self) -> None:
        """Wrap long lines, or scroll sideways; kept for all texts of this kind."""
        self._wraps[self._language] = not self.soft_wrap
        self.soft_wrap = self._wraps_now(self._text_document.text)
        message = "long lines are wrapped" if self.soft_wrap else "long lines scroll sideways"
        if self.soft_wrap != self._wraps[self._language]:
            message = "this text is too long to wrap"
        self.post_message(self.CommandsRequested(text=message))

    def _forget(self) -> None:
        if self._unsubscribe:
            self._unsubscribe()
        self._unsubscribe = None
        self.buffer = None

    def edit(self, edit: Edit) -> EditResult:
        """Apply an edit to the buffer; new lines get the file's line end."""
        document, buffer = self._text_document, self.buffer
        start, end = document.offset_of(edit.top), document.offset_of(edit.bottom)
        text = _LINE_END.sub(lambda _: document.newline, edit.text)
        text = text.encode("utf-8", "replace").decode("utf-8")
        if buffer is None or buffer.read_only:
            return EditResult(edit.top, "")
        version = buffer.version
        replaced_text = document.text[start:end]
        is_typing = len(edit.text) + len(replaced_text) == 1
        if not edit.maintain_selection_offset:
            end_of_edit = start + len(text)
            self._cursor_after = end_of_edit if self._cursor_next is None else self._cursor_next
        self._cursor_next = None
        label = "Typing" if is_typing else "Editing"
        buffer.replace([Splice(start, end, text)], label, merge=is_typing, origin=self)
        if self._cursor_after is not None:  # the buffer had nothing to change
            self._put_cursor(self._cursor_after)
        if buffer.version != version:
            if len(edit.text) <= 1 and not edit.maintain_selection_offset:
                self._update_completions(edit.text)
            else:
                self.close_popup()
        return EditResult(document.location_of(start + len(text)), replaced_text)

    def action_copy(self) -> None:
        """Send the selected text to the terminal's clipboard."""
        if text := self.selected_text:
            to_clipboard(self, text)

    def undo(self) -> None:
        """Undo the last step of the buffer, whatever its origin."""
        self._step(Buffer.undo)

    def redo(self) -> None:
        """Redo what was undone last."""
        self._step(Buffer.redo)

    def _step(self, step: Callable[[Buffer, object], tuple[Splice, ...] | None]) -> None:
        if self.buffer and not self.buffer.read_only and (splices := step(self.buffer, self)):
            last = splices[-1]
            self._put_cursor(marks.move_offset(last.start, splices[:-1]) + len(last.text))

    def _buffer_changed(self, change: BufferChange) -> None:
        """Apply a change of the buffer to the document, whatever its origin."""
        if change.origin is not self:
            self.close_popup()
        first, last = self.selection_offsets
        is_cut_off = self._change_text(change.splices, change.origin is self)
        if self._cursor_after is None:
            first, last = (
                marks.move_offset(first, change.splices),
                marks.move_offset(last, change.splices),
            )
            self._put_cursor(last, first)
        else:
            self._put_cursor(self._cursor_after)
        if is_cut_off and self.is_mounted:
            self.scroll_cursor_visible()

    def _put_cursor(self, offset: int, anchor: int | None = None) -> None:
        """Set the cursor as part of an edit, without ending the undo step."""
        self._cursor_after = None
        place = self._text_document.location_of
        self._is_applying = True
        try:
            self.selection = Selection(place(offset if anchor is None else anchor), place(offset))
        finally:
            self._is_applying = False
        self.record_cursor_width()

    def watch_selection(self) -> None:
        if not self._is_applying:
            if self.buffer:
                self.buffer.seal()
            self.close_popup()
            if self.vim is not None and self.vim.mode in ("visual", "lines"):
                self._to_vim_normal()
        self._report_move()

    # Keys

    async def on_key(self, event: events.Key) -> None:
        """Handle keys that differ from a plain text area; run bindings before later keys."""
        key = event.key
        if self._is_left:
            # It was typed after escape, and is for what gets the focus now.
            event.stop()
            event.prevent_default()
            self.app.post_message(events.Key(key, event.character))
            return
        if self._vim_key(event) or self._popup_key(key) or self._own_key(key):
            event.stop()
            event.prevent_default()
        elif await do_bound(self, event) or not event.is_printable:
            return
        elif self.read_only and self.buffer:
            event.stop()  # No letter is a command while a text has the focus.
            self.post_message(self.CommandsRequested(text=f"read-only: {self.buffer.read_only}"))

    def _own_key(self, key: str) -> bool:
        if key == "escape":
            if self.selection.is_empty:
                self._is_left = True
                self.screen.set_focus(None)
                self.post_message(self.LeaveRequested())
            else:
                self.selection = Selection.cursor(self.selection.end)
            return True
        if key == "enter" and not self.read_only:
            self._break_line()
            return True
        return False

    # Vim

    def use_vim(self, on: bool) -> None:
        """Turn the keys of vim on or off."""
        from skillstudio.session.vim.keys import VimState

        if on != (self.vim is not None):
            self.vim = VimState() if on else None
            self.post_message(self.ModeChanged())

    def takes_from_workbench(self, key: str) -> bool:
        """Whether a key is for vim although the workbench has a command for it."""
        return self.vim is not None and key in VIM_FIRST and self.has_focus

    def _to_vim_normal(self) -> None:
        if self.vim is not None:
            self.vim = self.vim._replace(mode="normal", keys=(), prompt="", insertion=None)
            self.post_message(self.ModeChanged())

    def _vim_key(self, event: events.Key) -> bool:
        """Handle a key by the rules of vim. Whether it is none of the usual editor's."""
        if self.vim is None or self.buffer is None:
            return False
        key = event.character if event.is_printable and event.character else event.key
        insert, is_idle = self.vim.mode == "insert", not (self.vim.keys or self.vim.prompt)
        if key.startswith("alt+") and len(key.removeprefix("alt+shift+")) <= len("alt+") + 1:
            # A multiplexer sends escape and a key that follows soon as one.
            last = key[-1].upper() if key.startswith("alt+shift+") else key[-1]
            for vim_key in ("escape", last) if insert or not is_idle else (last,):
                self._vim_press(vim_key)
            return True
        if insert:
            if key == "escape":
                self._vim_press(key)
            return key == "escape"
        if key == "escape" and is_idle and self.vim.mode == "normal":
            return False
        if key in ("ctrl+d", "ctrl+u"):
            for vim_key in f"{max(self.size.height // 2, 1)}{'j' if key == 'ctrl+d' else 'k'}":
                self._vim_press(vim_key)
            return True
        if len(key) > 1 and key not in _VIM_KEYS:
            return False
        self._vim_press(key)
        return True

    def _vim_press(self, key: str) -> None:
        from skillstudio.session.vim.keys import press
        from skillstudio.session.vim.motions import on_character

        state, buffer = self.vim, self.buffer
        if state is None or buffer is None:
            return
        self.close_popup()
        cursor = self.cursor_offset
        if state.mode in ("visual", "lines"):
            cursor = self._vim_head
        elif state.mode == "normal":
            cursor = on_character(buffer.text, cursor)
            if not self.selection.is_empty:  # The mouse selected something.
                first, last = sorted(self.selection_offsets)
                state, cursor = state._replace(mode="visual", anchor=first), last - 1
        step = press(state, key, buffer.text, cursor, self.indent_width)
        if buffer.read_only and (step.splices or step.state.mode == "insert"):
            self._to_vim_normal()
            self.post_message(self.CommandsRequested(text=f"read-only: {buffer.read_only}"))
            return
        self._vim_take(state, step, buffer)

    def _vim_take(self, before: VimState, step: VimStep, buffer: Buffer) -> None:
        """Apply what a key does."""
        from skillstudio.session.vim.keys import selection

        is_insert, was_insert = step.state.mode == "insert", before.mode == "insert"
        if is_insert and not was_insert:
            buffer.seal()
            self._insert_depth = buffer.undo_depth
        self.vim = step.state
        if step.splices:
            self._cursor_after = step.cursor
            buffer.replace(step.splices, "Editing", origin=self)
        if was_insert and not is_insert:
            buffer.seal()
            buffer.combine(self._insert_depth, "Typing")
        self._vim_head = step.cursor
        selected_span = selection(step.state, buffer.text, step.cursor)
        if selected_span is None:
            self._put_cursor(step.cursor)
        elif step.cursor < step.state.anchor:
            self._put_cursor(selected_span[0], selected_span[1])
        else:
            self._put_cursor(selected_span[1], selected_span[0])
        self.scroll_cursor_visible()
        if step.state.status_text != before.status_text:
            self.post_message(self.ModeChanged())
        if step.commands or step.say:
            self.post_message(self.CommandsRequested(step.commands, step.say))

    def _popup_key(self, key: str) -> bool:
        popup = self._popup
        if popup is None or not popup.is_open:
            return False
        if key in _MOVES:
            popup.move(_MOVES[key])
        elif key in ("enter", "tab"):
            self._accept(popup.selected_completion)
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
        above, below = line_break(
            self._highlighter.language(row), before, after, " " * self.indent_width
        )
        start = document.offset_of((row, column))
        self._cursor_next = start + len(above.replace("\n", document.newline))
        self.edit(Edit(above + below, (row, column), (last, end_column), False))

    def _update_completions(self, character: str) -> None:
        """Open, update or close the completions after a character was typed or deleted."""
        is_open = self._popup is not None and self._popup.is_open
        if character in ("\n", "\r") or (not character and not is_open):
            self.close_popup()
        elif is_open or character.isalnum() or character in _OPENS or self._begins_value(character):
            self._ask(was_asked=False)
        else:
            self.close_popup()

    def _begins_value(self, character: str) -> bool:
        row, column = self.cursor_location
        before = self._text_document.raw_line(row)[:column]
        return character == " " and before.rstrip().endswith(_BEFORE_VALUE)

    # Completion

    def action_complete(self) -> None:
        """Complete at the cursor, after the keys typed before this one are handled."""
        self.call_later(self._ask, was_asked=True)

    def _ask(self, was_asked: bool) -> None:
        skill, buffer = self._skill, self.buffer
        if skill is None or buffer is None or self.read_only:
            return
        path, text, offset, version = self._path, buffer.text, self.cursor_offset, buffer.version

        def find() -> None:
            completions = complete(skill, path, text, offset)
            # A message to the widget: a thread touches nothing of the screen.
            self.call_later(self._show_completions, version, completions, was_asked)

        if len(text) < _LARGE:
            self.call_after_refresh(find)
        else:
            self.run_worker(find, thread=True, exclusive=True, group="completion")

    def _show_completions(
        self, version: int, completions: list[Completion], was_asked: bool
    ) -> None:
        buffer = self.buffer
        if buffer is None or version != buffer.version or not self.has_focus:
            return
        offset = self.cursor_offset
        if not was_asked:
            completions = _at_once(completions, buffer.text, offset)
        if not completions:
            self.close_popup()
            if was_asked:
                self.post_message(self.CommandsRequested(text="nothing to complete here"))
            return
        row_start = self._text_document.offset_of((self.cursor_location[0], 0))
        typed_length = offset - max(completions[0].start, row_start)
        if self._popup is None:
            self._popup = CompletionPopup()
            self.screen.mount(self._popup)
        place = self.cursor_screen_offset
        self._popup.open(
            completions, Offset(max(place.x - max(typed_length, 0) - 2, 0), place.y + 1)
        )

    def close_popup(self) -> None:
        if self._popup is not None:
            self._popup.close()

    def on_focus(self) -> None:
        self._is_left = False

    def on_blur(self) -> None:
        self.close_popup()

    def _accept(self, completion: Completion | None) -> None:
        buffer, document = self.buffer, self._text_document
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
        if completion.kind == "key":
            self._ask(was_asked=False)

    # Find and outline

    async def action_find(self) -> None:
        """Find a text: the selected one, else that of the last search."""
        query = "" if "\n" in self.selected_text else self.selected_text
        await self._open_bar(FindBar(self, query or self.last_search))

    async def action_go_to_line(self) -> None:
        await self._open_bar(LineBar(self))

    async def _open_bar(self, bar: Bar) -> None:
        self.close_popup()
        await self.screen.query(Bar).remove()
        await self.screen.mount(bar, after=self)

    def outline(self) -> list[OutlineItem]:
        """Return the keys and headings of the file."""
        if self._skill is None or self.buffer is None:
            return []
        return outline(self._skill, self._path, self.buffer.text)

    # The hint

    def set_diagnostics(self, diagnostics: Sequence[ShownDiagnostic]) -> None:
        super().set_diagnostics(diagnostics)
        self._hint_soon()

    def hint(self) -> str:
        """The description of the key at the cursor; a problem there has its message at the line."""
        if marks.at(self.diagnostics, self.cursor_offset) is not None:
            return ""
        if self._skill is None or self.buffer is None:
            return ""
        description = hover(self._skill, self._path, self.buffer.text, self.cursor_offset)
        return f"{description.title}: {description.text}" if description else ""

    def _hint_soon(self) -> None:
        """Update the hint after the pending keys; for a large text after a pause."""
        if self._hint_waits or not self.is_mounted:
            return
        self._hint_waits = True
        if self.buffer is None or len(self.buffer.text) < _LARGE:
            self.call_after_refresh(self._show_hint)
        else:
            worker = partial(self.run_worker, thread=True, exclusive=True, group="hint")
            self.set_timer(_PAUSE, partial(worker, self._show_hint))

    def _show_hint(self) -> None:
        self._hint_waits = False
        text = self.hint()
        if text != self._hint:
            self._hint = text
            self.post_message(self.HoverChanged(text))

    def _report_move(self) -> None:
        if self.is_mounted:
            self.post_message(self.CursorMoved())
            self._hint_soon()


def _at_once(completions: list[Completion], text: str, offset: int) -> list[Completion]:
    """The completions to show unasked: those that continue the typed word."""
    matches = []
    for completion in completions:
        typed_word = text[completion.start : offset].strip("\"', \t\r\n").lower()
        is_example = completion.detail == "an example" and not typed_word
        if completion.label.lower().startswith(typed_word) and not is_example:
            matches.append(completion)
    same = (
        len(matches) == 1
        and text[matches[0].start : offset].strip("\"', \t\r\n") == matches[0].label
    )
    return [] if same else matches
