"""The first step of the wizard: the templates, and details of the selected one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message

from skillstudio.scaffold.new.template import Question
from skillstudio.session.wizard.wizard import TemplateChoice
from skillstudio.text.safe import safe_text
from skillstudio.tui.widgets.details import Details
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import join, plain

_ORIGINS = {"package": "comes with skillstudio", "user": "your own"}
_MOST_SHOWN = 4_000  # The most characters of a description.
_SCRIPTS = "from a folder of scripts …"
_ELSEWHERE = "another template …"
Elsewhere = Literal["scripts", "elsewhere"]
"""The first and the last line, which ask for a path in a dialog."""
Which = TemplateChoice | Elsewhere  # A line of the list.
_ABOUT: dict[Elsewhere, str] = {
    "scripts": "Operations, inputs, entrypoints and effects are drafted from the declarations in "
    "the scripts: argparse, click, getopts, param(). No script is run. Missing descriptions become "
    "TODO, which the check reports.",
    "elsewhere": "A folder with a copier.yml, or the address of a git repository with one.",
}


class TemplateRows(Rows):
    """One line for each template."""

    HELP = """The templates for a new skill. The first line drafts a skill from a folder of scripts,
followed by the templates of skillstudio and your own. ✗ marks one that cannot be used; its details
have the error. Enter chooses the selected one; the last line asks for the folder of a template or
the address of a git repository with one."""


class TemplateDetails(Details):
    """The description and questions of a template."""

    HELP = "The template and its questions. Arrows and j k scroll; tab goes to the list."


class TemplateList(Vertical):
    """The list above the details."""

    DEFAULT_CSS = """
    TemplateList { height: 1fr; min-width: 24; }
    TemplateList > TemplateRows { height: auto; min-height: 3; max-height: 60%; }
    TemplateList > TemplateDetails { margin-top: 1; }
    """

    @dataclass
    class TemplateChosen(Message):
        """A line was chosen."""

        which: Which

    class TemplateSelected(Message):
        """Another template is selected."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.offers: list[TemplateChoice] = []
        """The templates in their order."""

    def compose(self) -> ComposeResult:
        yield TemplateRows(id="templates", empty=Content("looking for templates…"))
        yield TemplateDetails()

    @property
    def rows(self) -> TemplateRows:
        return self.query_one(TemplateRows)

    def show(self, offers: Sequence[TemplateChoice]) -> None:
        """Show these templates; the selected line stays, at first that of a template."""
        before = self._here() if self.rows.lines else next(iter(offers), "scripts")
        self.offers = list(offers)
        width = max((min(len(offer.name), 24) for offer in offers), default=0)
        lines = [
            join("  ", Content.styled(_SCRIPTS, "bold")),
            *(_line(offer, width) for offer in offers),
            join("  ", Content.styled(_ELSEWHERE, "bold")),
        ]
        self.rows.show(lines, self.row_of(before if isinstance(before, str) else before.name))
        self.refresh(layout=True)
        self._update_view()

    def row_of(self, name: str) -> int:
        """The line of a template, `scripts` or `elsewhere`; 0 if there is none."""
        names = ["scripts", *(offer.name for offer in self.offers), "elsewhere"]
        return names.index(name) if name in names else 0

    def choose(self) -> None:
        """Choose the selected line."""
        if self.rows.lines:
            self.post_message(self.TemplateChosen(self._here()))

    def _here(self) -> Which:
        at = self.rows.cursor - 1
        if at < 0:
            return "scripts"
        return self.offers[at] if at < len(self.offers) else "elsewhere"

    def _update_view(self) -> None:
        here = self._here()
        if isinstance(here, TemplateChoice):
            details = _template_content(here)
        else:
            details = Content(_ABOUT[here])
            if not self.offers:
                details = join("There is no template here. ", details)
        self.query_one(TemplateDetails).show(details)

    def on_rows_selection_moved(self, event: Rows.SelectionMoved) -> None:
        event.stop()
        self._update_view()
        self.post_message(self.TemplateSelected())

    def on_rows_row_activated(self, event: Rows.RowActivated) -> None:
        event.stop()
        self.choose()


def _line(offer: TemplateChoice, width: int) -> Content:
    name = plain(f"{offer.name:<{width}}", "bold")
    if offer.template is None:
        return join(Content.styled("✗ ", "$text-error"), name, "  cannot be used")
    about = " ".join(offer.template.description.split())[:_MOST_SHOWN]
    return join("  ", name, "  ", plain(about, "$foreground 80%"))


def _template_content(offer: TemplateChoice) -> Content:
    template = offer.template
    if template is None:
        return join("It cannot be used:\n", plain(offer.fault, "$text-error"))
    origin = _ORIGINS.get(template.origin, "")
    place = "" if template.origin == "package" else template.location
    facts = ", ".join(fact for fact in (template.dialect or "", origin, place) if fact)
    about = safe_text(template.description.strip()[:_MOST_SHOWN], keep_newlines=True)
    parts = [plain(facts, "dim"), Content(about or "It has no description.")]
    if template.questions:
        parts.append(Content.styled("It asks:", "bold"))
        parts += [_question(question) for question in template.questions[:20]]
    if len(template.questions) > 20:
        parts.append(Content(f"and {len(template.questions) - 20} more"))
    return Content("\n").join(parts)


def _question(question: Question) -> Content:
    help_ = " ".join(question.help.split())[:200]
    return join("  ", plain(question.name, "$text-primary"), "  ", plain(help_))
