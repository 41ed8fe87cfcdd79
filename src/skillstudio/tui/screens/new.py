"""The wizard for a new skill: a template or scripts, the questions, a preview, and then it is made.

Reading, rendering, checking and writing are done in threads that post messages. Of several
answers typed meanwhile only the last are looked at.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.worker import Worker, WorkerState

from skillstudio.session.commands.commands import COMMANDS
from skillstudio.session.commands.keymap import Keymap, shown
from skillstudio.session.fields import FieldKind
from skillstudio.session.wizard import state as states
from skillstudio.session.wizard.fields import fields_of, summary
from skillstudio.session.wizard.wizard import Wizard, list_offers
from skillstudio.tui.bindings import with_keys
from skillstudio.tui.command_runner import typed_out, why_not
from skillstudio.tui.dialog import SingleAnswerScreen
from skillstudio.tui.screens.command_list import help_
from skillstudio.tui.screens.confirm import Confirm, ConfirmOption
from skillstudio.tui.screens.prompt import PromptDialog
from skillstudio.tui.widgets.fields.entries import EntryEdited
from skillstudio.tui.widgets.fields.list import FieldList
from skillstudio.tui.widgets.lines import KeyLine, Line, Sentences
from skillstudio.tui.widgets.new import status
from skillstudio.tui.widgets.new.messages import (
    PreviewDrawn,
    QuestionsAsked,
    SkillMade,
    TemplateRead,
    TemplatesListed,
    WizardResult,
)
from skillstudio.tui.widgets.new.preview import PreviewPane, check_lines
from skillstudio.tui.widgets.new.scripts import ScriptDetails, scripts_content
from skillstudio.tui.widgets.new.status import STEPS, Step
from skillstudio.tui.widgets.new.templates import Elsewhere, TemplateList

if TYPE_CHECKING:
    from textual.app import App

    from skillstudio.scaffold.new.creation import SkillDraft

SLOW = 0.3
"""Seconds until the status says that the template is slow."""
OWN = tuple(
    each for each in COMMANDS if each.context == "wizard" or each.id in ("help.show", "app.quit")
)
"""The commands that the wizard binds."""

_LINE = """The answer is checked while you type, and what is wrong with it stands below. Enter
goes to the next field, from the last one to the preview; up and down go from field to field, esc
goes back a step and keeps every answer."""
_CHOICES = """The choices of a question. The selected one is taken; where more than one may
be, space takes it or lets it go. Enter goes to the next field, esc goes back a step."""


class Questions(FieldList):
    """The new folder and the questions of the template."""

    HELPS: ClassVar[Mapping[FieldKind, str]] = {
        "line": _LINE,
        "secret": _LINE,
        "box": """Several lines of text. Tab goes to the next field, shift+tab to the one before;
