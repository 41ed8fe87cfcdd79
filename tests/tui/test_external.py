"""Other programs get a copy, and whatever goes wrong is a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from textual.app import SuspendNotSupported

from skillstudio.tui.external import edit_outside, look_outside


class Terminal:
    """An app that hands its terminal over, or cannot."""

    def __init__(self, can: bool = True) -> None:
        self._can = can

    @contextmanager
    def suspend(self) -> Iterator[None]:
        if not self._can:
            raise SuspendNotSupported
        yield


EDITED: list[tuple[str, str, bool, str, tuple[str | None, str]]] = [
    ("sed -i s/one/two/", "a.md", True, "one", ("two", "")),
    ("", "a.md", True, "one", (None, "neither $VISUAL nor $EDITOR is set")),
    ("'", "a.md", True, "one", (None, "': No closing quotation")),
    ("no-such-editor", "a.md", True, "one", (None, "no-such-editor: No such file or directory")),
    ("false", "a.md", True, "one",
     (None, "false ended with status 1; the text is unchanged")),
    ("true", "a.md", False, "one", (None, "other programs cannot use this terminal")),
    ("true", "n" * 300, True, "one", (None, "cannot create a copy: File name too long")),
    (r"sh -c 'printf \\377 > $0'", "a.md", True, "one",
     (None, "the edited text is not UTF-8; the text is unchanged")),
    ("rm", "a.md", True, "one",
     (None, "cannot read the edited text: No such file or directory")),
]  # fmt: skip


@pytest.mark.parametrize(("editor", "path", "can", "text", "expected"), EDITED)
def test_a_text_comes_back_or_the_reason_does(
    monkeypatch: pytest.MonkeyPatch,
    editor: str,
    path: str,
    can: bool,
    text: str,
    expected: tuple[str | None, str],
) -> None:
    monkeypatch.setenv("EDITOR", editor)
    monkeypatch.setenv("LC_ALL", "C")
    app: Any = Terminal(can)
    assert edit_outside(app, path, text) == expected


LOOKED = [
    ("grep -q shown", ""),
    ("grep -q hidden", "grep ended with status 1"),
    ("sh -c 'test $(stat -c %a \"$0\") = 400'", ""),
    (" ", "no program to run"),
]


@pytest.mark.parametrize(("command", "expected"), LOOKED)
def test_a_copy_is_shown_and_protected(command: str, expected: str) -> None:
    app: Any = Terminal()
    assert look_outside(app, command, "a.txt", [b"what is ", b"shown"]) == expected
