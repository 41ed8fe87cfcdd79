"""Run the console blocks of a page and compare their output: `make docs` writes it, a test checks it.

A block starts with ```console. Each line that starts with `$ ` is a command; the lines below it are
its output. A here-document continues the command. `…` matches anything within a line, and a line
that is `…` alone matches any number of lines.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

from skillstudio.cli.main import main

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HERE = re.compile(r"<<'(\w+)'$")
SHELL = re.compile(r"[|<>&;$*`]")
ELLIPSIS = "…"
# What differs from run to run.
VARYING = [
    (re.compile(r"\b\d{8}T\d{6}-\w+"), ELLIPSIS),
    (re.compile(r"\b\d+\.\d s\b"), f"{ELLIPSIS} s"),
    (re.compile(r"\b20\d\d-\d\d-\d\d$", re.MULTILINE), ELLIPSIS),
    (re.compile(r"(?<=fine: )/\S+"), ELLIPSIS),
]


def played(page: str, folder: Path) -> str:
    """Return the page with the output of its commands, run one after the other in a folder.

    An output that the page describes correctly stays as it is.
    """
    shell = _Shell(folder)

    def block(match: re.Match[str]) -> str:
        lines: list[str] = []
        for command, shown in _steps(match[1]):
            output = shell.run(command)
            lines += [f"$ {command}", *(shown if _matches(shown, output) else output)]
        return "\n".join(["```console", *lines, "```"])

    with contextlib.chdir(folder):
        return BLOCK.sub(block, page)


def _steps(block: str) -> Iterator[tuple[str, list[str]]]:
    """Each command of a block with the output below it."""
    lines = block.splitlines()
    at = 0
    while at < len(lines):
        command = [lines[at].removeprefix("$ ")]
        at += 1
        if here := HERE.search(command[0]):
            end = lines.index(here[1], at) + 1
            command += lines[at:end]
            at = end
        start = at
        while at < len(lines) and not lines[at].startswith("$ "):
            at += 1
        yield "\n".join(command), lines[start:at]


def _matches(shown: list[str], output: list[str]) -> bool:
    """Whether output is as a page shows it."""
    pattern = "".join(
        "(?:.*\n)*?" if line == ELLIPSIS else ".*".join(map(re.escape, line.split(ELLIPSIS))) + "\n"
        for line in shown
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in output)) is not None


class _Shell:
    """Runs skillstudio in this process, and other commands with bash."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, command: str) -> list[str]:
        words = shlex.split(command) if not SHELL.search(command) else []
        if words[:1] == ["cd"]:
            os.chdir(words[1])
            return []
        if words[:1] == ["skillstudio"]:
            out = io.StringIO()
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                main(words[1:])
            text = out.getvalue()
        else:
            text = subprocess.run(
                ["bash", "-c", command],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            ).stdout
        text = text.replace(str(self.folder), ELLIPSIS)
        for pattern, sign in VARYING:
            text = pattern.sub(sign, text)
        return [line.rstrip() for line in text.splitlines()]
