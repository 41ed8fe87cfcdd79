"""Project the manifests of a skill to one Interface, without their invalid parts."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from itertools import chain
from typing import Any, TypeVar

from skillstudio.interface.model import ABSENT, Input, Interface, Operation, Term, token
from skillstudio.interface.wording import mask_value
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.installed import attribute_errors
from skillstudio.manifest.places import Places
from skillstudio.manifest.registry import module_of
from skillstudio.manifest.secrets import looks_like_secret
from skillstudio.manifest.values import stated_text

T = TypeVar("T")


def project(skill: Skill) -> Interface:
    """The merged interface of a skill; the first declaration counts, credentials are masked."""
    return _mask_values(project_unmasked(skill), skill)


_latest: list[tuple[Skill, Interface]] = []
"""The last skill that was projected: a command asks for the same one several times."""


def project_unmasked(skill: Skill) -> Interface:
    """The same with unmasked values, for creating manifests without showing any value."""
    for cached_skill, interface in _latest:
        if cached_skill is skill:
            return interface
    interface = _merge_parts(skill)
    _latest[:] = [(skill, interface)]
    return interface


def _merge_parts(skill: Skill) -> Interface:
    projections = [
        (manifest, _of(manifest, skill))
        for manifest in skill.manifests
        if manifest.part == "manifest"
    ]
    parts = [part for _, part in projections]
    places = Places()
    version = _version([manifest for manifest, _ in projections], places)
    for part in parts:
        if isinstance(part.places, Places):
            places.add(part.places)
    for manifest, part in projections:
        if isinstance(part.places, Places):
            places.copy(f"/ids/{token(manifest.dialect.id)}", part.places, "/name")
    return Interface(
        name=_first(part.name for part in parts) or skill.name,
        version=version,
        ids={
            manifest.dialect.id: part.name for manifest, part in reversed(projections) if part.name
        },
        description=_first(part.description for part in parts),
        license=_first(part.license for part in parts),
        metadata=_together(part.metadata for part in parts),
        dialects=tuple(dict.fromkeys(manifest.dialect.id for manifest, _ in projections)),
        bare=tuple(
            dict.fromkeys(
                manifest.dialect.id for manifest, part in projections if not part.declared
            )
        ),
        manifest_versions=_together(part.manifest_versions for part in parts),
        declared=any(part.declared for part in parts),
        operations=_operations(chain.from_iterable(part.operations for part in parts)),
        env=_unique((part.env for part in parts), lambda variable: variable.name),
        requirements=_unique(
            (part.requirements for part in parts),
            lambda requirement: (requirement.kind, requirement.name),
        ),
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
    with attribute_errors(manifest.dialect.distribution):
        if not isinstance(part, Interface):
            raise TypeError("project() returned no Interface")
    return part


def _version(manifests: Iterable[Manifest], places: Places) -> str:
    for manifest in manifests:
        pointer = manifest.place_of("version")
        version = stated_text(manifest.document, pointer) if pointer else ""
        if pointer and version:
            of_version = Places(manifest)
            of_version.key("/version", pointer)
            places.add(of_version)
            return version
    return ""


def _first(texts: Iterable[str]) -> str:
    return next((text for text in texts if text), "")


def _together(mappings: Iterable[Any]) -> dict[str, Any]:
    entries: dict[str, Any] = {}
    for mapping in mappings:
        for key, value in mapping.items():
            entries.setdefault(key, value)
    return entries


def _unique(groups: Iterable[tuple[T, ...]], key: Callable[[T], Hashable]) -> tuple[T, ...]:
    """The elements of all groups, the first of each key."""
    elements: dict[Hashable, T] = {}
    for element in chain.from_iterable(groups):
        elements.setdefault(key(element), element)
    return tuple(elements.values())


def _term_key(term: Term) -> Hashable:
    return term.name, term.key


def _operations(operations: Iterable[Operation]) -> tuple[Operation, ...]:
    unique_operations: dict[str, Operation] = {}
    for operation in operations:
        first = unique_operations.get(operation.name)
        unique_operations[operation.name] = (
            operation if first is None else _merge_operations(first, operation)
        )
    return tuple(unique_operations.values())


def _merge_operations(first: Operation, other: Operation) -> Operation:
    return Operation(
        first.name,
        first.description or other.description,
        inputs=_unique((first.inputs, other.inputs), lambda parameter: parameter.name),
        outputs=_unique((first.outputs, other.outputs), lambda output: output.pattern),
        artifacts=_unique((first.artifacts, other.artifacts), lambda artifact: artifact.name),
        fields=_unique((first.fields, other.fields), lambda field: field.name),
        stdout=first.stdout or other.stdout,
        entrypoints=_unique(
            (first.entrypoints, other.entrypoints), lambda entrypoint: entrypoint.platform
        ),
        effects=tuple(dict.fromkeys((*first.effects, *other.effects))),
        terms=_unique((first.terms, other.terms), _term_key),
        declared=first.declared or other.declared,
    )


def _mask_values(interface: Interface, skill: Skill) -> Interface:

    def is_hidden(parameter: Input) -> bool:
        return parameter.default is not ABSENT and (parameter.sensitive or interface.sensitive)

    operations = tuple(
        operation._replace(
            inputs=tuple(
                input_._replace(default=mask_value(input_.default)) if is_hidden(input_) else input_
                for input_ in operation.inputs
            ),
        )
        if any(map(is_hidden, operation.inputs))
        else operation
        for operation in interface.operations
    )
    masked_interface = interface._replace(operations=operations)
    # Checking the whole text once avoids the walk for nearly every skill.
    texts = {id(manifest.document): manifest.document.source.text for manifest in skill.manifests}
    # An escape may hide any character.
    escapes = ("\\u", "\\U", "\\x")
    if any(looks_like_secret(t) or any(escape in t for escape in escapes) for t in texts.values()):
        bare = masked_interface._replace(places={})
        without: Interface = _without_secrets(bare)
        if without != bare:
            places = {
                _pointer(pointer): place for pointer, place in masked_interface.places.items()
            }
            return without._replace(places=places)
    return masked_interface


def _pointer(pointer: str) -> str:
    """A pointer without credentials in its names."""
    plain = [name.replace("~1", "/").replace("~0", "~") for name in pointer.split("/")[1:]]
    return "".join(f"/{token(_without_secrets(name))}" for name in plain)


def _without_secrets(value: Any) -> Any:
    if isinstance(value, str):
        return mask_value(value) if looks_like_secret(value) else value
    if isinstance(value, dict):
        return {_without_secrets(key): _without_secrets(child) for key, child in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_make"):
        return value._make(map(_without_secrets, value))
    if isinstance(value, tuple | list):
        return type(value)(_without_secrets(child) for child in value)
    return value
