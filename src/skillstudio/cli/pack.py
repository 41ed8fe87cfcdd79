"""`skillstudio pack`: pack a skill into a reproducible archive."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.compared import Governing, find_operand
from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.lists import LISTED, SHOWN
from skillstudio.cli.output import Result, UsageError, refusing, say
from skillstudio.cli.report import CheckReport, checked
from skillstudio.cli.saving import OUTSIDE, leads_out
from skillstudio.present.lines import count
from skillstudio.present.problems import omitted_text
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.scaffold.packing.packing import Format, Packing, WrittenArchive


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
    settings = Governing().of(operand)[0]
    on_disk = operand.folder and not operand.commit
    own = inside(operand.folder, options.output) if on_disk and options.output else ""
    try:
        packing = plan(tree, format, settings, [own] if own else [])
        report = CheckReport()
        analysis = packing.analysis._replace(diagnostics=tuple(packing.errors))
        report.skills.append(checked(operand.label, analysis, LISTED))
        refused = bool(packing.errors) and not options.no_check
        written = None
        if not (options.list or refused):
            with refusing(NotPlaced):
                written = write(packing, format, options.output, options.force, options.compress)
    except PackRefused as error:
        reasons = [f"{operand.label}: {reason}" for reason in str(error).split("\n")]
        raise UsageError("\n".join(reasons)) from None
    command = f"skillstudio pack {operand.label}/PATH -o NAME.zip"
    for warning in (*packing.warnings, *inner_skills(packing.selected.left, "packed", command)):
        say(f"{operand.label}: {warning}")
    shown = report.cut(SHOWN)
    for diagnostic in shown.diagnostics:
        place = f"{diagnostic.path}:{diagnostic.line}:{diagnostic.column}"
        say(f"{place}: {diagnostic.message} ({diagnostic.rule})")
    for rule, number in shown.omitted.items():
        say(f"{omitted_text(rule, number)}; skillstudio check {operand.label} --all")
    if refused:
        found = count(len(packing.errors), "error")
        say(f"{operand.label} is not packed: the check finds {found}; --no-check packs it anyway")
    listed = report.cut(LISTED)
    value = {
        "path": operand.label,
        "file": options.output if written else None,
        "format": format,
        "digest": written.digest if written else None,
        "bytes": written.size if written else None,
        "root": packing.root,
        "content_hash": packing.content_hash,
        "out": [entry._asdict() for entry in packing.selected.left],
        "warnings": list(packing.warnings),
        "diagnostics": [diagnostic.as_json() for diagnostic in listed.diagnostics],
        **({"omitted": listed.omitted} if listed.omitted else {}),
    }
    return Result(
        lambda: {**value, "in": [_row(packing, path) for path in packing.selected.paths]},
        lambda _: _lines(packing, written, options.output, options.quiet),
        PROBLEMS if refused else OK,
    )


def _format(options: CommandOptions) -> Format:
    from skillstudio.scaffold.packing.packing import SUFFIXES, format_of

    found = format_of(options.output)
    if not options.output and not options.list:
        raise UsageError("name the archive with -o FILE, or list the files with --list")
    if options.oci and found:
        raise UsageError(
            f"{options.output}: --oci creates a folder; give it a name without this ending"
        )
    if options.oci:
        return "oci"
    if not options.output:
        return "tar.gz"
    if found is None:
        listed = ", ".join(SUFFIXES)
        raise UsageError(
            f"{options.output}: use one of the endings {listed}, or --oci for a folder"
        )
    return found


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
    packing: Packing, written: WrittenArchive | None, output: str, quiet: bool
) -> Iterator[str]:
    """What is packed; with `quiet` only the archive."""
    if not quiet:
        yield from _file_lines(packing)
    if written is not None:
        yield safe_text(f"{output}: {written.digest}, {written.size:,} bytes")


def _file_lines(packing: Packing) -> Iterator[str]:
    rows = [_row(packing, path) for path in packing.selected.paths]
    for row in rows:
        if row["kind"] == "link":
            yield safe_text(f"in   {'link':>10}  {row['path']} -> {row['target']}")
        else:
            mark = "  (executable)" if row["executable"] else ""
            yield safe_text(f"in   {row['size']:>10,}  {row['path']}{mark}")
    for left in packing.selected.left:
        yield safe_text(f"out  {'':>10}  {left.path}  ({left.reason})")
    total = sum(row.get("size", 0) for row in rows)
    files = f"{count(len(rows), 'file')}, {total:,} bytes"
    yield safe_text(f"{files}, below {packing.root}/, content_hash {packing.content_hash}")


def _row(packing: Packing, path: str) -> dict[str, Any]:
    tree = packing.selected.tree
    if tree.kind(path) == "link":
        return {"path": path, "kind": "link", "target": tree.target(path)}
    executable = tree.mode(path) & 0o100 != 0
    return {"path": path, "kind": "file", "size": tree.size(path), "executable": executable}
