"""What the commands of an operation run: programs, subcommands, and what they destroy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from typing import Any, Literal, NamedTuple

from skillstudio.resources import toml_table
from skillstudio.text.command_line import read_command
from skillstudio.text.shell import Call, calls

CommandAction = Literal["program-changed", "subcommand-changed", "changed"]
_DEEPEST = 5  # Commands within commands, such as `sudo env bash -c "…"`.
_SHORT = 2  # Characters of an option such as -f, which may be part of -rf.


class DestructiveCall(NamedTuple):
    """A row of commands.toml: a command that destroys data."""

    words: tuple[str, ...]
    """Globs for the program and its subcommands; `**` is any number of words."""
    options: tuple[str, ...]  # At least one of them is given; empty if none is needed.
    texts: tuple[str, ...]  # At least one occurs in an argument; empty if none is needed.
    why: str


def command_calls(command: str | Sequence[str]) -> tuple[Call, ...]:
    """The programs that a shell command or an argv starts, also through others such as sudo."""
    return _calls(command if isinstance(command, str) else tuple(command))


def command_action(old: str | Sequence[str], new: str | Sequence[str]) -> CommandAction:
    """What differs between two commands; `changed` if both start the same with other arguments."""
    before, after = command_calls(old), command_calls(new)
    if [_program(call) for call in before] != [_program(call) for call in after]:
        return "program-changed"
    if list(map(_subcommand, before)) != list(map(_subcommand, after)):
        return "subcommand-changed"
    return "changed"


def destroys(command: str | Sequence[str]) -> dict[str, str]:
    """The destructive calls of a command, shortened to what makes them so, with what they do."""
    reasons = {}
    for call in command_calls(command):
        program = _program(call)
        rows = _destructive().get(program, ())
        if "depth" not in _row(program):
            rows = (*rows, *_destructive()["*"])
        for row in rows:
            if name := _find_match(row, call):
                reasons[name] = row.why
    return reasons


@lru_cache(maxsize=512)
def _calls(command: str | tuple[str, ...]) -> tuple[Call, ...]:
    outer_calls = calls(command) if isinstance(command, str) else (command,) if command else ()
    return tuple(inner_call for call in outer_calls for inner_call in _expand_call(call, 0))


def _expand_call(call: Call, depth: int) -> Iterator[Call]:
    """A call and those that it starts: the command after sudo, the script of `sh -c`."""
    yield call
    if depth > _DEEPEST:
        return
    row = _row(_program(call))
    words = [word or "" for word in call]
    command = read_command(words)
    scripts = [words[index] for index in command.scripts if index < len(words)]
    if scripts and row.get("shell"):
        for inner in calls(" ".join(scripts)):
            yield from _expand_call(inner, depth + 1)
    elif "starts" in row:
        at = next((i + 1 for i, word in enumerate(words) if word in row["starts"]), 0)
        if at and at < len(call):
            yield from _expand_call(call[at:], depth + 1)
    elif row.get("wrapper"):
        at = _after_options(call, row)
        if at < len(call):
            yield from _expand_call(call[at:], depth + 1)


def _after_options(call: Call, row: Mapping[str, Any]) -> int:
    """The index of the first word that is no option, no value of one, and no assignment."""
    at = 1
    while at < len(call):
        word = call[at] or ""
        if word in row.get("values", ()):
            at += 2
        elif word.startswith("-") or "=" in word or word[:1].isdigit():
            at += 1
        else:
            break
    return at


def _program(call: Call) -> str:
    """The name of the program without folder and `.exe`; "" if only known at run time."""
    name = (call[0] or "").replace("\\", "/").rpartition("/")[2]
    return name.removesuffix(".exe").lower()


def _subcommand(call: Call) -> tuple[str | None, ...]:
    """The words that choose what a program does: subcommands, or the script of an interpreter."""
    row = _row(_program(call))
    command = read_command([word or "" for word in call])
    if command.file:
        return (call[command.file],)
    if command.scripts or row.get("wrapper") or "starts" in row:
        return ()
    if "depth" not in row:
        # The first argument of an unknown program may be a subcommand, its value may not.
        first = call[1] if len(call) > 1 else None
        return (first,) if first and first.replace("-", "").isalpha() and first[0] != "-" else ()
    return tuple(_plain_words(call, row))[: row["depth"]]


def _plain_words(call: Call, row: Mapping[str, Any]) -> Iterator[str | None]:
    """The words after the program that are no options and no values of options."""
    takes_value = False
    for word in call[1:]:
        if takes_value:
            takes_value = False
        elif word is not None and word.startswith("-") and len(word) > 1:
            takes_value = word in row.get("values", ())
        else:
            yield word


def _find_match(row: DestructiveCall, call: Call) -> str:
    """The words, option and text of a call that match a row; "" if it does not match."""
    words = (_program(call), *_plain_words(call, _row(_program(call))))
    size = _matched_words(row.words, words)
    option = next((option for option in row.options if _has_option(call, option)), "")
    text = next((text for text in row.texts if _has_text(call, text)), "")
    if not size or (row.options and not option) or (row.texts and not text):
        return ""
    return " ".join(word for word in (*words[:size], option, text.strip()) if word)


def _matched_words(globs: tuple[str, ...], words: tuple[str | None, ...]) -> int:
    """How many words the globs match, from the first one; 0 for none."""
    if globs[0] == "**":
        for at in range(len(words)):
            if count := _matched_words(globs[1:], words[at:]):
                return at + count
        return 0
    if not words or words[0] is None or not fnmatchcase(words[0].lower(), globs[0]):
        return 0
    if len(globs) == 1:
        return 1
    count = _matched_words(globs[1:], words[1:])
    return count and count + 1


def _has_option(call: Call, option: str) -> bool:
    for word in call[1:]:
        if word is None:
            continue
        if word == option or word.startswith(f"{option}="):
            return True
        is_cluster = len(option) == _SHORT and word[:1] == "-" and word[1:2] != "-"
        if is_cluster and word[1:].isalpha() and option[1] in word:
            return True
    return False


def _has_text(call: Call, text: str) -> bool:
    return any(text in " ".join((word or "").lower().split()) for word in call[1:])


def _row(program: str) -> Mapping[str, Any]:
    table: Mapping[str, Any] = toml_table(__file__, "commands.toml")["program"]
    row: Mapping[str, Any] = table.get(program, {})
    return row


@cache
def _destructive() -> dict[str, list[DestructiveCall]]:
    """The rows of the table by program, `*` those of every program."""
    rows: dict[str, list[DestructiveCall]] = {"*": []}
    for table in toml_table(__file__, "commands.toml")["destructive"]:
        for command in table["commands"]:
            words = tuple(command.split())
            row = DestructiveCall(
                words, tuple(table.get("options", ())), tuple(table.get("texts", ())), table["why"]
            )
            rows.setdefault(words[0], []).append(row)
    return rows
