"""Summarize a skill and its permissions for agents, marketplaces and installers."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from skillstudio.files.kind import HEAD, kind_of
from skillstudio.files.tree import FileTree
from skillstudio.interface.covering import covers
from skillstudio.interface.model import Interface, VersionRange
from skillstudio.interface.wording import masked
from skillstudio.manifest.dialect import Ask, Skill
from skillstudio.manifest.policy import is_granted, said_in
from skillstudio.manifest.project import project
from skillstudio.manifest.registry import rules_of
from skillstudio.manifest.secrets import looks_like_secret
from skillstudio.preview.tokens import HOW, estimate_tokens, listed_as
from skillstudio.resources import toml_table
from skillstudio.text.source import decode

_LARGEST = 1 << 20  # Bytes of a file that are read for its kind and tokens.
_VALUE = 2_000
Verdict = Literal["granted", "refused", "no limit"]
Use = Literal["used", "not seen", "not known"]

_HINTS = ("destructive", "network", "interactive")
_EVIDENCE = 3
_HOST = re.compile(r"^(?:[a-z]+://)?([^\s:/]+)")


class UsedEffect(NamedTuple):
    """An effect observed in a run."""

    effect: str  # The kind in the effects table, such as `proc.exec`.
    seen: bool
    evidence: tuple[str, ...] = ()  # Path, host or argv, one per line, optionally after a verb.
    is_fault: bool = True  # Whether the verdict of the run counts it as one.


class LastRun(NamedTuple):
    """A skill's last run."""

    id: str
    effects: tuple[UsedEffect, ...]
    started: tuple[str, ...] = ()  # The programs of the run itself, which are not effects.
    traced: bool = True
    """Whether program starts and reads were observable; otherwise absence means nothing."""


class Permission(NamedTuple):
    """A permission that a manifest requests."""

    kind: str
    """`effect`, `capability`, `command`, `host`, `path`, `variable`, `secret`, `tool` or `hint`."""
    value: str  # `*` means all of its kind.
    dialect: str
    verdict: Verdict
    by: str = ""  # The entry of the policy, with its position.
    use: Use = "not known"
    evidence: tuple[str, ...] = ()


class PermissionCard(NamedTuple):
    """All permissions that a skill requests."""

    permissions: tuple[Permission, ...]
    blocked: tuple[str, ...] = ()  # Commands that it declares as forbidden.
    policy: str = ""  # The policy file; "" if the workspace has none.
    run: str = ""  # The run that was compared, or "".
    beyond: tuple[UsedEffect, ...] = ()  # What the run used without requesting it.


class Travelling(NamedTuple):
    """A file of the skill."""

    path: str
    size: int
    kind: str
    tokens: int | None  # Estimated tokens; None for binary or too large files.


class Travels(NamedTuple):
    """The content of an archive of the skill."""

    paths: tuple[str, ...] = ()
    left: tuple[tuple[str, str], ...] = ()  # Excluded files and folders, and why.
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
    left: tuple[tuple[str, str], ...]
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
    listing = listed_as(interface.name, interface.description)
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
        tuple(_travelling(skill.tree, path) for path in travels.paths),
        travels.left,
        travels.refused,
        tuple(_features(interface)),
        tuple(Suggestion(e.key, e.value) for e in interface.terms if e.name == "suggestion"),
        tuple(_dependencies(interface)),
        permission_card(skill, last),
    )


def _fields(skill: Skill) -> list[tuple[str, str]]:
    """The scalar top-level values of the first manifest, or of its table `skill`."""
    manifest = next((manifest for manifest in skill.manifests if manifest.part == "manifest"), None)
    if manifest is None:
        return []
    value = manifest.document.value
    inner = value.get("skill") if isinstance(value, dict) else None
    given = inner if isinstance(inner, dict) else value
    found: list[tuple[str, str]] = []
    for key, field in given.items() if isinstance(given, dict) else ():
        if isinstance(field, list) and all(isinstance(item, str) for item in field):
            found.append((str(key), ", ".join(field)))
        elif isinstance(field, bool):
            found.append((str(key), "true" if field else "false"))
        elif isinstance(field, str | int | float):
            found.append((str(key), str(field)))
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
    stated = {(term.name, term.key): term.value for term in interface.terms}
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
        term.key: term.value.text
        for term in interface.terms
        if term.name == "dependency-range" and isinstance(term.value, VersionRange)
    }
    return [
        CardDependency(term.key, ranges.get(term.key, ""), term.shown == "optional")
        for term in interface.terms
        if term.name == "dependency" and term.key
    ]


