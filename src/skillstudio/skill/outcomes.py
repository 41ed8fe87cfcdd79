"""The outcome of a skill at targets: whether a target looks at its place, and what it does there.

The only source of the outcomes that commands and screens show.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.frontmatter_readings import Readings
from skillstudio.manifest.targets import OUTCOMES, Reason, TargetOutcome, judge, targets
from skillstudio.settings.settings import ClientPlace, PluginPlace, SkillSettings

NOT_FOUND = "not found"
"""The outcome at a target that does not look at the place of a skill."""
NOT_RECORDED = "not recorded"
"""The outcome at a target whose reading of SKILL.md no source describes."""
REJECTED_OUTCOMES = frozenset(OUTCOMES[:2])
_NOT_WHOLE = frozenset(OUTCOMES[:-1])


class TargetAnswer(NamedTuple):
    """The outcome of a skill at its place at one target, with all reasons."""

    target: str
    title: str
    outcome: str  # One of `OUTCOMES`, `NOT_FOUND`, or `NOT_RECORDED`.
    reasons: tuple[Reason, ...] = ()
    installed: str = "loads"
    """The outcome if the target looked at the place: one of `OUTCOMES`, or `NOT_RECORDED`, also if
    the text was not judged."""
    is_selected: bool = False
    is_missed: bool = False
    """Whether the place of the skill belongs to the target, which does not find it there."""

    @property
    def is_accepted(self) -> bool:
        return self.outcome in OUTCOMES and not self.is_rejection

    @property
    def is_rejection(self) -> bool:
        return self.outcome in REJECTED_OUTCOMES

    @property
    def looks(self) -> bool:
        """Whether the target looks at the place of the skill."""
        return all(reason.outcome != NOT_FOUND for reason in self.reasons)


def answer_targets(
    skill: Skill,
    outcomes: Mapping[str, TargetOutcome] | None = None,
    ids: Iterable[str] | None = None,
) -> dict[str, TargetAnswer]:
    """The outcomes of a skill at targets, all or some by id, in its `client_place`.

    `outcomes` has the outcomes of its text; without it, targets that are not selected and look
    elsewhere do not judge the text. A selected target that looks elsewhere, but would not load the
    whole skill, has the outcome that it would have: settings and options ask for it.
    """
    records, selected_ids = targets(), skill.settings.targets
    place_reasons = _find_place_reasons(skill, records if ids is None else ids)
    if outcomes is None:
        looking_ids = {
            id for id, reasons in place_reasons.items() if _looks(reasons) or id in selected_ids
        }
        outcomes = judge_targets(skill, looking_ids)
    answers = {
        id: _answer(id, str(records[id]["title"]), outcomes.get(id), reasons, id in selected_ids)
        for id, reasons in place_reasons.items()
    }
    for id in skill.settings.missed_by:
        if id in answers:
            answers[id] = answers[id]._replace(is_missed=True)
    return answers


def judge_targets(skill: Skill, ids: Collection[str] | None = None) -> dict[str, TargetOutcome]:
    """The outcomes of a skill's text at targets, all or some, with the values that selected ones
    reject."""
    readings: Readings = {}
    selected_ids = skill.settings.targets
    outcomes = judge(skill, readings, ids=ids)
    return outcomes | judge(skill, readings, selected_ids) if selected_ids else outcomes


def is_unseen(outcomes: Iterable[str]) -> bool:
    """Whether no target of some looks at the place of a skill."""
    outcomes = list(outcomes)
    return bool(outcomes) and all(outcome == NOT_FOUND for outcome in outcomes)


def leaves_unseen(skill: Skill, outcomes: Mapping[str, TargetOutcome]) -> bool:
    """Whether the outcomes of a skill at judged targets are all `NOT_FOUND`.

    Most skills are at a place where some target looks, or none does, whatever their files are.
    """
    if skill.settings.client_place is None:
        return False
    for id, reasons in _at_place_of(skill, outcomes).items():
        if _looks(reasons) and not (_file_link(targets()[id]) and _is_link(skill)):
            return False
        if id in skill.settings.targets and outcomes[id].outcome in _NOT_WHOLE:
            return False
    return bool(outcomes)


def _looks(reasons: Iterable[Reason]) -> bool:
    return all(reason.outcome != NOT_FOUND for reason in reasons)


def _answer(
    id: str,
    title: str,
    verdict: TargetOutcome | None,
    place_reasons: tuple[Reason, ...],
    is_selected: bool,
) -> TargetAnswer:
    text_outcome = NOT_RECORDED if verdict is None else verdict.outcome
    reasons = verdict.reasons if verdict is not None else ()
    outcome = text_outcome
    if not place_reasons:
        return TargetAnswer(id, title, outcome, reasons, text_outcome, is_selected)
    absence_reasons = tuple(reason for reason in place_reasons if reason.outcome == NOT_FOUND)
    if absence_reasons and not (is_selected and text_outcome in _NOT_WHOLE):
        outcome = NOT_FOUND
    # The others say in which folder the target must be started.
    other_reasons = tuple(reason for reason in place_reasons if reason.outcome != NOT_FOUND)
    reasons = (*absence_reasons, *reasons, *other_reasons)
    return TargetAnswer(id, title, outcome, reasons, text_outcome, is_selected)


def _find_place_reasons(skill: Skill, ids: Iterable[str]) -> dict[str, tuple[Reason, ...]]:
    """Why targets do not look at the place of a skill, or what they need to do so."""
    place_reasons = _at_place_of(skill, ids)
    if skill.settings.client_place is not None and _is_link(skill):
        return {id: (*reasons, *_file_link(targets()[id])) for id, reasons in place_reasons.items()}
    return place_reasons


def _at_place_of(skill: Skill, ids: Iterable[str]) -> dict[str, tuple[Reason, ...]]:
    place = skill.settings.client_place
    if place is None:
        return dict.fromkeys(ids, ())
    at_place = _without_name(place.where)
    is_plain = not place.plugins and not place.links
    place_reasons: dict[str, tuple[Reason, ...]] = {}
    oversights = {reason.target: reason for reason in place.oversights}
    for id in ids:
        reasons = _at_place(id, at_place) if is_plain else _at_best_place(id, skill, place)
        if reasons and skill.settings.by_place and not _looks(reasons):
            where = best_place(targets()[id], place)
            if _is_selected_place(id, targets()[id], skill.settings, where):
                reasons = ()
        if (skip_reason := _find_skip_reason(targets()[id], place)) is not None:
            reasons = (skip_reason,)
        if (oversight := oversights.get(id)) is not None:
            reasons = (Reason(NOT_FOUND, oversight.text, oversight.fix, None, oversight.evidence),)
        place_reasons[id] = reasons
    return place_reasons


def _find_skip_reason(target: dict[str, Any], place: ClientPlace) -> Reason | None:
    return _explain_reserved_name(target, place.where) or _explain_folder_link(target, place)


def _explain_folder_link(target: dict[str, Any], place: ClientPlace) -> Reason | None:
    """Why a target finds none of the places of a skill: its folder is a symbolic link in them."""
    statement = target["discovery"].get("folder-links")
    if not place.linked_places or statement is None or statement["is"]:
        return None
    places = [where for where in (place.where, *place.links) if root_of(target, where) is not None]
    # What is in the home folder is the user's own, and followed.
    if not places or any(w not in place.linked_places or w.startswith("~/") for w in places):
        return None
    text = f"the folder {places[0]} is a symbolic link, which it does not follow"
    return Reason(NOT_FOUND, text, "copy the folder instead", None, statement["at"])


def _explain_reserved_name(target: dict[str, Any], where: str) -> Reason | None:
    """Why a target skips a skill in a folder whose name it needs itself."""
    statement = target["discovery"].get("reserved-folders")
    name = where.rpartition("/")[2]
    if statement is None or name.lower() not in statement["is"] or root_of(target, where) is None:
        return None
    text = f"the folder name {name} is reserved, and a skill in it is skipped"
    return Reason(NOT_FOUND, text, "rename the folder", None, statement["at"])


def without_missing(settings: SkillSettings) -> SkillSettings:
    """The settings without the targets that the place of a skill selected, but that do not find it
    there; without any left, as if none was selected."""
    reasons = missing_reasons(settings, settings.targets)
    if not reasons:
        return settings
    remaining_targets = tuple(id for id in settings.targets if id not in reasons)
    by = settings.selected_by if remaining_targets else ""
    return settings._replace(targets=remaining_targets, missed_by=tuple(reasons), selected_by=by)


def missing_reasons(settings: SkillSettings, ids: Iterable[str]) -> dict[str, Reason]:
    """Why targets do not find a skill at its `client_place`, for each of some that do not."""
    place = settings.client_place
    reasons: dict[str, Reason] = {}
    if place is None:
        return {}
    for id in ids:
        target = targets()[id]
        where = best_place(target, place)
        if (skip_reason := _find_skip_reason(target, place)) is not None:
            reasons[id] = skip_reason
            continue
        at_root = _at_place(id, _without_name(where))
        plugin = place.plugin(id)
        if _looks(at_root) or (plugin is not None and plugin.contains_skill):
            continue
        if settings.by_place and _is_selected_place(id, target, settings, where):
            continue
        reasons[id] = at_root[0] if plugin is None else _outside_plugin(target, plugin)
    return reasons


def _at_best_place(id: str, skill: Skill, place: ClientPlace) -> tuple[Reason, ...]:
    target = targets()[id]
    reasons = _at_place(id, _without_name(best_place(target, place)))
    if not _looks(reasons) and (plugin := _of_plugin(id, skill, place)) is not None:
        return (plugin,)
    return reasons


def _is_selected_place(
    id: str, target: dict[str, Any], settings: SkillSettings, where: str
) -> bool:
    """Whether the place itself selected a target, though the record has no root there: the
    manifest of its plugin did, or a folder that has the name of the user's root."""
    is_selected = id in settings.targets and "plugins" not in target
    return is_selected and root_of(target, where, any_depth=True) is None