esc goes back a step and keeps every answer.""",
        "one": _CHOICES,
        "some": _CHOICES,
    }


class NewScreen(SingleAnswerScreen[WizardResult]):
    """Ends with the folder of the new skill, or without one."""

    CSS_PATH = "new.tcss"
    AUTO_FOCUS = "#templates"

    def __init__(self, wizard: Wizard, keymap: Keymap) -> None:
        super().__init__()
        self.wizard = wizard
        self.keymap = keymap
        self.step: Step = "template"
        self.state: states.WizardState | None = None
        """The questions with their answers, as last read."""
        self.preview: states.WizardPreview | None = None
        self._number = 0
        """Numbers the requests; a result of an earlier number is dropped."""
        self._reading = False
        self._busy = False
        """Whether a thread renders: only one may."""
        self._due = False
        """Whether the answers changed since the last request."""
        self._slow = False
        """Whether the template is slow."""
        self._onward = False
        """Whether to show the preview when the answers are read."""
        self._making = False
        self._trouble = ""
        self._named: dict[Elsewhere, str] = {}
        """The last answer in each dialog."""

    def compose(self) -> ComposeResult:
        yield Line(Content("skillstudio needs 60 × 16 characters"), id="too-small")
        yield Line(id="steps")
        with Vertical(id="step"):
            yield TemplateList(id="template-list")
            yield Questions(id="form")
            yield ScriptDetails(id="scripts")
            yield PreviewPane(id="preview")
        yield Sentences(id="status")
        yield KeyLine(self.keymap, OWN)

    # Steps.

    def on_mount(self) -> None:
        self._go("template")

    def on_unmount(self) -> None:
        self.wizard.close()

    @property
    def settled(self) -> bool:
        """Whether nothing is under way in the background."""
        return not (self._reading or self._busy or self._due or self._making)

    def _go(self, step: Step) -> None:
        self.step = step
        self._trouble, self._onward = "", False
        self.update_classes({f"-{each}": each == step for each in STEPS})
        if step == "template":
            self._number += 1
            self._reading = self._due = False
            self.run_worker(self._list, thread=True, group="new-list", exit_on_error=False)
            self.query_one(TemplateList).rows.focus()
        self._tell()

    async def action_run(self, id_: str) -> None:
        """Run a command of the wizard, or say why not. Earlier keys are handled first."""
        await typed_out(self)
        self._collect()
        if id_ == "app.quit":
            self.dismiss(WizardResult(quit=True))
        elif id_ == "help.show":
            self.run_worker(self._help(), group="new-help", exit_on_error=False)
        elif id_ == "new.back":
            self._back()
        elif off := why_not(id_, self.facts()):
            self._say(f"not now: {off}")
        elif id_ == "new.create":
            self.run_worker(self._create(), group="new-create", exit_on_error=False)
        elif self.step == "template":
            self.query_one(TemplateList).choose()
        else:
            self._wish_preview()

    def facts(self) -> frozenset[str]:
        """The facts that the wizard's commands need."""
        drawn = self.preview is not None and self.preview.draft is not None
        found = {
            "wizard": True,
            "next-step": self.step != "preview",
            "preview": self.step == "preview" and drawn and not self._making,
        }
        return frozenset(name for name, holds in found.items() if holds)

    def _back(self) -> None:
        if self._making:
            self._say("the skill is being made")
        elif self.step == "template":
            self.dismiss(WizardResult())
        elif self.step == "questions":
            self.wizard.interrupt()
            self._go("template")
        else:
            self._number += 1
            self.wizard.interrupt()
            self.preview = None
            self._go("questions")
            self.query_one(Questions).go_to(states.WHERE)
            self._look_soon()

    # The first step.

    def on_template_list_template_selected(self, event: TemplateList.TemplateSelected) -> None:
        event.stop()
        self._say("")

    def _list(self) -> None:
        self.post_message(TemplatesListed(list_offers()))

    def on_templates_listed(self, event: TemplatesListed) -> None:
        self.query_one(TemplateList).show(event.offers)

    async def on_template_list_template_chosen(self, event: TemplateList.TemplateChosen) -> None:
        event.stop()
        which = event.which
        if isinstance(which, str):
            self.run_worker(self._ask_where(which), group="ask", exit_on_error=False)
        elif which.template is None:
            self._say(f"{which.name} cannot be used: why stands above", bad=True)
        else:
            self._begin(partial(self.wizard.begin, which.template))

    async def _ask_where(self, which: Elsewhere) -> None:
        where = await _ask_where(self.app, which, self._named.get(which, ""))
        if where is not None:
            self._named[which] = where
            wizard = self.wizard
            begin = wizard.begin_with_scripts if which == "scripts" else wizard.begin
            self._begin(partial(begin, where))

    def _begin(self, read: Callable[[], states.LoadedTemplate]) -> None:
        self._number += 1
        self._reading, self._trouble = True, ""
        work = partial(self._read, self._number, read)
        self.run_worker(work, thread=True, group="new-read", exit_on_error=False)
        self._tell()

    def _read(self, number: int, read: Callable[[], states.LoadedTemplate]) -> None:
        begun = read()
        if not self.post_message(TemplateRead(number, begun)) and begun.interview is not None:
            begun.interview.close()

    async def on_template_read(self, event: TemplateRead) -> None:
        interview = event.begun.interview
        if event.number != self._number:
            if interview is not None:
                interview.close()
            return
        self._reading = False
        if interview is None:
            self._say(event.begun.trouble, bad=True)
            return
        self.wizard.take(interview)
        scripts = event.begun.scripts
        self.set_class(bool(scripts), "-scripts")
        self.query_one(ScriptDetails).show(scripts_content(scripts))
        self.state = self.preview = None
        await self.query_one(Questions).clear()
        self._go("questions")
        self._look_soon()

    # The second step.

    def on_entry_edited(self, event: EntryEdited) -> None:
        event.stop()
        self._collect()

    def _collect(self) -> None:
        """Read the fields; check the answers if they changed."""
        if self.step != "questions":
            return
        before = self.wizard.typed
        for editor in self.query_one(Questions).editors:
            self.wizard.answer(editor.field.name, editor.answer)
        if self.wizard.typed != before:
            self._onward = False
            self._trouble = ""
            self._look_soon()

    def on_field_list_completed(self, event: FieldList.Completed) -> None:
        event.stop()
        self._collect()
        self._wish_preview()

    def _look_soon(self) -> None:
        """Check the answers after the active check; only the last ones are checked."""
        self._number += 1
        self._due = True
        self._start()
        self.set_timer(SLOW, partial(self._say_slow, self._number))

    def _say_slow(self, number: int) -> None:
        """Say that the template is slow; a fast one would make the text flicker."""
        if number == self._number and (self._due or self._busy):
            self._slow = True
            self._tell()

    def _start(self) -> None:
        """Begin with what waits, where no thread renders."""
        if self._busy or not self._due:
            return
        self._due, self._busy = False, True
        work = partial(self._look, self._number, self.wizard.typed)
        self.run_worker(work, thread=True, group="new", exit_on_error=False)

    def _look(self, number: int, typed: states.WizardInput) -> None:
        self.post_message(QuestionsAsked(number, self.wizard.look(typed)))

    async def on_questions_asked(self, event: QuestionsAsked) -> None:
        self._busy = self._slow = False
        if event.number != self._number or self.step != "questions":
            self._start()
            return
        first = self.state is None
        self.state = event.state
        if first or not event.state.trouble:
            await self._show_fields(event.state)
        if first or self.focused is None:
            self.query_one(Questions).go_to(states.WHERE)
        self._start()
        if self._onward:
            self._wish_preview()
        self._tell()

    async def _show_fields(self, state: states.WizardState) -> None:
        shown_ = fields_of(state, self.wizard.place(state.destination))
        given = {states.WHERE: self.wizard.where, **self.wizard.given}
        await self.query_one(Questions).show(shown_, given)

    def _wish_preview(self) -> None:
        """Show the preview, or go to the first answer that does not allow it."""
        state = self.state
        if self._busy or self._due or state is None:
            self._onward = True
            self._tell()
            return
        self._onward = False
        if state.ready:
            self._go("preview")
            self._draw(state)
        elif not state.trouble:
            self.query_one(Questions).go_to(state.lacking[0])
            self._say(f"no preview yet; {summary(state)}", bad=True)

    # The third step.

    def _draw(self, state: states.WizardState) -> None:
        self._number += 1
        self._busy, self.preview = True, None
        pane = self.query_one(PreviewPane)
        pane.show(None)
        pane.files.focus()
        work = partial(self._draw_in_thread, self._number, state)
        self.run_worker(work, thread=True, group="new", exit_on_error=False)
        self._tell()

    def _draw_in_thread(self, number: int, state: states.WizardState) -> None:
        self.post_message(PreviewDrawn(number, self.wizard.draw(state)))

    def on_preview_drawn(self, event: PreviewDrawn) -> None:
        self._busy = False
        if event.number == self._number and self.step == "preview":
            self.preview = event.preview
            self.query_one(PreviewPane).show(event.preview.draft, event.preview.trouble)
        self._start()
        self._tell()

    async def _create(self) -> None:
        if (preview := self.preview) is None or preview.draft is None or self._making:
            return
        self._making, self._trouble = True, ""
        if preview.draft.errors and not await _ask_anyway(self.app, preview.draft):
            self._making = False
            self._tell()
            return
        work = partial(self._create_in_thread, preview)
        self.run_worker(work, thread=True, group="new-make", exit_on_error=False)
        self._tell()

    def _create_in_thread(self, preview: states.WizardPreview) -> None:
        self.post_message(SkillMade(preview, self.wizard.create(preview)))

    def on_skill_made(self, event: SkillMade) -> None:
        self._making = False
        if event.trouble:
            self._say(f"nothing was made: {event.trouble}", bad=True)
        else:
            self.dismiss(WizardResult(made=event.preview.state.destination))

    # Words.

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Report a fault in a worker; it ends nothing else."""
        event.stop()
        if event.state is WorkerState.ERROR:
            self._reading = self._making = False
            if event.worker.group == "new":
                self._busy = False
            self._say(f"the work stopped: {event.worker.error!r}", bad=True)

    async def _help(self) -> None:
        if chosen := await help_(self, OWN):
            await self.action_run(chosen)

    async def on_key_line_clicked(self, event: KeyLine.Clicked) -> None:
        await self.action_run(event.command_id)

    def _say(self, text: str, bad: bool = False) -> None:
        self._trouble = f"✗ {text}" if bad else text
        self._tell()

    def _tell(self) -> None:
        """Show the steps, the status and the keys."""
        if not self.is_attached:
            return
        template = self.wizard.template if self.step != "template" else None
        steps = status.steps_line(self.step, template.name if template is not None else "")
        self.query_one("#steps", Line).show(steps)
        self.query_one("#status", Sentences).say(self._status())
        self.query_one(KeyLine).show(self.facts())

    def _status(self) -> Content:
        if self._trouble:
            return status.of_trouble(self._trouble)
        if self._making or self._reading:
            return Content("making the skill…" if self._making else "reading…")
        if self.step == "template":
            return Content(f"enter or {self._key('new.next')} takes what is selected")
        if self.step == "questions":
            return status.of_questions(self.state, self._slow, self._onward, self._key("new.next"))
        place = self.wizard.place(self.preview.state.destination) if self.preview else ""
        return status.of_preview(self.preview, place, self._key("new.create"))

    def _key(self, id_: str) -> str:
        keys = self.keymap.keys[id_]
        return shown(keys[0]) if keys else "f1"


async def ask_for_skill(app: App[Any], wizard: Wizard, keymap: Keymap) -> WizardResult:
    """Show the wizard until a skill is made or the user backs out."""
    screen = with_keys(NewScreen, keymap, OWN.__contains__)(wizard, keymap)
    return await app.push_screen_wait(screen)


async def _ask_where(app: App[Any], which: Elsewhere, before: str) -> str | None:
    """The folder of scripts, or the folder or address of a template; None when the user backs out.

    `before` is what was said last.
    """
    if which == "scripts":
        asked = PromptDialog("The folder of the scripts; none of them is run", before, _no_folder)
    else:
        title = "The folder of a template, or the address of a git repository with one"
        asked = PromptDialog(title, before, lambda text: "" if text.strip() else "nothing is named")
    where = await app.push_screen_wait(asked)
    return None if where is None else where.strip()


def _no_folder(text: str) -> str:
    named = text.strip()
    there = os.path.isdir(os.path.expanduser(named))
    return "" if there else f"no folder is at {named}" if named else "nothing is named"


async def _ask_anyway(app: App[Any], draft: SkillDraft) -> bool:
    """Whether a skill is to be made though its check finds errors, which are shown."""
    options = [
        ConfirmOption("no", "n", "Go back to it"),
        ConfirmOption("yes", "y", "Make it anyway"),
    ]
    text = Content("\n").join(check_lines(draft))
    return await app.push_screen_wait(Confirm("The check finds errors", text, options)) == "yes"
