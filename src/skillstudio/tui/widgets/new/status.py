"""How the wizard stands, in a line or two: always a sign and words."""

from __future__ import annotations

from typing import Literal

from textual.content import Content

from skillstudio.session.wizard.fields import summary
from skillstudio.session.wizard.state import WizardPreview, WizardState
from skillstudio.tui.widgets.lines import tabs
from skillstudio.tui.widgets.new.preview import verdict_of
from skillstudio.tui.words import joined, plain

Step = Literal["template", "questions", "preview"]
STEPS: tuple[Step, ...] = ("template", "questions", "preview")


def steps_line(step: Step, template: str) -> Content:
    """The steps with the one that is shown, and the template that was taken."""
    names: list[tuple[str, str, str]] = [
        (each, str(number), each.capitalize()) for number, each in enumerate(STEPS, 1)
    ]
    head = Content.styled(" New skill ", "bold")
    return joined(head, " ", tabs(names, step), "  ", plain(template, "$text-primary"))


def of_trouble(told: str) -> Content:
    """What went wrong, or what is to be known."""
    return plain(told, "$text-error" if told.startswith("✗") else "$text-warning")


def of_questions(state: WizardState | None, slow: bool, onward: bool, key: str) -> Content:
    """`slow`: the answers are being looked at; `onward`: the preview comes next, as by `key`."""
    if state is not None and state.trouble and not slow:
        return plain(f"✗ the template cannot be used: {state.trouble}", "$text-error")
    if onward:
        return Content("looking at the answers, then comes the preview…")
    if state is None or slow:
        return Content.styled("looking at the answers…", "dim")
    if lacking := summary(state):
        return plain(f"✗ {lacking}", "$text-error")
    return Content(f"✓ {key} shows what would be made; nothing is written")


def of_preview(preview: WizardPreview | None, place: str, key: str) -> Content:
    """What the check says, and what `key` makes at a place."""
    if preview is None:
        return Content("rendering…")
    if preview.draft is None:
        return plain(f"✗ nothing can be made: {preview.trouble}", "$text-error")
    made = plain(place, "bold")
    verdict = verdict_of(preview.draft)
    return joined(verdict, " · ", key, " makes ", made, "; nothing is written yet")
