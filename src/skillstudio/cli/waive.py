"""`skillstudio waive`: accept one change of an interface, with a reason."""

from __future__ import annotations

import os

from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.output import Parser, UsageError, say
from skillstudio.cli.saving import OUTSIDE, NotSaved, Texts, leads_out, save_made
from skillstudio.files.disk import DiskTree
from skillstudio.skill.versions.waiving import WaiverRefused, waive, waivers_file
from skillstudio.text.safe import safe_text
from skillstudio.text.source import Source, decode
from skillstudio.text.splicing import apply


def parser() -> Parser:
    made = Parser(
        "waive",
        "Accept one change that diff reports, by its fingerprint. It is written to the "
        "skillstudio.toml that holds for PATH; every other byte of it stays.",
    )
    add = made.add_argument
    add("fingerprint", metavar="FINGERPRINT", help="the 12 digits that diff prints")
    add("path", nargs="?", default=".", metavar="PATH", help="a skill or a folder of skills")
    add("--reason", required=True, metavar="TEXT", help="why the change is accepted")
    add("--diff", action="store_true", help="show the change and write nothing")
    return made


def run(arguments: list[str]) -> int:
    """Write the waiver. Exit status 1 when it is refused, with the reason."""
    options = parser().parse_args(arguments)
    if not os.path.lexists(options.path):
        raise UsageError(f"{options.path}: no such file or folder")
    folder = options.path if os.path.isdir(options.path) else os.path.dirname(options.path) or "."
    file = waivers_file(folder)
    disk, name = DiskTree(os.path.dirname(file)), os.path.basename(file)
    shown = os.path.relpath(file).replace(os.sep, "/")
    if leads_out(file):
        raise UsageError(f"{shown}: {OUTSIDE}")

    def make() -> Texts:
        there = disk.kind(name) is not None
        text, wrong = decode(disk.read(name) if there else b"")
        if wrong is not None:
            raise UsageError(f"{shown} is not UTF-8, so it was not changed")
        splices = waive(Source(text, shown), options.fingerprint, options.reason)
        return {name: (text if there else None, apply(text, splices))}

    try:
        if options.diff:
            from skillstudio.text.hunks import unified

            old, new = make()[name]
            print(safe_text(unified(old or "", new, f"a/{shown}", f"b/{shown}"), True), end="")
            return OK
        save_made(disk, make)
    except WaiverRefused as error:
        say(f"skillstudio: {safe_text(str(error))}")
        return PROBLEMS
    except NotSaved as error:
        say(f"skillstudio: {safe_text(f'{shown}: {error}')}")
        return PROBLEMS
    say(safe_text(f"{options.fingerprint} is waived in {shown}"))
    return OK
