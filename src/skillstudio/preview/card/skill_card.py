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
from skillstudio.interface.wording import mask_value
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
    programs: tuple[str, ...] = ()  # The programs of the run itself, which are not effects.
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


class PackedFile(NamedTuple):
    """A file of the skill."""

    path: str
    size: int
    kind: str
    tokens: int | None  # Estimated tokens; None for binary or too large files.


class Travels(NamedTuple):
    """The content of an archive of the skill."""

    paths: tuple[str, ...] = ()
    excluded_entries: tuple[tuple[str, str], ...] = ()  # Excluded files and folders, and why.
    refusals: tuple[str, ...] = ()  # Why the skill cannot be packed.


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
    files: tuple[PackedFile, ...]
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
        tuple(_describe_file(skill.tree, path) for path in travels.paths),
        travels.excluded_entries,
        travels.refusals,
        tuple(_features(interface)),
        tuple(
            Suggestion(term.key, term.value)
            for term in interface.terms
            if term.name == "suggestion"
        ),
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
    table = inner if isinstance(inner, dict) else value
    rows: list[tuple[str, str]] = []
    for key, field in table.items() if isinstance(table, dict) else ():
        if isinstance(field, list) and all(isinstance(item, str) for item in field):
            rows.append((str(key), ", ".join(field)))
        elif isinstance(field, bool):
            rows.append((str(key), "true" if field else "false"))
        elif isinstance(field, str | int | float):
            rows.append((str(key), str(field)))
    return [
        (key, mask_value(text) if looks_like_secret(text) else text[:_VALUE]) for key, text in rows
    ]


def _describe_file(tree: FileTree, path: str) -> PackedFile:
    if tree.kind(path) == "link":
        return PackedFile(path, 0, "link", None)
    try:
        size = tree.size(path)
        data = tree.read(path, _LARGEST)
    except OSError:
        # It was removed after it was listed.
        return PackedFile(path, 0, "missing", None)
    kind = kind_of(path, data[:HEAD])
    readable = kind.is_text and size <= _LARGEST
    return PackedFile(path, size, kind.name, estimate_tokens(decode(data)[0]) if readable else None)


def _features(interface: Interface) -> list[Feature]:
    term_values = {(term.name, term.key): term.value for term in interface.terms}
    names: Sequence[str] = next(
        (term.value for term in interface.terms if term.name == "feature"), ()
    )
    return [
        Feature(
            name,
            str(term_values.get(("feature-description", name), "")),
            term_values.get(("feature-default", name)) is not False,
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
    permissions = list(dict.fromkeys([*_judge_asks(skill), *_collect_facts(interface)]))
    if last is not None:
        permissions = [_with_use(permission, last) for permission in permissions]
    sets = [term.value for term in interface.permissions if term.comparer == "set"]
    blocked_commands = [item for value in sets if isinstance(value, tuple) for item in value]
    covered_effects = {effect for permission in permissions for effect in _effects(permission)}
    beyond = (
        used_effect._replace(evidence=used_effect.evidence[:_EVIDENCE])
        for used_effect in (last.effects if last is not None else ())
        if used_effect.seen and used_effect.effect not in covered_effects
    )
    policy = skill.settings.policy
    return PermissionCard(
        tuple(permissions),
        tuple(blocked_commands),
        (policy.path or "skillstudio.toml") if policy is not None else "",
        last.id if last is not None else "",
        tuple(beyond),
    )


def _judge_asks(skill: Skill) -> Iterator[Permission]:
    policy = skill.settings.policy
    for manifest in skill.manifests:
        rules = rules_of(manifest.dialect)
        if manifest.part != "manifest" or not hasattr(rules, "asks"):
            continue
        asks: Iterator[Ask] = rules.asks(manifest)
        for ask in asks:
            permission = Permission(ask.kind, ask.value, manifest.dialect.id, "no limit")
            decision = is_granted(ask, policy) if policy is not None else None
            if policy is not None and decision is not None:
                verdict: Verdict = "granted" if decision else "refused"
                permission = permission._replace(verdict=verdict, by=said_in(ask, policy))
            yield permission


def _collect_facts(interface: Interface) -> Iterator[Permission]:
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
        for operation_input in operation.inputs:
            if operation_input.sensitive:
                yield Permission("secret", operation_input.name, first, "no limit")
    if interface.execution is not None:
        for hint in _HINTS:
            if getattr(interface.execution, hint):
                yield Permission("hint", hint, first, "no limit")


def _with_use(permission: Permission, last: LastRun) -> Permission:
    effects = _effects(permission)
    if not effects:
        return permission
    observations = [effect for effect in last.effects if effect.effect in effects and effect.seen]
    lines = [
        line for effect in observations for line in effect.evidence if _is_of(permission, line)
    ]
    if permission.kind in ("effect", "capability", "hint"):
        use: Use = "used" if observations else "not seen"
    else:
        was_started = permission.kind == "command" and permission.value in last.programs
        use = "used" if lines or was_started else "not seen"
    if use == "not seen" and not last.traced:
        use = "not known"
    return permission._replace(use=use, evidence=tuple(lines[:_EVIDENCE]))


def _is_of(permission: Permission, line: str) -> bool:
    """Whether a line of evidence matches a permission."""
    if permission.value == "*" or permission.kind in ("effect", "capability", "hint"):
        return True
    words = line.split()
    if permission.kind == "command":
        # A line can have a verb before the program.
        return any(os.path.basename(word) == permission.value for word in words[:2])
    if permission.kind == "host":
        hosts = (_HOST.match(word) for word in words)
        return any(covers(permission.value, match[1], "host") for match in hosts if match)
    # Paths of a run are absolute; those of a manifest can be relative.
    tail = permission.value.removeprefix("./").removeprefix("~/").strip("/")
    return not tail or f"/{tail}/" in f"{line.rstrip('/')}/"


def _effects(permission: Permission) -> tuple[str, ...]:
    """The effects that show whether a permission is used."""
    if permission.kind == "effect":
        return (permission.value,)
    table = toml_table(__file__, "permissions.toml")
    capability = (
        table["capability"].get(permission.value) if permission.kind == "capability" else None
    )
    hint = table["hint"].get(permission.value) if permission.kind == "hint" else None
    return tuple(capability or hint or table["kind"].get(permission.kind, ()))
