"""Keys for commands: the defaults, and what the user's keymap file makes of them.

The file is YAML, a command's id to a key, a list of keys, or nothing:

    problem.next: [f8, ctrl+n]
    file.save: ctrl+w
    theme.choose:
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from skillstudio.session.commands.commands import COMMANDS, Command
from skillstudio.text.node import Mapping, resolve, to_value
from skillstudio.text.source import Source, Span

NAMED = {
    "enter", "escape", "tab", "space", "backspace", "delete", "insert", "home", "end", "up",
    "down", "left", "right", "pageup", "pagedown", "slash", "question_mark",
}  # fmt: skip
TWINS = {
    "ctrl+h": "backspace",
    "ctrl+i": "tab",
    "ctrl+j": "a line feed",
    "ctrl+m": "enter",
    "ctrl+[": "escape",
    "ctrl+left_square_bracket": "escape",
}
"""Keys that an ordinary terminal sends as another key."""
PREFIXES = {"ctrl+a": "screen", "ctrl+b": "tmux"}
"""Keys that a multiplexer keeps for itself by default."""
SHOWN = {"slash": "/", "question_mark": "?", "escape": "esc"}


class KeymapProblem(NamedTuple):
    """What is wrong with a keymap file, and where; line and column from 1."""

    line: int
    column: int
    message: str


class Keymap(NamedTuple):
    """Keys by command id, and what was wrong with the file they came from."""

    keys: dict[str, tuple[str, ...]]
    problems: tuple[KeymapProblem, ...] = ()
    path: str = ""


def default_keymap() -> Keymap:
    """The keys of the command table."""
    return Keymap({command.id: command.keys for command in COMMANDS})


def read_keymap(source: Source) -> Keymap:
    """The defaults with a keymap file's changes; what it gets wrong stays at the default."""
    from skillstudio.text.reading import read

    document = read(source, "yaml", Span(0, len(source.text)))
    problems: list[KeymapProblem] = []

    def say(offset: int, message: str) -> None:
        problems.append(KeymapProblem(*source.position(offset), message))

    for fault in document.faults:
        say(fault.start, fault.message)
    keys = dict(default_keymap().keys)
    chosen: dict[str, int] = {}
    root = resolve(document.root)
    if not isinstance(root, Mapping):
        if source.text.strip():
            say(0, "a keymap is a mapping from command ids to keys")
        return Keymap(keys, tuple(problems), source.path)
    for entry in root.entries:
        if entry.name not in keys:
            say(entry.key.start, f"unknown command {entry.name!r}{_nearest(entry.name, keys)}")
            continue
        value = to_value(entry.value)
        wanted = [] if value in (None, "") else value if isinstance(value, list) else [value]
        good = []
        for key in wanted:
            name, fault_ = _key(key)
            if fault_:
                say(entry.value.start, fault_)
            if name:
                good.append(name)
        if good or not wanted:
            keys[entry.name] = tuple(good)
            chosen[entry.name] = entry.value.start
    for id_, offset in chosen.items():
        for key in keys[id_]:
            for other in clashing(id_, key, keys):
                if other in chosen and chosen[other] < offset:
                    say(offset, f"{key} is given to both {other} and {id_}; {other} keeps it")
                    keys[id_] = tuple(each for each in keys[id_] if each != key)
                elif other not in chosen:
                    say(offset, f"{key} is taken from {other}, which had it by default")
                    keys[other] = tuple(each for each in keys[other] if each != key)
    return Keymap(keys, tuple(sorted(problems)), source.path)


def clashing(id_: str, key: str, keys: dict[str, tuple[str, ...]]) -> list[str]:
    """The other commands that answer to a key where the command of `id_` does."""
    own = _BY_ID[id_].context
    return [
        other.id
        for other in COMMANDS
        if other.id != id_ and key in keys[other.id] and _meet(own, other.context)
    ]


def clashes(keys: dict[str, tuple[str, ...]]) -> list[tuple[str, str, str]]:
    """Every key that two commands answer to: the key and both ids, each pair once."""
    return [
        (key, command.id, other)
        for command in COMMANDS
        for key in keys[command.id]
        for other in clashing(command.id, key, keys)
        if command.id < other
    ]


def shown(key: str) -> str:
    """How a key is written on the screen: `ctrl+s` as `^s`."""
    return SHOWN.get(key) or ("^" + key[5:] if key.startswith("ctrl+") else key)


def all_shown(keys: Sequence[str]) -> str:
    """Several keys on the screen. F20 is what terminals make of shift+f8, so it is not told."""
    return " ".join(shown(key) for key in keys if key != "f20")


def _meet(one: str, other: str) -> bool:
    """Whether two contexts can hold at once."""
    if "wizard" in (one, other):
        return one == other
    return one == other or "everywhere" in (one, other) or {one, other} == {"outside", "list"}


def _key(key: object) -> tuple[str, str]:
    """A key's name as Textual has it, and what is wrong with it."""
    if not isinstance(key, str) or not key.strip():
        return "", f"a key is a name such as ctrl+s, f8 or n, not {key!r}"
    *modifiers, last = key.strip().split("+") if key.strip() != "+" else ["+"]
    if last == "" and modifiers:
        last = "+"
    modifiers = [each.lower() for each in modifiers if each]
    function = last.lower()[:1] == "f" and last[1:].isdecimal() and 1 <= int(last[1:]) <= 24
    if not set(modifiers) <= {"ctrl", "shift", "alt"}:
        return "", f"{key}: a key's modifiers are ctrl, alt and shift"
    if len(last) != 1 and last.lower() not in NAMED and not function:
        return "", f"{key}: no key is called {last!r}"
    name = last if len(last) == 1 and "ctrl" not in modifiers else last.lower()
    name = "+".join([*sorted(modifiers, key=["alt", "ctrl", "shift"].index), _long(name)])
    if name in TWINS:
        return "", f"{key}: a terminal sends it as {TWINS[name]}"
    if name in PREFIXES:
        return name, f"{key}: {PREFIXES[name]} keeps it for itself unless told otherwise"
    if "ctrl" in modifiers and ("shift" in modifiers or not last.isalpha()) and len(last) == 1:
        return name, f"{key}: only some terminals can send it"
    return name, ""


def _long(name: str) -> str:
    return {"/": "slash", "?": "question_mark"}.get(name, name)


def _nearest(name: str, known: dict[str, tuple[str, ...]]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]}?" if near else ""


_BY_ID: dict[str, Command] = {command.id: command for command in COMMANDS}
