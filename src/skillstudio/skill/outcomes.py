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
REJECTED = frozenset(OUTCOMES[:2])
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
    def accepted(self) -> bool:
        return self.outcome in OUTCOMES and not self.is_rejection

    @property
    def is_rejection(self) -> bool:
        return self.outcome in REJECTED

    @property
    def looks(self) -> bool:
        """Whether the target looks at the place of the skill."""
        return all(reason.outcome != NOT_FOUND for reason in self.reasons)


def answer_targets(
    skill: Skill,
    judged: Mapping[str, TargetOutcome] | None = None,
    ids: Iterable[str] | None = None,
) -> dict[str, TargetAnswer]:
    """The outcomes of a skill at targets, all or some by id, in its `client_place`.

    `judged` has the outcomes of its text; without it, targets that are not selected and look
    elsewhere do not judge the text. A selected target that looks elsewhere, but would not load the
    whole skill, has the outcome that it would have: settings and options ask for it.
    """
    records, selected = targets(), skill.settings.targets
    placing = _placing(skill, records if ids is None else ids)
    if judged is None:
        looking = {id for id, reasons in placing.items() if _looks(reasons) or id in selected}
        judged = judge_targets(skill, looking)
    answers = {
        id: _answer(id, str(records[id]["title"]), judged.get(id), reasons, id in selected)
        for id, reasons in placing.items()
    }
    for id in skill.settings.missed_by:
        if id in answers:
            answers[id] = answers[id]._replace(is_missed=True)
    return answers


def judge_targets(skill: Skill, ids: Collection[str] | None = None) -> dict[str, TargetOutcome]:
    """The outcomes of a skill's text at targets, all or some, with the values that selected ones
    reject."""
    readings: Readings = {}
    selected = skill.settings.targets
    outcomes = judge(skill, readings, ids=ids)
    return outcomes | judge(skill, readings, selected) if selected else outcomes


def is_unseen(outcomes: Iterable[str]) -> bool:
    """Whether no target of some looks at the place of a skill."""
    outcomes = list(outcomes)
    return bool(outcomes) and all(outcome == NOT_FOUND for outcome in outcomes)


def leaves_unseen(skill: Skill, judged: Mapping[str, TargetOutcome]) -> bool:
    """Whether the outcomes of a skill at judged targets are all `NOT_FOUND`.

    Most skills are at a place where some target looks, or none does, whatever their files are.
    """
    if skill.settings.client_place is None:
        return False
    for id, reasons in _at_place_of(skill, judged).items():
        if _looks(reasons) and not (_file_link(targets()[id]) and _is_link(skill)):
            return False
        if id in skill.settings.targets and judged[id].outcome in _NOT_WHOLE:
            return False
    return bool(judged)


def _looks(placing: Iterable[Reason]) -> bool:
    return all(reason.outcome != NOT_FOUND for reason in placing)


def _answer(
    id: str,
    title: str,
    judged: TargetOutcome | None,
    placing: tuple[Reason, ...],
    is_selected: bool,
) -> TargetAnswer:
    installed = NOT_RECORDED if judged is None else judged.outcome
    reasons = judged.reasons if judged is not None else ()
    outcome = installed
    if not placing:
        return TargetAnswer(id, title, outcome, reasons, installed, is_selected)
    missed = tuple(reason for reason in placing if reason.outcome == NOT_FOUND)
    if missed and not (is_selected and installed in _NOT_WHOLE):
        outcome = NOT_FOUND
    # The others say in which folder the target must be started.
    others = tuple(reason for reason in placing if reason.outcome != NOT_FOUND)
    reasons = (*missed, *reasons, *others)
    return TargetAnswer(id, title, outcome, reasons, installed, is_selected)


def _placing(skill: Skill, ids: Iterable[str]) -> dict[str, tuple[Reason, ...]]:
    """Why targets do not look at the place of a skill, or what they need to do so."""
    placing = _at_place_of(skill, ids)
    if skill.settings.client_place is not None and _is_link(skill):
        return {id: (*reasons, *_file_link(targets()[id])) for id, reasons in placing.items()}
    return placing


