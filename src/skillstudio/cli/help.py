"""Help pages: the list of commands, and one page for each."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from skillstudio.cli.arguments import Argument, Verb
from skillstudio.cli.exit_codes import MEANINGS
from skillstudio.cli.verbs import GROUPS, all_verbs

_WIDEST = 26  # Columns of the names of arguments; a longer one has a line of its own.


def overview() -> Iterator[str]:
    """The commands by group."""
    yield "skillstudio: a terminal workbench for people who write agent skills"
    yield ""
    yield "Usage: skillstudio [PATH]               Open the workbench"
    yield "       skillstudio COMMAND [OPTIONS]    Run one command and exit"
    verbs = all_verbs()
    width = max(map(len, verbs))
    for group, names in GROUPS.items():
        yield ""
        yield f"{group}:"
        yield from (f"  {name:<{width}}  {verbs[name].summary}" for name in names)
    yield ""
    yield "Run skillstudio help COMMAND for its arguments and examples."
    yield "A folder with the name of a command opens as ./check."


def page(verb: Verb) -> Iterator[str]:
    """The help of one verb."""
    from textwrap import wrap

    width = min(columns(), 100)
    yield verb.summary
    for paragraph in filter(None, verb.about.split("\n")):
        yield ""
        yield from wrap(paragraph, width)
    yield ""
    usage = ["skillstudio", verb.name, "[OPTIONS]"]
    usage += [each.spec for each in verb.arguments if each.required or not each.flags]
    usage += ["[-- ARGUMENT ...]"] if verb.takes_rest else []
    yield f"Usage: {' '.join(usage)}"
    arguments = list(verb.all_arguments())
    yield from _table("Arguments", [each for each in arguments if not each.flags], verb, width)
    yield from _table("Options", [each for each in arguments if each.flags], verb, width)
    if verb.examples:
        yield ""
        yield "Examples:"
        yield from (f"  skillstudio {each}" for each in verb.examples)
    meanings = {0: MEANINGS[0], 1: verb.fails, 2: MEANINGS[2]}
    meanings |= {each: MEANINGS[each] for each in verb.exits}
    yield ""
    yield "Exit status:"
    yield from (f"  {status:<3}  {meaning}" for status, meaning in meanings.items() if meaning)


def _table(title: str, arguments: Iterable[Argument], verb: Verb, width: int) -> Iterator[str]:
    from textwrap import wrap

    rows = [(each.spec, _about(each, verb)) for each in arguments]
    if not rows:
        return
    yield ""
    yield f"{title}:"
    names = min(max(len(name) for name, _ in rows), _WIDEST)
    for name, about in rows:
        lines = wrap(about, width - names - 4) or [""]
        if len(name) > names:
            yield f"  {name}"
        else:
            yield f"  {name:<{names}}  {lines.pop(0)}".rstrip()
        yield from (f"  {'':<{names}}  {line}" for line in lines)


def _about(argument: Argument, verb: Verb) -> str:
    about = argument.help
    choices = verb.all_formats() if argument.dest == "format" else argument.choices
    if any(each not in about for each in choices):
        about += f": {', '.join(choices)}"
    if argument.repeat:
        about += "; may be repeated"
    if argument.default not in (None, "", (), []) and "(default" not in about:
        default = argument.default
        shown = " ".join(map(str, default)) if argument.is_list else default
        about += f" (default: {shown})"
    return about


def columns() -> int:
    """The columns of the terminal, 80 if they are not known."""
    try:
        return int(os.environ.get("COLUMNS", "")) or os.get_terminal_size().columns
    except (ValueError, OSError):
        return 80
