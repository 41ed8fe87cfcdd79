"""Protos: YAML documents that refer to skills and set their inputs.

Every `skill:` in the document is a reference: a name, or a mapping with `id` and a pin. The
`inputs:` next to it map the skill's inputs to values. A name alone is not pinned: any version is
used. A pin requires a content hash or a minimum version (ADR-003, "Proto Reference Modes").
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from skillstudio.files.disk import DiskTree
from skillstudio.files.paths import normalise
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.hook_values import BindingProblem
from skillstudio.manifest.locate import read_file
from skillstudio.manifest.project import project
from skillstudio.manifest.registry import rules_of
from skillstudio.manifest.rulebook import severity_of
from skillstudio.skill.lookup import stated_version
from skillstudio.skill.pins.binding import UNKNOWN, check_inputs
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.nearest import did_you_mean
from skillstudio.text.node import Document, Entry, Mapping, Scalar, Sequence, resolve, to_value
from skillstudio.text.reading import read
from skillstudio.text.source import Source, Span
from skillstudio.text.versions import semver_key

MAX_REFERENCES = 10_000
SKILL_ROOT = "skill_root"
PINS = ("content_hash", "min_version")
HASH = re.compile(r"sha256:[0-9a-f]{64}")


class Reference(NamedTuple):
    """One `skill:` of a proto; `pin` has the unchecked `content_hash` and `min_version`."""

    id: str
    pin: dict[str, Any]
    inputs: dict[str, Any]
    pointer: str
    span: Span
    inputs_node: Mapping | None
    node: Mapping | None = None  # The mapping of a reference that may have a pin.

    def place(self, key: str) -> tuple[Span, str]:
        """The span of a pin's value, and its pointer."""
        entry = self.node.entry(key) if self.node is not None else None
        value = resolve(entry.value) if entry is not None else None
        if not isinstance(value, Scalar | Mapping | Sequence):
            return (entry.key.span if entry is not None else self.span), self.pointer
        return value.span, f"{self.pointer.removesuffix('/id')}/{key}"


def is_proto(path: str) -> bool:
    """Whether a file is a YAML document that names skills."""
    if not path.lower().endswith((".yaml", ".yml")) or not os.path.isfile(path):
        return False
    source = read_file(DiskTree(os.path.dirname(path) or "."), os.path.basename(path), [])
    return source is not None and "skill:" in source.text


def check_proto(
    source: Source,
    find_skill: Callable[[str], Skill | None],
    known_names: Collection[str] = (),
    here: Callable[[str], Iterable[BindingProblem]] | None = None,
) -> list[Diagnostic]:
    """The problems of a proto; `find_skill` finds a skill by name, `known_names` are names to
    suggest.

    `here` returns what the machine lacks for the skill with a name; None checks no machine.
    """
    from skillstudio.skill.hashing.content_hash import content_hash

    hashes: dict[int, tuple[Skill, str]] = {}

    def hash_of(skill: Skill) -> str:
        if id(skill) not in hashes:
            # The skill is stored, because another one could get its id.
            hashes[id(skill)] = (skill, content_hash(skill.tree))
        return hashes[id(skill)][1]

    document = read(source, "yaml", Span(0, len(source.text)))
    diagnostics = [
        Diagnostic(fault.rule, fault.message, Span(fault.start, fault.end), path=source.path)
        for fault in document.faults
    ]
    for reference in references(document):
        skill = find_skill(reference.id) if reference.id else None
        diagnostics += _check(reference, skill, known_names, source.path, hash_of)
        if here is not None and skill is not None:
            diagnostics += (
                _diagnostic(reference, problem, source.path) for problem in here(reference.id)
            )
    return diagnostics


def references(document: Document) -> Iterator[Reference]:
    """The references of a proto in the order of the text, with a limit."""
    candidates = (
        _reference(entry, node, pointer)
        for pointer, node in document.walk()
        if isinstance(node, Mapping) and (entry := node.entry("skill"))
    )
    yield from islice(filter(None, candidates), MAX_REFERENCES)


def _reference(entry: Entry, parent: Mapping, pointer: str) -> Reference | None:
    node = resolve(entry.value)
    inputs = resolve(parent.get("inputs"))
    input_values = to_value(inputs) if isinstance(inputs, Mapping) else {}
    inputs_node = inputs if isinstance(inputs, Mapping) else None
    if isinstance(node, Scalar) and isinstance(node.value, str) and node.value:
        return Reference(node.value, {}, input_values, f"{pointer}/skill", node.span, inputs_node)
    if not isinstance(node, Mapping):
        return None
    value = to_value(node)
    pin = {key: value[key] for key in PINS if key in value}
    id = resolve(node.get("id"))
    if isinstance(id, Scalar) and isinstance(id.value, str) and id.value:
        return Reference(
            id.value, pin, input_values, f"{pointer}/skill/id", id.span, inputs_node, node
        )
    return (
        Reference("", pin, input_values, f"{pointer}/skill", entry.key.span, inputs_node, node)
        if pin
        else None
    )


