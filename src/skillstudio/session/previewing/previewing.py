"""Preview the open skill: expected outputs, changes of a run, and the skill as agents see it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

from skillstudio.dryrun.applying.recorded_changes import (
    RecordedChanges,
    RecordedUnusable,
    read_recorded_changes,
)
from skillstudio.dryrun.report import RunReport
from skillstudio.dryrun.traces.reading import TraceRefused, read_trace
from skillstudio.dryrun.traces.scope import ScopedRun, newest
from skillstudio.dryrun.traces.store import RunStore, RunUnknown
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.locate import locate
from skillstudio.present.card import card_sections
from skillstudio.present.lines import count
from skillstudio.present.outputs import changes_text, unwritten_note
from skillstudio.present.plan import name_of
from skillstudio.present.run_report import ended_text
from skillstudio.preview.card.skill_card import LastRun, SkillCard, Travels, UsedEffect, skill_card
from skillstudio.preview.source import MemorySource
from skillstudio.session.previewing.files import (
    PreviewFileRow,
    compare_rows,
    rows_ahead,
    rows_of_run,
    span_lines,
    undeclared_first,
)
from skillstudio.session.running.sample_folders import is_sample_folder

if TYPE_CHECKING:
    from skillstudio.session.running.running import Runner
    from skillstudio.session.running.state import RunSelection, RunState

Subject = Literal["ahead", "run", "card"]
SUBJECTS: tuple[Subject, ...] = ("ahead", "run", "card")
NO_OUTPUTS = "no declared output files; declared ones are listed here before a run"
_OBSERVED_VERDICTS = ("declared-observed", "undeclared", "blocked")


class PreviewRequest(NamedTuple):
    """The choices for a preview at one time."""

    subject: Subject | None  # None for the last run, or the expected outputs if there is none.
    run: str  # The recorded run; "" for the last one of the skill.
    selection: RunSelection
    unsaved_texts: Mapping[str, str] = {}  # The unsaved texts by path on disk, used for a card.


class PreviewState(NamedTuple):
    """The content of a preview. Its texts may be unsafe for a terminal."""

    request: PreviewRequest
    title: str = ""
    counts: str = ""
    about: str = ""
    rows: tuple[PreviewFileRow, ...] = ()
    notes: tuple[str, ...] = ()
    trouble: str = ""
    report: RunReport | None = None
    run_state: RunState | None = None  # The plan of a run, with the fields of its inputs.


class Previewer:
    """The choices for the preview of one skill."""

    def __init__(self, runner: Runner) -> None:
        self.runner = runner
        self.subject: Subject | None = None
        self.run = ""
        self._shown_run = ""

    def show_run(self, report: RunReport) -> None:
        """Choose a run that is shown elsewhere, unless it was chosen before."""
        if report.plan.roots.skill == self.folder and report.run not in ("", self._shown_run):
            self._shown_run = report.run
            self.subject, self.run = "run", report.run

    def request(self, unsaved_texts: Mapping[str, str]) -> PreviewRequest:
        """The current choices."""
        return PreviewRequest(self.subject, self.run, self.runner.selection(), unsaved_texts)

    def elsewhere(self, report: RunReport) -> str:
        """Why a run cannot be applied here; "" if it belongs to this workspace."""
        from skillstudio.dryrun.traces.scope import refusal

        scope, roots = self.runner.scope(), report.plan.roots
        if is_sample_folder(roots.workspace):
            return "this run worked in the folder of a sample, so there is nothing to apply it to"
        return "" if scope.is_of_workspace(roots) else refusal(scope, report, "apply")

    def look(self, request: PreviewRequest) -> PreviewState:
        """The content of a preview. Starts no program of the skill."""
        subject = request.subject
        if subject is None:
            subject = "ahead" if isinstance(self._find(request), str) else "run"
        views = {"ahead": self._ahead, "run": self._run, "card": self._card}
        return views[subject](request._replace(subject=subject))

    def _ahead(self, request: PreviewRequest) -> PreviewState:
        run_state = self.runner.look(request.selection)
        request = request._replace(selection=run_state.selection)
        title = run_state.selection.operation
        if run_state.plan is None:
            return PreviewState(request, title, trouble=run_state.trouble, run_state=run_state)
        rows = tuple(rows_ahead(run_state.plan, run_state.folder_of_sample))
        if run_state.problem_fields:  # The note says what makes the paths unknown.
            rows = tuple(row._replace(about="", notes=()) if row.glyph == "?" else row
                         for row in rows)  # fmt: skip
        number, overwritten = len(run_state.plan.outputs), sum(row.glyph == "~" for row in rows)
        about = count(number, "output") if number else ""
        about += f", {overwritten} would be overwritten" if overwritten else ""
        notes = [f"Can't run yet: {run_state.why_not}"] if run_state.wrong else []
        if names := self.runner.find_unsaved_files(request.unsaved_texts):
            are = "is" if len(names) == 1 else "are"
            notes.append(f"{', '.join(names)} {are} not saved; the files on disk are used")
        nothing = "" if rows else NO_OUTPUTS
        return PreviewState(
            request, title, "", about, rows, tuple(notes), nothing, run_state=run_state
        )

    def _run(self, request: PreviewRequest) -> PreviewState:
        scoped_run, run_state = self._find(request), self.runner.look(request.selection)
        if isinstance(scoped_run, str):
            return PreviewState(request, trouble=scoped_run, run_state=run_state)
        recorded_run, report = scoped_run.recorded_run, scoped_run.trace.report
        try:
            recorded_changes, why = read_recorded_changes(recorded_run.folder), ""
        except RecordedUnusable as error:
            recorded_changes, why = RecordedChanges((), ()), str(error)
        rows = tuple(compare_rows(undeclared_first(rows_of_run(report, recorded_changes))))
        is_own = report.plan.roots.skill == self.folder
        title = report.plan.operation if is_own else name_of(report.plan)
        counts, nothing = changes_text(report), ""
        if not rows:
            counts, nothing = "", counts
        notes = tuple(filter(None, (unwritten_note(report), *_notes(recorded_changes, why))))
        about = f"{ended_text(report)} · {_clock(report.started_at)}"
        return PreviewState(request, title, counts, about, rows, notes, nothing, report, run_state)

    def _find(self, request: PreviewRequest) -> ScopedRun | str:
        store = self.runner.store()
        if not request.run:
            return last_run(store, self.folder) or "this skill has no recorded run yet"
        try:
            recorded_run = store.find(request.run)
            return ScopedRun(recorded_run, read_trace(recorded_run.folder))
        except (RunUnknown, TraceRefused) as error:
            return str(error)

    @property
    def folder(self) -> str:
        """The skill's real folder."""
        return os.path.realpath(self.runner.workspace.path(self.runner.skill))

    def _card(self, request: PreviewRequest) -> PreviewState:
        workspace, skill = self.runner.workspace, self.runner.skill
        last = last_run(self.runner.store(), self.folder)
        try:
            tree = workspace.files(skill, request.unsaved_texts)
            located_skill = locate(tree, workspace.settings(skill)).skill
            card = make_card(located_skill, last.trace.report if last else None)
        except OSError as error:
            why = f"the skill cannot be read: {error.strerror or error}"
            return PreviewState(request, trouble=why)
        title = f"{card.name} {card.version}".strip()
        return PreviewState(request, title, "", ", ".join(card.dialects), tuple(card_rows(card)))


