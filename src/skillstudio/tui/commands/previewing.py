"""Commands of the preview."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from skillstudio.dryrun.applying.changes import ApplyChange
from skillstudio.dryrun.report import RunReport
from skillstudio.preview.source import ByteSource
from skillstudio.preview.view import MOST_LINES, FileView
from skillstudio.session.previewing.files import bytes_of
from skillstudio.text.safe import safe_text
from skillstudio.tui.commands.inputs import run_answer
from skillstudio.tui.external import look_outside
from skillstudio.tui.external import pager as pager_command
from skillstudio.tui.screens.chooser import Answer, Chooser
from skillstudio.tui.screens.confirm import Confirm, ConfirmOption
from skillstudio.tui.screens.workbench import Workbench
from skillstudio.tui.words import paragraphs, plain

if TYPE_CHECKING:
    from skillstudio.session.previewing.apply import ApplyStatus

HANDED = 20_000
"""The most lines that the pager gets."""
_PIECE = 1 << 20
_LAST = "\0last"
_TOLD = 6
"""The most conflicts, and the most unchanged files, that a question lists."""
_ODD = re.compile(r"[^\w.@+=-]")


async def subject(workbench: Workbench) -> None:
    """Show the next of outputs, changes and card."""
    if workbench.views.preview_view is not None:
        workbench.views.preview_view.show_next_subject()


async def how(workbench: Workbench) -> None:
    """Show the next of rendered, diff, raw and hex."""
    if workbench.views.preview_view is not None:
        workbench.views.preview_view.show_next_how()


async def inputs(workbench: Workbench) -> None:
    """Go to the form of the inputs."""
    if workbench.views.preview_view is not None:
        workbench.to_front("view")
        await workbench.views.preview_view.go_to_inputs()


async def find(workbench: Workbench) -> None:
    """Ask for a text to look for."""
    if workbench.views.preview_view is not None:
        workbench.to_front("view")
        workbench.views.preview_view.open_search()


async def next_place(workbench: Workbench) -> None:
    """Go to the next line that has the text."""
    if workbench.views.preview_view is not None:
        workbench.views.preview_view.find_next()


async def pager(workbench: Workbench) -> None:
    """Open the shown lines, which are safe for a terminal, in the pager."""
    view = workbench.views.preview_view
    if view is None or view.shown is None or view.row is None:
        return
    name = f"{_file_name(view.row.path)}.{view.how}.txt"
    if trouble := look_outside(workbench.app, pager_command(), name, _as_text(view.shown)):
        workbench.say(trouble, bad=True)


async def editor(workbench: Workbench) -> None:
    """Show a copy of the file in the user's editor."""
    view = workbench.views.preview_view
    source = bytes_of(view.row) if view is not None and view.row is not None else None
    if view is None or view.row is None or source is None:
        return
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    name = _file_name(view.row.path)
    trouble = look_outside(workbench.app, command, name, _pieces(source))
    workbench.say(trouble or "that was a copy: nothing of it comes back", bad=bool(trouble))


async def run(workbench: Workbench) -> None:
    """Choose the run whose changes are shown."""
    view, previewer = workbench.views.preview_view, workbench.views.previewer
    if view is None or previewer is None:
        return
    runs = await asyncio.to_thread(previewer.runner.history)
    if not runs:
        workbench.say("no run is recorded yet")
        return
    answers = [Answer(_LAST, "the last run of this skill", plain("the last run of this skill"))]
    answers += [run_answer(each) for each in runs]
    start = previewer.run or _LAST
    chosen = await workbench.app.push_screen_wait(
        Chooser("Whose changes are shown", answers, start=start)
    )
    if chosen is not None:
        view.show_subject("run", "" if chosen == _LAST else chosen)


async def adopt(workbench: Workbench) -> None:
    """Select observed behaviour, show the diff, and update the manifest as one undo step."""
    from skillstudio.session.previewing.adopt import NotAdopted, make_offer
    from skillstudio.tui.screens.adopt import AdoptScreen

    view, previewer = workbench.views.preview_view, workbench.views.previewer
    report = view.state.report if view is not None and view.state is not None else None
    if (
        previewer is None
        or report is None
        or workbench.open.skill is None
        or not workbench.views.settle()
    ):
        return
    skill, workspace = workbench.open.skill, workbench.session.workspace
    try:
        unsaved = workbench.session.unsaved()
        tree, names = workspace.files(skill, unsaved), previewer.unsaved(unsaved)
        settings = workspace.settings(skill)
        work = partial(make_offer, report, previewer.folder, tree, settings, names)
        offer = await asyncio.to_thread(work)
    except (NotAdopted, OSError) as error:
        workbench.say(f"not adopted: {error}", bad=True)
        return
    title = f"Adopt what run {report.run} showed"
    agreed = await workbench.app.push_screen_wait(AdoptScreen(title, offer))
    if (
        agreed is None
        or not await workbench.open_file(skill, agreed.path)
        or workbench.open.buffer is None
    ):
        return
    if workbench.open.buffer.read_only or workbench.open.buffer.text != agreed.old:
        why = workbench.open.buffer.read_only or "the text has changed meanwhile"
        workbench.say(f"not adopted: {why}", bad=True)
        return
    workbench.open.buffer.replace(list(agreed.splices), "Adopt what a run showed")
    await workbench.show_view("edit")
    workbench.go_to_pane("view")
    if workbench.views.editor is not None and agreed.splices:
        workbench.views.editor.go_to(min(each.start for each in agreed.splices))
    workbench.say(f"{agreed.path} says it now, unsaved")


