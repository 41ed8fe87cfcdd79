"""Digests that a dialect defines, in addition to those of the skill's files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillstudio.files.tree import FileTree
from skillstudio.manifest.hook_values import Digest, DigestRefused
from skillstudio.manifest.hooks import hook
from skillstudio.manifest.registry import dialects

if TYPE_CHECKING:
    from skillstudio.manifest.locate import LocateResult


def may_have(tree: FileTree) -> bool:
    """Whether a file of a dialect with digests exists; otherwise no manifest need be read."""
    files = {dialect.file for dialect in dialects() if dialect.digests}
    return any(tree.kind(file) is not None for file in files)


def digests(result: LocateResult) -> Iterator[Digest]:
    """The digests of a skill's manifests. Raises DigestRefused with the place in its message."""
    broken_paths = {
        diagnostic.path for diagnostic in result.diagnostics if diagnostic.rule == "file-not-utf8"
    }
    for manifest in result.skill.manifests:
        if not manifest.dialect.digests or manifest.part != "manifest":
            continue
        if manifest.path in broken_paths:
            raise DigestRefused(f"{manifest.path} is not UTF-8, so it has no canonical form")
        try:
            hashing_hook = hook(manifest.dialect, "hashing")
            yield from (
                hashing_hook.digests(manifest, result.skill) if hashing_hook is not None else ()
            )
        except DigestRefused as error:
            line, column = manifest.document.source.position(error.at)
            raise DigestRefused(f"{manifest.path}:{line}:{column}: {error}") from None
