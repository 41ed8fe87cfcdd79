"""`skillstudio rename`: another name for an input, everywhere it is used."""

from __future__ import annotations

from skillstudio.cli.edit import one_skill_path, refuse, write_or_show
from skillstudio.cli.exit_codes import OK
from skillstudio.cli.output import Parser, say
from skillstudio.cli.saving import Texts
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.locate import locate


def parser() -> Parser:
    made = Parser("rename", "Rename an input in its declaration and wherever it is used.")
    add = made.add_argument
    add("path", metavar="PATH", help="a skill")
    add("what", choices=("input",))
    add("old", metavar="OLD")
    add("new", metavar="NEW")
    add("--prose", action="store_true", help="change the name where the text mentions it, too")
    add("--diff", action="store_true", help="show the change and write nothing")
    return made


def run(arguments: list[str]) -> int:
    """Make the change. Exit status 1 when the input is not there or the name is taken."""
    from skillstudio.manifest.rename import RenameRefused, rename_input
    from skillstudio.text.edit import apply

    options = parser().parse_args(arguments)
    skill_path, _ = one_skill_path(options.path)
    disk = DiskTree(skill_path.disk)
    left = 0

    def make() -> Texts:
        nonlocal left
        made = rename_input(locate(disk, skill_path.settings).skill, options.old, options.new)
        left = sum(map(len, made.mentions.values()))
        changes = {}
        for path, old in made.texts.items():
            splices = list(made.splices.get(path, []))
            splices += made.mentions.get(path, []) if options.prose else []
            if splices:
                changes[path] = (old, apply(old, sorted(splices)))
        return changes

    try:
        status = write_or_show(disk, skill_path, make, options.diff)
    except RenameRefused as error:
        return refuse(skill_path.shown, str(error))
    if status == OK and left and not options.prose:
        say(f"{left} mention(s) in prose were left; --prose changes them too")
    return status
