"""Protos: YAML documents that name skills and say what to give them.

Every `skill:` in the document is a reference: a name, or a mapping with `id` and a pin. The
`inputs:` beside it map the skill's inputs to values.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any, NamedTuple

from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.frontmatter.binding import Problem, check_binding
from skillstudio.manifest.versions import semver_key
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.nearest import nearest
from skillstudio.text.node import Document, Entry, Mapping, Scalar, Sequence, resolve, to_value
from skillstudio.text.reading import read
from skillstudio.text.source import Source, Span

MAX_REFERENCES = 10_000


class Reference(NamedTuple):
    """One `skill:` of a proto; `pin` holds its `content_hash` and `min_version`."""

    id: str
    pin: dict[str, str]
    inputs: dict[str, Any]
    pointer: str
    span: Span
    """Where the skill's name stands."""
    inputs_node: Mapping | None


def check_proto(
    source: Source,
    find_skill: Callable[[str], Skill | None],
    known: Collection[str] = (),
    env: Collection[str] | None = None,
) -> list[Diagnostic]:
    """Everything wrong with a proto: its YAML, and each binding to a skill of the workspace.

    `find_skill` gives the skill of a name; `known` are the names that might have been meant.
    """
    document = read(source, "yaml", Span(0, len(source.text)))
    found = [
        Diagnostic(fault.rule, fault.message, Span(fault.start, fault.end), path=source.path)
        for fault in document.faults
    ]
    for reference in references(document):
        found += _check(reference, find_skill(reference.id), known, env, source.path)
    return found


def references(document: Document) -> Iterator[Reference]:
    """The references of a proto, in the order of the text."""
    count = 0
    for pointer, node in document.walk():
        if not isinstance(node, Mapping):
            continue
        entry = node.entry("skill")
        reference = _reference(entry, node, pointer) if entry else None
        if reference is not None:
            count += 1
            if count > MAX_REFERENCES:
                return
            yield reference


def _reference(entry: Entry, parent: Mapping, pointer: str) -> Reference | None:
    node = resolve(entry.value)
    inputs = resolve(parent.get("inputs"))
    given = to_value(inputs) if isinstance(inputs, Mapping) else {}
    found = inputs if isinstance(inputs, Mapping) else None
    if isinstance(node, Scalar) and isinstance(node.value, str) and node.value:
        return Reference(node.value, {}, given, f"{pointer}/skill", node.span, found)
    id = resolve(node.get("id")) if isinstance(node, Mapping) else None
    if not isinstance(id, Scalar) or not isinstance(id.value, str) or not isinstance(node, Mapping):
        return None
    value = to_value(node)
    pin = {
        key: value[key]
        for key in ("content_hash", "min_version")
        if isinstance(value.get(key), str)
    }
    return Reference(id.value, pin, given, f"{pointer}/skill/id", id.span, found)


def _check(
    reference: Reference,
    skill: Skill | None,
    known: Collection[str],
    env: Collection[str] | None,
    path: str,
) -> Iterator[Diagnostic]:
    if skill is None:
        close = nearest(reference.id, known)
        advice = f'; did you mean "{close}"?' if close else ""
        message = f"no skill of the workspace is called {reference.id}{advice}"
        yield Diagnostic(
            "binding-skill-missing", message, reference.span, reference.pointer, path=path
        )
        return
    manifest = skill.of("frontmatter-1.0") or skill.of("agent-skills")
    value = manifest.document.value if manifest is not None else {}
    yield from _pinned(reference, value, path)
    if skill.of("frontmatter-1.0") is None:
        # A skill without a manifest takes what it is given.
        return
    for problem in check_binding(value, reference.inputs, env):
        yield Diagnostic(
            problem.rule,
            f"{reference.id}: {problem.message}",
            _place(reference, problem),
            reference.pointer,
            path=path,
        )


def _pinned(reference: Reference, value: Any, path: str) -> Iterator[Diagnostic]:
    wanted = reference.pin.get("min_version")
    if wanted is None:
        return
    least = semver_key(wanted)
    version = value.get("version") if isinstance(value, dict) else None
    own = semver_key(version) if isinstance(version, str) else None
    if least is None:
        message = f"min_version {wanted} is not a semantic version"
    elif own is None:
        message = f"{reference.id} has no version that min_version could be held against"
    elif own < least:
        message = f"{reference.id} has version {version}, which is below {wanted}"
    else:
        return
    yield Diagnostic("binding-version-low", message, reference.span, reference.pointer, path=path)


def _place(reference: Reference, problem: Problem) -> Span:
    """An input that is given at its value or, where its name is wrong, its key."""
    node = reference.inputs_node
    entry = node.entry(problem.subject) if node is not None and problem.subject else None
    if entry is None:
        return reference.span
    value = resolve(entry.value)
    if problem.rule == "binding-input-unknown" or not isinstance(
        value, Scalar | Mapping | Sequence
    ):
        return entry.key.span
    return entry.value.span
