"""The inputs of an operation as fields: what each takes, what was typed, how that stands.

What is typed is a draft and stays as it was typed. Values are made of the drafts at each look and
nothing is written back, so a text that is half typed never turns into another.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from skillstudio.dryrun.plan import Problem, Roots, RungChoice
from skillstudio.dryrun.planning.given import Given
from skillstudio.dryrun.planning.inputs import SCHEMA_TERM
from skillstudio.dryrun.planning.make import Found
from skillstudio.dryrun.planning.typed import Schema, typed
from skillstudio.dryrun.sampling.sample import Sample
from skillstudio.interface.model import ABSENT, Input, Interface, Variable, token
from skillstudio.scaffold.new.interview import Choice
from skillstudio.schema.outcome import SchemaRefused
from skillstudio.schema.shape import read_shape
from skillstudio.session.wizard_fields import FieldShown, Kind, State
from skillstudio.text.safe import safe_text
from skillstudio.text.strict_json import NotJson, read_json

INPUT, VARIABLE = "input:", "variable:"
WHOLE = "input:"
"""The field of an operation that takes one value without names."""
ARGUMENTS, TIMEOUT, TWICE = "arguments", "timeout", "twice"
_EMPTY_TEXT = '""'
"""What is typed for the text that is empty: an empty field gives nothing."""
_LONG = 200
_LONGEST_HINT = 70
_MOST_TOLD = 300


class Exact(NamedTuple):
    """A value that no typed text stands for, with the text that is shown for it."""

    value: Any
    text: str


Drafts = Mapping[str, Any]
"""A slot's key to what was typed (a `str`), chosen (a value), or loaded (an `Exact`); `ABSENT`
is nothing."""


class Slot(NamedTuple):
    """A field before anything is in it."""

    key: str
    name: str
    kind: Kind
    pointer: str
    """Of what it is in the interface: problems below it are the field's."""
    help: str = ""
    hint: str = ""
    absent: str = ""
    """What becomes of it when nothing is given, in words."""
    schema: Schema = True
    required: bool = False
    sensitive: bool = False
    choices: tuple[Choice, ...] = ()


def slots(interface: Interface, found: Found) -> tuple[Slot, ...]:
    """The fields of an operation: inputs, variables, what is behind a script, how it is run."""
    return tuple(_slots(interface, found))


def _slots(interface: Interface, found: Found) -> Iterator[Slot]:
    operation = found.operation
    whole = next((t.value for t in operation.terms if t.name == SCHEMA_TERM), None)
    at = f"{operation.pointer}/terms/{SCHEMA_TERM}"
    if whole is not None:
        parts = _parts(whole)
        for name, schema, required in parts:
            asked = Input(name, schema, required)
            yield _input(asked, f"{at}/properties/{token(name)}", interface.sensitive)
        if not parts:
            schema = whole if isinstance(whole, dict | bool) else True
            hint = "one JSON value"
            kind: Kind = "secret" if interface.sensitive else "box"
            yield Slot(WHOLE, "input", kind, at, "", hint, "an empty object", schema)
    for each in operation.inputs:
        pointer = f"{operation.pointer}/inputs/{token(each.name)}"
        yield _input(each, pointer, interface.sensitive)
    for variable in (*interface.env, *found.launching.variables):
        if not variable.name.endswith("*"):
            yield _variable(variable, interface.sensitive)
    if found.launching.script is not None:
        help_ = "what the script gets behind its path, one argument a line"
        yield Slot(ARGUMENTS, "arguments", "box", "@arguments", help_, absent="none")
    yield Slot(TIMEOUT, "timeout", "line", "@timeout", "seconds that the run may take",
               absent="as the plan says")  # fmt: skip
    twice = (Choice("once", ABSENT), Choice("twice: does a second run change anything?", True))
    yield Slot(
        TWICE, "repeat", "one", "@twice", "how often it is run", absent="once", choices=twice
    )