def _check(
    reference: Reference,
    skill: Skill | None,
    known_names: Collection[str],
    path: str,
    hash_of: Callable[[Skill], str],
) -> Iterator[Diagnostic]:
    if skill is None:
        message, at = missing(reference, known_names), reference.span
        yield Diagnostic("binding-skill-missing", message, at, reference.pointer, path=path)
        return
    yield from check_pin(reference, skill, path, hash_of)
    manifests = [manifest for manifest in skill.manifests if manifest.part == "manifest"]
    refusals = [refusal for manifest in manifests if (refusal := _find_refusal(manifest, skill))]
    for diagnostic in refusals:
        yield diagnostic._replace(
            message=f"{reference.id}: {diagnostic.message}",
            span=reference.span,
            pointer=reference.pointer,
            path=path,
            fixes=(),
        )
    if not refusals:
        # A skill without operations takes what it is given.
        for problem in check_inputs(skill, reference.inputs):
            yield _diagnostic(reference, problem, path)
    for requirement in project(skill).requirements:
        if requirement.kind == "file" and requirement.base in ("", SKILL_ROOT):
            inside = normalise(requirement.name)
            if inside and skill.tree.kind(inside) is None:
                problem = BindingProblem(
                    "binding-file-missing",
                    f"the skill has no file {requirement.name}",
                    requirement.name,
                )
                yield _diagnostic(reference, problem, path)


def _find_refusal(manifest: Manifest, skill: Skill) -> Diagnostic | None:
    """Why the version of a manifest's format is not supported; None if it is."""
    gate = getattr(rules_of(manifest.dialect), "gate", None)
    diagnostics: Iterable[Diagnostic] = gate(manifest, skill) if gate is not None else ()
    folder = manifest.dialect.folder
    return next(
        (
            diagnostic
            for diagnostic in diagnostics
            if severity_of(diagnostic.rule, folder) == "error"
        ),
        None,
    )


def _diagnostic(reference: Reference, problem: BindingProblem, path: str) -> Diagnostic:
    message = f"{reference.id}: {problem.message}"
    at = _place(reference, problem)
    return Diagnostic(problem.rule, message, at, reference.pointer, path=path)


def missing(reference: Reference, known_names: Collection[str]) -> str:
    """The message for a reference whose skill is not in the workspace."""
    if not reference.id:
        return "the reference has a pin but no id; add the skill's id"
    advice = did_you_mean(reference.id, known_names, quote='"')
    return f"no skill in the workspace is named {reference.id}{advice}"


def check_pin(
    reference: Reference, skill: Skill, path: str, hash_of: Callable[[Skill], str]
) -> Iterator[Diagnostic]:
    """The problems of a reference's pin. `hash_of` may raise HashRefused."""
    for entry in reference.node.entries if reference.node is not None else ():
        if entry.name not in ("id", *PINS):
            advice = did_you_mean(entry.name, PINS, quote='"')
            message = f"unknown key {entry.name}; use id, content_hash or min_version{advice}"
            at = entry.key.span
            yield Diagnostic("binding-pin-unknown", message, at, reference.pointer, path=path)
    problems = {
        "content_hash": _hash_problem(reference, skill, hash_of),
        "min_version": _version_problem(reference, skill),
    }
    for key, problem in problems.items():
        if problem is not None:
            span, pointer = reference.place(key)
            yield Diagnostic(*problem, span, pointer, path=path)


def _hash_problem(
    reference: Reference, skill: Skill, hash_of: Callable[[Skill], str]
) -> tuple[str, str] | None:
    from skillstudio.skill.hashing.content_hash import HashRefused

    if "content_hash" not in reference.pin:
        return None
    pinned_hash = reference.pin["content_hash"]
    if not isinstance(pinned_hash, str) or HASH.fullmatch(pinned_hash) is None:
        value_text = pinned_hash if isinstance(pinned_hash, str) else "this value"
        return (
            "binding-hash-malformed",
            f"{value_text} is not sha256: followed by 64 lowercase hex digits",
        )
    try:
        actual_hash = hash_of(skill)
    except HashRefused as error:
        return "binding-hash-mismatch", f"cannot check the pin of {reference.id}: {error}"
    if actual_hash == pinned_hash:
        return None
    message = f"{reference.id} has the content hash {actual_hash}, but is pinned to {pinned_hash}"
    return "binding-hash-mismatch", message


def _version_problem(reference: Reference, skill: Skill) -> tuple[str, str] | None:
    if "min_version" not in reference.pin:
        return None
    min_version = reference.pin["min_version"]
    least = semver_key(min_version) if isinstance(min_version, str) else None
    if least is None:
        value_text = f" {min_version}" if isinstance(min_version, str | int | float) else ""
        message = f'min_version{value_text} is not a quoted semantic version; write it as "1.0.0"'
        return "binding-version-malformed", message
    version = stated_version(skill).version
    version_key = semver_key(version)
    if not version:
        message = f"{reference.id} declares no version; min_version is {min_version}"
    elif version_key is None:
        message = (
            f"{reference.id} {version} is not a semantic version; min_version is {min_version}"
        )
    elif version_key < least:
        message = f"{reference.id} {version} is below min_version {min_version}"
    else:
        return None
    return "binding-version-low", message


def _place(reference: Reference, problem: BindingProblem) -> Span:
    """The span of an input's value or, if its name is wrong, its key."""
    node = reference.inputs_node
    entry = node.entry(problem.subject) if node is not None and problem.subject else None
    if entry is None:
        return reference.span
    value = resolve(entry.value)
    if problem.rule == UNKNOWN or not isinstance(value, Scalar | Mapping | Sequence):
        return entry.key.span
    return entry.value.span
