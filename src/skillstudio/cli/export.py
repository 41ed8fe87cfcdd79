"""`skillstudio export`: a copy of a skill that one consumer accepts."""

from __future__ import annotations

from skillstudio.cli.edit import one_target, refuse
from skillstudio.cli.exit_codes import OK
from skillstudio.cli.moved import deliver, folder_of
from skillstudio.cli.output import Parser, UsageError, say
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.locate import locate
from skillstudio.text.safe import safe_text


def parser() -> Parser:
    made = Parser(
        "export",
        "Make a copy of a skill that a consumer accepts: other keys go under metadata as text, "
        "the name becomes that of the folder, lists of tools are separated by spaces.",
    )
    add = made.add_argument
    add("path", metavar="PATH", help="a skill")
    add(
        "--profile",
        required=True,
        metavar="ID",
        help="the consumer, such as claude-upload; skillstudio profiles lists them",
    )
    add(
        "-o",
        "--output",
        metavar="DIR",
        required=True,
        help="the new skill folder, whose last part is the skill's name",
    )
    add("--format", choices=("text", "json"), default="text")
    return made


def run(arguments: list[str]) -> int:
    """Export. Exit status 1 when no copy would be accepted, with the reason."""
    from skillstudio.manifest.conversion.migration import ConversionRefused
    from skillstudio.manifest.profiles import judge, profiles
    from skillstudio.scaffold.moving.export import ExportRefused, export
    from skillstudio.scaffold.moving.sound import Unsound

    options = parser().parse_args(arguments)
    if options.profile not in profiles():
        known = ", ".join(profiles())
        raise UsageError(f"there is no profile {options.profile}; there are {known}")
    target, _ = one_target(options.path)
    folder = folder_of(options.output)
    try:
        made = export(locate(DiskTree(target.disk), target.settings), options.profile, folder)
    except Unsound as error:
        raise UsageError(error.under(target.shown)) from None
    except (ExportRefused, ConversionRefused) as error:
        return refuse(target.shown, str(error))
    for note in made.notes:
        say(safe_text(note))
    status = deliver(made.tree, made.report, options.output, options.format, checked=False)
    if status == OK:
        verdicts = judge(locate(DiskTree(options.output), target.settings).skill)
        accepting = ", ".join(id for id, verdict in verdicts.items() if verdict.accepted)
        say(safe_text(f"accepted by {accepting}"))
    return status
