"""Commands that create, migrate and export skills, and show their targets."""

from __future__ import annotations

import asyncio
import os
from functools import partial

from skillstudio.files.paths import make_relative
from skillstudio.files.tree import FileTree
from skillstudio.session.moving import (
    MovePlan,
    NotMoved,
    aims,
    look,
    migration,
    propose_folder,
)
from skillstudio.session.wizard.wizard import Wizard, base_for
from skillstudio.settings.settings import SkillSettings
from skillstudio.text.merging import splices_between
from skillstudio.tui.commands import navigation
from skillstudio.tui.screens.chooser import Answer, Chooser
from skillstudio.tui.screens.dialogs import OpenPath
from skillstudio.tui.screens.workbench import Workbench
from skillstudio.tui.words import join, plain


async def new(workbench: Workbench) -> None:
    """Start the wizard, or continue it; open the skill that it creates."""
    from skillstudio.tui.screens.new import ask_for_skill

    if not workbench.views.settle():
        return
    workspace = workbench.session.workspace
    wizard = workbench.wizard
    if wizard is None:
        wizard = workbench.wizard = Wizard(base_for(workbench.tour.around))
    wizard.names = {entry.name: entry.path or "." for entry in workspace.skills.values()}
    result = await ask_for_skill(workbench.app, wizard, workbench.keymap)
    if result.quit:
        await navigation.quit_(workbench)
    elif result.path:
        workbench.wizard = None
        await _open_new(workbench, result.path)


async def _open_new(workbench: Workbench, folder: str) -> None:
    """Open a new skill; outside the workspace, open its folder instead."""
    skill = workbench.skills_pane.add(folder)
    if skill is not None:
        if await workbench.open_file(skill):
            await workbench.show_view("edit")
            workbench.go_to_files()
            workbench.say(f"created {skill}")
    elif await navigation.may_leave(workbench):
        workbench.post_message(OpenPath(folder))
    else:
        workbench.say(f"created {folder}; O opens it")


async def migrate(workbench: Workbench) -> None:
    """Show the diff and the report, then change the text as one undo step."""
    from skillstudio.tui.screens.move import MoveScreen

    if not workbench.views.settle() or (skill := workbench.open.skill) is None:
        return
    try:
        plan = await asyncio.to_thread(migration, *_files(workbench, skill))
    except (NotMoved, OSError) as error:
        workbench.say(f"not migrated: {'; '.join(str(error).splitlines())}", bad=True)
        return
    if plan is None:
        workbench.say("every manifest has the latest version of its dialect")
        return
    accepted_plan = await workbench.ask(MoveScreen(f"Migrate: {plan.title}", lambda _: plan))
    if isinstance(accepted_plan, MovePlan):
        (path, (old, new)), *_ = accepted_plan.texts.items()
        splices = splices_between(old or "", new)
        if await workbench.replace(skill, path, old, splices, "Migrate the manifest"):
            workbench.say(f"{path} migrated (not saved): {accepted_plan.title}")


async def update(workbench: Workbench) -> None:
    """Show what a newer version of the template changes, then write it."""
    from skillstudio.dryrun.isolation.landlock import confinement
    from skillstudio.session.updating import conflicts_text, look_for_update, update_text
    from skillstudio.tui.screens.update import UpdateScreen

    if not workbench.views.settle() or (skill := workbench.open.skill) is None:
        return
    if workbench.open.unsaved_files:
        workbench.say("save the skill first: an update merges the files on disk", bad=True)
        return
    folder = workbench.session.workspace.path(skill)
    look = partial(look_for_update, folder, confinement())
    result = await workbench.ask(UpdateScreen(folder, look))
    if result is not None:
        paths = [os.path.join(folder, *file.path.split("/")) for file in result.written_files]
        if paths:
            workbench.look_at_disk(frozenset(paths))
        places = conflicts_text(result)
        text = update_text(result)
        workbench.say(f"{text}; resolve {places}" if places else text, bad=bool(places))


async def add_operation(workbench: Workbench) -> None:
    """Choose a script, and add an operation for it as one undo step."""
    from skillstudio.manifest.locate import locate
    from skillstudio.scaffold.new.scripts import adding
    from skillstudio.skill.programs import find_programs
    from skillstudio.text.edit import EditRefused

    if not workbench.views.settle() or (skill := workbench.open.skill) is None:
        return
    try:
        tree, settings = _files(workbench, skill)
        located_skill = (await asyncio.to_thread(locate, tree, settings)).skill
        programs = await asyncio.to_thread(find_programs, located_skill.tree)
    except OSError as error:
        workbench.say(f"the skill cannot be read: {error.strerror or error}", bad=True)
        return
    answers = [
        _answer(name, name, command.about, 30)
        for program in programs
        for name, command in zip(program.operations, program.commands, strict=True)
    ]
    if not answers:
        workbench.say("the skill has no scripts, so there is no operation to add", bad=True)
        return
    script = await workbench.ask(Chooser("Add an operation for which script?", answers))
    if script is None:
        return
    try:
        addition = await asyncio.to_thread(adding.add_operation, located_skill, script)
    except (adding.AddRefused, EditRefused) as error:
        workbench.say(f"not added: {error}", bad=True)
        return
    splices = splices_between(addition.old, addition.new)
    if await workbench.replace(skill, addition.path, addition.old, splices, "Add an operation"):
        text = f"operation {addition.name} added to {addition.path} (not saved)"
        workbench.say("; ".join((text, *addition.notes)))


