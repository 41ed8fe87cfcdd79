"""Where clients find a skill, and its outcome at each target there."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.frontmatter_readings import FrontmatterReading, Readings, read_as
from skillstudio.manifest.locate import locate
from skillstudio.manifest.plugins import PluginSkill
from skillstudio.manifest.targets import (
    OUTCOMES,
    Reason,
    TargetOutcome,
    judge,
    judging,
    targets,
)
from skillstudio.skill.discover import find_skills
from skillstudio.skill.listing import Listing, list_skill, listings
from skillstudio.skill.lookup import plugin_around, stated_names

MOST_SKILLS = 500  # Maximum number of skills per folder.
NOT_FOUND = "not found"
# The outcome at a target whose reading of SKILL.md no source describes.
NOT_RECORDED = "not recorded"


class TargetAnswer(NamedTuple):
    """The outcome of a skill at its place at one target, with all reasons."""

    target: str
    title: str
    outcome: str  # One of `OUTCOMES`, `NOT_FOUND`, or `NOT_RECORDED`.
    reasons: tuple[Reason, ...] = ()


class Placed(NamedTuple):
    """A skill and its folder: relative to the project with `/`, or starting with `~/`."""

    where: str
    skill: Skill
    real: str = ""  # The folder on disk without symbolic links.


class Visibility(NamedTuple):
    """How targets see a skill in its folder: the folder as they see it, and the answer of each."""

    where: str
    answers: list[TargetAnswer]
    taken: Mapping[str, Listing]
    """What all skills of that folder take of the listing of a target, by its id."""


def explain_place(skill: Skill, disk: str) -> Visibility:
    """How targets see a skill in a folder on disk, given the skills beside it."""
    above, name = os.path.split(os.path.abspath(disk))
    # Clients follow a link to the skill's folder, so its own name and place count.
    folder = os.path.join(os.path.realpath(above), name)
    home = os.path.realpath(os.path.expanduser("~"))
    where = where_is(folder, home)
    siblings = neighbours(folder, home)
    plugin = plugin_around(folder)
    in_place = where_is(plugin.folder, home) if plugin is not None else ""
    real = os.path.realpath(folder)
    answers = explain_visibility(skill, where, siblings, real, plugin, in_place)
    return Visibility(where, answers, _taken(skill, where, siblings))


def _taken(skill: Skill, where: str, siblings: list[Placed]) -> dict[str, Listing]:
    """What the skills beside a skill, and itself, take of the listing of each target."""
    above = os.path.dirname(where)
    beside = {each.where: each.skill for each in siblings if os.path.dirname(each.where) == above}
    budgeted = [id for id, each in judging().items() if "limits" in each]
    listed = [
        line
        for each in (beside | {where: skill}).values()
        for line in list_skill(each, above, judge(each, selected=budgeted))
    ]
    return {id: listing for (_, id), listing in listings(listed).items()}


def explain_visibility(
    skill: Skill,
    where: str,
    siblings: Sequence[Placed] = (),
    real: str = "",
    plugin: PluginSkill | None = None,
    in_place: str = "",
) -> list[TargetAnswer]:
    """The outcome of a skill at `where` at each target, given the others that it may find.

    A sibling with the same `real` folder is the skill itself, reached through a link. `in_place` is
    the place of the folder of `plugin`, in which the skill is.
    """
    links = [each.where for each in siblings if real and each.real == real]
    places = [Placed(each, skill) for each in dict.fromkeys((where, *sorted(links)))]
    others = [each for each in siblings if each.where not in (where, *links)]
    others.sort(key=lambda each: each.where)
    known: Readings = {}
    judged = judge(skill, known)
    return [
        _answer(id, target, judged.get(id), places, others, known, of_plugin)
        for id, target in targets().items()
        for of_plugin in [_of_plugin(target, skill, plugin, in_place)]
    ]


def _answer(
    id: str,
    target: dict[str, Any],
    judged: TargetOutcome | None,
    places: list[Placed],
    siblings: list[Placed],
    known: Readings,
    of_plugin: Reason | None,
) -> TargetAnswer:
    placed = next((each for each in places if _rank(target, each.where) is not None), places[0])
    placing = _placing(target, placed)
    if of_plugin is not None and any(each.outcome == NOT_FOUND for each in placing):
        placing = [of_plugin]
    missed = [each for each in placing if each.outcome == NOT_FOUND]
    found = [*missed, *_linked(target, placed.skill)]
    outcome = NOT_RECORDED if judged is None else judged.outcome
    shadowed = None if found else _shadowed(target, placed, siblings, known)
    reasons = [*found, *(judged.reasons if judged else ())]
    if shadowed is not None:
        reasons.append(shadowed)
        if outcome != NOT_RECORDED:
            outcome = min(outcome, shadowed.outcome, key=OUTCOMES.index)
    outcome = NOT_FOUND if found else outcome
    reasons += [each for each in placing if each not in missed]
    return TargetAnswer(id, str(target["title"]), outcome, tuple(reasons))


def _placing(target: dict[str, Any], placed: Placed) -> list[Reason]:
    """Why a target does not look at a place, or in which folder it must be started to do so."""
    roots = target["discovery"].get("roots")
    if roots is None:
        return []
    if (root := _root(target, placed.where)) is not None:
        return _started(target, root)
    stated = target["discovery"].get("depth", {"is": 0, "at": roots["at"]})
    if (root := _root(target, placed.where, any_depth=True)) is not None:
        levels = "1 level" if stated["is"] == 1 else f"{stated['is']} levels"
        text = f"SKILL.md is {root.below} levels below {root.path}; it looks only {levels} below"
        fix = "move the folder up"
        if not root.below:
            text = f"SKILL.md is directly in {root.path}; it looks in the folders below it"
            fix = "move the skill into a folder of its own there"
        return [Reason(NOT_FOUND, text, fix, None, stated["at"])]
    text = f"it only looks in {', '.join(roots['is'])}"
    return [Reason(NOT_FOUND, text, "", None, roots["at"])]


def _linked(target: dict[str, Any], skill: Skill) -> list[Reason]:
    """SKILL.md as a symbolic link that the target does not follow."""
    stated = target["discovery"].get("file-links")
    if stated is None or stated["is"] or skill.markdown is None:
        return []
    if skill.tree.kind(skill.markdown.source.path) != "link":
        return []
    text, fix = "SKILL.md is a symbolic link", "link the folder instead"
    return [Reason(NOT_FOUND, text, fix, None, stated["at"])]


class _Root(NamedTuple):
    """The root that contains a place: its index, and how many folders the place is below it."""

    rank: int
    below: int
    path: str
    above: str  # The folder that the root is in: "" for the project's.


def _rank(target: dict[str, Any], where: str) -> int | None:
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
                found = _Root(rank, below, "/".join(above), "/".join(above[: -len(wanted)]))
                best = min(best or found, found)
    return best


def _started(target: dict[str, Any], root: _Root) -> list[Reason]:
    """In which folder a target must be started to search a root of a project."""
    stated = target["discovery"].get("parents")
    if stated is None or root.above == "~" or (stated["is"] and not root.above):
        return []
    below = " or below" if stated["is"] else ", not below"
    text = f"only when it is started in {root.above or 'the folder of the project'}{below}"
    if "nested" in target["discovery"]:
        text += ", or after it used a file there"
    return [Reason("loads", text, "", None, stated["at"])]


def _of_plugin(
    target: dict[str, Any], skill: Skill, plugin: PluginSkill | None, in_place: str
) -> Reason | None:
    """How a target finds a skill in the folder of a plugin, or why it does not."""
    stated = target["discovery"].get("plugins")
    if stated is None or plugin is None:
        return None
    if not plugin.found:
        text = f"the plugin {plugin.plugin} does not contain this folder: it is not skills/NAME"
        return Reason(
            NOT_FOUND,
            text,
            "list it under skills in plugin.json or marketplace.json",
            None,
            stated["at"],
        )
    name = next(iter(stated_names(skill)), skill.name)
    text = f"as /{plugin.plugin}:{name}, a skill of the plugin {plugin.plugin}"
    fix = "no marketplace lists the plugin: start it with --plugin-dir and the plugin's folder"
    if _rank(target, in_place) is not None:
        fix = "the plugin loads from this place without an installation"
    elif plugin.listed:
        fix = f"run /plugin marketplace add REPOSITORY, then /plugin install {plugin.listed}"
    return Reason("loads", text, fix, None, stated["at"])


def _shadowed(
    target: dict[str, Any], placed: Placed, siblings: list[Placed], known: Readings
) -> Reason | None:
    """The skill of the same name that the target uses instead."""
    discovery, reading = target["discovery"], target.get("reading")
    stated, own = discovery.get("same-name"), _rank(target, placed.where)
    if "roots" not in discovery or stated is None or stated["is"] == "both" or own is None:
        return None

    def name(skill: Skill, known: Readings) -> str:
        if reading is None:
            return skill.name
        found = read_as(skill, reading["opening"]["is"], reading["yaml"]["is"], known)
        named = found.text("name") if isinstance(found, FrontmatterReading) else None
        return (named or "").strip() or skill.name

    for other in siblings:
        rank = _rank(target, other.where)
        if rank is None or (rank, other.where) > (own, placed.where):
            continue
        if name(other.skill, {}) == name(placed.skill, known):
            text = f"the skill in {other.where} has the same name and takes precedence"
            return Reason("dropped", text, "rename one of the two", None, stated["at"])
    return None


def project_of(folder: str, home: str) -> str | None:
    """The root of the project that contains a folder: its repository, else the parent of a client's
    folder above it. None for the user's own folders and in all other cases."""
    at = folder
    while at != home and os.path.dirname(at) != at:
        if os.path.exists(os.path.join(at, ".git")):
            return at
        at = os.path.dirname(at)
    parts = folder.split(os.sep)
    for wanted in _client_folders():
        size = len(wanted)
        for start in range(1, len(parts) - size + 1):
            root = os.sep.join(parts[:start])
            if parts[start : start + size] == wanted and root != home:
                return root
    return None


