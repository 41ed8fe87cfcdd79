"""Screens with the user's keys: a class for each set of keys, and one only."""

from __future__ import annotations

from skillstudio.session.commands.keymap import default_keymap
from skillstudio.tui.bindings import with_keys
from skillstudio.tui.screens.workbench import Workbench


def test_the_same_keys_are_the_same_class() -> None:
    assert with_keys(Workbench, default_keymap()) is with_keys(Workbench, default_keymap())


def test_other_keys_are_another_class() -> None:
    keymap = default_keymap()
    other = keymap._replace(keys={**keymap.keys, "app.quit": ("f9",)})
    screen = with_keys(Workbench, other)
    assert screen is not with_keys(Workbench, keymap)
    assert [each.key for each in screen.BINDINGS if "app.quit" in each.action] == ["f9"]
