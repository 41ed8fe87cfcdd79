"""Another version number for a skill: in every manifest that carries one, and in its changelog."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from skillstudio.interface.change import Change
from skillstudio.manifest.dialect import Manifest, Skill
from skillstudio.manifest.locate import TOO_LARGE
from skillstudio.manifest.stated import stated
from skillstudio.skill.versions.changelog import FILE, with_entry
from skillstudio.skill.versions.comparison import Comparison
from skillstudio.text.diagnostic import Splice
from skillstudio.text.edit import set_value
from skillstudio.text.editing import EditRefused
from skillstudio.text.source import decode
from skillstudio.text.splicing import apply

FIRST = "0.1.0"
"""The version of a skill that never had one."""


class BumpRefused(Exception):
    """A version that cannot be written: a sentence that says why."""


class Carrier(NamedTuple):
    """A place for the version: the manifest, a JSON Pointer into it, and what stands there."""

    manifest: Manifest
    pointer: str
    version: str

    @property
    def shown(self) -> str:
        """The place for people, such as `version in SKILL.md`."""
        return f"{self.pointer.lstrip('/').replace('/', '.')} in {self.manifest.path}"


def asked_for(comparison: Comparison) -> str:
    """The version that the newer side should have: the one it states where that is enough.

    A skill that has none, and had none, begins with the first one.
    """
    bump = comparison.bump
    if bump.suggested and not bump.ok:
        return bump.suggested
    old, new = comparison.old, comparison.new
    stated = new.version if new else ""
    return stated or bump.suggested or (old.version if old else "") or FIRST


def places_of(skill: Skill) -> list[Carrier]:
    """Every place that the manifests of a skill have for its version, filled or not."""
    found: list[Carrier] = []
    seen: set[tuple[int, str]] = set()
    for manifest in skill.manifests:
        pointer = manifest.dialect.identity.get("version")
        if manifest.part != "manifest" or not pointer:
            continue
        if (id(manifest.document), pointer) not in seen:
            seen.add((id(manifest.document), pointer))
            found.append(Carrier(manifest, pointer, stated(manifest.document, pointer)))
    return found


def bumped(
    skill: Skill, version: str, changes: Sequence[Change], date: str
) -> dict[str, tuple[str | None, str]]:
    """The files that a bump changes: path to the old text, None for a new file, and the new one.

    The version goes where one stands, else to the first manifest with a place for it; `date` is
    that of the changelog's entry. Nothing is written. Raises BumpRefused.
    """
    places = places_of(skill)
    filled = [place for place in places if place.version] or places[:1]
    if not filled:
        raise BumpRefused(
            f"{skill.name} has no manifest with a place for a version; tag it instead: "
            f"git tag {skill.name}@{version}"
        )
    splices: dict[str, list[Splice]] = {}
    texts: dict[str, str] = {}
    for place in filled:
        source = place.manifest.document.source
        texts[source.path] = source.text
        try:
            made = set_value(place.manifest.document, place.pointer, version)
        except EditRefused as error:
            raise BumpRefused(f"{source.path}: {error}") from None
        splices.setdefault(source.path, []).extend(made)
    found: dict[str, tuple[str | None, str]] = {
        path: (texts[path], apply(texts[path], sorted(made)))
        for path, made in splices.items()
        if made
    }
    old = _changelog(skill)
    new = with_entry(old, version, date, changes)
    if new != old:
        found[FILE] = (old, new)
    return found


def _changelog(skill: Skill) -> str | None:
    kind = skill.tree.kind(FILE)
    if kind is None:
        return None
    if kind != "file":
        raise BumpRefused(f"{FILE} is not a regular file, so it is not written to")
    data = skill.tree.read(FILE, TOO_LARGE + 1)
    text, wrong = decode(data)
    if wrong is not None or len(data) > TOO_LARGE:
        raise BumpRefused(f"{FILE} is not UTF-8 of at most 1 MiB, so it is not written to")
    return text
