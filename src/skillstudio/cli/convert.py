"""`skillstudio convert`: convert a skill to another manifest format."""

from __future__ import annotations

from skillstudio.cli.arguments import CommandOptions, unknown
from skillstudio.cli.conversion_output import deliver, folder_of, refusing_conversion, reported
from skillstudio.cli.output import Result, UsageError, say
from skillstudio.cli.saving import write_or_show
from skillstudio.cli.skill_paths import one_skill_path
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.locate import locate
from skillstudio.manifest.registry import conversion_targets


def run(options: CommandOptions) -> Result:
    """Convert. Exit status 1 if the result has errors. Raises Refused, UsageError."""
    from skillstudio.scaffold.conversion.convert import convert

    known = [each.id for each in conversion_targets()]
    if options.to not in known:
        raise unknown("dialect", options.to, known)
    beside = options.output is None
    if not beside and options.diff:
        raise UsageError("--diff shows what is added to the skill itself; omit -o")
    target, _ = one_skill_path(options.path)
    disk = DiskTree(target.disk)
    folder = disk.name if beside else folder_of(options.output)
    with refusing_conversion(target.shown):
        made = convert(locate(disk, target.settings), options.to, folder, beside)
    say(*made.notes)
    if not beside:
        return deliver(made.tree, made.report, options)
    result = write_or_show(disk, target.shown, lambda: made.texts, options.diff)
    if options.diff:
        return reported(made.report, options)._replace(text=result.text)
    for path in made.texts:
        say(f"wrote {target.shown}/{path}")
    return reported(made.report, options)
