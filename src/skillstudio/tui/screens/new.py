"""The wizard that creates a skill: choose a template or scripts, answer questions, preview.

Reading, rendering, checking and writing happen in threads. Only the last of several answers typed
meanwhile are checked. On a wide screen the preview is also beside the questions and follows them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.worker import Worker, WorkerState

from skillstudio.present.lines import count
from skillstudio.session.commands.commands import COMMANDS, KEY_LINES
from skillstudio.session.commands.keymap import Keymap, format_key
from skillstudio.session.wizard import state as states
from skillstudio.session.wizard.fields import fields_of, summary
from skillstudio.session.wizard.wizard import Wizard, list_offers
from skillstudio.tui.bindings import typed_out, why_not, with_keys
from skillstudio.tui.dialog import SingleAnswerScreen
from skillstudio.tui.screens.chooser import help_
from skillstudio.tui.screens.dialogs import PromptDialog, anyway, nonempty
from skillstudio.tui.widgets.details import Details
from skillstudio.tui.widgets.fields.entries import EntryEdited
from skillstudio.tui.widgets.fields.list import FieldList
from skillstudio.tui.widgets.latest import Latest
from skillstudio.tui.widgets.lines import KeyLine, Line, Sentences, key_hints
from skillstudio.tui.widgets.new.preview import PreviewPane, check_lines, verdict_of
from skillstudio.tui.widgets.new.templates import Elsewhere, TemplateList
from skillstudio.tui.widgets.pane import Pane, Tab, TabBar
from skillstudio.tui.words import join, plain

if TYPE_CHECKING:
    from textual.app import App

Done = TypeVar("Done")
Step = Literal["template", "questions", "preview"]
STEPS: tuple[Step, ...] = ("template", "questions", "preview")
SLOW = 0.3  # Seconds until the status says that the template is slow.
BESIDE = 140  # Columns from which the preview is beside the questions.
WIZARD_COMMANDS = tuple(
    command
    for command in COMMANDS
    if command.context == "wizard" or command.id in ("help.show", "app.quit")
)
"""The commands that the wizard binds."""


class WizardResult(NamedTuple):
    """How the wizard ended."""

    path: str = ""  # The absolute path of the new skill, "" if none was created.
    quit: bool = False


class Questions(FieldList):
    """The new folder and the questions of the template."""

    HAS_HELP = True
    REPLACES = True
    HELP = """The answer is checked while you type; problems are shown below it. Enter goes to the
next field, from the last one to the preview; up and down move between fields, tab and shift+tab in
several lines and in a list of choices. Space switches between yes and no, and adds or removes one
of several choices; delete brings the default of yes or no back. Esc goes back a step and keeps
every answer."""


class ScriptDetails(Details):
    """Each script with its operations, beside the remaining questions."""

    HELP = """The analysis of each script, of which none was run: the language, the effects, the
