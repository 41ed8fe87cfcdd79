"""Samples: named inputs of one run, without sensitive values."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from skillstudio.files.paths import normalise
from skillstudio.interface.model import ABSENT
from skillstudio.text.lazy_pattern import lazy_pattern

FOLDER = "samples"
SUFFIX = ".yaml"
_NAME = lazy_pattern(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")
_NOTHING: Mapping[str, Any] = {}


REPO_ROOT = "repo_root"


class SampleCommit(NamedTuple):
    """A commit after the first one of a sample's repository."""

    author: str
    date: str  # A day, or a moment as in RFC 3339.
    files: Mapping[str, str]  # Path to its text, or to `<removed>`.


class SampleWorkspace(NamedTuple):
    """The folder that a sample is tested in, by default a new and empty one."""

    folder: str = ""
    """A folder of the skill to copy, `repo_root` for the repository around the skill, or ""."""
    git: bool = False  # Whether to make it a repository with one commit of everything.
    commits: tuple[SampleCommit, ...] = ()  # Those after it.


class Sample(NamedTuple):
    """Named inputs of one run."""

    name: str
    operation: str
    inputs: Any = ABSENT  # By name; for an operation that reads one JSON value, that value.
    arguments: tuple[str, ...] = ()
    env: Mapping[str, str] = _NOTHING
    expect: Mapping[str, Any] = _NOTHING
    """Any of `exit`, `stdout`, `stderr`, `json`, `files`, `modes`, `effects`; others are not
    compared."""
    path: str = ""  # Relative to the skill's folder, or absolute in the user's state.
    workspace: SampleWorkspace = SampleWorkspace()
    stdin: str | None = None  # Text for standard input.
    fixtures: Mapping[str, Any] = _NOTHING
    """Path in the workspace to a text, or to `{from: PATH}` of a file beside the sample."""
    net: tuple[str, ...] = ()  # The values of `--net`, except `record`.

    @property
    def has_own_folder(self) -> bool:
        """Whether it says what is in its folder, so that it runs nowhere else."""
        return bool(self.fixtures or self.workspace.folder or self.workspace.git)


class SampleRefused(Exception):
    """A sample that cannot be read, written or found: a sentence, with a position if known."""


def path_of(operation: str, name: str) -> str:
    """The path of a sample below `samples`. Raises SampleRefused."""
    if not _NAME.fullmatch(name) or name.endswith("."):
        raise SampleRefused(
            f"invalid sample name {name}; use letters, digits, dots, - and _, no dot or - first"
        )
    folder = operation_folder(operation)
    return f"{folder}/{name}{SUFFIX}" if folder else name + SUFFIX


def operation_folder(operation: str) -> str:
    """The folder of an operation below `samples`. Raises SampleRefused."""
    inside = normalise(operation)
    is_plain = inside == operation.removeprefix("./") and not any(
        character in operation for character in '\\:*?"<>|\0\n\r'
    )
    if inside is None or not is_plain or any(len(os.fsencode(p)) > 200 for p in inside.split("/")):
        raise SampleRefused(f"the operation {operation!r} is not usable as a folder name")
    return inside
