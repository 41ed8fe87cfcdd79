"""Commands of the preview."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from skillstudio.dryrun.applying.changes import ApplyChange
from skillstudio.dryrun.report import RunReport
from skillstudio.present.lines import count
from skillstudio.present.run_report import verdict_text
from skillstudio.preview.view import MOST_LINES, FileView
from skillstudio.preview.views.folding import FoldingView
from skillstudio.session.previewing.files import bytes_of
from skillstudio.text.safe import safe_text
from skillstudio.tui.commands.running import adopt_run, run_answer
from skillstudio.tui.external import look_outside
from skillstudio.tui.external import pager as pager_command
from skillstudio.tui.screens.chooser import Answer, Chooser
from skillstudio.tui.screens.dialogs import Confirm, ConfirmOption
from skillstudio.tui.screens.workbench import Handler, Workbench
from skillstudio.tui.words import paragraphs, plain

if TYPE_CHECKING:
    from skillstudio.dryrun.applying.checking import ApplyJudgement
    from skillstudio.tui.widgets.preview.view import PreviewView

MAX_PAGER_LINES = 20_000  # The most lines that the pager is given.
_PIECE = 1 << 20
_LAST = "\0last"
_MAX_FILES = 4  # The most files of one kind that the question about applying lists.
_ODD = re.compile(r"[^\w.@+=-]")


def _on_view(act: Callable[[PreviewView], None]) -> Handler:
    """The command that does something to the preview while it is shown."""

    async def run(workbench: Workbench) -> None:
        if workbench.views.preview_view is not None:
            act(workbench.views.preview_view)

    return run


async def find(workbench: Workbench) -> None:
    """Ask for a text to search."""
    if (view := workbench.views.preview_view) is not None:
        workbench.to_front("view")
        view.open_search()


async def pager(workbench: Workbench) -> None:
    """Open the shown lines, which are safe for a terminal, in the pager."""
    view = workbench.views.preview_view
    if view is None or view.shown_view is None or view.row is None:
        return
    name = f"{_file_name(view.row.path)}.{view.how}.txt"
    unfolded_view = (
        view.shown_view.plain_view if isinstance(view.shown_view, FoldingView) else view.shown_view
    )
    if trouble := look_outside(workbench.app, pager_command(), name, _as_text(unfolded_view)):
        workbench.say(trouble, bad=True)


async def editor(workbench: Workbench) -> None:
    """Show a copy of the file in the user's editor."""
    view = workbench.views.preview_view
    source = bytes_of(view.row) if view is not None and view.row is not None else None
    if view is None or view.row is None or source is None:
        return
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    name = _file_name(view.row.path)
    pieces = (source.read(at, _PIECE) for at in range(0, source.size, _PIECE))
    trouble = look_outside(workbench.app, command, name, pieces)
    workbench.say(trouble or "that was a copy; its changes are discarded", bad=bool(trouble))


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
    answers += [run_answer(entry) for entry in runs]
    chooser = Chooser("Show the changes of which run?", answers, start=previewer.run or _LAST)
    answer = await workbench.ask(chooser)
    if answer is not None:
        view.show_subject("run", "" if answer == _LAST else answer)


async def adopt(workbench: Workbench) -> None:
    """Update the manifest from the run whose changes are shown."""
    view = workbench.views.preview_view
    if view is not None and view.state is not None and view.state.report is not None:
        await adopt_run(workbench, view.state.report)


async def apply(workbench: Workbench) -> None:
    """Ask whether to apply all changes of the run to the real folders."""
    await _ask_to_apply(workbench, "all")


async def apply_file(workbench: Workbench) -> None:
    """Ask whether to apply the selected file to the real folder."""
    await _ask_to_apply(workbench, "one")


