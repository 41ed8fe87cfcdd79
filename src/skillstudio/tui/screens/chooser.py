"""A list of answers that is narrowed by typing: commands, help, skills, themes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.fuzzy import FuzzySearch
from textual.message import Message
from textual.widgets import Input, Static, TextArea

from skillstudio.session.commands.commands import Command, why_disabled
from skillstudio.session.commands.keymap import Keymap, all_shown, format_key, is_typed
from skillstudio.tui.screens.dialogs import ListDialog
from skillstudio.tui.widgets.entry import EntryLine
from skillstudio.tui.widgets.lines import KeyHint
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import join, paragraphs, plain

if TYPE_CHECKING:
    from textual.app import App
    from textual.widget import Widget

_KEYS = (KeyHint("enter", "choose"),)
_FEW = 12
"""The most answers for which a dialog is as small as they are."""
_LEAST_HELP = 50
"""Cells of the screen beside names and keys from which each command has its help in the list; the
help of the selected one is always below it."""


class Answer(NamedTuple):
    """One line to choose: its id, the text that is searched, the line that is shown."""

    id: str
    title: str
    line: Content
    hint: str = ""  # More text to search, and the hint while the answer is selected.
    off: str = ""


class Chooser(ListDialog[str | None]):
    """Ends with the id of an answer, or None when the user goes back."""

    def __init__(
        self,
        title: str,
        answers: Sequence[Answer],
        about: Content | None = None,
        on_move: Callable[[str], None] = lambda _: None,
        start: str = "",
        by_prefix: Mapping[str, Callable[[str], Sequence[Answer]]] | None = None,
        hint: str = "type to search",
    ) -> None:
        """`on_move` gets the id of each answer that is selected, `start` of the first; `by_prefix`
        returns other answers for the text after the first character of the search."""
        super().__init__(title, _KEYS)
        self._answers = list(answers)
        self._matches = list(answers)
        self._about = about
        self._on_move = on_move
        self._start = start
        self._by_prefix = by_prefix or {}
        self._placeholder = hint

    def body(self) -> ComposeResult:
        if self._about is not None:
            yield Static(self._about, id="about")
        yield EntryLine(placeholder=self._placeholder, id="query", select_on_focus=False)
        yield Rows(id="answers", empty=Content("no matches"))
        yield Static(id="whole")

    def on_mount(self) -> None:
        if len(self._answers) <= _FEW and not self._by_prefix:
            self.query_one("#dialog").add_class("fit")
            self.query_one(Rows).styles.height = max(len(self._answers), 1)
        ids = [answer.id for answer in self._answers]
        self._list(ids.index(self._start) if self._start in ids else 0)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        prefix, rest = event.value[:1], event.value[1:]
        if prefix in self._by_prefix:
            self._matches = find_matches(rest, self._by_prefix[prefix](rest))
        else:
            self._matches = find_matches(event.value, self._answers)
        self._list(0)

    def _list(self, cursor: int) -> None:
        lines = [a.line.stylize("dim") if a.off else a.line for a in self._matches]
        self.query_one(Rows).show(lines, cursor)
        self._show_details()

    def _show_details(self) -> None:
        about = Content("")
        if here := self._here():
            about = plain(f"not now: {here.off}") if here.off else plain(here.hint, "dim")
            self._on_move(here.id)
        self.query_one("#whole", Static).update(about)

    def _here(self) -> Answer | None:
        index = self.query_one(Rows).cursor
        return self._matches[index] if index < len(self._matches) else None

    @on(Rows.RowActivated)
    @on(Input.Submitted)
    def _choose(self, event: Message) -> None:
        event.stop()
        here = self._here()
        if here and not here.off:
            self.dismiss(here.id)


def find_matches(query: str, answers: Sequence[Answer]) -> list[Answer]:
    """The answers with every word of the query: that with this title first, then those whose title
    starts with it or has it; if there are none, those with the letters in this order."""
    words = query.casefold().split()

    def rank(answer: Answer) -> tuple[bool, bool]:
        title, text = answer.title.casefold(), " ".join(words)
        return title != text, not title.startswith(text)

    title_matches = sorted((answer for answer in answers if _has(words, answer.title)), key=rank)
    text_matches = [answer for answer in answers if _has(words, f"{answer.title} {answer.hint}")]
    if text_matches:
        return [*title_matches, *(answer for answer in text_matches if answer not in title_matches)]
    search = FuzzySearch()
    scored_answers = [(search.match("".join(words), answer.title)[0], answer) for answer in answers]
    return [
        answer for score, answer in sorted(scored_answers, key=lambda pair: -pair[0]) if score > 0
    ]


def _has(words: list[str], text: str) -> bool:
    folded_text = text.casefold()
    return all(word in folded_text for word in words)


class CommandScreen(Protocol):
    """A screen with commands: the workbench, or the wizard for a new skill."""

    keymap: Keymap

    @property
    def app(self) -> App[Any]: ...
    @property
    def focused(self) -> Widget | None: ...
    def facts(self) -> frozenset[str]: ...


async def help_(
    screen: CommandScreen, commands: Iterable[Command], first: Sequence[str] = ()
) -> str:
    """Explain what is focused and list every command, `first` before the others; the id of the one
    to run, "" if none."""
    about = ""
    for node in screen.focused.ancestors_with_self if screen.focused else ():
        about = getattr(node, "help_text", "") or getattr(node, "HELP", None) or ""
        if about:
            break
    about = " ".join((about or "Nothing is focused; s focuses the skills.").split())
    answers = command_answers(screen, commands, first)
    return await screen.app.push_screen_wait(Chooser("Help", answers, paragraphs(about))) or ""


def _keys(screen: CommandScreen, id_: str) -> str:
    """The keys of a command as they work now: in a text, letters do so after escape."""
    keys = screen.keymap.keys[id_]
    if not isinstance(screen.focused, Input | TextArea):
        return all_shown(keys)
    untyped_keys = [key for key in keys if not is_typed(key)]
    return all_shown(untyped_keys) or " ".join(
        f"{format_key('escape')} {format_key(key)}" for key in keys[:1]
    )


def command_answers(
    screen: CommandScreen, commands: Iterable[Command], first: Sequence[str] = ()
) -> list[Answer]:
    """The commands as answers, `first` before the others, and last those that are off, and why."""
    commands = list(commands)
    facts = screen.facts()
    ranks = {id_: rank for rank, id_ in enumerate(first)}
    answers = []
    names = {command.id: f"{command.category}: {command.title}" for command in commands}
    keys = {command.id: _keys(screen, command.id) for command in commands}
    widest = [max(map(len, texts.values()), default=0) for texts in (names, keys)]
    is_wide = screen.app.size.width >= sum(widest) + _LEAST_HELP
    for command in commands:
        name = names[command.id]
        key = plain(f"{keys[command.id]:<{widest[1]}}  ", "$text-primary")
        help_text = plain(command.help if is_wide else "", "dim")
        line = join(plain(f"{name:<{widest[0]}}  "), key, help_text)
        answers.append(Answer(command.id, name, line, command.help, why_disabled(command, facts)))
    return sorted(answers, key=lambda answer: (bool(answer.off), ranks.get(answer.id, len(ranks))))
