"""The summaries of the scripts, beside the remaining questions."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from skillstudio.session.wizard.state import OperationSummary, ScriptSummary
from skillstudio.tui.widgets.details import Details
from skillstudio.tui.words import joined, plain


class ScriptDetails(Details):
    """Each script with its operations."""

    HELP = """The analysis of each script, of which none was run: the language, the effects, the
drafted operations with their inputs, and the gaps. Arrows and j k scroll; tab goes to the
fields."""


def scripts_content(scripts: Sequence[ScriptSummary]) -> Content:
    """Return the summaries of the scripts."""
    programs = sum(bool(each.language) for each in scripts)
    operations = len({one.name for each in scripts for one in each.operations})
    head = f"{_count(programs, 'script')} read, none run: {_count(operations, 'operation')}"
    lines = [Content.styled(head, "bold")]
    for each in scripts:
        facts = ", ".join((each.language, *each.effects)) if each.language else ""
        lines.append(joined(plain(each.path, "$text-primary"), "  ", plain(facts, "dim")))
        lines += [_operation(one) for one in each.operations]
        lines += [joined("  ", plain(f"· {note}", "$text-warning")) for note in each.notes]
    return Content("\n").join(lines)


def _operation(operation: OperationSummary) -> Content:
    inputs = plain(", ".join(operation.inputs) or "no input", "$foreground 80%")
    name = plain(operation.name, "bold")
    return joined("  ", name, "  ", inputs, "  ", plain(operation.about, "dim"))


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