async def _ask_to_apply(workbench: Workbench, first: Literal["all", "one"]) -> None:
    """Show conflicts, ask, and apply; enter in the dialog applies what is asked `first`."""
    from skillstudio.dryrun.applying.checking import judge

    view, previewer = workbench.views.preview_view, workbench.views.previewer
    if view is None or view.state is None or view.state.report is None:
        return
    report, everything = view.state.report, view.applicable
    if previewer is not None and (why := previewer.elsewhere(report)):
        workbench.say(why, bad=True)
        return
    here = view.row.change if view.row is not None else None
    status = await asyncio.to_thread(judge, everything)
    options = []
    if status.free and (here not in status.free or len(status.free) > 1):
        which = "all" if len(status.free) == len(everything) else "the other"
        options.append(ConfirmOption("all", "a", f"Apply {which} {len(status.free)}"))
    if here in status.free and here is not None:
        at = len(options) if first == "all" else 0
        options.insert(at, ConfirmOption("one", "f", f"Apply {safe_text(here.path)} alone"))
    options.append(ConfirmOption("no", "n", "Apply nothing" if options else "Go back"))
    text = paragraphs("\n".join(_before_apply(report, everything, status)))
    answer = await workbench.ask(Confirm("Apply to the real folders", text, options))
    if answer == "all":
        await _apply(workbench, status.free)
    elif answer == "one" and here is not None:
        await _apply(workbench, [here])
    elif status.free:
        workbench.say("nothing was applied; the real folders are unchanged")


def _before_apply(
    report: RunReport, everything: Sequence[ApplyChange], status: ApplyJudgement
) -> Iterator[str]:
    """What speaks against applying first: the dialog has few lines."""
    roots = report.plan.roots
    folders = {"workspace": roots.workspace, "skill": roots.skill}
    yield f"skill {report.plan.skill}, run {report.run}"
    if not report.ok:
        yield f"! {verdict_text(report)}: check the result first"
    if status.conflicts:
        yield f"✗ {count(len(status.conflicts), 'conflict')} with the real folders:"
        yield from _some([f"{fault.path} {fault.message}" for fault in status.conflicts])
    if status.already:
        yield f"✓ {count(len(status.already), 'file')} already applied"
    excluded_count = len(report.changes) - len(everything)
    if excluded_count > 0:
        yield (
            f"{count(excluded_count, 'change')} of the run cannot be applied; see the rows "
            "for the reasons"
        )
    for root in sorted({change.root for change in status.free}):
        changes = [change for change in status.free if change.root == root]
        yield f"{len(changes)} in the {root} {folders[root]}"
        yield from _some([f"{_sign(change)} {change.path}" for change in changes], "")
    if all(change.root != "workspace" for change in everything):
        yield f"none in the workspace {roots.workspace}"


def _sign(change: ApplyChange) -> str:
    return "+" if change.before is None else "~" if change.after else "-"


def _some(texts: Sequence[str], bullet: str = "• ") -> Iterator[str]:
    yield from (f"{bullet}{text}" for text in texts[:_MAX_FILES])
    if len(texts) > _MAX_FILES:
        yield f"… {len(texts) - _MAX_FILES} more"


async def _apply(workbench: Workbench, changes: Sequence[ApplyChange]) -> None:
    from skillstudio.session.previewing.apply import apply_changes

    result = await asyncio.to_thread(apply_changes, tuple(changes))
    for note in result.notes:
        workbench.say(note)
    conflicts = "; ".join(f"{conflict.path} {conflict.message}" for conflict in result.conflicts)
    if conflicts or result.error:
        workbench.say(f"nothing was applied: {conflicts}" if conflicts else result.error, bad=True)
    else:
        workbench.say(f"applied: {count(len(result.changed_paths), 'file')}")
        workbench.look_at_disk(frozenset(result.changed_paths))
    if workbench.views.preview_view is not None:
        workbench.views.preview_view.refresh_soon()


def _as_text(view: FileView) -> Iterator[bytes]:
    at = 0
    while at < MAX_PAGER_LINES:
        lines = view.texts(at, min(MOST_LINES, MAX_PAGER_LINES - at))
        if not lines and view.complete:
            return
        yield "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")
        at += len(lines)
    if not view.complete or view.count > at:
        yield f"(only the first {at:,} lines are shown)\n".encode()


def _file_name(path: str) -> str:
    """The last part of a skill's path, safe as a file name everywhere."""
    name = _ODD.sub("_", path.rpartition("/")[2])[-80:]
    return name.lstrip(".-") or "file"


HANDLERS: dict[str, Handler] = {
    "preview.subject": _on_view(lambda view: view.show_next_subject()),
    "preview.mode": _on_view(lambda view: view.show_next_how()),
    "preview.find": find,
    "preview.next": _on_view(lambda view: view.find_next()),
    "preview.pager": pager,
    "preview.editor": editor,
    "preview.run": run,
    "preview.adopt": adopt,
    "preview.apply": apply,
    "preview.apply-file": apply_file,
}
"""Command id to handler, for previews."""
