"""Resolve a user's text to a version of a skill: a folder, a revision, an archive, a name."""

from __future__ import annotations

import os

from skillstudio.skill.versions.operand import Operand, OperandError, on_disk

__all__ = ["INDEX", "Operand", "OperandError", "before", "resolve"]

INDEX = "index"


def resolve(text: str, workspace: str = "") -> Operand:
    """Find the version that a text refers to.

    `workspace` is the base folder of paths and names (default: the current one). In this order: an
    existing path; `PATH@REF`, `PATH@1.2.0` and the same with a skill's name; `REF:path`; a skill's
    name alone. Raises OperandError.
    """
    here = workspace or os.curdir
    path = os.path.join(here, text)
    try:
        if text and os.path.lexists(path):
            return on_disk(text, path)
        # Comparing two folders does not need git.
        from skillstudio.skill.versions.revisions import elsewhere

        return elsewhere(text, here)
    except OSError as error:
        raise OperandError(f"{text} cannot be read: {error.strerror or error}") from None


def before(operand: Operand) -> Operand:
    """The version to compare with by default: the last tag, else HEAD. Raises OperandError."""
    if not operand.folder:
        raise OperandError(
            f"{operand.label} is not in a git repository, so it has no older version",
            "give both versions: skillstudio diff OLD NEW",
        )
    from skillstudio.skill.versions.revisions import version_before

    return version_before(operand)
