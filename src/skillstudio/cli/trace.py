"""`skillstudio trace`: list, compare, replay, explore and export recorded runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.output import Paint, Result, UsageError, json_text, refuse_on, say
from skillstudio.cli.painting import parts_result
from skillstudio.cli.recorded import find_recorded_run
from skillstudio.dryrun.traces.reading import Trace, TraceRefused, read_trace
from skillstudio.dryrun.traces.store import RunStore, default_folder
from skillstudio.text.safe import safe_text


def run(options: CommandOptions) -> Result | int:
    """Exit status 1 if two runs differ. Raises UsageError for what is not a run or a trace."""
    expected_runs, numbers = {
        "list": ("no RUN", (0,)),
        "diff": ("two RUNs", (2,)),
        "replay": ("one RUN and optionally a skill", (1, 2)),
    }.get(options.action, ("one RUN", (1,)))
    if len(options.runs) not in numbers:
        raise UsageError(f"trace {options.action} needs {expected_runs}")
    if options.rest and options.action != "replay":
        raise UsageError(f"unexpected argument {options.rest[0]}")
    return _ACTIONS[options.action](options)


def find_trace(run: str) -> tuple[Trace, str]:
    """A recorded run and its folder, "" for a trace file. Raises UsageError."""
    with refuse_on(TraceRefused):
        if os.sep in run or run.endswith(".json"):
            return read_trace(run), ""
    scoped_run = find_recorded_run(run)
    return scoped_run.trace, scoped_run.recorded_run.folder


def _list(options: CommandOptions) -> Result:
    rows = [_row(record.run, record.folder) for record in RunStore(default_folder()).all()]
    if not rows and options.format != "json":
        say("no run is recorded yet; skillstudio run records one")
    return Result(lambda: {"runs": rows}, lambda paint: [_line(row, paint) for row in rows])


def _row(run: str, folder: str) -> dict[str, Any]:
    from skillstudio.dryrun.traces.difference import describe_ending
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
        "ended": describe_ending(report),
        "verdict": report.verdict,
        "ok": report.ok,
        "mode": trace.mode,
        "broken": None,
    }


def _line(row: dict[str, Any], paint: Paint) -> str:
    if row["broken"]:
        return f"{row['run']}  {paint('unreadable', 'error')}  {safe_text(row['broken'])}"
    name = " ".join(text for text in (row["skill"], row["operation"]) if text)
    verdict = paint(row["verdict"], "good" if row["ok"] else "error")
    parts = (row["run"], safe_text(name), row["isolation"], safe_text(row["ended"]), verdict,
             safe_text(row["workspace"]))  # fmt: skip
    return "  ".join(parts)


def _show(options: CommandOptions) -> Result:
    from skillstudio.dryrun.traces.store import ALL_PRINTED, PRINTED_LINES, last_printed
    from skillstudio.present.lines import Part, StyledLine, section
    from skillstudio.present.run_report import report_parts

    trace, folder = find_trace(options.runs[0])
    most = ALL_PRINTED if options.verbose else PRINTED_LINES

    def parts() -> Iterator[Part]:
        report = trace.report
        about = {"run": report.run, "started": report.started_at, "mode": trace.mode,
                 **(report.identity or {})}  # fmt: skip
        yield from section(
            "Trace", [StyledLine(f"{name}: {value}") for name, value in about.items() if value]
        )
        yield from report_parts(
            report,
            list(last_printed(folder, most)),
            details="all" if options.verbose else "counted",
        )

    return parts_result(lambda: dict(trace.value), parts)


def _diff(options: CommandOptions) -> Result:
    from functools import partial

    from skillstudio.dryrun.traces.difference import differences
    from skillstudio.dryrun.traces.store import recorded_text
    from skillstudio.present.run_report import difference_lines

    (trace, folder), (other, other_folder) = map(find_trace, options.runs)
    readers = (partial(recorded_text, folder), partial(recorded_text, other_folder))
    rows = differences(trace, other, *readers)
    return parts_result(
        lambda: {
            "before": trace.report.run,
            "after": other.report.run,
            "differences": [row._asdict() for row in rows],
        },
        lambda: difference_lines(rows, trace.report, other.report),
        PROBLEMS if rows else OK,
    )


def _export(options: CommandOptions) -> Result | int:
    trace, _ = find_trace(options.runs[0])
    value = dict(trace.value)
    if options.share:
        from skillstudio.dryrun.redaction.suspects import mask_suspects
        from skillstudio.dryrun.traces.share import NotShared, share

        with refuse_on(NotShared):
            value = share(trace, mask_suspects, os.path.expanduser("~"), options.reviewed)
    if not options.output:
        return Result(lambda: value, lambda _: [json_text(value)])
    import json

    from skillstudio.files.saving.writer import write_file

    write_file(options.output, (json.dumps(value, indent=1) + "\n").encode())
    say(f"wrote {options.output}")
    return OK


def _replay(options: CommandOptions) -> Result | int:
    from skillstudio.cli.replay import replay

    trace, folder = find_trace(options.runs[0])
    return replay(trace, folder, options)


def _explore(options: CommandOptions) -> Result | int:
    from skillstudio.cli.explore import explore

    return explore(options)


_ACTIONS: dict[str, Callable[[CommandOptions], Result | int]] = {
    "list": _list,
    "show": _show,
    "diff": _diff,
    "replay": _replay,
    "explore": _explore,
    "export": _export,
}
