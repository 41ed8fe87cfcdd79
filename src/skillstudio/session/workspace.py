"""The skills of an open workspace, and the results of their last checks."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from skillstudio.files.disk import DiskTree, WatchedTree
from skillstudio.files.paths import make_relative
from skillstudio.files.tree import FileTree, Overlay
from skillstudio.present.home import WorstProblem
from skillstudio.present.problems import in_order
from skillstudio.settings.settings import EditorSettings, SkillSettings
from skillstudio.text.diagnostic import Diagnostic, Severity
from skillstudio.text.source import Position

if TYPE_CHECKING:
    from skillstudio.manifest.dialect import Skill
    from skillstudio.manifest.scanning import SearchedTexts
    from skillstudio.skill.analysis import Analysis
    from skillstudio.skill.facts import SkillFacts
    from skillstudio.skill.workspace import SkillPath, WorkspaceProblem, WorkspaceSearch
    from skillstudio.skill.workspace_check import SkillProblem

Status = Literal["unread", "ok", "elsewhere", "info", "warning", "error"]
UNSEEN = "no selected target looks here"
"""What the state `elsewhere` means."""
LEVELS: tuple[Status, ...] = ("error", "warning", "info")


Numbers = Mapping[tuple[str, Severity], int]


@dataclass(frozen=True)
class SkillEntry:
    """A skill of the workspace and the result of its last check."""

    path: str  # Its folder relative to the workspace, with `/`; empty for the workspace itself.
    name: str
    status: Status = "unread"
    counts: dict[str, int] = field(default_factory=dict)  # Severity to number of diagnostics.
    files: tuple[str, ...] = ()  # The files with manifests, relative to the skill.
    trouble: str = ""
    numbers: Numbers = field(default_factory=dict)
    """The number of problems by file, relative to the skill, and severity."""
    between: Numbers = field(default_factory=dict)
    """Those of them that follow from other skills."""
    outcomes: Mapping[str, str] = field(default_factory=dict)
    """The outcome at each selected target, and at those to which its place belongs but which do not
    find it; see `skill/outcomes.py`."""
    worst_alone: WorstProblem | None = None
    """The problem to fix first of those that it has alone."""
    worst_between: WorstProblem | None = None
    """The problem to fix first of those that follow from other skills."""

    @property
    def worst(self) -> WorstProblem | None:
        """The problem to fix first."""
        both = [
            problem for problem in (self.worst_alone, self.worst_between) if problem is not None
        ]
        return min(both, key=lambda problem: LEVELS.index(problem.severity), default=None)


class Workspace:
    """A folder with skills."""

    def __init__(self, root: str) -> None:
        self.root = os.path.abspath(root)
        self.tree = DiskTree(self.root)
        self.skills: dict[str, SkillEntry] = {}
        self.changed_skills: frozenset[str] = frozenset()
        self.since = ""
        self._cached_search: WorkspaceSearch | None = None
        self.unsaved_settings: Mapping[str, str] = {}
        """The texts of files with settings that are not as on disk, by their absolute path."""
        self._facts: dict[str, SkillFacts] = {}
        """What is known of each checked skill, by path."""
        self.problems: tuple[WorkspaceProblem, ...] = ()
        """The problems that belong to no skill, of the last check."""
        self._watched_skill: tuple[str, WatchedTree, SearchedTexts] | None = None
        """The skill that was analysed last, its files and what was searched in them."""
        self._between: Mapping[str, Sequence[SkillProblem]] | None = None
        """The problems of each skill that follow from others, by path; None before `relate`."""

    @property
    def _search(self) -> WorkspaceSearch:
        """The last search, which keeps the settings; a new one after they may have changed."""
        if self._cached_search is None:
            self._cached_search = self._new_search()
        return self._cached_search

    def _new_search(self) -> WorkspaceSearch:
        # It needs modules that the first frame does without.
        from skillstudio.skill.workspace import WorkspaceSearch

        return WorkspaceSearch(self.unsaved_settings)

    @classmethod
    def of(cls, path: str) -> tuple[Workspace, str]:
        """The workspace for a path: a folder, or the skill around a file; and that file, if any."""
        path = os.path.abspath(path)
        if os.path.isdir(path):
            return cls(path), ""
        from skillstudio.skill.discover import skill_around

        if folder := skill_around(path):
            return cls(folder), make_relative(path, folder).replace(os.sep, "/")
        return cls(os.path.dirname(path)), ""

    def find(
        self,
        is_cancelled: Callable[[], bool] = lambda: False,
        progress: Callable[[Sequence[SkillEntry]], None] = lambda _: None,
    ) -> list[SkillEntry]:
        """Find the skills again. May be called in a thread, because it does not change `skills`.

        `progress` is called with the skills so far, whenever there is one more.
        """
        search, entries = self.search_skills(is_cancelled, progress)
        self.use_search(search, entries)
        return entries

    def search_skills(
        self,
        is_cancelled: Callable[[], bool] = lambda: False,
        progress: Callable[[Sequence[SkillEntry]], None] = lambda _: None,
    ) -> tuple[WorkspaceSearch, list[SkillEntry]]:
        """Search for skills without a change of anything here: another thread may use this."""
        entries: list[SkillEntry] = []
        search = self._new_search()
        for path in search.folders(self.root, "", is_cancelled):
            name = path.rpartition("/")[2] if path else self.tree.name
            entries.append(SkillEntry(path, name))
            progress(entries)
        return search, entries

    def use_search(self, search: WorkspaceSearch, entries: Iterable[SkillEntry]) -> None:
        """Use a search for the settings, and forget what is known of skills that it lacks."""
        self._cached_search = search
        paths = {entry.path for entry in entries}
        self._facts = {path: facts for path, facts in self._facts.items() if path in paths}

    def take(self, entries: Iterable[SkillEntry]) -> None:
        """Replace the skills, keeping the known results."""
        self.skills = {entry.path: self.skills.get(entry.path, entry) for entry in entries}

    def contains(self, folder: str) -> bool:
        """Whether a folder is below the workspace."""
        return os.path.abspath(folder).startswith(self.root + os.sep)

    def add(self, folder: str) -> str | None:
        """Add a new skill; return its path in the workspace, None if it is elsewhere."""
        inside = make_relative(folder, self.root)
        if inside == os.curdir or inside.split(os.sep)[0] == os.pardir or os.path.isabs(inside):
            return None
        path = inside.replace(os.sep, "/")
        self.skills.setdefault(path, SkillEntry(path, path.rpartition("/")[2]))
        return path

    def path(self, skill: str, file: str = "") -> str:
        """The path on disk of a skill, or of a file in it."""
        return self.tree.path("/".join(part for part in (skill, file) if part))

    def files(self, skill: str, unsaved_texts: Mapping[str, str] | None = None) -> FileTree:
        """The tree of a skill, with unsaved texts by their path on disk."""
        return self._with_unsaved(skill, DiskTree(self.path(skill)), unsaved_texts)

    def _with_unsaved(
        self, skill: str, disk: DiskTree, unsaved_texts: Mapping[str, str] | None
    ) -> FileTree:
        root = self.path(skill)
        inside = {
            make_relative(path, root).replace(os.sep, "/"): text.encode("utf-8")
            for path, text in (unsaved_texts or {}).items()
            if path.startswith(root + os.sep)
        }
        if not inside:
            return disk
        if os.path.isdir(root):
            return Overlay(disk, inside)
        # An editor can have a skill whose folder does not exist yet.
        from skillstudio.files.listed import MemoryTree

        return MemoryTree(inside, os.path.basename(root))

    def settings(self, skill: str) -> SkillSettings:
        """The settings of a skill and the targets selected for it. Raises OSError."""
        folder = self.path(skill)
        return self._search.add_place(self._search.settings_of(folder), folder)

    def editor_settings(self) -> EditorSettings:
        """The settings of the editor. Raises OSError."""
        settings, _ = self._search.settings_for(self.root)
        return EditorSettings() if settings is None else settings.editor

    def select_target(self, skill: str, target: str, is_selected: bool = True) -> str:
        """Add a target to those of the settings, besides the ones that a skill's place selects, or
        remove it; the file's path. The user's own file is never changed. Raises EditRefused,
        OSError."""
        from skillstudio.files.saving.writer import prepare_save
        from skillstudio.files.workspace import workspace_of
        from skillstudio.settings.read import own_part
        from skillstudio.settings.settings import FILE, table_of
        from skillstudio.skill.settings_files import find_settings
        from skillstudio.text.diagnostic import Remove, Set
        from skillstudio.text.edit import resolve_edits
        from skillstudio.text.editing import EditRefused
        from skillstudio.text.reading import read
        from skillstudio.text.source import Source, Span, decode
        from skillstudio.text.splicing import apply

        selected_targets = self.settings(skill).targets
        settings_file = find_settings(self.path(skill))
        file = os.path.join(workspace_of(self.root), FILE)
        if settings_file is not None and settings_file.origin != "user":
            file = settings_file.path
        with prepare_save([file]) as write:
            text = ""
            if os.path.exists(file):
                with open(file, "rb") as stream:
                    text = decode(stream.read())[0]
            document = read(Source(text, file), "toml", Span(0, len(text)))
            if document.faults:
                line, _ = document.source.position(document.faults[0].start)
                raise EditRefused(f"{file}:{line}: {document.faults[0].message}; fix it first")
            settings_table = own_part(document).value
            stated_targets = (
                settings_table.get("targets") if isinstance(settings_table, dict) else None
            )
            before = (
                stated_targets
                if isinstance(stated_targets, list) and stated_targets
                else selected_targets
            )
            pointer = f"{table_of(file)}/targets"
            now = [
                name for name in dict.fromkeys((*before, target)) if is_selected or name != target
            ]
            if not now and not stated_targets:
                raise EditRefused(f"only the place of the skill selects {target}")
            edit = Set(pointer, now) if now else Remove(pointer)
            splices = resolve_edits(document, [edit])
            write(file, apply(text, splices).encode("utf-8"))
        self.forget_settings()
        return file

    def use_settings(self, unsaved_texts: Mapping[str, str]) -> None:
        """Use the unsaved texts of files with settings, by their absolute path."""
        self.unsaved_settings = unsaved_texts
        self.forget_settings()

    def forget_settings(self) -> None:
        """Read the settings again when they are next needed."""
        self._cached_search = None

    def read(self, skill: str, unsaved_texts: Mapping[str, str] | None = None) -> Skill:
        """Read a skill without checking it. May be called in a thread. Raises OSError."""
        from skillstudio.manifest.locate import locate

        return locate(self.files(skill, unsaved_texts), self.settings(skill)).skill

    def analyse(
        self,
        skill: str,
        unsaved_texts: Mapping[str, str] | None = None,
        is_watched: bool = True,
    ) -> Analysis:
        """Check a skill with unsaved texts, beside the other skills if these were checked.

        `is_watched` tells that it will be checked again soon, after each key. Raises OSError.
        """
        from skillstudio.skill.workspace_check import check_between

        analysis, facts = self._analyse_alone(skill, unsaved_texts, is_watched)
        if self._between is None or not facts.may_have_between:
            return analysis
        other_facts = (other for other in list(self._facts.values()) if other.concerns(facts))
        return _with_between(analysis, check_between(other_facts, set()).get(skill, ()))

    def _analyse_alone(
        self, skill: str, unsaved_texts: Mapping[str, str] | None = None, is_watched: bool = False
    ) -> tuple[Analysis, SkillFacts]:
        """Check a skill and remember what others need to know of it. Raises OSError."""
        from skillstudio.skill.analysis import analyse
        from skillstudio.skill.facts import facts_of

        tree, searched_texts = self.files(skill, unsaved_texts), None
        if is_watched:
            if self._watched_skill is None or self._watched_skill[0] != skill:
                self._watched_skill = skill, WatchedTree(self.path(skill)), {}
            _, disk, searched_texts = self._watched_skill
            tree = self._with_unsaved(skill, disk, unsaved_texts)
        analysis = analyse(tree, self.settings(skill), searched_texts=searched_texts)
        facts = self._facts[skill] = facts_of(skill, analysis)
        return analysis, facts

    def skill_path(self, skill: str) -> SkillPath:
        """A skill as a cache of results finds it. Raises OSError."""
        from skillstudio.skill.workspace import SkillPath

        return SkillPath(skill, self.path(skill), self.settings(skill))

    def facts(self, skill: str) -> SkillFacts | None:
        """What others need to know of a checked skill."""
        return self._facts.get(skill)

    def relate_changed(self, skill: str, before: SkillFacts | None) -> frozenset[str]:
        """Relate the skills again if this one changed for others; those whose problems may change.

        `before` is what was known of the skill before it was checked again.
        """
        after = self._facts.get(skill)
        if self._between is None or before is None or after is None:
            return frozenset()
        if before.seen_by_others == after.seen_by_others:
            return frozenset()
        related_skills = self.related_skills
        self.relate(())
        return (related_skills | self.related_skills) - {skill}

    def remember(self, facts: SkillFacts) -> None:
        """Use what is known of a skill that has not changed since it was checked."""
        self._facts[facts.path] = facts

    def examine(self, entry: SkillEntry) -> SkillEntry:
        """Check a skill on disk; return a new entry. May be called in a thread.

        What follows from other skills is as `relate` saw it last.
        """
        try:
            analysis, _ = self._analyse_alone(entry.path)
        except OSError as error:
            self._facts.pop(entry.path, None)
            trouble = error.strerror or str(error)
            return SkillEntry(
                *(entry.path, entry.name, "error", {"error": 1}),
                trouble=trouble,
                worst_alone=WorstProblem("error", "", trouble),
            )
        return _make_entry(
            entry, _with_between(analysis, (self._between or {}).get(entry.path, ()))
        )

    def check(self) -> list[SkillEntry]:
        """Find the skills, and check them and how they go together."""
        entries = {entry.path: entry for entry in map(self.examine, self.find())}
        entries |= {entry.path: entry for entry in self.relate(entries.values())}
        return list(entries.values())

    @property
    def related_skills(self) -> frozenset[str]:
        """The skills with problems that follow from others, since `relate`."""
        return frozenset(self._between or ())

    def relate(self, entries: Iterable[SkillEntry]) -> list[SkillEntry]:
        """Check how the checked skills go together, and what belongs to none; return the entries
        that change by it. May be called in a thread."""
        from skillstudio.skill.workspace import WorkspaceProblem
        from skillstudio.skill.workspace_check import check_workspace

        try:
            self._search.settings_for(self.root)
            result = check_workspace(self._search, list(self._facts.values()))
        except OSError as error:
            message = f"the settings cannot be read: {error.strerror or error}"
            diagnostic = Diagnostic("file-unreadable", message, severity="error")
            self.problems = (WorkspaceProblem("", diagnostic),)
            return []
        self.problems = tuple(
            problem._replace(path=self._relative(problem)) for problem in result.problems
        )
        self._between = result.of_skills
        changed_entries = []
        for entry in entries:
            between = self._between.get(entry.path, ())
            new = _numbers(problem.diagnostic for problem in between)
            if new != entry.between and not entry.trouble:
                numbers = Counter(entry.numbers)
                numbers.subtract(entry.between)
                new_entry = _with_counts(entry, numbers + new, new)
                changed_entries.append(
                    replace(new_entry, worst_between=_worst_between(entry, between))
                )
        return changed_entries

    def _relative(self, problem: WorkspaceProblem) -> str:
        """The path of a problem's file from the workspace: settings may be above it."""
        settings = {file.document.source for file in self._search.settings.values()}
        if problem.source not in settings:
            return problem.path
        return make_relative(problem.path, self.root).replace(os.sep, "/")

    def note(self, skill: str, analysis: Analysis) -> SkillEntry | None:
        """Store the result of a check."""
        entry = self.skills.get(skill)
        if entry is not None:
            entry = self.skills[skill] = _make_entry(entry, analysis)
        return entry

    def find_changed(self, ref: str) -> frozenset[str]:
        """The skills with files changed since a git revision. Raises GitError."""
        from skillstudio.files.changed_since import ChangedSince

        changes = ChangedSince(ref, self.root)
        return frozenset(
            skill
            for skill in self.skills
            if changes.contains(os.path.join(self.root, *skill.split("/")))
        )

    def filter_skills(self, query: str, unsaved_skills: Iterable[str] = ()) -> list[SkillEntry]:
        """The skills that match a filter of words, `state:` and `since:`."""
        entries = list(self.skills.values())
        open_skills = frozenset(unsaved_skills)
        for word in query.split():
            what, colon, value = word.partition(":")
            if colon and what == "state":
                entries = [
                    entry for entry in entries if _in_state(entry, value.lower(), open_skills)
                ]
            elif colon and what == "since":
                entries = [
                    entry
                    for entry in entries
                    if value != self.since or entry.path in self.changed_skills
                ]
            else:
                folded_word = word.casefold()
                entries = [
                    entry
                    for entry in entries
                    if folded_word in f"{entry.path}\n{entry.name}".casefold()
                ]
        return entries


