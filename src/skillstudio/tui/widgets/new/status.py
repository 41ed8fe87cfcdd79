"""The state of the wizard in a line or two."""

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
    """The steps with the current one marked, and the chosen template."""
    names = [(each, str(number), each.capitalize()) for number, each in enumerate(STEPS, 1)]
    head = Content.styled(" New skill ", "bold")
    return joined(head, " ", tabs(names, step), "  ", plain(template, "$text-primary"))


def of_trouble(text: str) -> Content:
    """An error, which starts with ✗, or a warning."""
    return plain(text, "$text-error" if text.startswith("✗") else "$text-warning")


def of_questions(state: WizardState | None, slow: bool, onward: bool, key: str) -> Content:
    """`slow`: the answers are being checked; `onward`: the preview follows, as with `key`."""
    if state is not None and state.trouble and not slow:
        return plain(f"✗ the template cannot be used: {state.trouble}", "$text-error")
    if onward:
        return Content("checking the answers for the preview…")
    if state is None or slow:
        return Content.styled("checking the answers…", "dim")
    if lacking := summary(state):
        return plain(f"✗ {lacking}", "$text-error")
    return Content(f"✓ {key} shows the new files; nothing is written yet")


def of_preview(preview: WizardPreview | None, place: str, key: str) -> Content:
    """The check, and the folder that `key` creates."""
    if preview is None:
        return Content("rendering…")
    if preview.draft is None:
        return plain(f"✗ the skill cannot be created: {preview.trouble}", "$text-error")
    verdict, folder = verdict_of(preview.draft), plain(place, "bold")
    return joined(verdict, " · ", key, " creates ", folder, "; nothing is written yet")
