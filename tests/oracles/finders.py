"""The programs themselves, asked which skills of a repository they find.

SKILLSTUDIO_NPX_SKILLS names the `cli.mjs` of the npm package `skills`, SKILLSTUDIO_NODE a Node.js
of version 22 or newer for it, and SKILLSTUDIO_CODEX the program of Codex. They run as the clients
of `programs.py` do.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.oracles.programs import boxed
from tests.skill.repositories import CODEX_PLUGINS, INSTALLABLE, Repository, files_of

_VARIABLES = {"npx-skills": "SKILLSTUDIO_NPX_SKILLS", "codex": "SKILLSTUDIO_CODEX"}
REPOSITORIES: Mapping[str, Mapping[str, Repository]] = {
    "npx-skills": INSTALLABLE,
    "codex": CODEX_PLUGINS,
}
"""The repositories that each target is asked about, by name."""
_ABOUT = re.compile(r"Makes ([\w-]+)\.")
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def program_of(target: str) -> str | None:
    """The program of a target; None without it or without a sandbox to run it in."""
    named = os.environ.get(_VARIABLES[target])
    return named if named and Path(named).exists() and shutil.which("bwrap") else None


def names_of(repository: Repository) -> set[str]:
    """The names of the skills that are expected to be found."""
    return {folder.rpartition("/")[2].replace(".", "root") for folder in repository.found.split()}


def find(target: str, repository: Repository, folder: Path) -> set[str]:
    """The names of the skills that a program finds in a repository, written below a folder."""
    program = program_of(target)
    assert program is not None
    root, home = folder / "repository", folder / "home"
    for path, data in files_of(repository).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    if target == "npx-skills":
        node = os.environ.get("SKILLSTUDIO_NODE", "node")
        commands = [[node, program, "add", str(root), "--list"]]
    else:
        commands = [
            [program, "plugin", "marketplace", "add", str(root)],
            [program, "plugin", "add", "pp@mm"],
            [program, "debug", "prompt-input", "hello"],
        ]
    output = ""
    for command in commands:
        done = subprocess.run(
            boxed(program, command, home), capture_output=True, text=True, check=False
        )
        output = _COLOURS.sub("", done.stdout + done.stderr)
    return set(_ABOUT.findall(output))
