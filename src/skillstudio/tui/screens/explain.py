"""Explain a rule as a whole: what it requires, why, a bad and a good example."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content

from skillstudio.manifest.rulebook import Rule
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.tui.dialog import Dialog
from skillstudio.tui.widgets.details import Details
from skillstudio.tui.words import SEVERITY, joined, paragraphs, plain


class RuleDetails(Details):
    """The explanation of a rule."""

    HELP = "The rule: what it requires, why, its source, a bad and a good example. Arrows scroll."


class ExplainScreen(Dialog[str | None]):
    """Ends with `fix` if the fix is to be applied, or None."""

    SIZE = "wide"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2,ctrl+t", "fix", "Apply the fix", priority=True),
        Binding("enter,q,x", "back", "Back", priority=True),
    ]

    def __init__(self, rule: Rule | None, diagnostic: Diagnostic | None = None) -> None:
        """`diagnostic` is the problem that the rule found."""
        severity = diagnostic.severity if diagnostic else rule.severity if rule else None
        glyph = SEVERITY[severity or "error"][0]
        name = rule.id if rule else diagnostic.rule if diagnostic else ""
        self._rule = rule
        self._diagnostic = diagnostic
        fix = "f2 apply the fix · " if diagnostic is not None and diagnostic.fixes else ""
        super().__init__(f"{glyph} {name}", f"{fix}arrows scroll · esc back")

    def body(self) -> ComposeResult:
        yield RuleDetails()

    def on_mount(self) -> None:
        details = self.query_one(RuleDetails)
        details.show(Content("\n\n").join(list(self._parts())))
        details.focus()

    def _parts(self) -> Iterator[Content]:
        diagnostic, rule = self._diagnostic, self._rule
        if diagnostic is not None:
            yield plain(diagnostic.message, "bold")
            for each in diagnostic.fixes:
                yield joined(Content.styled("Fix: ", "bold $text-success"), plain(each.title))
        if rule is None:
            return
        yield paragraphs(rule.what.strip())
        yield joined(Content.styled("Why: ", "bold"), paragraphs(rule.why.strip()))
        for name, style, text in (
            ("✗ Bad", "$text-error", rule.bad),
            ("✓ Good", "$text-success", rule.good),
        ):
            lines = Content("\n").join(
                [joined("  ", line) for line in paragraphs(text.strip("\n")).split("\n")]
            )
            yield joined(Content.styled(name, f"bold {style}"), "\n", lines)
        yield joined(Content.styled("Source: ", "bold"), paragraphs(rule.source.strip()))

    def action_fix(self) -> None:
        if self._diagnostic is not None and self._diagnostic.fixes:
            self.dismiss("fix")
