"""Convert the drafts of a form, which stay as typed, to inputs and samples, and back."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from skillstudio.dryrun.network.choice import NetworkRefused, read_network
from skillstudio.dryrun.plan import (
    ANY_NETWORK,
    IsolationChoice,
    NetworkChoice,
    PlanProblem,
    Roots,
)
from skillstudio.dryrun.planning.run_inputs import RunInputs
from skillstudio.dryrun.planning.typed import parse_value
from skillstudio.dryrun.sampling.sample import Sample
from skillstudio.interface.model import ABSENT
from skillstudio.session.fields import Field, FieldState, one_paragraph, same
from skillstudio.session.running.slots import (
    ARGUMENTS,
    INPUT,
    NETWORK,
    STDIN,
    TIMEOUT,
    TWICE,
    VARIABLE,
    WHOLE,
    Slot,
    kinds,
)
from skillstudio.text.safe import safe_text
from skillstudio.text.strict_json import NotJson, read_json

_MOST_HELP = 300
_EMPTY_TEXT = '""'  # Typed for an empty string, because an empty field has no value.


class Exact(NamedTuple):
    """A value that cannot be typed, with its displayed text."""

    value: Any
    text: str


Drafts = Mapping[str, Any]
"""The key of a slot to a typed `str`, a chosen value, a loaded `Exact`, or `ABSENT`."""


class ReadInputs(NamedTuple):
    """The inputs of a run, and problems that only the fields have."""

    inputs: RunInputs
    twice: bool
    problems: tuple[PlanProblem, ...]


def read_drafts(
    slots: Sequence[Slot], drafts: Drafts, roots: Roots, isolation: IsolationChoice
) -> ReadInputs:
    """The inputs of a run. An empty field gives no value, which is not null."""
    texts: list[tuple[str, str]] = []
    values: dict[str, Any] = {}
    env: dict[str, str] = {}
    secrets: dict[str, str] = {}
    problems: list[PlanProblem] = []
    whole: Any = ABSENT
    for slot in slots:
        draft = drafts.get(slot.key, ABSENT)
        if is_nothing(slot, draft) or not slot.key.startswith((INPUT, VARIABLE)):
            continue
        name = slot.key.partition(":")[2]
        text = _text(draft)
        if slot.sensitive and slot.key != WHOLE:
            secrets[name] = text
        elif slot.key.startswith(VARIABLE):
            env[name] = text
        elif slot.key == WHOLE:
            try:
                whole = read_json(text)
            except NotJson as error:
                reason = "" if slot.sensitive else f": {error}; put strings in quotes"
                problems.append(PlanProblem("input-type", f"not JSON{reason}", slot.pointer))
        elif (value := _get_exact_value(slot, draft)) is not ABSENT:
            values[name] = value
        else:
            texts.append((name, draft))
    timeout, wrong = _timeout(drafts.get(TIMEOUT, ""))
    network, network_problems = network_of(drafts)
    inputs = RunInputs(
        roots, tuple(texts), whole if whole is not ABSENT or not values else values,
        arguments=_lines(drafts),
        env=env, secrets=secrets, timeout=timeout, isolation=isolation,
        network=network, stdin=_stdin(drafts),
    )  # fmt: skip
    return ReadInputs(inputs, drafts.get(TWICE) is True, (*problems, *wrong, *network_problems))


def _lines(drafts: Drafts) -> tuple[str, ...]:
    draft = drafts.get(ARGUMENTS)
    return tuple(draft.removesuffix("\n").split("\n")) if draft and isinstance(draft, str) else ()


def _stdin(drafts: Drafts) -> str | None:
    """The text for standard input, which ends its last line; None for none."""
    draft = drafts.get(STDIN)
    text = draft.value if isinstance(draft, Exact) else draft
    if not isinstance(text, str) or not text:
        return None
    return text if isinstance(draft, Exact) or text.endswith("\n") else f"{text}\n"


def network_of(drafts: Drafts) -> tuple[NetworkChoice, tuple[PlanProblem, ...]]:
    """The network of a run; what cannot be used is a problem of its field."""
    draft = drafts.get(NETWORK)
    words = draft.split() if isinstance(draft, str) else []
    try:
        network = read_network(words, "network")
    except NetworkRefused as error:
        return ANY_NETWORK, (PlanProblem("network", str(error), "@network"),)
    if network.mode in ("record", "replay"):
        message = f"{network.mode} needs a sample: use skillstudio run --sample NAME --net"
        return ANY_NETWORK, (PlanProblem("network", message, "@network"),)
    return network, ()


def _timeout(draft: Any) -> tuple[float | None, list[PlanProblem]]:
    text = draft.strip() if isinstance(draft, str) else ""
    if not text:
        return None, []
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if math.isfinite(seconds) and seconds > 0:
        return seconds, []
    message = "the timeout must be a positive number of seconds"
    return None, [PlanProblem("timeout", message, "@timeout")]


def drafts_of(slots: Sequence[Slot], sample: Sample) -> dict[str, Any]:
    """The drafts for a sample, without sensitive fields."""
    drafts: dict[str, Any] = {}
    inputs = {} if sample.inputs is ABSENT else sample.inputs
    for slot in slots:
        name = slot.key.partition(":")[2]
        if slot.sensitive:
            continue
        if slot.key == WHOLE:
            drafts[slot.key] = json.dumps(inputs, ensure_ascii=False, indent=1)
        elif slot.key.startswith(INPUT) and isinstance(inputs, dict) and name in inputs:
            drafts[slot.key] = _draft(slot, inputs[name])
        elif slot.key.startswith(VARIABLE) and name in sample.env:
            text = sample.env[name]
            is_plain = text and safe_text(text) == text
            drafts[slot.key] = text if is_plain else Exact(text, json.dumps(text))
    if sample.net and sample.net != ("replay",):
        drafts[NETWORK] = " ".join(sample.net)
    if sample.arguments:
        drafts[ARGUMENTS] = "\n".join(sample.arguments)
    if sample.stdin:
        is_typed = safe_text(sample.stdin, keep_newlines=True) == sample.stdin
        is_plain = is_typed and sample.stdin.endswith("\n")
        text = sample.stdin.removesuffix("\n")
        drafts[STDIN] = text if is_plain else Exact(sample.stdin, json.dumps(sample.stdin))
    return drafts


def not_on_form(slots: Sequence[Slot], sample: Sample) -> tuple[str, ...]:
    """The parts of a sample that have no field."""
    keys = {slot.key for slot in slots}
    inputs = sample.inputs if isinstance(sample.inputs, dict) and WHOLE not in keys else {}
    lost_parts = [str(name) for name in inputs if INPUT + str(name) not in keys]
    lost_parts += [f"${name}" for name in sample.env if VARIABLE + name not in keys]
    if sample.arguments and (ARGUMENTS not in keys or any("\n" in a for a in sample.arguments)):
        lost_parts.append("arguments")
    lost_parts += ["net"] if sample.net == ("replay",) else []
    return tuple(lost_parts)


def sample_of(slots: Sequence[Slot], drafts: Drafts, operation: str, name: str) -> Sample:
    """The form as a sample, without sensitive values. Raises NotJson."""
    values: dict[str, Any] = {}
    env: dict[str, str] = {}
    whole: Any = ABSENT
    for slot in slots:
        draft = drafts.get(slot.key, ABSENT)
        if slot.sensitive or is_nothing(slot, draft):
            continue
        about = slot.key.partition(":")[2]
        if slot.key == WHOLE:
            whole = read_json(_text(draft))
        elif slot.key.startswith(INPUT):
            values[about] = _value(slot, draft)
        elif slot.key.startswith(VARIABLE):
            env[about] = _text(draft)
    network, _ = network_of(drafts)
    inputs = values if whole is ABSENT else whole
    return Sample(
        name, operation, inputs, _lines(drafts), env, net=network.words, stdin=_stdin(drafts)
    )


def update_draft(draft: Any, text: str) -> Any:
    """The draft after typing: a loaded value is kept while its text is not edited."""
    return draft if isinstance(draft, Exact) and draft.text == text else text


def _draft(slot: Slot, value: Any) -> Any:
    """The draft for a value: a text if it is read as the value."""
    if slot.choices:
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if value == "":
        text = _EMPTY_TEXT
    if safe_text(text, keep_newlines=True) == text:
        try:
            if same(_value(slot, text), value):
                return text
        except NotJson:
            pass
    return Exact(value, json.dumps(value))


def _value(slot: Slot, draft: Any) -> Any:
    value = _get_exact_value(slot, draft)
    return parse_value(draft, slot.schema) if value is ABSENT else value


def _get_exact_value(slot: Slot, draft: Any) -> Any:
    """The value of a draft; ABSENT if it is a text that must be converted by its schema."""
    if isinstance(draft, Exact):
        return draft.value
    if slot.choices or not isinstance(draft, str):
        return draft
    return "" if draft == _EMPTY_TEXT and "string" in kinds(slot.schema) else ABSENT


def is_nothing(slot: Slot, draft: Any) -> bool:
    """Whether a draft is empty. An empty string may be one of the choices."""
    return draft is ABSENT or (not slot.choices and isinstance(draft, str) and draft == "")


def _text(draft: Any) -> str:
    value = draft.value if isinstance(draft, Exact) else draft
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def make_fields(
    slots: Sequence[Slot], drafts: Drafts, problems: Sequence[PlanProblem]
) -> tuple[Field, ...]:
    """The fields with the problems of each."""
    return tuple(_field(slot, drafts.get(slot.key, ABSENT), problems) for slot in slots)


def elsewhere(slots: Sequence[Slot], problems: Sequence[PlanProblem]) -> tuple[PlanProblem, ...]:
    """The problems that belong to no field."""
    return tuple(
        problem for problem in problems if not any(_is_at(problem, slot) for slot in slots)
    )


def _is_at(problem: PlanProblem, slot: Slot) -> bool:
    return problem.pointer == slot.pointer or problem.pointer.startswith(slot.pointer + "/")


def _field(slot: Slot, draft: Any, problems: Sequence[PlanProblem]) -> Field:
    kind = slot.kind
    if kind == "line" and isinstance(draft, str) and "\n" in draft:
        kind = "box"
    # Nothing takes the place of a required value, but a placeholder that of a secret.
    is_asked = slot.required and not slot.sensitive and slot.hint
    hints = (slot.hint,) if is_asked else (slot.absent, slot.hint)
    return Field(
        slot.key,
        slot.name,
        kind,
        one_paragraph(slot.help, _MOST_HELP),
        _state(slot, draft, [problem for problem in problems if _is_at(problem, slot)]),
        hint=" · ".join(dict.fromkeys(filter(None, hints))),
        choices=slot.choices,
        selection=_find_selection(slot, draft),
        required=slot.required,
        unset="" if slot.required else slot.absent,
    )


def _find_selection(slot: Slot, draft: Any) -> tuple[Any, ...]:
    if not slot.choices:
        return ()
    value = draft.value if isinstance(draft, Exact) else draft
    # True equals 1 in Python, but not in JSON.
    return tuple(c.value for c in slot.choices if same(c.value, value))


def _state(slot: Slot, draft: Any, problems: Sequence[PlanProblem]) -> FieldState:
    nothing = is_nothing(slot, draft)
    wrong = tuple(problem.message for problem in problems if problem.severity == "error")
    if nothing and any(problem.rule == "input-missing" for problem in problems):
        return FieldState("missing", ("required",))
    if wrong:
        return FieldState("error", wrong)
    if problems:
        return FieldState("warning", tuple(problem.message for problem in problems))
    return FieldState("default" if nothing else "ok", ())
