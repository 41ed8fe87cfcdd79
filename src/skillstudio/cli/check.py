"""`skillstudio check` and `fix`: check skills and fix problems."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from skillstudio.cli.annotations import Replacement, ReportedFix, read_text
from skillstudio.cli.arguments import CommandOptions, unknown
from skillstudio.cli.exit_codes import CANCELLED, OK, PROBLEMS
from skillstudio.cli.lists import MOST_LISTED, MOST_OF_DIFF, MOST_SHOWN, cut_json, cut_lines
from skillstudio.cli.output import Paint, Result, UsageError, refuse_on, say, warn
from skillstudio.cli.progress import count_items, hidden_progress
from skillstudio.cli.report import (
    CheckedSkill,
    CheckReport,
    Excerpt,
    ReportedDiagnostic,
    make_skill_row,
    report_annotations,
    report_lines,
    report_parts,
    reported_between,
    reported_problem,
    shadowed_row,
)
from skillstudio.cli.skill_paths import skill_paths, unsaved_skill_path
from skillstudio.files.paths import below, make_relative
from skillstudio.manifest.registry import dialect_ids, manifest_files
from skillstudio.settings.settings import SkillSettings
from skillstudio.skill.analysis import Analysis, analyse
from skillstudio.skill.selection import OPTION, request_targets
from skillstudio.skill.workspace import PluginFolder, SkillPath, WorkspaceSearch
from skillstudio.text.source import decode

if TYPE_CHECKING:
    from skillstudio.cli.hook import NextCommit
    from skillstudio.manifest.targets import Reason
    from skillstudio.skill.facts import SkillFacts
    from skillstudio.text.diagnostic import Severity

SHARING_THRESHOLD = 40  # From this number of skills on, several processes check them.
_SAMPLE = 8
"""Number of skills that are checked before processes share the others, so that these inherit the
modules and patterns that most skills need."""
_FEW = 3  # Submodules, or linked skills, that a line names.
_Folder = TypeVar("_Folder", SkillPath, PluginFolder)
_Reasons = Mapping[str, "Reason"]
_QUIET = 50  # Milliseconds without a change that end a group of changes.
_MOST = 1600  # Milliseconds after which changes are reported even if more follow.


def run(options: CommandOptions) -> Result | int:
    """Check, and fix if asked to. Exit status 1 when the threshold is reached."""
    _refuse_unknown(options)
    paths = list(options.paths)
    if options.stdin_filename:
        return _check_unsaved(options)
    if paths == ["-"]:
        text = sys.stdin.read()
        paths = [line for line in text.split("\0" if "\0" in text else "\n") if line.strip()]
    if options.watch:
        with hidden_progress():
            return _watch(paths, options)
    return _once(options, paths)


def _once(options: CommandOptions, paths: list[str]) -> Result | int:
    search, staged = WorkspaceSearch(), None
    if options.hook:
        from skillstudio.cli.hook import NextCommit
        from skillstudio.files.git import GitError

        with refuse_on(GitError):
            staged = NextCommit()
            search = WorkspaceSearch(staged.settings_texts())
            selected = list(staged.skills(paths, search))
    else:
        selected = list(skill_paths(paths, search))
    skill_folders = [_configure_skill(path, options, search) for path in selected]
    if options.changed_since:
        skill_folders = _changed_since(skill_folders, options.changed_since)
    diff: list[str] = []
    known_results: dict[str, _CheckResult] = {}
    is_fixed = is_refused = False
    if options.fix or options.unsafe_fixes or options.diff:
        from skillstudio.cli.fix import fix

        to_fix = count_items(list(skill_folders), len(skill_folders), "skills")
        for number, skill_path in enumerate(to_fix):
            if not os.path.isdir(skill_path.disk):
                continue  # It is staged, and no longer on disk.
            outcome = fix(skill_path, options)
            diff += outcome.diff
            is_fixed |= outcome.is_changed or bool(outcome.diff)
            is_refused |= outcome.is_refused
            if outcome.is_changed and staged is not None:
                skill_folders[number] = staged.with_staged_texts(skill_path)
            elif outcome.analysis is not None and skill_path.staged is None:
                known_results[skill_path.disk] = _row(options, skill_path, outcome.analysis)
    # Nothing to check is no problem: a job gets an empty list if no skill changed.
    if not paths and not options.hook:
        warn("no skills to check: the list on standard input is empty")
    for folder, linked in search.without.items():
        warn(f"no skills to check in {folder}: found no {manifest_files()}{_link_advice(linked)}")
    if not options.hook and not options.quiet:
        _say_submodules(paths)
    report = _report(options, skill_folders, search, known_results)
    if staged is not None:
        is_staged = {path.label: path.staged is not None for path in skill_folders}
        report.read_text = partial(_read_text, staged, is_staged)
        if is_fixed and not options.diff and report.diagnostics():
            say("the commit has the texts before these fixes: stage the files and commit again")
    report.lacks_skills = bool(search.without)
    return _result(options, report, diff, is_fixed, is_refused)


def _link_advice(linked: Sequence[str]) -> str:
    """What to check instead of a folder that only has links to skills."""
    if not linked:
        return ""
    names = ", ".join(linked[:_FEW])
    more = len(linked) - _FEW
    return f"; links are not followed, so check {names}" + (f" and {more} more" if more > 0 else "")


def _read_text(commit: NextCommit, is_staged: Mapping[str, bool], path: str) -> str:
    """The text of a file that is checked; `is_staged`: whether that of a skill is the staged one.

    Raises OSError.
    """
    folder = path
    while folder not in is_staged and folder not in ("", "/"):
        folder = os.path.dirname(folder)
    return commit.read_text(path) if is_staged.get(folder or ".") else read_text(path)


def _say_submodules(paths: Iterable[str]) -> None:
    """Name the submodules in the checked folders that are not checked out."""
    from skillstudio.files.workspace import workspace_of

    folders = [os.path.abspath(path) for path in paths if os.path.isdir(path)]
    for root in dict.fromkeys(map(workspace_of, folders)):
        if not os.path.exists(os.path.join(root, ".gitmodules")):
            continue
        from skillstudio.files.git import empty_submodules

        places = [os.path.join(root, *path.split("/")) for path in empty_submodules(root)]
        empty = [
            make_relative(place).replace(os.sep, "/")
            for place in places
            if any(below(place, folder) is not None for folder in folders)
        ]
        if empty:
            import shlex

            several = len(empty) > 1
            names = ", ".join(empty[:_FEW])
            names += f" and {len(empty) - _FEW:,} more" if len(empty) > _FEW else ""
            command = "git submodule update --init"
            command += "" if several else f" {shlex.quote(empty[0])}"
            subject = f"the submodules {names} are" if several else f"the submodule {names} is"
            theirs = "their" if several else "its"
            say(f"{subject} not checked out, nor are {theirs} skills; run {command}")


def _check_unsaved(options: CommandOptions) -> Result | int:
    """Check the text on standard input as a file of a skill, and keep only its problems."""
    search = WorkspaceSearch()
    path = options.stdin_filename
    data = sys.stdin.buffer.read()
    skill_path = unsaved_skill_path(path, data, search)
    skills = [] if skill_path is None else [_configure_skill(skill_path, options, search)]
    report = _report(options, skills, search, {})
    normal_path = os.path.normpath(path)

    def of_file(diagnostic: ReportedDiagnostic) -> bool:
        return bool(os.path.normpath(diagnostic.path) == normal_path)

    def select_diagnostics(diagnostics: list[ReportedDiagnostic]) -> list[ReportedDiagnostic]:
        display_path = path.replace(os.sep, "/")
        return [
            diagnostic._replace(path=display_path)
            for diagnostic in diagnostics
            if of_file(diagnostic)
        ]

    report.workspace = select_diagnostics(report.workspace)
    report.skills = [
        skill._replace(diagnostics=select_diagnostics(skill.diagnostics)) for skill in report.skills
    ]
    text = decode(data)[0]
    report.read_text = lambda path: text  # noqa: ARG005  (all problems are of this file)
    return _result(options, report, [])


def _configure_skill(
    skill_path: SkillPath, options: CommandOptions, search: WorkspaceSearch
) -> SkillPath:
    """A skill with the settings that the options make of its own."""
    settings = skill_path.settings
    if options.select:
        from skillstudio.manifest.rulebook import select_rules

        settings = select_rules(settings, options.select)
    if options.strict:
        settings = _strict(settings)
    if options.ignore:
        from skillstudio.manifest.rulebook import ignore_rules

        settings = ignore_rules(settings, options.ignore)
    if options.target:
        by = "SKILLSTUDIO_TARGETS" if "target" in options.from_environment else OPTION
        settings = request_targets(settings, options.target, by)
    # Without selected targets only some formats have the outcomes at targets.
    if settings.targets or _is_judged(options):
        settings = search.add_place(settings, skill_path.disk)
    return skill_path._replace(settings=settings)


def _result(
    options: CommandOptions,
    report: CheckReport,
    diff: list[str],
    is_fixed: bool = False,
    is_refused: bool = False,
) -> Result | int:
    if options.update_baseline:
        _record_baseline(options, report)
        return OK
    if options.baseline:
        from skillstudio.cli.baseline import leave_new

        leave_new(options.baseline, report)

    def text(paint: Paint) -> Iterator[str]:
        yield from cut_lines(diff, options.all)
        yield from report_lines(report, paint, options.plain, options.quiet, options.statistics)
        if not options.quiet:
            from skillstudio.cli.fix_advice import fix_advice

            yield from fix_advice(report, options, is_fixed, is_refused)

    def value() -> dict[str, Any]:
        diff_value = {"diff": "\n".join(diff)} if diff else {}
        report_value = report.as_json(options.statistics)
        return report_value | cut_json(diff_value, options.all, MOST_OF_DIFF)

    thresholds: list[Severity] = [name for name in options.fail_on if name != "empty"]
    fails = report.reaches(thresholds[-1] if thresholds else "error") or (
        report.lacks_skills and "empty" in options.fail_on
    )
    status = PROBLEMS if fails and not options.exit_zero else OK
    parts = partial(report_parts, report, options.statistics)
    annotations = partial(report_annotations, report)
    return Result(value, text, status, parts, annotations)


class _CheckResult(NamedTuple):
    """The row of a skill from one process, or why there is none."""

    row: CheckedSkill | None
    facts: SkillFacts | None = None
    trouble: str = ""


def _strict(settings: SkillSettings) -> SkillSettings:
    """The settings with the rule for extensions on, unless they name it."""
    from skillstudio.manifest.extensions import RULE
    from skillstudio.manifest.rulebook import severity_of

    return settings._replace(severities={RULE: severity_of(RULE), **settings.severities})


def _report(
    options: CommandOptions,
    skill_folders: list[SkillPath],
    search: WorkspaceSearch,
    known_results: dict[str, _CheckResult],
) -> CheckReport:
    report = CheckReport(uncut=options.all)
    skills: list[SkillFacts] = []
    results = count_items(
        _check_all(options, skill_folders, known_results), len(skill_folders), "skills"
    )
    for skill_path, (row, facts, trouble) in zip(skill_folders, results, strict=True):
        if row is None or facts is None:
            message = f"{skill_path.label} cannot be listed: {trouble}"
            search.add("folder-unreadable", message, skill_path.label)
            continue
        skills.append(facts)
        report.skills.append(row)
    _add_workspace(report, options, search, skills)
    if options.verbose:
        _say_what_is_read(search, skill_folders, report)
    return report


def _add_workspace(
    report: CheckReport, options: CommandOptions, search: WorkspaceSearch, skills: list[SkillFacts]
) -> None:
    """Add what the skills of a report together have of problems, and what belongs to no skill."""
    from skillstudio.skill.workspace_check import check_workspace, listing_folder

    plugins = list(search.plugins.values())
    if options.changed_since:
        plugins = _changed_since(plugins, options.changed_since)
    if options.here:
        from skillstudio.cli.protos import find_binding_problems
    workspace_result = check_workspace(
        search,
        skills,
        plugins,
        find_binding_problems if options.here else None,
        not options.changed_since,
    )
    report.workspace = list(map(reported_problem, workspace_result.problems))
    if options.select or options.ignore:
        from skillstudio.manifest.rulebook import is_named, is_selected

        report.workspace = [
            diagnostic
            for diagnostic in report.workspace
            if (not options.select or is_selected(diagnostic.rule, options.select))
            and not is_named(diagnostic.rule, options.ignore)
        ]
    for number, row in enumerate(report.skills):
        if skill_problems := workspace_result.of_skills.get(row.path, []):
            between = [reported_between(row.path, problem) for problem in skill_problems]
            report.skills[number] = row._replace(diagnostics=row.diagnostics + between)
    if any(row.targets for row in report.skills):
        from skillstudio.skill.visibility import shadows

        for number, reasons in _by_row(report.skills, shadows(skills)):
            report.skills[number] = shadowed_row(report.skills[number], reasons)
    for (folder, target), listing in workspace_result.listings.items():
        report.listings[listing_folder(folder), target] = listing


def _by_row(
    rows: Iterable[CheckedSkill], reasons: Mapping[str, _Reasons]
) -> Iterator[tuple[int, _Reasons]]:
    """The numbers of rows for which there are reasons, and these."""
    for number, row in enumerate(rows):
        if row.path in reasons:
            yield number, reasons[row.path]


def _say_what_is_read(
    search: WorkspaceSearch, skill_folders: list[SkillPath], report: CheckReport
) -> None:
    """Print the settings that apply, and the manifests and targets of each skill."""
    read = [file_settings.document.source.path for file_settings in search.settings.values()]
    say(f"settings: {', '.join(read) or 'no file'}")
    by_path = {skill_path.label: skill_path.settings for skill_path in skill_folders}
    for skill in report.skills:
        settings = by_path[skill.path]
        targets = ", ".join(settings.targets) or "none selected"
        why = f" ({settings.selected_by})" if settings.selected_by else ""
        dialects = ", ".join(skill.dialects) or "no manifest"
        unseen = "; no selected target looks here" if skill.is_unseen else ""
        say(f"{skill.path}: {dialects}; targets: {targets}{why}{unseen}")


def _check_all(
    options: CommandOptions, skill_folders: list[SkillPath], known_results: dict[str, _CheckResult]
) -> Iterator[_CheckResult]:
    """The rows of skills in order; `known_results` has those that need no check, by path."""
    check = partial(_check, options)
    pending_skills = [
        skill_path for skill_path in skill_folders if skill_path.disk not in known_results
    ]
    cache = None
    unchanged_count = 0
    # Few skills are checked in the time that a cache takes.
    if len(pending_skills) >= SHARING_THRESHOLD and not options.no_cache:
        from skillstudio.session.result_cache import ResultCache, is_right_outside

        report_kind = [_is_judged(options), _choose_limit(options), _has_edits(options)]
        cache = ResultCache([options.paths, options.dialect, *report_kind])
        for skill_path in pending_skills:
            if skill_path.staged is not None:
                continue  # What the cache is not asked for, it does not keep either.
            if result := _unpack_result(skill_path, cache.get(skill_path, is_right_outside)):
                known_results[skill_path.disk] = result
                unchanged_count += 1
        pending_skills = [
            skill_path for skill_path in pending_skills if skill_path.disk not in known_results
        ]
    if options.verbose:
        used = (
            f"{unchanged_count} of {len(skill_folders)} skills unchanged" if cache else "not used"
        )
        say(f"cache: {used}")
    results: Iterator[_CheckResult] = map(check, pending_skills)
    if len(pending_skills) >= SHARING_THRESHOLD:
        from skillstudio.cli.workers import map_in_processes

        results = map_in_processes(check, pending_skills, sample=_SAMPLE)
    for skill_path in skill_folders:
        result = known_results.get(skill_path.disk)
        if result is None:
            result = next(results)
            row, facts, _ = result
            if cache and row is not None and facts is not None:
                packed_result = _pack_result(row, facts)
                if packed_result is not None:
                    cache.add(skill_path, packed_result)
        yield result
    if cache is not None:
        cache.save()


def _pack_result(row: CheckedSkill, facts: SkillFacts) -> list[Any] | None:
    """What the cache keeps of a result: all but the skill's path, which finds it.

    None for a skill that other skills concern, of which there are few.
    """
    from skillstudio.skill.facts import pack_facts

    packed_facts = pack_facts(facts)
    if packed_facts is None:
        return None
    unlisted_counts = [[*kind, number] for kind, number in row.unlisted_counts.items()]
    row_values = [
        row.name,
        row.dialects,
        row.selected_by,
        row.diagnostics,
        row.targets,
        row.is_unseen,
        unlisted_counts,
    ]
    return [*row_values, packed_facts, facts.outside]


def _unpack_result(skill_path: SkillPath, value: Any) -> _CheckResult | None:
    """The result of a value of the cache."""
    if value is None:
        return None
    from skillstudio.skill.facts import unpack_facts

    (
        name,
        dialects,
        selected_by,
        diagnostic_entries,
        targets,
        is_unseen,
        unlisted_counts,
        packed_facts,
        outside,
    ) = value
    diagnostics = [
        ReportedDiagnostic(*entry)._replace(
            fixes=tuple(
                ReportedFix(title, safe, tuple(Replacement(*edit) for edit in edits))
                for title, safe, edits in entry[9]
            ),
            excerpt=Excerpt(*entry[10]) if entry[10] else None,
            minded_by=tuple(entry[12]),
        )
        for entry in diagnostic_entries
    ]
    numbers = Counter({(rule, severity): number for rule, severity, number in unlisted_counts})
    row = CheckedSkill(
        skill_path.label, name, dialects, selected_by, diagnostics, targets, is_unseen, numbers
    )
    facts = unpack_facts(skill_path.label, skill_path.disk, skill_path.settings, packed_facts)
    outside_answers = tuple((folder, path, answer) for folder, path, answer in outside)
    return _CheckResult(row, facts._replace(outside=outside_answers))


def _check(options: CommandOptions, skill_path: SkillPath) -> _CheckResult:
    try:
        analysis = _analyse(options, skill_path)
    except OSError as error:
        return _CheckResult(None, None, error.strerror or str(error))
    return _row(options, skill_path, analysis)


def _row(options: CommandOptions, skill_path: SkillPath, analysis: Analysis) -> _CheckResult:
    from skillstudio.skill.facts import facts_of

    return _CheckResult(
        _report_row(options, skill_path, analysis), facts_of(skill_path.label, analysis)
    )


def _report_row(options: CommandOptions, skill_path: SkillPath, analysis: Analysis) -> CheckedSkill:
    return make_skill_row(
        skill_path.label, analysis, _choose_limit(options), _is_judged(options), _has_edits(options)
    )


def _is_judged(options: CommandOptions) -> bool:
    return options.format in ("json", "markdown")  # The others print nothing about targets.


def _has_edits(options: CommandOptions) -> bool:
    return options.format in ("sarif", "rdjson")  # The others print only the titles of fixes.


def _choose_limit(options: CommandOptions) -> int | None:
    if options.all or options.baseline or options.stdin_filename:
        return None
    return MOST_SHOWN if options.format in ("text", "github") else MOST_LISTED


def _analyse(options: CommandOptions, skill_path: SkillPath) -> Analysis:
    return analyse(skill_path.tree, skill_path.settings, options.dialect)


def _refuse_unknown(options: CommandOptions) -> None:
    if options.dialect and options.dialect not in dialect_ids():
        raise unknown("dialect", options.dialect, dialect_ids())
    if options.target:
        from skillstudio.cli.target_names import target_id
        from skillstudio.manifest.targets import recorded_targets

        origin = "SKILLSTUDIO_TARGETS: " * ("target" in options.from_environment)
        options.target = [target_id(name, recorded_targets(), origin) for name in options.target]
    if options.select or options.ignore:
        from skillstudio.manifest.rulebook import UNCHECKED_RULES, former_rule, rule_names
        from skillstudio.text.nearest import did_you_mean

        for name in (*options.select, *options.ignore):
            if name not in rule_names():
                former = former_rule(name)
                advice = f"; {former.text}" if former else ""
                advice = advice or did_you_mean(
                    name, rule_names(), "; skillstudio explain lists them"
                )
                raise UsageError(f"unknown rule or ruleset {name}{advice}")
        for name in UNCHECKED_RULES.intersection(options.ignore):
            raise UsageError(f"{name} cannot be ignored: it reports what could not be checked")
    if options.statistics and options.format not in ("text", "markdown", "json"):
        raise UsageError(
            f"--statistics needs --format text, markdown or json, not {options.format}"
        )
    if options.stdin_filename:
        _refuse_with_stdin(options)
    if options.update_baseline and not options.baseline:
        raise UsageError("--update-baseline needs --baseline FILE")
    if options.hook and options.watch:
        raise UsageError("--hook checks once; omit --watch")
    if options.update_baseline and options.watch:
        raise UsageError("--update-baseline writes once; omit --watch")


def _refuse_with_stdin(options: CommandOptions) -> None:
    """Refuse what needs files on disk. Raises UsageError."""
    if options.paths not in (["."], ["-"]):
        raise UsageError(f"--stdin-filename names the only file: omit {options.paths[0]}")
    for name in ("fix", "unsafe_fixes", "diff", "watch", "changed_since", "update_baseline"):
        if getattr(options, name):
            option = name.replace("_", "-")
            raise UsageError(f"--{option} needs files on disk; omit it or --stdin-filename")


def _changed_since(folders: Iterable[_Folder], ref: str) -> list[_Folder]:
    from skillstudio.files.changed_since import ChangedSince
    from skillstudio.files.git import GitError

    change_filter = ChangedSince(ref)
    with refuse_on(GitError):
        changed_folders = [
            skill_path for skill_path in folders if change_filter.contains(skill_path.disk)
        ]
    for note in change_filter.notes:
        warn(note)
    return changed_folders


def _record_baseline(options: CommandOptions, report: CheckReport) -> None:
    """Record the problems of the checked skills, given folders and selected rules."""
    from skillstudio.cli.baseline import KnownProblem, record
    from skillstudio.manifest.rulebook import is_named, is_selected

    is_whole = not options.changed_since and not options.hook
    paths = [path for path in options.paths if is_whole and os.path.isdir(path)]
    folders = [os.path.realpath(path) for path in (*paths, *(row.path for row in report.skills))]

    def is_checked(problem: KnownProblem) -> bool:
        return (
            any(below(problem.path, folder) is not None for folder in folders)
            and (not options.select or is_selected(problem.rule, options.select))
            and not is_named(problem.rule, options.ignore)
        )

    sentence = record(options.baseline, report, is_checked)
    if not options.quiet:
        say(sentence)


def _watch(paths: list[str], options: CommandOptions) -> int:
    import gc

    from watchfiles import Change, DefaultFilter
    from watchfiles._rust_notify import RustNotify

    from skillstudio.cli.results import print_result
    from skillstudio.cli.verbs import all_verbs
    from skillstudio.files.temporary import is_temporary

    gc.enable()
    options.no_pager = True
    folders = {path if os.path.isdir(path) else os.path.dirname(path) or "." for path in paths}
    ours = DefaultFilter()
    # The watch starts before the first check, so that no change is missed between the two.
    with RustNotify(sorted(folders), False, False, 300, True, False) as notify:
        while True:
            result = _once(options, paths)
            if isinstance(result, Result):
                print_result(result, all_verbs()["check"], options)
            if not options.quiet:
                say("watching; ^C ends")
            while True:
                changes = notify.watch(_MOST, _QUIET, 0, None)
                if not isinstance(changes, set):
                    return CANCELLED
                # A save makes a temporary file first, and the file itself changes right after.
                if any(
                    ours(Change(kind), path) and not is_temporary(os.path.basename(path))
                    for kind, path in changes
                ):
                    break
