"""Check what a single skill cannot show: how the skills of a workspace go together.

Dependencies and names between skills, what the listings of targets have room for, plugins, protos,
and ignores of the settings that nothing needs. Whatever shows problems calls this and adds none.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.files.paths import below, make_relative, path_matches
from skillstudio.manifest.locate import read_file
from skillstudio.manifest.rulebook import level_of, severity_of
from skillstudio.manifest.suppress import WHOLE_FILE, is_ignored
from skillstudio.settings.settings import IgnoredRule
from skillstudio.skill.facts import PlacedProblem, SkillFacts
from skillstudio.skill.workspace import PluginFolder, WorkspaceProblem, WorkspaceSearch
from skillstudio.text.diagnostic import Diagnostic, Severity
from skillstudio.text.source import Span

if TYPE_CHECKING:
    from skillstudio.manifest.hook_values import BindingProblem
    from skillstudio.skill.listing import Listing
    from skillstudio.skill.lookup import LocatedSkill

_MOST_NAMES = 5  # Skills that a message names.


class SkillProblem(NamedTuple):
    """A problem of a skill that follows from others, with its severity in the settings."""

    problem: PlacedProblem
    severity: Severity

    @property
    def diagnostic(self) -> Diagnostic:
        rule, message, place, dialect = self.problem
        span = None if place.line is None else place.span
        return Diagnostic(
            rule, message, span, place.pointer, (), self.severity, place.path, dialect
        )


class WorkspaceCheck(NamedTuple):
    """The problems of a workspace beside those that each skill has alone."""

    problems: list[WorkspaceProblem]
    """Those of no skill, each with its severity."""
    of_skills: Mapping[str, list[SkillProblem]]
    """Those of skills, by path."""
    listings: Mapping[tuple[str, str], Listing]
    """What skills take of the listings of targets, by folder and target."""


def check_workspace(
    search: WorkspaceSearch,
    skills: Sequence[SkillFacts],
    plugins: Iterable[PluginFolder] | None = None,
    check_machine: Callable[[LocatedSkill, str], Iterable[BindingProblem]] | None = None,
    is_complete: bool = True,
) -> WorkspaceCheck:
    """Check the skills that a search gave, and what it kept.

    `plugins` replaces the plugins of the search. `check_machine` returns what this machine lacks
    for a skill of a workspace that a proto names; None checks no machine. Without `is_complete`
    some of the skills are missing, so what needs all of them is not checked: listings, and ignores
    that nothing needs. Raises OSError for settings that cannot be read."""
    used = {ignore for facts in skills for ignore in facts.used_ignores}
    of_skills = check_between(skills, used)
    of_plugins = list(
        _plugins(search, search.plugins.values() if plugins is None else plugins, used)
    )
    problems = [
        problem
        for problem in search.problems
        if problem.diagnostic.rule != "skill-missing" or problem.path not in search.without
    ]
    target_listings: dict[tuple[str, str], Listing] = {}
    if is_complete:
        problems += _unused_ignores(search, used)
        problems += _unmatched_folders(search, skills)
        problems += _unfound(skills, used)
        if lines := [line for facts in skills for line in facts.listed_skills]:
            from skillstudio.skill.listing import listings

            target_listings = listings(lines)
            problems += _listings(target_listings, skills)
    for path, display_path in search.protos:
        problems += _proto(path, display_path, check_machine)
    problems += of_plugins
    return WorkspaceCheck(list(map(_set_severity, problems)), of_skills, target_listings)


def check_between(
    skills: Iterable[SkillFacts], used: set[IgnoredRule]
) -> dict[str, list[SkillProblem]]:
    """The problems of skills that follow from others, by path; effective ignores go to `used`."""
    by_path = {facts.path: facts for facts in skills}
    between: dict[str, list[SkillProblem]] = {}
    groups = [_repeated_names(by_path.values())]
    if any(facts.dependent for facts in by_path.values()):
        from skillstudio.skill.dependencies import check_dependencies

        groups.insert(0, check_dependencies(by_path.values()))
    for group in groups:
        for path, problems in group.items():
            if remaining_problems := _without_ignored(problems, by_path[path], used):
                between.setdefault(path, []).extend(remaining_problems)
    return between


def _without_ignored(
    problems: Iterable[PlacedProblem], facts: SkillFacts, used: set[IgnoredRule]
) -> list[SkillProblem]:
    """The problems that the skill's settings and comments leave, with their severities."""
    remaining_problems = []
    for problem in problems:
        severity = level_of(problem.rule, None, "", facts.settings)
        if severity == "off":
            continue
        skill_problem = SkillProblem(problem, severity)
        path, line = problem.place.path, problem.place.start.line
        if not facts.ignores.isdisjoint((path, problem.rule, at) for at in (line, WHOLE_FILE)):
            continue
        if not is_ignored(skill_problem.diagnostic, path, facts.folder, facts.settings, used):
            remaining_problems.append(skill_problem)
    return remaining_problems


