"""`skillstudio check`: what is wrong with skills, and the mending of it."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator

from skillstudio.cli.baseline import known_before, write_baseline
from skillstudio.cli.exit_codes import FINDINGS, OK
from skillstudio.cli.output import Paint, Parser, UsageError, colours_wanted, print_json
from skillstudio.cli.report import Report, checked, workspace_finding
from skillstudio.cli.targets import Notes, Target, targets
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.registry import dialects
from skillstudio.skill.analysis import Analysis, analyse

MANY = 200
"""So many skills are long work, and a terminal is shown a bar."""


def parser() -> Parser:
    made = Parser("check", "Say what is wrong with skills. Exit status 1 when something is.")
    add = made.add_argument
    add("paths", nargs="*", metavar="PATH", help="skills, folders of skills, or - for a list")
    add("--format", choices=("text", "json", "sarif", "github"), default="text")
    add("--fail-on", choices=("error", "warning", "info"), default="error", help="the threshold")
    add("--profile", action="append", default=[], metavar="ID", help="a consumer that must accept")
    add("--dialect", metavar="ID", help="read the skill in this manifest system")
    add("--fix", action="store_true", help="apply the fixes that cannot change what is meant")
    add("--unsafe-fixes", action="store_true", help="apply the other fixes too")
    add("--diff", action="store_true", help="show what the fixes would change and write nothing")
    add("--watch", action="store_true", help="check again whenever a file changes")
    add("--changed-since", metavar="REF", help="only skills with files changed since a git ref")
    add("--baseline", metavar="FILE", help="leave out the findings that this file knows")
    add("--update-baseline", action="store_true", help="write the findings to the baseline file")
    add("--plain", action="store_true", help="words instead of drawings, for screen readers")
    return made


def run(arguments: list[str]) -> int:
    """Check, print, and say by the exit status whether the threshold was reached."""
    options = parser().parse_args(arguments)
    _refuse_unknown(options)
    paths = _paths(options)
    if options.watch:
        from skillstudio.cli.watch import watch

        return watch(paths, lambda: _once(options, paths))
    return _once(options, paths)


def _once(options: Namespace, paths: list[str]) -> int:
    notes = Notes()
    found = list(targets(paths, notes))
    if options.changed_since:
        from skillstudio.cli.changed import changed_since

        found = changed_since(found, options.changed_since)
    if options.fix or options.unsafe_fixes or options.diff:
        from skillstudio.cli.fix import fix

        for target in found:
            fix(target, options)
    report = _report(options, found, notes)
    if options.update_baseline:
        write_baseline(options.baseline, report)
        return OK
    if options.baseline:
        known_before(options.baseline, report)
    _print(report, options)
    return FINDINGS if report.reaches(options.fail_on) else OK


def _report(options: Namespace, found: list[Target], notes: Notes) -> Report:
    report = Report()
    # Thousands of trees would fill the memory: only those are kept that are judged together.
    together: dict[int, tuple[Target, Analysis]] = {}
    for target in _progress(found):
        try:
            analysis = analyse(
                DiskTree(target.disk), target.settings, options.dialect, tuple(options.profile)
            )
        except OSError as error:
            message = f"{target.shown} cannot be listed: {error.strerror}"
            notes.add("folder-unreadable", message, target.shown)
            continue
        if any(manifest.dialect.depends for manifest in analysis.manifests):
            together[len(report.skills)] = (target, analysis)
        report.skills.append(checked(target.shown, analysis))
    if together:
        from skillstudio.cli.across import add_workspace_findings

        for number, (target, analysis) in add_workspace_findings(together).items():
            report.skills[number] = checked(target.shown, analysis)
    report.workspace += [workspace_finding(*note) for note in notes.found]
    return report


def _refuse_unknown(options: Namespace) -> None:
    known = [dialect.id for dialect in dialects()]
    if options.dialect and options.dialect not in known:
        raise UsageError(f"no dialect {options.dialect}; there are {', '.join(known)}")
    if options.profile:
        from skillstudio.manifest.profiles import profiles

        for profile in options.profile:
            if profile not in profiles():
                raise UsageError(f"no profile {profile}; there are {', '.join(profiles())}")
    if options.update_baseline and not options.baseline:
        raise UsageError("--update-baseline needs --baseline FILE")


def _paths(options: Namespace) -> list[str]:
    if options.paths == ["-"]:
        listed = sys.stdin.read()
        separator = "\0" if "\0" in listed else "\n"
        return [line for line in listed.split(separator) if line.strip()]
    return options.paths or ["."]


def _progress(found: list[Target]) -> Iterator[Target]:
    """The skills one by one, with a bar on stderr when it is a terminal and they are many."""
    shown = len(found) >= MANY and sys.stderr.isatty()
    for number, target in enumerate(found, 1):
        yield target
        if shown and (number % 25 == 0 or number == len(found)):
            done = number * 30 // len(found)
            end = "\r\x1b[K" if number == len(found) else ""
            bar = f"\r[{'#' * done}{'.' * (30 - done)}] {number}/{len(found)} skills"
            print(bar, end=end, file=sys.stderr, flush=True)


def _print(report: Report, options: Namespace) -> None:
    if options.format == "json":
        print_json(report.as_json())
    elif options.format == "sarif":
        from skillstudio.cli.formats.sarif import sarif

        print_json(sarif(report))
    elif options.format == "github":
        from skillstudio.cli.formats import github

        for line in github.lines(report):
            print(line)
    else:
        from skillstudio.cli.formats import text

        for line in text.lines(report, Paint(colours_wanted(sys.stdout)), options.plain):
            print(line)