def since(query: str) -> str:
    """The revision of `since:` in a filter; empty if there is none."""
    return next((word[6:] for word in query.split() if word.startswith("since:")), "")


def _with_between(analysis: Analysis, problems: Iterable[SkillProblem]) -> Analysis:
    """An analysis with the problems that follow from other skills."""
    diagnostics = tuple(problem.diagnostic for problem in problems)
    return analysis._replace(diagnostics=analysis.diagnostics + diagnostics)


def _make_entry(entry: SkillEntry, analysis: Analysis) -> SkillEntry:
    answers = analysis.targets if analysis.target_outcomes else {}
    from skillstudio.skill.outcomes import NOT_FOUND

    outcomes = {target: answer.outcome for target, answer in answers.items()}
    outcomes |= dict.fromkeys(analysis.skill.settings.missed_by, NOT_FOUND)
    new_entry = SkillEntry(
        entry.path,
        analysis.name or entry.name,
        files=tuple(dict.fromkeys(manifest.path for manifest in analysis.manifests)),
        outcomes=outcomes,
    )
    from skillstudio.manifest.suppress import WORKSPACE_RULES

    diagnostics = analysis.diagnostics
    between = [diagnostic for diagnostic in diagnostics if diagnostic.rule in WORKSPACE_RULES]
    alone = [diagnostic for diagnostic in diagnostics if diagnostic.rule not in WORKSPACE_RULES]
    new_entry = replace(
        new_entry, worst_alone=_worst(analysis, alone), worst_between=_worst(analysis, between)
    )
    return _with_counts(new_entry, _numbers(diagnostics), _numbers(between))