def _at_place_of(skill: Skill, ids: Iterable[str]) -> dict[str, tuple[Reason, ...]]:
    place = skill.settings.client_place
    if place is None:
        return dict.fromkeys(ids, ())
    at_place = _without_name(place.where)
    is_plain = not place.plugins and not place.links
    placing: dict[str, tuple[Reason, ...]] = {}
    overlooked = {reason.target: reason for reason in place.overlooked}
    for id in ids:
        reasons = _at_place(id, at_place) if is_plain else _at_best_place(id, skill, place)
        if reasons and skill.settings.by_place and not _looks(reasons):
            where = best_place(targets()[id], place)
            if _is_selected_place(id, targets()[id], skill.settings, where):
                reasons = ()
        if (skipped := _skipped(targets()[id], place)) is not None:
            reasons = (skipped,)
        if (missed := overlooked.get(id)) is not None:
            reasons = (Reason(NOT_FOUND, missed.text, missed.fix, None, missed.evidence),)
        placing[id] = reasons
    return placing


def _skipped(target: dict[str, Any], place: ClientPlace) -> Reason | None:
    return _reserved(target, place.where) or _unfollowed(target, place)


def _unfollowed(target: dict[str, Any], place: ClientPlace) -> Reason | None:
    """Why a target finds none of the places of a skill: its folder is a symbolic link in them."""
    stated = target["discovery"].get("folder-links")
    if not place.linked or stated is None or stated["is"]:
        return None
    places = [where for where in (place.where, *place.links) if root_of(target, where) is not None]
    # What is in the home folder is the user's own, and followed.
    if not places or any(w not in place.linked or w.startswith("~/") for w in places):
        return None
    text = f"the folder {places[0]} is a symbolic link, which it does not follow"
    return Reason(NOT_FOUND, text, "copy the folder instead", None, stated["at"])


def _reserved(target: dict[str, Any], where: str) -> Reason | None:
    """Why a target skips a skill in a folder whose name it needs itself."""
    stated = target["discovery"].get("reserved-folders")
    name = where.rpartition("/")[2]
    if stated is None or name.lower() not in stated["is"] or root_of(target, where) is None:
        return None
    text = f"the folder name {name} is reserved, and a skill in it is skipped"
    return Reason(NOT_FOUND, text, "rename the folder", None, stated["at"])


def without_missing(settings: SkillSettings) -> SkillSettings:
    """The settings without the targets that the place of a skill selected, but that do not find it
    there; without any left, as if none was selected."""
    reasons = missing_reasons(settings, settings.targets)
    if not reasons:
        return settings
    finding = tuple(id for id in settings.targets if id not in reasons)
    by = settings.selected_by if finding else ""
    return settings._replace(targets=finding, missed_by=tuple(reasons), selected_by=by)


def missing_reasons(settings: SkillSettings, ids: Iterable[str]) -> dict[str, Reason]:
    """Why targets do not find a skill at its `client_place`, for each of some that do not."""
    place = settings.client_place
    reasons: dict[str, Reason] = {}
    if place is None:
        return {}
    for id in ids:
        target = targets()[id]
        where = best_place(target, place)
        if (skipped := _skipped(target, place)) is not None:
            reasons[id] = skipped
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
        return _started(target, root)
    stated = target["discovery"].get("depth", {"is": 0, "at": roots["at"]})
    if (root := root_of(target, where, any_depth=True)) is not None:
        levels = "1 level" if stated["is"] == 1 else f"{stated['is']} levels"
        text = f"SKILL.md is {root.below} levels below {root.path}; it looks only {levels} below"
        fix = "move the folder up"
        if not root.below:
            text = f"SKILL.md is directly in {root.path}; it looks in the folders below it"
            fix = "move the skill into a folder of its own there"
        return (Reason(NOT_FOUND, text, fix, None, stated["at"]),)
    text = f"it only looks in {', '.join(roots['is'])}"
    return (Reason(NOT_FOUND, text, "", None, roots["at"]),)


