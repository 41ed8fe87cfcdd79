"""An operation run in a real terminal: filled in wrongly, run, ended, run again, held against."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.dryrun.skills import block_skill, offered
from tests.journeys.terminal import Terminal, needs_tmux
from tests.journeys.test_terminal import SIZES, STUDIO

pytestmark = [needs_tmux, pytest.mark.slow]
SCRIPT = """case "$1" in slow) echo begun; while :; do sleep 1; done;; esac
echo "said $1" >> said.txt
echo '{"status": "ok", "count": '$2'}'
"""
INPUTS = {
    "word": {"type": "string", "required": True, "description": "What to say"},
    "count": {"type": "integer", "required": False, "default": 1},
}
FIELDS = {"status": "ok | error", "count": "integer"}
Open = Callable[[int, int], Terminal]


@pytest.fixture
def skills(tmp_path: Path) -> Path:
    """A skill that declares no effect and writes a file."""
    offered("copy")
    folder = tmp_path / "skills"
    block_skill(folder / "say", SCRIPT, inputs=INPUTS, fields=FIELDS, effects=[])
    return folder


@pytest.fixture
def studio(skills: Path, tmp_path: Path) -> Iterator[Open]:
    opened: list[Terminal] = []

    def start(columns: int, rows: int) -> Terminal:
        command = ["env", f"HOME={os.environ['HOME']}", "sh", "-c", 'cd "$0" && exec "$1" "$0"']
        opened.append(Terminal([*command, str(skills), STUDIO], tmp_path, columns, rows))
        return opened[-1]

    yield start
    for terminal in opened:
        terminal.close()


def to_run(terminal: Terminal) -> None:
    terminal.to_skills("name: say")
    terminal.press("3")
    terminal.wait("✗ Can't run yet: `word` is required")


def on_copies(terminal: Terminal) -> None:
    """Take the isolation level that every machine has."""
    terminal.press("u")
    terminal.wait("Isolation level")
    terminal.type("copy")
    terminal.wait(lambda screen: "strongest" not in screen)
    terminal.press("Enter")
    terminal.wait("u copy · network")


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_fill_wrongly_run_end_run_again_read_effects_hold_two_against_each_other(
    studio: Open, skills: Path, columns: int, rows: int
) -> None:
    terminal = studio(columns, rows)
    to_run(terminal)
    on_copies(terminal)

    # Wrongly: told at the field and above it, and f5 starts nothing.
    terminal.press("e")
    terminal.wait("▌word*")
    terminal.type("slow")
    terminal.wait("sh go.script slow 1")
    terminal.press("Enter")
    terminal.wait("▌count")
    terminal.type("often")
    terminal.wait("✗ Can't run yet: `count` is invalid")
    terminal.wait("✗ count")
    terminal.press("F5")
    terminal.wait("not run: `count`")
    terminal.wait("▌count")
    terminal.press("C-u")
    terminal.wait("✓ ready")
    terminal.type("2")
    terminal.wait("sh go.script slow 2")
    terminal.wait("✓ ready")

    # It goes on until it is ended; the terminal is still there.
    terminal.press("F5")
    terminal.wait("begun")
    terminal.wait("s left")
    terminal.press("C-c")
    terminal.wait("✗ cancelled after")

    # With another word it ends by itself, and did what it does not declare.
    terminal.press("e")
    terminal.wait("▌word*")
    terminal.press("C-u")
    terminal.type("tea")
    terminal.press("F5")
    terminal.wait("✗ 1 undeclared effect: ")
    screen = terminal.wait("fs.write")
    assert "undeclared" in screen
    assert "said.txt" in screen
    assert not (skills / "say" / "said.txt").exists()

    # The manifest declares it now: the same inputs again by one key.
    block_skill(skills / "say", SCRIPT, inputs=INPUTS, fields=FIELDS, effects=["fs.write"])
    terminal.press("r")
    terminal.wait("✓ as declared · exit 0")

    # Against the one before, which the list shows first.
    terminal.press("v")
    terminal.wait("Compare with which run?")
    terminal.press("Enter")
    terminal.wait("before  ")
    terminal.wait("fs.write: undeclared (not declared)")
    terminal.wait("declared-observed now")
    assert not (skills / "say" / "said.txt").exists()

    terminal.press("C-q")
    terminal.wait("EXIT-0")