def _repeated_names(skills: Iterable[SkillFacts]) -> dict[str, list[PlacedProblem]]:
    """A problem at each name that another skill of the same folder has, too.

    A skill whose name is its folder's keeps it.
    """
    groups: dict[tuple[str, str], list[SkillFacts]] = {}
    for facts in skills:
        if facts.name and facts.settings.listed_in:
            groups.setdefault((facts.settings.listed_in, facts.name), []).append(facts)
    name_problems: dict[str, list[PlacedProblem]] = {}
    for (_, name), group in groups.items():
        for facts in group if len(group) > 1 else ():
            if facts.name_at is None:
                continue
            other = next(candidate for candidate in group if candidate is not facts)
            where = other.path.removeprefix("./") or other.folder
            message = (
                f"{where} also has the name {name}, and most clients load one of the two; name "
                f"this one {facts.folder}"
            )
            problem = PlacedProblem("skill-name-repeated", message, facts.name_at)
            name_problems[facts.path] = [problem]
    return name_problems


def _plugins(
    search: WorkspaceSearch, plugins: Iterable[PluginFolder], used: set[IgnoredRule]
) -> Iterator[WorkspaceProblem]:
    """The problems of plugins and marketplaces; effective ignores of settings go to `used`."""
    for plugin in plugins:
        from skillstudio.manifest.plugins import check_plugin

        name = os.path.basename(plugin.disk)
        settings = search.settings_of(plugin.disk)
        for file in check_plugin(DiskTree(plugin.disk)):
            path = f"{plugin.display_path}/{file.path}" if plugin.display_path else file.path
            for diagnostic in file.diagnostics:
                level = settings.severities.get(diagnostic.rule) or diagnostic.severity
                if level == "off" or is_ignored(diagnostic, file.path, name, settings, used):
                    continue
                yield WorkspaceProblem(path, diagnostic._replace(severity=level), file.source)


def _proto(
    path: str,
    display_path: str,
    check_machine: Callable[[LocatedSkill, str], Iterable[BindingProblem]] | None,
) -> Iterator[WorkspaceProblem]:
    """The problems of a file that names skills of its workspace."""
    from skillstudio.files.workspace import workspace_of
    from skillstudio.skill.lookup import look_up
    from skillstudio.skill.pins.proto import check_proto

    problems: list[Diagnostic] = []
    source = read_file(DiskTree(os.path.dirname(path) or "."), os.path.basename(path), problems)
    if source is not None:
        workspace = workspace_of(os.path.dirname(path))
        skills = look_up(workspace)
        machine = None
        if check_machine is not None:
            machine = lambda name: check_machine(skills.all(name)[0], workspace)  # noqa: E731
        problems += check_proto(source, skills.get, skills.names(), machine)
    for diagnostic in problems:
        yield WorkspaceProblem(display_path, diagnostic, source)


def _unused_ignores(search: WorkspaceSearch, used: set[IgnoredRule]) -> Iterator[WorkspaceProblem]:
    """The `[[ignore]]` that silence nothing, of settings whose whole folder was checked."""
    for settings in search.whole_settings:
        source = settings.document.source
        for ignore in settings.everywhere.ignores:
            if ignore not in used:
                at = source.offset(*ignore.place)
                message = f"nothing in {ignore.path} breaks {ignore.rule}; remove this ignore"
                diagnostic = Diagnostic("ignore-unused", message, Span(at, at))
                yield WorkspaceProblem(source.path, diagnostic, source)


