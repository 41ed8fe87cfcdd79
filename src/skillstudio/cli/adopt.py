"""`skillstudio adopt`: update the manifest from a run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.output import Result, UsageError, refuse_on, say, warn
from skillstudio.cli.painting import parts_result
from skillstudio.cli.recorded import recorded_here
from skillstudio.cli.saving import NotSaved, diff_lines, save_made
from skillstudio.cli.skill_paths import one_skill_path
from skillstudio.dryrun.adopting.choice import PickUnknown, adopt, pick
from skillstudio.dryrun.adopting.finding import AdoptFinding, Case
from skillstudio.dryrun.adopting.findings import AdoptRefused, findings, make_case
from skillstudio.dryrun.adopting.programs import make_program_lookup
from skillstudio.dryrun.adopting.since import since
from skillstudio.dryrun.planning.run_inputs import this_machine
from skillstudio.dryrun.report import RunReport
from skillstudio.files.disk import DiskTree
from skillstudio.files.paths import make_relative
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
    run_findings = findings(case)
    try:
        picked_findings = pick(run_findings, options.pick, options.all)
    except PickUnknown as error:
        raise UsageError(f"{error}\nskillstudio adopt {options.run} lists them") from None
    skill_change = since(case, roots.skill)
    notes = [f"{target.label} {skill_change.summary}"] if skill_change is not None else []
    if trace.mode == "aggressive":
        notes.insert(0, "no values of this run were recorded: paths, programs and fields cannot be "
                     "adopted")  # fmt: skip
    if not options.quiet:
        say(*notes)
    name = os.path.normpath(f"{target.label}/{case.manifest.path}").replace(os.sep, "/")
    diff: list[str] = []
    reason = ""
    is_written = False
    if picked_findings:
        try:
            adopted_manifest = adopt(case, picked_findings, target.settings)
            diff = diff_lines(".", {name.lstrip("/"): (adopted_manifest.old, adopted_manifest.new)})
            if options.write:
                if not options.quiet:
                    say(
                        f"adopting from run {report.run}: skill {report.plan.skill} "
                        f"({roots.skill}), workspace {roots.workspace}, file {name}"
                    )
                texts = {adopted_manifest.path: (adopted_manifest.old, adopted_manifest.new)}
                save_made(DiskTree(target.disk), lambda: texts)
                is_written = True
        except (AdoptRefused, NotSaved, OSError) as error:
            reason = str(getattr(error, "strerror", None) or error)
    if reason:
        warn(f"{name}: {reason}")
    value = {
        "run": report.run,
        "skill": target.label,
        "operation": report.plan.operation,
        "dialect": case.dialect,
        "path": case.manifest.path,
        "file": os.path.join(roots.skill, case.manifest.path),
        "workspace": roots.workspace,
        "findings": [
            _finding_value(finding, finding in picked_findings) for finding in run_findings
        ],
        "diff": "".join(f"{line}\n" for line in diff),
        "written": is_written,
        "error": reason or None,
        "notes": notes,
    }

    def parts() -> Iterator[Part]:
        what = f"{target.label} {report.plan.operation}".rstrip()
        if not options.quiet:
            yield StyledLine(f"{what}  {case.dialect}  run {report.run}")
        for finding in picked_findings if options.quiet else run_findings:
            heading, *detail_lines = finding_lines(finding, verbose=options.verbose)
            mark = "-" if not finding.edits else "[x]" if finding in picked_findings else "[ ]"
            yield heading._replace(
                style="good" if finding in picked_findings else "quiet", lead=mark
            )
            if not options.quiet:
                yield from (line._replace(indent=line.indent + 1) for line in detail_lines)
        if not run_findings and not options.quiet:
            yield StyledLine("The manifest declares everything that this run showed.")
        if diff and not is_written:
            yield StyledLine("")
            yield from (StyledLine(line, "code") for line in diff)
        if is_written:
            yield StyledLine(f"wrote {name}")

    status = PROBLEMS if reason or (picked_findings and not is_written) else OK
    return parts_result(lambda: value, parts, status)


def _case(report: RunReport) -> tuple[SkillPath, Case]:
    folder = report.plan.roots.skill
    if not os.path.isdir(folder):
        raise UsageError(
            f"{folder}: the skill of this run no longer exists; run it again where it is now"
        )
    inside = make_relative(folder)
    target, _ = one_skill_path(folder if inside.startswith("..") else inside)
    skill = locate(DiskTree(target.disk), target.settings).skill
    home = os.path.realpath(os.path.expanduser("~"))
    look = make_program_lookup(this_machine(), report.plan.roots)
    with refuse_on(AdoptRefused, of=target.label, advice="run it again"):
        return target, make_case(report, skill, home, look)


def _finding_value(finding: AdoptFinding, is_picked: bool) -> dict[str, Any]:
    return {
        "id": finding.id,
        "sentence": finding.sentence,
        "why": list(finding.why),
        "edits": [
            {"kind": type(edit).__name__.lower(), **edit._asdict()} for edit in finding.edits
        ],
        "fault": finding.is_preselected,
        "picked": is_picked,
        "cannot": finding.cannot or None,
    }
