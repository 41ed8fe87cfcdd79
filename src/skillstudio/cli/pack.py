"""`skillstudio pack`: one archive of a skill, with the same bytes wherever it is made."""

from __future__ import annotations

import os
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from skillstudio.cli.compared import Governing
from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.operand import find_operand
from skillstudio.cli.output import Parser, UsageError, print_json, say
from skillstudio.cli.report import (
    LISTED_OF_RULE,
    SHOWN_OF_RULE,
    CheckReport,
    Cut,
    checked,
)
from skillstudio.cli.saving import OUTSIDE, leads_out
from skillstudio.present.problems import omitted_text
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.scaffold.packing.packing import Format, Packing
    from skillstudio.scaffold.packing.writing import WrittenArchive
    from skillstudio.skill.versions.operand import Operand


def parser() -> Parser:
    made = Parser(
        "pack",
        "Pack a skill: FILE is a .skill, .zip, .tgz or .tar.gz, with --oci a new folder. What is "
        "in and what is out is listed, each with the reason.",
    )
    add = made.add_argument
    add(
        "path",
        metavar="PATH",
        help="a skill, PATH@REF, REF:path, an archive, or the name of a skill of the workspace",
    )
    add("-o", "--output", metavar="FILE", default="", help="the archive; its ending says the kind")
    add("--list", action="store_true", help="only list what would be packed; write nothing")
    add("--oci", action="store_true", help="make an OCI image layout, a folder for registry tools")
    add("--force", action="store_true", help="write over a FILE that exists")
    add("--compress", action="store_true", help="deflate; the bytes then depend on this zlib")
    add("--no-check", action="store_true", help="pack a skill in which check finds errors, too")
    add("--format", choices=("text", "json"), default="text")
    return made


def run(arguments: list[str]) -> int:
    """Pack or list. Exit status 1 where `check` finds errors, and nothing is written then."""
    from skillstudio.scaffold.packing.packing import inside, plan
    from skillstudio.scaffold.packing.selecting import PackRefused

    options = parser().parse_args(arguments)
    format = _format(options)
    _refuse_output(options)
    operand, tree = find_operand(options.path)
    if operand.note:
        say(safe_text(f"{operand.label}: {operand.note}"))
    settings = Governing().of(operand)[0]
    on_disk = operand.folder and not operand.commit
    own = inside(operand.folder, options.output) if on_disk and options.output else ""
    try:
        packing = plan(tree, format, settings, [own] if own else [])
        found = CheckReport()
        analysis = packing.analysis._replace(diagnostics=tuple(packing.errors))
        found.skills.append(checked(operand.label, analysis, LISTED_OF_RULE))
        refused = bool(packing.errors) and not options.no_check
        written = None if options.list or refused else _write(packing, format, options)
    except PackRefused as error:
        reasons = [f"{operand.label}: {reason}" for reason in str(error).split("\n")]
        raise UsageError("\n".join(reasons)) from None
    if options.format == "json":
        cut = found.cut(LISTED_OF_RULE)
        print_json(_as_json(operand, packing, format, cut, written, options))
    else:
        _print(packing)
    _say(operand, packing, found.cut(SHOWN_OF_RULE), len(packing.errors) if refused else 0)
    if written is not None and options.format == "text":
        print(safe_text(f"{options.output}: {written.digest}, {written.size:,} bytes"))
    return PROBLEMS if refused else OK


def _format(options: Namespace) -> Format:
    from skillstudio.scaffold.packing.packing import SUFFIXES
    from skillstudio.scaffold.packing.writing import format_of

    found = format_of(options.output)
    if not options.output and not options.list:
        raise UsageError("say where to: pack PATH -o FILE; or look at the list first: --list")
    if options.oci and found:
        raise UsageError(f"{options.output}: --oci makes a folder, which needs another name")
    if options.oci:
        return "oci"
    if not options.output:
        return "tar.gz"
    if found is None:
        listed = ", ".join(SUFFIXES)
        raise UsageError(f"{options.output}: name it {listed}, or make a folder with --oci")
    return found


def _refuse_output(options: Namespace) -> None:
    """Say before the work what the writing would say after it."""
    there = os.path.lexists(options.output) if options.output else False
    if options.list or not there:
        return
    if os.path.isdir(options.output):
        raise UsageError(
            f"{options.output} is a folder that exists, and is not written over; name a new one"
        )
    if options.oci or not options.force:
        advice = "name a new folder" if options.oci else "--force writes over it"
        raise UsageError(f"{options.output} is there already; {advice}")
    if leads_out(options.output):
        raise UsageError(f"{options.output}: {OUTSIDE}")


def _write(packing: Packing, format: Format, options: Namespace) -> WrittenArchive:
    from skillstudio.files.placing import NotPlaced
    from skillstudio.scaffold.packing.writing import write

    try:
        return write(packing, format, options.output, options.force, options.compress)
    except NotPlaced as error:
        raise UsageError(str(error)) from None


def _print(packing: Packing) -> None:
    tree = packing.selected.tree
    total = 0
    for path in packing.selected.paths:
        if tree.kind(path) == "link":
            print(safe_text(f"in   {'link':>10}  {path} -> {tree.target(path)}"))
            continue
        size = tree.size(path)
        total += size
        mark = "  (executable)" if tree.mode(path) & 0o100 else ""
        print(safe_text(f"in   {size:>10,}  {path}{mark}"))
    for left in packing.left:
        print(safe_text(f"out  {'':>10}  {left.path}  ({left.reason})"))
    count = len(packing.selected.paths)
    files = f"{count} file{'' if count == 1 else 's'}, {total:,} bytes"
    print(safe_text(f"{files}, below {packing.root}/, content_hash {packing.content_hash}"))


def _say(operand: Operand, packing: Packing, errors: Cut, refusing: int) -> None:
    """The warnings, the errors, and how many of them prevent the packing."""
    for warning in packing.warnings:
        say(safe_text(f"{operand.label}: {warning}"))
    for each in errors.diagnostics:
        say(safe_text(f"{each.path}:{each.line}:{each.column}: {each.message} ({each.rule})"))
    for rule, number in errors.omitted.items():
        say(safe_text(f"{omitted_text(rule, number)}; skillstudio check {operand.label} --all"))
    if refusing:
        count = f"{refusing} error{'' if refusing == 1 else 's'}"
        say(safe_text(f"{operand.label} is not packed: check finds {count}; --no-check packs it"))


def _as_json(
    operand: Operand,
    packing: Packing,
    format: Format,
    errors: Cut,
    written: WrittenArchive | None,
    options: Namespace,
) -> dict[str, Any]:
    return {
        "path": operand.label,
        "file": options.output if written else None,
        "format": format,
        "digest": written.digest if written else None,
        "bytes": written.size if written else None,
        "root": packing.root,
        "content_hash": packing.content_hash,
        "in": [_row(packing, path) for path in packing.selected.paths],
        "out": [each._asdict() for each in packing.left],
        "warnings": list(packing.warnings),
        "diagnostics": [each.as_json() for each in errors.diagnostics],
        **({"omitted": errors.omitted} if errors.omitted else {}),
    }


def _row(packing: Packing, path: str) -> dict[str, Any]:
    tree = packing.selected.tree
    if tree.kind(path) == "link":
        return {"path": path, "kind": "link", "target": tree.target(path)}
    executable = tree.mode(path) & 0o100 != 0
    return {"path": path, "kind": "file", "size": tree.size(path), "executable": executable}
