"""`skillstudio adopt`: what a run showed, as edits of the manifest that the author picks."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterator
from typing import Any, NamedTuple

from skillstudio.cli.edit import one_target, refuse
from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.output import (
    Colour,
    Paint,
    Parser,
    UsageError,
    colours_wanted,
    print_json,
    say,
)
from skillstudio.cli.saving import NotSaved, save
from skillstudio.cli.targets import Target
from skillstudio.cli.trace import recorded
from skillstudio.dryrun.adopting.choice import Adopted, PickUnknown, adopt, pick
from skillstudio.dryrun.adopting.finding import AdoptFinding, Case
from skillstudio.dryrun.adopting.findings import AdoptRefused, findings, make_case
from skillstudio.dryrun.adopting.programs import installed
from skillstudio.dryrun.planning.run_inputs import this_machine
from skillstudio.dryrun.report import RunReport
from skillstudio.dryrun.traces.scope import refusal, scope_of
from skillstudio.dryrun.traces.trace import Mode
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.locate import locate
from skillstudio.text.hunks import unified
from skillstudio.text.safe import safe_text

_EVIDENCE = 5
"""Lines of what was seen that are shown of a finding; JSON has them all."""


class AdoptResult(NamedTuple):
    """What came of what was picked."""

    chosen: list[AdoptFinding]
    adopted: Adopted | None
    written: bool
    refused: str
    """Why nothing was written, or could be; "" where nothing stands against it."""
    notes: list[str]
    """What is to be known of the findings, a sentence each."""


def parser() -> Parser:
    made = Parser(
        "adopt",
        "Show what a run did that the manifest could say otherwise, as edits of the manifest. "
        "Without --write nothing is written. What mends a fault of the run is picked by itself; "
        "all else is only offered, as one run proves nothing of others.",
    )
    add = made.add_argument
    add("run", metavar="RUN", help="a recorded run: its id, the start of its id, or last "
        "(the newest run of the current skill, else of the current workspace)")  # fmt: skip
    add("--anyway", action="store_true",
        help="adopt from a run of another workspace; needs its full id")  # fmt: skip
    add("--write", action="store_true", help="write what is picked to the manifest")
    add("--pick", metavar="ID", action="append", default=[], help="adopt this finding, and no other"
        " that is not named")  # fmt: skip
    add("--all", action="store_true", help="pick everything that can be adopted")
    add("--format", choices=("text", "json"), default="text")
    return made


def run(arguments: list[str]) -> int:
    """Show or adopt. Exit status 1 where something is picked and not written, or refused."""
    options = parser().parse_args(arguments)
    if options.pick and options.all:
        raise UsageError("--pick names what is adopted, and --all is all of it: give one of them")
    recorded_run = recorded(options.run)
    trace = recorded_run.trace
    report = trace.report
    scope, roots = scope_of(os.getcwd()), report.plan.roots
    is_elsewhere = not (scope.is_of_skill(roots) or scope.is_of_workspace(roots))
    if is_elsewhere and not (options.anyway and options.run == recorded_run.kept.run):
        raise UsageError(refusal(scope, report, "adopt"))
    target, case = _case(report)
    found = findings(case)
    try:
        chosen = pick(found, options.pick, options.all)
    except PickUnknown as error:
        raise UsageError(f"{error}\nskillstudio adopt {options.run} lists them") from None
    notes = [*_hidden(trace.mode), *_changed(report, case, target)]
    for each in notes:
        say(safe_text(each))
    adopted = None
    refused = ""
    if chosen:
        try:
            adopted = adopt(case, chosen, target.settings)
        except AdoptRefused as error:
            refused = str(error)
    written = False
    if adopted is not None and options.write and not refused:
        say(safe_text(
            f"adopting from run {report.run}: skill {report.plan.skill} ({roots.skill}), workspace "
            f"{roots.workspace}, file {_named(target, case)}"
        ))  # fmt: skip
        refused = _write(target, adopted)
        written = not refused
    done = AdoptResult(chosen, adopted, written, refused, notes)
    _print(options, report, case, target, found, done)
    if refused:
        return refuse(_named(target, case), refused)
    return PROBLEMS if chosen and not written else OK


def _hidden(mode: Mode) -> Iterator[str]:
    """That a trace has no values."""
    if mode == "aggressive":
        yield "no value of this run was kept: of paths, programs and fields nothing can be adopted"


def _case(report: RunReport) -> tuple[Target, Case]:
    """The skill of a run where it lies now. Raises UsageError."""
    folder = report.plan.roots.skill
    if not os.path.isdir(folder):
        raise UsageError(
            f"{folder}: the skill of this run is not there any more; run it where it lies now"
        )
    inside = os.path.relpath(folder)
    target, _ = one_target(folder if inside.startswith("..") else inside)
    skill = locate(DiskTree(target.disk), target.settings).skill
    home = os.path.realpath(os.path.expanduser("~"))
    look = installed(this_machine(), report.plan.roots)
    try:
        return target, make_case(report, skill, home, look)
    except AdoptRefused as error:
        raise UsageError(f"{target.shown}: {error}; run it again") from None


def _changed(report: RunReport, case: Case, target: Target) -> Iterator[str]:
    """That the skill is another one by now: findings are those of what it declares now."""
    from skillstudio.dryrun.adopting.since import since

    changed = since(case, report.plan.roots.skill)
    if changed is not None:
        yield f"{target.shown} {changed.summary}"


def _write(target: Target, adopted: Adopted) -> str:
    """Why it could not be written; "" where it was."""
    try:
        save(DiskTree(target.disk), adopted.path, adopted.old, adopted.new)
    except (NotSaved, OSError) as error:
        return str(getattr(error, "strerror", None) or error)
    return ""


def _named(target: Target, case: Case) -> str:
    """The manifest as a path from here."""
    return os.path.normpath(f"{target.shown}/{case.manifest.path}").replace(os.sep, "/")


def _print(
    options: Namespace,
    report: RunReport,
    case: Case,
    target: Target,
    found: tuple[AdoptFinding, ...],
    done: AdoptResult,
) -> None:
    chosen, adopted, written = done.chosen, done.adopted, done.written
    name = _named(target, case)
    inside = name.lstrip("/")
    diff = unified(adopted.old, adopted.new, f"a/{inside}", f"b/{inside}") if adopted else ""
    if options.format == "json":
        print_json(
            {
                "run": report.run,
                "skill": target.shown,
                "operation": report.plan.operation,
                "dialect": case.dialect,
                "path": case.manifest.path,
                "file": os.path.join(report.plan.roots.skill, case.manifest.path),
                "workspace": report.plan.roots.workspace,
                "findings": [_value(each, each in chosen) for each in found],
                "diff": diff,
                "written": written,
                "error": done.refused or None,
                "notes": done.notes,
            }
        )
        return
    from skillstudio.cli.formats.folding import folded, terminal_width

    paint = Paint(colours_wanted(sys.stdout))
    what = f"{target.shown} {report.plan.operation}".rstrip()
    print(f"{safe_text(what)}  {case.dialect}  run {safe_text(report.run)}")
    for each in found:
        for line in folded(_lines(each, each in chosen, paint), terminal_width()):
            print(line)
    if not found:
        print("The manifest says all that this run showed.")
    if diff and not written:
        print()
        print(safe_text(diff, keep_newlines=True), end="")
    if written:
        print(f"wrote {safe_text(name)}")


def _lines(finding: AdoptFinding, chosen: bool, paint: Paint) -> list[str]:
    mark = "-" if finding.fix is None else "[x]" if chosen else "[ ]"
    colour: Colour = "good" if chosen else "quiet"
    made = [f"{paint(mark, colour)} {safe_text(finding.id)}", f"    {safe_text(finding.sentence)}."]
    shown = finding.why[:_EVIDENCE]
    made += [f"      {paint(safe_text(line), 'quiet')}" for line in shown]
    if len(finding.why) > len(shown):
        made.append(f"      and {len(finding.why) - len(shown)} more")
    return made


def _value(finding: AdoptFinding, chosen: bool) -> dict[str, Any]:
    return {
        "id": finding.id,
        "sentence": finding.sentence,
        "why": list(finding.why),
        "edits": [
            {"kind": type(edit).__name__.lower(), **edit._asdict()} for edit in finding.fix.edits
        ]
        if finding.fix
        else [],
        "fault": finding.picked,
        "picked": chosen,
        "cannot": finding.cannot or None,
    }
