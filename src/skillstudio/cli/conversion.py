"""`skillstudio migrate`, `convert` and `export`: rewrite a skill and report each value."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from skillstudio.cli.arguments import CommandOptions, unknown
from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.lists import SHOWN, cut_json
from skillstudio.cli.output import CommandRefused, Result, UsageError, say
from skillstudio.cli.saving import write_or_show
from skillstudio.cli.skill_paths import one_skill_path
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.locate import locate
from skillstudio.present.lines import count
from skillstudio.skill.analysis import Analysis, analyse
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.manifest.conversion.leaf_tracker import ConversionReport
    from skillstudio.scaffold.conversion.result_tree import ResultTree

_MOST = 10  # Errors of a result that are named.


def run(options: CommandOptions) -> Result:
    """Run one of the verbs. Raises CommandRefused, UsageError."""
    return {"migrate": _migrate, "convert": _convert, "export": _export}[options.verb](options)


def _migrate(options: CommandOptions) -> Result:
    """Migrate; do nothing if every manifest is current."""
    from skillstudio.scaffold.conversion.migrate import migrate, unchanged

    target, _ = one_skill_path(options.path)
    disk = DiskTree(target.disk)
    located = locate(disk, target.settings)
    with _refusing_conversion(target.shown):
        done = migrate(located)
    if done is None:
        say(f"{target.shown}: every manifest has the latest version of its format")
        return _reported(unchanged(located.skill), options)._replace(text=lambda _: ())
    texts = {done.path: (done.old, done.new)}
    result = write_or_show(disk, target.shown, lambda: texts, options)
    if options.diff:
        return _reported(done.report, options)._replace(text=result.text)
    say(f"{target.shown}/{done.path}: migrated, {done.title}")
    _say_todos(analyse(disk, target.settings), target.shown)
    return _reported(done.report, options)


def _convert(options: CommandOptions) -> Result:
    """Convert; exit status 1 if the result has errors."""
    from skillstudio.manifest.registry import conversion_targets
    from skillstudio.scaffold.conversion.convert import convert

    known = [each.id for each in conversion_targets()]
    if options.to not in known:
        raise unknown("dialect", options.to, known)
    beside = options.output is None
    if not beside and options.diff:
        raise UsageError("--diff shows what is added to the skill itself; omit -o")
    target, _ = one_skill_path(options.path)
    disk = DiskTree(target.disk)
    folder = disk.name if beside else _folder_of(options.output)
    with _refusing_conversion(target.shown):
        made = convert(locate(disk, target.settings), options.to, folder, beside)
    say(*made.notes)
    if not beside:
        return _deliver(made.tree, made.report, options)
    result = write_or_show(disk, target.shown, lambda: made.texts, options)
    if options.diff:
        return _reported(made.report, options)._replace(text=result.text)
    for path in made.texts:
        say(f"wrote {target.shown}/{path}")
    return _reported(made.report, options)


def _export(options: CommandOptions) -> Result:
    """Export; refused if no copy would be accepted."""
    from skillstudio.manifest.targets import judging
    from skillstudio.scaffold.conversion.export import export

    if options.target not in judging():
        raise unknown("target", options.target, judging())
    target, _ = one_skill_path(options.path)
    folder = _folder_of(options.output)
    with _refusing_conversion(target.shown):
        made = export(locate(DiskTree(target.disk), target.settings), options.target, folder)
    say(*made.notes)
    result = _deliver(made.tree, made.report, options, checked=False)
    say(f"accepted by {', '.join(made.accepting)}")
    return result


@contextmanager
def _refusing_conversion(shown: str) -> Iterator[None]:
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


def _folder_of(out: str) -> str:
    """The name of a new folder. Raises UsageError if it cannot be created."""
    from skillstudio.scaffold.destination import where_fault

    if fault := where_fault(out):
        raise UsageError(f"{out}: {fault}; name another new folder with -o")
    return os.path.basename(os.path.abspath(out))


def _deliver(
    tree: ResultTree, report: ConversionReport, options: CommandOptions, checked: bool = True
) -> Result:
    """Create the new folder; with `checked` its errors are printed too. Raises CommandRefused."""
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
    return _reported(report, options, status)


def _reported(report: ConversionReport, options: CommandOptions, status: int = OK) -> Result:
    """The report as the result, its long lists cut without `--all`."""

    def lines(_: object) -> list[str]:
        from skillstudio.scaffold.conversion.report_text import report_lines

        return [safe_text(line) for line in report_lines(report, None if options.all else SHOWN)]

    return Result(lambda: cut_json(report.as_json(), options.all), lines, status)


def _say_todos(analysis: Analysis, where: str) -> None:
    """Say how many values only the author knows."""
    todo = sum(each.rule == "todo-left" for each in analysis.diagnostics)
    if todo:
        verb = "contains" if todo == 1 else "contain"
        say(f"{count(todo, 'value')} {verb} TODO; skillstudio check {where} lists them")


def _say_errors(analysis: Analysis, out: str) -> int:
    _say_todos(analysis, out)
    errors = [each for each in analysis.diagnostics if each.severity == "error"]
    for each in errors[:_MOST]:
        line, column = analysis.place(each)[0]
        say(f"{out}/{each.path}:{line}:{column}: error {each.rule}: {each.message}")
    if errors:
        say(f"the result has {count(len(errors), 'error')}; skillstudio check {out} lists them")
    return PROBLEMS if errors else OK
