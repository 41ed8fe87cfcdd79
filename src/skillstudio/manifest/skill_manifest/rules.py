"""Rules of skill-manifest-2.0 and router-manifest-1 that their schemas cannot express."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillstudio.manifest.branches import judge
from skillstudio.manifest.dialect import Ask, Manifest, Skill
from skillstudio.manifest.finding import at_value
from skillstudio.manifest.secrets import secret_findings
from skillstudio.manifest.skill_manifest.blocks import check_blocks, reread_as_yaml
from skillstudio.manifest.skill_manifest.operations import (
    check_commands,
    check_parameters,
    check_placeholders,
    check_unused,
)
from skillstudio.manifest.skill_manifest.options import check_options
from skillstudio.manifest.values import mapping, members, strings, text
from skillstudio.text.diagnostic import Diagnostic, Fix, Set
from skillstudio.text.node import Document, Sequence
from skillstudio.text.versions import is_semver

ROUTER = "router-manifest-1"

_CAPABILITY = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+")
_SHORT_VERSION = re.compile(r"v?((?:0|[1-9][0-9]*)(?:\.(?:0|[1-9][0-9]*)){0,2})")


def check(manifest: Manifest, skill: Skill) -> Iterator[Diagnostic]:
    document = manifest.document
    yield from secret_findings(document)
    yield from _identity(document, skill)
    if manifest.dialect.id == ROUTER:
        message = "the predecessor of Skill Manifest v2; migrate it with `skillstudio migrate`"
        yield Diagnostic("router-manifest-old", message, document.opening_line)
        for where, _, entrypoints in members(document.value, "entrypoints"):
            commands = mapping(entrypoints)
            yield from check_commands(document, skill.tree, where, commands)
            yield from check_placeholders(document, where, commands, None)
        return
    yield from _capabilities(document)
    for above, name, operation in members(document.value, "operations"):
        if not operation:
            continue
        where = f"{above}/entrypoints"
        commands = mapping(operation, "entrypoints")
        yield from check_parameters(document, name)
        if "agent" in commands:
            yield from _agent(manifest, where)
        yield from check_commands(document, skill.tree, where, commands)
        yield from check_placeholders(document, where, commands, mapping(operation, "input"))
        yield from check_unused(document, name)
        yield from check_options(document, skill.tree, where, commands)


locate_checks = check_blocks
reread = reread_as_yaml


def asks(manifest: Manifest) -> Iterator[Ask]:
    """Requests for the policy: effects, capabilities, and the programs of commands."""
    value = manifest.document.value
    for where, effect in strings(value, "effects"):
        yield Ask("effect", effect, where)
    for where, capability in strings(value, "capabilities"):
        yield Ask("capability", capability, where)
    if manifest.dialect.id == ROUTER:
        commands = [(where, mapping(entry)) for where, _, entry in members(value, "entrypoints")]
    else:
        commands = [
            (f"{where}/entrypoints", mapping(operation, "entrypoints"))
            for where, _, operation in members(value, "operations")
        ]
    for where, entrypoints in commands:
        for key, argv in entrypoints.items():
            if isinstance(argv, list) and argv and isinstance(argv[0], str):
                yield Ask("command", argv[0], f"{where}/{key}/0")


def _identity(document: Document, skill: Skill) -> Iterator[Diagnostic]:
    id_ = text(document.value, "id")
    if id_ and skill.name and id_ != skill.name:
        message = f"the id must match the name of the skill's folder, {skill.name}"
        fixes = (Fix(f"Change it to {skill.name}", (Set("/id", skill.name),)),)
        yield at_value(document, "/id", "id-folder", message, fixes)
    version = text(document.value, "version")
    if version is not None and not is_semver(version):
        message = "a version must have three numbers, such as 1.0.0 (Semantic Versioning)"
        yield at_value(document, "/version", "version-not-semver", message, _three_numbers(version))


def _three_numbers(version: str) -> tuple[Fix, ...]:
    match = _SHORT_VERSION.fullmatch(version.strip())
    if match is None:
        return ()
    full = ".".join([*match[1].split("."), "0", "0"][:3])
    return (Fix(f"Change it to {full}", (Set("/version", full),)),)


def _capabilities(document: Document) -> Iterator[Diagnostic]:
    for where, capability in strings(document.value, "capabilities"):
        if capability and not _CAPABILITY.fullmatch(capability):
            message = "use the form domain-verb, such as memory-search"
            yield at_value(document, where, "capability-form", message)


def _agent(manifest: Manifest, where: str) -> Iterator[Diagnostic]:
    """`agent` is a text or a list of arguments; the schema allows both."""
    at = f"{where}/agent"
    shape = "argv" if isinstance(manifest.document.at(at), Sequence) else "procedure"
    yield from judge(manifest, at, shape)
