"""Commands around the open file: help, skills, drafts, themes, folders, quit."""

from __future__ import annotations

from skillstudio.session.workspace import WORDS
from skillstudio.tui.commands import files
from skillstudio.tui.palette import Themed
from skillstudio.tui.screens.chooser import Answer, Chooser, choose_command, help_
from skillstudio.tui.screens.dialogs import Confirm, ConfirmOption, OpenPath, anyway, ask_for_path
from skillstudio.tui.screens.workbench import Workbench
from skillstudio.tui.widgets.lines import WORKBENCH_COMMANDS
from skillstudio.tui.words import joined, paragraphs, plain


async def show_help(workbench: Workbench) -> None:
    """Explain what is focused; run the command that is chosen from the list."""
    if id_ := await help_(workbench, WORKBENCH_COMMANDS):
        await workbench.action_run(id_)


async def show_palette(workbench: Workbench) -> None:
    """Run the command that is chosen by its name."""
    if id_ := await choose_command(workbench, WORKBENCH_COMMANDS):
        await workbench.action_run(id_)


async def quit_(workbench: Workbench) -> None:
    """Leave the program."""
    if await may_leave(workbench):
        workbench.app.exit(0)


async def rescan(workbench: Workbench) -> None:
    """Find and check the skills again."""
    workbench.session.workspace.forget_settings()
    workbench.say("rescanning the skills")
    workbench.skills_pane.scan()
    workbench.disk_changed()


async def cancel_scan(workbench: Workbench) -> None:
    """Stop checking the skills."""
    is_active = workbench.skills_pane.cancel_scan()
    workbench.say("stopped checking" if is_active else "nothing is being checked")


async def go_to_skill(workbench: Workbench) -> None:
    """Choose a skill by letters of its name."""
    lines = []
    for entry in workbench.session.workspace.skills.values():
        glyph, word = WORDS[entry.status]
        about = plain(f"  {entry.path or '.'}  {word}", "dim")
        line = joined(f"{glyph} ", plain(entry.name), about)
        lines.append(Answer(entry.path or ".", f"{entry.name} {entry.path}", line))
    chosen = await workbench.ask(Chooser("Go to a skill", lines))
    if chosen is not None and await workbench.open_file("" if chosen == "." else chosen):
        workbench.go_to_pane("view")


async def go_to_outline(workbench: Workbench) -> None:
    """Choose a key or heading of the open file, and go to it."""
    await workbench.show_view("edit")
    workbench.go_to_pane("view")
    editor = workbench.views.editor
    if editor is None:
        return
    items = editor.outline()
    digits = len(str(max((item.line for item in items), default=1)))
    answers = []
    for index, item in enumerate(items):
        line = plain(f"{item.line:>{digits}} ", "dim")
        content = joined(line, "  " * item.level, plain(item.name))
        answers.append(Answer(str(index), item.name, content))
    above = sum(item.offset <= editor.cursor_offset for item in items)
    chooser = Chooser("Outline", answers, start=str(max(above - 1, 0)))
    chosen = await workbench.app.push_screen_wait(chooser)
    if chosen is not None:
        editor.go_to(items[int(chosen)].offset)


async def may_leave(workbench: Workbench) -> bool:
    """Ask whether to save unsaved changes. Whether the workbench may close."""
    if not workbench.views.settle():
        return False
    dirty = workbench.session.dirty()
    if not dirty:
        return True
    names = "\n".join(f"✎ {buffer.path}" for buffer in dirty)
    options = [
        ConfirmOption("cancel", "c", "Stay"),
        ConfirmOption("save", "s", "Save all and quit"),
        ConfirmOption("discard", "d", "Discard the changes and quit"),
    ]
    answer = await workbench.ask(Confirm("Unsaved changes", paragraphs(names), options))
    if answer == "save":
        return await files.save_all(workbench)
    if answer == "discard":
        for buffer in dirty:
            workbench.session.discard(buffer)
    return answer == "discard"


async def offer_drafts(workbench: Workbench) -> None:
    """Offer to recover unsaved text of an earlier session."""
    drafts = workbench.session.found_drafts()
    if not drafts:
        return
    names = "\n".join(f"✎ {draft.path}" for draft in drafts)
    text = paragraphs(f"These files have text that was never saved:\n{names}")
    options = [
        ConfirmOption("recover", "r", "Recover: put the text back, unsaved"),
        ConfirmOption("discard", "d", "Discard it for good"),
        ConfirmOption("later", "l", "Ask again next time"),
    ]
    answer = await workbench.ask(Confirm("Unsaved text found", text, options))
    if answer == "discard":
        # Ask again: the question appears unasked, maybe while the user is typing.
        text = paragraphs(f"{names}\n\nDiscarded text cannot be recovered.")
        keep = "Keep it and ask again next time"
        if await workbench.ask(anyway("Discard permanently?", text, "Discard it", keep)) != "yes":
            return
    for draft in drafts:
        if answer == "discard":
            workbench.session.drafts.drop(draft.path)
        elif answer == "recover":
            try:
                buffer, sides = workbench.session.recover(draft)
            except (OSError, ValueError) as error:
                workbench.say(f"{draft.path}: {error}", bad=True)
                continue
            skill = workbench.session.skill_of(draft.path)
            if skill is not None:
                inside = draft.path[len(workbench.session.workspace.path(skill)) + 1 :]
                await workbench.open_file(skill, inside.replace("\\", "/"))
                workbench.go_to_pane("view")
            if sides is not None and sides.theirs is not None:
                await files.settle_texts(workbench, buffer, sides)
    workbench.skills_pane.refresh_skills()


async def choose_theme(workbench: Workbench) -> None:
    """Preview the selected theme; use the chosen one, or go back to the one before."""
    app = workbench.app
    if not isinstance(app, Themed):
        return
    before = app.theme
    answers = [
        Answer(name, f"{name} {theme.title}", joined(plain(theme.title), plain(f"  {name}", "dim")))
        for name, theme in app.known_themes.items()
    ]

    def preview(name: str) -> None:
        app.theme = name

    chosen = await workbench.ask(Chooser("Themes", answers, on_move=preview, start=before))
    app.theme = chosen or before
    if chosen is not None:
        app.remember_theme(chosen)


async def open_folder(workbench: Workbench) -> None:
    """Open another skill or folder, after asking about unsaved changes."""
    path = await ask_for_path(workbench.app, workbench.session.workspace.root)
    if path is not None and await may_leave(workbench):
        workbench.post_message(OpenPath(path))
