"""`skillstudio migrate`: a manifest in the next version of its dialect, in place."""

from __future__ import annotations

from skillstudio.cli.conversion_output import print_report, say_what_is_left
from skillstudio.cli.edit import one_skill_path, refuse, write_or_show
from skillstudio.cli.exit_codes import OK
from skillstudio.cli.lists import add_all
from skillstudio.cli.output import Parser, UsageError, say
from skillstudio.cli.saving import Texts
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.locate import locate
from skillstudio.skill.analysis import analyse
from skillstudio.text.safe import safe_text


def parser() -> Parser:
    made = Parser(
        "migrate",
        "Bring a manifest to the next version of its dialect; every other byte stays.",
    )
    add = made.add_argument
    add("path", metavar="PATH", help="a skill, or a file of one")
    add("--diff", action="store_true", help="show the change and write nothing")
    add(
        "--format",
        choices=("text", "json"),
        default="text",
        help="json prints the report alone, with --diff too",
    )
    add_all(made)
    return made


def run(arguments: list[str]) -> int:
    """Migrate. Exit status 1 when it is refused, with the reason; 0 where nothing is old."""
    from skillstudio.manifest.conversion.migration import MigrationRefused
    from skillstudio.scaffold.conversion.migrate import migrate, unchanged
    from skillstudio.scaffold.conversion.source_checks import SourceUnusable

    options = parser().parse_args(arguments)
    skill_path, _ = one_skill_path(options.path)
    disk = DiskTree(skill_path.disk)
    located = locate(disk, skill_path.settings)
    try:
        done = migrate(located)
    except SourceUnusable as error:
        raise UsageError(error.under(skill_path.shown)) from None
    except MigrationRefused as error:
        return refuse(skill_path.shown, str(error))
    if done is None:
        say(
            safe_text(f"{skill_path.shown}: every manifest is of the latest version of its dialect")
        )
        if options.format == "json":
            print_report(unchanged(located.skill), options)
        return OK
    if options.diff and options.format == "json":
        print_report(done.report, options)
        return OK
    texts = {done.path: (done.old, done.new)}

    def make() -> Texts:
        return texts

    status = write_or_show(disk, skill_path, make, options.diff)
    if status != OK or options.diff:
        return status
    print_report(done.report, options)
    say(safe_text(f"{skill_path.shown}/{done.path}: migrated, {done.title}"))
    say_what_is_left(analyse(disk, skill_path.settings), skill_path.shown)
    return OK
