"""The arguments of a script as inputs with schemas, and the values of inputs as arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from skillstudio.dryrun.plan import PlanProblem
from skillstudio.dryrun.planning.typed import MAX_ARGUMENT, render_value
from skillstudio.interface.model import ABSENT, Input, Operation, token
from skillstudio.text.safe import safe_text
from skillstudio.text.scripts.model import NOTHING, ScriptCommand, ScriptOption

_MANY = "one value per line"


def with_script(operation: Operation, command: ScriptCommand) -> Operation:
    """An operation with the arguments of a script as further inputs.

    An argument with the name of a declared input gets the value of that input.
    """
    declared_names = {input_.name for input_ in operation.inputs}
    script_inputs = tuple(
        _input(option) for option in command.options if option.name not in declared_names
    )
    return operation._replace(
        description=operation.description or safe_text(command.about),
        inputs=(*operation.inputs, *script_inputs),
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
    arguments = [
        (option, values[option.name])
        for option in command.options
        if option.name in values and not _is_default(option, values[option.name])
    ]
    first = set(command.options[: command.before])
    before = [
        word for option, value in arguments if option in first for word in _words(option, value)
    ]
    # An option with any number of values would take what follows it, too.
    flag_arguments = [
        (option, value) for option, value in arguments if option not in first and option.flags
    ]
    flag_arguments.sort(key=lambda pair: not _takes_following(pair[0]))
    after = [word for option, value in flag_arguments for word in _words(option, value)]
    # What comes before another place, or before an option, cannot be left out.
    last = command.lead if flag_arguments else 0
    places = [option for option in command.places if option not in first]
    given_names = {option.name for option, _ in arguments}
    for at, option in enumerate(places):
        last = max(last, at + 1) if option.name in given_names else last
    lead = [*_fill_places(places[: min(command.lead, last)], values)]
    later_places = places[command.lead :]
    words = [*_fill_places(places[command.lead : last], values)]
    is_taken = bool(words and flag_arguments) and _takes_following(flag_arguments[-1][0])
    if command.certain and (
        is_taken or any(word.startswith("-") for word in _before_rest(later_places, values))
    ):
        words.insert(0, "--")
    return (*before, *command.name.split(), *lead, *after, *words)


def _fill_places(places: Sequence[ScriptOption], values: Mapping[str, Any]) -> Iterator[str]:
    """The words of positional arguments, with the defaults of those that are not given."""
    for option in places:
        value = values.get(option.name, option.default)
        if value is not NOTHING and value is not None:
            yield from _words(option, value)


def _takes_following(option: ScriptOption) -> bool:
    """Whether an option takes every word up to the next option as a value."""
    return option.many and not (option.repeats or option.exactly or option.is_joined)


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
    texts = [render_value(element) for element in values]
    if not option.flags:
        yield from texts
        return
    is_repeated = option.many and len(texts) > 1 and option.repeats
    for part in [[text] for text in texts] if is_repeated else [texts]:
        is_dashed = len(part) == 1 and part[0].startswith("-")
        if option.is_joined or (is_dashed and option.flag.startswith("--")):
            yield from (f"{option.flag}={text}" for text in part)
        else:
            yield option.flag
            yield from part


def script_problems(
    command: ScriptCommand, operation: Operation, values: Mapping[str, Any]
) -> Iterator[PlanProblem]:
    """Values that a script cannot take together."""
    at = f"{operation.pointer}/inputs"
    given_names = {name for name in values if not _is_skipped(command, name, values[name])}
    for group in command.groups:
        names = [name for name in group.names if name in given_names]
        if len(names) > 1:
            message = f"give only one of {', '.join(names)}"
            yield PlanProblem("input-exclusive", message, f"{at}/{token(names[1])}")
        elif group.required and not names:
            message = f"one of {', '.join(group.names)} is required"
            yield PlanProblem("input-missing", message, f"{at}/{token(group.names[0])}")
    missing_name = ""
    for option in command.places:
        if option.name in values and missing_name and option.name in given_names:
            message = (
                f"{option.name} comes after {missing_name}, so {missing_name} must be given as well"
            )
            yield PlanProblem("input-order", message, f"{at}/{token(missing_name)}")
            return
        if option.name not in values and not option.many:
            missing_name = missing_name or option.name


def _is_skipped(command: ScriptCommand, name: str, value: Any) -> bool:
    option = next((option for option in command.options if option.name == name), None)
    return option is not None and _is_default(option, value)
