"""Keys that arrive in one read, in a terminal as tmux is by default, 80 columns by 24."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.journeys.terminal import Terminal, needs_tmux
from tests.journeys.test_terminal import STUDIO

pytestmark = [needs_tmux, pytest.mark.slow]

SKILL = "---\nname: {0}\ndescription: Does one thing well.\n---\n# {0}\n"


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    for name in ("alpha", "beta"):
        folder = tmp_path / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(SKILL.format(name))
    opened = Terminal([STUDIO, "skills"], tmp_path, 80, 24)
    opened.wait("beta")
    yield opened
    opened.close()


def open_alpha(terminal: Terminal) -> None:
    """Open the first skill, and go into its text."""
    terminal.press("Enter")
    to_text(terminal)


def to_text(terminal: Terminal) -> None:
    terminal.wait(
        lambda screen: "description: Does one thing" in screen and "enter to the text" in screen
    )
    terminal.press("Enter")
    terminal.wait("[Edit")


@pytest.mark.parametrize(
    ("key", "title", "answers"),
    [("F9", "Themes", ["Enter", "Enter"]), ("C-l", "Go to a skill", ["Escape", "Escape"])],
)
def test_two_keys_leave_the_workbench_standing(
    terminal: Terminal, key: str, title: str, answers: list[str]
) -> None:
    terminal.press(key)
    terminal.wait(title)
    terminal.press(*answers)
    terminal.wait(lambda screen: title not in screen and "s Skills " in screen)
    terminal.press("F1")
    terminal.wait("Help")


def test_two_letters_answer_one_question(terminal: Terminal) -> None:
    open_alpha(terminal)
    terminal.type("x")
    terminal.wait("unsaved")
    terminal.press("C-q")
    terminal.wait("Unsaved changes")
    terminal.type("cc")
    terminal.wait(lambda screen: "Unsaved changes" not in screen and "unsaved" in screen)
    assert "name: alpha" in terminal.screen
    assert "cname" not in terminal.screen
    terminal.press("C-z")
    terminal.wait(lambda screen: "unsaved" not in screen)


def test_escape_and_a_digit_within_half_a_second_switch_the_view(tmp_path: Path) -> None:
    """A tmux within the tmux, so that keys come to it as from a keyboard."""
    folder = tmp_path / "skills" / "alpha"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL.format("alpha"))
    program = f"env -u COLUMNS -u LINES {shlex.quote(STUDIO)} skills"
    socket = str(tmp_path / "inner")
    inner = ["env", "-u", "TMUX", "tmux", "-S", socket, "-f", "/dev/null", "new-session", program]
    outer = Terminal(inner, tmp_path, 80, 24)
    try:
        # The only skill is opened without a key.
        to_text(outer)
        outer._tmux("send-keys", "-t", "it", "Escape", ";", "send-keys", "-t", "it", "2")
        outer.wait("[2 Form")
        assert "unsaved" not in outer.screen
        outer._tmux("send-keys", "-t", "it", "Escape", ";", "send-keys", "-t", "it", "1")
        screen = outer.wait("[1 Edit")
        assert not set("¡™£¢∞") & set(screen)
    finally:
        outer._tmux("send-keys", "-t", "it", "C-q")
        outer.close()
