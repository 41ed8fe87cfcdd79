"""`skillstudio identity`: show which version of a skill this is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.compared import Governing, find_operand
from skillstudio.cli.output import CommandRefused, Result, refusing, say
from skillstudio.manifest.locate import locate
from skillstudio.skill.versions.comparison import shown_path
from skillstudio.text.safe import safe_text


def run(options: CommandOptions) -> Result:
    """Print the version tuple. Raises Refused if the skill has no identifier for `--for`."""
    from skillstudio.skill.hashing.content_hash import HashRefused
    from skillstudio.skill.hashing.identity import identify
    from skillstudio.skill.hashing.sanitise import sanitise

    deployed_at = _time(options.deployed_at) if options.deployed_at is not None else ""
    operand, tree = find_operand(options.path)
    skill = locate(tree, Governing().of(operand)[0]).skill
    with refusing(HashRefused, of=f"{operand.label} has no content hash"):
        found = identify(skill, operand.folder, deployed_at, commit=operand.commit)
    shown = sanitise(shown_path(operand)) if options.share else shown_path(operand)
    value = {"path": shown, **found.as_json(options.share)}
    if operand.note:
        say(sanitise(operand.note) if options.share else operand.note)
    for note in value["notes"]:
        say(f"{shown}: {note}")
    if options.purpose is None:
        return Result(lambda: value, lambda _: _lines(value))
    chosen = found.primary(options.purpose)
    if chosen is None:
        raise CommandRefused(
            f"{shown} is not in the Nix store, so it has no identifier there; --for dev prints its "
            "content hash"
        )
    field = chosen[0]
    identity = value["skill_version"][field]
    return Result(
        lambda: {"path": shown, "for": options.purpose, "field": field, "value": identity},
        lambda _: [safe_text(identity)],
    )


def _time(text: str) -> str:
    from skillstudio.skill.hashing.identity import parse_time

    with refusing(
        ValueError, of=f"--deployed-at {text}", advice="write it like 2025-12-23T10:00:00Z"
    ):
        return parse_time(text)


def _lines(value: dict[str, Any]) -> Iterator[str]:
    """The tuple as a trace records it, and the other identifiers, as YAML."""
    yield f"name: {_scalar(value['name'])}"
    yield "skill_version:"
    for field, each in value["skill_version"].items():
        yield f"  {field}: {_scalar(each)}"
    yield f"tree_sha256: {_scalar(value['tree_sha256'])}"
    yield f"version_from: {_scalar(value['version_from'])}"
    yield "dirty:" if value["dirty"] else "dirty: []"
    for path in value["dirty"]:
        yield f"  - {_scalar(path)}"


def _scalar(value: str | None) -> str:
    from skillstudio.text.editing.yaml_writing import write_scalar

    return write_scalar(value if value is None else safe_text(value))
