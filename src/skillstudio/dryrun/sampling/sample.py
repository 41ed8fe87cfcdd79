"""A sample: the inputs of one run under a name, and what is expected of the run.

It is a YAML file: `inputs`, what a script gets behind its path as `arguments`, `env`, and
optionally `expect`. Sensitive values are in none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from skillstudio.files.paths import normalise
from skillstudio.interface.model import ABSENT

FOLDER = "samples"
SUFFIX = ".yaml"
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")
_NOTHING: Mapping[str, Any] = {}


REPO_ROOT = "repo_root"


class SampleWorkspace(NamedTuple):
    """The folder that a sample works in when it is tested: by itself a new and empty one."""

    folder: str = ""
    """What lies in it at first: a folder of the skill, or `repo_root` for the repository that the
    skill lies in; "" for nothing."""
    git: bool = False
    """Whether it is made a repository, with one commit of all that is in it."""


class Sample(NamedTuple):
    """The inputs of one run under a name."""

    name: str
    operation: str
    inputs: Any = ABSENT
    """By name; of an operation that reads one JSON value, that value."""
    arguments: tuple[str, ...] = ()
    env: Mapping[str, str] = _NOTHING
    expect: Mapping[str, Any] = _NOTHING
    """`exit_code`, `contract`, `effects`, `outputs` and `changes` of the run; what is not there is
    not compared."""
    path: str = ""
    """Where it lies: relative to the skill's folder, or an absolute path in the user's state."""
    workspace: SampleWorkspace = SampleWorkspace()


class SampleRefused(Exception):
    """A sample that cannot be read, written or found; a sentence, with its place where it has
    one."""


def path_of(operation: str, name: str) -> str:
    """Where a sample of an operation lies below `samples`. Raises SampleRefused."""
    if not _NAME.fullmatch(name) or name.endswith("."):
        raise SampleRefused(
            f"{name} is no name for a sample: letters, digits, dots, - and _, no dot or - first"
        )
    folder = operation_folder(operation)
    return f"{folder}/{name}{SUFFIX}" if folder else name + SUFFIX


def operation_folder(operation: str) -> str:
    """The folder of an operation below `samples`. Raises SampleRefused."""
    inside = normalise(operation)
    is_plain = inside == operation.removeprefix("./") and not any(
        each in operation for each in '\\:*?"<>|\0\n\r'
    )
    if inside is None or not is_plain or any(len(os.fsencode(p)) > 200 for p in inside.split("/")):
        raise SampleRefused(f"the operation {operation!r} cannot be the name of a folder")
    return inside
