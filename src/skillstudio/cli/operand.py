"""Find the one version of a skill that a command line names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skillstudio.cli.output import UsageError
from skillstudio.skill.versions.operands import Operand, OperandError, resolve

if TYPE_CHECKING:
    from skillstudio.files.tree import FileTree
    from skillstudio.skill.versions.comparison import Version


def find_operand(text: str) -> tuple[Operand, FileTree]:
    """One version of a skill and its files. Raises UsageError if there is none."""
    try:
        operand = resolve(text)
    except OperandError as error:
        raise UsageError(str(error)) from None
    if operand.tree is None:
        raise UsageError(f"there is no skill at {operand.label}")
    return operand, operand.tree


def find_version(text: str) -> Version:
    """One version of a skill, read. Raises UsageError that names what cannot be read."""
    from skillstudio.cli.compared import Governing
    from skillstudio.skill.versions.comparison import UnreadableManifest, open_version

    operand, _ = find_operand(text)
    try:
        version = open_version(operand, Governing().of(operand)[0])
    except UnreadableManifest as error:
        raise UsageError("\n".join(error.sentences())) from None
    if version is None:
        raise UsageError(f"there is no skill at {operand.label}")
    return version