def permission_card(skill: Skill, last: LastRun | None = None) -> PermissionCard:
    """The permissions in all manifests of a skill, each once, in manifest order."""
    interface = project(skill)
    found = list(dict.fromkeys([*_asked(skill), *_stated(interface)]))
    if last is not None:
        found = [_with_use(permission, last) for permission in found]
    sets = [term.value for term in interface.permissions if term.comparer == "set"]
    blocked = [item for value in sets if isinstance(value, tuple) for item in value]
    covered = {effect for permission in found for effect in _effects(permission)}
    beyond = (
        used_effect._replace(evidence=used_effect.evidence[:_EVIDENCE])
        for used_effect in (last.effects if last is not None else ())
        if used_effect.seen and used_effect.effect not in covered
    )
    policy = skill.settings.policy
    return PermissionCard(
        tuple(found),
        tuple(blocked),
        (policy.path or "skillstudio.toml") if policy is not None else "",
        last.id if last is not None else "",
        tuple(beyond),
    )


def _asked(skill: Skill) -> Iterator[Permission]:
    policy = skill.settings.policy
    for manifest in skill.manifests:
        rules = rules_of(manifest.dialect)
        if manifest.part != "manifest" or not hasattr(rules, "asks"):
            continue
        asks: Iterator[Ask] = rules.asks(manifest)
        for ask in asks:
            found = Permission(ask.kind, ask.value, manifest.dialect.id, "no limit")
            granted = is_granted(ask, policy) if policy is not None else None
            if policy is not None and granted is not None:
                verdict: Verdict = "granted" if granted else "refused"
                found = found._replace(verdict=verdict, by=said_in(ask, policy))
            yield found


def _stated(interface: Interface) -> Iterator[Permission]:
    """Facts that no policy covers but that matter to people."""
    first = interface.dialects[0] if interface.dialects else ""
    for term in interface.permissions:
        if term.name == "allowed-tools":
            uses = "" if term.value == ("*",) else f"({', '.join(term.value)})"
            yield Permission("tool", f"{term.key}{uses}", first, "no limit")
        if term.name == "env-read":
            for item in term.value:
                yield Permission("variable", item, first, "no limit")
    for variable in interface.env:
        yield Permission(
            "secret" if variable.sensitive else "variable", variable.name, first, "no limit"
        )
    for operation in interface.operations:
        for given in operation.inputs:
            if given.sensitive:
                yield Permission("secret", given.name, first, "no limit")
    if interface.execution is not None:
        for hint in _HINTS:
            if getattr(interface.execution, hint):
                yield Permission("hint", hint, first, "no limit")


def _with_use(asked: Permission, last: LastRun) -> Permission:
    effects = _effects(asked)
    if not effects:
        return asked
    seen = [effect for effect in last.effects if effect.effect in effects and effect.seen]
    lines = [line for effect in seen for line in effect.evidence if _is_of(asked, line)]
    if asked.kind in ("effect", "capability", "hint"):
        use: Use = "used" if seen else "not seen"
    else:
        begun = asked.kind == "command" and asked.value in last.started
        use = "used" if lines or begun else "not seen"
    if use == "not seen" and not last.traced:
        use = "not known"
    return asked._replace(use=use, evidence=tuple(lines[:_EVIDENCE]))


def _is_of(asked: Permission, line: str) -> bool:
    """Whether a line of evidence matches a permission."""
    if asked.value == "*" or asked.kind in ("effect", "capability", "hint"):
        return True
    words = line.split()
    if asked.kind == "command":
        # A line can have a verb before the program.
        return any(os.path.basename(word) == asked.value for word in words[:2])
    if asked.kind == "host":
        hosts = (_HOST.match(word) for word in words)
        return any(covers(asked.value, match[1], "host") for match in hosts if match)
    # Paths of a run are absolute; those of a manifest can be relative.
    tail = asked.value.removeprefix("./").removeprefix("~/").strip("/")
    return not tail or f"/{tail}/" in f"{line.rstrip('/')}/"


def _effects(asked: Permission) -> tuple[str, ...]:
    """The effects that show whether a permission is used."""
    if asked.kind == "effect":
        return (asked.value,)
    table = toml_table(__file__, "permissions.toml")
    named = table["capability"].get(asked.value) if asked.kind == "capability" else None
    hint = table["hint"].get(asked.value) if asked.kind == "hint" else None
    return tuple(named or hint or table["kind"].get(asked.kind, ()))
