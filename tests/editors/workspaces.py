"""Workspaces, programs and environments for sessions in real editors."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from tests.editors import protocol_log


class EditorSession(NamedTuple):
    """What an editor showed, the files after that, and its messages."""

    answer: dict[str, Any]
    folder: Path
    log: list[protocol_log.LogEntry]


SKILL = """\
---
manifest_version: "1.0"
name: tea
version: "1.0.0"
description: Makes tea. Use when asked.
inputs:
  required:
    - name: kind
      description: The kind.
      schema: {type: string}
outputs:
  files:
    - pattern: "cups/{{kind}}.md"
---
# Tea

Brew it, see [times](references/times.md).
"""


def write_skill(root: Path) -> Path:
    """A workspace with one skill, a sample and a repository; return its SKILL.md."""
    folder = root / "tea"
    for name, text in {
        "SKILL.md": SKILL,
        "samples/day.yaml": "inputs:\n  kind: green\n",
        "references/times.md": "Three minutes.\n",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    subprocess.run(["git", "init", "--quiet", str(root)], check=True)
    return folder / "SKILL.md"


def write_program(path: Path, *lines: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(("#!/bin/sh", *lines, "")))
    path.chmod(0o755)
    return path


def write_server(path: Path, log: Path) -> Path:
    """A program that starts skillstudio and logs its messages."""
    return write_program(
        path, f'exec "{sys.executable}" "{protocol_log.__file__}" "{log}"'
        f' "{sys.executable}" -m skillstudio "$@"',
    )  # fmt: skip


def environment(home: Path, *folders: Path, **variables: str) -> dict[str, str]:
    """The environment of an editor: its own home folder, and these folders first on the PATH."""
    places = {
        f"XDG_{name}_HOME": str(home / name.lower())
        for name in ("CONFIG", "DATA", "STATE", "CACHE")
    }
    home.mkdir(parents=True, exist_ok=True)
    path = os.pathsep.join((*map(str, folders), "/usr/bin", "/bin"))
    kept = {key: value for key, value in os.environ.items() if key not in ("VIRTUAL_ENV",)}
    return kept | places | {"HOME": str(home), "PATH": path} | variables


RECORD = 'read line; echo "$0 $*" >> "$STARTED"'
"""A program that only records how it was started, once the editor has written to it."""
CASES: dict[str, tuple[tuple[str, ...], bool, str]] = {
    "the environment of a trusted project": ((".venv", "venv", "skillstudio"), True,
        "work/.venv/bin/skillstudio lsp"),
    "the other name of an environment": (("venv", "skillstudio"), True,
        "work/venv/bin/skillstudio lsp"),
    "no environment of another project": ((".venv", "skillstudio", "uvx"), False,
        "bin/skillstudio lsp"),
    "no folder of the PATH in another project": (("local", "uvx"), False,
        "bin/uvx --from skillstudio[lsp] skillstudio lsp"),
    "the PATH of a trusted project": (("local", "uvx"), True,
        "work/local/skillstudio lsp"),
    "uvx": (("uvx",), True, "bin/uvx --from skillstudio[lsp] skillstudio lsp"),
}  # fmt: skip
"""Programs that exist, whether the project is trusted, and what is started."""
PROGRAMS = {
    ".venv": "work/.venv/bin/skillstudio",
    "venv": "work/venv/bin/skillstudio",
    "local": "work/local/skillstudio",
    "skillstudio": "bin/skillstudio",
    "uvx": "bin/uvx",
}


def write_programs(folder: Path, names: Iterable[str]) -> tuple[dict[str, str], Path]:
    """Programs that record in a file how they were started; an environment, and that file."""
    skill, started = write_skill(folder / "work"), folder / "started"
    for name in names:
        write_program(folder / PROGRAMS[name], RECORD)
    write_program(folder / "home" / "bin" / "skillstudio", RECORD)  # In the current folder.
    variables = environment(
        folder / "home", Path("bin"), folder / "work" / "local", folder / "bin",
        SKILL=str(skill), STARTED=str(started),
    )  # fmt: skip
    return variables, started