async def apply(workbench: Workbench) -> None:
    """Show conflicts, ask, and apply changes to the real folders."""
    from skillstudio.session.previewing.apply import apply_status

    view = workbench.views.preview_view
    if view is None or view.state is None or view.state.report is None:
        return
    report, everything = view.state.report, view.applicable
    if workbench.views.previewer is not None and (
        why := workbench.views.previewer.elsewhere(report)
    ):
        workbench.say(why, bad=True)
        return
    here = view.row.wanted if view.row is not None else None
    stands = await asyncio.to_thread(apply_status, everything)
    options = [ConfirmOption("no", "n", "Apply nothing")]
    if here in stands.free and here is not None:
        options.append(ConfirmOption("one", "f", f"Apply {safe_text(here.path)} alone"))
    if stands.free and (here not in stands.free or len(stands.free) > 1):
        is_all = len(stands.free) == len(everything)
        words = f"{'all' if is_all else 'the other'} {len(stands.free)}"
        options.append(ConfirmOption("all", "a", f"Apply {words}"))
    text = "\n".join(_before_apply(report, everything, stands))
    chosen = await workbench.app.push_screen_wait(
        Confirm("Apply to the real folders", paragraphs(text), options)
    )
    if chosen == "all":
        await _apply(workbench, stands.free)
    elif chosen == "one" and here is not None:
        await _apply(workbench, [here])


def _before_apply(
    report: RunReport, everything: Sequence[ApplyChange], stands: ApplyStatus
) -> Iterator[str]:
    roots = report.plan.roots
    folders = {"workspace": roots.workspace, "skill": roots.skill}
    yield f"skill {report.plan.skill}, run {report.run}"
    for root in sorted({each.root for each in everything}):
        number = sum(each.root == root for each in everything)
        yield f"{number} in the {root} {folders[root]}"
    if all(each.root != "workspace" for each in everything):
        yield f"none in the workspace {roots.workspace}"
    yield from _some([f"{_sign(each)} {each.path}" for each in stands.free])
    if not report.ok:
        yield "! the run is not well: look at what it says before"
    if stands.applied:
        are = "is" if len(stands.applied) == 1 else "are"
        yield f"✓ {len(stands.applied)} {are} there already, as the run left it:"
        yield from _some([each.path for each in stands.applied])
    if stands.conflicts:
        number = len(stands.conflicts)
        what = "1 thing stands" if number == 1 else f"{number} things stand"
        yield f"✗ not all can be applied, {what} against it:"
        yield from _some([f"{each.path} {each.message}" for each in stands.conflicts])
    left = len(report.changes) - len(everything)
    if left > 0:
        yield f"{left} of its changes cannot be applied: their rows say why"


def _sign(each: ApplyChange) -> str:
    return "+" if each.before is None else "~" if each.after else "-"


def _some(told: Sequence[str]) -> Iterator[str]:
    yield from (f"• {each}" for each in told[:_TOLD])
    if len(told) > _TOLD:
        yield f"… {len(told) - _TOLD} more"


async def _apply(workbench: Workbench, wanted: Sequence[ApplyChange]) -> None:
    from skillstudio.session.previewing.apply import apply_changes, journal_folder

    if workbench.views.previewer is None:
        return
    folder = journal_folder(workbench.views.previewer.runner.store().folder)
    done = await asyncio.to_thread(apply_changes, tuple(wanted), folder)
    for note in done.notes:
        workbench.say(note)
    told = "; ".join(f"{each.path} {each.message}" for each in done.conflicts)
    if told or done.error:
        workbench.say(f"nothing was applied: {told}" if told else done.error, bad=True)
    else:
        number = len(done.applied)
        workbench.say(f"applied: {number} file{'' if number == 1 else 's'}")
        workbench.look_at_disk(frozenset(done.applied))
    if workbench.views.preview_view is not None:
        workbench.views.preview_view.look_soon()


async def prompt(workbench: Workbench) -> None:
    """Show which skills match a prompt, and open the chosen one."""
    from skillstudio.tui.screens.discovery import DiscoveryScreen

    if not workbench.views.settle():
        return
    screen = DiscoveryScreen(
        workbench.views.discovering, workbench.session.unsaved(), workbench.open.skill
    )
    chosen = await workbench.app.push_screen_wait(screen)
    if chosen is not None and await workbench.open_file(chosen):
        workbench.go_to_pane("view")


def _as_text(view: FileView) -> Iterator[bytes]:
    at = 0
    while at < HANDED:
        lines = view.texts(at, min(MOST_LINES, HANDED - at))
        if not lines and view.complete:
            return
        yield "".join(f"{each}\n" for each in lines).encode("utf-8", "replace")
        at += len(lines)
    if not view.complete or view.count > at:
        yield f"(only the first {at:,} lines are handed over)\n".encode()


def _pieces(source: ByteSource) -> Iterator[bytes]:
    for at in range(0, source.size, _PIECE):
        yield source.read(at, _PIECE)


def _file_name(path: str) -> str:
    """The last part of a path from a skill, as a name that is plain everywhere."""
    name = _ODD.sub("_", path.rpartition("/")[2])[-80:]
    return name.lstrip(".-") or "file"


HANDLERS: dict[str, Callable[[Workbench], Awaitable[None]]] = {
    "preview.subject": subject,
    "preview.mode": how,
    "preview.inputs": inputs,
    "preview.find": find,
    "preview.next": next_place,
    "preview.pager": pager,
    "preview.editor": editor,
    "preview.run": run,
    "preview.adopt": adopt,
    "preview.apply": apply,
    "preview.prompt": prompt,
}
"""What each command of the preview does."""