def best_place(target: dict[str, Any], place: ClientPlace) -> str:
    """The first of the places of a skill at which a target looks, else the first."""
    if not place.links:
        return place.where
    places = (place.where, *place.links)
    if "roots" not in target["discovery"]:
        return place.where
    return next((where for where in places if root_of(target, where) is not None), place.where)


def _without_name(where: str) -> str:
    """A place of which all skills in one folder are alike, unless one is itself a root."""
    above, _, name = where.replace("\\", "/").rpartition("/")
    return where if name in ("", "..") or name.startswith("skill") else f"{above}/*"


@lru_cache(4096)
def _at_place(id: str, where: str) -> tuple[Reason, ...]:
    """Why a target does not look at a place, or in which folder it must be started to do so."""
    target = targets()[id]
    roots = target["discovery"].get("roots")
    if roots is None:
        return ()
    if (root := root_of(target, where)) is not None:
        return _explain_start(target, root)
    depth = target["discovery"].get("depth", {"is": 0, "at": roots["at"]})
    if (root := root_of(target, where, any_depth=True)) is not None:
        levels = "1 level" if depth["is"] == 1 else f"{depth['is']} levels"
        text = f"SKILL.md is {root.below} levels below {root.path}; it looks only {levels} below"
        fix = "move the folder up"
        if not root.below:
            text = f"SKILL.md is directly in {root.path}; it looks in the folders below it"
            fix = "move the skill into a folder of its own there"
        return (Reason(NOT_FOUND, text, fix, None, depth["at"]),)
    text = f"it only looks in {', '.join(roots['is'])}"
    return (Reason(NOT_FOUND, text, "", None, roots["at"]),)


