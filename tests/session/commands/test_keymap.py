"""Keys: the defaults make sense, and a keymap file is read with every fault named."""

from __future__ import annotations

import re

import pytest

from skillstudio.session.commands.commands import COMMANDS, Command
from skillstudio.session.commands.keymap import (
    PREFIXES,
    TWINS,
    all_shown,
    default_keymap,
    find_clashes,
    format_key,
    read_keymap,
    sample_keymap,
)
from skillstudio.text.source import Source

LEGACY = {f"ctrl+{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"} | {"ctrl+space", "ctrl+@"}


def read(text: str) -> tuple[dict[str, tuple[str, ...]], list[tuple[int, str]]]:
    keymap = read_keymap(Source(text, "keymap.yaml"))
    return keymap.keys, [(problem.line, problem.message) for problem in keymap.problems]


def clashes(keys: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(id_, key) for id_ in keys for key in keys[id_] if find_clashes(id_, key, keys)]


def test_no_two_commands_have_the_same_default() -> None:
    assert clashes(default_keymap().keys) == []


def test_ids_are_unique() -> None:
    ids = [command.id for command in COMMANDS]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.id)
def test_every_default_works_in_an_ordinary_terminal(command: Command) -> None:
    for key in command.keys:
        assert key not in TWINS
        assert key not in PREFIXES
        if key.startswith("ctrl+"):
            assert key in LEGACY
    functions = [k for k in command.keys if k.lstrip("shift+").startswith("f") and k[-1].isdigit()]
    assert not functions or set(command.keys) - set(functions)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.id)
def test_every_command_is_told_and_has_its_twin(command: Command) -> None:
    assert command.title
    assert command.help.endswith(".")
    moves = command.category in ("pane", "view", "editor") or command.id == "app.back"
    assert command.twin or moves


def test_nothing_typed_in_a_text_field_is_a_command_everywhere() -> None:
    for command in COMMANDS:
        if command.context == "everywhere":
            assert any(len(key) > 1 for key in command.keys) or not command.keys


@pytest.mark.parametrize(
    ("text", "command", "keys"),
    [
        ("file.save: ctrl+w\n", "file.save", ("ctrl+w",)),
        ("problem.next: [f8, J]\n", "problem.next", ("f8", "J")),
        ("theme.choose:\n", "theme.choose", ()),
        ('help.show: "?"\n', "help.show", ("question_mark",)),
        ("file.save: Ctrl+W\n", "file.save", ("ctrl+w",)),
        ("", "file.save", ("ctrl+s",)),
    ],
)
def test_a_keymap_file_changes_what_it_names(
    text: str, command: str, keys: tuple[str, ...]
) -> None:
    found, problems = read(text)
    assert found[command] == keys
    assert problems == []


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("file.sav: ctrl+w\n", 1, "did you mean file.save?"),
        ("\nnonsense: x\n", 2, "unknown command 'nonsense'"),
        ("file.save: ctrl+h\n", 1, "terminals send it as backspace"),
        ("file.save: ctrl+i\n", 1, "terminals send it as tab"),
        ("file.save: ctrl+b\n", 1, "tmux uses this key"),
        ("file.save: ctrl+shift+s\n", 1, "only some terminals"),
        ("file.save: ctrl+.\n", 1, "only some terminals"),
        ("file.save: hyper+s\n", 1, "use ctrl, alt or shift"),
        ("file.save: f99\n", 1, "unknown key"),
        ("file.save: 7\n", 1, "a key must be a name"),
        ("file.save: ctrl+q\n", 1, "removed from app.quit"),
        ("file.save: f8\nedit.undo: f8\n", 2, "assigned to file.save and edit.undo"),
        ("- file.save\n", 1, "a mapping"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, line: int, part: str) -> None:
    _, problems = read(text)
    assert any(at == line and part in message for at, message in problems), problems


def test_after_a_clash_each_key_does_one_thing() -> None:
    found, _ = read("file.save: ctrl+q\nedit.undo: f8\nedit.redo: f8\n")
    assert clashes(found) == []
    assert "ctrl+q" not in found["app.quit"]
    assert found["edit.undo"] == ("f8",)
    assert found["edit.redo"] == ()


def test_keys_are_shown_as_people_write_them() -> None:
    assert format_key("ctrl+s") == "^s"
    assert format_key("question_mark") == "?"
    assert all_shown(("shift+f8", "f20", "ctrl+r")) == "shift+f8 ^r"


def test_the_sample_changes_nothing_until_its_comments_are_removed() -> None:
    sample = sample_keymap()
    keymap = read_keymap(Source(sample, "keymap.yaml"))
    assert (keymap.keys, keymap.problems) == (default_keymap().keys, ())
    entries = re.findall(r"^#(\w[\w-]*\.[\w-]+:.*)$", sample, re.MULTILINE)
    assert len(entries) == len(COMMANDS)
    keymap = read_keymap(Source("\n".join(entries), "keymap.yaml"))
    assert (keymap.keys, keymap.problems) == (default_keymap().keys, ())


def test_the_sample_describes_every_command() -> None:
    sample = sample_keymap()
    assert all(f"{command.title}" in sample and command.help in sample for command in COMMANDS)
    assert '#file.save: "ctrl+s"' in sample
    assert max(map(len, sample.splitlines())) < 300
