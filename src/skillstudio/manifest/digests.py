"""The digests that a dialect defines itself, beside those of the skill's files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from skillstudio.files.tree import FileTree
from skillstudio.manifest.registry import dialects, rules_of

if TYPE_CHECKING:
    from skillstudio.manifest.locate import Located


class Digest(NamedTuple):
    """A digest by the name that its dialect gives it, and what to know about it."""

    name: str
    value: str
    note: str = ""


class DigestRefused(Exception):
    """A manifest that has no digest: why, and the offset in its text where the reason stands."""

    def __init__(self, message: str, at: int = 0) -> None:
        super().__init__(message)
        self.at = at


def may_have(tree: FileTree) -> bool:
    """Whether there is a file of a system that defines digests: else no manifest need be read."""
    files = {each.file for each in dialects() if each.digests}
    return any(tree.kind(file) is not None for file in files)


def digests(located: Located) -> Iterator[Digest]:
    """The digests of each manifest of a skill, the `digests` hook of its dialect asked in turn.

    Raises DigestRefused with a sentence that begins with the place.
    """
    broken = {each.path for each in located.diagnostics if each.rule == "file-not-utf8"}
    for manifest in located.skill.manifests:
        if not manifest.dialect.digests or manifest.part != "manifest":
            continue
        if manifest.path in broken:
            raise DigestRefused(f"{manifest.path} is not UTF-8, so it has no canonical form")
        try:
            yield from rules_of(manifest.dialect).digests(manifest, located.skill)
        except DigestRefused as error:
            line, column = manifest.document.source.position(error.at)
            raise DigestRefused(f"{manifest.path}:{line}:{column}: {error}") from None
