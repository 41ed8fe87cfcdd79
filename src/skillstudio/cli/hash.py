"""`skillstudio hash`: print the digests of a skill."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.output import Result, refusing, say
from skillstudio.files.disk import DiskTree
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.files.tree import FileTree
    from skillstudio.manifest.hook_values import Digest
    from skillstudio.skill.hashing.content_hash import Hashed


def run(options: CommandOptions) -> Result:
    """Compute the digests. Raises UsageError."""
    from skillstudio.manifest.hook_values import DigestRefused
    from skillstudio.skill.hashing.content_hash import HashRefused, hash_tree

    label, tree = _named(options.path)
    with refusing(HashRefused, DigestRefused, of=f"{label} has no digest"):
        hashed = hash_tree(tree)
        others = _of_manifests(tree)
    for note in [*hashed.warnings, *(each.note for each in others if each.note)]:
        say(f"{label}: {note}")
    return Result(
        lambda: _as_json(hashed, others, options.files),
        lambda _: _lines(hashed, others, options.files),
    )


def _named(path: str) -> tuple[str, FileTree]:
    """The label and files of a folder, even if it is not a skill, or of a version of a skill."""
    if os.path.isdir(path):
        return path.replace(os.sep, "/").rstrip("/") or "/", DiskTree(path)
    from skillstudio.cli.compared import find_operand

    operand, tree = find_operand(path)
    if operand.note:
        say(f"{operand.label}: {operand.note}")
    return operand.label, tree


def _of_manifests(tree: FileTree) -> list[Digest]:
    from skillstudio.manifest.digests import digests, may_have

    if not may_have(tree):
        return []
    from skillstudio.manifest.locate import locate

    return list(digests(locate(tree)))


def _as_json(hashed: Hashed, others: list[Digest], listed: bool) -> dict[str, Any]:
    value: dict[str, Any] = {
        "content_hash": hashed.content_hash,
        "tree_sha256": hashed.tree_sha256,
        "files": len(hashed.files),
        **{each.name: each.value for each in others},
    }
    if listed:
        value["listed"] = [each._asdict() for each in hashed.files]
    return value


def _lines(hashed: Hashed, others: list[Digest], listed: bool) -> Iterator[str]:
    rows = [
        ("content_hash", hashed.content_hash),
        ("tree_sha256", hashed.tree_sha256),
        *((each.name, each.value) for each in others),
        ("files", str(len(hashed.files))),
    ]
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        yield f"{name:<{width}}  {safe_text(value)}"
    for each in hashed.files if listed else ():
        yield f"{each.mode}  {each.sha256}  {each.size:>9}  {safe_text(each.path)}"
