"""The editor of text files: shows and edits a buffer, with completion, find and outline."""

from __future__ import annotations

import os
import re
from bisect import bisect, bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual._text_area_theme import TextAreaTheme
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.document._document import EditResult, Location, Selection
from textual.document._document_navigator import DocumentNavigator
from textual.document._edit import Edit
from textual.document._wrapped_document import WrappedDocument
from textual.geometry import Offset
from textual.message import Message
from textual.scrollbar import ScrollBar
from textual.strip import Strip
from textual.widgets import Input, Label, TextArea

from skillstudio.files.disk import DiskTree
from skillstudio.manifest.completion import Completion, complete
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.hover import hover
from skillstudio.manifest.outline import OutlineItem, outline
from skillstudio.session.buffer import Buffer, BufferChange
from skillstudio.settings.settings import SkillSettings
from skillstudio.text.diagnostic import Splice
from skillstudio.text.safe import safe_text
from skillstudio.tui.widgets.editor import shown as marks
from skillstudio.tui.widgets.editor.highlight import KINDS, Highlighter, Run, language_of
from skillstudio.tui.widgets.editor.popup import CompletionPopup
from skillstudio.tui.widgets.editor.shown import GLYPHS, ShownDiagnostic
from skillstudio.tui.widgets.editor.text_document import TextDocument, line_break, pictures, unit_of
from skillstudio.tui.widgets.entry import EntryLine, do_bound

if TYPE_CHECKING:
    from skillstudio.session.vim.keys import VimState, VimStep

_LARGE = 16_000  # Characters from which a text is analysed in a thread instead of between two keys.
_PAUSE = 0.15
_OPENS = frozenset("\"'/.{-_")
"""Characters, besides letters and digits, that open completions as they are typed."""
_BEFORE_VALUE = (":", "=", "-", ",", "[")
_MOVES = {"up": -1, "down": 1, "pageup": -8, "pagedown": 8}
_MOST = 5000  # The most matches that a search marks.
_STEPS = {"down": 1, "up": -1}
_PLACE = re.compile(r"\s*(\d+)\s*(?:[:,]\s*(\d+)\s*)?")
_THEME = "manifest"
_MARKS = ("error", "warning", "info", "changed", "picture", "match")
_LINE_END = re.compile(r"\r\n|\n|\r")
_BRACKET = re.compile(r"[\[\](){}]")
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_SIGNS = 2
"""Cells left of the line numbers: the diagnostic's letter and the mark of a changed line."""
_LARGEST_WRAPPED = 400_000  # The most characters of a text whose lines are wrapped.
_LEAST_MESSAGE = 10  # The least cells for the message after a line.
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
_FIX = {"problem": "fix"}  # What a click finds at the key of a fix.
_REACH = 100_000  # The most characters between a bracket and its partner.


class EditorTheme(TextAreaTheme):
    """A theme from CSS in which the cursor's line keeps the colours of its text."""

    def apply_css(self, text_area: TextArea) -> None:
        super().apply_css(text_area)
        style = text_area.get_component_rich_style("text-area--cursor-line")
        self.cursor_line_style = Style(bgcolor=style.bgcolor)


class _Wrapped(WrappedDocument):
    """Counts its rows once and not for every line that is painted."""

    @property
    def height(self) -> int:
        return len(self._offset_to_line_info)


def _binding(keys: str, action: str, title: str, name: str = "") -> Binding:
    """A binding that runs before keys typed after it: other bindings have to bubble up first."""
    id_ = f"editor.{name or action.replace('_', '-')}"
    return Binding(keys, action, title, show=False, priority=True, id=id_)


