"""The second step: the new folder and the questions, each with its state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from textual.containers import VerticalScroll
from textual.message import Message

from skillstudio.scaffold.new.template import MISSING
from skillstudio.session.wizard.fields import FieldView
from skillstudio.tui.widgets.new.entries import FieldLeft
from skillstudio.tui.widgets.new.field import QuestionField


class QuestionForm(VerticalScroll, can_focus=False):
    """The fields in their order; those whose condition does not hold are not there."""

    DEFAULT_CSS = """
    QuestionForm { height: 1fr; scrollbar-size-vertical: 1; scrollbar-gutter: stable; }
    """

    FIELD: ClassVar[type[QuestionField]] = QuestionField
    """What a field is made of."""

    class FormCompleted(Message):
        """The user is through with the last field."""

    @property
    def fields(self) -> list[QuestionField]:
        """The fields from the top."""
        return list(self.query(QuestionField))

    async def clear(self) -> None:
        """Let go of all fields: the questions of another template come."""
        await self.query(QuestionField).remove()

    async def show(self, shown: Sequence[FieldView], given: Mapping[str, Any]) -> None:
        """Show these fields; one that is there already keeps what was typed, and the focus."""
        there = {field.question: field for field in self.fields}
        wanted = {each.name for each in shown}
        gone = [field for name, field in there.items() if name not in wanted]
        if any(field.has_focus_within for field in gone):
            self.screen.set_focus(None)
        for each_gone in gone:
            await each_gone.remove()
        above: QuestionField | None = None
        fresh: list[QuestionField] = []
        for each in shown:
            known = there.get(each.name)
            if known is not None:
                await self._mount(fresh, above)
                fresh, above = [], known
                await known.show(each, given.get(each.name, MISSING))
            else:
                fresh.append(self.FIELD(each, given.get(each.name, MISSING)))
        await self._mount(fresh, above)

    async def _mount(self, fields: list[QuestionField], above: QuestionField | None) -> None:
        if not fields:
            return
        if above is not None:
            await self.mount_all(fields, after=above)
        else:
            await self.mount_all(fields, before=0 if self.fields else None)

    def go_to(self, question: str) -> None:
        """Focus the field of a question."""
        for field in self.fields:
            if field.question == question:
                field.entry.focus()

    def on_field_left(self, event: FieldLeft) -> None:
        event.stop()
        entries = [field.entry for field in self.fields]
        here = next((i for i, each in enumerate(entries) if each.has_focus), 0) + event.step
        if here == len(entries) and event.answered:
            self.post_message(self.FormCompleted())
        elif 0 <= here < len(entries):
            entries[here].focus()