def _worst(analysis: Analysis, diagnostics: Sequence[Diagnostic]) -> WorstProblem | None:
    """The problem to fix first of some of a skill."""
    if not diagnostics:
        return None
    file = next((manifest.path for manifest in analysis.manifests), "")
    first = in_order(diagnostics, file)[0]
    return _as_worst(first, analysis.place(first)[0], file)


def _worst_between(entry: SkillEntry, problems: Sequence[SkillProblem]) -> WorstProblem | None:
    """The problem to fix first of those that follow from other skills."""
    first = min(problems, key=lambda problem: LEVELS.index(problem.severity), default=None)
    if first is None:
        return None
    file = next(iter(entry.files), "")
    return _as_worst(first.diagnostic, first.problem.place.start, file)


def _as_worst(diagnostic: Diagnostic, place: Position, file: str) -> WorstProblem:
    where = f"{place.line}:{place.column}"
    if diagnostic.path and diagnostic.path != file:
        where = f"{diagnostic.path}:{where}"
    severity = diagnostic.severity or "error"
    is_refusal = diagnostic.rule == "target-refused"
    return WorstProblem(severity, where, diagnostic.message, bool(diagnostic.fixes), is_refusal)


def _with_counts(entry: SkillEntry, numbers: Numbers, between: Numbers) -> SkillEntry:
    """The entry with so many problems."""
    counts: Counter[str] = Counter()
    for (_, severity), number in numbers.items():
        counts[severity] += number
    return replace(
        entry,
        status=_status(counts, entry.outcomes),
        counts=dict(counts),
        numbers=dict(numbers),
        between=dict(between),
    )


def _status(counts: Mapping[str, int], outcomes: Mapping[str, str]) -> Status:
    """The worst of the problems, and of the outcomes at selected targets."""
    from skillstudio.skill.outcomes import REJECTED_OUTCOMES, is_unseen

    # The rule of a rejection may be off.
    if "error" in counts or not REJECTED_OUTCOMES.isdisjoint(outcomes.values()):
        return "error"
    if "warning" in counts:
        return "warning"
    if is_unseen(outcomes.values()):
        return "elsewhere"
    return "info" if "info" in counts else "ok"


def _numbers(diagnostics: Iterable[Diagnostic]) -> Counter[tuple[str, Severity]]:
    return Counter((diagnostic.path, diagnostic.severity or "error") for diagnostic in diagnostics)


def _in_state(entry: SkillEntry, state: str, unsaved_skills: frozenset[str]) -> bool:
    """Whether a skill has a state, of which a prefix is enough."""
    if not state:
        return True
    if "unsaved".startswith(state) and len(state) > 2:
        return entry.path in unsaved_skills
    # One letter is enough for errors, too.
    return entry.status.startswith(state) and (entry.status != "elsewhere" or len(state) > 1)
