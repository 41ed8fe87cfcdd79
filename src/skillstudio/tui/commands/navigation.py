"""Navigation: skills, panes, themes, help, quitting."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

from skillstudio.session.commands.commands import Command, command, why_disabled
from skillstudio.session.commands.keymap import Keymap, all_shown
from skillstudio.session.workspace import WORDS
from skillstudio.tui.bench import Bench, content_of
from skillstudio.tui.commands import files
from skillstudio.tui.messages import OpenPath
from skillstudio.tui.screens.chooser import Answer, Chooser
from skillstudio.tui.screens.confirm import Confirm, ConfirmOption
from skillstudio.tui.widgets.key_line import BENCH
from skillstudio.tui.words import joined, plain

if TYPE_CHECKING:
    from textual.app import App
    from textual.widget import Widget


class Keyed(Protocol):
    """A screen with commands of the table: the workbench, and the wizard for a new skill."""

    keymap: Keymap

    @property
    def app(self) -> App[Any]: ...
    @property
    def focused(self) -> Widget | None: ...
    def facts(self) -> frozenset[str]: ...


def answers(screen: Keyed, commands: Iterable[Command] = BENCH) -> list[Answer]:
    """Every command as a line of the palette, with its keys and why it is disabled."""
    facts = screen.facts()
    return [_answer(screen, each, why_disabled(each, facts)) for each in commands]


def _answer(screen: Keyed, told: Command, off: str) -> Answer:
    keys = all_shown(screen.keymap.keys[told.id])
    text = f"{told.category}: {told.title}"
    line = joined(
        plain(f"{text:<38}"), plain(f" {keys:<14}", "$text-primary"), plain(told.help, "dim")
    )
    return Answer(told.id, text, line, told.help, off)


async def palette(bench: Bench) -> str:
    """Choose a command by its name; its id."""
    return await bench.app.push_screen_wait(Chooser("Commands", answers(bench))) or ""


async def help_(screen: Keyed, commands: Iterable[Command] = BENCH) -> str:
    """Explain what is focused and list every command; the id of the one to run."""
    focused = screen.focused
    about = ""
    for node in focused.ancestors_with_self if focused else ():
        about = getattr(node, "HELP", None) or ""
        if about:
            break
    about = " ".join((about or "Nothing is focused: s goes to the skills.").split())
    lines = answers(screen, commands)
    return await screen.app.push_screen_wait(Chooser("Help", lines, content_of(about))) or ""


async def go_to_skill(bench: Bench) -> None:
    """Choose a skill by letters of its name."""
    lines = []
    for entry in bench.session.workspace.skills.values():
        glyph, word = WORDS[entry.status]
        line = joined(
            f"{glyph} ", plain(entry.name), plain(f"  {entry.path or '.'}  {word}", "dim")
        )
        lines.append(Answer(entry.path or ".", f"{entry.name} {entry.path}", line))
    chosen = await bench.app.push_screen_wait(Chooser("Go to a skill", lines))
    if chosen is not None and await bench.open_file("" if chosen == "." else chosen):
        bench.go_to_pane("view")


async def may_leave(bench: Bench) -> bool:
    """Ask what becomes of unsaved changes. Whether the workbench may close."""
    if not bench.settle():
        return False
    dirty = bench.session.dirty()
    if not dirty:
        return True
    names = "\n".join(f"✎ {buffer.path}" for buffer in dirty)
    options = [
        ConfirmOption("cancel", "c", "Stay"),
        ConfirmOption("save", "s", "Save all and quit"),
        ConfirmOption("discard", "d", "Discard the changes and quit"),
    ]
    answer = await bench.app.push_screen_wait(
        Confirm("Unsaved changes", content_of(names), options)
    )
    if answer == "save":
        return await files.save_all(bench)
    if answer == "discard":
        for buffer in dirty:
            bench.session.discard(buffer)
        return True
    return False


async def offer_drafts(bench: Bench) -> None:
    """Offer unsaved text of an earlier session, file by file where asked."""
    drafts = bench.session.found_drafts()
    if not drafts:
        return
    names = "\n".join(f"✎ {draft.path}" for draft in drafts)
    text = content_of(f"These files have text that was never saved:\n{names}")
    options = [
        ConfirmOption("recover", "r", "Recover: put the text back, unsaved"),
        ConfirmOption("discard", "d", "Discard it for good"),
        ConfirmOption("later", "l", "Ask again next time"),
    ]
    answer = await bench.app.push_screen_wait(Confirm("Unsaved text found", text, options))
    if answer == "discard" and not await _sure(bench, names):
        return
    for draft in drafts:
        if answer == "discard":
            bench.session.drafts.drop(draft.path)
        elif answer == "recover":
            try:
                buffer, sides = bench.session.recover(draft)
            except (OSError, ValueError) as error:
                bench.say(f"{draft.path}: {error}", bad=True)
                continue
            skill = bench.session.skill_of(draft.path)
            if skill is not None:
                inside = draft.path[len(bench.session.workspace.path(skill)) + 1 :]
                await bench.open_file(skill, inside.replace("\\", "/"))
                bench.go_to_pane("view")
            if sides is not None and sides.theirs is not None:
                await files.settle_texts(bench, buffer, sides)
    bench.refresh_skills()


async def _sure(bench: Bench, names: str) -> bool:
    """Ask again: the question appears unasked, maybe while the user is typing."""
    options = [
        ConfirmOption("keep", "k", "Keep it and ask again next time"),
        ConfirmOption("discard", "y", "Discard it"),
    ]
    text = content_of(f"{names}\n\nDiscarded text cannot be recovered.")
    return (
        await bench.app.push_screen_wait(Confirm("Discard permanently?", text, options))
        == "discard"
    )


def reason(id_: str, screen: Keyed) -> str:
    """Why a command cannot be run now; empty when it can."""
    found = command(id_)
    return why_disabled(found, screen.facts()) if found else f"there is no command {id_}"


async def open_folder(bench: Bench) -> None:
    """Open another skill or folder; unsaved changes are asked about first."""
    from skillstudio.tui.screens.prompt import ask_for_path

    path = await ask_for_path(bench.app, bench.session.workspace.root)
    if path is not None and await may_leave(bench):
        bench.post_message(OpenPath(path))
