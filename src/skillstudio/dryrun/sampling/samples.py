"""The samples of a skill: committed in its folder, or saved in the user's state."""

from __future__ import annotations

import os
from hashlib import sha256

from skillstudio.dryrun.sampling.reading import (
    MAX_BYTES,
    read_sample,
    with_expectation,
    write_sample,
)
from skillstudio.dryrun.sampling.sample import (
    FOLDER,
    SUFFIX,
    Sample,
    SampleRefused,
    operation_folder,
    path_of,
)
from skillstudio.files import state
from skillstudio.files.disk import DiskTree
from skillstudio.files.saving.writer import write_file
from skillstudio.files.tree import FileTree
from skillstudio.interface.model import Interface, Operation
from skillstudio.text.nearest import nearest

_MOST = 1_000  # Samples of one operation that are listed.


def committed(tree: FileTree, operation: str) -> list[str]:
    """The names of an operation's samples in the skill's folder."""
    return _names(tree, f"{FOLDER}/{operation_folder(operation)}".rstrip("/"))


def saved(skill_folder: str, operation: str) -> list[str]:
    """The names of an operation's samples in the user's state."""
    tree = DiskTree(state_folder(skill_folder))
    return _names(tree, operation_folder(operation)) if tree.kind("") == "folder" else []


def all_committed(tree: FileTree) -> list[tuple[str, str]]:
    """Every sample of a skill as operation and name, by path."""
    found: list[tuple[str, str]] = []
    waiting = [FOLDER] if tree.kind(FOLDER) == "folder" else []
    while waiting:
        folder = waiting.pop()
        operation = folder[len(FOLDER) :].lstrip("/")
        found += [(operation, name) for name in _names(tree, folder)]
        waiting += [f"{folder}/{e.name}" for e in tree.list(folder) if e.kind == "folder"]
    return sorted(found)


def find_sample(tree: FileTree, skill_folder: str, operation: str, name: str) -> Sample:
    """Find a sample by name: the skill's own, else the user's. Raises SampleRefused."""
    inside = path_of(operation, name)
    path = f"{FOLDER}/{inside}"
    if tree.kind(path) is not None:
        real = tree.resolve(path)
        if real is None or tree.kind(real) != "file":
            raise SampleRefused(f"{path} is not a file of the skill")
        return _read(tree, real, operation, name, path)
    state = DiskTree(state_folder(skill_folder))
    if state.kind(inside) == "file":
        return _read(state, inside, operation, name, state.path(inside))
    names = [*committed(tree, operation), *saved(skill_folder, operation)]
    near = nearest(name, names)
    listed = f"use one of {', '.join(names)}" if names else "it has none"
    hint = f"did you mean {near}?" if near else listed
    what = f"the operation {operation}" if operation else "the skill"
    raise SampleRefused(f"{what} has no sample {name}; {hint}")


def sensitive_in(sample: Sample, interface: Interface, operation: Operation) -> tuple[str, ...]:
    """The names in a sample that must not be written down."""
    given = sample.inputs if isinstance(sample.inputs, dict) else {}
    marked = {each.name for each in operation.inputs if each.sensitive}
    variables = {each.name for each in interface.env if each.sensitive}
    if interface.sensitive:
        whole = () if isinstance(sample.inputs, dict) else ("inputs",) * bool(sample.inputs)
        arguments = ("arguments",) * bool(sample.arguments)
        return (*given, *sample.env, *arguments, *whole)
    return (
        *(name for name in given if name in marked),
        *(name for name in sample.env if name in variables),
    )


def refuse_sensitive(sample: Sample, interface: Interface, operation: Operation) -> None:
    """Raise SampleRefused when a sample contains sensitive values."""
    found = sensitive_in(sample, interface, operation)
    if found:
        raise SampleRefused(
            f"{sample.path}: remove the sensitive {', '.join(dict.fromkeys(found))}; samples must "
            "not contain such values, give them with --secret"
        )


def save_committed(skill_folder: str, sample: Sample, text: str | None = None) -> str:
    """Write a sample into the skill's folder; return its path. Raises SampleRefused, OSError."""
    folder = os.path.realpath(os.path.join(skill_folder, FOLDER))
    own = os.path.realpath(skill_folder)
    path = os.path.join(folder, *path_of(sample.operation, sample.name).split("/"))
    if not os.path.realpath(path).startswith(own + os.sep):
        raise SampleRefused(f"{path} leads out of the skill's folder through a link")
    return _write(path, sample, text)


def save_expectation(skill_folder: str, tree: FileTree, sample: Sample) -> str:
    """Replace the expectation of a sample; return its path. Raises SampleRefused, OSError."""
    old = tree.read(sample.path, MAX_BYTES + 1).decode("utf-8")
    return save_committed(skill_folder, sample, with_expectation(old, sample))


def save_private(skill_folder: str, sample: Sample) -> str:
    """Write a sample into the user's state; return its path. Raises SampleRefused, OSError."""
    inside = path_of(sample.operation, sample.name).split("/")
    return _write(os.path.join(state_folder(skill_folder), *inside), sample)


def state_folder(skill_folder: str) -> str:
    """The folder of the user's own samples of a skill, by the skill's real path."""
    key = sha256(os.fsencode(os.path.realpath(skill_folder))).hexdigest()[:32]
    return os.path.join(state.state_folder(), FOLDER, key)


def _write(path: str, sample: Sample, text: str | None = None) -> str:
    text = write_sample(sample) if text is None else text
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write_file(path, text.encode("utf-8"))
    return path


def _names(tree: FileTree, folder: str) -> list[str]:
    if folder and tree.kind(folder) != "folder":
        return []
    names = [each.name for each in tree.list(folder) if each.kind in ("file", "link")]
    return [name[: -len(SUFFIX)] for name in names if name.endswith(SUFFIX)][:_MOST]


def _read(tree: FileTree, path: str, operation: str, name: str, shown: str) -> Sample:
    try:
        return read_sample(tree.read(path, MAX_BYTES + 1), operation, name, shown)
    except OSError as error:
        raise SampleRefused(f"{shown} cannot be read: {error.strerror or error}") from None