def _is_link(skill: Skill) -> bool:
    return skill.markdown is not None and skill.tree.kind(skill.markdown.source.path) == "link"


def _file_link(target: dict[str, Any]) -> list[Reason]:
    """SKILL.md as a symbolic link, if the target does not follow it."""
    statement = target["discovery"].get("file-links")
    if statement is None or statement["is"]:
        return []
    text, fix = "SKILL.md is a symbolic link", "link the folder instead"
    return [Reason(NOT_FOUND, text, fix, None, statement["at"])]


class Root(NamedTuple):
    """The root that contains a place: its index, and how many folders the place is below it."""

    rank: int
    below: int
    path: str
    above: str  # The folder that the root is in: "" for the project's.


def root_of(target: dict[str, Any], where: str, any_depth: bool = False) -> Root | None:
    """The first root that contains a place, at a depth that the target searches."""
    discovery = target["discovery"]
    if "roots" not in discovery:
        return None
    depth = discovery.get("depth", {}).get("is")
    deepest = 0 if any_depth or depth is None else depth
    # A target that walks its roots also reads a SKILL.md directly in one.
    nearest = 0 if any_depth or depth not in (None, 1) else 1
    parts = [part for part in where.replace("\\", "/").split("/") if part not in ("", ".")]
    home = parts[:1] == ["~"]
    best: Root | None = None
    for rank, root in enumerate(discovery["roots"]["is"]):
        root_parts = root.removeprefix("~/").split("/")
        for below in range(nearest, len(parts)):
            above = parts[: len(parts) - below]
            if above[-len(root_parts) :] != root_parts or (deepest and below > deepest):
                continue
            # A folder below the home folder is only the user's own if it is directly below it.
            is_personal = home and len(above) == len(root_parts) + 1
            if is_personal == root.startswith("~/"):
                match = Root(rank, below, "/".join(above), "/".join(above[: -len(root_parts)]))
                best = min(best or match, match)
    return best


