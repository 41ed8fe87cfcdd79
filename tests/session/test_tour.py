"""The steps of the tour, computed from facts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from skillstudio.session.commands.commands import command
from skillstudio.session.tour import (
    COLON,
    STEPS,
    TOUR_END,
    TOUR_FACTS,
    TOUR_STEPS,
    Tour,
    TourCopy,
    TourOrigin,
    advance_tour,
    tour_state,
)

EXAMPLE = Path(__file__).parents[2] / "examples" / "worklog" / "SKILL.md"
IDS = [step.id for step in TOUR_STEPS]
CUES = [cue for step in TOUR_STEPS for cue in step.cues] + list(TOUR_END)


def state(done: str, facts: str) -> tuple[int, str]:
    """The number and the text after some facts, with these steps done before."""
    now = frozenset(facts.split())
    return tuple(tour_state(advance_tour(frozenset(done.split()), now), now))


@pytest.mark.parametrize(
    ("done", "facts", "number", "text"),
    [
        ("", "edit typing restored clean", 1, "Break it: type {:}"),
        ("", "edit typing normal restored clean", 1, "Break it: press i, then type"),
        ("", "edit restored clean", 1, "Break it: {pane.view} goes into"),
        ("", "run restored clean", 1, "Break it: {view.edit} shows"),
        ("", "other-file restored clean", 1, "Break it: {pane.skills} goes to the files"),
        ("", "closed restored", 1, "{pane.skills} goes to the skills"),
        ("", "edit typing changed clean", 1, "Break it"),
        ("", "edit typing changed error fixable", 2, "Fix it: {problem.fix}"),
        ("break", "edit changed error", 2, "Fix it: {problem.next}"),
        ("break", "edit typing changed", 2, "Fix it"),
        ("break", "edit typing restored clean", 1, "Break it"),
        ("break", "edit typing changed clean", 3, "Run it: {view.run}"),
        ("break fix", "edit restored clean", 3, "Run it"),
        ("break fix", "run changed clean", 3, "Run it: planning"),
        ("break fix", "run changed clean unfilled", 3, "Run it: {run.sample}"),
        ("break fix", "run changed clean ready", 3, "Run it: {run.start} runs"),
        ("break fix", "run changed clean blocked", 3, "Run it: not possible here"),
        ("break fix", "run changed clean running", 3, "Run it: the script works"),
        ("break fix", "compare changed clean", 3, "Run it: {view.run}"),
        ("break fix", "compare changed clean blocked", 4, "Compare: reading"),
        ("break fix", "compare compared changed clean blocked", 4, "Compare: above"),
        ("break fix", "run reported changed clean", 4, "The report lists"),
        ("break fix", "run reported failed changed clean", 4, "The report says why"),
        ("break fix", "edit reported changed clean", 4, "Compare: {view.compare}"),
        ("break fix", "compare compared patch reported changed", 4, "Compare: agents choose"),
        ("break", "edit reported changed clean", 4, "Compare: {view.compare}"),
        ("break fix run", "compare incomparable changed", 4, "Compare: nothing differs"),
        ("break fix run compare", "run changed", 4, "Compare: {view.edit}"),
        ("break fix run compare", "edit changed", 5, "Undo it: press"),
        ("break fix run compare bump", "other-file changed", 5, "Undo it: {pane.skills}"),
        ("break fix run compare bump", "edit changed error", 5, "Undo it: press"),
        ("break fix run compare", "compare restored", 6, "Done. Next"),
        ("break fix run compare bump", "edit restored", 6, "Done. Next"),
        ("break fix run compare bump", "edit restored dirty", 6, "Done. Your file"),
        (" ".join(IDS), "edit changed error", 6, "Done. Next"),
        (" ".join(IDS), "closed restored", 6, "Done. Next"),
        ("break fix", "lost run", 3, "The copy of the example was deleted"),
        (" ".join(IDS), "lost", 6, "The copy of the example was deleted"),
    ],
)
def test_facts_give_a_step(done: str, facts: str, number: int, text: str) -> None:
    found, cue = state(done, facts)
    assert (found, cue[: len(text)]) == (number, text)


def test_the_table_is_complete() -> None:
    named = {fact for cue in CUES for fact in cue.facts}
    named |= {fact for step in TOUR_STEPS for facts in step.conditions for fact in facts}
    assert named | {"restored", "closed", "lost"} == set(TOUR_FACTS)
    assert [step.number for step in TOUR_STEPS] == [1, 2, 3, 4, 4, STEPS]
    assert [step.after for step in TOUR_STEPS] == ["", *IDS[:-1]]
    assert all(not step.cues[-1].facts for step in TOUR_STEPS)
    assert not TOUR_END[-1].facts
    ids = {id_ for cue in CUES for id_ in re.findall(r"\{([^}]*)\}", cue.text)}
    assert [id_ for id_ in ids - {COLON} if command(id_) is None] == []


def test_every_cue_can_apply() -> None:
    for step in TOUR_STEPS:
        for at, cue in enumerate(step.cues):
            before = [other for other in step.cues[:at] if other.facts <= cue.facts]
            assert before == [], f"{step.id}: {cue.text} is hidden"


def test_a_colon_after_the_word_of_the_example() -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    copy = TourCopy("", text)
    assert text[: copy.place].endswith("description: Create org-mode worklogs")
    assert TourCopy("", text.replace("worklogs", "logs")).place == text.index("description:")
    assert TourCopy("", "").place == 0


def test_a_tour_is_done_with_its_last_step() -> None:
    assert not Tour(TourCopy("", ""), TourOrigin(), frozenset(IDS[:-1])).is_done
    assert Tour(TourCopy("", ""), TourOrigin(), frozenset(IDS)).is_done
