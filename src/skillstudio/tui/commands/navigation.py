"""Commands around the open file: help, skills, drafts, themes, folders, quit."""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter

from skillstudio.manifest.outline import outline
from skillstudio.present.problems import SIGNS
from skillstudio.session.commands.commands import KEY_LINES
from skillstudio.session.drafts import BufferDraft
from skillstudio.session.recent import recent_folders
from skillstudio.tui.commands import files, problems
from skillstudio.tui.legibility import describe_contrasts
from skillstudio.tui.palette import FOLLOW, ThemedApp
from skillstudio.tui.screens.chooser import Answer, Chooser, command_answers, help_
from skillstudio.tui.screens.dialogs import Confirm, ConfirmOption, OpenPath, anyway, ask_for_path
from skillstudio.tui.screens.workbench import Workbench
from skillstudio.tui.widgets.lines import WORKBENCH_COMMANDS
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import join, paragraphs, plain


async def show_help(workbench: Workbench) -> None:
    """Explain what is focused; run the command that is chosen from the list."""
    if id_ := await help_(workbench, WORKBENCH_COMMANDS, KEY_LINES[workbench.place]):
        await workbench.action_run(id_)


_PALETTE = "> commands  @ symbols  : line  # rules · or letters of a command, skill or folder"


async def show_palette(workbench: Workbench) -> None:
    """Run a command, or go to a skill, file, symbol, line, rule or recent folder."""
    commands = command_answers(workbench, WORKBENCH_COMMANDS, KEY_LINES[workbench.place])
    answers = [*commands, *_skill_answers(workbench, "skill:"), *_folder_answers(workbench)]
    by_prefix = {
        ">": lambda _: commands,
        "@": lambda _: _symbols(workbench),
        ":": _line_answers,
        "#": lambda _: _rule_answers(),
    }
    answer = await workbench.ask(Chooser("Commands", answers, by_prefix=by_prefix, hint=_PALETTE))
    kind, _, rest = (answer or "").partition(":")
    match kind:
        case "":
            return
        case "skill":
            await _open_skill(workbench, rest)
        case "folder":
            await open_other(workbench, rest)
        case "symbol" | "line":
            await workbench.go_to_view("edit")
            if workbench.views.editor is not None and kind == "symbol":
                workbench.views.editor.go_to(int(rest))
            elif workbench.views.editor is not None:
                workbench.views.editor.go_to_line(int(rest))
        case "rule":
            await problems.explain_rule(workbench, rest)
        case _:
            await workbench.action_run(answer or "")


def _skill_answers(workbench: Workbench, prefix: str = "") -> list[Answer]:
    answers = []
    for entry in workbench.session.workspace.skills.values():
        glyph = SIGNS[entry.status]
        path = "" if entry.path == entry.name else entry.path or "."
        line = join(f"{glyph} ", plain(entry.name), plain(f"  {path}", "dim"))
        title = f"{entry.name} {path}".strip()
        answers.append(Answer(f"{prefix}{entry.path or '.'}", title, line))
    return answers


def _folder_answers(workbench: Workbench) -> list[Answer]:
    root = workbench.session.workspace.root
    return [
        Answer(f"folder:{path}", f"folder {path}", join(plain("recent  ", "dim"), plain(path)))
        for path in recent_folders(os.path.dirname(workbench.session.drafts.folder))
        if path != root
    ]


def _symbols(workbench: Workbench) -> list[Answer]:
    analysis, buffer = workbench.open.analysis, workbench.open.buffer
    if analysis is None or buffer is None:
        return []
    return [
        Answer(
            f"symbol:{item.offset}",
            item.name,
            join(plain(f"{item.line:>4} ", "dim"), "  " * item.level, plain(item.name)),
        )
        for item in outline(analysis.skill, workbench.open.file, buffer.text)
    ]


def _line_answers(text: str) -> list[Answer]:
    number = text.strip()
    if not (number.isascii() and number.isdecimal()) or len(number) > 9:
        return []
    return [Answer(f"line:{number}", f"Go to line {number}", plain(f"Go to line {number}"))]


def _rule_answers() -> list[Answer]:
    from skillstudio.manifest.rulebook import all_rules

    return [
        Answer(
            f"rule:{rule.id}",
            f"{rule.id} {rule.what}",
            join(plain(f"{rule.id:<32} "), plain(rule.what, "dim")),
        )
        for rule in all_rules().values()
    ]


async def _open_skill(workbench: Workbench, skill: str) -> None:
    if await workbench.open_file("" if skill == "." else skill):
        workbench.go_to_files()


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
    skill = await workbench.ask(Chooser("Go to a skill", _skill_answers(workbench)))
    if skill is not None:
        await _open_skill(workbench, skill)


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
        content = join(line, "  " * item.level, plain(item.name))
        answers.append(Answer(str(index), item.name, content))
    above = sum(item.offset <= editor.cursor_offset for item in items)
    chooser = Chooser("Outline", answers, start=str(max(above - 1, 0)))
    answer = await workbench.app.push_screen_wait(chooser)
    if answer is not None:
        editor.go_to(items[int(answer)].offset)


async def toggle_vim(workbench: Workbench) -> None:
    """Turn the keys of vim in the editor on or off."""
    await workbench.go_to_view("edit")
    workbench.views.use_vim(not workbench.views.is_vim)
    if workbench.views.is_vim:
        workbench.say('vim keys are on; [editor] keys = "vim" in skillstudio.toml keeps them')
    else:
        workbench.say("vim keys are off")


