"""Summarize a skill for agents, marketplaces and installers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from skillstudio.files.kind import HEAD, kind_of
from skillstudio.files.tree import FileTree
from skillstudio.interface.model import Interface, VersionRange
from skillstudio.interface.wording import masked
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.project import project
from skillstudio.manifest.secrets import looks_like_secret
from skillstudio.preview.card.permissions import LastRun, PermissionCard, permission_card
from skillstudio.preview.tokens import HOW, estimate_tokens
from skillstudio.text.source import decode

_LARGEST = 1 << 20  # Bytes of a file that are read for its kind and tokens.
_VALUE = 2_000


class Travelling(NamedTuple):
    """A file of the skill."""

    path: str
    size: int
    kind: str
    tokens: int | None  # Estimated tokens; None for binary or too large files.


class LeftBehind(NamedTuple):
    """An excluded file or folder, and why."""

    path: str
    reason: str


class Travels(NamedTuple):
    """The content of an archive of the skill."""

    paths: tuple[str, ...] = ()
    left: tuple[LeftBehind, ...] = ()
    refused: tuple[str, ...] = ()  # Why the skill cannot be packed.


class Feature(NamedTuple):
    """An option that an installer offers."""

    name: str
    description: str
    default: bool


class Suggestion(NamedTuple):
    """Another skill that an installer suggests."""

    skill: str
    why: str


class CardDependency(NamedTuple):
    """A skill that is installed as a dependency."""

    skill: str
    versions: str
    optional: bool


class SkillCard(NamedTuple):
    """The summary of one skill."""

    name: str
    version: str
    description: str
    license: str
    dialects: tuple[str, ...]
    fields: tuple[tuple[str, str], ...]  # Top-level keys and values of the manifest, in order.
    listing: str  # The text that is always in an agent's context.
    listing_tokens: int
    body_path: str  # The file that is loaded on activation, or "".
    body: str
    body_tokens: int
    files: tuple[Travelling, ...]
    left: tuple[LeftBehind, ...]
    refused: tuple[str, ...]
    features: tuple[Feature, ...]
    suggestions: tuple[Suggestion, ...]
    dependencies: tuple[CardDependency, ...]
    permissions: PermissionCard
    how_tokens: str = HOW


def skill_card(skill: Skill, travels: Travels, last: LastRun | None = None) -> SkillCard:
    """Summarize a skill. Unreadable facts of a file are omitted."""
    interface = project(skill)
    markdown = skill.markdown
    body = markdown.source.text[markdown.body.start : markdown.body.end] if markdown else ""
    listing = f"{interface.name}: {interface.description}"
    return SkillCard(
        interface.name,
        interface.version,
        interface.description,
        interface.license,
        interface.dialects,
        tuple(_fields(skill)),
        listing,
        estimate_tokens(listing),
        markdown.source.path if markdown else "",
        body,
        estimate_tokens(body),
        tuple(_travelling(skill.tree, each) for each in travels.paths),
        travels.left,
        travels.refused,
        tuple(_features(interface)),
        tuple(Suggestion(e.key, e.value) for e in interface.terms if e.name == "suggestion"),
        tuple(_dependencies(interface)),
        permission_card(skill, last),
    )


def _fields(skill: Skill) -> list[tuple[str, str]]:
    """The scalar top-level values of the first manifest, or of its table `skill`."""
    manifest = next((each for each in skill.manifests if each.part == "manifest"), None)
    if manifest is None:
        return []
    value = manifest.document.value
    inner = value.get("skill") if isinstance(value, dict) else None
    given = inner if isinstance(inner, dict) else value
    found: list[tuple[str, str]] = []
    for key, each in given.items() if isinstance(given, dict) else ():
        if isinstance(each, list) and all(isinstance(item, str) for item in each):
            found.append((str(key), ", ".join(each)))
        elif isinstance(each, bool):
            found.append((str(key), "true" if each else "false"))
        elif isinstance(each, str | int | float):
            found.append((str(key), str(each)))
    return [
        (key, masked(said) if looks_like_secret(said) else said[:_VALUE]) for key, said in found
    ]


def _travelling(tree: FileTree, path: str) -> Travelling:
    if tree.kind(path) == "link":
        return Travelling(path, 0, "link", None)
    try:
        size = tree.size(path)
        data = tree.read(path, _LARGEST)
    except OSError:
        # It was removed after it was listed.
        return Travelling(path, 0, "missing", None)
    kind = kind_of(path, data[:HEAD])
    readable = kind.is_text and size <= _LARGEST
    return Travelling(path, size, kind.name, estimate_tokens(decode(data)[0]) if readable else None)


def _features(interface: Interface) -> list[Feature]:
    stated: dict[tuple[str, str], object] = {
        (each.name, each.key): each.value for each in interface.terms
    }
    names: Sequence[str] = next((e.value for e in interface.terms if e.name == "feature"), ())
    return [
        Feature(
            name,
            str(stated.get(("feature-description", name), "")),
            stated.get(("feature-default", name)) is not False,
        )
        for name in names
    ]


def _dependencies(interface: Interface) -> list[CardDependency]:
    ranges = {
        each.key: each.value.text
        for each in interface.terms
        if each.name == "dependency-range" and isinstance(each.value, VersionRange)
    }
    return [
        CardDependency(each.key, ranges.get(each.key, ""), each.shown == "optional")
        for each in interface.terms
        if each.name == "dependency" and each.key
    ]
