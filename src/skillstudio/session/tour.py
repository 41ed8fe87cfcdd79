"""The tour: five steps on a copy of an example, each with the key or state that it waits for.

The steps are data. `advance_tour` and `tour_step` compute the step from the facts about the screen,
which `TOUR_FACTS` lists, and from the steps that were done before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

TOUR_EXAMPLE = "worklog"
TOUR_MANIFEST = "SKILL.md"
_WORD = "worklogs"  # The word of the description after which the user types.
STEPS = 5
COLON = ":"
"""The text in braces that is typed, where others are ids of commands."""

TOUR_FACTS: Mapping[str, str] = {
    "lost": "the folder of the copy was deleted",
    "closed": "no skill is open",
    "other-file": "another file than the manifest is open",
    "edit": "the text of the manifest is on the screen",
    "typing": "the text of the manifest has the focus",
    "normal": "vim keys are on, and letters are commands",
    "error": "the skill has an error",
    "clean": "the skill was checked and has no error",
    "fixable": "a problem has a fix",
    "restored": "the text of the manifest is that of the example",
    "changed": "the text of the manifest differs from that of the example",
    "dirty": "the manifest has unsaved changes",
    "run": "the Run view has the focus",
    "unfilled": "an input of the run is missing or invalid",
    "ready": "a run can start",
    "blocked": "a run cannot start, for another reason than its inputs",
    "running": "a run is active",
    "reported": "the report of a run is shown",
    "failed": "that run failed",
    "compare": "the Compare view is on the screen",
    "compared": "it shows two versions that differ",
    "patch": "they need a patch bump",
    "incomparable": "it has found no version to compare with, or no difference",
}
"""What can be so on the screen."""


class TourCue(NamedTuple):
    """What to do while some facts are so; ids of commands are in braces, and `{:}` is typed."""

    text: str
    facts: frozenset[str] = frozenset()


class TourStep(NamedTuple):
    """A step: it is done once all facts of one set are so, after another step."""

    id: str
    number: int
    cues: tuple[TourCue, ...]
    """The first one whose facts are so applies; the last one has none."""
    conditions: tuple[frozenset[str], ...]
    after: str = ""


def _cue(text: str, *facts: str) -> TourCue:
    return TourCue(text, frozenset(facts))


def _step(
    id_: str, number: int, *cues: TourCue, conditions: tuple[tuple[str, ...], ...], after: str = ""
) -> TourStep:
    return TourStep(id_, number, cues, tuple(map(frozenset, conditions)), after)


_TO_MANIFEST = "{pane.skills} goes to the files; enter opens SKILL.md there"

TOUR_STEPS: tuple[TourStep, ...] = (
    _step(
        "break", 1,
        _cue("Break it: press i, then type {:} after “worklogs”.", "typing", "normal"),
        _cue("Break it: type {:} after “worklogs” in the description.", "typing"),
        _cue(f"Break it: {_TO_MANIFEST}.", "other-file"),
        _cue("Break it: {pane.view} goes into the text; type {:} after “worklogs”.", "edit"),
        _cue("Break it: {view.edit} shows the text; type {:} after “worklogs” there."),
        conditions=(("error",),),
    ),
    _step(
        "fix", 2,
        _cue("Fix it: {problem.fix} quotes the text; nothing else in the file changes.", "fixable"),
        _cue("Fix it: {problem.next} goes to the problem; {edit.undo} undoes your last change."),
        conditions=(("changed", "clean"),), after="break",
    ),
    _step(
        "run", 3,
        _cue("Run it: the script works on copies of the files …", "running"),
        _cue(
            "Run it: not possible here; the line above says why. {view.compare} goes on.",
            "run", "blocked",
        ),
        _cue(
            "Run it: {run.sample} lists samples of the inputs; enter loads one.",
            "run", "unfilled",
        ),
        _cue("Run it: {run.start} runs the script on copies; no file changes.",
             "run", "ready"),
        _cue("Run it: planning …", "run"),
        _cue("Run it: {view.run} shows what can be run."),
        conditions=(("reported",), ("blocked", "compare")), after="fix",
    ),
    _step(
        "compare", 4,
        _cue("The report says why the run failed. Compare: {view.compare} shows what your edit "
             "changes.", "run", "failed"),
        _cue("The report lists what the script did, as declared or not. Compare: {view.compare} "
             "shows what your edit changes.", "run", "reported"),
        _cue("Compare: reading the version in git …", "compare"),
        _cue("Compare: {view.compare} shows what your edit changes since the last version."),
        conditions=(("compared",), ("incomparable",)), after="run",
    ),
    _step(
        "bump", 4,
        _cue("Compare: agents choose by the description, so this edit needs a patch bump. "
             "{view.edit} shows the text.", "compare", "patch"),
        _cue("Compare: above is the bump that your edit needs, with its reasons. {view.edit} shows "
             "the text.", "compare", "compared"),
        _cue("Compare: nothing differs, or there is no version in git. {view.edit} shows the "
             "text.", "compare"),
        _cue("Compare: {view.edit} shows the text."),
        conditions=(("edit",), ("restored",)), after="compare",
    ),
    _step(
        "undo", 5,
        _cue(f"Undo it: {_TO_MANIFEST}.", "other-file"),
        _cue("Undo it: press {edit.undo} until the text is as it was."),
        conditions=(("restored",),), after="bump",
    ),
)  # fmt: skip
_ANYWHERE = (
    _cue("The copy of the example was deleted. {help.tour} starts again with a new one.", "lost"),
)
"""Cues that apply before those of any step."""
_CLOSED_CUE = _cue("{pane.skills} goes to the skills; enter opens worklog.", "closed")
TOUR_END = (
    _cue("Done. Your file on disk has the change: {file.save} saves it as it was.", "dirty"),
    _cue("Done. Next: {app.open} opens your own folder, {skill.new} creates a skill."),
)
"""Cues after the last step."""


class TourState(NamedTuple):
    """The number of the current step, and what to do now; past the last one, the tour is done."""

    number: int
    text: str

    @property
    def is_done(self) -> bool:
        return self.number > STEPS


def advance_tour(done_ids: frozenset[str], facts: frozenset[str]) -> frozenset[str]:
    """Return the ids of the steps that are done, from those before and the facts now.

    Text that was broken and then undone before it was fixed is to be broken again.
    """
    if "restored" in facts and "fix" not in done_ids:
        done_ids -= {"break"}
    for step in TOUR_STEPS:
        is_next = not step.after or step.after in done_ids
        if is_next and any(condition <= facts for condition in step.conditions):
            done_ids |= {step.id}
    return done_ids


def tour_state(done_ids: frozenset[str], facts: frozenset[str]) -> TourState:
    """Return the first step that is not done, with its cue for the facts."""
    step = next((step for step in TOUR_STEPS if step.id not in done_ids), None)
    number = step.number if step is not None else STEPS + 1
    closed_cues = (_CLOSED_CUE,) if step is not None else ()
    cues = (*_ANYWHERE, *closed_cues, *(step.cues if step is not None else TOUR_END))
    return TourState(number, next(cue.text for cue in cues if cue.facts <= facts))


class TourCopy(NamedTuple):
    """A copy of the example."""

    folder: str
    text: str  # Of its manifest.
    earlier_copy: str = ""  # An earlier copy that the user changed.

    @property
    def place(self) -> int:
        """The offset in the manifest after which the first step types."""
        line = self.text.find("description:")
        word = self.text.find(_WORD, max(line, 0))
        return word + len(_WORD) if word >= 0 else max(line, 0)


class TourOrigin(NamedTuple):
    """What was open before the tour: a folder with an open file, or nothing."""

    root: str | None = None
    skill: str | None = None
    file: str = ""


@dataclass
class Tour:
    """The tour that was begun: its copy, and how far it is."""

    copy: TourCopy
    origin: TourOrigin
    done_ids: frozenset[str] = frozenset()
    is_closed: bool = False
    """Whether the user closed its strip."""
    is_started: bool = False
    """Whether the cursor was moved to the place of the first step."""

    @property
    def is_done(self) -> bool:
        """Whether the last step is done."""
        return TOUR_STEPS[-1].id in self.done_ids
