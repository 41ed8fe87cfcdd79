"""The inputs of an operation as fields, with the problems of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skillstudio.dryrun.plan import PlanProblem
from skillstudio.interface.model import ABSENT
from skillstudio.session.fields import Field, FieldState
from skillstudio.session.running.drafts import Drafts, Exact, is_nothing, same
from skillstudio.session.running.slots import Slot

_MOST_HELP = 300


def shown(
    known: Sequence[Slot], drafts: Drafts, problems: Sequence[PlanProblem]
) -> tuple[Field, ...]:
    """The fields with the problems of each."""
    return tuple(_field(each, drafts.get(each.key, ABSENT), problems) for each in known)


def elsewhere(known: Sequence[Slot], problems: Sequence[PlanProblem]) -> tuple[PlanProblem, ...]:
    """The problems that belong to no field."""
    return tuple(each for each in problems if not any(_is_at(each, slot) for slot in known))


def _is_at(problem: PlanProblem, slot: Slot) -> bool:
    return problem.pointer == slot.pointer or problem.pointer.startswith(slot.pointer + "/")


def _field(slot: Slot, draft: Any, problems: Sequence[PlanProblem]) -> Field:
    help_ = " ".join(slot.help.split())
    if len(help_) > _MOST_HELP:
        help_ = f"{help_[:_MOST_HELP]}…"
    kind = slot.kind
    if kind == "line" and isinstance(draft, str) and "\n" in draft:
        kind = "box"
    return Field(
        slot.key,
        f"{slot.name} *" if slot.required else slot.name,
        kind,
        help_,
        _state(slot, draft, [each for each in problems if _is_at(each, slot)]),
        hint=slot.hint or slot.absent,
        choices=slot.choices,
        chosen=_chosen(slot, draft),
    )


def _chosen(slot: Slot, draft: Any) -> tuple[Any, ...]:
    if not slot.choices:
        return ()
    value = draft.value if isinstance(draft, Exact) else draft
    # True equals 1 in Python, but not in JSON.
    return tuple(c.value for c in slot.choices if same(c.value, value))


def _state(slot: Slot, draft: Any, problems: Sequence[PlanProblem]) -> FieldState:
    nothing = is_nothing(slot, draft)
    wrong = tuple(each.message for each in problems if each.severity == "error")
    if nothing and any(each.rule == "input-missing" for each in problems):
        return FieldState("missing", ("required",))
    if wrong:
        return FieldState("error", wrong)
    if problems:
        return FieldState("warning", tuple(each.message for each in problems))
    if nothing:
        return FieldState("default", (slot.absent or "not given",))
    return FieldState("ok", ("given (hidden)" if slot.sensitive else "valid",))
