"""`skillstudio convert`: a skill of one dialect as one of another."""

from __future__ import annotations

from skillstudio.cli.conversion_output import deliver, folder_of, print_report, write_beside
from skillstudio.cli.edit import one_skill_path, refuse
from skillstudio.cli.exit_codes import OK
from skillstudio.cli.lists import add_all
from skillstudio.cli.output import Parser, UsageError, say
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.locate import locate
from skillstudio.manifest.registry import conversion_targets
from skillstudio.text.safe import safe_text


def parser() -> Parser:
    known = ", ".join(each.id for each in conversion_targets())
    made = Parser(
        "convert",
        "Make a skill of another dialect, and say of every value whether it is carried "
        "over, changed, lost or invented.",
    )
    add = made.add_argument
    add("path", metavar="PATH", help="a skill")
    add("--to", required=True, metavar="DIALECT", help=f"one of {known}")
    add(
        "-o",
        "--output",
        metavar="DIR",
        help="the new skill folder, whose last part is the skill's name; without it the new "
        "manifest goes beside the old one, into the skill itself",
    )
    add("--diff", action="store_true", help="without -o: show the change and write nothing")
    add(
        "--format",
        choices=("text", "json"),
        default="text",
        help="json prints the report alone, with --diff too",
    )
    add_all(made)
    return made


def run(arguments: list[str]) -> int:
    """Convert. Exit status 1 when it cannot be done or the result has errors, with the reason."""
    from skillstudio.manifest.conversion.migration import ConversionRefused
    from skillstudio.scaffold.conversion.convert import convert
    from skillstudio.scaffold.conversion.source_checks import SourceUnusable

    options = parser().parse_args(arguments)
    known = [each.id for each in conversion_targets()]
    if options.to not in known:
        raise UsageError(
            f"no skill is converted to {options.to}: it is not known what it would have to say "
            f"there; --to takes {', '.join(known)}"
        )
    beside = options.output is None
    if not beside and options.diff:
        raise UsageError("--diff shows what goes beside the old manifest, so it takes no -o")
    skill_path, _ = one_skill_path(options.path)
    disk = DiskTree(skill_path.disk)
    folder = disk.name if beside else folder_of(options.output)
    try:
        made = convert(locate(disk, skill_path.settings), options.to, folder, beside)
    except SourceUnusable as error:
        raise UsageError(error.under(skill_path.shown)) from None
    except ConversionRefused as error:
        return refuse(skill_path.shown, str(error))
    for note in made.notes:
        say(safe_text(note))
    if not beside:
        return deliver(made.tree, made.report, options)
    if options.diff and options.format == "json":
        print_report(made.report, options)
        return OK
    status = write_beside(disk, skill_path, made.texts, options.diff)
    if status == OK and not options.diff:
        print_report(made.report, options)
    return status
