"""Safe text for the screen, never parsed as markup."""

from __future__ import annotations

from textual.content import Content
from textual.widget import Widget

from skillstudio.present.lines import count
from skillstudio.present.problems import SIGNS
from skillstudio.text.safe import safe_text

SEVERITY = {
    "error": (SIGNS["error"], "$text-error"),
    "warning": (SIGNS["warning"], "$text-warning"),
    "info": (SIGNS["info"], "$text-primary"),
}
"""Sign and colour of each severity."""
COMMAND_META = "command"
"""The metadata of a cell that names the command which a click there runs."""
_EXCERPT = 32  # Characters of a copied text that are repeated.


def plain(text: str, style: str = "") -> Content:
    """A text from any source on one line."""
    safe = safe_text(text)
    return Content.styled(safe, style) if style else Content(safe)


def paragraphs(text: str) -> Content:
    """A text from any source with its line breaks."""
    return Content(safe_text(text, keep_newlines=True))


def join(*parts: Content | str) -> Content:
    """Pieces in a row; a `str` must be a literal of ours."""
    return Content("").join([Content(part) if isinstance(part, str) else part for part in parts])


def to_clipboard(widget: Widget, text: str, name: str = "") -> None:
    """Send a text to the terminal's clipboard by OSC 52, and say what was sent: its `name`, else
    its start and length."""
    widget.app.copy_to_clipboard(text)
    if not name:
        start = safe_text(text.strip())
        excerpt = start if len(start) <= _EXCERPT else f"{start[: _EXCERPT - 1]}…"
        name = f"“{excerpt}”, {count(len(text), 'character')},"
    say(widget, f"sent {name} to the terminal's clipboard (OSC 52)")


def say(widget: Widget, text: str, bad: bool = False) -> None:
    """Show a short notice."""
    widget.notify(
        safe_text(text),
        severity="error" if bad else "information",
        markup=False,
        timeout=8 if bad else 3,
    )
