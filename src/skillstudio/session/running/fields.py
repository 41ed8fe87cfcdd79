"""The fields of an operation as they are shown: what is in each, and how it stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skillstudio.dryrun.plan import PlanProblem
from skillstudio.interface.model import ABSENT
from skillstudio.session.running.drafts import Drafts, Exact, is_nothing, same
from skillstudio.session.running.slots import Slot
from skillstudio.session.wizard.fields import FieldState, FieldView

_MOST_TOLD = 300


def shown(
    known: Sequence[Slot], drafts: Drafts, problems: Sequence[PlanProblem]
) -> tuple[FieldView, ...]:
    """The fields with what is wrong at each."""
    return tuple(_field(each, drafts.get(each.key, ABSENT), problems) for each in known)


def elsewhere(known: Sequence[Slot], problems: Sequence[PlanProblem]) -> tuple[PlanProblem, ...]:
    """The problems that are at no field."""
    return tuple(each for each in problems if not any(_is_at(each, slot) for slot in known))


def _is_at(problem: PlanProblem, slot: Slot) -> bool:
    return problem.pointer == slot.pointer or problem.pointer.startswith(slot.pointer + "/")


def _field(slot: Slot, draft: Any, problems: Sequence[PlanProblem]) -> FieldView:
    help_ = " ".join(slot.help.split())
    if len(help_) > _MOST_TOLD:
        help_ = f"{help_[:_MOST_TOLD]}…"
    kind = slot.kind
    if kind == "line" and isinstance(draft, str) and "\n" in draft:
        kind = "box"
    return FieldView(
        slot.key,
        f"{slot.name} *" if slot.required else slot.name,
        help_,
        kind,
        _state(slot, draft, [each for each in problems if _is_at(each, slot)]),
        hint=slot.hint or slot.absent,
        choices=slot.choices,
        marked=_marked(slot, draft),
    )


def _marked(slot: Slot, draft: Any) -> tuple[Any, ...]:
    if not slot.choices:
        return ()
    value = draft.value if isinstance(draft, Exact) else draft
    # True is 1 to Python, and not to JSON.
    return tuple(c.value for c in slot.choices if same(c.value, value))


def _state(slot: Slot, draft: Any, problems: Sequence[PlanProblem]) -> FieldState:
    nothing = is_nothing(slot, draft)
    wrong = tuple(each.message for each in problems if each.severity == "error")
    if nothing and any(each.rule == "input-missing" for each in problems):
        return FieldState("open", ("needs a value",))
    if wrong:
        return FieldState("wrong", wrong)
    if problems:
        return FieldState("taken", tuple(each.message for each in problems))
    if nothing:
        return FieldState("default", (slot.absent or "as it is",))
    return FieldState("good", ("given, and not shown",) if slot.sensitive else ("good",))
