"""`skillstudio adopt`: update the manifest from a run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.output import Result, UsageError, refusing, say, warn
from skillstudio.cli.painting import parts_result
from skillstudio.cli.recorded import recorded_here
from skillstudio.cli.saving import NotSaved, diff_lines, save_made
from skillstudio.cli.skill_paths import one_skill_path
from skillstudio.dryrun.adopting.choice import PickUnknown, adopt, pick
from skillstudio.dryrun.adopting.finding import AdoptFinding, Case
from skillstudio.dryrun.adopting.findings import AdoptRefused, findings, make_case
from skillstudio.dryrun.adopting.programs import installed
from skillstudio.dryrun.adopting.since import since
from skillstudio.dryrun.planning.run_inputs import this_machine
from skillstudio.dryrun.report import RunReport
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.locate import locate
from skillstudio.present.adopting import finding_lines
from skillstudio.present.lines import Part, StyledLine
from skillstudio.skill.workspace import SkillPath


def run(options: CommandOptions) -> Result:
    """Show or adopt. Exit status 1 if something is selected and not written, or refused."""
    if options.pick and options.all:
        raise UsageError("--pick and --all cannot be combined")
    trace = recorded_here(options, "adopt", is_of_skill_enough=True).trace
    report = trace.report
    roots = report.plan.roots
    target, case = _case(report)
    found = findings(case)
    try:
        chosen = pick(found, options.pick, options.all)
    except PickUnknown as error:
        raise UsageError(f"{error}\nskillstudio adopt {options.run} lists them") from None
    changed = since(case, roots.skill)
    notes = [f"{target.shown} {changed.summary}"] if changed is not None else []
    if trace.mode == "aggressive":
        notes.insert(0, "no values of this run were recorded: paths, programs and fields cannot be "
                     "adopted")  # fmt: skip
    if not options.quiet:
        say(*notes)
    name = os.path.normpath(f"{target.shown}/{case.manifest.path}").replace(os.sep, "/")
    diff: list[str] = []
    refused = ""
    written = False
    if chosen:
        try:
            adopted = adopt(case, chosen, target.settings)
            diff = diff_lines(".", {name.lstrip("/"): (adopted.old, adopted.new)})
            if options.write:
                if not options.quiet:
                    say(
                        f"adopting from run {report.run}: skill {report.plan.skill} "
                        f"({roots.skill}), workspace {roots.workspace}, file {name}"
                    )
                texts = {adopted.path: (adopted.old, adopted.new)}
                save_made(DiskTree(target.disk), lambda: texts)
                written = True
        except (AdoptRefused, NotSaved, OSError) as error:
            refused = str(getattr(error, "strerror", None) or error)
    if refused:
        warn(f"{name}: {refused}")
    value = {
        "run": report.run,
        "skill": target.shown,
        "operation": report.plan.operation,
        "dialect": case.dialect,
        "path": case.manifest.path,
        "file": os.path.join(roots.skill, case.manifest.path),
        "workspace": roots.workspace,
        "findings": [_finding_value(finding, finding in chosen) for finding in found],
        "diff": "".join(f"{line}\n" for line in diff),
        "written": written,
        "error": refused or None,
        "notes": notes,
    }

    def parts() -> Iterator[Part]:
        what = f"{target.shown} {report.plan.operation}".rstrip()
        if not options.quiet:
            yield StyledLine(f"{what}  {case.dialect}  run {report.run}")
        for finding in chosen if options.quiet else found:
            heading, *others = finding_lines(finding, verbose=options.verbose)
            mark = "-" if not finding.edits else "[x]" if finding in chosen else "[ ]"
            yield heading._replace(style="good" if finding in chosen else "quiet", lead=mark)
            if not options.quiet:
                yield from (line._replace(indent=line.indent + 1) for line in others)
        if not found and not options.quiet:
            yield StyledLine("The manifest declares everything that this run showed.")
        if diff and not written:
            yield StyledLine("")
            yield from (StyledLine(line, "code") for line in diff)
        if written:
            yield StyledLine(f"wrote {name}")

    status = PROBLEMS if refused or (chosen and not written) else OK
    return parts_result(lambda: value, parts, status)


def _case(report: RunReport) -> tuple[SkillPath, Case]:
    folder = report.plan.roots.skill
    if not os.path.isdir(folder):
        raise UsageError(
            f"{folder}: the skill of this run no longer exists; run it again where it is now"
        )
    inside = os.path.relpath(folder)
    target, _ = one_skill_path(folder if inside.startswith("..") else inside)
    skill = locate(DiskTree(target.disk), target.settings).skill
    home = os.path.realpath(os.path.expanduser("~"))
    look = installed(this_machine(), report.plan.roots)
    with refusing(AdoptRefused, of=target.shown, advice="run it again"):
        return target, make_case(report, skill, home, look)


def _finding_value(finding: AdoptFinding, chosen: bool) -> dict[str, Any]:
    return {
        "id": finding.id,
        "sentence": finding.sentence,
        "why": list(finding.why),
        "edits": [
            {"kind": type(edit).__name__.lower(), **edit._asdict()} for edit in finding.edits
        ],
        "fault": finding.picked,
        "picked": chosen,
        "cannot": finding.cannot or None,
    }
