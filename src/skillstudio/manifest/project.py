"""Project the manifests of a skill to one Interface, without their invalid parts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from itertools import chain
from typing import Any, TypeVar

from skillstudio.interface.model import ABSENT, Input, Interface, Operation, Term, token
from skillstudio.interface.wording import masked
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.installed import blaming
from skillstudio.manifest.places import Places
from skillstudio.manifest.registry import module_of
from skillstudio.manifest.secrets import looks_like_secret
from skillstudio.manifest.values import stated

T = TypeVar("T")


def project(skill: Skill) -> Interface:
    """The merged interface of a skill; the first declaration counts, credentials are masked."""
    return _masked(unmasked(skill), skill)


_latest: list[tuple[Skill, Interface]] = []
"""The last skill that was projected: a command asks for the same one several times."""


def unmasked(skill: Skill) -> Interface:
    """The same with unmasked values, for creating manifests without showing any value."""
    for known, interface in _latest:
        if known is skill:
            return interface
    interface = _unmasked(skill)
    _latest[:] = [(skill, interface)]
    return interface


def _unmasked(skill: Skill) -> Interface:
    found = [
        (manifest, _of(manifest, skill))
        for manifest in skill.manifests
        if manifest.part == "manifest"
    ]
    parts = [part for _, part in found]
    places = Places()
    version = _version([manifest for manifest, _ in found], places)
    for part in parts:
        if isinstance(part.places, Places):
            places.add(part.places)
    for manifest, part in found:
        if isinstance(part.places, Places):
            places.copy(f"/ids/{token(manifest.dialect.id)}", part.places, "/name")
    return Interface(
        name=_first(part.name for part in parts) or skill.name,
        version=version,
        ids={manifest.dialect.id: part.name for manifest, part in reversed(found) if part.name},
        description=_first(part.description for part in parts),
        license=_first(part.license for part in parts),
        metadata=_together(part.metadata for part in parts),
        dialects=tuple(dict.fromkeys(manifest.dialect.id for manifest, _ in found)),
        bare=tuple(
            dict.fromkeys(manifest.dialect.id for manifest, part in found if not part.declared)
        ),
        manifest_versions=_together(part.manifest_versions for part in parts),
        declared=any(part.declared for part in parts),
        operations=_operations(chain.from_iterable(part.operations for part in parts)),
        env=_unique((part.env for part in parts), lambda each: each.name),
        requirements=_unique((part.requirements for part in parts), lambda e: (e.kind, e.name)),
        execution=next((part.execution for part in parts if part.execution), None),
        sensitive=any(part.sensitive for part in parts),
        permissions=_unique((part.permissions for part in parts), _term_key),
        promises=_unique((part.promises for part in parts), _term_key),
        terms=_unique((part.terms for part in parts), _term_key),
        places=places,
    )


def _of(manifest: Manifest, skill: Skill) -> Interface:
    # Not by `hooks.hook`, whose values are made of interfaces.
    part = module_of(manifest.dialect, "project").project(manifest, skill)
    with blaming(manifest.dialect.distribution):
        if not isinstance(part, Interface):
            raise TypeError("project() returned no Interface")
    return part


def _version(manifests: Iterable[Manifest], places: Places) -> str:
    for manifest in manifests:
        pointer = manifest.place_of("version")
        version = stated(manifest.document, pointer) if pointer else ""
        if pointer and version:
            of_version = Places(manifest)
            of_version.key("/version", pointer)
            places.add(of_version)
            return version
    return ""


def _first(texts: Iterable[str]) -> str:
    return next((text for text in texts if text), "")


def _together(mappings: Iterable[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for mapping in mappings:
        for key, value in mapping.items():
            found.setdefault(key, value)
    return found


def _unique(groups: Iterable[tuple[T, ...]], key: Callable[[T], Hashable]) -> tuple[T, ...]:
    """The elements of all groups, the first of each key."""
    found: dict[Hashable, T] = {}
    for element in chain.from_iterable(groups):
        found.setdefault(key(element), element)
    return tuple(found.values())


def _term_key(term: Term) -> Hashable:
    return term.name, term.key


def _operations(operations: Iterable[Operation]) -> tuple[Operation, ...]:
    found: dict[str, Operation] = {}
    for operation in operations:
        held = found.get(operation.name)
        found[operation.name] = operation if held is None else _joined(held, operation)
    return tuple(found.values())


def _joined(one: Operation, other: Operation) -> Operation:
    return Operation(
        one.name,
        one.description or other.description,
        inputs=_unique((one.inputs, other.inputs), lambda each: each.name),
        outputs=_unique((one.outputs, other.outputs), lambda each: each.pattern),
        artifacts=_unique((one.artifacts, other.artifacts), lambda each: each.name),
        fields=_unique((one.fields, other.fields), lambda each: each.name),
        stdout=one.stdout or other.stdout,
        entrypoints=_unique((one.entrypoints, other.entrypoints), lambda each: each.platform),
        effects=tuple(dict.fromkeys((*one.effects, *other.effects))),
        terms=_unique((one.terms, other.terms), _term_key),
        declared=one.declared or other.declared,
    )


def _masked(interface: Interface, skill: Skill) -> Interface:

    def is_hidden(each: Input) -> bool:
        return each.default is not ABSENT and (each.sensitive or interface.sensitive)

    operations = tuple(
        operation._replace(
            inputs=tuple(
                input_._replace(default=masked(input_.default)) if is_hidden(input_) else input_
                for input_ in operation.inputs
            ),
        )
        if any(map(is_hidden, operation.inputs))
        else operation
        for operation in interface.operations
    )
    hidden = interface._replace(operations=operations)
    # Checking the whole text once avoids the walk for nearly every skill.
    texts = {id(manifest.document): manifest.document.source.text for manifest in skill.manifests}
    # An escape may hide any character.
    escapes = ("\\u", "\\U", "\\x")
    if any(looks_like_secret(t) or any(e in t for e in escapes) for t in texts.values()):
        bare = hidden._replace(places={})
        without: Interface = _without_secrets(bare)
        if without != bare:
            places = {_pointer(pointer): place for pointer, place in hidden.places.items()}
            return without._replace(places=places)
    return hidden


def _pointer(pointer: str) -> str:
    """A pointer without credentials in its names."""
    plain = [name.replace("~1", "/").replace("~0", "~") for name in pointer.split("/")[1:]]
    return "".join(f"/{token(_without_secrets(name))}" for name in plain)


def _without_secrets(value: Any) -> Any:
    if isinstance(value, str):
        return masked(value) if looks_like_secret(value) else value
    if isinstance(value, dict):
        return {_without_secrets(key): _without_secrets(child) for key, child in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_make"):
        return value._make(map(_without_secrets, value))
    if isinstance(value, tuple | list):
        return type(value)(_without_secrets(child) for child in value)
    return value