class ManifestEditor(TextArea):
    """The text of one buffer with colours, underlines and marks."""

    DEFAULT_CSS = """
    ManifestEditor {
        border: none;
        padding: 0;
        background: $background;
        scrollbar-size: 0 1;
        overflow-y: scroll;
        &:focus { border: none; background: $background; }
        & .text-area--cursor-line { background: $surface; }
        &:ansi .text-area--cursor-line { background: ansi_default; }
        & .text-area--gutter { color: $foreground 65%; }
        & .text-area--cursor-gutter { color: $foreground; text-style: bold; }
        & .editor--key { color: $text-primary; }
        & .editor--string { color: $text-success; }
        & .editor--number { color: $text-warning; }
        & .editor--word { color: $text-accent; text-style: bold; }
        & .editor--comment { color: $foreground 60%; text-style: italic; }
        & .editor--punctuation { color: $foreground 80%; }
        & .editor--heading { color: $text-primary; text-style: bold; }
        & .editor--strong { text-style: bold; }
        & .editor--emphasis { text-style: italic; }
        & .editor--code { color: $text-secondary; }
        & .editor--link { color: $text-accent; }
        & .editor--marker { color: $text-warning; text-style: bold; }
        & .editor--error { color: $text-error; text-style: underline; }
        & .editor--warning { color: $text-warning; text-style: underline; }
        & .editor--info { color: $text-primary; text-style: underline; }
        & .editor--changed { color: $text-accent; }
        & .editor--picture { color: $text-error; text-style: reverse; }
        & .editor--match { text-style: reverse; }
    }
    """
    HELP = """The text of the file, byte for byte. Left of the numbers: ✗, ! or i for a problem,
    ~ for a changed line. ctrl+space completes, ctrl+f finds, ctrl+g goes to a line,
    ctrl+e shows the outline, alt+z wraps long lines or not; tab indents, escape leaves."""
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"editor--{name}" for name in (*KINDS, *_MARKS)}
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
        self._language = "text"
        self.diagnostics: Sequence[ShownDiagnostic] = ()
        """The diagnostics at their places in the current text."""
        self._breaking: list[ShownDiagnostic] = []
        """The changes that break calls, each at the start of its line."""
        self._underlines: dict[int, list[Run]] | None = None
        self._worst: dict[int, ShownDiagnostic] | None = None
        self._changed_rows: set[int] = set()
        self._found: dict[int, list[Run]] = {}
        self._styles: dict[str, Style] = {}
        self._cursor_after: int | None = None
        """Where the next change puts the cursor; None to keep its place in the text."""
        self._cursor_next: int | None = None
        """The same for the next edit, unless it is the end of the inserted text."""
        self._applying = False
        self._popup: CompletionPopup | None = None
        self._hint_waits = False
        self._hint = ""
        self._is_left = False  # Whether escape was pressed, and the focus is on its way.
        self.last_search = ""
        self.vim: VimState | None = None
        """The state of the vim keys; None while they are off."""
        self._vim_head = 0  # The character that the cursor is on in a visual mode.
        self._insert_depth = 0  # The undo steps before insert mode.
        self._wraps: dict[str, bool] = {}
        """Whether texts of a kind are wrapped, where the user changed it."""
        super().__init__(
            soft_wrap=True,
            tab_behavior="indent",
            show_line_numbers=True,
            read_only=True,
            id=id,
        )
        self.cursor_blink = False
        self.register_theme(EditorTheme(_THEME))
        self.theme = _THEME

    async def _on_mouse_down(self, event: events.MouseDown) -> None:
        """Apply the fix whose key is clicked; elsewhere set the cursor."""
        if _FIX.items() <= event.style.meta.items():
            event.stop()
            event.prevent_default()
            self.post_message(self.CommandsRequested(("problem.fix",)))
        else:
            await super()._on_mouse_down(event)

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
        self._moved()

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
        said = "long lines are wrapped" if self.soft_wrap else "long lines scroll sideways"
        if self.soft_wrap != self._wraps[self._language]:
            said = "this text is too long to wrap"
        self.post_message(self.CommandsRequested(text=said))

    def _forget(self) -> None:
        if self._unsubscribe:
            self._unsubscribe()
        self._unsubscribe = None
        self.buffer = None

    def _set_document(self, text: str, language: str | None) -> None:
        """Replace the document by one that keeps every byte, whichever Textual asks for."""
        del language  # Textual's name for a tree-sitter grammar
        document = TextDocument(text)
        self._text_document = document
        self.document = document
        self.wrapped_document = _Wrapped(document, tab_width=self.indent_width)
        self.navigator = DocumentNavigator(self.wrapped_document)
        self._highlighter = Highlighter(lambda: document.lines, self._language)
        self.diagnostics, self._breaking = [], []
        self._changed_rows = set()
        self._found = {}
        self._repaint()
        self.move_cursor((0, 0))
        self._rewrap_and_refresh_virtual_size()

    def _watch_language(self, language: str | None) -> None:
        """Ignore the language: Textual would parse the text again, without a grammar."""

    def edit(self, edit: Edit) -> EditResult:
        """Apply an edit to the buffer; new lines get the file's line end."""
        document, buffer = self._text_document, self.buffer
        start, end = document.offset_of(edit.top), document.offset_of(edit.bottom)
        text = _LINE_END.sub(lambda _: document.newline, edit.text)
        text = text.encode("utf-8", "replace").decode("utf-8")
        if buffer is None or buffer.read_only:
            return EditResult(edit.top, "")
        version = buffer.version
        replaced = document.text[start:end]
        typed = len(edit.text) + len(replaced) == 1
        if not edit.maintain_selection_offset:
            end_of_edit = start + len(text)
            self._cursor_after = end_of_edit if self._cursor_next is None else self._cursor_next
        self._cursor_next = None
        label = "Typing" if typed else "Editing"
        buffer.replace([Splice(start, end, text)], label, merge=typed, origin=self)
        if self._cursor_after is not None:  # the buffer had nothing to change
            self._put_cursor(self._cursor_after)
        if buffer.version != version:
            if len(edit.text) <= 1 and not edit.maintain_selection_offset:
                self._typed(edit.text)
            else:
                self.close_popup()
        return EditResult(document.location_of(start + len(text)), replaced)

    def action_copy(self) -> None:
        """Send the selected text to the terminal's clipboard."""
        super().action_copy()
        if size := len(self.selected_text):
            said = f"sent {size} characters to the terminal's clipboard (OSC 52)"
            self.post_message(self.CommandsRequested(text=said))

    def undo(self) -> None:
        """Undo the last step of the buffer, whatever its origin."""
        self._step(Buffer.undo)

    def redo(self) -> None:
        """Redo what was undone last."""
        self._step(Buffer.redo)

    def _step(self, step: Callable[[Buffer, object], tuple[Splice, ...] | None]) -> None:
        if self.buffer and not self.buffer.read_only and (splices := step(self.buffer, self)):
            last = splices[-1]
            self._put_cursor(marks.moved(last.start, splices[:-1]) + len(last.text))

    def _buffer_changed(self, change: BufferChange) -> None:
        """Apply a change of the buffer to the document, whatever its origin."""
        if change.origin is not self:
            self.close_popup()
        document = self._text_document
        first, last = (document.offset_of(place) for place in self.selection)
        old_gutter, old_size = self.gutter_width, self.virtual_size
        dirty = set(self._rows_underlined) | set(self._found)
        moved = False
        for splice in reversed(change.splices):
            rows = document.splice(*splice)
            self._highlighter.edited(*rows)
            dirty.update(range(rows.top, rows.new + 1))
            shift = rows.new - rows.old
            if shift:
                moved = True
                self._changed_rows = {
                    row + shift if row > rows.old else min(row, rows.new)
                    for row in self._changed_rows
                }
            self.wrapped_document.wrap_range((rows.top, 0), (rows.old, 0), (rows.new, 0))
        if self.soft_wrap and self.gutter_width != old_gutter:
            self.wrapped_document.wrap(self.wrap_width, self.indent_width)
        self.diagnostics = marks.follow(self.diagnostics, change.splices)
        self._breaking = marks.follow(self._breaking, change.splices)
        self._found = {}
        self._underlines = self._worst = None
        cut_off = max(self.selection) > document.end
        if cut_off:
            # After a resize Textual may read the cursor's place, which is beyond the text.
            self.set_reactive(TextArea.selection, Selection.cursor(document.end))
        self._refresh_size()
        if moved or self.virtual_size != old_size:
            self._repaint()
        else:
            self._repaint_rows(dirty | set(self._rows_underlined))
        if self._cursor_after is None:
            first, last = marks.moved(first, change.splices), marks.moved(last, change.splices)
            self._put_cursor(last, first)
        else:
            self._put_cursor(self._cursor_after)
        if cut_off and self.is_mounted:
            self.scroll_cursor_visible()

    def _put_cursor(self, offset: int, anchor: int | None = None) -> None:
        """Set the cursor as part of an edit, without ending the undo step."""
        self._cursor_after = None
        place = self._text_document.location_of
        self._applying = True
        try:
            self.selection = Selection(place(offset if anchor is None else anchor), place(offset))
        finally:
            self._applying = False
        self.record_cursor_width()

    def watch_selection(self) -> None:
        if not self._applying:
            if self.buffer:
                self.buffer.seal()
            self.close_popup()
            if self.vim is not None and self.vim.mode in ("visual", "lines"):
                self._to_vim_normal()
        self._moved()

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
            for each in ("escape", last) if insert or not is_idle else (last,):
                self._vim_press(each)
            return True
        if insert:
            if key == "escape":
                self._vim_press(key)
            return key == "escape"
        if key == "escape" and is_idle and self.vim.mode == "normal":
            return False
        if key in ("ctrl+d", "ctrl+u"):
            for each in f"{max(self.size.height // 2, 1)}{'j' if key == 'ctrl+d' else 'k'}":
                self._vim_press(each)
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
        selected = selection(step.state, buffer.text, step.cursor)
        if selected is None:
            self._put_cursor(step.cursor)
        elif step.cursor < step.state.anchor:
            self._put_cursor(selected[0], selected[1])
        else:
            self._put_cursor(selected[1], selected[0])
        self.scroll_cursor_visible()
        if step.state.shown != before.shown:
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
        above, below = line_break(
            self._highlighter.language(row), before, after, " " * self.indent_width
        )
        start = document.offset_of((row, column))
        self._cursor_next = start + len(above.replace("\n", document.newline))
        self.edit(Edit(above + below, (row, column), (last, end_column), False))

    def _typed(self, character: str) -> None:
        """Open, update or close the completions after a character was typed or deleted."""
        is_open = self._popup is not None and self._popup.is_open
        if character in ("\n", "\r") or (not character and not is_open):
            self.close_popup()
        elif is_open or character.isalnum() or character in _OPENS or self._begins_value(character):
            self._ask(asked=False)
        else:
            self.close_popup()

    def _begins_value(self, character: str) -> bool:
        row, column = self.cursor_location
        before = self._text_document.raw_line(row)[:column]
        return character == " " and before.rstrip().endswith(_BEFORE_VALUE)

    # Completion

    def action_complete(self) -> None:
        """Complete at the cursor, after the keys typed before this one are handled."""
        self.call_later(self._ask, asked=True)

    def _ask(self, asked: bool) -> None:
        skill, buffer = self._skill, self.buffer
        if skill is None or buffer is None or self.read_only:
            return
        path, text, offset, version = self._path, buffer.text, self.cursor_offset, buffer.version

        def find() -> None:
            found = complete(skill, path, text, offset)
            # A message to the widget: a thread touches nothing of the screen.
            self.call_later(self._show_completions, version, found, asked)

        if len(text) < _LARGE:
            self.call_after_refresh(find)
        else:
            self.run_worker(find, thread=True, exclusive=True, group="completion")

    def _show_completions(self, version: int, found: list[Completion], asked: bool) -> None:
        buffer = self.buffer
        if buffer is None or version != buffer.version or not self.has_focus:
            return
        offset = self.cursor_offset
        if not asked:
            found = _at_once(found, buffer.text, offset)
        if not found:
            self.close_popup()
            if asked:
                self.post_message(self.CommandsRequested(text="nothing to complete here"))
            return
        row_start = self._text_document.offset_of((self.cursor_location[0], 0))
        typed = offset - max(found[0].start, row_start)
        if self._popup is None:
            self._popup = CompletionPopup()
            self.screen.mount(self._popup)
        place = self.cursor_screen_offset
        self._popup.open(found, Offset(max(place.x - max(typed, 0) - 2, 0), place.y + 1))

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
            self._ask(asked=False)

    # The cursor

    @property
    def cursor_offset(self) -> int:
        """The offset of the cursor in the text."""
        return self._text_document.offset_of(self.cursor_location)

    @property
    def selection_offsets(self) -> tuple[int, int]:
        """The offsets of the selection's start and of the cursor."""
        start, end = self.selection
        return self._text_document.offset_of(start), self._text_document.offset_of(end)

    def go_to(self, offset: int, end: int | None = None) -> None:
        """Move the cursor to an offset; `end` selects the text up to it.

        A place out of sight is scrolled to the middle.
        """
        place = self._text_document.location_of
        self.selection = Selection(place(offset), place(offset if end is None else end))
        self.record_cursor_width()
        if self.size.height:
            self._show_cursor()
        elif self.is_mounted:
            self.call_after_refresh(self._show_from_start)

    def _show_from_start(self) -> None:
        """Scroll from the start of the text: while it had no size, no place was in sight."""
        self.scroll_to(y=0, animate=False, force=True, immediate=True)
        self._show_cursor()

    def _show_cursor(self) -> None:
        """Scroll the cursor to the middle if it is out of sight."""
        row = self.wrapped_document.location_to_offset(self.cursor_location).y
        top = self.scroll_offset.y
        if not top <= row < top + self.size.height and self.is_mounted:
            self.scroll_cursor_visible(center=True)

    def go_to_line(self, line: int, column: int = 1) -> None:
        """Move the cursor to a line and column, both from 1, limited to the text."""
        row = min(max(line, 1), self._text_document.line_count) - 1
        self.go_to(self._text_document.offset_of((row, max(column, 1) - 1)))

    def action_to_edge(self, end: bool, select: bool = False) -> None:
        """Move the cursor to the start or the end of the text."""
        self.move_cursor(self.document.end if end else (0, 0), select=select)

    async def action_find(self) -> None:
        """Find a text: the selected one, else that of the last search."""
        selected = "" if "\n" in self.selected_text else self.selected_text
        await self._open_bar(FindBar(self, selected or self.last_search))

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

    def find_matching_bracket(self, bracket: str, search_from: Location) -> Location | None:
        """Return the nearest partner of a bracket; brackets in strings count, too."""
        if bracket not in "()[]{}" or not bracket:
            return None
        text, at = self._text_document.text, self._text_document.offset_of(search_from)
        opens = bracket in _PAIRS
        found: Iterable[re.Match[str]] = _BRACKET.finditer(text, at, at + _REACH)
        if not opens:
            found = reversed(list(_BRACKET.finditer(text, max(at - _REACH, 0), at + 1)))
        depth = 0
        for match in found:
            depth += 1 if (match[0] in _PAIRS) == opens else -1
            if depth == 0:
                pair = bracket + match[0] if opens else match[0] + bracket
                is_pair = _PAIRS[pair[0]] == pair[1]
                return self._text_document.location_of(match.start()) if is_pair else None
        return None

    # The hint

    def hint(self) -> str:
        """The description of the key at the cursor; a problem there has its message at the line."""
        if marks.at(self.diagnostics, self.cursor_offset) is not None:
            return ""
        if self._skill is None or self.buffer is None:
            return ""
        found = hover(self._skill, self._path, self.buffer.text, self.cursor_offset)
        return f"{found.title}: {found.text}" if found else ""

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

    def _moved(self) -> None:
        if self.is_mounted:
            self.post_message(self.CursorMoved())
            self._hint_soon()

    # Marks and painting

    def set_diagnostics(self, diagnostics: Sequence[ShownDiagnostic]) -> None:
        """Show these in place of those before; they follow the text until the next ones."""
        self.diagnostics = diagnostics
        self._repaint()
        self._hint_soon()

    def set_breaking(self, rows: Mapping[int, str]) -> None:
        """Show what breaks after the text of rows, in place of what was shown before."""
        document = self._text_document
        breaking = [
            ShownDiagnostic(offset, offset, "error", text, "")
            for row, text in rows.items()
            if row < document.line_count
            for offset in (document.offset_of((row, 0)),)
        ]
        if breaking != self._breaking:
            self._breaking = breaking
            self._repaint()

    def mark_lines(self, lines: set[int]) -> None:
        """Mark lines as changed, counted from 1."""
        self._changed_rows = {line - 1 for line in lines}
        self._repaint()

    def show_found(self, spans: Sequence[tuple[int, int]]) -> None:
        """Mark the matches of a search, until the text changes."""
        self._found = {}
        for start, end in spans:
            row, column = self._text_document.location_of(start)
            last, end_column = self._text_document.location_of(end)
            if last != row:
                end_column = len(self._text_document.get_line(row))
            self._found.setdefault(row, []).append(Run(column, end_column, "match"))
        self._repaint()

    def notify_style_update(self) -> None:
        self._styles.clear()
        super().notify_style_update()

    def _repaint(self) -> None:
        """Repaint every line: Textual caches a line while its text is the same."""
        self._underlines = self._worst = None
        self._line_cache.clear()
        self.refresh()
        if self._vertical_scrollbar is not None:
            self._vertical_scrollbar.refresh()

    def _repaint_rows(self, rows: set[int]) -> None:
        """Repaint these rows, those whose start state changed, and all below the screen."""
        last = self.scroll_offset.y + self.size.height
        rows |= self._highlighter.settle(last)
        for key in list(self._line_cache.keys()):
            if key[2] in rows or key[2] > last:
                self._line_cache.discard(key)
        self.refresh()

    def _style(self, name: str) -> Style:
        """Return the style of a component without its background."""
        if name not in self._styles:
            style = self.get_component_rich_style(f"editor--{name}")
            self._styles[name] = Style(
                color=None if name in ("strong", "emphasis", "match") else style.color,
                bold=style.bold,
                italic=style.italic,
                underline=style.underline,
                reverse=style.reverse,
            )
        return self._styles[name]

    @property
    def _rows_underlined(self) -> dict[int, list[Run]]:
        if self._underlines is None:
            self._underlines = marks.underlines(self.diagnostics, self._text_document)
        return self._underlines

    def get_line(self, line_index: int) -> Text:
        """Return a line with its colours and underlines."""
        line = Text(self._text_document.get_line(line_index), end="", no_wrap=True)
        hidden = pictures(self._text_document.raw_line(line_index))
        for run in (
            *self._highlighter.runs(line_index),
            *(Run(column, column + 1, "picture") for column in hidden),
            *self._rows_underlined.get(line_index, ()),
            *self._found.get(line_index, ()),
        ):
            line.stylize(self._style(run.kind), run.start, run.end)
        return line

    @property
    def gutter_width(self) -> int:
        return super().gutter_width + (_SIGNS if self.show_line_numbers else 0)

    def render_line(self, y: int) -> Strip:
        """Return a line of the widget: signs, number, text, and the message of a problem.

        Textual's own cache forgets every wrapped line when the cursor moves.
        """
        scroll_x, scroll_y = self.scroll_offset
        places = self.wrapped_document._offset_to_line_info
        if y + scroll_y >= len(places):
            return super().render_line(y)
        row, section = places[y + scroll_y]
        first, last = sorted(self.selection)
        here = row == self.cursor_location[0]
        bracket = self._matching_bracket_location
        key = (
            self.size,
            scroll_x,
            row,
            section,
            self.selection if here or first[0] <= row <= last[0] else None,
            (here, self._draw_cursor) if here else None,
            bracket if bracket is not None and (here or bracket[0] == row) else None,
            self.soft_wrap,
            self.show_line_numbers,
        )
        strip = self._line_cache.get(key)
        if strip is None:
            strip = self._with_marks(self._render_line(y), row, section)
            self._line_cache[key] = strip
        return strip

    def _with_marks(self, strip: Strip, row: int, section: int) -> Strip:
        """Add the signs of a row in its first section, and the message after its last one."""
        severity = marks.worst(run.kind for run in self._rows_underlined.get(row, ()))
        if section == len(self.wrapped_document.get_offsets(row)):
            message = self._messages.get(row)
            if message is not None:
                strip = self._with_message(strip, row, section, message, "◂")
            elif breaking := self._breaking_rows.get(row):
                strip = self._with_message(strip, row, section, breaking, "▲")
        if not self.show_line_numbers or section:
            return strip
        changed = row in self._changed_rows
        if not (severity or changed):
            return strip
        ground = next(iter(strip)).style or Style()
        ground = Style(bgcolor=ground.bgcolor)
        sign = Segment(" ", ground)
        if severity:
            bold = Style(color=self._style(severity).color, bold=True)
            sign = Segment(GLYPHS[severity], ground + bold)
        mark = Segment("~" if changed else " ", ground + self._style("changed"))
        return Strip.join([Strip([sign, mark], _SIGNS), strip.crop(_SIGNS)])

    def _with_message(
        self, strip: Strip, row: int, section: int, shown: ShownDiagnostic, sign: str
    ) -> Strip:
        """Show a message after the text of a row, as far as there is space."""
        if self.virtual_size.width > self.size.width:
            return strip
        offsets = [0, *self.wrapped_document.get_offsets(row)]
        text = self._text_document.get_line(row)[offsets[section] :]
        start = self.gutter_width + cell_len(text.replace("\t", " " * self.indent_width)) + 3
        room = strip.cell_length - start - 1
        if room < _LEAST_MESSAGE:
            return strip
        message = f"{sign} {' '.join(shown.message.split())}"
        line = Text(safe_text(message), end="", no_wrap=True)
        line.truncate(room - cell_len(f"  {shown.fix}") * bool(shown.fix), overflow="ellipsis")
        style = Style(color=self._style(shown.severity).color, italic=True)
        line.stylize(style)
        if shown.fix:
            key = Style(color=style.color, bold=True, meta=_FIX)
            line.append("  ")
            line.append(shown.fix, key)
        tail = Strip(line.render(self.app.console), line.cell_len)
        at = list(strip.crop(start, start + 1))
        ground = Style(bgcolor=at[0].style.bgcolor if at and at[0].style else None)
        after = strip.crop(start + line.cell_len)
        return Strip.join([strip.crop(0, start), tail.apply_style(ground), after])

    @property
    def _messages(self) -> dict[int, ShownDiagnostic]:
        """The worst diagnostic that starts in each row."""
        if self._worst is None:
            self._worst = {}
            for each in sorted(self.diagnostics, key=lambda d: -marks.WEIGHT[d.severity]):
                self._worst[self._text_document.location_of(each.start)[0]] = each
        return self._worst

    @property
    def _breaking_rows(self) -> dict[int, ShownDiagnostic]:
        place = self._text_document.location_of
        return {place(breaking.start)[0]: breaking for breaking in self._breaking}

    @property
    def vertical_scrollbar(self) -> ScrollBar:
        """The scrollbar, which shows where the problems are."""
        if self._vertical_scrollbar is None:
            bar = MarkedScrollBar(self._marks_of_bar, vertical=True, name="vertical")
            bar.display = False
            self._vertical_scrollbar = bar
            self.app._start_widget(self, bar)
        return self._vertical_scrollbar

    def _marks_of_bar(self) -> dict[int, Segment]:
        """The rows of the scrollbar with the sign of the worst problem that each stands for."""
        height, lines = self.size.height, max(self.wrapped_document.height, 1)
        found: dict[int, Segment] = {}
        if not height:
            return found
        for row, shown in sorted(
            self._messages.items(), key=lambda item: -marks.WEIGHT[item[1].severity]
        ):
            at = self.wrapped_document.location_to_offset((row, 0)).y
            place = at if lines <= height else at * height // lines
            style = Style(color=self._style(shown.severity).color, bold=True)
            found[min(place, height - 1)] = Segment(GLYPHS[shown.severity], style)
        return found


