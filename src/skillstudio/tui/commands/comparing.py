"""Commands of the comparison: choose two versions, waive a change, bump the version."""

from __future__ import annotations

import asyncio
from datetime import date

from skillstudio.interface.change import Side
from skillstudio.session.comparing.comparing import ComparisonRefused
from skillstudio.session.comparing.rows import why_not_waived
from skillstudio.text.safe import safe_text
from skillstudio.tui.screens.chooser import Answer, Chooser
from skillstudio.tui.screens.dialogs import PromptDialog, ask_for_path, nonempty
from skillstudio.tui.screens.workbench import Workbench
from skillstudio.tui.words import join, plain, to_clipboard

_FOLDER, _REVISION = "a folder or an archive…", "a git revision or a version…"


async def choose(workbench: Workbench, side: Side) -> None:
    """Choose the old or the new version."""
    comparison, view = workbench.views.comparison, workbench.views.compare
    if comparison is None or view is None:
        return
    choices = await asyncio.to_thread(comparison.choices, side)
    here = comparison.sides.old if side == "old" else comparison.sides.new
    start = next((str(i) for i, choice in enumerate(choices) if choice.operand == here), "")
    answers = [
        Answer(str(i), choice.label, join(plain(choice.label), plain(f"  {choice.about}", "dim")))
        for i, choice in enumerate(choices)
    ]
    answers += [Answer(label, label, plain(label)) for label in (_REVISION, _FOLDER)]
    answer = await workbench.ask(Chooser(f"The {side} version", answers, start=start))
    operand: str | None
    if answer is None:
        return
    if answer == _FOLDER:
        title = f"The {side} version: the folder or archive of a skill"
        operand = await ask_for_path(workbench.app, workbench.session.workspace.root, title)
    elif answer == _REVISION:
        title = "A tag, branch, commit or version, such as HEAD~1 or 1.2.0"
        text = await workbench.ask(PromptDialog(title, "", nonempty("enter a revision")))
        operand = None if text is None else comparison.at(text.strip())
    else:
        operand = choices[int(answer)].operand
    if operand is not None:
        comparison.choose(side, operand)
        view.refresh_soon()
        workbench.refresh_all()


async def details(workbench: Workbench) -> None:
    """Show all facts of the selected change, or the texts again."""
    if workbench.views.compare is not None:
        workbench.views.compare.toggle_details()


async def copy(workbench: Workbench) -> None:
    """Send the comparison as Markdown to the terminal's clipboard."""
    from skillstudio.session.comparing.comparing import comparison_comment

    view, analysis = workbench.views.compare, workbench.open.analysis
    if view is None or view.outcome is None or analysis is None:
        return
    text = comparison_comment(analysis.name, view.outcome)
    to_clipboard(workbench, text, f"{len(text):,} characters of Markdown")


async def texts(workbench: Workbench) -> None:
    """Show the texts in one column or in two."""
    view = workbench.views.compare
    if view is not None:
        view.show_next_mode()
        workbench.refresh_all()


async def waive(workbench: Workbench) -> None:
    """Ask for a reason and record the waiver."""
    comparison, view = workbench.views.comparison, workbench.views.compare
    change = view.change if view is not None else None
    if comparison is None or view is None or change is None or why_not_waived(change):
        return
    title = f"Why is this acceptable? {safe_text(change.message)}"
    reason = await workbench.ask(PromptDialog(title, "", nonempty("a waiver needs a reason")))
    if reason is None:
        return
    try:
        file = comparison.waive(change, reason.strip())
    except (ComparisonRefused, OSError) as error:
        workbench.say(f"not waived: {error}", bad=True)
        return
    view.refresh_soon()
    workbench.say(f"waived in {file}")


async def bump(workbench: Workbench) -> None:
    """Write the required version into the files, one undo step for each."""
    from skillstudio.session.comparing.comparing import make_bump

    comparison, view = workbench.views.comparison, workbench.views.compare
    if comparison is None or view is None or view.outcome is None or workbench.open.skill is None:
        return
    try:
        today = date.today().isoformat()
        files = make_bump(workbench.session, workbench.open.skill, view.outcome, today)
    except (ComparisonRefused, OSError) as error:
        workbench.say(f"version not changed: {error}", bad=True)
        return
    if workbench.open.file not in files:
        await workbench.open_file(workbench.open.skill, files[0])
    view.refresh_soon()
    workbench.skills_pane.refresh_skills()
    workbench.refresh_all()
    key = workbench.keymap.keys["file.save-skill"]
    unsaved_files = workbench.open.unsaved_files
    what = "them" if set(unsaved_files) == set(files) else " and ".join(unsaved_files)
    save = f"; {key[0]} saves {what}" if key else ""
    workbench.say(f"{view.outcome.bump_to} written to {' and '.join(files)} (not saved){save}")
