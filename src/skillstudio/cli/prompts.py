"""Ask a template's questions at a terminal, one line each; prompts go to standard error."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from skillstudio.cli.output import UsageError, say
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.scaffold.new.interview import AskedQuestion, Interview


def can_ask() -> bool:
    """Whether a person can answer."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def ask_all(interview: Interview, given: dict[str, Any]) -> list[AskedQuestion]:
    """Ask every question without an answer, again if the answer is invalid.

    The answers are added to `given`. Raises UsageError if the input ends.
    """
    while True:
        asked = interview.walk(given)
        following = next((each for each in asked if each.open or each.problems), None)
        if following is None:
            return asked
        if following.name in given:
            for sentence in following.sentences:
                say(sentence)
        given[following.name] = _answer(following)


def choose(what: str, names: list[tuple[str, str]]) -> str:
    """Let the user choose one of some names by number or name."""
    width = max(len(name) for name, _ in names)
    for number, (name, about) in enumerate(names, 1):
        say(f"{number:>3}  {name:<{width}}  {about}")
    while True:
        line = _line(f"{what} [{names[0][0]}]: ").strip() or names[0][0]
        if line.isdecimal() and 1 <= int(line) <= len(names):
            return names[int(line) - 1][0]
        if line in dict(names):
            return line
        say(f"{line} is not one of these")


def _answer(asked: AskedQuestion) -> Any:
    """The user's answer, or the default if it is empty."""
    from skillstudio.scaffold.new.template import MISSING

    say(f"{asked.name}: {asked.help.strip() or asked.type}")
    for number, choice in enumerate(asked.choices, 1):
        refused = f" (unavailable: {choice.refused})" if choice.refused else ""
        say(f"  {number}. {choice.label}{refused}")
    shown = "" if asked.default is MISSING else _shown(asked)
    line = _line(f"  [{shown}]: " if shown else "  : ", asked.question.secret)
    if not line:
        return "" if asked.default is MISSING else asked.default
    chosen = asked.choices if not asked.question.multiselect else ()
    if chosen and line.strip().isdecimal() and 1 <= int(line) <= len(chosen):
        return chosen[int(line) - 1].value
    return line


def _shown(asked: AskedQuestion) -> str:
    if asked.question.secret:
        return "the template's default"
    if isinstance(asked.default, bool):
        return "yes" if asked.default else "no"
    return str(asked.default)


def _line(prompt: str, secret: bool = False) -> str:
    """A line of the terminal. Raises UsageError if the input ends."""
    try:
        if secret:
            from getpass import getpass

            return getpass(safe_text(prompt))
        print(safe_text(prompt), end="", file=sys.stderr, flush=True)
        return input()
    except EOFError:
        raise UsageError("the input ended before all questions were answered") from None