class MarkedScrollBar(ScrollBar):
    """A scrollbar with signs at the places of problems."""

    def __init__(
        self, signs: Callable[[], Mapping[int, Segment]], vertical: bool, name: str
    ) -> None:
        super().__init__(vertical=vertical, name=name)
        self._signs = signs

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        sign = self._signs().get(y)
        if sign is None or not strip.cell_length:
            return strip
        under = next(iter(strip)).style or Style()
        ground = under.color if under.reverse else under.bgcolor
        if self.app.native_ansi_color:  # The bar may have the colour of the sign.
            ground = None
        style = Style(bgcolor=ground, meta=under.meta) + (sign.style or Style())
        return Strip([Segment(sign.text, style)], 1)


class Bar(Horizontal):
    """A prompt below the editor; escape closes it and gives the focus back."""

    DEFAULT_CSS = """
    Bar {
        height: 1;
        background: $panel;
        & Label { width: auto; padding: 0 1; }
        & Input { width: 1fr; min-width: 10; height: 1; border: none; padding: 0; }
        & .bar--state { color: $text-muted; }
    }
    """

    PROMPT: ClassVar[str] = ""

    def __init__(self, editor: ManifestEditor, value: str = "") -> None:
        super().__init__()
        self._editor = editor
        self._value = value
        self._state = Label("", classes="bar--state", markup=False)

    def compose(self) -> ComposeResult:
        yield Label(self.PROMPT)
        yield EntryLine(self._value, compact=True, select_on_focus=True)
        yield self._state

    def on_mount(self) -> None:
        self.screen.set_focus(self.query_one(Input))

    @property
    def value(self) -> str:
        return self.query_one(Input).value

    def say(self, text: str) -> None:
        self._state.update(text)

    async def close(self) -> None:
        self._editor.show_found([])
        self._editor.focus()
        await self.remove()

    async def on_key(self, event: events.Key) -> None:
        if event.key == "escape":
            event.stop()
            event.prevent_default()
            await self.close()


