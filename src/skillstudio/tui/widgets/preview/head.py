"""The single lines of the preview: what is looked at, how, what is known of it, the keys."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TypeVar

from textual.content import Content

from skillstudio.preview.view import FileView
from skillstudio.session.previewing.files import HOWS, How, PreviewFileRow
from skillstudio.session.previewing.previewing import SUBJECTS, PreviewState, Subject
from skillstudio.tui.widgets.compare.lines import KeyHint
from skillstudio.tui.words import joined, plain

Step = TypeVar("Step", bound=str)
_SUBJECTS = {"ahead": "Outputs", "run": "Changes", "card": "Card"}
_HOWS = {"preview": "Preview", "diff": "Diff", "raw": "Raw", "hex": "Hex"}
_KEYS = (
    ("preview.inputs", "inputs", "previewing"),
    ("preview.operation", "operation", "operations"),
    ("preview.start", "run", "previewing"),
    ("preview.run", "runs", "previewing"),
    ("preview.adopt", "adopt", "run-shown"),
    ("preview.apply", "apply", "applicable"),
    ("preview.find", "find", "shown"),
    ("preview.next", "next", "search-text"),
    ("preview.pager", "$PAGER", "shown"),
    ("preview.prompt", "prompt", "previewing"),
    ("preview.editor", "$EDITOR", "bytes"),
)
"""Commands, what they do in a word, and the fact without which they are dim."""
_ONLY: Mapping[str, Subject] = {
    "preview.inputs": "ahead",
    "preview.operation": "ahead",
    "preview.start": "ahead",
    "preview.run": "run",
    "preview.adopt": "run",
    "preview.apply": "run",
}
"""Commands that are told only while one thing is looked at."""


def after(steps: tuple[Step, ...], here: Step) -> Step:
    """What a key leads to that goes from one to the next, and from the last to the first."""
    return steps[(steps.index(here) + 1) % len(steps)]


def subjects_line(here: Subject, state: PreviewState | None) -> Content:
    """What can be looked at, the one that is marked, and what is known of all of it."""
    parts = [_tab(_SUBJECTS[each], each == here) for each in SUBJECTS]
    if state is not None and state.request.subject == here:
        told = [plain(state.counts), plain(state.title, "bold"), plain(state.about, "dim")]
        parts += [joined(" ", Content("  ").join([each for each in told if each.plain]))]
    return Content(" ").join(parts)


def hows_line(here: How) -> Content:
    """The ways of looking at a file."""
    return Content(" ").join([_tab(_HOWS[each], each == here) for each in HOWS])


def _tab(name: str, is_here: bool) -> Content:
    if is_here:
        return Content.styled(f"[{name}]", "bold $text-primary")
    return Content.styled(f" {name} ", "dim")


def about_line(row: PreviewFileRow | None, view: FileView | None) -> Content:
    """The whole path, how many lines there are, and what is to be known of the view."""
    if row is None:
        return Content("")
    parts = [plain(row.path, "bold")]
    if view is not None:
        more = "" if view.complete else "+"
        lines = f"{view.count:,}{more} line{'s' if more or view.count != 1 else ''}"
        parts += [plain(view.kind, "dim"), plain(lines, "dim")]
        parts += [plain(view.note, "$text-warning")] if view.note else []
    parts += [plain(row.declared, "dim")] if row.declared else []
    return Content("  ").join(parts)


def keys(
    key: Callable[[str], str], subject: Subject, how: How, facts: Collection[str]
) -> Iterator[KeyHint]:
    """What the keys do here; what cannot be done now is dim."""
    yield KeyHint(key("preview.subject"), _SUBJECTS[after(SUBJECTS, subject)].lower())
    yield KeyHint(key("preview.mode"), _HOWS[after(HOWS, how)].lower())
    for id_, word, need in _KEYS:
        if _ONLY.get(id_, subject) == subject:
            yield KeyHint(key(id_), word, need not in facts)
