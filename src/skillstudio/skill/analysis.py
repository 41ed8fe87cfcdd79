"""Analyze one skill without running it; a pure function of its files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from skillstudio.files.tree import FileTree
from skillstudio.manifest.check import check
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.locate import locate
from skillstudio.manifest.rulebook import is_secure
from skillstudio.manifest.scanning import SearchedTexts, scan
from skillstudio.manifest.targets import (
    TargetOutcome,
    by_outcome,
    judge,
    partial_loads,
    refusals,
    with_disputed_names,
    without_repeats,
)
from skillstudio.settings.settings import NO_SETTINGS, IgnoredRule, SkillSettings
from skillstudio.skill.selection import request_targets
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.source import Position, Source

if TYPE_CHECKING:
    from skillstudio.skill.outcomes import TargetAnswer


_UNFIXED = ("file-not-utf8", "conflict-unresolved")
"""The rules for files that no command changes: a person must first decide what they say."""


class Analysis(NamedTuple):
    """A skill with its manifests, its problems and its outcome at each target."""

    skill: Skill
    diagnostics: tuple[Diagnostic, ...]
    used_ignores: frozenset[IgnoredRule] = frozenset()
    """The ignore entries of the settings that suppressed a problem here."""
    target_outcomes: Mapping[str, TargetOutcome] = {}
    """The outcomes at selected targets; empty if none is selected."""

    @property
    def name(self) -> str:
        """The skill's declared name, else the folder's name."""
        for manifest in self.skill.manifests:
            value = manifest.document.value
            pointer = manifest.dialect.identity.get("name", "").lstrip("/")
            if pointer and isinstance(value, dict) and isinstance(value.get(pointer), str):
                return str(value[pointer])
        return self.skill.name

    @property
    def manifests(self) -> tuple[Manifest, ...]:
        return self.skill.manifests

    @property
    def main(self) -> Manifest | None:
        """The manifest that describes the skill; other manifests are parts of one."""
        manifests = self.skill.manifests
        return next((manifest for manifest in manifests if manifest.part == "manifest"), None)

    @property
    def dialects(self) -> list[str]:
        """The dialects of the skill, each once, in the order of their carriers."""
        return list(dict.fromkeys(manifest.dialect.id for manifest in self.skill.manifests))

    @property
    def targets(self) -> Mapping[str, TargetAnswer]:
        """The outcome of the skill at each target; only at the selected ones if there are any."""
        from skillstudio.skill.outcomes import answer_targets

        outcomes = self.target_outcomes
        return (
            answer_targets(self.skill, outcomes, outcomes)
            if outcomes
            else answer_targets(self.skill)
        )

    @property
    def is_unseen(self) -> bool:
        """Whether there are selected targets, and none looks at the place of the skill."""
        if not self.target_outcomes:
            return False
        from skillstudio.skill.outcomes import leaves_unseen

        return leaves_unseen(self.skill, self.target_outcomes)

    def source(self, path: str) -> Source | None:
        """The text of a file that has a problem."""
        return self.skill.source(path)

    def place(self, diagnostic: Diagnostic) -> tuple[Position, Position]:
        """The start and end of a diagnostic; 1:1 if it has no span."""
        source = self.source(diagnostic.path)
        if source is None or diagnostic.span is None:
            return Position(1, 1), Position(1, 1)
        return source.position(diagnostic.span.start), source.position(diagnostic.span.end)


def analyse(
    tree: FileTree,
    settings: SkillSettings = NO_SETTINGS,
    dialect: str | None = None,
    targets: tuple[str, ...] = (),
    searched_texts: SearchedTexts | None = None,
) -> Analysis:
    """Find the manifests of the skill at a tree's root and check them.

    `dialect` overrides detection, and `targets` those selected by the skill's place;
    `searched_texts` keeps what was searched, for the next analysis. Raises OSError if the folder
    cannot be listed."""
    if targets:
        settings = request_targets(settings, targets)
    location = locate(tree, settings, dialect)
    selected_targets = settings.targets
    outcomes = judge(location.skill, selected_ids=selected_targets) if selected_targets else {}
    target_diagnostics = [
        *refusals(outcomes, selected_targets, location.skill),
        *partial_loads(outcomes, selected_targets, location.skill),
    ]
    scan_result = scan(location.skill, searched_texts)
    skill = location.skill._replace(texts=scan_result.texts)
    used: set[IgnoredRule] = set()
    diagnostics = check(
        skill, [*location.diagnostics, *target_diagnostics, *scan_result.diagnostics], used
    )
    if outcomes:
        diagnostics = tuple(without_repeats(by_outcome(diagnostics, skill, outcomes)))
    else:
        diagnostics = tuple(with_disputed_names(diagnostics, skill))
        if _is_unfound(settings):
            diagnostics = tuple(_as_notes(diagnostics, settings))
    return Analysis(skill, _without_unwritable(diagnostics), frozenset(used), outcomes)


def _without_unwritable(diagnostics: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """The problems, without fixes in files that no command changes."""
    paths = {problem.path for problem in diagnostics if problem.rule in _UNFIXED}
    if not paths:
        return diagnostics
    return tuple(
        problem._replace(fixes=()) if problem.path in paths else problem for problem in diagnostics
    )


def _is_unfound(settings: SkillSettings) -> bool:
    """Whether neither a target of the skill's place nor an installer finds it."""
    place = settings.client_place
    return bool(settings.missed_by and place is not None and place.oversights)


def _as_notes(diagnostics: Iterable[Diagnostic], settings: SkillSettings) -> Iterator[Diagnostic]:
    """The problems of a skill that nobody loads as notes, except those of security and those that
    the settings name."""
    for diagnostic in diagnostics:
        rule = diagnostic.rule
        is_kept = is_secure(rule) or rule in settings.severities
        yield diagnostic if is_kept else diagnostic._replace(severity="info")
