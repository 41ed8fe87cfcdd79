"""Commands of the comparison: choose two versions, waive a change, bump the version."""

from __future__ import annotations

import asyncio
from datetime import date
from functools import partial

from skillstudio.interface.change import Side
from skillstudio.session.comparing.comparing import (
    Comparing,
    ComparisonRefused,
    VersionChoice,
)
from skillstudio.session.comparing.rows import why_not_waived
from skillstudio.text.safe import safe_text
from skillstudio.tui.screens.chooser import Answer, Chooser
from skillstudio.tui.screens.prompt import PromptDialog, ask_for_path
from skillstudio.tui.screens.workbench import Workbench
from skillstudio.tui.words import joined, plain

_FOLDER, _REVISION = "a folder or an archive…", "a git revision or a version…"


async def choose_old(workbench: Workbench) -> None:
    """Choose the old version."""
    await _choose(workbench, "old")


async def choose_new(workbench: Workbench) -> None:
    """Choose the new version."""
    await _choose(workbench, "new")


async def _choose(workbench: Workbench, side: Side) -> None:
    comparing, view = workbench.views.comparing, workbench.views.compare
    if comparing is None or view is None:
        return
    choices = await asyncio.to_thread(partial(comparing.choices, side))
    here = comparing.sides.old if side == "old" else comparing.sides.new
    start = next((str(i) for i, each in enumerate(choices) if each.operand == here), "")
    answers = [_answer(str(i), each) for i, each in enumerate(choices)]
    answers += [Answer(each, each, plain(each)) for each in (_REVISION, _FOLDER)]
    chosen = await workbench.app.push_screen_wait(
        Chooser(f"The {side} version", answers, start=start)
    )
    operand: str | None
    if chosen is None:
        return
    if chosen == _FOLDER:
        title = f"The {side} version: a folder of a skill, or an archive of one"
        operand = await ask_for_path(workbench.app, workbench.session.workspace.root, title)
    elif chosen == _REVISION:
        operand = await _ask_for_revision(workbench, comparing)
    else:
        operand = choices[int(chosen)].operand
    if operand is not None:
        comparing.choose(side, operand)
        view.compare_soon()
        workbench.refresh_all()


def _answer(id_: str, choice: VersionChoice) -> Answer:
    line = joined(plain(choice.label), plain(f"  {choice.about}", "dim"))
    return Answer(id_, choice.label, line)


async def _ask_for_revision(workbench: Workbench, comparing: Comparing) -> str | None:
    title = "A tag, branch, commit or version, such as HEAD~1 or 1.2.0"
    asked = PromptDialog(title, "", lambda text: "" if text.strip() else "nothing is named")
    text = await workbench.app.push_screen_wait(asked)
    return None if text is None else comparing.at(text.strip())


async def texts(workbench: Workbench) -> None:
    """Show the next of changes, unified diff and side-by-side diff."""
    view = workbench.views.compare
    if view is not None:
        view.show_next_mode()
        workbench.refresh_all()


async def waive(workbench: Workbench) -> None:
    """Ask for a reason and record the waiver."""
    comparing, view = workbench.views.comparing, workbench.views.compare
    change = view.change if view is not None else None
    if comparing is None or view is None or change is None or why_not_waived(change):
        return
    asked = PromptDialog(
        f"Why is this acceptable? {safe_text(change.message)}", "",
        lambda text: "" if text.strip() else "a waiver needs a reason",
    )  # fmt: skip
    reason = await workbench.app.push_screen_wait(asked)
    if reason is None:
        return
    try:
        file = comparing.waive(change, reason.strip())
    except (ComparisonRefused, OSError) as error:
        workbench.say(f"not waived: {error}", bad=True)
        return
    view.compare_soon()
    workbench.say(f"waived in {file}")


async def bump(workbench: Workbench) -> None:
    """Write the required version into the files, one undo step for each."""
    from skillstudio.session.comparing.comparing import make_bump

    comparing, view = workbench.views.comparing, workbench.views.compare
    if comparing is None or view is None or view.outcome is None or workbench.open.skill is None:
        return
    try:
        files = make_bump(
            workbench.session, workbench.open.skill, view.outcome, date.today().isoformat()
        )
    except (ComparisonRefused, OSError) as error:
        workbench.say(f"no bump is made: {error}", bad=True)
        return
    if workbench.open.file not in files:
        await workbench.open_file(workbench.open.skill, files[0])
    view.compare_soon()
    workbench.refresh_skills()
    workbench.refresh_all()
    key = workbench.keymap.keys["file.save-all"]
    save = f"; {key[0]} saves them" if key else ""
    workbench.say(f"{view.outcome.bump_to} is in {' and '.join(files)}, unsaved{save}")
