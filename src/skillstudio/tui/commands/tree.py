"""Commands of the tree: create, rename and delete the files of a skill, and undo that."""

from __future__ import annotations

import os

from skillstudio.present.lines import count
from skillstudio.tui.screens.dialogs import Confirm, ConfirmOption, PromptDialog, anyway
from skillstudio.tui.screens.workbench import Workbench
from skillstudio.tui.words import paragraphs


async def create(workbench: Workbench) -> None:
    """Ask for a name, create the file or folder, and open the file."""
    from skillstudio.session.skill_files import FilesRefused

    skill, folder = _folder_for_new(workbench)
    if skill is None:
        workbench.say("not now: no skill is selected")
        return
    files = workbench.skill_files
    title = "Path in the skill; end it with / for a folder"
    start = f"{folder}/" if folder else ""
    about = f"in {skill or 'the skill'}"
    path = await workbench.ask(
        PromptDialog(title, start, lambda text: files.why_not(skill, text.strip()), about)
    )
    if path is None:
        return
    try:
        created_path = files.create(skill, path.strip())
    except FilesRefused as error:
        workbench.say(f"not created: {error}", bad=True)
        return
    _refresh_skill(workbench, skill, created_path)
    if path.strip().endswith("/"):
        workbench.say(f"created {created_path}/")
    elif await workbench.open_file(skill, created_path):
        await workbench.go_to_view("edit")
        workbench.say(f"created {created_path}")


def _folder_for_new(workbench: Workbench) -> tuple[str | None, str]:
    """The skill and the folder that a new file is proposed for."""
    tree = workbench.skills_pane.skill_tree
    row = tree.selected_row if workbench.focused is tree else None
    if row is None or row.skill is None:
        return workbench.open.skill, os.path.dirname(workbench.open.file)
    return row.skill, row.file if row.kind == "folder" else os.path.dirname(row.file)


async def rename(workbench: Workbench) -> None:
    """Ask for another path, and whether the paths that name it follow; rename."""
    from skillstudio.session.skill_files import FilesRefused, link_edits

    if (selection := workbench.selected_file) is None:
        return
    (skill, old), files = selection, workbench.skill_files
    new = await workbench.ask(
        PromptDialog(
            f"Rename {old} to",
            old,
            lambda text: "" if text.strip() == old else files.why_not(skill, text.strip(), old),
            f"a path in {skill or 'the skill'}; paths that name it can be updated",
        )
    )
    if new is None or (new := new.strip()) == old:
        return
    session, links = workbench.session, None
    try:
        analysis = session.workspace.analyse(skill, session.find_unsaved_texts())
    except OSError as error:
        workbench.say(f"paths are not updated: {error.strerror or error}", bad=True)
    else:
        root = session.workspace.path(skill) + os.sep
        texts = {
            path[len(root) :].replace(os.sep, "/"): buffer.text
            for path, buffer in session.buffers.items()
            if path.startswith(root)
        }
        links = link_edits(analysis, texts, old, new)
    if links is not None and links.number:
        number = links.number
        text = "\n".join(
            f"{path}: {count(len(splices), 'path')}" for path, splices in links.splices.items()
        )
        options = [
            ConfirmOption("no", "n", "Do not rename"),
            ConfirmOption("update", "u", "Rename, and update the paths (not saved)"),
            ConfirmOption("leave", "l", "Rename, and leave the paths as they are"),
        ]
        verb = "depends" if number == 1 else "depend"
        title = f"{count(number, 'path')} {verb} on {old}"
        answer = await workbench.ask(Confirm(title, paragraphs(text), options))
        if answer not in ("update", "leave"):
            return
        links = links if answer == "update" else None
    try:
        files.rename(skill, old, new, links)
    except FilesRefused as error:
        workbench.say(f"not renamed: {error}", bad=True)
        return
    await _follow(workbench, skill, old, new)
    update_note = (
        f"; {count(links.number, 'path')} updated (not saved)" if links and links.number else ""
    )
    workbench.say(f"renamed {old} to {new}{update_note}")


async def delete(workbench: Workbench) -> None:
    """Ask, and move the file or folder to the trash."""
    from skillstudio.session.skill_files import KEPT_DAYS, FilesRefused

    if (selection := workbench.selected_file) is None:
        return
    (skill, path), files = selection, workbench.skill_files
    try:
        files.check_removable(skill, path)
    except FilesRefused as error:
        workbench.say(f"not deleted: {error}", bad=True)
        return
    key = workbench.keymap.keys["file.restore"]
    restores = f"{key[0]} in the tree restores it" if key else "it can be restored"
    text = f"{restores}, and after the session the trash keeps it for {KEPT_DAYS} days."
    if files.has_unsaved(skill, path):
        text = f"It has unsaved changes, which are not kept after the session.\n{text}"
    question = anyway(f"Delete {path}?", paragraphs(text), "Delete it", "Keep it")
    if await workbench.ask(question) != "yes":
        return
    try:
        files.delete(skill, path)
    except FilesRefused as error:
        workbench.say(f"not deleted: {error}", bad=True)
        return
    await _follow(workbench, skill, path, "")
    workbench.say(f"deleted {path}; {restores}")


async def restore(workbench: Workbench) -> None:
    """Undo the last change of files."""
    from skillstudio.session.skill_files import FilesRefused

    try:
        step = workbench.skill_files.undo()
    except FilesRefused as error:
        workbench.say(f"not undone: {error}", bad=True)
        return
    if step is not None:
        new_path = step.path if step.path != step.before else ""
        await _follow(workbench, step.skill, step.before, new_path)
        _refresh_skill(workbench, step.skill, step.path)
        workbench.say(step.text)


async def _follow(workbench: Workbench, skill: str, old: str, new: str) -> None:
    """Show the change, and open the renamed file, or the manifest instead of a deleted one."""
    open_, focused_widget = workbench.open, workbench.focused
    is_open = open_.skill == skill and old and f"{open_.file}/".startswith(f"{old}/")
    old_path = workbench.session.workspace.path(skill, old)
    for path in [
        path for path in open_.on_disk if path == old_path or path.startswith(old_path + os.sep)
    ]:
        del open_.on_disk[path]
    if is_open:
        await workbench.open_file(skill, new + open_.file[len(old) :] if new else "")
        if focused_widget is not None and focused_widget.is_attached:
            workbench.set_focus(focused_widget)
    _refresh_skill(workbench, skill, new or os.path.dirname(old))


def _refresh_skill(workbench: Workbench, skill: str, path: str) -> None:
    """Check a skill again whose files changed; select a file in the tree."""
    if workbench.open.skill == skill:
        workbench.disk_changed()
    workbench.skills_pane.look_again(frozenset({workbench.session.workspace.path(skill, path)}))
    workbench.skills_pane.skill_tree.select(skill, path)
    workbench.refresh_all()
