"""`skillstudio unpack`: from an archive to a new skill folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from skillstudio.cli.exit_codes import OK
from skillstudio.cli.output import Parser, UsageError, print_json, say
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.scaffold.packing.unpacking import ArchiveContents, Unpacked

_TOLD = 5


def parser() -> Parser:
    made = Parser(
        "unpack",
        "Make a new skill folder of an archive or an OCI image layout. Nothing that exists is "
        "overwritten, and nothing of the archive is run.",
    )
    made.add_argument(
        "file",
        metavar="FILE",
        help=".skill, .zip, .tgz, .tar.gz, or a layout; FILE:SKILL is one of several skills in it",
    )
    made.add_argument("-o", "--output", metavar="DIR", required=True, help="the new skill folder")
    made.add_argument(
        "--all", action="store_true", help="make DIR a folder with every skill of the archive"
    )
    made.add_argument("--format", choices=("text", "json"), default="text")
    return made


def run(arguments: list[str]) -> int:
    """Unpack. Exit status 2 where the archive is not safe or the folder cannot be made."""
    from skillstudio.files.archive import ArchiveRefused
    from skillstudio.files.placing import NotPlaced, destination_fault
    from skillstudio.scaffold.packing.unpacking import UnpackRefused, read_packed

    options = parser().parse_args(arguments)
    file, only = _split(options.file)
    if only and options.all:
        raise UsageError(f"{options.file} names one skill, and --all takes all; say which")
    fault = destination_fault(options.output)
    if fault:
        raise UsageError(f"{options.output or '-o'}: {fault}")
    try:
        found = read_packed(file, only, options.all)
        made = _made(found, options.output, options.all)
    except (ArchiveRefused, UnpackRefused, NotPlaced) as error:
        raise UsageError(str(error)) from None
    for path in found.beside[:_TOLD]:
        say(safe_text(f"{file}: {path} lies beside the skill, and was left"))
    if len(found.beside) > _TOLD:
        say(safe_text(f"{file}: {len(found.beside) - _TOLD} more lie beside it"))
    beside = list(found.beside)
    if options.format == "text":
        for each in made:
            files = f"{each['files']} file{'' if each['files'] == 1 else 's'}"
            print(safe_text(f"{each['path']}: {files}, content_hash {each['content_hash']}"))
    elif options.all:
        print_json({"path": options.output, "skills": made, "beside": beside})
    else:
        print_json({**made[0], "beside": beside})
    return OK


def _made(found: ArchiveContents, destination: str, several: bool) -> list[dict[str, Any]]:
    from skillstudio.scaffold.packing.unpacking import unpack, unpack_all

    if not several:
        unpack(found.skills[0], destination)
        return [_row(destination, found.skills[0])]
    start = destination.rstrip("/")
    placed = unpack_all(found.skills, destination)
    return [_row(f"{start}/{where}", skill) for where, skill in placed.items()]


def _row(path: str, skill: Unpacked) -> dict[str, Any]:
    return {
        "path": path,
        "name": skill.name,
        "files": len(skill.files) + len(skill.links),
        "content_hash": skill.content_hash,
    }


def _split(text: str) -> tuple[str, str]:
    """`FILE:SKILL` as the file and the path of a skill in it, which is "" without one."""
    file, colon, skill = text.rpartition(":")
    if colon and skill.strip("/") and not os.path.lexists(text) and os.path.exists(file):
        return file, skill
    return text, ""
