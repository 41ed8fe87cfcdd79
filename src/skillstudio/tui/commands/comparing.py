"""Choosing two versions, going to what changed, waiving it, making the bump."""

from __future__ import annotations

import asyncio
from datetime import date
from functools import partial

from skillstudio.interface.change import Change, Side
from skillstudio.session.comparing.comparing import (
    WORKING,
    Comparing,
    ComparisonRefused,
    SideFailure,
    VersionChoice,
)
from skillstudio.session.comparing.rows import why_not_waived
from skillstudio.text.safe import safe_text
from skillstudio.text.source import Source
from skillstudio.tui.screens.chooser import Answer, Chooser
from skillstudio.tui.screens.prompt import PromptDialog, ask_for_path
from skillstudio.tui.views import Views
from skillstudio.tui.words import joined, plain

_FOLDER, _REVISION = "a folder or an archive…", "a git revision or a version…"


async def choose_old(bench: Views) -> None:
    """Choose what the skill is held against."""
    await _choose(bench, "old")


async def choose_new(bench: Views) -> None:
    """Choose the version that is looked at."""
    await _choose(bench, "new")


async def _choose(bench: Views, side: Side) -> None:
    comparing, view = bench.comparing, bench.compare
    if comparing is None or view is None:
        return
    choices = await asyncio.to_thread(partial(comparing.choices, side))
    here = comparing.sides.old if side == "old" else comparing.sides.new
    start = next((str(i) for i, each in enumerate(choices) if each.operand == here), "")
    answers = [_answer(str(i), each) for i, each in enumerate(choices)]
    answers += [Answer(each, each, plain(each)) for each in (_REVISION, _FOLDER)]
    chosen = await bench.app.push_screen_wait(Chooser(f"The {side} version", answers, start=start))
    operand: str | None
    if chosen is None:
        return
    if chosen == _FOLDER:
        title = f"The {side} version: a folder of a skill, or an archive of one"
        operand = await ask_for_path(bench.app, bench.session.workspace.root, title)
    elif chosen == _REVISION:
        operand = await _ask_for_revision(bench, comparing)
    else:
        operand = choices[int(chosen)].operand
    if operand is not None:
        comparing.choose(side, operand)
        view.compare_soon()
        bench.refresh_all()


def _answer(id_: str, choice: VersionChoice) -> Answer:
    line = joined(plain(choice.label), plain(f"  {choice.about}", "dim"))
    return Answer(id_, choice.label, line)


async def _ask_for_revision(bench: Views, comparing: Comparing) -> str | None:
    title = "A tag, branch, commit or version, such as HEAD~1 or 1.2.0"
    asked = PromptDialog(title, "", lambda text: "" if text.strip() else "nothing is named")
    text = await bench.app.push_screen_wait(asked)
    return None if text is None else comparing.at(text.strip())


async def texts(bench: Views) -> None:
    """From the changes to the texts in one column, to two columns, and back."""
    view = bench.compare
    if view is not None:
        view.show_next_mode()
        bench.refresh_all()


async def jump(bench: Views, about: Change | SideFailure) -> None:
    """Go to where something is stated in the new version, or say where it stood."""
    view = bench.compare
    if view is None or view.outcome is None:
        return
    place = about.place if isinstance(about, SideFailure) else about.new_place
    side: Side = about.side if isinstance(about, SideFailure) else "new"
    if isinstance(about, Change) and place is None and about.old_place is not None:
        old = about.old_place
        bench.say(f"it is gone: it stood at {old.path}:{old.line}:{old.column} before")
    elif place is None:
        bench.say("it has no place in a file")
    elif side == "old":
        label = view.outcome.old.label
        bench.say(f"{place.path}:{place.line}:{place.column} of {label} cannot be opened here")
    else:
        await go_to(bench, place.path, place.line, place.column)


async def go_to(bench: Views, path: str, line: int, column: int = 1) -> None:
    """Show a place of the open skill in the editor; line and column from 1."""
    comparing = bench.comparing
    if comparing is None or bench.skill is None:
        return
    if comparing.sides.new != WORKING:
        bench.say("the new version is not the skill that is open, so its files stay closed")
        return
    if path != bench.file and not await bench.open_file(bench.skill, path):
        return
    await bench.show_view("edit")
    bench.go_to_pane("view")
    if bench.editor is not None and bench.buffer is not None:
        bench.editor.go_to(Source(bench.buffer.text).offset(line, column))


async def waive(bench: Views) -> None:
    """Ask for the reason, and write it down with the fingerprint of the change."""
    comparing, view = bench.comparing, bench.compare
    change = view.change if view is not None else None
    if comparing is None or view is None or change is None or why_not_waived(change):
        return
    asked = PromptDialog(
        f"Why is this acceptable? {safe_text(change.message)}", "",
        lambda text: "" if text.strip() else "a waiver needs a reason",
    )  # fmt: skip
    reason = await bench.app.push_screen_wait(asked)
    if reason is None:
        return
    try:
        file = comparing.waive(change, reason.strip())
    except (ComparisonRefused, OSError) as error:
        bench.say(f"not waived: {error}", bad=True)
        return
    view.compare_soon()
    bench.say(f"waived in {file}")


async def bump(bench: Views) -> None:
    """Put the version that is asked for into the texts, one step of undo for each file."""
    from skillstudio.session.comparing.bump import make_bump

    comparing, view = bench.comparing, bench.compare
    if comparing is None or view is None or view.outcome is None or bench.skill is None:
        return
    try:
        files = make_bump(bench.session, bench.skill, view.outcome, date.today().isoformat())
    except (ComparisonRefused, OSError) as error:
        bench.say(f"no bump is made: {error}", bad=True)
        return
    if bench.file not in files:
        await bench.open_file(bench.skill, files[0])
    view.compare_soon()
    bench.refresh_skills()
    bench.refresh_all()
    key = bench.keymap.keys["file.save-all"]
    save = f"; {key[0]} saves them" if key else ""
    bench.say(f"{view.outcome.bump_to} is in {' and '.join(files)}, unsaved{save}")
