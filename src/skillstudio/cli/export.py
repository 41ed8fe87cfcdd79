"""`skillstudio export`: copy a skill into a form that a target accepts."""

from __future__ import annotations

from skillstudio.cli.arguments import CommandOptions, unknown
from skillstudio.cli.conversion_output import deliver, folder_of, refusing_conversion
from skillstudio.cli.output import Result, say
from skillstudio.cli.skill_paths import one_skill_path
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.locate import locate


def run(options: CommandOptions) -> Result:
    """Export. Raises Refused if no copy would be accepted, and UsageError."""
    from skillstudio.manifest.targets import judge, targets
    from skillstudio.scaffold.conversion.export import export

    if options.target not in targets():
        raise unknown("target", options.target, targets())
    target, _ = one_skill_path(options.path)
    folder = folder_of(options.output)
    with refusing_conversion(target.shown):
        made = export(locate(DiskTree(target.disk), target.settings), options.target, folder)
    say(*made.notes)
    result = deliver(made.tree, made.report, options, checked=False)
    verdicts = judge(locate(DiskTree(options.output), target.settings).skill)
    accepting = ", ".join(id for id, verdict in verdicts.items() if verdict.accepted)
    say(f"accepted by {accepting}")
    return result
