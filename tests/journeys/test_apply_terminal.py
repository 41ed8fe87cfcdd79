"""An apply that was killed: the workbench makes it good when it opens, and says so once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.dryrun.applying.ground import Tree, make
from tests.journeys.terminal import Terminal, needs_tmux
from tests.journeys.test_terminal import SIZES, STUDIO

from skillstudio.dryrun.applying.apply import default_folder, is_cut_off

pytestmark = [needs_tmux, pytest.mark.slow]
KILLED = """
import os, signal, sys
from pathlib import Path
from skillstudio.dryrun.applying.apply import apply, default_folder
from tests.dryrun.applying.ground import changes
def steps(step):
    if step.startswith(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)
apply(changes(Path(sys.argv[1]), Path(sys.argv[2])), default_folder(), steps)
"""
SKILL = b"---\nname: say\ndescription: Says things. Use when things are said.\n---\nSay.\n"
MANY = {f"more/{number:03}.txt": b"three\n" for number in range(100)}
BEFORE: Tree = {"say/SKILL.md": SKILL, "notes.txt": b"one\n"}
AFTER: Tree = {"say/SKILL.md": SKILL, "notes.txt": b"two\n", **MANY}


@pytest.mark.parametrize(
    ("step", "said", "notes"),
    [("commit", "apply was rolled", "one\n"), ("put", "apply was completed", "two\n")],
)
@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_it_is_made_good_at_the_start(
    tmp_path: Path, columns: int, rows: int, step: str, said: str, notes: str
) -> None:
    real, copy = make(tmp_path / "real", BEFORE), make(tmp_path / "copy", AFTER)
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, str(real), str(copy), step],
        cwd=Path(__file__).parents[2],
        check=False,
    )
    assert ended.returncode == -9
    assert is_cut_off(default_folder())
    folders = [f"{name}={os.environ[name]}" for name in ("HOME", "XDG_STATE_HOME")
               if name in os.environ]  # fmt: skip
    command = ["env", *folders, "sh", "-c", 'cd "$0" && exec "$1" "$0"', str(real), STUDIO]
    for once in (True, False):
        terminal = Terminal(command, tmp_path, columns, rows)
        try:
            terminal.wait("name: say")
            if once:
                terminal.wait(said)
                terminal.wait("and 99 more")
            assert ("interrupted" in terminal.screen) == once
            terminal.press("C-q")
            terminal.wait("EXIT-0")
        finally:
            terminal.close()
        assert (real / "notes.txt").read_text() == notes
        assert (real / "more" / "099.txt").exists() == (step == "put")
    assert not is_cut_off(default_folder())
    assert sorted(each.name for each in real.iterdir() if each.name.startswith(".")) == []
