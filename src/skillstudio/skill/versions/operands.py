"""What a person names as a version of a skill: a folder, a revision, an archive, a name."""

from __future__ import annotations

import os

from skillstudio.skill.versions.operand import Operand, OperandError, on_disk

__all__ = ["INDEX", "Operand", "OperandError", "before", "resolve"]

INDEX = "index"
"""How what is staged for the next commit is called."""


def resolve(text: str, workspace: str = "") -> Operand:
    """Find the version that a text means.

    `workspace` is the folder that paths and names start from, by itself the current one. In
    this order: a path that exists; `PATH@REF`, `PATH@1.2.0` and the same with a skill's name;
    `REF:path`; a skill's name alone. Raises OperandError.
    """
    here = workspace or os.curdir
    path = os.path.join(here, text)
    try:
        if text and os.path.lexists(path):
            return on_disk(text, path)
        # Two folders are compared without all that speaks to git.
        from skillstudio.skill.versions.revisions import elsewhere

        return elsewhere(text, here)
    except OSError as error:
        raise OperandError(f"{text} cannot be read: {error.strerror or error}") from None


def before(operand: Operand) -> Operand:
    """What a skill on disk is held against when nothing is said: its last tag, else HEAD.

    Raises OperandError.
    """
    if not operand.folder:
        raise OperandError(
            f"{operand.label} is not in a git repository, so it has no older version",
            "give both versions: skillstudio diff OLD NEW",
        )
    from skillstudio.skill.versions.revisions import version_before

    return version_before(operand)
