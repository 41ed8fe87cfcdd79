"""`skillstudio export`: copy a skill into a form that a target accepts."""

from __future__ import annotations

from skillstudio.cli.arguments import Options, unknown
from skillstudio.cli.moved import deliver, folder_of
from skillstudio.cli.output import Refused, Result, UsageError, say
from skillstudio.cli.targets import one_target
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.locate import locate


def run(options: Options) -> Result:
    """Export. Raises Refused if no copy would be accepted, and UsageError."""
    from skillstudio.manifest.profiles import judge, profiles
    from skillstudio.scaffold.moving.convert import ConversionRefused
    from skillstudio.scaffold.moving.export import ExportRefused, export
    from skillstudio.scaffold.moving.sound import Unsound

    if options.target not in profiles():
        raise unknown("target", options.target, profiles())
    target, _ = one_target(options.path)
    folder = folder_of(options.output)
    try:
        made = export(locate(DiskTree(target.disk), target.settings), options.target, folder)
    except Unsound as error:
        raise UsageError(error.under(target.shown)) from None
    except (ExportRefused, ConversionRefused) as error:
        raise Refused(f"{target.shown}: {error}") from None
    for note in made.notes:
        say(note)
    result = deliver(made.tree, made.report, options.output, checked=False)
    verdicts = judge(locate(DiskTree(options.output), target.settings).skill)
    accepting = ", ".join(id for id, verdict in verdicts.items() if verdict.accepted)
    say(f"accepted by {accepting}")
    return result
