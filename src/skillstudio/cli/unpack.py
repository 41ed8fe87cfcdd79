"""`skillstudio unpack`: from an archive to a new skill folder."""

from __future__ import annotations

from skillstudio.cli.exit_codes import OK
from skillstudio.cli.output import Parser, UsageError, print_json, say
from skillstudio.text.safe import safe_text

_TOLD = 5


def parser() -> Parser:
    made = Parser(
        "unpack",
        "Make a new skill folder of an archive or an OCI image layout. Nothing that exists is "
        "overwritten, and nothing of the archive is run.",
    )
    made.add_argument("file", metavar="FILE", help=".skill, .zip, .tgz, .tar.gz, or a layout")
    made.add_argument("-o", "--output", metavar="DIR", required=True, help="the new skill folder")
    made.add_argument("--format", choices=("text", "json"), default="text")
    return made


def run(arguments: list[str]) -> int:
    """Unpack. Exit status 2 where the archive is not safe or the folder cannot be made."""
    from skillstudio.files.archive import ArchiveRefused
    from skillstudio.files.placing import NotPlaced, destination_fault
    from skillstudio.scaffold.packing.unpacking import UnpackRefused, read_packed, unpack

    options = parser().parse_args(arguments)
    destination = options.output
    fault = destination_fault(destination)
    if fault:
        raise UsageError(f"{destination}: {fault}")
    try:
        found = read_packed(options.file)
        unpack(found, destination)
    except (ArchiveRefused, UnpackRefused, NotPlaced) as error:
        raise UsageError(str(error)) from None
    for path in found.beside[:_TOLD]:
        say(safe_text(f"{options.file}: {path} lies beside the skill, and was left"))
    if len(found.beside) > _TOLD:
        say(safe_text(f"{options.file}: {len(found.beside) - _TOLD} more lie beside it"))
    count = len(found.files) + len(found.links)
    if options.format == "json":
        print_json(
            {
                "path": destination,
                "name": found.name,
                "files": count,
                "content_hash": found.content_hash,
                "beside": list(found.beside),
            }
        )
    else:
        files = f"{count} file{'' if count == 1 else 's'}"
        print(safe_text(f"{destination}: {files}, content_hash {found.content_hash}"))
    return OK
