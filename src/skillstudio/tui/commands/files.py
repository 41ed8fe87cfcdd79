"""Commands of files: save, undo, copy, resolve conflicts with the disk."""

from __future__ import annotations

import os
from collections.abc import Sequence

from skillstudio.files.paths import make_relative
from skillstudio.present.lines import count
from skillstudio.session.buffer import Buffer, DiskChanged
from skillstudio.session.session import Disagreement
from skillstudio.text.merging import splices_between
from skillstudio.text.source import decode
from skillstudio.tui.commands import tree
from skillstudio.tui.screens.dialogs import Confirm, ConfirmOption
from skillstudio.tui.screens.workbench import Workbench
from skillstudio.tui.words import paragraphs, to_clipboard

_MOST_NAMES = 5  # The most files that a message names.


async def save(workbench: Workbench) -> None:
    """Write the open file, and what its last step changed in other files."""
    buffer = workbench.open.buffer
    if not workbench.views.settle() or buffer is None:
        return
    other_buffers = workbench.session.changed_with(buffer)
    if not await save_buffer(workbench, buffer):
        return
    folder = os.path.dirname(buffer.path)
    names = [
        make_relative(other.path, folder)
        for other in other_buffers
        if await save_buffer(workbench, other)
    ]
    workbench.say(f"saved {', '.join([workbench.open.file, *names])}")


async def save_skill(workbench: Workbench) -> bool:
    """Write every unsaved file of the open skill. Whether all were."""
    names = workbench.open.unsaved_files
    all_saved = await _save(workbench, workbench.open.unsaved_buffers)
    if all_saved and names:
        workbench.say(f"saved {', '.join(names)}")
    return all_saved


async def save_all(workbench: Workbench) -> bool:
    """Write every unsaved file. Whether all were."""
    buffers = workbench.session.dirty()
    root = workbench.session.workspace.root
    names = [make_relative(buffer.path, root) for buffer in buffers]
    all_saved = await _save(workbench, buffers)
    if all_saved and names:
        text = ", ".join(names[:_MOST_NAMES])
        if len(names) > _MOST_NAMES:
            text = f"{count(len(names), 'file')}: {text} and {len(names) - _MOST_NAMES} more"
        workbench.say(f"saved {text}")
    return all_saved


async def _save(workbench: Workbench, buffers: Sequence[Buffer]) -> bool:
    all_saved = workbench.views.settle()
    for buffer in buffers:
        all_saved = await save_buffer(workbench, buffer) and all_saved
    return all_saved


async def save_buffer(workbench: Workbench, buffer: Buffer) -> bool:
    """Write a buffer; if the file on disk changed, ask first. Whether it was written."""
    try:
        workbench.session.save(buffer)
    except DiskChanged as conflict:
        workbench.open.on_disk[buffer.path] = conflict.data
        workbench.refresh_all()
        if not await settle(workbench, buffer):
            return False
        return await save_buffer(workbench, buffer) if buffer.dirty else True
    except OSError as error:
        workbench.say(f"not saved: {error.strerror or error}; the draft is kept", bad=True)
        return False
    workbench.open.on_disk.pop(buffer.path, None)
    workbench.refresh_all()
    workbench.skills_pane.refresh_skills()
    # Later: all files that are saved now are for one run.
    if workbench.views.on_save is not None:
        from skillstudio.tui.commands import running

        workbench.call_later(running.run_after_save, workbench, buffer.path)
    return True


async def conflict(workbench: Workbench) -> None:
    """Resolve the conflict of the open file with the disk."""
    if workbench.open.buffer is not None:
        await settle(workbench, workbench.open.buffer)


async def settle(workbench: Workbench, buffer: Buffer) -> bool:
    """Ask how to resolve a conflict, and write nothing. Whether it is resolved."""
    data = workbench.open.on_disk.get(buffer.path)
    if data is None:
        text = paragraphs(f"{buffer.path}\nwas deleted on disk. Your text is still here.")
        options = [
            ConfirmOption("wait", "k", "Leave it unsaved"),
            ConfirmOption("write", "w", "Write it again"),
        ]
        if await workbench.ask(Confirm("Deleted on disk", text, options)) != "write":
            return False
        buffer.rebase(None)
        workbench.open.on_disk.pop(buffer.path, None)
        return True
    theirs, bad = decode(data)
    if bad is not None:
        workbench.say("the file on disk is no longer UTF-8, so it cannot be merged", bad=True)
        return False
    sides = Disagreement(buffer.path, buffer.base_text or "", buffer.text, theirs)
    return await settle_texts(workbench, buffer, sides)


async def settle_texts(workbench: Workbench, buffer: Buffer, sides: Disagreement) -> bool:
    """Ask how to merge two texts, and put the result in the buffer.

    The text on disk becomes an undo step of its own, so that neither side is lost.
    """
    from skillstudio.tui.screens.conflict import ConflictScreen

    theirs = sides.theirs or ""
    result = await workbench.ask(ConflictScreen(sides))
    if result is None:
        return False
    buffer.rebase(theirs.encode("utf-8"))
    buffer.replace(splices_between(buffer.text, theirs), "The file on disk")
    buffer.replace(splices_between(buffer.text, result), "Merge with the file on disk")
    workbench.open.on_disk.pop(buffer.path, None)
    if not buffer.dirty:
        workbench.session.forget_draft(buffer.path)
    workbench.refresh_all()
    return True


async def undo(workbench: Workbench, again: bool = False) -> None:
    """Undo the last change, or redo the last undone step, and show its place."""
    if not again and workbench.undoes_files:
        await tree.restore(workbench)
        return
    if (buffer := workbench.open.buffer) is None:
        return
    session = workbench.session
    splices = session.redo(buffer) if again else session.undo(buffer)
    if splices and workbench.views.form is not None:
        workbench.views.form.go_to_offset(splices[0].start)
    if splices and workbench.views.editor is not None:
        workbench.views.editor.go_to(splices[0].start + len(splices[0].text))
    workbench.refresh_all()


async def copy(workbench: Workbench) -> None:
    """Send the whole text to the terminal's clipboard."""
    if (buffer := workbench.open.buffer) is not None:
        to_clipboard(workbench, buffer.text, f"{len(buffer.text):,} characters")


async def copy_path(workbench: Workbench) -> None:
    """Send the file's path to the terminal's clipboard."""
    if workbench.open.buffer is not None:
        to_clipboard(workbench, workbench.open.buffer.path, "the path")


async def external(workbench: Workbench) -> None:
    """Edit the text in the user's editor, as one undo step."""
    from skillstudio.tui.external import edit_outside

    if (buffer := workbench.open.buffer) is None:
        return
    text, trouble = edit_outside(workbench.app, buffer.path, buffer.text)
    if trouble:
        workbench.say(trouble, bad=True)
    elif text is not None and text != buffer.text:
        buffer.replace(splices_between(buffer.text, text), "Edit in $EDITOR")
        workbench.open.analyse_now()
    workbench.refresh_all()
