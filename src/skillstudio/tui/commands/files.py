"""Saving, undoing, copying, settling with the disk."""

from __future__ import annotations

import os
from collections.abc import Sequence

from skillstudio.session.buffer import Buffer, DiskChanged
from skillstudio.session.conflict import splices_between
from skillstudio.session.session import Disagreement
from skillstudio.text.diagnostic import Splice
from skillstudio.text.source import Source, decode
from skillstudio.tui.bench import Bench, content_of
from skillstudio.tui.screens.confirm import Confirm, ConfirmOption


async def save(bench: Bench) -> None:
    """Write the open file."""
    if not bench.settle():
        return
    if bench.buffer is not None and await save_buffer(bench, bench.buffer):
        bench.say(f"saved {bench.file}")


async def save_all(bench: Bench) -> bool:
    """Write every unsaved file. Whether all were."""
    done = bench.settle()
    for buffer in bench.session.dirty():
        done = await save_buffer(bench, buffer) and done
    return done


async def save_buffer(bench: Bench, buffer: Buffer) -> bool:
    """Write a buffer; where the disk has another text, ask first. Whether it was written."""
    try:
        bench.session.save(buffer)
    except DiskChanged as changed:
        bench.on_disk[buffer.path] = changed.data
        bench.refresh_all()
        if not await settle(bench, buffer):
            return False
        return await save_buffer(bench, buffer) if buffer.dirty else True
    except OSError as error:
        bench.say(f"not saved: {error.strerror or error}; the draft is kept", bad=True)
        return False
    bench.on_disk.pop(buffer.path, None)
    bench.refresh_all()
    bench.refresh_skills()
    return True


async def conflict(bench: Bench) -> None:
    """Settle the open file with the disk."""
    if bench.buffer is not None:
        await settle(bench, bench.buffer)


async def settle(bench: Bench, buffer: Buffer) -> bool:
    """Ask for one of the three ways. Whether one was taken; nothing is written here."""
    data = bench.on_disk.get(buffer.path)
    if data is None:
        text = content_of(f"{buffer.path}\nis gone from disk. Your text is still here.")
        options = [
            ConfirmOption("wait", "k", "Leave it unsaved"),
            ConfirmOption("write", "w", "Write it again"),
        ]
        if await bench.app.push_screen_wait(Confirm("Gone from disk", text, options)) != "write":
            return False
        buffer.rebase(None)
        bench.on_disk.pop(buffer.path, None)
        return True
    theirs, bad = decode(data)
    if bad is not None:
        bench.say("the file on disk is not UTF-8 any more, so it cannot be merged", bad=True)
        return False
    return await settle_texts(
        bench, buffer, Disagreement(buffer.path, buffer.base_text or "", buffer.text, theirs)
    )


async def settle_texts(bench: Bench, buffer: Buffer, sides: Disagreement) -> bool:
    """Ask how to join two texts, and put the result in the buffer.

    The text on disk is a step of undo before the result, so that neither side is lost: undo shows
    it, and undo again what was typed.
    """
    from skillstudio.tui.screens.conflict import ConflictScreen

    theirs = sides.theirs or ""
    result = await bench.app.push_screen_wait(ConflictScreen(sides))
    if result is None:
        return False
    buffer.rebase(theirs.encode("utf-8"))
    buffer.replace(splices_between(buffer.text, theirs), "The file on disk")
    buffer.replace(splices_between(buffer.text, result), "Merge with the file on disk")
    bench.on_disk.pop(buffer.path, None)
    if not buffer.dirty:
        bench.session.forget_draft(buffer.path)
    bench.refresh_all()
    return True


def look_at_disk(bench: Bench, paths: frozenset[str]) -> None:
    """Let clean buffers follow the disk, and take note where a dirty one differs from it."""
    for buffer in list(bench.session.buffers.values()):
        try:
            data = buffer.on_disk()
        except OSError as error:
            bench.say(f"{buffer.path}: {error.strerror or error}", bad=True)
            continue
        if not buffer.differs(data):
            bench.on_disk.pop(buffer.path, None)
        elif buffer.dirty or buffer.read_only or data is None:
            bench.on_disk[buffer.path] = data
        else:
            try:
                splices = bench.session.reload(buffer, data)
            except UnicodeDecodeError:
                bench.on_disk[buffer.path] = data
                continue
            bench.on_disk.pop(buffer.path, None)
            if buffer is bench.buffer:
                bench.say(f"{bench.file} changed on disk: {len(splices)} places taken over")
                if bench.editor is not None:
                    bench.editor.mark_lines(_lines_of(splices, buffer.text))
    folder = bench.session.workspace.path(bench.skill) if bench.skill is not None else ""
    if folder and any(path.startswith(folder + os.sep) for path in paths):
        bench.disk_changed()


def _lines_of(splices: Sequence[Splice], text: str) -> set[int]:
    """The lines of the new text that the splices made; where they only took out, the next."""
    source = Source(text)
    lines: set[int] = set()
    shift = 0
    for start, end, new in splices:
        first = source.position(start + shift).line
        last = source.position(max(start + shift + len(new) - 1, start + shift)).line
        lines |= set(range(first, last + 1))
        shift += len(new) - (end - start)
    return lines


async def undo(bench: Bench) -> None:
    """Take back the last change, with its place in sight."""
    if bench.buffer is not None:
        _show_step(bench, bench.session.undo(bench.buffer))


async def redo(bench: Bench) -> None:
    """Do again what was undone."""
    if bench.buffer is not None:
        _show_step(bench, bench.session.redo(bench.buffer))


def _show_step(bench: Bench, splices: tuple[Splice, ...] | None) -> None:
    if splices and bench.form is not None:
        bench.form.go_to_offset(splices[0].start)
    if splices and bench.editor is not None:
        bench.editor.go_to(splices[0].start + len(splices[0].text))
    bench.refresh_all()


async def copy(bench: Bench) -> None:
    """Send the whole text to the terminal's clipboard."""
    if bench.buffer is not None:
        bench.app.copy_to_clipboard(bench.buffer.text)
        bench.say(f"sent {len(bench.buffer.text)} characters to the terminal's clipboard (OSC 52)")


async def copy_path(bench: Bench) -> None:
    """Send the file's path to the terminal's clipboard."""
    if bench.buffer is not None:
        bench.app.copy_to_clipboard(bench.buffer.path)
        bench.say("sent the path to the terminal's clipboard (OSC 52)")


async def external(bench: Bench) -> None:
    """Edit the text in the user's editor; what comes back is one step of undo."""
    from skillstudio.tui.external import edit_outside

    buffer = bench.buffer
    if buffer is None:
        return
    text, trouble = edit_outside(bench.app, buffer.path, buffer.text)
    if trouble:
        bench.say(trouble, bad=True)
    elif text is not None and text != buffer.text:
        buffer.replace(splices_between(buffer.text, text), "Edit in $EDITOR")
        bench.analyse_now()
    bench.refresh_all()