async def export(workbench: Workbench, target: str = "") -> None:
    """Choose a target, unless one is given, and a folder, and open the copy."""
    from skillstudio.tui.screens.move import MoveScreen

    if not workbench.views.settle() or (skill := workbench.open.skill) is None:
        return
    aims_by_target = {aim.to: aim for aim in aims()}
    likely = workbench.refusing_targets
    target_id: str | None = target or (likely[0] if len(likely) == 1 else "")
    if not target_id:
        sorted_aims = sorted(aims_by_target.values(), key=lambda aim: aim.to not in likely)
        answers = [_answer(aim.to, aim.to, aim.title, 20) for aim in sorted_aims]
        target_id = await workbench.ask(Chooser("Export for which target?", answers))
    if target_id is None:
        return
    aim = aims_by_target[target_id]
    try:
        tree, settings = _files(workbench, skill)
    except OSError as error:
        workbench.say(f"cannot read the settings: {error.strerror or error}", bad=True)
        return
    workspace = workbench.session.workspace
    start = propose_folder(aim, workspace.path(skill), workspace.root)
    screen = MoveScreen(f"Export for {aim.title}", partial(look, aim, tree, settings), start)
    copy = await workbench.ask(screen)
    if not isinstance(copy, str):
        return
    if workspace.contains(copy):
        await _open_new(workbench, copy)
    else:
        workbench.say(f"exported to {copy}")


def _files(workbench: Workbench, skill: str) -> tuple[FileTree, SkillSettings]:
    """The files of a skill, unsaved texts included, and its settings. Raises OSError."""
    workspace = workbench.session.workspace
    return workspace.files(skill, workbench.session.find_unsaved_texts()), workspace.settings(skill)


def _answer(id_: str, name: str, about: str, width: int) -> Answer:
    return Answer(id_, f"{name} {about}", join(plain(f"{name:<{width}}"), plain(about, "dim")))


async def targets(workbench: Workbench, start: str = "") -> None:
    """Show the targets of the skill, `start` first selected; go to the place of a reason, select a
    target, or export. While no skill is open, ask for a target to select."""
    from skillstudio.skill.visibility import explain_place
    from skillstudio.text.diagnostic import Diagnostic
    from skillstudio.tui.screens.targets import TargetsScreen

    if not workbench.views.settle():
        return
    if (skill := workbench.open.skill) is None:
        await select_target(workbench)
        return
    analysis = workbench.open.fresh()
    if analysis is None:
        workbench.say(workbench.open.failure or "the skill cannot be checked", bad=True)
        return
    workspace = workbench.session.workspace
    look = partial(explain_place, analysis.skill, workspace.path(skill))
    note = partial(workbench.note_answers, analysis)
    choice = await workbench.ask(TargetsScreen(analysis, look, note, start))
    if choice is None:
        return
    if choice.export:
        await export(workbench, choice.target)
    elif choice.selects is not None:
        _select_target(workbench, skill, choice.target, choice.selects)
        await targets(workbench, choice.target)
    elif choice.span is not None and analysis.skill.markdown is not None:
        path = analysis.skill.markdown.source.path
        await workbench.go_to_problem(Diagnostic("target-refused", "", choice.span, path=path))


async def select_target(workbench: Workbench) -> None:
    """Choose the targets at which the skills of the folder must work."""
    from skillstudio.manifest.targets import recorded_targets

    workspace = workbench.session.workspace
    skill = workbench.open.skill if workbench.open.skill is not None else min(workspace.skills)
    start = ""
    while True:
        selected_targets = workspace.settings(skill).targets
        answers = [
            _answer(
                id_, f"{'✓' if id_ in selected_targets else ' '} {id_}", str(target["title"]), 22
            )
            for id_, target in recorded_targets().items()
        ]
        answers.sort(key=lambda answer: answer.id not in selected_targets)
        dialog = Chooser("Select the targets: enter adds or removes one", answers, start=start)
        target_id = await workbench.ask(dialog)
        if target_id is None:
            return
        _select_target(workbench, skill, target_id, target_id not in selected_targets)
        start = target_id


def _select_target(workbench: Workbench, skill: str, target: str, is_selected: bool = True) -> None:
    """Add a target to the settings of a skill, or remove it, and check again."""
    from skillstudio.text.editing import EditRefused

    try:
        file = workbench.session.workspace.select_target(skill, target, is_selected)
    except (EditRefused, OSError) as error:
        workbench.say(f"not {'added' if is_selected else 'removed'}: {error}", bad=True)
        return
    workbench.disk_changed()
    workbench.skills_pane.scan()
    way = "added to" if is_selected else "removed from"
    workbench.say(f"{target} {way} the targets in {make_relative(file)}")