def _is_link(skill: Skill) -> bool:
    return skill.markdown is not None and skill.tree.kind(skill.markdown.source.path) == "link"


def _file_link(target: dict[str, Any]) -> list[Reason]:
    """SKILL.md as a symbolic link, if the target does not follow it."""
    stated = target["discovery"].get("file-links")
    if stated is None or stated["is"]:
        return []
    text, fix = "SKILL.md is a symbolic link", "link the folder instead"
    return [Reason(NOT_FOUND, text, fix, None, stated["at"])]


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
    stated = discovery.get("depth", {}).get("is")
    deepest = 0 if any_depth or stated is None else stated
    # A target that walks its roots also reads a SKILL.md directly in one.
    nearest = 0 if any_depth or stated not in (None, 1) else 1
    parts = [part for part in where.replace("\\", "/").split("/") if part not in ("", ".")]
    home = parts[:1] == ["~"]
    best: Root | None = None
    for rank, root in enumerate(discovery["roots"]["is"]):
        wanted = root.removeprefix("~/").split("/")
        for below in range(nearest, len(parts)):
            above = parts[: len(parts) - below]
            if above[-len(wanted) :] != wanted or (deepest and below > deepest):
                continue
            # A folder below the home folder is only the user's own if it is directly below it.
            own = home and len(above) == len(wanted) + 1
            if own == root.startswith("~/"):
                match = Root(rank, below, "/".join(above), "/".join(above[: -len(wanted)]))
                best = min(best or match, match)
    return best


def _started(target: dict[str, Any], root: Root) -> tuple[Reason, ...]:
    """In which folder a target must be started to search a root of a project."""
    stated = target["discovery"].get("parents")
    if stated is None or root.above == "~":
        return ()
    upward = stated["is"]
    if isinstance(upward, list):
        upward = target["discovery"]["roots"]["is"][root.rank] in upward
    if upward and not root.above:
        return ()
    below = " or below" if upward else ", not below"
    text = f"only when it is started in {root.above or 'the folder of the project'}{below}"
    if "nested" in target["discovery"]:
        text += ", or after it used a file there"
    return (Reason("loads", text, "", None, stated["at"]),)


def _of_plugin(id: str, skill: Skill, place: ClientPlace) -> Reason | None:
    """How a target finds a skill in the folder of a plugin, or why it does not."""
    plugin = place.plugin(id)
    if plugin is None:
        return None
    target = targets()[id]
    stated = target["plugins"]
    if not plugin.contains_skill:
        return _outside_plugin(target, plugin)
    from skillstudio.skill.lookup import stated_names

    name = next(iter(stated_names(skill)), skill.name)
    command = stated["name"]["is"].format(plugin=plugin.name, name=name)
    text = f"as {command}, a skill of the plugin {plugin.name}"
    fix = stated["unlisted"]["is"]
    if root_of(target, plugin.where) is not None:
        fix = "the plugin loads from this place without an installation"
    elif plugin.listed:
        fix = stated["install"]["is"].format(listed=plugin.listed)
    return Reason("loads", text, fix, None, stated["name"]["at"])


def _outside_plugin(target: dict[str, Any], plugin: PluginPlace) -> Reason:
    """Why a plugin does not contain a skill in its folder, and the fix."""
    stated = target["plugins"]
    inside = "skills/NAME" if stated["depth"]["is"] == 1 else "skills"
    text = f"the plugin {plugin.name} contains only {inside} and the folders that it lists"
    own = str(stated["files"]["is"][0])
    file = "plugin.json or marketplace.json" if stated["entries"]["is"] else own
    fix = f"list the folder under skills in {file}"
    return Reason(NOT_FOUND, text, fix, None, stated["skills"]["at"])