class FindBar(Bar):
    """Finds a text as it is typed; enter and down go to the next match, up to the previous."""

    PROMPT = "Find"

    def __init__(self, editor: ManifestEditor, value: str = "") -> None:
        super().__init__(editor, value)
        self._from = editor.cursor_offset

    def on_input_changed(self) -> None:
        self._search(self._from)

    def on_input_submitted(self) -> None:
        self.step(1)

    async def on_key(self, event: events.Key) -> None:
        if event.key in _STEPS:
            event.stop()
            event.prevent_default()
            self.step(_STEPS[event.key])

    def step(self, by: int) -> None:
        """Go to the next match, or with -1 to the previous one, wrapping around."""
        self._search(min(self._editor.selection_offsets), by)

    def _search(self, offset: int, by: int = 0) -> None:
        """Mark all matches, and go to the one at or after an offset; with 1 only after it, with -1
        before it."""
        spans = matches(self._editor.text, self.value)
        if not spans:
            self._editor.show_found([])
            self.say("not found" if self.value else "")
            return
        starts = [start for start, _ in spans]
        index = bisect(starts, offset) if by > 0 else bisect_left(starts, offset) + by
        index %= len(spans)
        self._editor.go_to(*spans[index])
        self._editor.show_found(spans)
        more = "+" if len(spans) >= _MOST else ""
        self.say(f"{index + 1} of {len(spans)}{more}")

    async def close(self) -> None:
        self._editor.last_search = self.value
        await super().close()


class LineBar(Bar):
    """Goes to `line` or `line:column`."""

    PROMPT = "Go to line"

    async def on_input_submitted(self) -> None:
        found = _PLACE.fullmatch(self.value)
        if not found:
            self.say("enter a line or line:column")
            return
        self._editor.go_to_line(int(found.group(1)), int(found.group(2) or 1))
        await self.close()


def matches(text: str, wanted: str) -> list[tuple[int, int]]:
    """The spans of the matches; case-sensitive only if `wanted` has capitals."""
    if not wanted:
        return []
    flags = re.NOFLAG if wanted != wanted.lower() else re.IGNORECASE
    found = re.finditer(re.escape(wanted), text, flags)
    return [match.span() for match in islice(found, _MOST)]


def _at_once(found: list[Completion], text: str, offset: int) -> list[Completion]:
    """The completions to show unasked: those that continue the typed word."""
    shown = []
    for each in found:
        typed = text[each.start : offset].strip("\"', \t\r\n").lower()
        is_example = each.detail == "an example" and not typed
        if each.label.lower().startswith(typed) and not is_example:
            shown.append(each)
    same = len(shown) == 1 and text[shown[0].start : offset].strip("\"', \t\r\n") == shown[0].label
    return [] if same else shown
