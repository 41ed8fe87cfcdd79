"""The bump that a comparison asks for, put into the texts that lie open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillstudio.session.buffer import Buffer
from skillstudio.session.comparing.comparing import ComparisonRefused, ComparisonResult
from skillstudio.session.conflict import splices_between

if TYPE_CHECKING:
    from skillstudio.session.session import Session


def make_bump(session: Session, skill: str, outcome: ComparisonResult, date: str) -> list[str]:
    """Give the skill the version that is asked for, and its changelog an entry of `date`.

    Each file becomes one step of undo in its buffer, and the steps are taken back together;
    nothing is written to disk. The files, relative to the skill. Raises Refused, and OSError
    where a file cannot be read; then no text is changed.
    """
    from skillstudio.skill.versions.bumping import BumpRefused, bumped

    comparison = outcome.comparison
    if comparison is None or comparison.new is None or not outcome.bump_to:
        raise ComparisonRefused(outcome.no_bump or "no version is asked for")
    try:
        files = bumped(comparison.new.skill, outcome.bump_to, outcome.changes, date)
    except BumpRefused as error:
        raise ComparisonRefused(str(error)) from None
    steps = []
    for path, (old, new) in files.items():
        buffer = _open(session, skill, path, old)
        if buffer.read_only:
            raise ComparisonRefused(f"{path} is read-only: {buffer.read_only}")
        if buffer.text != (old or ""):
            raise ComparisonRefused(f"{path} has changed meanwhile: look again")
        steps.append((buffer, splices_between(buffer.text, new)))
    label = f"Bump to {outcome.bump_to}"
    for buffer, splices in steps:
        session.buffers[buffer.path] = buffer
        buffer.replace(splices, label)
    session.join([buffer for buffer, _ in steps], label)
    return list(files)


def _open(session: Session, skill: str, path: str, old: str | None) -> Buffer:
    """The buffer of a file; of one that is not there, over nothing. Raises OSError."""
    try:
        return session.open(skill, path)
    except FileNotFoundError:
        if old is not None:
            raise
    return Buffer(session.workspace.path(skill, path), None)
