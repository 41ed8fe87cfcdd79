"""How targets see a skill in its folder on disk, given the skills beside it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.frontmatter_readings import FrontmatterReading, read_as
from skillstudio.manifest.locate import locate
from skillstudio.manifest.targets import OUTCOMES, Reason, judge, recorded_targets, targets
from skillstudio.settings.settings import ClientPlace
from skillstudio.skill.client_places import (
    KnownPlaces,
    client_folders,
    place_of,
    real_parent,
)
from skillstudio.skill.client_switches import CLIENT, disabled_by
from skillstudio.skill.discover import find_skills
from skillstudio.skill.facts import SkillFacts
from skillstudio.skill.listing import ListedSkill, Listing, list_skill, listings
from skillstudio.skill.outcomes import (
    NOT_RECORDED,
    TargetAnswer,
    answer_targets,
    best_place,
    judge_targets,
    root_of,
)

MOST_SKILLS = 500  # Maximum number of skills per folder.


class Placed(NamedTuple):
    """A skill and its folder: relative to the project with `/`, or starting with `~/`."""

    where: str
    skill: Skill
    real: str = ""  # The folder on disk without symbolic links.


class Rival(NamedTuple):
    """A skill as others see it that may have the same name."""

    where: str
    folder: str  # The name of its folder.
    name: str  # As a target reads it.


class Visibility(NamedTuple):
    """How targets see a skill in its folder: the folder as they see it, and the answer of each."""

    where: str
    answers: list[TargetAnswer]
    listings: Mapping[str, Listing]
    """What all skills of that folder take of the listing of a target, by its id."""
    project: str | None = None  # The folder that the place is relative to, if it has one.


class NeighbourSearch:
    """What was read of the skills beside others, so that each is read once."""

    def __init__(self) -> None:
        self.places = KnownPlaces()
        self._siblings: dict[str | None, list[Placed]] = {}
        self._listed_skills: dict[tuple[str | None, str], list[ListedSkill]] = {}

    def siblings(self, project: str | None) -> list[Placed]:
        """The skills in the folders that clients search, in a project and in the home folder."""
        if project not in self._siblings:
            self._siblings[project] = neighbours(project, self.places.home)
        return self._siblings[project]

    def measure_listings(self, skill: Skill, where: str, project: str | None) -> dict[str, Listing]:
        """What the skills beside a skill, and itself, take of the listing of each target."""
        above = os.path.dirname(where)
        beside = {
            sibling.where: sibling.skill
            for sibling in self.siblings(project)
            if os.path.dirname(sibling.where) == above
        }
        listed_skills: list[ListedSkill] = []
        for place, sibling in (beside | {where: skill}).items():
            key = project, place
            if place == where:
                listed_skills += self._lines_of(skill, above)
                continue
            if key not in self._listed_skills:
                self._listed_skills[key] = self._lines_of(sibling, above)
            listed_skills += self._listed_skills[key]
        return {id: listing for (_, id), listing in listings(listed_skills).items()}

    @staticmethod
    def _lines_of(skill: Skill, above: str) -> list[ListedSkill]:
        limited_ids = [id for id, target in recorded_targets().items() if "limits" in target]
        return list_skill(skill, above, judge(skill, selected_ids=limited_ids))


def explain_place(skill: Skill, disk: str, search: NeighbourSearch | None = None) -> Visibility:
    """How targets see a skill in a folder on disk, given the skills beside it."""
    search = search or NeighbourSearch()
    folder = real_parent(disk, search.places)
    place = skill.settings.client_place or place_of(disk, search.places)
    skill = skill._replace(settings=skill.settings._replace(client_place=place))
    project = search.places.project_of(folder)
    other_skills = [p for p in search.siblings(project) if p.real != os.path.realpath(folder)]
    answers = explain_visibility(skill, place, other_skills)
    if any(answer.target == CLIENT and answer.looks for answer in answers):
        name = _rival_at(targets()[CLIENT], Placed(place.where, skill)).name
        if (reason := disabled_by(name, folder, search.places.home)) is not None:
            answers = [
                answer._replace(outcome=reason.outcome, reasons=(*answer.reasons, reason))
                if answer.target == CLIENT
                else answer
                for answer in answers
            ]
    return Visibility(
        place.where, answers, search.measure_listings(skill, place.where, project), project
    )


def explain_visibility(
    skill: Skill, place: ClientPlace, siblings: Iterable[Placed] = ()
) -> list[TargetAnswer]:
    """The outcome of a skill at each target, given the others that it may find."""
    other_skills = [
        sibling for sibling in siblings if sibling.where not in (place.where, *place.links)
    ]
    other_skills.sort(key=lambda other: other.where)
    answers = answer_targets(skill, judge_targets(skill)).values()
    return [_given_others(answer, skill, place, other_skills) for answer in answers]


def _given_others(
    answer: TargetAnswer, skill: Skill, place: ClientPlace, other_skills: Sequence[Placed]
) -> TargetAnswer:
    """The answer of a target that may use another skill of the same name."""
    if not other_skills:
        return answer
    target = targets()[answer.target]
    own_rival = _rival_at(target, Placed(best_place(target, place), skill))
    return _with_shadow(answer, own_rival, [_rival_at(target, other) for other in other_skills])


def _rival_at(target: dict[str, Any], placed_skill: Placed) -> Rival:
    """A skill with its name as a target reads it."""
    skill, reading, name = placed_skill.skill, target.get("reading"), None
    if reading is not None:
        front = read_as(skill, reading["opening"]["is"], reading["yaml"]["is"], {})
        name = front.text("name") if isinstance(front, FrontmatterReading) else None
    return Rival(placed_skill.where, skill.name, (name or "").strip() or skill.name)


def _with_shadow(
    answer: TargetAnswer, own_rival: Rival, other_rivals: Iterable[Rival]
) -> TargetAnswer:
    """The answer of a target that uses the first of others, by place, with the same name."""
    shadow = _shadow(targets()[answer.target], own_rival, other_rivals) if answer.looks else None
    if shadow is None:
        return answer
    outcome = answer.outcome
    if outcome != NOT_RECORDED:
        outcome = min(outcome, shadow.outcome, key=OUTCOMES.index)
    return answer._replace(outcome=outcome, reasons=(*answer.reasons, shadow))


def _shadow(
    target: dict[str, Any], own_rival: Rival, other_rivals: Iterable[Rival]
) -> Reason | None:
    """The skill of the same name that the target uses instead."""
    discovery = target["discovery"]
    statement, root = discovery.get("same-name"), root_of(target, own_rival.where)
    if "roots" not in discovery or statement is None or statement["is"] == "both" or root is None:
        return None
    by_folder = discovery.get("identity", {}).get("is") == "folder"
    has_nested_names = "nested-names" in discovery
    what = "folder name" if by_folder else "name"
    for other in other_rivals:
        its = root_of(target, other.where)
        if its is None or (its.rank, other.where) > (root.rank, own_rival.where):
            continue
        if has_nested_names and (_is_nested(root.above) or _is_nested(its.above)):
            continue
        if (other.folder if by_folder else other.name) == (
            own_rival.folder if by_folder else own_rival.name
        ):
            text = f"the skill in {other.where} has the same {what} and takes precedence"
            return Reason("dropped", text, "rename one of the two", None, statement["at"])
    return None


def shadows(skills: Iterable[SkillFacts]) -> dict[str, dict[str, Reason]]:
    """The targets that use another of some skills instead of one, by path, and why."""
    groups: dict[str, list[SkillFacts]] = {}
    for facts in skills:
        if facts.settings.client_place is not None:
            for name in {facts.name, facts.folder}:
                groups.setdefault(name, []).append(facts)
    reasons: dict[str, dict[str, Reason]] = {}
    for group in groups.values():
        if len(group) == 1:
            continue
        for id, target in targets().items():
            rivals = {facts.path: _rival(target, facts) for facts in group}
            for path, own_rival in rivals.items():
                other_rivals = [other for other in rivals.values() if other is not own_rival]
                other_rivals.sort(key=lambda other: other.where)
                if (shadow := _shadow(target, own_rival, other_rivals)) is not None:
                    reasons.setdefault(path, {})[id] = shadow
    return reasons


def _rival(target: dict[str, Any], facts: SkillFacts) -> Rival:
    place = facts.settings.client_place
    where = best_place(target, place) if place is not None else ""
    return Rival(where, facts.folder, facts.name or facts.folder)


def _is_nested(above: str) -> bool:
    """Whether the folder that a root is in is neither that of the project nor the user's."""
    return above not in ("", "~")


def neighbours(project: str | None, home: str) -> list[Placed]:
    """The skills in the folders that clients search, in a project and in the home folder."""
    skills_by_place: dict[str, Placed] = {}
    for client_parts in client_folders():
        for above, prefix in ((project, ""), (home, "~/")):
            if above is None:
                continue
            inside = "/".join(client_parts)
            tree = DiskTree(os.path.join(above, *client_parts))
            for path in islice((*find_skills(tree), *_linked_folders(tree.path(""))), MOST_SKILLS):
                disk = tree.path(path)
                try:
                    skill = locate(DiskTree(disk)).skill
                except OSError:
                    # A skill that cannot be listed does not shadow another.
                    continue
                where = f"{prefix}{inside}/{path}".rstrip("/")
                skills_by_place.setdefault(where, Placed(where, skill, os.path.realpath(disk)))
    return list(skills_by_place.values())


def _linked_folders(root: str) -> list[str]:
    """The names of the symbolic links to folders in a folder."""
    try:
        with os.scandir(root) as entries:
            return sorted(entry.name for entry in entries if entry.is_symlink() and entry.is_dir())
    except OSError:
        return []
