"""`skillstudio hash`: the digests of a skill."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from skillstudio.cli.exit_codes import OK
from skillstudio.cli.output import Parser, UsageError, print_json, say
from skillstudio.files.disk import DiskTree
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.files.tree import FileTree
    from skillstudio.manifest.hook_values import Digest
    from skillstudio.skill.hashing.content_hash import Hashed


class _NamedTree(NamedTuple):
    label: str
    tree: FileTree


def parser() -> Parser:
    made = Parser(
        "hash",
        "Print the digests of a skill: content_hash, tree-sha256, and those that its manifest"
        " system defines. Nothing is cached; every byte is read.",
    )
    made.add_argument(
        "path",
        metavar="PATH",
        help="a folder, an archive, PATH@REF, PATH@1.2.0, REF:path, or a skill's name",
    )
    made.add_argument("--files", action="store_true", help="list each file with its own digest")
    made.add_argument("--format", choices=("text", "json"), default="text")
    return made


def run(arguments: list[str]) -> int:
    """Print the digests. What is to be known about them goes to stderr."""
    from skillstudio.manifest.hook_values import DigestRefused
    from skillstudio.skill.hashing.content_hash import HashRefused, hash_tree

    options = parser().parse_args(arguments)
    found = _named(options.path)
    try:
        hashed = hash_tree(found.tree)
        others = _of_manifests(found.tree)
    except (HashRefused, DigestRefused) as error:
        raise UsageError(f"{found.label} has no digest: {error}") from None
    notes = [*hashed.warnings, *(each.note for each in others if each.note)]
    for note in notes:
        say(safe_text(f"{found.label}: {note}"))
    if options.format == "json":
        print_json(_as_json(hashed, others, options.files))
    else:
        _print(hashed, others, options.files)
    return OK


def _named(path: str) -> _NamedTree:
    """A folder as it is, skill or not; anything else is one version of a skill."""
    if os.path.isdir(path):
        return _NamedTree(path.replace(os.sep, "/").rstrip("/") or "/", DiskTree(path))
    from skillstudio.cli.operand import find_operand

    operand, tree = find_operand(path)
    if operand.note:
        say(safe_text(f"{operand.label}: {operand.note}"))
    return _NamedTree(operand.label, tree)


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


def _print(hashed: Hashed, others: list[Digest], listed: bool) -> None:
    rows = [
        ("content_hash", hashed.content_hash),
        ("tree_sha256", hashed.tree_sha256),
        *((each.name, each.value) for each in others),
        ("files", str(len(hashed.files))),
    ]
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"{name:<{width}}  {safe_text(value)}")
    for each in hashed.files if listed else ():
        print(f"{each.mode}  {each.sha256}  {each.size:>9}  {safe_text(each.path)}")
