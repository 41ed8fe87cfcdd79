"""Add an operation that runs a script of a skill to the manifest of the skill.

A skill that has no manifest beside its frontmatter gets one.
"""

from __future__ import annotations

from typing import NamedTuple

from skillstudio.files.tree import Overlay
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.hook_values import DraftedOperation
from skillstudio.manifest.hooks import hook
from skillstudio.manifest.launching import script_named
from skillstudio.manifest.locate import locate
from skillstudio.manifest.registry import base_dialect
from skillstudio.manifest.values import dig, mapping
from skillstudio.scaffold.new.scripts.drafting import (
    block_of,
    draft_operation,
    drafted_dialect,
    word,
)
from skillstudio.scaffold.new.scripts.gathering import Note
from skillstudio.skill.programs import NoProgram, find_programs
from skillstudio.text.diagnostic import Splice
from skillstudio.text.edit import apply, insert, set_value
from skillstudio.text.scripts.model import NotRead, Script, ScriptCommand
from skillstudio.text.scripts.reading import LARGEST, read_script
from skillstudio.text.source import Source


class AddRefused(Exception):
    """Why no operation can be added: a sentence with the fix."""


class AddedOperation(NamedTuple):
    """The changed file of an added operation."""

    name: str
    path: str  # The manifest's file in the skill.
    old: str
    new: str
    notes: tuple[str, ...]  # What the operation does not cover.


def add_operation(
    skill: Skill, script: str, name: str | None = None, dialect: str | None = None
) -> AddedOperation:
    """Add an operation for a script, named by its path and perhaps one of its commands.

    Raises AddRefused, and EditRefused for a manifest that cannot be edited.
    """
    manifest = _manifest(skill, dialect)
    path, command_name = script_named(skill, script)
    if not path or skill.tree.kind(path) != "file":
        program_names = ", ".join(
            n for program in find_programs(skill.tree) for n in program.operations
        )
        hint = f"; use one of {program_names}" if program_names else ""
        raise AddRefused(f"{script} is not a script of the skill{hint}")
    try:
        data = skill.tree.read(path, LARGEST + 1)
        read = read_script(path, data)
    except (NotRead, NoProgram) as error:
        raise AddRefused(f"{path} cannot be read: {error}") from None
    command = _command(read.commands, command_name, path)
    notes: list[Note] = []
    operation = draft_operation(path, read, command, data, notes)
    stem = word(path.rpartition("/")[2].partition(".")[0]) or "run"
    operation_name = name or f"{stem}-{word(command.name)}".rstrip("-")
    texts = (*read.notes, *(note.text for note in notes))
    if manifest is None:
        source = _skill_md(skill)
        new = _with_manifest(skill, source, operation_name, operation, read)
        return AddedOperation(operation_name, source.path, source.text, new, texts)
    old = manifest.document.source.text
    new = apply(old, _splices(manifest, operation_name, operation))
    return AddedOperation(operation_name, manifest.path, old, new, texts)


def _splices(manifest: Manifest, name: str, operation: DraftedOperation) -> list[Splice]:
    """The edits that add an operation to a manifest."""
    module = hook(manifest.dialect, "draft")
    if module is None:
        raise AddRefused(f"{manifest.dialect.id} has no operations that start scripts")
    pointer, value = module.operation(manifest, name, operation)
    above = pointer.split("/")[1]
    document = manifest.document
    if name in mapping(document.value, above):
        raise AddRefused(f"there is already an operation {name}; choose another --name")
    if isinstance(dig(document.value, above), dict):
        return insert(document, pointer, value)
    return set_value(document, f"/{above}", {name: value})


def _skill_md(skill: Skill) -> Source:
    """The text of SKILL.md. Raises AddRefused."""
    if skill.markdown is None:
        raise AddRefused("the skill has no SKILL.md; add one with a name and a description")
    return skill.markdown.source


def _with_manifest(
    skill: Skill, source: Source, name: str, operation: DraftedOperation, script: Script
) -> str:
    """SKILL.md with a first manifest, which has one operation, at its end. Raises AddRefused."""
    target = drafted_dialect()
    module = hook(target, "draft")
    if module is None:
        raise LookupError(f"{target.id} has `drafts` but no draft.py")
    value = module.draft(target, skill.name, sorted(script.effects), {name: operation})
    gap = "\n" if source.text.endswith(("\n", "\r")) else "\n\n"
    new = source.text + f"{gap}{block_of(value)}".replace("\n", source.newline)
    after = locate(Overlay(skill.tree, {source.path: new.encode("utf-8", "surrogatepass")}))
    if after.skill.of(target.id) is None:
        raise AddRefused(
            f"a manifest at the end of {source.path} would not be read: a code block or comment "
            "is open there; close it first"
        )
    return new


def _manifest(skill: Skill, dialect: str | None) -> Manifest | None:
    """The manifest to edit: of a dialect that has operations for scripts; None to add one."""
    main = [manifest for manifest in skill.manifests if manifest.part == "manifest"]
    candidates = [manifest for manifest in main if hook(manifest.dialect, "draft") is not None]
    matches = [manifest for manifest in candidates if dialect in (None, manifest.dialect.id)]
    if matches:
        return matches[-1]
    plain = all(manifest.dialect is base_dialect() for manifest in main)
    if plain and skill.markdown is not None and dialect in (None, drafted_dialect().id):
        return None
    names = ", ".join(manifest.dialect.id for manifest in main) or "none"
    raise AddRefused(
        f"no manifest of the skill has operations that start scripts (its manifests: {names}); "
        f"add one of {drafted_dialect().id}"
    )


def _command(commands: tuple[ScriptCommand, ...], command_name: str, path: str) -> ScriptCommand:
    names = [command.name for command in commands]
    if command_name in names:
        return commands[names.index(command_name)]
    if command_name or len(commands) > 1:
        examples = ", ".join(f"'{path} {name}'" for name in names[:12])
        raise AddRefused(f"{path} has several commands; name one, as in {examples}")
    return commands[0]
