"""What a command of the workbench is, and why one cannot be run now."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, NamedTuple

Context = Literal["everywhere", "outside", "list", "editor", "run", "preview", "wizard"]
"""Where a key works: `everywhere`, also in a text field; `outside` of text fields; with a `list`,
the `editor` or something of the `run` or the `preview` view focused, whose widgets bind it
themselves; in the `wizard` for a new skill, and nothing but it, help and leaving work there."""


class Command(NamedTuple):
    """One thing that the user can do."""

    id: str
    title: str
    category: str
    help: str
    keys: tuple[str, ...] = ()
    """The defaults, the one to show first, in the spelling of keymap files."""
    context: Context = "everywhere"
    twin: str = ""
    """The command line that does the same; empty for what only moves about the screen."""
    needs: tuple[str, ...] = ()
    """Facts of `REASONS` without which it is disabled."""
    footer: int = 0
    """Its rank in the footer, 1 being the last to give way; 0 for never."""
    short: str = ""
    """What the footer calls it."""


REASONS = {
    "skills": "no folder of skills is open",
    "file": "no file is open",
    "writable": "the file is read-only",
    "dirty": "there is nothing unsaved",
    "unsaved": "nothing is unsaved",
    "undo": "there is nothing to undo",
    "redo": "there is nothing to redo",
    "problem": "there are no problems",
    "fix": "no problem here has a fix",
    "changed-on-disk": "the file has not changed on disk",
    "run": "the run view is not shown: 3 shows it",
    "idle": "a run is going on",
    "run-active": "no run is going on",
    "operations": "there is no other operation",
    "report": "nothing was run yet, and no earlier run is shown",
    "previewing": "the preview is not shown: 4 shows it",
    "shown": "nothing is selected",
    "search-text": "nothing is looked for yet",
    "bytes": "no file with bytes that can be read is selected",
    "pager-program": "$PAGER is not set, and there is no less",
    "run-shown": "no run is shown: t goes to what the last one changed",
    "applicable": "nothing of this run can be applied",
    "compare": "the comparison is not shown: 5 shows it",
    "change": "no change is selected",
    "waivable": "the selected change needs no waiver",
    "bump": "the version needs no bump",
    "new-is-open": "the new version is not the skill that is open",
    "wizard": "no new skill is being made: N begins one",
    "next-step": "after the preview nothing is left but to make the skill",
    "preview": "what would be made is not seen yet",
    "editor-program": "neither $VISUAL nor $EDITOR is set",
}
"""What a missing fact is called, in words that follow "not now:"."""


def why_disabled(command: Command, facts: Collection[str]) -> str:
    """Why a command cannot be run when only `facts` hold; empty when it can."""
    return next((REASONS[need] for need in command.needs if need not in facts), "")