def _explain_start(target: dict[str, Any], root: Root) -> tuple[Reason, ...]:
    """In which folder a target must be started to search a root of a project."""
    statement = target["discovery"].get("parents")
    if statement is None or root.above == "~":
        return ()
    upward = statement["is"]
    if isinstance(upward, list):
        upward = target["discovery"]["roots"]["is"][root.rank] in upward
    if upward and not root.above:
        return ()
    below = " or below" if upward else ", not below"
    text = f"only when it is started in {root.above or 'the folder of the project'}{below}"
    if "nested" in target["discovery"]:
        text += ", or after it used a file there"
    return (Reason("loads", text, "", None, statement["at"]),)


def _of_plugin(id: str, skill: Skill, place: ClientPlace) -> Reason | None:
    """How a target finds a skill in the folder of a plugin, or why it does not."""
    plugin = place.plugin(id)
    if plugin is None:
        return None
    target = targets()[id]
    plugin_record = target["plugins"]
    if not plugin.contains_skill:
        return _outside_plugin(target, plugin)
    from skillstudio.skill.lookup import stated_names

    name = next(iter(stated_names(skill)), skill.name)
    command = plugin_record["name"]["is"].format(plugin=plugin.name, name=name)
    text = f"as {command}, a skill of the plugin {plugin.name}"
    fix = plugin_record["unlisted"]["is"]
    if root_of(target, plugin.where) is not None:
        fix = "the plugin loads from this place without an installation"
    elif plugin.marketplace_name:
        fix = plugin_record["install"]["is"].format(listed=plugin.marketplace_name)
    return Reason("loads", text, fix, None, plugin_record["name"]["at"])


def _outside_plugin(target: dict[str, Any], plugin: PluginPlace) -> Reason:
    """Why a plugin does not contain a skill in its folder, and the fix."""
    plugin_record = target["plugins"]
    inside = "skills/NAME" if plugin_record["depth"]["is"] == 1 else "skills"
    text = f"the plugin {plugin.name} contains only {inside} and the folders that it lists"
    manifest_file = str(plugin_record["files"]["is"][0])
    file = "plugin.json or marketplace.json" if plugin_record["entries"]["is"] else manifest_file
    fix = f"list the folder under skills in {file}"
    return Reason(NOT_FOUND, text, fix, None, plugin_record["skills"]["at"])
