"""Completion in real shells: the tab key completes commands, options, values and paths."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.dryrun.skills import block_skill
from tests.journeys.terminal import Terminal, needs_tmux

pytestmark = [pytest.mark.slow, needs_tmux]
SHELLS = {
    "bash": (["bash", "--norc", "-i"], "PS1='> '; source {script}"),
    "zsh": (["zsh", "-f", "-i"],
        "PS1='> '; autoload -U compinit; compinit -u -D; source {script}"),
    "fish": (["fish", "--no-config", "--private"],
        "function fish_prompt; echo -n '> '; end; set -g fish_autosuggestion_enabled 0; "
        "source {script}"),
}  # fmt: skip
LINES = [
    ("skillstudio doct", "skillstudio doctor"),
    ("skillstudio check --fail-o", "skillstudio check --fail-on"),
    ("skillstudio check --fail-on war", "skillstudio check --fail-on warning"),
    ("skillstudio check --format=sari", "skillstudio check --format=sarif"),
    ("skillstudio check --target claude-c", "skillstudio check --target claude-code"),
    ("skillstudio check --ignore name-fol", "skillstudio check --ignore name-folder"),
    ("skillstudio check my-sk", "skillstudio check my-skill/"),
    ("skillstudio check --output-file my-sk", "skillstudio check --output-file my-skill/"),
    ("skillstudio explain name-fol", "skillstudio explain name-folder"),
    ("skillstudio config k", "skillstudio config keys"),
    ("skillstudio config schema setti", "skillstudio config schema settings"),
    ("skillstudio help wai", "skillstudio help waive"),
    ("skillstudio my-sk", "skillstudio my-skill/"),
    ("skillstudio --plain my-sk", "skillstudio --plain my-skill/"),
    # What depends on files.
    ("skillstudio run big-t", "skillstudio run big-tool"),
    ("skillstudio run big-tool g", "skillstudio run big-tool go"),
    ("skillstudio run big-tool go --sample sec", "skillstudio run big-tool go --sample second"),
    ("skillstudio run big-tool go -i wo", "skillstudio run big-tool go -i word"),
    ("skillstudio check my-skill/ too", "skillstudio check my-skill/ tools/"),
    ("skillstudio trace show la", "skillstudio trace show last"),
    # An argument that is no path is not completed with one.
    ("skillstudio explain my-sk", "skillstudio explain my-sk"),
    ("skillstudio waive --reason my-sk", "skillstudio waive --reason my-sk"),
]


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest, run: Run, tmp_path: Path) -> Iterator[Terminal]:
    """A shell that has read the script, in a folder with a skill."""
    name = request.param
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    script = tmp_path / "script"
    script.write_text(run("completion", name).out)
    work = tmp_path / "work"
    (work / "my-skill").mkdir(parents=True)
    tool = block_skill(work / "tools" / "big-tool", "exit 0", inputs={"word": {"type": "string"}})
    (tool / "samples" / "go").mkdir(parents=True)
    (tool / "samples" / "go" / "second.yaml").write_text("inputs: {}\n")
    words, setup = SHELLS[name]
    path = f"PATH={os.path.dirname(sys.executable)}:{os.environ['PATH']}"
    terminal = Terminal(["env", path, *words], work, 80, 24)
    terminal.type(setup.format(script=script) + "; echo REA''DY\n")
    terminal.wait("READY")
    yield terminal
    terminal.close()


def test_the_tab_key_completes(shell: Terminal) -> None:
    for number, (typed, wanted) in enumerate(LINES):
        shell.press("C-u", "C-l")
        shell.wait(lambda screen: "skillstudio" not in screen)
        shell.type(f"{typed}\t")
        # What follows shows that the shell has completed, also where it changes nothing.
        shell.type(f"#{number}")
        shell.wait(f"#{number}")
        line = shell.screen.strip().splitlines()[0]
        # Zsh adds the sign before a value; others add a space after a word.
        line = line.removeprefix("> ").removesuffix(f"#{number}").rstrip(" =")
        assert line == wanted


def test_several_candidates_are_listed(shell: Terminal) -> None:
    shell.press("C-u", "C-l")
    shell.type("skillstudio check --fix --un\t")
    shell.wait("--unsafe-fixes")
    shell.press("C-u", "C-l")
    shell.wait(lambda screen: "skillstudio" not in screen)
    shell.type("skillstudio trace \t\t")
    shell.wait(lambda screen: all(each in screen for each in ("list", "show", "replay", "export")))
