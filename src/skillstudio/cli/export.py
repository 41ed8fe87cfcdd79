"""`skillstudio export`: a copy of a skill that one target accepts."""

from __future__ import annotations

from skillstudio.cli.conversion_output import deliver, folder_of
from skillstudio.cli.edit import one_skill_path, refuse
from skillstudio.cli.exit_codes import OK
from skillstudio.cli.lists import add_all
from skillstudio.cli.output import Parser, UsageError, say
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.locate import locate
from skillstudio.text.safe import safe_text


def parser() -> Parser:
    made = Parser(
        "export",
        "Make a copy of a skill that a target accepts: other keys go under metadata as text, "
        "the name becomes that of the folder, lists of tools are separated by spaces.",
    )
    add = made.add_argument
    add("path", metavar="PATH", help="a skill")
    add(
        "--target",
        required=True,
        metavar="ID",
        help="the target, such as claude-upload; skillstudio targets lists them",
    )
    add(
        "-o",
        "--output",
        metavar="DIR",
        required=True,
        help="the new skill folder, whose last part is the skill's name",
    )
    add("--format", choices=("text", "json"), default="text")
    add_all(made)
    return made


def run(arguments: list[str]) -> int:
    """Export. Exit status 1 when no copy would be accepted, with the reason."""
    from skillstudio.manifest.conversion.migration import ConversionRefused
    from skillstudio.manifest.targets import judge, targets
    from skillstudio.scaffold.conversion.export import ExportRefused, export
    from skillstudio.scaffold.conversion.source_checks import SourceUnusable

    options = parser().parse_args(arguments)
    if options.target not in targets():
        known = ", ".join(targets())
        raise UsageError(f"there is no target {options.target}; there are {known}")
    skill_path, _ = one_skill_path(options.path)
    folder = folder_of(options.output)
    try:
        made = export(
            locate(DiskTree(skill_path.disk), skill_path.settings), options.target, folder
        )
    except SourceUnusable as error:
        raise UsageError(error.under(skill_path.shown)) from None
    except (ExportRefused, ConversionRefused) as error:
        return refuse(skill_path.shown, str(error))
    for note in made.notes:
        say(safe_text(note))
    status = deliver(made.tree, made.report, options, checked=False)
    if status == OK:
        verdicts = judge(locate(DiskTree(options.output), skill_path.settings).skill)
        accepting = ", ".join(id for id, verdict in verdicts.items() if verdict.accepted)
        say(safe_text(f"accepted by {accepting}"))
    return status
