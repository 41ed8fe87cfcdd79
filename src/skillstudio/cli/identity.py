"""`skillstudio identity`: which version of a skill this is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skillstudio.cli.compared import Governing
from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.operand import find_operand
from skillstudio.cli.output import Parser, UsageError, print_json, say
from skillstudio.manifest.locate import locate
from skillstudio.skill.versions.comparison import shown_path
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.skill.hashing.identity import Identity, Purpose

PURPOSES = ("nix", "dev", "replay", "pin")


def parser() -> Parser:
    made = Parser(
        "identity",
        "Say which version of a skill this is: Nix store path, source, content hash, version.",
    )
    add = made.add_argument
    add(
        "path",
        metavar="PATH",
        help="a skill, an archive, PATH@REF, REF:path, or the name of a skill of the workspace",
    )
    add("--share", action="store_true", help="write LOCAL/ in the place of home folders")
    add(
        "--for",
        dest="purpose",
        choices=PURPOSES,
        help="print only what identifies the skill there: deployed by Nix, in development, in the "
        "replay of a trace, in the pin of a proto",
    )
    add("--deployed-at", metavar="TIME", help="when it was deployed, such as 2025-12-23T10:00:00Z")
    add("--format", choices=("text", "json"), default="text")
    return made


def run(arguments: list[str]) -> int:
    """Print the version tuple. Exit status 1 when the skill has no identity `--for` a purpose."""
    from skillstudio.skill.hashing.content_hash import HashRefused
    from skillstudio.skill.hashing.identity import identify
    from skillstudio.skill.hashing.sanitise import sanitise

    options = parser().parse_args(arguments)
    deployed_at = _time(options.deployed_at) if options.deployed_at is not None else ""
    operand, tree = find_operand(options.path)
    skill = locate(tree, Governing().of(operand)[0]).skill
    try:
        found = identify(skill, operand.folder, deployed_at, commit=operand.commit)
    except HashRefused as error:
        raise UsageError(f"{operand.label} has no content hash: {error}") from None
    shown = sanitise(shown_path(operand)) if options.share else shown_path(operand)
    value = {"path": shown, **found.as_json(options.share)}
    if operand.note:
        say(safe_text(sanitise(operand.note) if options.share else operand.note))
    for note in value["notes"]:
        say(safe_text(f"{shown}: {note}"))
    if options.purpose is not None:
        return _primary(found, value, options.purpose, options.format)
    if options.format == "json":
        print_json(value)
    else:
        _print(value)
    return OK


def _time(text: str) -> str:
    from skillstudio.skill.hashing.identity import parse_time

    try:
        return parse_time(text)
    except ValueError as error:
        raise UsageError(
            f"--deployed-at {text}: {error}; write it like 2025-12-23T10:00:00Z"
        ) from None


def _primary(found: Identity, value: dict[str, Any], purpose: Purpose, format: str) -> int:
    chosen = found.primary(purpose)
    if chosen is None:
        say(
            safe_text(f"{value['path']} does not lie in the Nix store, so it has no identity there")
            + "; --for dev prints its content hash"
        )
        return PROBLEMS
    field = chosen[0]
    identity = value["skill_version"][field]
    if format == "json":
        print_json({"path": value["path"], "for": purpose, "field": field, "value": identity})
    else:
        print(safe_text(identity))
    return OK


def _print(value: dict[str, Any]) -> None:
    """The tuple as a trace records it, and around it what a trace does not hold, all as YAML."""
    print(f"name: {_scalar(value['name'])}")
    print("skill_version:")
    for field, each in value["skill_version"].items():
        print(f"  {field}: {_scalar(each)}")
    print(f"tree_sha256: {_scalar(value['tree_sha256'])}")
    print(f"version_from: {_scalar(value['version_from'])}")
    print("dirty:" if value["dirty"] else "dirty: []")
    for path in value["dirty"]:
        print(f"  - {_scalar(path)}")


def _scalar(value: str | None) -> str:
    from skillstudio.text.editing.yaml_writing import write_scalar

    return write_scalar(value if value is None else safe_text(value))
