"""Where clients find a skill, and its outcome at each target there."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import islice
from typing import Any, NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.frontmatter_readings import FrontmatterReading, Readings, read_as
from skillstudio.manifest.locate import locate
from skillstudio.manifest.targets import OUTCOMES, Reason, TargetOutcome, judge, targets
from skillstudio.skill.discover import find_skills

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


def explain_visibility(
    skill: Skill, where: str, siblings: Sequence[Placed] = (), real: str = ""
) -> list[TargetAnswer]:
    """The outcome of a skill at `where` at each target, given the others that it may find.

    A sibling with the same `real` folder is the skill itself, reached through a link.
    """
    links = [each.where for each in siblings if real and each.real == real]
    places = [Placed(each, skill) for each in dict.fromkeys((where, *sorted(links)))]
    others = [each for each in siblings if each.where not in (where, *links)]
    others.sort(key=lambda each: each.where)
    known: Readings = {}
    judged = judge(skill, known)
    return [
        _answer(id, target, judged.get(id), places, others, known)
        for id, target in targets().items()
    ]


def _answer(
    id: str,
    target: dict[str, Any],
    judged: TargetOutcome | None,
    places: list[Placed],
    siblings: list[Placed],
    known: Readings,
) -> TargetAnswer:
    placed = next((each for each in places if _rank(target, each.where) is not None), places[0])
    found = [*_misplaced(target, placed), *_linked(target, placed.skill)]
    outcome = NOT_RECORDED if judged is None else judged.outcome
    shadowed = None if found else _shadowed(target, placed, siblings, known)
    reasons = [*found, *(judged.reasons if judged else ())]
    if shadowed is not None:
        reasons.append(shadowed)
        if outcome != NOT_RECORDED:
            outcome = min(outcome, shadowed.outcome, key=OUTCOMES.index)
    outcome = NOT_FOUND if found else outcome
    return TargetAnswer(id, str(target["title"]), outcome, tuple(reasons))


def _misplaced(target: dict[str, Any], placed: Placed) -> list[Reason]:
    roots = target["discovery"].get("roots")
    if roots is None or _rank(target, placed.where) is not None:
        return []
    deepest = target["discovery"].get("depth", {}).get("is", 0)
    if deepest and _rank(target, placed.where, any_depth=True) is not None:
        levels = "1 level" if deepest == 1 else f"{deepest} levels"
        text, fix = f"the folder is too deep: it looks {levels} below its roots", "move it up"
        return [Reason(NOT_FOUND, text, fix, None, target["discovery"]["depth"]["at"])]
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


def _rank(target: dict[str, Any], where: str, any_depth: bool = False) -> int | None:
    """The index of the root that contains a place; 0 for a target without roots."""
    discovery = target["discovery"]
    if "roots" not in discovery:
        return 0
    deepest = 0 if any_depth else discovery.get("depth", {}).get("is", 0)
    parts = [part for part in where.replace("\\", "/").split("/") if part not in ("", ".")]
    home = parts[:1] == ["~"]
    best: tuple[int, int] | None = None
    for rank, root in enumerate(discovery["roots"]["is"]):
        wanted = root.removeprefix("~/").split("/")
        for below in range(1, len(parts)):
            above = parts[: len(parts) - below]
            if above[-len(wanted) :] != wanted or (deepest and below > deepest):
                continue
            # A folder below the home folder is only the user's own if it is directly below it.
            own = home and len(above) == len(wanted) + 1
            if own == root.startswith("~/"):
                best = min(best or (rank, below), (rank, below))
    return best[0] if best else None


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
        for start in range(1, len(parts) - size):
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