def _parts(schema: Any) -> list[tuple[str, Schema, bool]]:
    """The properties of a schema of an object, with whether each is required."""
    known = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(known, dict):
        return []
    required = schema.get("required")
    needed = required if isinstance(required, list) else []
    return [
        (str(name), part, name in needed)
        for name, part in known.items()
        if isinstance(part, dict | bool)
    ]


def _input(each: Input, pointer: str, all_sensitive: bool) -> Slot:
    hidden = each.sensitive or all_sensitive
    choices = () if hidden else _choices(each)
    kind: Kind = "secret" if hidden else "one" if choices else _kind(each.schema)
    absent = "not given"
    if hidden:
        absent = "a dummy stands for it" if each.required else "not given"
    elif each.default is not ABSENT:
        absent = f"the default: {_shown(each.default)}"
    said = each.schema.get("description", "") if isinstance(each.schema, dict) else ""
    return Slot(
        INPUT + each.name, each.name, kind, pointer, each.description or str(said),
        takes(each.schema), absent, each.schema, each.required, hidden, choices,
    )  # fmt: skip


def _variable(each: Variable, all_sensitive: bool) -> Slot:
    hidden = each.sensitive or all_sensitive
    absent = "as it is on this machine"
    if hidden:
        absent = "a dummy stands for it" if each.required else "not set"
    kind: Kind = "secret" if hidden else "line"
    return Slot(
        VARIABLE + each.name, f"${each.name}", kind, f"/env/{token(each.name)}", each.description,
        absent=absent, required=each.required, sensitive=hidden,
    )  # fmt: skip


def _kind(schema: Schema) -> Kind:
    """Several lines for JSON and for long texts; else one."""
    kinds = _kinds(schema)
    if schema is True or ("string" not in kinds and kinds & {"array", "object"}):
        return "box"
    longest = schema.get("maxLength", 0) if isinstance(schema, dict) else 0
    return "box" if isinstance(longest, int) and longest > _LONG else "line"


def _kinds(schema: Schema) -> frozenset[str]:
    try:
        return read_shape(schema).kinds
    except SchemaRefused:
        return frozenset()


def _choices(each: Input) -> tuple[Choice, ...]:
    """The values to choose from, as they are and not as texts; none where anything may be typed."""
    schema = each.schema
    if not isinstance(schema, dict):
        return ()
    values = schema.get("enum")
    if not isinstance(values, list) or not values:
        if _kinds(schema) != frozenset({"boolean"}):
            return ()
        values = [True, False]
    found = [Choice(_shown(value), value) for value in values]
    if each.required:
        return tuple(found)
    default = "" if each.default is ABSENT else f", the default: {_shown(each.default)}"
    return (Choice(f"not given{default}", ABSENT), *found)


def takes(schema: Schema) -> str:
    """What a schema accepts, in a few words; "" where that says nothing."""
    if not isinstance(schema, dict):
        return "JSON" if schema else "nothing at all"
    types = schema.get("type")
    words = [_WORDS.get(str(each), "") for each in (types if isinstance(types, list) else [types])]
    parts = [" or ".join(word for word in words if word)]
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and high is not None:
        parts.append(f"{low} to {high}")
    elif low is not None or high is not None:
        parts.append(f"at least {low}" if low is not None else f"at most {high}")
    for keyword, word in (("pattern", "as"), ("format", "a")):
        if isinstance(schema.get(keyword), str):
            parts.append(f"{word} {schema[keyword]}")
    text = ", ".join(part for part in parts if part)
    return text if len(text) <= _LONGEST_HINT else f"{text[:_LONGEST_HINT]}…"


_WORDS = {
    "integer": "a whole number",
    "number": "a number",
    "string": "a text",
    "boolean": "true or false",
    "array": "a JSON list",
    "object": "a JSON object",
    "null": "null",
}


# From drafts to a run.


class Read(NamedTuple):
    """What the drafts come to."""

    given: Given
    twice: bool
    problems: tuple[Problem, ...]
    """Those that only the field has: no plan can be told of them."""