def where_is(folder: str, home: str) -> str:
    """A folder relative to its project with `/`, starting with `~/` if it is the user's."""
    root = project_of(folder, home)
    if root is not None:
        return os.path.relpath(folder, root).replace(os.sep, "/")
    if folder.startswith(home + os.sep):
        return "~/" + os.path.relpath(folder, home).replace(os.sep, "/")
    return os.path.basename(folder)


def neighbours(folder: str, home: str) -> list[Placed]:
    """The skills in the folders that clients search, in the project and in the home folder."""
    root = project_of(folder, home)
    found: dict[str, Placed] = {}
    for wanted in _client_folders():
        for above, shown in ((root, ""), (home, "~/")):
            if above is None:
                continue
            inside = "/".join(wanted)
            tree = DiskTree(os.path.join(above, *wanted))
            for path in islice((*find_skills(tree), *_linked_folders(tree.path(""))), MOST_SKILLS):
                disk = tree.path(path)
                try:
                    skill = locate(DiskTree(disk)).skill
                except OSError:
                    # A skill that cannot be listed does not shadow another.
                    continue
                where = f"{shown}{inside}/{path}".rstrip("/")
                found.setdefault(where, Placed(where, skill, os.path.realpath(disk)))
    return list(found.values())


def _linked_folders(root: str) -> list[str]:
    """The names of the symbolic links to folders in a folder."""
    try:
        with os.scandir(root) as entries:
            return sorted(each.name for each in entries if each.is_symlink() and each.is_dir())
    except OSError:
        return []


def _client_folders() -> list[list[str]]:
    """The roots of all targets, without their `~/`, each once."""
    names = {
        root.removeprefix("~/")
        for target in targets().values()
        for root in target["discovery"].get("roots", {"is": ()})["is"]
    }
    return [name.split("/") for name in sorted(names)]
