"""`open --plain`: what the workbench would show, in sentences, and the commands that do the same.

A screen of panes cannot be read in order. Every job has a command with plain output, so a screen
reader gets those, with the paths filled in.
"""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Iterator

from skillstudio.files.paths import below, make_relative
from skillstudio.present.lines import count
from skillstudio.present.problems import problem_text
from skillstudio.session.workspace import UNSEEN, SkillEntry, Workspace
from skillstudio.text.safe import safe_text

_MOST = 20  # The most skills that are listed.
_LEVELS = ("error", "warning", "info")
_NOUNS = {"error": "error", "warning": "warning", "info": "note"}
_JOBS = (
    ("Its problems in words", "check --plain {}"),
    ("Fix what can be fixed", "fix {}"),
    ("Its operations, inputs and effects", "show {}"),
    ("Change a value", "edit {} set /description 'NEW TEXT'"),
    ("What a run would start", "plan {} OPERATION -i NAME=VALUE"),
    ("Run an operation in copies", "run {} OPERATION -i NAME=VALUE"),
    ("The files of the last run", "preview --run last"),
    ("The skill as agents see it", "preview {} --card"),
    ("What changed since the last version", "diff --plain {}"),
    ("Create a skill", "new"),
)


def plain_lines(path: str) -> Iterator[str]:
    """The skills of a path with their problems, and the commands for one of them."""
    workspace, _ = Workspace.of(path)
    entries = workspace.check()
    root_text = safe_text(_shorten_path(workspace.root))
    if not entries:
        yield f"No skill in {root_text}. Create one: skillstudio new"
        return
    states = Counter[str](entry.status for entry in entries)
    faults = [f"{states[level]} with {_NOUNS[level]}s" for level in _LEVELS if states[level]]
    yield f"{count(len(entries), 'skill')} in {root_text}: {', '.join(faults) or 'no problems'}."
    for problem in workspace.problems:
        yield safe_text(f"{problem.diagnostic.severity}: {problem_text(problem)}.")
    entries.sort(
        key=lambda entry: (*(-entry.counts.get(level, 0) for level in _LEVELS), entry.path)
    )
    for entry in entries[:_MOST]:
        yield safe_text(f"{entry.path or entry.name}: {_problems(entry)}.")
    if len(entries) > _MOST:
        yield f"And {count(len(entries) - _MOST, 'other skill')}."
    first = entries[0]
    yield ""
    yield safe_text(f"Commands for {first.name}:")
    place = shlex.quote(_shorten_path(workspace.path(first.path)))
    for what, command in _JOBS:
        yield safe_text(f"{what}: skillstudio {command.format(place)}")
    yield "All commands: skillstudio --help"


def _problems(entry: SkillEntry) -> str:
    if entry.trouble:
        return f"cannot be read, {entry.trouble}"
    problem_texts = [
        count(entry.counts[level], _NOUNS[level]) for level in _LEVELS if entry.counts.get(level)
    ]
    if entry.status == "elsewhere":
        problem_texts.append(UNSEEN)
    return ", ".join(problem_texts) or "no problems"


def _shorten_path(path: str) -> str:
    return make_relative(path) if below(path, os.getcwd()) is not None else path