async def jump(workbench: Workbench) -> None:
    """Show a letter on each part of the screen, and go to the chosen one."""
    from skillstudio.tui.screens.jump import JumpScreen

    is_drawn = asyncio.Event()
    workbench.call_after_refresh(is_drawn.set)  # The letters are put on what is on the screen.
    await is_drawn.wait()
    target = await workbench.ask(JumpScreen(workbench.jump_targets()))
    if target is None:
        return
    if target.command:
        await workbench.action_run(target.command)
    elif target.widget is not None:
        target.widget.focus()
        if isinstance(target.widget, Rows) and target.row is not None:
            target.widget.cursor = target.row


async def resize_panes(workbench: Workbench) -> None:
    """Move the edges of the panes with the arrows."""
    from skillstudio.tui.screens.resize import ResizeScreen

    await workbench.ask(ResizeScreen(workbench.panes, workbench.next_pane))


async def may_leave(workbench: Workbench) -> bool:
    """Ask whether to save unsaved changes. Whether the workbench may close."""
    if not workbench.views.settle():
        return False
    dirty = workbench.session.dirty()
    if not dirty:
        return True
    names = "\n".join(f"● {buffer.path}" for buffer in dirty)
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


async def offer_drafts(workbench: Workbench, path: str = "") -> None:
    """Offer to recover unsaved text of sessions that ended; with a path, only that of a file.

    Of several drafts of a file, the newest is offered first, and then the next one.
    """
    drafts = [
        draft
        for draft in workbench.session.found_drafts(path)
        if draft not in workbench.offered_drafts
    ]
    workbench.offered_drafts.update(drafts)
    workbench.offers_drafts = False
    several = Counter(draft.path for draft in drafts)
    while drafts:
        newest = list({draft.path: draft for draft in reversed(drafts)}.values())[::-1]
        drafts = [draft for draft in drafts if draft not in newest]
        await _offer(workbench, newest, several)
        workbench.skills_pane.refresh_skills()
    workbench.offers_drafts = True


async def _offer(workbench: Workbench, drafts: list[BufferDraft], several: Counter[str]) -> None:
    """Offer one draft for each of some files, with its time if there are several of a file."""
    session = workbench.session
    names = "\n".join(
        f"● {draft.path}" + (f" ({_time(draft)})" if several[draft.path] > 1 else "")
        for draft in drafts
    )
    text = f"These files have text that was never saved:\n{names}"
    unsaved_texts = session.find_unsaved_texts()
    if replaced_paths := [draft.path for draft in drafts if draft.path in unsaved_texts]:
        text += "\n\nRecovering replaces your unsaved text, which undo brings back:\n"
        text += "\n".join(f"● {path}" for path in replaced_paths)
    options = [
        ConfirmOption("recover", "r", "Recover: put the text back, unsaved"),
        ConfirmOption("discard", "d", "Discard it for good"),
        ConfirmOption("later", "l", "Ask again next time"),
    ]
    answer = await workbench.ask(Confirm("Unsaved text found", paragraphs(text), options))
    if answer == "discard":
        # Ask again: the question appears unasked, maybe while the user is typing.
        question = paragraphs(f"{names}\n\nDiscarded text cannot be recovered.")
        keep = "Keep it and ask again next time"
        dialog = anyway("Discard permanently?", question, "Discard it", keep)
        if await workbench.ask(dialog) != "yes":
            return
    for draft in drafts:
        if answer == "discard":
            session.drafts.discard(draft)
        elif answer == "recover":
            await _recover(workbench, draft)


def _time(draft: BufferDraft) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(draft.when))


async def _recover(workbench: Workbench, draft: BufferDraft) -> None:
    session = workbench.session
    try:
        buffer, sides = session.recover(draft)
    except (OSError, ValueError) as error:
        workbench.say(f"{draft.path}: {error}", bad=True)
        return
    skill = session.skill_of(draft.path)
    if skill is not None:
        inside = draft.path[len(session.workspace.path(skill)) + 1 :]
        await workbench.open_file(skill, inside.replace("\\", "/"))
        workbench.go_to_pane("view")
    if sides is not None and sides.theirs is not None:
        await files.settle_texts(workbench, buffer, sides)


async def choose_theme(workbench: Workbench) -> None:
    """Preview the selected theme; use the chosen one, or go back to the one before."""
    app = workbench.app
    if not isinstance(app, ThemedApp):
        return
    before = app.chosen_theme
    follow = "Follow the terminal: dark or light"
    answers = [Answer(FOLLOW, follow, plain(follow), "Its background decides when it reports one.")]
    for name, theme in app.known_themes.items():
        line = join(plain(theme.title), plain(f"  {name}", "dim"))
        answers.append(Answer(name, f"{name} {theme.title}", line, describe_contrasts(theme)))
    chooser = Chooser("Themes", answers, on_move=app.use_theme, start=before)
    answer = await workbench.ask(chooser)
    app.use_theme(before if answer is None else answer)
    if answer is not None:
        app.remember_theme(answer)


async def open_folder(workbench: Workbench) -> None:
    """Open another skill or folder, after asking about unsaved changes."""
    path = await ask_for_path(workbench.app, workbench.tour.around)
    if path is not None:
        await open_other(workbench, path)


async def open_other(workbench: Workbench, path: str) -> None:
    """Open another skill or folder instead, after asking about unsaved changes."""
    if await may_leave(workbench):
        workbench.post_message(OpenPath(path))
