"""`skillstudio migrate` and `export`: rewrite a skill and report each value."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from skillstudio.cli.arguments import CommandOptions, unknown
from skillstudio.cli.exit_codes import PROBLEMS
from skillstudio.cli.lists import MOST_SHOWN, cut_json
from skillstudio.cli.output import CommandRefused, Result, UsageError, say
from skillstudio.cli.saving import write_or_show
from skillstudio.cli.skill_paths import one_skill_path
from skillstudio.cli.target_names import target_id
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.locate import locate
from skillstudio.present.lines import count
from skillstudio.skill.analysis import Analysis, analyse
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.manifest.conversion.leaf_tracker import ConversionReport
    from skillstudio.scaffold.conversion.result_tree import ResultTree


def run(options: CommandOptions) -> Result:
    """Run one of the verbs. Raises CommandRefused, UsageError."""
    return {"migrate": _migrate, "export": _export}[options.verb](options)


def _migrate(options: CommandOptions) -> Result:
    """Migrate; do nothing if every manifest is current."""
    from skillstudio.manifest.registry import dialect, dialects
    from skillstudio.scaffold.conversion.migrate import downgrade, migrate, report_unchanged

    earlier = dialect(options.to) if options.to else None
    if options.to and earlier is None:
        raise unknown(
            "manifest format", options.to, [known_dialect.id for known_dialect in dialects()]
        )
    target, _ = one_skill_path(options.path)
    disk = DiskTree(target.disk)
    located_skill = locate(disk, target.settings)
    with _refusing_conversion(target.label):
        migration = downgrade(located_skill, earlier) if earlier else migrate(located_skill)
    if migration is None:
        if not options.quiet:
            say(f"{target.label}: every manifest has the latest version of its format")
        return _make_result(report_unchanged(located_skill.skill), options)._replace(
            text=lambda _: ()
        )
    texts = {migration.path: (migration.old, migration.new)}
    result = write_or_show(disk, target.label, lambda: texts, options)
    if options.diff:
        return _make_result(migration.report, options)._replace(text=result.text)
    if not options.quiet:
        say(f"{target.label}/{migration.path}: migrated, {migration.title}")
    _say_todos(analyse(disk, target.settings), target.label)
    return _make_result(migration.report, options)


def _export(options: CommandOptions) -> Result:
    """Export; refused if no copy would be accepted."""
    from skillstudio.manifest.targets import recorded_targets
    from skillstudio.scaffold.conversion.export import export
    from skillstudio.scaffold.packing.uploading import inner_skills

    id = target_id(options.target, recorded_targets())
    target, _ = one_skill_path(options.path)
    folder = _folder_of(options.output)
    with _refusing_conversion(target.label):
        exported_skill = export(locate(DiskTree(target.disk), target.settings), id, folder)
    command = f"skillstudio export {target.label}/PATH --target {id} -o NAME"
    say(*exported_skill.notes, *inner_skills(exported_skill.exclusions, "copied", command))
    result = _deliver(exported_skill.tree, exported_skill.report, options)
    if exported_skill.lost_links:
        # The target accepts the copy, but an agent cannot read what it names.
        say(*exported_skill.lost_links, "copy these files into the skill, or remove the links")
        return result._replace(status=PROBLEMS)
    if not options.quiet:
        say(f"accepted by {', '.join(exported_skill.accepting_targets)}")
    return result


@contextmanager
def _refusing_conversion(label: str) -> Iterator[None]:
    """Refuse the command where a skill cannot be migrated or exported."""
    from skillstudio.manifest.conversion.migration import MigrationRefused
    from skillstudio.scaffold.conversion.export import ExportRefused
    from skillstudio.scaffold.conversion.source_checks import SourceUnusable

    try:
        yield
    except SourceUnusable as error:
        raise UsageError(error.under(label)) from None
    except (MigrationRefused, ExportRefused) as error:
        raise CommandRefused(f"{label}: {error}") from None


def _folder_of(out: str) -> str:
    """The name of a new folder. Raises UsageError if it cannot be created."""
    from skillstudio.scaffold.destination import where_fault

    if fault := where_fault(out):
        raise UsageError(f"{out}: {fault}; name another new folder with -o")
    return os.path.basename(os.path.abspath(out))


def _deliver(tree: ResultTree, report: ConversionReport, options: CommandOptions) -> Result:
    """Create the new folder. Raises CommandRefused."""
    from skillstudio.files.placing import NotPlaced, place
    from skillstudio.scaffold.conversion.result_tree import CopiedFiles

    files, out = CopiedFiles(tree), options.output
    try:
        place(files, os.path.abspath(out), files.executable)
    except NotPlaced as error:
        raise CommandRefused(str(error)) from None
    for path, why in files.exclusion_reasons.items():
        say(f"not copied: {path}: {why}")
    if not options.quiet:
        say(f"wrote {out}")
    return _make_result(report, options)


def _make_result(report: ConversionReport, options: CommandOptions) -> Result:
    """The report as the result, its long lists cut without `--all`."""

    def lines(_: object) -> list[str]:
        from skillstudio.scaffold.conversion.report_text import report_lines

        rows = list(report_lines(report, None if options.all else MOST_SHOWN))
        # The last line is the number of unchanged values.
        return list(map(safe_text, rows if options.verbose else rows[:-1] or rows))

    return Result(lambda: cut_json(report.as_json(), options.all), lines)


def _say_todos(analysis: Analysis, where: str) -> None:
    """Say how many values only the author knows."""
    todo = sum(diagnostic.rule == "todo-left" for diagnostic in analysis.diagnostics)
    if todo:
        verb = "contains" if todo == 1 else "contain"
        say(f"{count(todo, 'value')} {verb} TODO; skillstudio check {where} lists them")
