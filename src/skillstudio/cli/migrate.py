"""`skillstudio migrate`: update a manifest to the next version of its format."""

from __future__ import annotations

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.conversion_output import refusing_conversion, reported, say_what_is_left
from skillstudio.cli.output import Result, say
from skillstudio.cli.saving import write_or_show
from skillstudio.cli.skill_paths import one_skill_path
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.locate import locate
from skillstudio.skill.analysis import analyse


def run(options: CommandOptions) -> Result:
    """Migrate; do nothing if every manifest is current. Raises Refused, UsageError."""
    from skillstudio.scaffold.conversion.migrate import migrate, unchanged

    target, _ = one_skill_path(options.path)
    disk = DiskTree(target.disk)
    located = locate(disk, target.settings)
    with refusing_conversion(target.shown):
        done = migrate(located)
    if done is None:
        say(f"{target.shown}: every manifest has the latest version of its format")
        return reported(unchanged(located.skill), options)._replace(text=lambda _: ())
    texts = {done.path: (done.old, done.new)}
    result = write_or_show(disk, target.shown, lambda: texts, options.diff)
    if options.diff:
        return reported(done.report, options)._replace(text=result.text)
    say(f"{target.shown}/{done.path}: migrated, {done.title}")
    say_what_is_left(analyse(disk, target.settings), target.shown)
    return reported(done.report, options)
