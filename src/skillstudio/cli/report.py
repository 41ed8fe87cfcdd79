"""The result of a check as values for every format, and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from skillstudio.cli.annotations import (
    AnnotatedRule,
    Annotation,
    AnnotationLog,
    Replacement,
    ReportedFix,
    read_text,
)
from skillstudio.cli.lists import MOST_LISTED, MOST_PRINTED, MOST_SHOWN
from skillstudio.cli.output import Paint
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.targets import OUTCOMES, Reason
from skillstudio.skill.analysis import Analysis
from skillstudio.skill.facts import EXCERPT
from skillstudio.text.diagnostic import (
    SEVERITIES,
    CreateFile,
    Diagnostic,
    RenameFile,
    Severity,
    Splice,
)
from skillstudio.text.safe import safe_text
from skillstudio.text.source import Position, Source

if TYPE_CHECKING:
    from skillstudio.manifest.rulebook import Rule
    from skillstudio.present.lines import Part
    from skillstudio.skill.listing import Listing
    from skillstudio.skill.outcomes import TargetAnswer
    from skillstudio.skill.workspace import WorkspaceProblem
    from skillstudio.skill.workspace_check import SkillProblem


class Excerpt(NamedTuple):
    """A part of a line, and how many characters of the line come before it."""

    text: str
    skipped: int


class ReportedDiagnostic(NamedTuple):
    """A diagnostic with its place: lines and columns from 1, end exclusive."""

    rule: str
    severity: Severity
    message: str
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    pointer: str = ""
    fixes: tuple[ReportedFix, ...] = ()
    excerpt: Excerpt | None = None
    at_targets: str = ""  # What selected targets make of it; their reasons in JSON say the same.
    minded_by: tuple[str, ...] = ()  # The ids of the selected targets that mind it.

    def weight(self) -> int:
        """About how many bytes it has in any format."""
        texts = (self.message, self.path, self.path, self.pointer)
        excerpt_text = self.excerpt.text if self.excerpt else ""
        titles = (
            text for fix in self.fixes for text in (fix.title, *(edit.text for edit in fix.edits))
        )
        # Non-ASCII is escaped in JSON, and invisible characters in text.
        return 300 + sum(
            len(text) if text.isascii() and text.isprintable() else 10 * len(text)
            for text in (*texts, excerpt_text, excerpt_text, *titles)
        )

    def as_json(self) -> dict[str, Any]:
        value = self._asdict()
        del value["excerpt"], value["at_targets"], value["minded_by"]
        value["fixes"] = [{"title": fix.title, "safe": fix.safe} for fix in self.fixes]
        return value


class CheckedSkill(NamedTuple):
    """A skill and its diagnostics."""

    path: str
    name: str
    dialects: list[str]
    selected_by: str  # How the targets were selected.
    diagnostics: list[ReportedDiagnostic]
    targets: dict[str, dict[str, Any]]  # Outcome and reasons of each.
    is_unseen: bool  # Whether there are selected targets, and none looks at its place.
    unlisted_counts: Counter[tuple[str, Severity]]
    """The numbers of diagnostics by rule and severity that are not in the list."""

    def as_json(self) -> dict[str, Any]:
        value = self._asdict()
        del value["is_unseen"], value["unlisted_counts"]
        value["diagnostics"] = [diagnostic.as_json() for diagnostic in self.diagnostics]
        return value


class CheckReport:
    """All problems of a check; `uncut`: they are printed without a limit."""

    def __init__(self, uncut: bool = False) -> None:
        self.uncut = uncut
        self.skills: list[CheckedSkill] = []
        self.workspace: list[ReportedDiagnostic] = []
        self.listings: dict[tuple[str, str], Listing] = {}
        """What skills take of the listings of targets, by folder and target."""
        self.lacks_skills = False
        """Whether a folder that was named has no skill."""
        self.read_text = read_text
        """Reads a file by the path of a problem. Raises OSError."""

    def diagnostics(self) -> list[ReportedDiagnostic]:
        return [
            *self.workspace,
            *(diagnostic for skill in self.skills for diagnostic in skill.diagnostics),
        ]

    def counts(self) -> dict[Severity, int]:
        counts = Counter(diagnostic.severity for diagnostic in self.diagnostics())
        for skill in self.skills:
            for (_, severity), number in skill.unlisted_counts.items():
                counts[severity] += number
        return {severity: counts[severity] for severity in SEVERITIES}

    def statistics(self) -> dict[tuple[str, Severity], int]:
        """The number of problems of each rule and severity, the highest first."""
        counts = Counter(
            (diagnostic.rule, diagnostic.severity) for diagnostic in self.diagnostics()
        )
        for skill in self.skills:
            counts.update(skill.unlisted_counts)
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    def reaches(self, threshold: Severity) -> bool:
        """Whether anything was found at or above a severity."""
        counts = self.counts()
        return any(counts[severity] for severity in SEVERITIES[: SEVERITIES.index(threshold) + 1])

    def cut(self, of_rule: int) -> Cut:
        """The problems to print: at most `of_rule` of each rule, the most severe ones first."""
        if self.uncut:
            return Cut(self.diagnostics(), {})
        kept_indexes: set[int] = set()
        room = MOST_PRINTED
        diagnostics = self.diagnostics()
        number: Counter[str] = Counter()
        for severity in SEVERITIES:
            for at, diagnostic in enumerate(diagnostics):
                if diagnostic.severity != severity or number[diagnostic.rule] >= of_rule:
                    continue
                room -= diagnostic.weight()
                if room < 0:
                    break
                number[diagnostic.rule] += 1
                kept_indexes.add(at)
        omitted_counts = Counter(
            diagnostic.rule for at, diagnostic in enumerate(diagnostics) if at not in kept_indexes
        )
        for skill in self.skills:
            for (rule, _), unlisted_count in skill.unlisted_counts.items():
                omitted_counts[rule] += unlisted_count
        return Cut(
            [diagnostic for at, diagnostic in enumerate(diagnostics) if at in kept_indexes],
            dict(omitted_counts),
        )

    def _listing(self) -> dict[str, dict[str, Any]]:
        """The figures of listings by folder, then by target."""
        figures: dict[str, dict[str, Any]] = {}
        for (folder, target), listing in self.listings.items():
            figures.setdefault(folder, {})[target] = listing._asdict()
        return figures

    def as_json(self, with_statistics: bool = False) -> dict[str, Any]:
        """The problems for programs."""
        cut = self.cut(MOST_LISTED)
        counts = self.counts()
        summary: dict[str, Any] = {
            "skills": len(self.skills),
            "errors": counts["error"],
            "warnings": counts["warning"],
            "infos": counts["info"],
        }
        if with_statistics:
            summary["statistics"] = [
                {"rule": rule, "severity": severity, "count": number}
                for (rule, severity), number in self.statistics().items()
            ]
        skills, workspace = self.skills, self.workspace
        if cut.omitted:
            summary["omitted"] = cut.omitted
            kept_ids = set(map(id, cut.diagnostics))
            workspace = [diagnostic for diagnostic in workspace if id(diagnostic) in kept_ids]
            skills = [
                skill._replace(
                    diagnostics=[
                        diagnostic for diagnostic in skill.diagnostics if id(diagnostic) in kept_ids
                    ]
                )
                for skill in skills
            ]
        return {
            "skills": [skill.as_json() for skill in skills],
            "workspace": {
                "diagnostics": [diagnostic.as_json() for diagnostic in workspace],
                "listing": self._listing(),
            },
            "summary": summary,
        }


class Cut(NamedTuple):
    """The part of a report that is printed."""

    diagnostics: list[ReportedDiagnostic]
    omitted: dict[str, int]


def make_skill_row(
    label: str,
    analysis: Analysis,
    most: int | None = None,
    with_targets: bool = True,
    with_edits: bool = False,
) -> CheckedSkill:
    """An analysis as the row of a report: with the outcomes at targets if `with_targets`, and with
    the edits of its fixes if asked for.

    With `most`, only so many diagnostics of each rule and severity are listed and the others are
    counted: all that a cut to `most` of a rule may need.
    """
    number: Counter[tuple[str, Severity]] = Counter()
    unlisted_counts: Counter[tuple[str, Severity]] = Counter()
    diagnostics = []
    edits = _FixEdits(analysis) if with_edits else None
    answers = analysis.targets if analysis.target_outcomes and analysis.diagnostics else {}
    for diagnostic in analysis.diagnostics:
        kind = (diagnostic.rule, diagnostic.severity or "error")
        number[kind] += 1
        if most is None or number[kind] <= most:
            reported_diagnostic = _diagnostic(label, analysis, diagnostic, edits)
            diagnostics.append(
                _with_targets(reported_diagnostic, diagnostic, answers)
                if answers
                else reported_diagnostic
            )
        else:
            unlisted_counts[kind] += 1
    targets = {
        id: {"outcome": answer.outcome, "reasons": _reasons(answer, analysis.skill)}
        for id, answer in (answers or analysis.targets if with_targets else {}).items()
    }
    unseen = analysis.is_unseen
    by = analysis.skill.settings.selected_by or "all targets"
    return CheckedSkill(
        label, analysis.name, analysis.dialects, by, diagnostics, targets, unseen, unlisted_counts
    )


def _with_targets(
    reported_diagnostic: ReportedDiagnostic,
    diagnostic: Diagnostic,
    answers: Mapping[str, TargetAnswer],
) -> ReportedDiagnostic:
    """A problem with what selected targets make of it."""
    from skillstudio.present.targets import at_targets, find_affected

    ids = sorted(answer.target for answer, _ in find_affected(diagnostic, answers))
    return reported_diagnostic._replace(
        at_targets=at_targets(diagnostic, answers), minded_by=tuple(ids)
    )


def _reasons(answer: TargetAnswer, skill: Skill) -> list[dict[str, Any]]:
    """The reasons of a target, none of one that is not selected and looks elsewhere; `why` prints
    them."""
    return reasons_as_json(answer.reasons if answer.looks or answer.is_selected else (), skill)


def shadowed_row(row: CheckedSkill, reasons: Mapping[str, Reason]) -> CheckedSkill:
    """The row of a skill instead of which targets use another of the same name."""
    new_targets = dict(row.targets)
    for id, reason in reasons.items():
        answer = row.targets.get(id)
        if answer is not None and answer["outcome"] in OUTCOMES:
            outcome = min(answer["outcome"], reason.outcome, key=OUTCOMES.index)
            new_reasons = reasons_as_json([reason])
            new_targets[id] = {"outcome": outcome, "reasons": [*answer["reasons"], *new_reasons]}
    return row._replace(targets=new_targets)


def reasons_as_json(reasons: Sequence[Reason], skill: Skill | None = None) -> list[dict[str, Any]]:
    """The reasons of a target with their places; line 1, column 1 of SKILL.md if one has none."""
    source = skill.markdown.source if skill is not None and skill.markdown is not None else None
    rows = []
    for reason in reasons:
        line, column = source.position(reason.span.start) if source and reason.span else (1, 1)
        place = {"path": source.path if source else "", "line": line, "column": column}
        texts = {"reason": reason.text, "fix": reason.fix, "evidence": reason.evidence}
        rows.append({"outcome": reason.outcome, **texts, **place})
    return rows


class _FixEdits:
    """Compute the edits of fixes, as long as that does not take much reading."""

    def __init__(self, analysis: Analysis) -> None:
        from skillstudio.text.edit import MOST_READ

        self._analysis = analysis
        self._reading_budget = MOST_READ

    def of(self, diagnostic: Diagnostic) -> Iterator[ReportedFix]:
        """The fixes of a diagnostic; a fix that changes other files has no edits."""
        from skillstudio.skill.fixing import fix_edits
        from skillstudio.text.edit import EditRefused

        source = self._analysis.source(diagnostic.path)
        for fix in diagnostic.fixes:
            edits: tuple[Replacement, ...] = ()
            in_place = not any(isinstance(edit, CreateFile | RenameFile) for edit in fix.edits)
            if source is not None and in_place and self._reading_budget > 0:
                if not all(isinstance(edit, Splice) for edit in fix.edits):
                    self._reading_budget -= len(source.text)
                with suppress(EditRefused):
                    edits = tuple(
                        Replacement(*source.position(start), *source.position(end), text)
                        for start, end, text in fix_edits(self._analysis, diagnostic, fix)
                    )
                # No place is within a byte order mark, so its removal would change nothing.
                if any(edit[:2] == edit[2:4] and not edit.text for edit in edits):
                    edits = ()
            yield ReportedFix(fix.title, fix.safe, edits)


def _diagnostic(
    label: str, analysis: Analysis, diagnostic: Diagnostic, edits: _FixEdits | None
) -> ReportedDiagnostic:
    path = f"{label}/{diagnostic.path}" if diagnostic.path else label
    source = analysis.source(diagnostic.path)
    severity = diagnostic.severity or "error"
    fixes = tuple(edits.of(diagnostic)) if edits else None
    return diagnostic_at(diagnostic, path, severity, source, *analysis.place(diagnostic), fixes)


def diagnostic_at(
    diagnostic: Diagnostic,
    path: str,
    severity: Severity,
    source: Source | None,
    start: Position,
    end: Position,
    fixes: tuple[ReportedFix, ...] | None = None,
) -> ReportedDiagnostic:
    """A diagnostic with its place and the line at which it begins, which is cut if it is long."""
    excerpt = None
    if source is not None and diagnostic.span is not None:
        excerpt = Excerpt(*source.around(diagnostic.span.start, EXCERPT))
    if fixes is None:
        fixes = tuple(ReportedFix(fix.title, fix.safe) for fix in diagnostic.fixes)
    return ReportedDiagnostic(
        diagnostic.rule, severity, diagnostic.message, path, *start, *end, diagnostic.pointer,
        fixes, excerpt,
    )  # fmt: skip


def reported_problem(problem: WorkspaceProblem) -> ReportedDiagnostic:
    """A problem of the workspace that belongs to no skill, with its severity."""
    path, diagnostic, source = problem
    start = end = Position(1, 1)
    if source is not None and diagnostic.span is not None:
        start, end = map(source.position, diagnostic.span)
    return diagnostic_at(diagnostic, path, diagnostic.severity or "error", source, start, end)


def reported_between(folder: str, problem: SkillProblem) -> ReportedDiagnostic:
    """A problem of the skill in a folder that follows from other skills."""
    (rule, message, place, _), severity = problem
    excerpt = None if place.line is None else Excerpt(place.line, place.skipped)
    return ReportedDiagnostic(
        rule, severity, message, f"{folder}/{place.path}", *place.start, *place.end,
        place.pointer, (), excerpt,
    )  # fmt: skip


def report_annotations(report: CheckReport, most: int) -> AnnotationLog:
    """A report for CI systems."""
    from skillstudio.present.problems import omitted_text

    cut = report.cut(most)
    annotations = [
        Annotation(
            diagnostic.rule,
            diagnostic.severity,
            diagnostic.message,
            diagnostic.path,
            *diagnostic[4:8],
            fixes=diagnostic.fixes,
        )
        for diagnostic in cut.diagnostics
    ]
    notes = [(rule, omitted_text(rule, number)) for rule, number in cut.omitted.items()]
    passed_paths = [skill.path for skill in report.skills if not skill.diagnostics]
    return AnnotationLog(
        annotations,
        annotated_rules,
        report.read_text,
        cut.omitted,
        notes,
        passed_paths=passed_paths,
    )


def annotated_rules() -> dict[str, AnnotatedRule]:
    """What each rule is about, by its id."""
    from skillstudio.manifest.rulebook import all_rules
    from skillstudio.resources import rule_page

    return {
        rule.id: AnnotatedRule(
            rule.what, rule.why, rule.severity, _advice(rule), rule_page(rule.id)
        )
        for rule in all_rules().values()
    }


def _advice(rule: Rule) -> str:
    """The examples of a rule as Markdown."""
    examples = (("Wrong", rule.bad), ("Right", rule.good))
    texts = [f"{title}:\n\n```\n{text.strip()}\n```" for title, text in examples if text.strip()]
    return "\n\n".join([*texts, f"Run `skillstudio explain {rule.id}` to read this in a terminal."])


def report_parts(report: CheckReport, statistics: bool = False) -> Iterator[Part]:
    """A report as a comment on a pull request; with `statistics` only the number of each rule."""
    from skillstudio.present.lines import StyledLine, table
    from skillstudio.present.problems import omitted_text, statistics_table, summary_text
    from skillstudio.present.targets import target_lines

    yield StyledLine(summary_text(len(report.skills), report.counts()))
    if statistics:
        yield from statistics_table(report.statistics())
        return
    cut = report.cut(MOST_SHOWN)
    rows = (
        (
            diagnostic.severity,
            f"{diagnostic.path}:{diagnostic.line}:{diagnostic.column}",
            diagnostic.message,
            diagnostic.rule,
        )
        for diagnostic in cut.diagnostics
    )
    yield from table(("severity", "place", "problem", "rule"), rows)
    for rule, number in cut.omitted.items():
        yield StyledLine(omitted_text(rule, number))
    for skill in report.skills:
        yield StyledLine(skill.path, "folded")
        outcomes = {id: str(row["outcome"]) for id, row in skill.targets.items()}
        yield from (line._replace(indent=1) for line in target_lines(outcomes))


def report_lines(
    report: CheckReport,
    paint: Paint,
    plain: bool = False,
    quiet: bool = False,
    statistics: bool = False,
) -> Iterator[str]:
    """A report for people; with `plain` without drawings, places in words; with `quiet` without
    the summary; with `statistics` only the number of problems of each rule."""
    from skillstudio.present.problems import omitted_text, statistics_table, summary_text

    if statistics:
        from skillstudio.cli.painting import paint_lines

        yield from paint_lines(statistics_table(report.statistics()), paint)
    else:
        cut = report.cut(MOST_SHOWN)
        for diagnostic in cut.diagnostics:
            yield from _diagnostic_lines(diagnostic, paint, plain)
        for rule, number in cut.omitted.items():
            yield paint(f"{omitted_text(rule, number)}; --all prints every problem", "quiet")
    if quiet:
        return
    if unseen := [skill.path for skill in report.skills if skill.is_unseen]:
        from skillstudio.cli.painting import paint_lines
        from skillstudio.present.targets import unseen_line

        yield from paint_lines([unseen_line(unseen)], paint)
    counts = report.counts()
    summary = summary_text(len(report.skills), counts)
    yield summary if any(counts.values()) else paint(summary, "good")


def _diagnostic_lines(diagnostic: ReportedDiagnostic, paint: Paint, plain: bool) -> Iterator[str]:
    path = safe_text(diagnostic.path)
    message = safe_text(diagnostic.message)
    severity = paint(diagnostic.severity, diagnostic.severity)
    if plain:
        place = f"line {diagnostic.line}, column {diagnostic.column}"
        yield f"{path}, {place}: {severity} {diagnostic.rule}: {message}"
    else:
        place = f"{path}:{diagnostic.line}:{diagnostic.column}"
        yield f"{paint(place, 'place')}: {severity} {diagnostic.rule}: {message}"
        if diagnostic.excerpt is not None:
            yield from _excerpt_lines(diagnostic, diagnostic.excerpt, paint)
    if diagnostic.at_targets:
        yield f"    {paint('targets', 'quiet')}: {diagnostic.at_targets}"
    for title, safe, _ in diagnostic.fixes:
        yield f"    {paint('fix', 'good')}: {safe_text(title)}{'' if safe else ' (unsafe)'}"


def _excerpt_lines(diagnostic: ReportedDiagnostic, excerpt: Excerpt, paint: Paint) -> Iterator[str]:
    excerpt_text, skipped_columns = excerpt
    before = excerpt_text[: diagnostic.column - 1 - skipped_columns]
    rest = excerpt_text[len(before) :]
    same_line = diagnostic.end_line == diagnostic.line
    at_fault = rest[: max(diagnostic.end_column - diagnostic.column, 1)] if same_line else rest
    number = str(diagnostic.line)
    pad = " " * _width(before)
    carets = "^" * max(_width(at_fault), 1)
    yield f"  {paint(number + ' |', 'quiet')} {safe_text(excerpt_text)}"
    yield f"  {' ' * len(number)} {paint('|', 'quiet')} {pad}{paint(carets, diagnostic.severity)}"


def _width(text: str) -> int:
    from unicodedata import combining, east_asian_width

    safe = safe_text(text)
    return sum(
        0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in safe
    )
