"""What convert and export share: where a result goes, and what is said of it."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING

from skillstudio.cli.edit import refuse
from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.lists import SHOWN, cut_json
from skillstudio.cli.output import UsageError, print_json, say
from skillstudio.cli.saving import NotSaved, save
from skillstudio.cli.skill_paths import SkillPath
from skillstudio.files.disk import DiskTree
from skillstudio.skill.analysis import Analysis, analyse
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.manifest.conversion.leaf_tracker import ConversionReport
    from skillstudio.scaffold.conversion.result_tree import ResultTree

_MOST = 10
"""So many errors of a result are named."""


def folder_of(out: str) -> str:
    """The name of a new folder. Raises UsageError where it cannot be made, saying what to do."""
    from skillstudio.scaffold.conversion.destination import fault_of

    if fault := fault_of(out):
        raise UsageError(f"{out}: {fault}; name another new folder with -o")
    return os.path.basename(os.path.abspath(out))


def deliver(
    tree: ResultTree, report: ConversionReport, options: Namespace, checked: bool = True
) -> int:
    """Make the new folder and print the report. `checked` names the errors of the result too."""
    from skillstudio.files.placing import NotPlaced, place
    from skillstudio.scaffold.conversion.result_tree import CopiedFiles

    files, out = CopiedFiles(tree), options.output
    try:
        place(files, os.path.abspath(out), files.executable)
    except NotPlaced as error:
        say(safe_text(f"skillstudio: {error}"))
        return PROBLEMS
    print_report(report, options)
    for path, why in files.left.items():
        say(safe_text(f"not copied: {path}: {why}"))
    say(safe_text(f"wrote {out}"))
    return _state(analyse(DiskTree(out)), out) if checked else OK


def write_beside(
    disk: DiskTree, skill_path: SkillPath, texts: Mapping[str, tuple[str | None, str]], diff: bool
) -> int:
    """Write changed and new files of a skill, or print what would change."""
    for path, (old, new) in texts.items():
        name = f"{skill_path.shown}/{path}"
        if diff:
            from skillstudio.text.hunks import unified

            names = ("/dev/null" if old is None else f"a/{name}", f"b/{name}")
            print(safe_text(unified(old or "", new, *names), keep_newlines=True), end="")
            continue
        try:
            save(disk, path, old, new)
        except (NotSaved, OSError) as error:
            return refuse(name, str(getattr(error, "strerror", None) or error))
        say(safe_text(f"wrote {name}"))
    return OK


def print_report(report: ConversionReport, options: Namespace) -> None:
    """The report on stdout, its long lists cut unless `--all` is given."""
    if options.format == "json":
        print_json(cut_json(report.as_json(), options.all))
        return
    from skillstudio.scaffold.conversion.report_text import report_lines

    print(
        "\n".join(safe_text(line) for line in report_lines(report, None if options.all else SHOWN))
    )


def say_what_is_left(analysis: Analysis, where: str) -> None:
    """How many values only the author knows."""
    todo = sum(each.rule == "todo-left" for each in analysis.diagnostics)
    if todo:
        values = "1 value says" if todo == 1 else f"{todo} values say"
        say(safe_text(f"{values} TODO; skillstudio check {where} lists them"))


def _state(analysis: Analysis, out: str) -> int:
    """What is left to do in a result. Exit status 1 where it has errors."""
    say_what_is_left(analysis, out)
    errors = [each for each in analysis.diagnostics if each.severity == "error"]
    for each in errors[:_MOST]:
        line, column = analysis.place(each)[0]
        where = f"{out}/{each.path}:{line}:{column}"
        say(safe_text(f"{where}: error {each.rule}: {each.message}"))
    if errors:
        count = "1 error" if len(errors) == 1 else f"{len(errors)} errors"
        say(safe_text(f"the result has {count}; skillstudio check {out} lists them"))
    return PROBLEMS if errors else OK
