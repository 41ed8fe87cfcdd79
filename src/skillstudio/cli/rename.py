"""`skillstudio rename`: rename an input wherever it is used."""

from __future__ import annotations

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.output import CommandRefused, Result, refusing, say
from skillstudio.cli.saving import Texts, write_or_show
from skillstudio.cli.skill_paths import one_skill_path
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.locate import locate
from skillstudio.present.lines import count


def run(options: CommandOptions) -> Result:
    """Rename it. Raises Refused if there is no such input or the new name is taken."""
    from skillstudio.manifest.rename import RenameRefused, rename_input
    from skillstudio.text.edit import apply

    target, _ = one_skill_path(options.path)
    disk = DiskTree(target.disk)
    left = 0

    def make() -> Texts:
        nonlocal left
        made = rename_input(locate(disk, target.settings).skill, options.old, options.new)
        left = sum(map(len, made.mentions.values()))
        changes = {}
        for path, old in made.texts.items():
            splices = list(made.splices.get(path, []))
            splices += made.mentions.get(path, []) if options.prose else []
            if splices:
                changes[path] = (old, apply(old, sorted(splices)))
        return changes

    with refusing(RenameRefused, kind=CommandRefused, of=target.shown):
        result = write_or_show(disk, target.shown, make, options)
    if left and not options.prose:
        say(f"{count(left, 'mention')} in prose not changed; --prose also changes them")
    return result
