"""The first step: the templates, and everything about the one under the cursor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message

from skillstudio.scaffold.new.template import Question
from skillstudio.session.wizard import Offer
from skillstudio.text.safe import safe_text
from skillstudio.tui.widgets.details import Details
from skillstudio.tui.widgets.rows import Rows
from skillstudio.tui.words import joined, plain

_ORIGINS = {"package": "comes with skillstudio", "user": "your own"}
_MOST_TOLD = 4_000
"""Characters of a description that are shown."""
_ELSEWHERE = "another template …"


class TemplateRows(Rows):
    """One line for each template."""

    HELP = """The templates that a skill can begin with: those that come along and your own. ✗ marks
one that cannot be used, and says where in it the fault is. Enter takes the one under the cursor;
the last line asks for the folder of a template or the address of a git repository with one."""


class TemplateDetails(Details):
    """What a template makes and what it asks."""

    HELP = "What the template makes and what it asks. Arrows and j k scroll; tab goes to the list."


class TemplateList(Vertical):
    """The list above the details."""

    DEFAULT_CSS = """
    TemplateList { height: 1fr; min-width: 24; }
    TemplateList > TemplateRows { height: auto; min-height: 3; max-height: 60%; }
    TemplateList > TemplateDetails { margin-top: 1; }
    """

    @dataclass
    class Chosen(Message):
        """A template was chosen; None for one that lies elsewhere."""

        offer: Offer | None

    class Moved(Message):
        """Another template is under the cursor."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.offers: list[Offer] = []
        """The templates in their order."""

    def compose(self) -> ComposeResult:
        yield TemplateRows(id="templates", empty=Content("looking for templates…"))
        yield TemplateDetails()

    @property
    def rows(self) -> TemplateRows:
        return self.query_one(TemplateRows)

    def show(self, offers: Sequence[Offer]) -> None:
        """Show these templates, the cursor on the one it was on."""
        before = self._here()
        self.offers = list(offers)
        width = max((min(len(each.name), 24) for each in offers), default=0)
        names = [each.name for each in offers]
        at = names.index(before.name) if before is not None and before.name in names else None
        lines = [_line(each, width) for each in offers]
        lines.append(joined("… ", Content.styled(_ELSEWHERE, "bold")))
        self.rows.show(lines, at)
        self.refresh(layout=True)
        self._tell()

    def choose(self) -> None:
        """Choose the line under the cursor."""
        if self.rows.lines:
            self.post_message(self.Chosen(self._here()))

    def _here(self) -> Offer | None:
        at = self.rows.cursor
        return self.offers[at] if at < len(self.offers) else None

    def _tell(self) -> None:
        here = self._here()
        if here is not None:
            told = _told(here)
        elif self.offers:
            told = Content("A folder with a copier.yml, or the address of a git repository.")
        else:
            told = Content("There is no template here. A folder with a copier.yml is one, and so "
                           "is a git repository with one.")  # fmt: skip
        self.query_one(TemplateDetails).show(told)

    def on_rows_moved(self, event: Rows.Moved) -> None:
        event.stop()
        self._tell()
        self.post_message(self.Moved())

    def on_rows_chosen(self, event: Rows.Chosen) -> None:
        event.stop()
        self.choose()


def _line(offer: Offer, width: int) -> Content:
    if offer.template is None:
        name = plain(f"{offer.name:<{width}}", "bold")
        return joined(Content.styled("✗ ", "$text-error"), name, "  cannot be used")
    about = " ".join(offer.template.description.split())[:_MOST_TOLD]
    name = plain(f"{offer.name:<{width}}", "bold")
    return joined("  ", name, "  ", plain(about, "$foreground 80%"))


def _told(offer: Offer) -> Content:
    template = offer.template
    if template is None:
        why = Content.styled(safe_text(offer.fault), "$text-error")
        return joined("It cannot be used:\n", why)
    origin = _ORIGINS.get(template.origin, "")
    place = "" if template.origin == "package" else template.shown
    facts = ", ".join(each for each in (template.dialect or "", origin, place) if each)
    about = safe_text(template.description.strip()[:_MOST_TOLD], keep_newlines=True)
    parts = [plain(facts, "dim"), Content(about or "It says nothing about itself.")]
    if template.questions:
        parts.append(Content.styled("It asks:", "bold"))
        parts += [_question(each) for each in template.questions[:20]]
    if len(template.questions) > 20:
        parts.append(Content(f"and {len(template.questions) - 20} more"))
    return Content("\n").join(parts)


def _question(question: Question) -> Content:
    help_ = " ".join(question.help.split())[:200]
    return joined("  ", plain(question.name, "$text-primary"), "  ", plain(help_))