def _clock(started_at: str) -> str:
    """The local time at which a run started, with its date if that is not today."""
    try:
        start = datetime.fromisoformat(started_at).astimezone()
    except ValueError:
        return started_at
    is_today = start.date() == datetime.now().astimezone().date()
    return start.strftime("%H:%M" if is_today else "%Y-%m-%d %H:%M")


def _notes(recorded_changes: RecordedChanges, why: str) -> Iterator[str]:
    if why:
        yield why
    yield from (
        f"not recorded: {change.why}" for change in recorded_changes.exclusions if not change.path
    )
    if excluded_count := sum(bool(change.path) for change in recorded_changes.exclusions):
        yield f"{count(excluded_count, 'file')} not recorded: see the rows for the reasons"


def last_run(store: RunStore, folder: str) -> ScopedRun | None:
    """The newest readable recorded run of the skill in a folder."""
    return newest(store, lambda roots: roots.skill == folder)


def make_card(skill: Skill, last: RunReport | None) -> SkillCard:
    """The card of a skill, with the effects of its last run. Raises OSError."""
    used = None
    if last is not None:
        effects = tuple(
            UsedEffect(
                effect.effect,
                effect.verdict in _OBSERVED_VERDICTS,
                effect.evidence,
                effect.is_error,
            )
            for effect in last.effects
        )
        steps = last.plan.argv.get("unix", ()) or last.plan.argv.get("any", ())
        programs = tuple(os.path.basename(argv[0]) for argv in steps if argv)
        used = LastRun(last.run, effects, programs, last.traced)
    return skill_card(skill, _travels(skill), used)


def _travels(skill: Skill) -> Travels:
    from skillstudio.scaffold.packing.packing import selection
    from skillstudio.scaffold.packing.selecting import PackRefused

    try:
        selected_files, _ = selection(skill, "zip")
    except PackRefused as error:
        return Travels(refusals=tuple(error.reasons))
    return Travels(selected_files.paths, selected_files.exclusions)


def card_rows(card: SkillCard) -> Iterator[PreviewFileRow]:
    """The sections of a card."""
    for section in card_sections(card):
        if section.is_body:
            body = MemorySource(card.body_path, card.body.encode("utf-8", "replace"))
            yield PreviewFileRow("▸", section.title, section.remark, source=body)
        else:
            yield PreviewFileRow(
                "▸", section.title, section.remark, lines=tuple(span_lines(section.parts))
            )