def _unmatched_folders(
    search: WorkspaceSearch, skills: Iterable[SkillFacts]
) -> Iterator[WorkspaceProblem]:
    """The `[[folder]]` that match no skill, of settings whose whole folder was checked."""
    places: dict[str, set[str]] = {}
    for facts in skills:
        places.setdefault(facts.settings.file, set()).add(facts.settings.place)
    for settings in search.whole_settings:
        source = settings.document.source
        for folder in settings.folders:
            if not any(path_matches(at, folder.path) for at in places.get(source.path, ())):
                at = source.offset(*folder.place)
                message = f"no skill is in {folder.path}; correct the path or remove this entry"
                diagnostic = Diagnostic("settings-folder-unmatched", message, Span(at, at))
                yield WorkspaceProblem(source.path, diagnostic, source)


def _listings(
    target_listings: Mapping[tuple[str, str], Listing], skills: Iterable[SkillFacts]
) -> Iterator[WorkspaceProblem]:
    """The listings of targets that are full, or nearly so."""
    from skillstudio.skill.listing import listing_text

    settings = {facts.settings.listed_in: facts.settings for facts in skills}
    for (folder, target), listing in target_listings.items():
        level: Severity = "warning" if listing.is_exceeded else "info"
        severity = settings[folder].severities.get("listing-budget", level)
        if listing.is_near and severity != "off":
            message = listing_text(target, listing)
            diagnostic = Diagnostic("listing-budget", message, severity=severity)
            yield WorkspaceProblem(listing_folder(folder), diagnostic)


def _unfound(skills: Sequence[SkillFacts], used: set[IgnoredRule]) -> Iterator[WorkspaceProblem]:
    """The skills that no target of their place finds: once for each root or plugin."""
    homes: dict[tuple[str, tuple[str, ...]], list[SkillFacts]] = {}
    for facts in skills:
        if facts.settings.missed_by and not facts.settings.targets:
            diagnostic = Diagnostic("skill-unfound", "")
            place = facts.settings
            if not is_ignored(diagnostic, "SKILL.md", facts.folder, place, used):
                homes.setdefault((place.home, place.missed_by), []).append(facts)
    for (home, targets), group in homes.items():
        level = group[0].settings.severities.get("skill-unfound")
        if level != "off":
            total = sum(facts.settings.home == home for facts in skills)
            message = unfound_text(group, targets, total)
            yield WorkspaceProblem(
                listing_folder(home), Diagnostic("skill-unfound", message, severity=level)
            )


def listing_folder(folder: str) -> str:
    """How messages name a folder whose skills are listed together."""
    return make_relative(folder) if below(folder, os.getcwd()) is not None else folder


def unfound_text(skills: Sequence[SkillFacts], targets: Sequence[str], total: int) -> str:
    """Which skills of a root or plugin its targets do not find, why, and what to do.

    `total` is the number of skills there.
    """
    from skillstudio.manifest.targets import targets as records
    from skillstudio.skill.installers import installers
    from skillstudio.skill.outcomes import missing_reasons

    names = [facts.path.removeprefix("./") for facts in skills]
    name_list = ", ".join(names[:_MOST_NAMES])
    if len(names) > _MOST_NAMES:
        name_list += f" and {len(names) - _MOST_NAMES:,} more"
    titles = " and ".join(records()[id]["title"] for id in targets)
    is_one = len(targets) == 1
    if total == len(skills) > 1:
        text = f"{titles} {'finds' if is_one else 'find'} none of the {total:,} skills here"
        text += f" ({name_list})"
    else:
        text = f"{titles} {'does' if is_one else 'do'} not find {name_list}"
    place = skills[0].settings
    reasons = missing_reasons(place, targets)
    causes = {
        id: "; ".join(filter(None, (reason.text, reason.fix))) for id, reason in reasons.items()
    }
    if len(set(causes.values())) > 1:
        causes = {id: f"{records()[id]['title']}: {cause}" for id, cause in causes.items()}
    text = "; ".join((text, *dict.fromkeys(causes.values())))
    client_places = {facts.settings.client_place for facts in skills}
    ids = [
        id
        for id in installers()
        if not any(
            id == oversight.target for at in client_places if at for oversight in at.oversights
        )
    ]
    found_by = " and ".join(records()[id]["title"] for id in ids)
    return f"{text}; {found_by} finds {'it' if len(names) == 1 else 'them'}" if ids else text


def _set_severity(problem: WorkspaceProblem) -> WorkspaceProblem:
    """A problem with the severity of its rule unless it has one."""
    diagnostic = problem.diagnostic
    severity = diagnostic.severity or severity_of(diagnostic.rule)
    return problem._replace(diagnostic=diagnostic._replace(severity=severity))
