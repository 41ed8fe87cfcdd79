"""The inputs of an operation as a list of fields."""

from __future__ import annotations

from textual import events

from skillstudio.interface.model import ABSENT
from skillstudio.scaffold.new.template import MISSING
from skillstudio.session.running.drafts import Drafts, Exact
from skillstudio.session.running.running import Runner
from skillstudio.session.running.state import RunState
from skillstudio.tui.widgets.fields.list import FieldList

_TWO_COLUMNS = 84  # Cells from which the fields are in two columns.


class InputForm(FieldList):
    """The inputs and environment variables of an operation."""

    DEFAULT_CSS = """
    InputForm { width: 1fr; height: auto; min-width: 20; min-height: 1; }
    InputForm.-columns { layout: grid; grid-size: 2; grid-gutter: 0 2; grid-rows: auto; }
    """
    HELP = """The value is checked against the schema with every key, and the plan above it follows.
An empty field gives no value, which is not null; "" gives the empty text. A sensitive value is not
shown, not recorded with the run and in no sample; an empty one gives a dummy value. Space, left,
right or a click choose between choices, delete gives no value. Enter, up and down go from field to
field, tab from several lines, esc leaves the form, f5 runs."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._runner: Runner | None = None
        self._operation = ""
        self._known_drafts: Drafts = {}
        """The contents of the fields that the runner knows."""

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width >= _TWO_COLUMNS, "-columns")

    async def show_inputs(self, runner: Runner, run_state: RunState) -> None:
        """Show the fields of a plan, unless another operation was chosen since.

        Text typed here stays, unless the inputs were changed elsewhere, as in another form.
        """
        if run_state.selection.operation != runner.operation:
            return
        is_same = runner is self._runner and runner.operation == self._operation
        if not is_same or dict(runner.drafts) != self._known_drafts:
            await self.clear()
        self._runner, self._operation = runner, runner.operation
        self._known_drafts = dict(runner.drafts)
        answers = {
            key: draft.text if isinstance(draft, Exact) else draft
            for key, draft in self._known_drafts.items()
        }
        await self.show(run_state.fields, answers)

    def take(self) -> bool:
        """Pass the contents of the fields to the runner. Whether they changed."""
        runner = self._runner
        if runner is None or runner.operation != self._operation:
            return False
        for editor in self.editors:
            answer = editor.answer
            runner.answer(editor.field.name, ABSENT if answer is MISSING else answer)
        before, self._known_drafts = self._known_drafts, dict(runner.drafts)
        return self._known_drafts != before

    def go_to_first(self) -> None:
        """Focus the first field with a problem, else the first."""
        editors = self.editors
        faulty = [editor for editor in editors if editor.field.state.status in ("error", "missing")]
        for editor in (faulty or editors)[:1]:
            editor.entry.focus()
