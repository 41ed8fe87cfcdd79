"""Help pages: the list of commands, and one page for each."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from skillstudio.cli.arguments import Argument, Verb
from skillstudio.cli.exit_codes import MEANINGS
from skillstudio.cli.verbs import GROUPS, all_verbs
from skillstudio.resources import docs_address

_WIDEST = 26  # Columns of the names of arguments; a longer one has a line of its own.


def overview() -> Iterator[str]:
    """The commands by group."""
    yield "skillstudio: a terminal workbench for people who write agent skills"
    yield ""
    yield "Usage: skillstudio [PATH]               Open the workbench"
    yield "       skillstudio --plain [PATH]       List problems and commands, for screen readers"
    yield "       skillstudio COMMAND [OPTIONS]    Run one command and exit"
    verbs = all_verbs()
    width = max(map(len, verbs))
    for group, names in GROUPS.items():
        yield ""
        yield f"{group}:"
        yield from (f"  {name:<{width}}  {verbs[name].summary}" for name in names)
    yield ""
    yield "Run skillstudio help COMMAND for its arguments and examples."
    yield "Run skillstudio help environment for the environment variables."
    yield "A folder with the name of a command opens as ./check."
    yield from _documentation("")


def page(verb: Verb) -> Iterator[str]:
    """The help of one verb."""
    from textwrap import wrap

    width = page_width()
    yield verb.summary
    for paragraph in filter(None, verb.about.split("\n")):
        yield ""
        yield from wrap(paragraph, width)
    yield ""
    yield f"Usage: {usage(verb)}"
    arguments = list(verb.all_arguments())
    yield from _table(
        "Arguments", [argument for argument in arguments if not argument.flags], verb, width
    )
    yield from _table(
        "Options", [argument for argument in arguments if argument.flags], verb, width
    )
    if verb.examples:
        yield ""
        yield "Examples:"
        yield from (f"  skillstudio {example}" for example in verb.examples)
    yield ""
    yield "Exit status:"
    yield from (f"  {status:<3}  {meaning}" for status, meaning in exit_statuses(verb).items())
    yield from _documentation(f"commands/#{verb.name}")


def _documentation(place: str) -> Iterator[str]:
    """Where the documentation is, if the package names its address."""
    if address := docs_address():
        yield ""
        yield f"Documentation: {address}/{place}"


def usage(verb: Verb) -> str:
    """How a verb is called, in one line."""
    words = ["skillstudio", verb.name, "[OPTIONS]"]
    words += [
        argument.spec for argument in verb.arguments if argument.required or not argument.flags
    ]
    words += ["[-- ARGUMENT ...]"] if verb.takes_rest else []
    return " ".join(words)


def exit_statuses(verb: Verb) -> dict[int, str]:
    """The exit statuses of a verb with their meaning."""
    meanings = {0: MEANINGS[0], 1: verb.fails, 2: MEANINGS[2]}
    meanings |= {status: MEANINGS[status] for status in verb.exits}
    return {status: meaning for status, meaning in meanings.items() if meaning}


def _table(title: str, arguments: Iterable[Argument], verb: Verb, width: int) -> Iterator[str]:
    from textwrap import wrap

    rows = [(argument.spec, about(argument, verb)) for argument in arguments]
    if not rows:
        return
    yield ""
    yield f"{title}:"
    names = min(max(len(name) for name, _ in rows), _WIDEST)
    for name, text in rows:
        lines = wrap(text, width - names - 4) or [""]
        if len(name) > names:
            yield f"  {name}"
        else:
            yield f"  {name:<{names}}  {lines.pop(0)}".rstrip()
        yield from (f"  {'':<{names}}  {line}" for line in lines)


def about(argument: Argument, verb: Verb) -> str:
    """What an argument means, with its choices and its default."""
    text = argument.help
    choices = verb.all_formats() if argument.dest == "format" else argument.choices
    if any(choice not in text for choice in choices):
        text += f": {', '.join(choices)}"
    if argument.repeat:
        text += "; may be repeated" + ", or a list with commas" * argument.split
    if argument.default not in (None, "", (), []) and "(default" not in text:
        default = argument.default
        default_text = " ".join(map(str, default)) if argument.is_list else default
        text += f" (default: {default_text})"
    if argument.env:
        text += f" [env: {argument.env}]"
    return text


def page_width() -> int:
    """The columns of a page: those of the terminal, with a limit for reading."""
    return min(columns(), 100)


def columns() -> int:
    """The columns of the terminal, 80 if they are not known."""
    try:
        return int(os.environ.get("COLUMNS", "")) or os.get_terminal_size().columns
    except (ValueError, OSError):
        return 80
