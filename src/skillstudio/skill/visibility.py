"""Explain, client by client, why an agent does not see a skill."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.frontmatter_readings import (
    FrontmatterReading,
    Readings,
    UnreadableFrontmatter,
    read_as,
)
from skillstudio.manifest.locate import locate
from skillstudio.manifest.targets import judge
from skillstudio.manifest.values import dig
from skillstudio.resources import toml_table
from skillstudio.skill.discover import find_skills
from skillstudio.text.source import Span

MOST_SKILLS = 500  # Maximum number of skills per folder.


class Obstacle(NamedTuple):
    """The failure of one step, and its span in SKILL.md."""

    step: str  # `found`, `parsed`, `listed` or `loaded`.
    reason: str
    span: Span | None = None


class ClientAnswer(NamedTuple):
    """The steps that succeed for a client. Each step is checked as if the previous ones had
    succeeded, so that all obstacles are known at once."""

    client: str
    title: str
    found: bool
    parsed: bool
    listed: bool
    loaded: bool  # Whether the agent loads the skill automatically; requires all previous steps.
    obstacles: tuple[Obstacle, ...] = ()


class Placed(NamedTuple):
    """A skill and its folder: relative to the project with `/`, or starting with `~/`."""

    where: str
    skill: Skill


def clients() -> dict[str, dict[str, Any]]:
    """The tables of `clients.toml` by the client's id."""
    return toml_table(__file__, "clients.toml")


def explain_visibility(
    skill: Skill, where: str, siblings: Sequence[Placed] = (), known: Readings | None = None
) -> list[ClientAnswer]:
    """What each client does with a skill at `where`, given the others that it may find."""
    placed = Placed(where, skill)
    others = [each for each in siblings if each.where != where]
    known = {} if known is None else known
    return [_answer(id, client, placed, others, known) for id, client in clients().items()]


def _answer(
    id: str, client: dict[str, Any], placed: Placed, siblings: list[Placed], known: Readings
) -> ClientAnswer:
    reading = read_as(placed.skill, client["opening"], client["yaml"], known)
    obstacles = [*_found(client, placed)]
    if isinstance(reading, UnreadableFrontmatter) and placed.skill.markdown is not None:
        obstacles.append(Obstacle("parsed", reading.reason, reading.span))
    if isinstance(reading, FrontmatterReading):
        obstacles += _listed(client, placed, reading, siblings, known)
        obstacles += _by_hand(client, placed.skill, reading)
    stopped = {obstacle.step for obstacle in obstacles}
    parsed = "parsed" not in stopped
    return ClientAnswer(
        id,
        str(client["title"]),
        "found" not in stopped,
        parsed,
        parsed and "listed" not in stopped,
        not stopped,
        tuple(obstacles),
    )


def _found(client: dict[str, Any], placed: Placed) -> Iterator[Obstacle]:
    markdown = placed.skill.markdown
    if markdown is None:
        yield Obstacle("found", "no readable SKILL.md")
        return
    file = markdown.source.path
    if file not in client["files"]:
        yield Obstacle("found", f"the file is named {file}, not SKILL.md")
    folders = client.get("folders")
    if folders is not None and _rank(client, placed.where) is None:
        yield Obstacle("found", f"it only looks in {', '.join(folders)}")


def _rank(client: dict[str, Any], where: str) -> int | None:
    """The index of the client's folder that contains a place; 0 for a client without folders."""
    parts = [part for part in where.replace("\\", "/").split("/") if part not in ("", ".")]
    home = parts[:1] == ["~"]
    best: tuple[int, int] | None = None
    for rank, folder in enumerate(client.get("folders", ())):
        wanted = folder.removeprefix("~/").split("/")
        for below in range(1, len(parts)):
            above = parts[: len(parts) - below]
            if above[-len(wanted) :] != wanted or (client["depth"] and below > client["depth"]):
                continue
            # A folder below the home folder is only the user's own if it is directly below it.
            own = home and len(above) == len(wanted) + 1
            if own != folder.startswith("~/"):
                continue
            best = min(best or (rank, below), (rank, below))
    if "folders" not in client:
        return 0
    return best[0] if best else None


def _listed(
    client: dict[str, Any],
    placed: Placed,
    reading: FrontmatterReading,
    siblings: list[Placed],
    known: Readings,
) -> Iterator[Obstacle]:
    for key in client["needs"]:
        if key not in reading.keys:
            yield Obstacle("listed", f"the required key {key} is missing", reading.span("", False))
        elif not (reading.text(key) or "").strip():
            yield Obstacle("listed", f"the {key} is not a string", reading.span(key, False))
    name = _name(placed.skill, reading)
    if client.get("folder-name") and name != placed.skill.name:
        span = reading.span("name", False)
        yield Obstacle("listed", "the name differs from the folder name", span)
    for flag in client.get("hidden", ()):
        if _has_flag(placed.skill, flag):
            span = reading.span(flag["key"].replace(".", "/"), False)
            yield Obstacle("listed", f"{flag['key']} hides it", span)
    if "target" in client:
        verdict = judge(placed.skill, known)[client["target"]]
        if not verdict.accepted:
            yield Obstacle("listed", f"it rejects the skill: {verdict.reason}", verdict.span)
    if client["same-name"] == "first":
        yield from _shadowed(client, placed, name, siblings)


def _shadowed(
    client: dict[str, Any], placed: Placed, name: str, siblings: list[Placed]
) -> Iterator[Obstacle]:
    own = _rank(client, placed.where)
    if own is None or "folders" not in client:
        return
    for other in sorted(siblings, key=lambda each: each.where):
        rank = _rank(client, other.where)
        if rank is None or (rank, other.where) > (own, placed.where):
            continue
        reading = read_as(other.skill, client["opening"], client["yaml"], {})
        if isinstance(reading, FrontmatterReading) and _name(other.skill, reading) == name:
            reason = f"the skill in {other.where} has the same name and takes precedence"
            yield Obstacle("listed", reason)
            return


def _by_hand(
    client: dict[str, Any], skill: Skill, reading: FrontmatterReading
) -> Iterator[Obstacle]:
    for flag in client.get("by-hand", ()):
        if _has_flag(skill, flag):
            span = reading.span(flag["key"], False)
            yield Obstacle("loaded", f"{flag['key']}: only users can start it, by name", span)


def _name(skill: Skill, reading: FrontmatterReading) -> str:
    return (reading.text("name") or "").strip() or skill.name


def _has_flag(skill: Skill, flag: dict[str, Any]) -> bool:
    for manifest in skill.manifests:
        if manifest.dialect.carrier == "frontmatter":
            value = dig(manifest.document.value, *flag["key"].split("."))
            return value is flag["value"] or str(value).lower() == str(flag["value"]).lower()
    return False


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
            for path in islice(find_skills(tree), MOST_SKILLS):
                try:
                    skill = locate(DiskTree(tree.path(path))).skill
                except OSError:
                    # A skill that cannot be listed does not shadow another.
                    continue
                where = f"{shown}{inside}/{path}".rstrip("/")
                found.setdefault(where, Placed(where, skill))
    return list(found.values())


def _client_folders() -> list[list[str]]:
    """The folders that any client searches, without their `~/`, each once."""
    names = {
        folder.removeprefix("~/")
        for client in clients().values()
        for folder in client.get("folders", ())
    }
    return [name.split("/") for name in sorted(names)]
