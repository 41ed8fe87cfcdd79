"""Write the results of migrate, convert and export, and report on them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.lists import SHOWN, cut_json
from skillstudio.cli.output import CommandRefused, Result, UsageError, say
from skillstudio.files.disk import DiskTree
from skillstudio.present.lines import count
from skillstudio.skill.analysis import Analysis, analyse
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.manifest.conversion.leaf_tracker import ConversionReport
    from skillstudio.scaffold.conversion.result_tree import ResultTree

_MOST = 10
"""Errors of a result that are named."""


@contextmanager
def refusing_conversion(shown: str) -> Iterator[None]:
    """Refuse the command where a skill cannot be migrated, converted or exported."""
    from skillstudio.manifest.conversion.migration import ConversionRefused, MigrationRefused
    from skillstudio.scaffold.conversion.export import ExportRefused
    from skillstudio.scaffold.conversion.source_checks import SourceUnusable

    try:
        yield
    except SourceUnusable as error:
        raise UsageError(error.under(shown)) from None
    except (ConversionRefused, MigrationRefused, ExportRefused) as error:
        raise CommandRefused(f"{shown}: {error}") from None


def folder_of(out: str) -> str:
    """The name of a new folder. Raises UsageError if it cannot be created."""
    from skillstudio.scaffold.destination import where_fault

    if fault := where_fault(out):
        raise UsageError(f"{out}: {fault}; name another new folder with -o")
    return os.path.basename(os.path.abspath(out))


def deliver(
    tree: ResultTree, report: ConversionReport, options: CommandOptions, checked: bool = True
) -> Result:
    """Create the new folder; with `checked` its errors are printed too. Raises Refused."""
    from skillstudio.files.placing import NotPlaced, place
    from skillstudio.scaffold.conversion.result_tree import CopiedFiles

    files, out = CopiedFiles(tree), options.output
    try:
        place(files, os.path.abspath(out), files.executable)
    except NotPlaced as error:
        raise CommandRefused(str(error)) from None
    for path, why in files.left.items():
        say(f"not copied: {path}: {why}")
    say(f"wrote {out}")
    status = _say_errors(analyse(DiskTree(out)), out) if checked else OK
    return reported(report, options, status)


def reported(report: ConversionReport, options: CommandOptions, status: int = OK) -> Result:
    """The report as the result, its long lists cut without `--all`."""

    def lines(_: object) -> list[str]:
        from skillstudio.scaffold.conversion.report_text import report_lines

        return [safe_text(line) for line in report_lines(report, None if options.all else SHOWN)]

    return Result(lambda: cut_json(report.as_json(), options.all), lines, status)


def say_what_is_left(analysis: Analysis, where: str) -> None:
    """Say how many values only the author knows."""
    todo = sum(each.rule == "todo-left" for each in analysis.diagnostics)
    if todo:
        verb = "contains" if todo == 1 else "contain"
        say(f"{count(todo, 'value')} {verb} TODO; skillstudio check {where} lists them")


def _say_errors(analysis: Analysis, out: str) -> int:
    say_what_is_left(analysis, out)
    errors = [each for each in analysis.diagnostics if each.severity == "error"]
    for each in errors[:_MOST]:
        line, column = analysis.place(each)[0]
        say(f"{out}/{each.path}:{line}:{column}: error {each.rule}: {each.message}")
    if errors:
        say(f"the result has {count(len(errors), 'error')}; skillstudio check {out} lists them")
    return PROBLEMS if errors else OK
