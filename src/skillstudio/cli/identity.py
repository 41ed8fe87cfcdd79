"""`skillstudio identity`: show which version of a skill this is, or its digests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.output import CommandRefused, Result, UsageError, refuse_on, say
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.files.tree import FileTree
    from skillstudio.manifest.hook_values import Digest
    from skillstudio.skill.hashing.content_hash import TreeHash


def run(options: CommandOptions) -> Result:
    """Print the version tuple or the digests. Raises CommandRefused, UsageError."""
    if not (options.digests or options.files):
        return _version(options)
    if options.share or options.purpose or options.deployed_at is not None:
        raise UsageError("--digests and --files exclude --share, --for and --deployed-at")
    return _digests(options)


def _version(options: CommandOptions) -> Result:
    """The version tuple. Raises CommandRefused if the skill has no identifier for `--for`."""
    from skillstudio.cli.operands import SettingsReader, find_operand
    from skillstudio.manifest.locate import locate
    from skillstudio.skill.hashing.content_hash import HashRefused
    from skillstudio.skill.hashing.identity import identify
    from skillstudio.skill.hashing.sanitise import sanitise
    from skillstudio.skill.versions.reading import shown_path

    deployed_at = _time(options.deployed_at) if options.deployed_at is not None else ""
    operand, tree = find_operand(options.path)
    skill = locate(tree, SettingsReader().of(operand)[0]).skill
    with refuse_on(HashRefused, of=f"{operand.label} has no content hash"):
        skill_identity = identify(skill, operand.folder, deployed_at, commit=operand.commit)
    display_path = sanitise(shown_path(operand)) if options.share else shown_path(operand)
    value = {"path": display_path, **skill_identity.as_json(options.share)}
    if operand.note:
        say(sanitise(operand.note) if options.share else operand.note)
    for note in value["notes"]:
        say(f"{display_path}: {note}")
    if options.purpose is None:
        return Result(lambda: value, lambda _: _lines(value))
    identifier = skill_identity.primary(options.purpose)
    if identifier is None:
        raise CommandRefused(
            f"{display_path} is not in the Nix store, so it has no identifier there; --for dev "
            "prints its content hash"
        )
    field = identifier[0]
    identity = value["skill_version"][field]
    return Result(
        lambda: {"path": display_path, "for": options.purpose, "field": field, "value": identity},
        lambda _: [safe_text(identity)],
    )


def _time(text: str) -> str:
    from skillstudio.skill.hashing.identity import parse_time

    with refuse_on(
        ValueError, of=f"--deployed-at {text}", advice="write it like 2025-12-23T10:00:00Z"
    ):
        return parse_time(text)


def _lines(value: dict[str, Any]) -> Iterator[str]:
    """The tuple as a trace records it, and the other identifiers, as YAML."""
    yield f"name: {_scalar(value['name'])}"
    yield "skill_version:"
    for field, identifier in value["skill_version"].items():
        yield f"  {field}: {_scalar(identifier)}"
    yield f"tree_sha256: {_scalar(value['tree_sha256'])}"
    yield f"version_from: {_scalar(value['version_from'])}"
    yield "dirty:" if value["dirty"] else "dirty: []"
    for path in value["dirty"]:
        yield f"  - {_scalar(path)}"


def _scalar(value: str | None) -> str:
    from skillstudio.text.editing.yaml_writing import write_scalar

    return write_scalar(value if value is None else safe_text(value))


def _digests(options: CommandOptions) -> Result:
    """The digests of every file of a tree, which is not parsed unless its dialect defines some."""
    from skillstudio.manifest.hook_values import DigestRefused
    from skillstudio.skill.hashing.content_hash import HashRefused, hash_tree

    label, tree = _open_tree(options.path)
    with refuse_on(HashRefused, DigestRefused, of=f"{label} has no digest"):
        tree_hash = hash_tree(tree)
        manifest_digests = _of_manifests(tree)
    for note in [*tree_hash.warnings, *(digest.note for digest in manifest_digests if digest.note)]:
        say(f"{label}: {note}")
    return Result(
        lambda: _digests_as_json(tree_hash, manifest_digests, options.files),
        lambda _: _digest_lines(tree_hash, manifest_digests, options.files),
    )


def _open_tree(path: str) -> tuple[str, FileTree]:
    """The label and files of a folder, even if it is not a skill, or of a version of a skill."""
    if os.path.isdir(path):
        from skillstudio.files.disk import DiskTree

        return path.replace(os.sep, "/").rstrip("/") or "/", DiskTree(path)
    from skillstudio.cli.operands import find_operand

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


def _digests_as_json(
    tree_hash: TreeHash, manifest_digests: list[Digest], lists_files: bool
) -> dict[str, Any]:
    value: dict[str, Any] = {
        "content_hash": tree_hash.content_hash,
        "tree_sha256": tree_hash.tree_sha256,
        "files": len(tree_hash.files),
        **{digest.name: digest.value for digest in manifest_digests},
    }
    if lists_files:
        value["listed"] = [file._asdict() for file in tree_hash.files]
    return value


def _digest_lines(
    tree_hash: TreeHash, manifest_digests: list[Digest], lists_files: bool
) -> Iterator[str]:
    rows = [
        ("content_hash", tree_hash.content_hash),
        ("tree_sha256", tree_hash.tree_sha256),
        *((digest.name, digest.value) for digest in manifest_digests),
        ("files", str(len(tree_hash.files))),
    ]
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        yield f"{name:<{width}}  {safe_text(value)}"
    for file in tree_hash.files if lists_files else ():
        yield f"{file.mode}  {file.sha256}  {file.size:>9}  {safe_text(file.path)}"