def read_drafts(known: Sequence[Slot], drafts: Drafts, roots: Roots, rung: RungChoice) -> Read:
    """What a run is given. A field with nothing in it gives nothing, which is never null."""
    texts: list[tuple[str, str]] = []
    values: dict[str, Any] = {}
    env: dict[str, str] = {}
    secrets: dict[str, str] = {}
    problems: list[Problem] = []
    whole: Any = ABSENT
    for slot in known:
        draft = drafts.get(slot.key, ABSENT)
        if _is_nothing(slot, draft) or not slot.key.startswith((INPUT, VARIABLE)):
            continue
        name = slot.key.partition(":")[2]
        text = draft if isinstance(draft, str) else _text(draft)
        if slot.sensitive and slot.key != WHOLE:
            secrets[name] = text
        elif slot.key.startswith(VARIABLE):
            env[name] = text
        elif slot.key == WHOLE:
            try:
                whole = read_json(text)
            except NotJson as error:
                message = f"this is no JSON: {error}; quote a text"
                message = "this is no JSON" if slot.sensitive else message
                problems.append(Problem("input-type", message, slot.pointer))
        elif isinstance(draft, Exact):
            values[name] = draft.value
        elif slot.choices or not isinstance(draft, str):
            values[name] = draft
        elif draft == _EMPTY_TEXT and "string" in _kinds(slot.schema):
            values[name] = ""
        else:
            texts.append((name, draft))
    timeout, wrong = _timeout(drafts.get(TIMEOUT, ""))
    given = Given(
        roots, tuple(texts), whole if whole is not ABSENT or not values else values,
        arguments=_lines(drafts),
        env=env, secrets=secrets, timeout=timeout, rung=rung,
    )  # fmt: skip
    return Read(given, drafts.get(TWICE) is True, (*problems, *wrong))


def _lines(drafts: Drafts) -> tuple[str, ...]:
    typed_ = drafts.get(ARGUMENTS, "")
    return (
        tuple(typed_.removesuffix("\n").split("\n")) if isinstance(typed_, str) and typed_ else ()
    )


def _timeout(draft: Any) -> tuple[float | None, list[Problem]]:
    text = draft.strip() if isinstance(draft, str) else ""
    if not text:
        return None, []
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if math.isfinite(seconds) and seconds > 0:
        return seconds, []
    message = "the timeout must be a number of seconds above 0"
    return None, [Problem("timeout", message, "@timeout")]


# From a plan to the screen.


def shown(
    known: Sequence[Slot], drafts: Drafts, problems: Sequence[Problem]
) -> tuple[FieldShown, ...]:
    """The fields with what is wrong at each."""
    return tuple(_field(each, drafts.get(each.key, ABSENT), problems) for each in known)


