"""What was read from each script, beside the questions that scripts leave open."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from skillstudio.session.wizard.state import OperationSummary, ScriptSummary
from skillstudio.tui.widgets.details import Details
from skillstudio.tui.words import joined, plain


class ScriptDetails(Details):
    """Each script with its operations."""

    HELP = """What was read from each script, of which none was run: its language, what it seems to
do, the operations that are drafted with their inputs, and what is in none of them. Arrows and j k
scroll; tab goes to the fields."""


def scripts_content(scripts: Sequence[ScriptSummary]) -> Content:
    """The scripts in lines."""
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
