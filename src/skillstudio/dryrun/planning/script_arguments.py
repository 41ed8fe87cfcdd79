"""The arguments of a script as inputs with schemas, and the values of inputs as arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from skillstudio.dryrun.plan import PlanProblem
from skillstudio.dryrun.planning.typed import MAX_ARGUMENT, rendered
from skillstudio.interface.model import ABSENT, Input, Operation, token
from skillstudio.text.safe import safe_text
from skillstudio.text.scripts.model import NOTHING, ScriptCommand, ScriptOption

_MANY = "one value per line"


def with_script(operation: Operation, command: ScriptCommand) -> Operation:
    """An operation with the arguments of a script as further inputs.

    An argument with the name of a declared input gets the value of that input.
    """
    declared = {input_.name for input_ in operation.inputs}
    own = tuple(_input(option) for option in command.options if option.name not in declared)
    return operation._replace(
        description=operation.description or safe_text(command.about),
        inputs=(*operation.inputs, *own),
    )


def _input(option: ScriptOption) -> Input:
    default = ABSENT if option.default is NOTHING else option.default
    if option.switch and not option.off:
        default = False
    if isinstance(default, list | tuple) or (option.many and default is not ABSENT):
        default = ABSENT
    about = [safe_text(option.help), _MANY if option.many else "", option.flag]
    return Input(
        option.name,
        _schema(option),
        option.required,
        default,
        description=" · ".join(part for part in about if part),
    )


def _schema(option: ScriptOption) -> dict[str, Any]:
    if option.switch:
        return {"type": "boolean"}
    schema: dict[str, Any] = {"type": option.type}
    if option.choices:
        convert = {"integer": int, "number": float}.get(option.type, str)
        try:
            schema["enum"] = [convert(choice) for choice in option.choices]
        except ValueError:
            schema = {"type": "string", "enum": list(option.choices)}
    if option.many or option.exactly:
        # One value per line, or a list.
        lines = {"type": ["string", "array"], "items": schema, "maxLength": MAX_ARGUMENT}
        if option.exactly or option.choices or option.type != "string":
            some = option.choices or (("1", "2") if option.type != "string" else ("a", "b"))
            texts = [some[at % len(some)] for at in range(option.exactly or 1)]
            lines["examples"] = ["\n".join(texts)]
        return lines
    return schema


def script_words(command: ScriptCommand, values: Mapping[str, Any]) -> tuple[str, ...]:
    """The words of a command line: options, the command's name, options, positional arguments.

    Positional arguments of a script that reads them by number come before its options. A value
    that equals the default is left out where nothing follows it: the script has it already.
    """
    given = [
        (option, values[option.name])
        for option in command.options
        if option.name in values and not _is_default(option, values[option.name])
    ]
    first = set(command.options[: command.before])
    before = [word for option, value in given if option in first for word in _words(option, value)]
    # An option with any number of values would take what follows it, too.
    flagged = [(option, value) for option, value in given if option not in first and option.flags]
    flagged.sort(key=lambda pair: not _takes_following(pair[0]))
    after = [word for option, value in flagged for word in _words(option, value)]
    # What comes before another place, or before an option, cannot be left out.
    last = command.lead if flagged else 0
    places = [option for option in command.places if option not in first]
    named = {option.name for option, _ in given}
    for at, option in enumerate(places):
        last = max(last, at + 1) if option.name in named else last
    lead = [*_filled(places[: min(command.lead, last)], values)]
    following = places[command.lead :]
    words = [*_filled(places[command.lead : last], values)]
    is_taken = bool(words and flagged) and _takes_following(flagged[-1][0])
    if command.certain and (
        is_taken or any(word.startswith("-") for word in _before_rest(following, values))
    ):
        words.insert(0, "--")
    return (*before, *command.name.split(), *lead, *after, *words)


def _filled(places: Sequence[ScriptOption], values: Mapping[str, Any]) -> Iterator[str]:
    """The words of positional arguments, with the defaults of those that are not given."""
    for option in places:
        value = values.get(option.name, option.default)
        if value is not NOTHING and value is not None:
            yield from _words(option, value)


def _takes_following(option: ScriptOption) -> bool:
    """Whether an option takes every word up to the next option as a value."""
    return option.many and not (option.repeats or option.exactly or option.joined)


def _before_rest(places: Sequence[ScriptOption], values: Mapping[str, Any]) -> Iterator[str]:
    """The positional words that could be read as options.

    What takes the rest of the line gets every word after its first one as it is.
    """
    is_first = True
    for option in places:
        words = [*_words(option, values[option.name])] if option.name in values else []
        yield from words if not option.rest else words[:1] if is_first else ()
        is_first = is_first and not words


def _is_default(option: ScriptOption, value: Any) -> bool:
    if option.switch and not option.off:
        return value is False
    return type(value) is type(option.default) and bool(value == option.default)


def _words(option: ScriptOption, value: Any) -> Iterator[str]:
    if option.switch:
        yield option.flag if value else option.off
        return
    values = [value]
    if option.many or option.exactly:
        values = value.split("\n") if isinstance(value, str) else [*value]
    texts = [rendered(element) for element in values]
    if not option.flags:
        yield from texts
        return
    is_repeated = option.many and len(texts) > 1 and option.repeats
    for part in [[text] for text in texts] if is_repeated else [texts]:
        dashed = len(part) == 1 and part[0].startswith("-")
        if option.joined or (dashed and option.flag.startswith("--")):
            yield from (f"{option.flag}={text}" for text in part)
        else:
            yield option.flag
            yield from part


def script_problems(
    command: ScriptCommand, operation: Operation, values: Mapping[str, Any]
) -> Iterator[PlanProblem]:
    """Values that a script cannot take together."""
    at = f"{operation.pointer}/inputs"
    given = {name for name in values if not _skipped(command, name, values[name])}
    for group in command.groups:
        found = [name for name in group.names if name in given]
        if len(found) > 1:
            message = f"give only one of {', '.join(found)}"
            yield PlanProblem("input-exclusive", message, f"{at}/{token(found[1])}")
        elif group.required and not found:
            message = f"one of {', '.join(group.names)} is required"
            yield PlanProblem("input-missing", message, f"{at}/{token(group.names[0])}")
    lacking = ""
    for option in command.places:
        if option.name in values and lacking and option.name in given:
            message = f"{option.name} comes after {lacking}, so {lacking} must be given as well"
            yield PlanProblem("input-order", message, f"{at}/{token(lacking)}")
            return
        if option.name not in values and not option.many:
            lacking = lacking or option.name


def _skipped(command: ScriptCommand, name: str, value: Any) -> bool:
    option = next((option for option in command.options if option.name == name), None)
    return option is not None and _is_default(option, value)
