"""Explain a rule as a whole: what it requires, why, a bad and a good example."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content

from skillstudio.manifest.rulebook import Rule
from skillstudio.present.lines import count
from skillstudio.present.problems import ProblemHere
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.tui.screens.dialogs import TextDialog
from skillstudio.tui.widgets.details import Details
from skillstudio.tui.widgets.lines import KeyHint
from skillstudio.tui.words import SEVERITY, join, paragraphs, plain

_GROUNDS = {
    "✗": ("bold $text-error", "on $error 10%"),
    "✓": ("bold $text-success", "on $success 10%"),
}
_MOST_LINES = 12


class RuleDetails(Details):
    """The explanation of a rule."""

    HELP = "The rule: what it requires, why, its source, a bad and a good example. Arrows scroll."

    def __init__(self, text: Callable[[int], Content]) -> None:
        """`text` returns the explanation for a width in cells."""
        super().__init__()
        self._for_width = text
        self._width = 0

    def on_resize(self) -> None:
        width = self.scrollable_content_region.width
        if width != self._width:
            self._width = width
            self.show(self._for_width(width))


class ExplainScreen(TextDialog[str | None]):
    """Ends with `fix` or `export` if that is to be done, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2,ctrl+t", "fix", "Apply the fix", priority=True),
        Binding("enter,q,x", "back", "Back", priority=True),
        Binding("E", "export", "Export a copy"),
    ]

    def __init__(
        self,
        rule: Rule | None,
        diagnostic: Diagnostic | None = None,
        here: ProblemHere | None = None,
        at_targets: str = "",
        evidence: Sequence[str] = (),
    ) -> None:
        """`diagnostic` is the problem that the rule found, `here` where it is, `at_targets` what
        targets make of it, and `evidence` where it is stated that they refuse it."""
        severity = diagnostic.severity if diagnostic else rule.severity if rule else None
        sign, style = SEVERITY[severity or "error"]
        name = rule.id if rule else diagnostic.rule if diagnostic else ""
        self._rule = rule
        self._diagnostic = diagnostic
        self._here = here
        self._at_targets = at_targets
        self._evidence = evidence
        keys = []
        if diagnostic is not None and diagnostic.fixes:
            keys.append(KeyHint("f2", "apply the fix"))
        if evidence:
            keys.append(KeyHint("E", "export a copy"))
        super().__init__(join(plain(f"{sign} ", style), plain(name)), keys)

    def body(self) -> ComposeResult:
        yield RuleDetails(lambda width: Content("\n\n").join(list(self._parts(width))))

    def _parts(self, width: int) -> Iterator[Content]:
        diagnostic, rule = self._diagnostic, self._rule
        if diagnostic is not None:
            yield plain(diagnostic.message, "bold")
        if self._at_targets:
            yield join(plain("Targets  ", "bold"), plain(self._at_targets))
        if self._here is not None:
            yield self._problem(self._here, width)
        if rule is None:
            return
        yield join(paragraphs(rule.what.strip()), "\n", paragraphs(rule.why.strip()))
        is_of_target = diagnostic is not None and rule.id.startswith("target-")
        if not is_of_target:  # Whose example is about another key.
            bad = self._example("✗", rule.bad.strip("\n").split("\n"), width)
            good = self._example("✓", rule.good.strip("\n").split("\n"), width)
            yield join(bad, "\n", good)
        source = "\n".join(self._evidence) or rule.source.strip()
        yield join(plain("Source  ", "bold"), paragraphs(source).stylize("dim"))

    def _problem(self, here: ProblemHere, width: int) -> Content:
        """The lines of the problem, and what the fix makes of them."""
        parts = [
            join(plain("Here  ", "bold"), plain(here.place, "dim")),
            self._example("✗", here.before, width),
        ]
        if self._diagnostic is not None and self._diagnostic.fixes:
            title = plain(self._diagnostic.fixes[0].title)
            parts.append(join("\n", plain("Fix  ", "bold"), title))
        elif self._evidence:
            does = "export a copy, which leaves out or moves what the target refuses"
            parts.append(join("\n", plain("Fix  ", "bold"), does))
        if here.after:
            parts.append(self._example("✓", here.after, width))
        return Content("\n").join(parts)

    def _example(self, sign: str, lines: Sequence[str], width: int) -> Content:
        """Lines on the ground of what is wrong or right, with a sign before the first."""
        style, ground = _GROUNDS[sign]
        if self.app.native_ansi_color:
            ground = ""  # It would be as bright as the text.
        room = max(width - 2, 1)
        rows = [
            row for line in lines[:_MOST_LINES] for row in plain(line).wrap(room) or [Content("")]
        ]
        if len(lines) > _MOST_LINES:
            rows.append(plain(f"… {count(len(lines) - _MOST_LINES, 'more line')}", "dim"))
        leads = [plain(f"{sign} ", style), *[Content("  ")] * (len(rows) - 1)]
        return Content("\n").join(
            [
                join(lead, row.pad_right(room - row.cell_length).stylize_before(ground))
                for lead, row in zip(leads, rows, strict=True)
            ]
        )

    def action_export(self) -> None:
        if self._evidence:
            self.dismiss("export")

    def action_fix(self) -> None:
        if self._diagnostic is not None and self._diagnostic.fixes:
            self.dismiss("fix")
