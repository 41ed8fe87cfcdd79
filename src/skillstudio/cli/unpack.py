"""`skillstudio unpack`: unpack an archive into a new skill folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.output import Result, UsageError, refuse_on, say
from skillstudio.present.lines import count
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.scaffold.packing.unpacking import ArchiveContents, UnpackedSkill

_MAX_NAMED = 5


def run(options: CommandOptions) -> Result:
    """Unpack. Raises UsageError if the archive is not safe or the folder cannot be created."""
    from skillstudio.files.archive_entries import ArchiveRefused
    from skillstudio.files.placing import NotPlaced, destination_fault
    from skillstudio.scaffold.packing.unpacking import UnpackRefused, read_packed

    file, only = _split(options.file)
    if only and options.all:
        raise UsageError(f"{options.file} names one skill, so it cannot be combined with --all")
    fault = destination_fault(options.output)
    if fault:
        raise UsageError(f"{options.output or '-o'}: {fault}")
    with refuse_on(ArchiveRefused, UnpackRefused, NotPlaced):
        contents = read_packed(file, only, options.all)
        skill_rows = _unpack_skills(contents, options.output, options.all)
    for path in contents.beside[:_MAX_NAMED]:
        say(f"{file}: {path} is not part of a skill and was not unpacked")
    if len(contents.beside) > _MAX_NAMED:
        say(f"{file}: {len(contents.beside) - _MAX_NAMED} more files are not part of a skill")
    value = {"path": options.output, "skills": skill_rows} if options.all else skill_rows[0]
    lines = [
        safe_text(f"{skill['path']}: {count(skill['files'], 'file')}, "
                  f"content_hash {skill['content_hash']}")
        for skill in skill_rows
    ]  # fmt: skip
    return Result(lambda: {**value, "beside": list(contents.beside)}, lambda _: lines)


def _unpack_skills(
    contents: ArchiveContents, destination: str, several: bool
) -> list[dict[str, Any]]:
    from skillstudio.scaffold.packing.unpacking import unpack, unpack_all

    if not several:
        unpack(contents.skills[0], destination)
        return [_row(destination, contents.skills[0])]
    start = destination.rstrip("/")
    placed_skills = unpack_all(contents.skills, destination)
    return [_row(f"{start}/{where}", skill) for where, skill in placed_skills.items()]


def _row(path: str, skill: UnpackedSkill) -> dict[str, Any]:
    return {
        "path": path,
        "name": skill.name,
        "files": len(skill.files) + len(skill.links),
        "content_hash": skill.content_hash,
    }


def _split(text: str) -> tuple[str, str]:
    """Split `FILE:SKILL` into the file and the path of a skill in it, "" without one."""
    file, colon, skill = text.rpartition(":")
    if colon and skill.strip("/") and not os.path.lexists(text) and os.path.exists(file):
        return file, skill
    return text, ""
