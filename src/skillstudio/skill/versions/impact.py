"""Find the protos, recipes and dependent skills of a workspace that a breaking change affects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.interface.change import Change
from skillstudio.interface.model import Interface, token
from skillstudio.manifest.hooks import hook
from skillstudio.manifest.locate import SKIPPED_FOLDERS, TOO_LARGE, locate
from skillstudio.manifest.registry import dialects
from skillstudio.skill.discover import MAX_DEPTH
from skillstudio.skill.pins.proto import Reference, references
from skillstudio.text.node import split_pointer
from skillstudio.text.reading import read
from skillstudio.text.source import Source, Span, decode

MOST_ENTRIES = 50_000
_ENDINGS = (".yaml", ".yml")


class User(NamedTuple):
    """A file of the workspace that uses a skill."""

    path: str
    references: tuple[Reference, ...] = ()
    programs: frozenset[str] | None = None
    """For further files of the skill, such as recipes, the programs that they start."""


def add_hits(
    changes: Iterable[Change],
    names: tuple[str, ...],
    old: Interface,
    new: Interface | None,
    workspace: str,
) -> tuple[Change, ...]:
    """Add the affected files of a folder to each breaking change of a skill with some names."""
    changes = tuple(changes)
    if not any(change.level == "major" for change in changes):
        return changes
    users = sorted(users_of(names, workspace), key=lambda user: user.path)
    old_names: dict[str, str] = {}
    before, after = _inputs(old), _inputs(new)
    for change in changes:
        # Users of an input still use its old name.
        name = _input_of(change)
        if name and name not in before and isinstance(change.old, str) and change.old in before:
            old_names[name] = change.old
    inputs = _Inputs(before, after, old_names)
    return tuple(
        change._replace(hits=tuple(_hit(change, users, inputs)))
        if change.level == "major"
        else change
        for change in changes
    )


def users_of(names: tuple[str, ...], workspace: str) -> Iterator[User]:
    """The files below a folder that use the skill with one of the names, by path."""
    tree = DiskTree(workspace)
    encoded_names = [name.encode("utf-8", "surrogatepass") for name in names]
    manifests = {dialect.file for dialect in dialects() if dialect.depends}
    for path in _files(tree):
        file = path.rpartition("/")[2]
        if file not in manifests and not file.lower().endswith(_ENDINGS):
            continue
        try:
            data = tree.read(path, TOO_LARGE)
        except OSError:
            continue
        if not any(name in data for name in encoded_names):
            continue
        if file in manifests:
            yield from _dependent(tree, path.rpartition("/")[0], names)
        elif b"skill" in data:
            source = Source(decode(data)[0], path)
            document = read(source, "yaml", Span(0, len(source.text)))
            skill_references = tuple(
                reference for reference in references(document) if reference.id in names
            )
            if skill_references:
                yield User(path, skill_references)


def _dependent(tree: DiskTree, folder: str, names: tuple[str, ...]) -> Iterator[User]:
    """A skill that depends on the one in question; where it is that one, its further files."""
    try:
        skill = locate(DiskTree(tree.path(folder))).skill
    except OSError:
        return
    dialect_ids: set[str] = set()
    for manifest in skill.manifests:
        path = f"{folder}/{manifest.path}".lstrip("/")
        if manifest.part == "manifest":
            hooks = hook(manifest.dialect, "dependencies")
            needs = hooks.needs(manifest) if hooks is not None else ()
            if any(need.id in names and not need.suggested for need in needs):
                yield User(path)
            if manifest.text_of("id") in names:
                dialect_ids.add(manifest.dialect.id)
        elif manifest.dialect.id in dialect_ids:
            impact = hook(manifest.dialect, "impact")
            if impact is not None:
                yield User(path, (), frozenset(impact.programs(manifest)))


class _Inputs(NamedTuple):
    """The input names, and new name to old name of renamed inputs."""

    before: frozenset[str]
    after: frozenset[str]
    old_names: dict[str, str]


def _hit(change: Change, users: list[User], inputs: _Inputs) -> Iterator[str]:
    for user in users:
        if user.programs is not None:
            is_hit = bool(user.programs & _find_removals(change))
        else:
            uses = (_meets(reference, change, inputs) for reference in user.references)
            is_hit = not user.references or any(uses)
        if is_hit:
            yield user.path


def _meets(reference: Reference, change: Change, inputs: _Inputs) -> bool:
    """Whether a reference is affected. A pin requires one version, so any break affects it."""
    name = _input_of(change)
    if reference.pin or not name:
        return True
    if name in inputs.old_names:
        return inputs.old_names[name] in reference.inputs
    is_given = name in reference.inputs
    whole = change.pointer.endswith(f"/inputs/{token(name)}")
    if whole and (name not in inputs.before or name in inputs.after):
        # The input is new or has become required.
        return not is_given
    return not is_given if change.pointer.endswith(f"/{token(name)}/default") else is_given


def _input_of(change: Change) -> str:
    tokens = split_pointer(change.pointer)
    tokens = tokens[2:] if tokens[:1] == ["operations"] else tokens
    return tokens[1] if tokens[:1] == ["inputs"] and len(tokens) > 1 else ""


def _find_removals(change: Change) -> frozenset[str]:
    if "/permissions/" not in change.pointer + "/" or not isinstance(change.old, list | tuple):
        return frozenset()
    remaining_values = change.new if isinstance(change.new, list | tuple) else ()
    return frozenset(str(item) for item in change.old if item not in remaining_values)


def _inputs(interface: Interface | None) -> frozenset[str]:
    operations = interface.operations if interface is not None else ()
    return frozenset(input_.name for operation in operations for input_ in operation.inputs)


def _files(tree: DiskTree) -> Iterator[str]:
    """The files of a tree by path; symbolic links are not followed."""
    stack = [""]
    budget = MOST_ENTRIES
    while stack:
        folder = stack.pop()
        try:
            entries = tree.list(folder)
        except OSError:
            continue
        budget -= len(entries)
        if budget < 0:
            return
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.kind == "file":
                yield path
        stack += [
            f"{folder}/{entry.name}" if folder else entry.name
            for entry in reversed(entries)
            if entry.kind == "folder"
            and entry.name not in SKIPPED_FOLDERS
            and folder.count("/") < MAX_DEPTH
        ]
