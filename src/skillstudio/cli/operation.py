"""`skillstudio operation`: add an operation for a script to the manifest of a skill."""

from __future__ import annotations

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.output import CommandRefused, Result, refusing, say
from skillstudio.cli.saving import Texts, write_or_show
from skillstudio.cli.skill_paths import one_skill_path
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.locate import locate


def run(options: CommandOptions) -> Result:
    """Add it. Raises CommandRefused if the script is not readable or no manifest takes it."""
    from skillstudio.scaffold.new.scripts.adding import AddRefused, add_operation
    from skillstudio.text.edit import EditRefused

    target, _ = one_skill_path(options.path)
    disk = DiskTree(target.disk)
    notes: list[str] = []

    def make() -> Texts:
        added = add_operation(
            locate(disk, target.settings).skill, options.script, options.name, options.dialect
        )
        done = "would add" if options.diff else "added"
        notes[:] = [f"{done} the operation {added.name}", *added.notes]
        return {added.path: (added.old, added.new)}

    with (
        refusing(AddRefused, kind=CommandRefused, of=target.shown),
        refusing(EditRefused, kind=CommandRefused, of=target.shown),
    ):
        result = write_or_show(disk, target.shown, make, options)
    say(*notes)
    return result
