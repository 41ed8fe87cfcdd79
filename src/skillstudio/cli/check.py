"""`skillstudio check`: what is wrong with skills, and the mending of it."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from skillstudio.cli.baseline import known_before, write_baseline
from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.output import Paint, Parser, UsageError, colours_wanted, print_json, say
from skillstudio.cli.report import (
    LISTED_OF_RULE,
    SHOWN_OF_RULE,
    CheckedSkill,
    CheckReport,
    Cut,
    checked,
    workspace_diagnostic,
)
from skillstudio.cli.skill_paths import Notes, SkillPath, skill_paths
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.registry import dialects, manifest_files
from skillstudio.settings.settings import IgnoredRule
from skillstudio.skill.analysis import Analysis, analyse
from skillstudio.text.safe import safe_text

MANY = 100
"""So many skills are long work: worth several processes, and a bar on a terminal."""


def parser() -> Parser:
    made = Parser("check", "Check skills and fix problems. Exit status 1 if a problem is found.")
    add = made.add_argument
    add("paths", nargs="*", metavar="PATH", help="skills, folders of skills, or - for a list")
    add("--format", choices=("text", "json", "sarif", "github"), default="text")
    add("--fail-on", choices=("error", "warning", "info"), default="error", help="the threshold")
    add("--target", action="append", default=[], metavar="ID", help="a skill_path that must accept")
    add("--dialect", metavar="ID", help="read the skill in this dialect")
    add("--fix", action="store_true", help="apply safe fixes: only the value at fault changes")
    add("--unsafe-fixes", action="store_true", help="apply the other fixes too")
    add("--diff", action="store_true", help="show what the fixes would change and write nothing")
    add("--watch", action="store_true", help="check again whenever a file changes")
    add("--changed-since", metavar="REF", help="only skills with files changed since a git ref")
    add("--baseline", metavar="FILE", help="leave out the problems that this file knows")
    add("--update-baseline", action="store_true", help="write the problems to the baseline file")
    add("--all", action="store_true", help="print all problems (default: at most 100 of a rule)")
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
    found = list(skill_paths(paths, notes))
    if options.changed_since:
        from skillstudio.cli.changed import changed_since

        found = changed_since(found, options.changed_since)
    known: dict[str, _Checked] = {}
    if options.fix or options.unsafe_fixes or options.diff:
        from skillstudio.cli.fix import fix

        for skill_path in found:
            analysis = fix(skill_path, options)
            if analysis is not None:
                known[skill_path.disk] = _row(options, skill_path, analysis, len(found) < MANY)
    _say_nothing_to_check(paths, notes)
    report = _report(options, found, notes, known)
    if options.update_baseline:
        write_baseline(options.baseline, report)
        return OK
    if options.baseline:
        known_before(options.baseline, report)
    _print(report, options)
    return PROBLEMS if report.reaches(options.fail_on) else OK


def _say_nothing_to_check(paths: list[str], notes: Notes) -> None:
    """Nothing to check is no problem: an empty list is what a job gets when no skill changed."""
    if not paths:
        say("skillstudio: no skills to check: the list on standard input is empty")
    for shown in notes.without:
        names = manifest_files()
        say(f"skillstudio: no skills to check in {safe_text(shown)}: found no {names}")


class _Checked(NamedTuple):
    """What one process hands back of a skill: its row, or why there is none."""

    row: CheckedSkill | None
    depends: bool = False
    """Other skills have something to say of it."""
    trouble: str = ""
    used: frozenset[IgnoredRule] = frozenset()
    """The ignores of the settings that silenced something in it."""
    analysis: Analysis | None = None
    """Only of a skill that depends on others, and where few are checked: it is large."""


def _report(
    options: Namespace, found: list[SkillPath], notes: Notes, known: dict[str, _Checked]
) -> CheckReport:
    report = CheckReport()
    together: dict[int, tuple[SkillPath, Analysis | None]] = {}
    results = _checked(options, found, known)
    used: set[IgnoredRule] = set()
    shown = _progress(results, len(found))
    for skill_path, (row, depends, trouble, silenced, kept) in zip(found, shown, strict=True):
        if row is None:
            message = f"{skill_path.shown} cannot be listed: {trouble}"
            notes.add("folder-unreadable", message, skill_path.shown)
            continue
        used |= silenced
        if depends:
            together[len(report.skills)] = skill_path, kept
        report.skills.append(row)
    if together:
        from skillstudio.cli.across import add_workspace_diagnostics

        # Trees are large and few skills depend on others: of many, those are read a second time.
        analyses = {
            number: (skill_path, kept or _analyse(options, skill_path))
            for number, (skill_path, kept) in together.items()
        }
        for number, (skill_path, analysis) in add_workspace_diagnostics(analyses).items():
            report.skills[number] = checked(skill_path.shown, analysis, _listed(options))
    if not options.changed_since:
        _idle_ignores(notes, used)
    report.workspace += [
        workspace_diagnostic(*note)
        for note in notes.found
        if not (note[0] == "skill-missing" and note[2] in notes.without)
    ]
    for path, name in notes.protos:
        from skillstudio.cli.protos import proto_diagnostics

        report.workspace += proto_diagnostics(path, name)
    return report


def _checked(
    options: Namespace, found: list[SkillPath], known: dict[str, _Checked]
) -> Iterator[_Checked]:
    """The rows of skills in their order; `known` has those that need no check, by their path."""
    check = partial(_check, options, len(found) < MANY)
    left = [skill_path for skill_path in found if skill_path.disk not in known]
    results: Iterator[_Checked] = map(check, left)
    if len(left) >= MANY:
        from skillstudio.cli.workers import each

        results = each(check, left)
    return (known.get(skill_path.disk) or next(results) for skill_path in found)


def _check(options: Namespace, keep: bool, skill_path: SkillPath) -> _Checked:
    try:
        analysis = _analyse(options, skill_path)
    except OSError as error:
        return _Checked(None, trouble=error.strerror or str(error))
    return _row(options, skill_path, analysis, keep)


def _row(options: Namespace, skill_path: SkillPath, analysis: Analysis, keep: bool) -> _Checked:
    depends = any(manifest.dialect.depends for manifest in analysis.manifests)
    row = checked(skill_path.shown, analysis, _listed(options))
    kept = analysis if depends and keep else None
    return _Checked(row, depends, used=analysis.used_ignores, analysis=kept)


def _most(options: Namespace) -> int:
    """How many problems of a rule are printed, without `--all`."""
    return LISTED_OF_RULE if options.format in ("json", "sarif") else SHOWN_OF_RULE


def _listed(options: Namespace) -> int | None:
    """How many problems of a rule a report needs; None for all of them."""
    return None if options.all or options.baseline else _most(options)


def _analyse(options: Namespace, skill_path: SkillPath) -> Analysis:
    tree = DiskTree(skill_path.disk)
    return analyse(tree, skill_path.settings, options.dialect, tuple(options.target))


def _idle_ignores(notes: Notes, used: set[IgnoredRule]) -> None:
    """The `[[ignore]]` that silence nothing, of settings whose whole folder was checked."""
    for file in sorted(notes.whole):
        settings = notes.settings[file]
        for ignore in settings.everywhere.ignores:
            if ignore not in used:
                message = f"nothing in {ignore.path} breaks {ignore.rule}, so the ignore can go"
                path = settings.document.source.path
                notes.add("ignore-unused", message, path, *ignore.place)


def _refuse_unknown(options: Namespace) -> None:
    known = [dialect.id for dialect in dialects()]
    if options.dialect and options.dialect not in known:
        raise UsageError(f"no dialect {options.dialect}; there are {', '.join(known)}")
    if options.target:
        from skillstudio.manifest.targets import targets

        for skill_path in options.target:
            if skill_path not in targets():
                raise UsageError(f"no skill_path {skill_path}; there are {', '.join(targets())}")
    if options.update_baseline and not options.baseline:
        raise UsageError("--update-baseline needs --baseline FILE")
    if options.update_baseline and options.watch:
        raise UsageError("--update-baseline writes once; leave out --watch")


def _paths(options: Namespace) -> list[str]:
    if options.paths == ["-"]:
        listed = sys.stdin.read()
        separator = "\0" if "\0" in listed else "\n"
        return [line for line in listed.split(separator) if line.strip()]
    return options.paths or ["."]


def _progress(results: Iterator[_Checked], total: int) -> Iterator[_Checked]:
    """The results one by one, with a bar on stderr when it is a terminal and they are many."""
    shown = total >= MANY and sys.stderr.isatty()
    for number, result in enumerate(results, 1):
        yield result
        if shown and (number % 25 == 0 or number == total):
            done = number * 30 // total
            end = "\r\x1b[K" if number == total else ""
            bar = f"\r[{'#' * done}{'.' * (30 - done)}] {number}/{total} skills"
            print(bar, end=end, file=sys.stderr, flush=True)


def _print(report: CheckReport, options: Namespace) -> None:
    cut = Cut(report.diagnostics(), {}) if options.all else report.cut(_most(options))
    if options.format == "json":
        print_json(report.as_json(cut))
    elif options.format == "sarif":
        from skillstudio.cli.formats.sarif import sarif

        print_json(sarif(cut))
    elif options.format == "github":
        from skillstudio.cli.formats import github

        for line in github.lines(cut):
            print(line)
    else:
        from skillstudio.cli.formats import text

        for line in text.lines(report, cut, Paint(colours_wanted(sys.stdout)), options.plain):
            print(line)
