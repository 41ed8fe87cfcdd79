"""The manual page: it has every command and option, and formatters read it without a warning."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from skillstudio.cli.environment import VARIABLES
from skillstudio.cli.verbs import all_verbs

PAGE = Path(__file__).parents[2] / "docs" / "skillstudio.1"


def test_it_has_every_command_with_its_options() -> None:
    text = PAGE.read_text(encoding="ascii").replace("\\-", "-")
    for verb in all_verbs().values():
        start = text.index(f".B skillstudio {verb.name} [OPTIONS]")
        entry = re.split(r"\n\.(?:TP\n\.B skillstudio|SS|SH) ", text[start:])[0]
        assert f"{verb.summary}." in entry
        own = [
            each for each in verb.all_arguments() if each.dest not in ("config", "color", "help")
        ]
        assert re.findall(r"^\.B (.+)$", entry, re.M)[1:] == [each.spec for each in own]
    assert all(f".B {name}\n" in text for name in VARIABLES)


@pytest.mark.parametrize(
    "command",
    [
        ["mandoc", "-Tlint", "-Wwarning"],
        ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z"],
    ],
    ids=["mandoc", "man"],
)
def test_a_formatter_reads_it_without_a_warning(command: list[str]) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    if command[0] == "man" and shutil.which("groff") is None:
        pytest.skip("man has no formatter here")
    done = subprocess.run([*command, str(PAGE)], capture_output=True, text=True, check=False)
    said = done.stderr if command[0] == "man" else done.stdout + done.stderr
    # It changes with each command, so it has no date.
    wrong = [line for line in said.splitlines() if "missing date" not in line]
    assert wrong == []
