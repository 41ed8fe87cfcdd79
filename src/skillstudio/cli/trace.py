"""`skillstudio trace`: the recorded runs: what they did, in what they differ, once more."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable
from typing import Any

from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.output import Paint, Parser, UsageError, colours_wanted, print_json, say
from skillstudio.cli.run_arguments import split_arguments
from skillstudio.dryrun.traces.reading import Trace, TraceRefused, read_trace
from skillstudio.dryrun.traces.scope import ScopedRun, find_run, scope_of
from skillstudio.dryrun.traces.store import RunStore, RunUnknown, default_folder
from skillstudio.text.safe import safe_text


def parser() -> Parser:
    made = Parser(
        "trace",
        "list lists the recorded runs; show prints one; diff says in what two differ; replay "
        "runs one "
        "again and says the same; export prints one for others. RUN is an id, the beginning of "
        "one, `last` (the newest run of the current skill, else of the current workspace), or the "
        "path of a trace file. list lists the runs of all workspaces.",
        usage="skillstudio trace list|show|diff|replay|export [RUN] [RUN|SKILL] [OPTIONS] "
        "[-- ARGS]",
    )
    add = made.add_argument
    add("action", choices=tuple(_ACTIONS), metavar="ACTION", help=", ".join(_ACTIONS))
    add("runs", metavar="RUN", nargs="*", help="diff takes two; replay a skill's folder, too")
    add("--format", choices=("text", "json"), default="text")
    group = made.add_argument_group("replay")
    add = group.add_argument
    add(
        "--anyway",
        action="store_true",
        help="replay even if the skill has changed or its manifest has errors",
    )
    add("--secret", metavar="NAME=@FILE|env:VAR", action="append", default=[],
        help="a value that is not in the trace")  # fmt: skip
    add("--env", metavar="NAME=VALUE", action="append", default=[], help="a variable")
    add("--workspace", metavar="DIR", help="another folder to work in")
    add(
        "--isolation",
        metavar="LEVEL",
        help="exactly this isolation level (default: the one of the run, else higher)",
    )
    add("--yes", action="store_true", help="run what asks first")
    group = made.add_argument_group("export")
    add = group.add_argument
    add("--share", action="store_true", help="without your folders and what may be a credential")
    add("--reviewed", action="store_true", help="you have read it: needed for a sensitive skill")
    add("-o", "--output", metavar="FILE", help="write it there (default: standard output)")
    return made


def run(arguments: list[str]) -> int:
    """Do one of them. Exit status 1 where two runs differ; 2 for what is no run or trace."""
    own, behind = split_arguments(arguments)
    options = parser().parse_intermixed_args(own)
    options.behind = behind
    least, most = (2, 2) if options.action == "diff" else (1, 1)
    if options.action == "list":
        least = most = 0
    elif options.action == "replay":
        most = 2
    if not least <= len(options.runs) <= most:
        wanted = {"list": "no RUN", "diff": "two RUNs", "replay": "a RUN, and perhaps a skill"}
        raise UsageError(f"trace {options.action} takes {wanted.get(options.action, 'one RUN')}")
    return _ACTIONS[options.action](options)


def find_trace(run: str) -> tuple[Trace, str]:
    """A recorded run and its folder; of a file that somebody gave, "". Raises UsageError."""
    try:
        if os.sep in run or run.endswith(".json"):
            return read_trace(run), ""
    except TraceRefused as error:
        raise UsageError(str(error)) from None
    found = recorded(run)
    return found.trace, found.kept.folder


def recorded(run: str) -> ScopedRun:
    """A recorded run; `last` is one of the current skill or workspace. Raises UsageError."""
    try:
        return find_run(RunStore(default_folder()), run, scope_of(os.getcwd()))
    except (RunUnknown, TraceRefused) as error:
        raise UsageError(str(error)) from None


def _list(options: Namespace) -> int:
    rows = [_row(each.run, each.folder) for each in RunStore(default_folder()).all()]
    if options.format == "json":
        print_json({"runs": rows})
        return OK
    if not rows:
        say("no run is recorded yet; skillstudio run records one")
    paint = Paint(colours_wanted(sys.stdout))
    for row in rows:
        print(_line(row, paint))
    return OK


def _row(run: str, folder: str) -> dict[str, Any]:
    from skillstudio.dryrun.traces.difference import ended
    from skillstudio.files.folders import folder_size

    row: dict[str, Any] = {"run": run, "folder": folder, "size": folder_size(folder)}
    try:
        trace = read_trace(folder)
    except TraceRefused as error:
        return {**row, "broken": str(error)}
    report = trace.report
    return {
        **row,
        "skill": report.plan.skill,
        "operation": report.plan.operation,
        "workspace": report.plan.roots.workspace,
        "started_at": report.started_at,
        "isolation": report.plan.isolation.id,
        "ended": ended(report),
        "verdict": report.verdict,
        "ok": report.ok,
        "mode": trace.mode,
        "broken": None,
    }


def _line(row: dict[str, Any], paint: Paint) -> str:
    if row["broken"]:
        return f"{row['run']}  {paint('cannot be read', 'error')}  {safe_text(row['broken'])}"
    name = " ".join(each for each in (row["skill"], row["operation"]) if each)
    said = paint(row["verdict"], "good" if row["ok"] else "error")
    parts = (row["run"], safe_text(name), row["isolation"], safe_text(row["ended"]), said,
             safe_text(row["workspace"]))  # fmt: skip
    return "  ".join(parts)


def _show(options: Namespace) -> int:
    from skillstudio.cli.formats.painting import print_parts
    from skillstudio.dryrun.traces.store import last_printed
    from skillstudio.present.lines import StyledLine, section
    from skillstudio.present.run_report import report_parts

    trace, folder = find_trace(options.runs[0])
    if options.format == "json":
        print_json(dict(trace.value))
        return OK
    report = trace.report
    about = {"run": report.run, "started": report.started_at, "mode": trace.mode,
             **(report.identity or {})}  # fmt: skip
    head = section("Trace", [StyledLine(f"{name}: {each}") for name, each in about.items() if each])
    print_parts([*head, *report_parts(report, last_printed(folder))], "trace")
    return OK


def _diff(options: Namespace) -> int:
    from skillstudio.cli.formats.painting import print_parts
    from skillstudio.dryrun.traces.difference import differences
    from skillstudio.present.run_report import difference_lines

    (one, _), (other, _) = map(find_trace, options.runs)
    found = differences(one, other)
    if options.format == "json":
        print_json({
            "before": one.report.run,
            "after": other.report.run,
            "differences": [each.as_json() for each in found],
        })  # fmt: skip
    else:
        print_parts(difference_lines(found, one.report, other.report), "trace")
    return PROBLEMS if found else OK


def _export(options: Namespace) -> int:
    import json

    trace, _ = find_trace(options.runs[0])
    value = dict(trace.value)
    if options.share:
        from skillstudio.dryrun.redaction.suspects import mask_suspects
        from skillstudio.dryrun.traces.share import NotShared, share

        try:
            value = share(trace, mask_suspects, os.path.expanduser("~"), options.reviewed)
        except NotShared as error:
            raise UsageError(str(error)) from None
    if not options.output:
        print_json(value)
        return OK
    from skillstudio.files.saving.writer import write_file

    write_file(options.output, (json.dumps(value, indent=1) + "\n").encode())
    say(safe_text(f"written to {options.output}"))
    return OK


def _replay(options: Namespace) -> int:
    from skillstudio.cli.replay import replay

    trace, folder = find_trace(options.runs[0])
    return replay(trace, bool(folder), options)


_ACTIONS: dict[str, Callable[[Namespace], int]] = {
    "list": _list,
    "show": _show,
    "diff": _diff,
    "replay": _replay,
    "export": _export,
}