drafted operations with their inputs, and the gaps. Arrows and j k scroll; tab goes to the
fields."""

    def show_scripts(self, scripts: Sequence[states.ScriptSummary]) -> None:
        """Show the summaries of other scripts."""
        programs = sum(bool(script.language) for script in scripts)
        operations = len({operation.name for script in scripts for operation in script.operations})
        head = f"{count(programs, 'script')} read, none run: {count(operations, 'operation')}"
        lines = [Content.styled(head, "bold")]
        for script in scripts:
            facts = ", ".join((script.language, *script.effects)) if script.language else ""
            lines.append(join(plain(script.path, "$text-primary"), "  ", plain(facts, "dim")))
            for operation in script.operations:
                inputs = plain(", ".join(operation.inputs) or "no input", "$foreground 80%")
                name = plain(operation.name, "bold")
                lines.append(join("  ", name, "  ", inputs, "  ", plain(operation.about, "dim")))
            lines += [join("  ", plain(f"· {note}", "$text-warning")) for note in script.notes]
        self.show(Content("\n").join(lines))


class NewScreen(SingleAnswerScreen[WizardResult]):
    """Ends with the new skill, if one was created."""

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
        self._reads = 0
        """Numbers the templates; a result of an earlier number is dropped."""
        self._is_reading = False
        self._renderer = Latest(self, "new", self._prepare, self._show_result, self._show_failure)
        """Checks the answers or draws the preview; only one thread may render."""
        self._is_drawing = False
        """Whether the preview beside the questions is drawn."""
        self._slow = False
        self._onward = False
        """Whether to show the preview when the answers are read."""
        self._is_creating = False
        self._trouble = ""
        self._last_places: dict[Elsewhere, str] = {}

    def compose(self) -> ComposeResult:
        yield Line(Content("skillstudio needs 60 × 16 characters"), id="too-small")
        with Pane("new"):
            go = partial(self.call_later, self._go_to_step)
            yield TabBar(go, id="steps", classes="-underlined")
            with Horizontal(id="step"):
                yield TemplateList(id="template-list")
                with Vertical(id="answers"):
                    yield Questions(id="form")
                    yield ScriptDetails(id="scripts")
                yield PreviewPane(id="preview")
        yield Sentences(id="status")
        yield KeyLine()

    # Steps.

    def on_mount(self) -> None:
        self._go("template")

    def on_resize(self, event: events.Resize) -> None:
        is_beside = event.size.width >= BESIDE
        if is_beside == self.has_class("-beside"):
            return
        self.set_class(is_beside, "-beside")
        if self.step == "questions":
            if not is_beside and self.query_one(PreviewPane).has_focus_within:
                self.query_one(Questions).go_to(states.WHERE)
            self._draw_beside()

    def on_unmount(self) -> None:
        self.wizard.close()

    @property
    def is_settled(self) -> bool:
        """Whether nothing is under way in the background."""
        return self._renderer.is_settled and not (self._is_reading or self._is_creating)

    def _go(self, step: Step) -> None:
        self.step = step
        self._trouble, self._onward = "", False
        self.update_classes({f"-{other}": other == step for other in STEPS})
        if step == "template":
            self._reads += 1
            self._is_reading = False
            self._renderer.ask()
            self._in_thread("new-list", list_offers, self.query_one(TemplateList).show)
            self.query_one(TemplateList).rows.focus()
        self._update_view()

    async def _go_to_step(self, step: str) -> None:
        """Go back to a step, or on by one."""
        steps: tuple[str, ...] = STEPS
        by = steps.index(step) - steps.index(self.step)
        for _ in range(-by):
            await self.action_run("new.back")
        if by > 0:
            await self.action_run("new.next")

    def _in_thread(
        self, group: str, work: Callable[[], Done], then: Callable[[Done], object]
    ) -> None:
        """Do some work in a thread; handle its result among the messages of the screen."""

        def run() -> None:
            self.call_later(then, work())

        self.run_worker(run, thread=True, group=group, exit_on_error=False)

    async def action_run(self, id_: str, _key: str = "") -> None:
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
            self._request_preview()

    def facts(self) -> frozenset[str]:
        has_draft = self.preview is not None and self.preview.draft is not None
        conditions = {
            "wizard": True,
            "next-step": self.step != "preview",
            "preview": self.step == "preview" and has_draft and not self._is_creating,
        }
        return frozenset(name for name, holds in conditions.items() if holds)

    def _back(self) -> None:
        if self._is_creating:
            self._say("the skill is being created")
        elif self.step == "template":
            self.dismiss(WizardResult())
        elif self.step == "questions":
            self.wizard.interrupt()
            self._go("template")
        else:
            self.wizard.interrupt()
            self.preview = None
            self._go("questions")
            self.query_one(Questions).go_to(states.WHERE)
            self._check_soon()

    # The first step.

    def on_template_list_template_selected(self, event: TemplateList.TemplateSelected) -> None:
        event.stop()
        self._say("")

    async def on_template_list_template_chosen(self, event: TemplateList.TemplateChosen) -> None:
        event.stop()
        which = event.which
        if isinstance(which, str):
            self.run_worker(self._ask_where(which), group="ask", exit_on_error=False)
        elif which.template is None:
            self._say(f"{which.name} cannot be used; see above", bad=True)
        else:
            self._begin(partial(self.wizard.begin, which.template))

    async def _ask_where(self, which: Elsewhere) -> None:
        """Ask for the folder of scripts, or the folder or URL of a template, and read it."""
        before = self._last_places.get(which, "")
        begin: Callable[[str], states.LoadedTemplate] = self.wizard.begin
        if which == "scripts":
            dialog = PromptDialog("The folder of the scripts; they are not run", before, _no_folder)
            begin = self.wizard.begin_with_scripts
        else:
            title = "The folder of a template, or the URL of a git repository with one"
            dialog = PromptDialog(title, before, nonempty("enter a folder or a URL"))
        where = await self.app.push_screen_wait(dialog)
        if where is not None:
            self._last_places[which] = where.strip()
            self._begin(partial(begin, where.strip()))

    def _begin(self, read: Callable[[], states.LoadedTemplate]) -> None:
        self._reads += 1
        self._is_reading, self._trouble = True, ""
        work = partial(self._read, self._reads, read)
        self.run_worker(work, thread=True, group="new-read", exit_on_error=False)
        self._update_view()

    def _read(self, number: int, read: Callable[[], states.LoadedTemplate]) -> None:
        template = read()
        if not self.call_later(self._take, number, template) and template.interview is not None:
            template.interview.close()

    async def _take(self, number: int, template: states.LoadedTemplate) -> None:
        interview = template.interview
        if number != self._reads:
            if interview is not None:
                interview.close()
            return
        self._is_reading = False
        if interview is None:
            self._say(template.trouble, bad=True)
            return
        self.wizard.take(interview)
        self.set_class(bool(template.scripts), "-scripts")
        self.query_one(ScriptDetails).show_scripts(template.scripts)
        self.state = self.preview = None
        self.query_one(PreviewPane).show(None)
        await self.query_one(Questions).clear()
        self._go("questions")
        self._check_soon()

    # The second step.

    def on_entry_edited(self, event: EntryEdited) -> None:
        event.stop()
        self._collect()

    def _collect(self) -> None:
        if self.step != "questions":
            return
        before = self.wizard.content
        for editor in self.query_one(Questions).editors:
            self.wizard.answer(editor.field.name, editor.answer)
        if self.wizard.content != before:
            self._onward = False
            self._trouble = ""
            self._check_soon()

    def on_field_list_completed(self, event: FieldList.Completed) -> None:
        event.stop()
        self._collect()
        self._request_preview()

    def _check_soon(self) -> None:
        """Check the answers after the active check; only the last ones are checked."""
        self._renderer.ask()
        self.set_timer(SLOW, partial(self._say_slow, self._renderer.still_wanted()))

    def _say_slow(self, is_wanted: Callable[[], bool]) -> None:
        """Say that the template is slow; a fast one would make the text flicker.

        Answers do not wait longer for an old preview beside them.
        """
        if is_wanted() and not self._renderer.is_settled:
            if self._is_drawing:
                self.wizard.interrupt()
            self._slow = True
            self._update_view()

    def _prepare(self) -> Callable[[], states.WizardState | states.WizardPreview] | None:
        self._is_drawing = False
        if self.step == "questions":
            return partial(self.wizard.look, self.wizard.content)
        if self.step == "preview" and self.state is not None:
            return partial(self.wizard.draw, self.state)
        return None

    async def _show_result(self, result: states.WizardState | states.WizardPreview) -> None:
        self._slow = self._is_drawing = False
        if isinstance(result, states.WizardPreview):
            self.preview = result
            self.query_one(PreviewPane).show(result.draft, result.trouble)
        else:
            await self._show_questions(result)
        self._update_view()

    def _show_failure(self) -> None:
        self._say(self._renderer.failure, bad=True)

    async def _show_questions(self, state: states.WizardState) -> None:
        first = self.state is None
        self.state = state
        if first or not state.trouble:
            fields = fields_of(state, self.wizard.place(state.destination))
            answers = {states.WHERE: self.wizard.where, **self.wizard.answers}
            await self.query_one(Questions).show(fields, answers)
        if first or self.focused is None:
            self.query_one(Questions).go_to(states.WHERE)
        if self._onward:
            self._request_preview()
        self._draw_beside()

    def _draw_beside(self) -> None:
        """Draw the preview beside the questions, or keep the last one until they allow another."""
        state = self.state
        if self.step != "questions" or not self.has_class("-beside") or state is None:
            return
        if state.ready:
            self._is_drawing = True
            self._renderer.extend(partial(self.wizard.draw, state))
        else:
            needs = summary(state) or "the template cannot be used"
            self.query_one(PreviewPane).keep(f"no preview yet; {needs}")

    def _request_preview(self) -> None:
        """Show the preview, or go to the first answer that does not allow it."""
        state = self.state
        if not self._renderer.is_settled or state is None:
            self._onward = True
            self._update_view()
            return
        self._onward = False
        if state.ready:
            self._draw()
        elif not state.trouble:
            self.query_one(Questions).go_to(state.problem_fields[0])
            self._say(f"no preview yet; {summary(state)}", bad=True)

    # The third step.

    def _draw(self) -> None:
        self._go("preview")
        pane = self.query_one(PreviewPane)
        if self.preview is None or self.preview.state is not self.state:
            pane.show(None)
        self.preview = None
        pane.files.focus()
        self._renderer.ask()
        self._update_view()

    async def _create(self) -> None:
        if (preview := self.preview) is None or preview.draft is None or self._is_creating:
            return
        self._is_creating, self._trouble = True, ""
        errors = Content("\n").join(check_lines(preview.draft))
        dialog = anyway("The new skill has errors", errors, "Create it anyway")
        if preview.draft.errors and await self.app.push_screen_wait(dialog) != "yes":
            self._is_creating = False
        else:
            create = partial(self.wizard.create, preview)
            self._in_thread("new-make", create, partial(self._finish_creation, preview))
        self._update_view()

    def _finish_creation(self, preview: states.WizardPreview, trouble: str) -> None:
        self._is_creating = False
        if trouble:
            self._say(f"nothing was created: {trouble}", bad=True)
        else:
            self.dismiss(WizardResult(path=preview.state.destination))

    # Showing.

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Report a fault in a worker; it ends nothing else."""
        event.stop()
        if event.state is WorkerState.ERROR:
            self._is_reading = self._is_creating = False
            self._say(f"{event.worker.group} stopped: {event.worker.error!r}", bad=True)

    async def _help(self) -> None:
        if command_id := await help_(self, WIZARD_COMMANDS):
            await self.action_run(command_id)

    async def on_key_line_clicked(self, event: KeyLine.Clicked) -> None:
        await self.action_run(event.command_id)

    def _say(self, text: str, bad: bool = False) -> None:
        self._trouble = f"✗ {text}" if bad else text
        self._update_view()

    def _update_view(self) -> None:
        if not self.is_attached:
            return
        template = self.wizard.template if self.step != "template" else None
        name = plain(f" · {template.name}" if template is not None else "", "$foreground 75%")
        steps = [Tab(step, str(number), step.capitalize()) for number, step in enumerate(STEPS, 1)]
        self.query_one("#new", Pane).label(join("New skill", name))
        # The numbers of the steps are no keys.
        self.query_one("#steps", TabBar).show_tabs(steps, self.step, is_typing=True)
        self.query_one("#status", Sentences).show(self._status())
        hints = key_hints(KEY_LINES["wizard"], self.keymap, self.facts())
        ends = key_hints(("help.show",), self.keymap, self.facts())
        self.query_one(KeyLine).show(hints, ends)

    def _status(self) -> Content:
        if self._trouble:
            is_error = self._trouble.startswith("✗")
            return plain(self._trouble, "$text-error" if is_error else "$text-warning")
        if self._is_creating or self._is_reading:
            return Content("creating the skill…" if self._is_creating else "reading…")
        if self.step == "template":
            return Content("enter uses the selected template")
        if self.step == "questions":
            return self._answers_status()
        if self.preview is None:
            return Content("rendering…")
        if self.preview.draft is None:
            return plain(f"✗ the skill cannot be created: {self.preview.trouble}", "$text-error")
        place = plain(self.wizard.place(self.preview.state.destination), "bold")
        verdict = verdict_of(self.preview.draft)
        return join(verdict, " · creates ", place, "; nothing is written yet")

    def _answers_status(self) -> Content:
        state = self.state
        if state is not None and state.trouble and not self._slow:
            return plain(f"✗ the template cannot be used: {state.trouble}", "$text-error")
        if self._onward:
            return Content("checking the answers for the preview…")
        if state is None or self._slow:
            return Content.styled("checking the answers…", "dim")
        if summary_text := summary(state):
            return plain(f"✗ {summary_text}", "$text-error")
        return Content("✓ ready for the preview; nothing is written yet")

    def _key(self, id_: str) -> str:
        keys = self.keymap.keys[id_]
        return format_key(keys[0]) if keys else "f1"


async def ask_for_skill(app: App[Any], wizard: Wizard, keymap: Keymap) -> WizardResult:
    """Show the wizard until it creates a skill or the user leaves it."""
    return await app.push_screen_wait(with_keys(NewScreen, keymap, WIZARD_COMMANDS)(wizard, keymap))


def _no_folder(text: str) -> str:
    path = text.strip()
    if os.path.isdir(os.path.expanduser(path)):
        return ""
    return f"{path} is not a folder" if path else "enter a folder"