def elsewhere(known: Sequence[Slot], problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """The problems that are at no field."""
    return tuple(each for each in problems if not any(_is_at(each, slot) for slot in known))


def _is_at(problem: Problem, slot: Slot) -> bool:
    return problem.pointer == slot.pointer or problem.pointer.startswith(slot.pointer + "/")


def _field(slot: Slot, draft: Any, problems: Sequence[Problem]) -> FieldShown:
    help_ = " ".join(slot.help.split())
    if len(help_) > _MOST_TOLD:
        help_ = f"{help_[:_MOST_TOLD]}…"
    kind = slot.kind
    if kind == "line" and isinstance(draft, str) and "\n" in draft:
        kind = "box"
    return FieldShown(
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
    return tuple(c.value for c in slot.choices if _same(c.value, value))


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


def _state(slot: Slot, draft: Any, problems: Sequence[Problem]) -> State:
    nothing = _is_nothing(slot, draft)
    wrong = tuple(each.message for each in problems if each.severity == "error")
    if nothing and any(each.rule == "input-missing" for each in problems):
        return State("open", ("needs a value",))
    if wrong:
        return State("wrong", wrong)
    if problems:
        return State("taken", tuple(each.message for each in problems))
    if nothing:
        return State("default", (slot.absent or "as it is",))
    return State("good", ("given, and not shown",) if slot.sensitive else ("good",))


# Samples.


def drafts_of(known: Sequence[Slot], sample: Sample) -> dict[str, Any]:
    """The drafts that a sample puts into the form. Sensitive fields stay as they are."""
    drafts: dict[str, Any] = {}
    inputs = {} if sample.inputs is ABSENT else sample.inputs
    for slot in known:
        name = slot.key.partition(":")[2]
        if slot.sensitive:
            continue
        if slot.key == WHOLE:
            drafts[slot.key] = json.dumps(inputs, ensure_ascii=False, indent=1)
        elif slot.key.startswith(INPUT) and isinstance(inputs, dict) and name in inputs:
            drafts[slot.key] = _draft(slot, inputs[name])
        elif slot.key.startswith(VARIABLE) and name in sample.env:
            drafts[slot.key] = _plain(sample.env[name])
    if sample.arguments:
        drafts[ARGUMENTS] = "\n".join(sample.arguments)
    return drafts


def not_on_form(known: Sequence[Slot], sample: Sample) -> tuple[str, ...]:
    """What a sample gives that no field takes."""
    keys = {slot.key for slot in known}
    inputs = sample.inputs if isinstance(sample.inputs, dict) and WHOLE not in keys else {}
    lost = [str(name) for name in inputs if INPUT + str(name) not in keys]
    lost += [f"${name}" for name in sample.env if VARIABLE + name not in keys]
    if sample.arguments and (ARGUMENTS not in keys or any("\n" in a for a in sample.arguments)):
        lost.append("arguments")
    return tuple(lost)


def sample_of(known: Sequence[Slot], drafts: Drafts, operation: str, name: str) -> Sample:
    """What is in the form as a sample, without what is sensitive. Raises NotJson."""
    given: dict[str, Any] = {}
    env: dict[str, str] = {}
    whole: Any = ABSENT
    for slot in known:
        draft = drafts.get(slot.key, ABSENT)
        if slot.sensitive or _is_nothing(slot, draft):
            continue
        about = slot.key.partition(":")[2]
        if slot.key == WHOLE:
            whole = read_json(_text(draft))
        elif slot.key.startswith(INPUT):
            given[about] = _value(slot, draft)
        elif slot.key.startswith(VARIABLE):
            env[about] = _text(draft)
    arguments = _lines(drafts)
    return Sample(name, operation, given if whole is ABSENT else whole, arguments, env)


def retyped(draft: Any, text: str) -> Any:
    """The draft after typing: a loaded value stays what it is while its text is not touched."""
    return draft if isinstance(draft, Exact) and draft.text == text else text


def _draft(slot: Slot, value: Any) -> Any:
    """What a field holds for a value: the plainest text that is read as it."""
    if slot.choices:
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if value == "":
        text = _EMPTY_TEXT
    if safe_text(text, keep_newlines=True) == text:
        try:
            if _same(_value(slot, text), value):
                return text
        except NotJson:
            pass  # Then its text alone does not say it.
    return _exact(value)


def _plain(text: str) -> Any:
    return text if text and safe_text(text) == text else _exact(text)


def _exact(value: Any) -> Exact:
    return Exact(value, json.dumps(value))


def _value(slot: Slot, draft: Any) -> Any:
    if isinstance(draft, Exact):
        return draft.value
    if slot.choices or not isinstance(draft, str):
        return draft
    if draft == _EMPTY_TEXT and "string" in _kinds(slot.schema):
        return ""
    return typed(draft, slot.schema)


def _is_nothing(slot: Slot, draft: Any) -> bool:
    """Whether nothing is given. A text that is empty may be one of the choices."""
    return draft is ABSENT or (not slot.choices and isinstance(draft, str) and draft == "")


def _text(draft: Any) -> str:
    value = draft.value if isinstance(draft, Exact) else draft
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)
