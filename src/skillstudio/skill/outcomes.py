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
    return {
        id: _answer(id, str(records[id]["title"]), judged.get(id), reasons, id in selected)
        for id, reasons in placing.items()
    }


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
    is_plain = place.plugin is None and not place.links
    placing: dict[str, tuple[Reason, ...]] = {}
    for id in ids:
        reasons = _at_place(id, at_place) if is_plain else _at_best_place(id, skill, place)
        if reasons and skill.settings.by_place and not _looks(reasons):
            where = best_place(targets()[id], place)
            if _is_selected_place(id, targets()[id], skill.settings, where):
                reasons = ()
        placing[id] = reasons
    return placing


def _at_best_place(id: str, skill: Skill, place: ClientPlace) -> tuple[Reason, ...]:
    target = targets()[id]
    reasons = _at_place(id, _without_name(best_place(target, place)))
    if not _looks(reasons) and (plugin := _of_plugin(target, skill, place.plugin)) is not None:
        return (plugin,)
    return reasons


def _is_selected_place(
    id: str, target: dict[str, Any], settings: SkillSettings, where: str
) -> bool:
    """Whether the place itself selected a target, though the record has no root there: the
    manifest of its plugin did, or a folder that has the name of the user's root."""
    is_selected = id in settings.targets and "plugins" not in target["discovery"]
    return is_selected and _root(target, where, any_depth=True) is None


def best_place(target: dict[str, Any], place: ClientPlace) -> str:
    """The first of the places of a skill at which a target looks, else the first."""
    if not place.links:
        return place.where
    places = (place.where, *place.links)
    return next((where for where in places if rank_of(target, where) is not None), place.where)


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
    if (root := _root(target, where)) is not None:
        return _started(target, root)
    stated = target["discovery"].get("depth", {"is": 0, "at": roots["at"]})
    if (root := _root(target, where, any_depth=True)) is not None:
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


class _Root(NamedTuple):
    """The root that contains a place: its index, and how many folders the place is below it."""

    rank: int
    below: int
    path: str
    above: str  # The folder that the root is in: "" for the project's.


def rank_of(target: dict[str, Any], where: str) -> int | None:
    """The index of the root that contains a place; 0 for a target without roots."""
    if "roots" not in target["discovery"]:
        return 0
    root = _root(target, where)
    return None if root is None else root.rank


def _root(target: dict[str, Any], where: str, any_depth: bool = False) -> _Root | None:
    """The first root that contains a place, at a depth that the target searches."""
    discovery = target["discovery"]
    stated = discovery.get("depth", {}).get("is")
    deepest = 0 if any_depth or stated is None else stated
    # A target that walks its roots also reads a SKILL.md directly in one.
    nearest = 0 if any_depth or stated not in (None, 1) else 1
    parts = [part for part in where.replace("\\", "/").split("/") if part not in ("", ".")]
    home = parts[:1] == ["~"]
    best: _Root | None = None
    for rank, root in enumerate(discovery["roots"]["is"]):
        wanted = root.removeprefix("~/").split("/")
        for below in range(nearest, len(parts)):
            above = parts[: len(parts) - below]
            if above[-len(wanted) :] != wanted or (deepest and below > deepest):
                continue
            # A folder below the home folder is only the user's own if it is directly below it.
            own = home and len(above) == len(wanted) + 1
            if own == root.startswith("~/"):
                match = _Root(rank, below, "/".join(above), "/".join(above[: -len(wanted)]))
                best = min(best or match, match)
    return best


def _started(target: dict[str, Any], root: _Root) -> tuple[Reason, ...]:
    """In which folder a target must be started to search a root of a project."""
    stated = target["discovery"].get("parents")
    if stated is None or root.above == "~" or (stated["is"] and not root.above):
        return ()
    below = " or below" if stated["is"] else ", not below"
    text = f"only when it is started in {root.above or 'the folder of the project'}{below}"
    if "nested" in target["discovery"]:
        text += ", or after it used a file there"
    return (Reason("loads", text, "", None, stated["at"]),)


def _of_plugin(target: dict[str, Any], skill: Skill, plugin: PluginPlace | None) -> Reason | None:
    """How a target finds a skill in the folder of a plugin, or why it does not."""
    stated = target["discovery"].get("plugins")
    if stated is None or plugin is None:
        return None
    if not plugin.contains_skill:
        text = f"the plugin {plugin.name} does not contain this folder: it is not skills/NAME"
        return Reason(
            NOT_FOUND,
            text,
            "list it under skills in plugin.json or marketplace.json",
            None,
            stated["at"],
        )
    from skillstudio.skill.lookup import stated_names

    name = next(iter(stated_names(skill)), skill.name)
    text = f"as /{plugin.name}:{name}, a skill of the plugin {plugin.name}"
    fix = "no marketplace lists the plugin: start it with --plugin-dir and the plugin's folder"
    if rank_of(target, plugin.where) is not None:
        fix = "the plugin loads from this place without an installation"
    elif plugin.listed:
        fix = f"run /plugin marketplace add REPOSITORY, then /plugin install {plugin.listed}"
    return Reason("loads", text, fix, None, stated["at"])
