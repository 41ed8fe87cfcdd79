"""Keys for commands: the defaults, and the user's keymap file.

The file is YAML: the id of a command to a key, a list of keys, or nothing:

    problem.next: [f8, ctrl+n]
    file.save: ctrl+w
    theme.choose:
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from skillstudio.session.commands.commands import COMMANDS, Context
from skillstudio.text.nearest import nearest
from skillstudio.text.node import Mapping, resolve, to_value
from skillstudio.text.source import Source, Span

NAMED_KEYS = {
    "enter", "escape", "tab", "space", "backspace", "delete", "insert", "home", "end", "up",
    "down", "left", "right", "pageup", "pagedown", "slash", "question_mark",
    "plus", "minus", "equals_sign",
}  # fmt: skip
_SPELT = {
    "slash": "/", "question_mark": "?", "plus": "+", "minus": "-", "equals_sign": "=",
}  # fmt: skip
"""Keys as a user writes them."""
TWINS = {
    "ctrl+h": "backspace",
    "ctrl+i": "tab",
    "ctrl+j": "a line feed",
    "ctrl+m": "enter",
    "ctrl+[": "escape",
    "ctrl+left_square_bracket": "escape",
}
"""Keys that an ordinary terminal sends as another key."""
PREFIXES = {"ctrl+a": "screen", "ctrl+b": "tmux"}  # Keys that a multiplexer uses by default.
_WHERE: dict[Context, str] = {
    "outside": "outside of text fields",
    "tree": "in the skills",
    "editor": "in the editor",
    "run": "in Run",
    "preview": "in Preview",
    "tests": "in Tests",
    "follow": "while following",
    "wizard": "in a new skill",
}
_TYPED_KEYS = {*_SPELT, "space"}
KEY_LABELS = {**_SPELT, "escape": "esc"}


def is_typed(key: str) -> bool:
    """Whether a key writes a character into a text field."""
    return len(key) == 1 or key in _TYPED_KEYS


class KeymapProblem(NamedTuple):
    """A problem of a keymap file; line and column from 1."""

    line: int
    column: int
    message: str


class Keymap(NamedTuple):
    """Keys by command id, and the problems of their file."""

    keys: dict[str, tuple[str, ...]]
    problems: tuple[KeymapProblem, ...] = ()
    path: str = ""


def default_keymap() -> Keymap:
    """The keys of the command table."""
    return Keymap({command.id: command.keys for command in COMMANDS})


def read_keymap(source: Source) -> Keymap:
    """The defaults with the changes of a keymap file; invalid entries keep the default."""
    from skillstudio.text.reading import read

    document = read(source, "yaml", Span(0, len(source.text)))
    problems: list[KeymapProblem] = []

    def say(offset: int, message: str) -> None:
        problems.append(KeymapProblem(*source.position(offset), message))

    for fault in document.faults:
        say(fault.start, fault.message)
    keys = default_keymap().keys
    offsets: dict[str, int] = {}
    root = resolve(document.root)
    if not isinstance(root, Mapping) and source.text.strip():
        say(0, "a keymap must be a mapping from command ids to keys")
    for entry in root.entries if isinstance(root, Mapping) else ():
        if entry.name not in keys:
            near = nearest(entry.name, keys)
            advice = f"; did you mean {near}?" if near else ""
            say(entry.key.start, f"unknown command {entry.name!r}{advice}")
            continue
        value = to_value(entry.value)
        wanted_keys = [] if value in (None, "") else value if isinstance(value, list) else [value]
        good = []
        for key in wanted_keys:
            name, problem = _key(key)
            if problem:
                say(entry.value.start, problem)
            if name:
                good.append(name)
        if good or not wanted_keys:
            keys[entry.name] = tuple(good)
            offsets[entry.name] = entry.value.start
    for id_, offset in offsets.items():
        for key in keys[id_]:
            for other in find_clashes(id_, key, keys):
                if other in offsets and offsets[other] < offset:
                    say(offset, f"{key} is assigned to {other} and {id_}; {other} keeps it")
                    keys[id_] = tuple(bound_key for bound_key in keys[id_] if bound_key != key)
                elif other not in offsets:
                    say(offset, f"{key} is removed from {other}, whose default it is")
                    keys[other] = tuple(bound_key for bound_key in keys[other] if bound_key != key)
    return Keymap(keys, tuple(sorted(problems)), source.path)


def sample_keymap() -> str:
    """A keymap file with every command, its help and its default keys, all in comments."""
    lines = [
        "# Keys of the workbench. Remove the # before a line to change the keys of its command:",
        "# one key, a list of keys, or nothing for no key. Lines with # change nothing.",
        "# A key is a character or a name such as f8, enter or slash, with ctrl+, alt+ or shift+.",
    ]
    category = ""
    for command in COMMANDS:
        if command.category != category:
            category = command.category
            lines += ["", f"# {category}"]
        keys = ", ".join(json.dumps(_SPELT.get(key, key)) for key in command.keys)
        value = f" [{keys}]" if len(command.keys) > 1 else f" {keys}" if keys else ""
        where = "" if command.context == "everywhere" else f" ({_WHERE[command.context]})"
        lines += ["", f"# {command.title}{where}: {command.help}", f"#{command.id}:{value}"]
    return "\n".join([*lines, ""])


def find_clashes(id_: str, key: str, keys: dict[str, tuple[str, ...]]) -> list[str]:
    """The other commands with the same key in a context of the command `id_`."""
    context = next(command.context for command in COMMANDS if command.id == id_)
    return [
        other.id
        for other in COMMANDS
        if other.id != id_ and key in keys[other.id] and _meet(context, other.context)
    ]


def format_key(key: str) -> str:
    """A key as it is shown: `ctrl+s` as `^s`."""
    return KEY_LABELS.get(key) or ("^" + key[5:] if key.startswith("ctrl+") else key)


def key_shown_as(text: str) -> str:
    """The key that is shown as a text: `ctrl+s` for `^s`."""
    by_text = {name: key for key, name in KEY_LABELS.items()}
    return by_text.get(text) or (f"ctrl+{text[1:]}" if text[:1] == "^" and text[1:] else text)


def all_shown(keys: Sequence[str]) -> str:
    """Several keys as they are shown, without f20, which terminals send for shift+f8."""
    return " ".join(format_key(key) for key in keys if key != "f20")


def _meet(context: str, other: str) -> bool:
    """Whether two contexts can apply at once."""
    if "wizard" in (context, other):
        return context == other
    return (
        context == other
        or "everywhere" in (context, other)
        or {context, other} == {"outside", "tree"}
    )


def _key(key: object) -> tuple[str, str]:
    """A key's name in Textual, and a problem with it; one of them may be empty."""
    if not isinstance(key, str) or not key.strip():
        return "", f"a key must be a name such as ctrl+s, f8 or n, not {key!r}"
    *modifiers, last = key.strip().split("+") if key.strip() != "+" else ["+"]
    if last == "" and modifiers:
        last = "+"
    modifiers = [modifier.lower() for modifier in modifiers if modifier]
    function = last.lower()[:1] == "f" and last[1:].isdecimal() and 1 <= int(last[1:]) <= 24
    if not set(modifiers) <= {"ctrl", "shift", "alt"}:
        return "", f"{key}: unknown modifier; use ctrl, alt or shift"
    if len(last) != 1 and last.lower() not in NAMED_KEYS and not function:
        return "", f"{key}: unknown key {last!r}"
    name = last if len(last) == 1 and "ctrl" not in modifiers else last.lower()
    name = next((key for key, character in _SPELT.items() if character == name), name)
    name = "+".join([*sorted(modifiers), name])
    if name in TWINS:
        return "", f"{key}: terminals send it as {TWINS[name]}; choose another key"
    if name in PREFIXES:
        return name, f"{key}: {PREFIXES[name]} uses this key by default"
    # Every terminal sends ctrl+space as ctrl+@.
    is_plain = last.isalpha() or last == "@"
    if "ctrl" in modifiers and ("shift" in modifiers or not is_plain) and len(last) == 1:
        return name, f"{key}: only some terminals can send it"
    return name, ""
