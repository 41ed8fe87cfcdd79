"""`skillstudio pack`: pack a skill into a reproducible archive."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.lists import MOST_LISTED, MOST_SHOWN
from skillstudio.cli.operands import SettingsReader, find_operand
from skillstudio.cli.output import Result, UsageError, refuse_on, say
from skillstudio.cli.report import CheckReport, make_skill_row
from skillstudio.files.workspace import OUTSIDE, leads_out
from skillstudio.present.lines import count
from skillstudio.present.problems import omitted_text
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.scaffold.packing.packing import Format, PackPlan, WrittenArchive


def run(options: CommandOptions) -> Result:
    """Pack or list. Exit status 1 if the check finds errors; nothing is written then."""
    from skillstudio.files.placing import NotPlaced
    from skillstudio.scaffold.packing.packing import inside, plan, write
    from skillstudio.scaffold.packing.selecting import PackRefused
    from skillstudio.scaffold.packing.uploading import inner_skills

    format = _format(options)
    _refuse_output(options)
    operand, tree = find_operand(options.path)
    if operand.note:
        say(f"{operand.label}: {operand.note}")
    settings = SettingsReader().of(operand)[0]
    on_disk = operand.folder and not operand.commit
    inner_output = inside(operand.folder, options.output) if on_disk and options.output else ""
    try:
        pack_plan = plan(tree, format, settings, [inner_output] if inner_output else [])
        report = CheckReport()
        analysis = pack_plan.analysis._replace(diagnostics=tuple(pack_plan.errors))
        report.skills.append(make_skill_row(operand.label, analysis, MOST_LISTED))
        is_refused = bool(pack_plan.errors) and not options.no_check
        archive = None
        if not (options.list or is_refused):
            with refuse_on(NotPlaced):
                archive = write(pack_plan, format, options.output, options.force, options.compress)
    except PackRefused as error:
        reasons = [f"{operand.label}: {reason}" for reason in str(error).split("\n")]
        raise UsageError("\n".join(reasons)) from None
    command = f"skillstudio pack {operand.label}/PATH -o NAME.zip"
    for warning in (
        *pack_plan.warnings,
        *inner_skills(pack_plan.selection.exclusions, "packed", command),
    ):
        say(f"{operand.label}: {warning}")
    text_cut = report.cut(MOST_SHOWN)
    for diagnostic in text_cut.diagnostics:
        place = f"{diagnostic.path}:{diagnostic.line}:{diagnostic.column}"
        say(f"{place}: {diagnostic.message} ({diagnostic.rule})")
    for rule, number in text_cut.omitted.items():
        say(f"{omitted_text(rule, number)}; skillstudio check {operand.label} --all")
    if is_refused:
        error_text = count(len(pack_plan.errors), "error")
        say(
            f"{operand.label} is not packed: the check finds {error_text}; --no-check packs "
            "it anyway"
        )
    json_cut = report.cut(MOST_LISTED)
    value = {
        "path": operand.label,
        "file": options.output if archive else None,
        "format": format,
        "digest": archive.digest if archive else None,
        "bytes": archive.size if archive else None,
        "root": pack_plan.root,
        "content_hash": pack_plan.content_hash,
        "out": [entry._asdict() for entry in pack_plan.selection.exclusions],
        "warnings": list(pack_plan.warnings),
        "diagnostics": [diagnostic.as_json() for diagnostic in json_cut.diagnostics],
        **({"omitted": json_cut.omitted} if json_cut.omitted else {}),
    }
    return Result(
        lambda: {**value, "in": [_row(pack_plan, path) for path in pack_plan.selection.paths]},
        lambda _: _lines(pack_plan, archive, options.output, options.quiet),
        PROBLEMS if is_refused else OK,
    )


def _format(options: CommandOptions) -> Format:
    from skillstudio.scaffold.packing.packing import SUFFIXES, format_of

    archive_format = format_of(options.output)
    if not options.output and not options.list:
        raise UsageError("name the archive with -o FILE, or list the files with --list")
    if options.oci and archive_format:
        raise UsageError(
            f"{options.output}: --oci creates a folder; give it a name without this ending"
        )
    if options.oci:
        return "oci"
    if not options.output:
        return "tar.gz"
    if archive_format is None:
        endings = ", ".join(SUFFIXES)
        raise UsageError(
            f"{options.output}: use one of the endings {endings}, or --oci for a folder"
        )
    return archive_format


def _refuse_output(options: CommandOptions) -> None:
    """Refuse before the work what writing would refuse after it. Raises UsageError."""
    if options.list or not options.output or not os.path.lexists(options.output):
        return
    if os.path.isdir(options.output):
        raise UsageError(
            f"{options.output} is an existing folder, which is never overwritten; name a new one"
        )
    if options.oci or not options.force:
        advice = "name a new folder" if options.oci else "--force overwrites it"
        raise UsageError(f"{options.output} already exists; {advice}")
    if leads_out(options.output):
        raise UsageError(f"{options.output}: {OUTSIDE}")


def _lines(
    pack_plan: PackPlan, archive: WrittenArchive | None, output: str, quiet: bool
) -> Iterator[str]:
    """What is packed; with `quiet` only the archive."""
    if not quiet:
        yield from _file_lines(pack_plan)
    if archive is not None:
        yield safe_text(f"{output}: {archive.digest}, {archive.size:,} bytes")


def _file_lines(pack_plan: PackPlan) -> Iterator[str]:
    rows = [_row(pack_plan, path) for path in pack_plan.selection.paths]
    for row in rows:
        if row["kind"] == "link":
            yield safe_text(f"in   {'link':>10}  {row['path']} -> {row['target']}")
        else:
            mark = "  (executable)" if row["executable"] else ""
            yield safe_text(f"in   {row['size']:>10,}  {row['path']}{mark}")
    for exclusion in pack_plan.selection.exclusions:
        yield safe_text(f"out  {'':>10}  {exclusion.path}  ({exclusion.reason})")
    total = sum(row.get("size", 0) for row in rows)
    files = f"{count(len(rows), 'file')}, {total:,} bytes"
    yield safe_text(f"{files}, below {pack_plan.root}/, content_hash {pack_plan.content_hash}")


def _row(pack_plan: PackPlan, path: str) -> dict[str, Any]:
    tree = pack_plan.selection.tree
    if tree.kind(path) == "link":
        return {"path": path, "kind": "link", "target": tree.target(path)}
    executable = tree.mode(path) & 0o100 != 0
    return {"path": path, "kind": "file", "size": tree.size(path), "executable": executable}
