"""Run the commands of a page and update their output: `make docs` does, and a test checks it.

In a block that starts with ```console, each line that starts with `$ ` is a command, and the lines
below it are its output. A here-document continues the command. `…` matches anything within a line,
and a line `…` any number of lines. A comment `<!-- console` has commands that are not shown.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path

from skillstudio.cli.main import main

BLOCK = re.compile(r"^(```|<!-- )console\n(.*?)^(?:```|-->)$", re.MULTILINE | re.DOTALL)
HERE = re.compile(r"<<'(\w+)'$")
SHELL = re.compile(r"[|<>&;*`$]")
QUOTED = re.compile(r"'[^']*'")
ASSIGNMENT = re.compile(r"^(\w+)=(?=\S+$|\"?\$\(.*\)\"?$)")
ELLIPSIS = "…"
VARYING = [
    (re.compile(r"\b\d{8}T\d{6}-\w+"), ELLIPSIS),
    (re.compile(r"\b\d+\.\d s\b"), f"{ELLIPSIS} s"),
    (re.compile(r"(?<=ok: )/\S+"), ELLIPSIS),
    (re.compile(r"\b\d+ known gaps?"), f"{ELLIPSIS} known gaps"),
    (re.compile(r"\b20\d\d-\d\d-\d\d$", re.MULTILINE), ELLIPSIS),
]
"""What varies between runs: run ids, durations, program paths, known gaps and the date."""
IDENTITY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"))
}


def played(page: str, folder: Path) -> str:
    """Return the page with the output of its commands, which run in an empty folder.

    An output that the page shows correctly stays as it is.
    """
    home = folder / "home"
    work = folder / "work"
    home.mkdir()
    work.mkdir()
    environment = {"HOME": str(home), "PATH": os.defpath, "COLUMNS": "96", **IDENTITY}
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(environment)
    try:
        with contextlib.chdir(work):
            return BLOCK.sub(lambda match: _block(match[0], match[1], match[2], folder), page)
    finally:
        os.environ.clear()
        os.environ.update(before)


def _block(whole: str, start: str, text: str, folder: Path) -> str:
    lines: list[str] = []
    for command, shown in split_steps(text):
        _, output = run_command(command, folder)
        kept = shown if lines_match(shown, output) else _updated(shown, output)
        lines += [f"$ {command}", *kept]
    return whole if start != "```" else "\n".join(["```console", *lines, "```"])


def split_steps(block: str) -> Iterator[tuple[str, list[str]]]:
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


def lines_match(shown: list[str], output: list[str]) -> bool:
    """Whether an output is what a page shows, apart from what `…` leaves out."""
    pattern = "".join(
        "(?:.*\n)*?" if line == ELLIPSIS else ".*".join(map(re.escape, line.split(ELLIPSIS))) + "\n"
        for line in shown
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in output)) is not None


def _updated(shown: list[str], output: list[str]) -> list[str]:
    """Return new output with the lines left out that the page leaves out at that place."""
    lines: list[str] = []
    for _, start, end, new_start, new_end in SequenceMatcher(None, shown, output).get_opcodes():
        old, new = shown[start:end], output[new_start:new_end]
        if ELLIPSIS in old:
            head = old.index(ELLIPSIS)
            tail = len(old) - 1 - head
            if head + tail <= len(new):
                new = [*new[:head], ELLIPSIS, *new[len(new) - tail :]]
        lines += new
    return lines


def _run_here(words: list[str]) -> tuple[int, str]:
    """Run skillstudio in this process without input; return the exit status and its output."""
    out = io.StringIO()
    before = sys.stdin
    with (
        open(os.devnull, encoding="utf-8") as sys.stdin,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(out),
    ):
        try:
            status = main(words)
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 0
        finally:
            sys.stdin = before
    return status, out.getvalue()


def run_command(command: str, folder: Path, stdin: str | None = None) -> tuple[int, list[str]]:
    """Run skillstudio in this process and other commands with bash.

    Return the exit status and the lines printed.
    """
    plain = QUOTED.sub("", re.sub(r"\s#.*", "", command))
    words = [] if SHELL.search(plain) else shlex.split(command, comments=True)
    if words[:1] == ["cd"]:
        os.chdir(words[1])
        return 0, []
    if words[:1] == ["skillstudio"] and stdin is None:
        status, text = _run_here(words[1:])
    else:
        done = subprocess.run(
            ["bash", "-c", ASSIGNMENT.sub(r"printf %s ", command)],
            input=stdin or "",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        status, text = done.returncode, done.stdout
        if variable := ASSIGNMENT.match(command):
            # Each command has a shell of its own.
            os.environ[variable[1]] = text
            text = ""
    for part in folder.iterdir():
        text = re.sub(rf"{re.escape(str(part))}(?![\w-])", ELLIPSIS, text)
    for pattern, sign in VARYING:
        text = pattern.sub(sign, text)
    return status, [line.rstrip() for line in text.splitlines()]
