"""`skillstudio targets`: list the targets and the manifest formats, or print a target's record."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import date
from typing import Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.output import Paint, Result
from skillstudio.cli.painting import paint_lines, terminal_width
from skillstudio.cli.target_names import target_id
from skillstudio.manifest.registry import dialect_ids, dialects
from skillstudio.manifest.targets import targets
from skillstudio.present.lines import StyledLine
from skillstudio.settings.settings import SkillSettings
from skillstudio.skill.workspace import WorkspaceSearch

_SUMMARY = ("title", "kind", "about", "described", "checked")
_UNREAD = "Only where they search is recorded"
EVIDENCE_WAYS = ("run", "read", "documented", "quoted")
"""How a statement was learned, the surest first: the program was run, its source was read, its
maker documents it, or others quote that."""
_GROUPS = {"validator": "Validators", "upload": "Uploads", "client": "Clients"}


def run(options: CommandOptions) -> Result:
    if not options.target:
        settings = WorkspaceSearch().settings_of(os.getcwd())
        return Result(
            _value,
            lambda paint: paint_lines(
                _lines(settings, options.verbose, options.quiet), paint, terminal_width()
            ),
        )
    id = target_id(options.target, targets())
    record = targets()[id]
    return Result(lambda: {"id": id, **record}, lambda paint: _record(record, paint, options.quiet))


def _value() -> dict[str, Any]:
    return {
        "targets": [
            {
                "id": id,
                **{
                    name: target[name]
                    for name in ("title", "kind", "about", "described", "checked")
                },
                "keys": target.get("fields", {}).get("keys", {}).get("is"),
                "unknown": target.get("fields", {}).get("unknown", {}).get("outcome"),
            }
            for id, target in targets().items()
        ],
        "dialects": [
            {"id": dialect.id, "title": dialect.title, "versions": list(dialect.versions)}
            for dialect in dialects()
        ],
    }


def _lines(settings: SkillSettings, verbose: bool, quiet: bool) -> Iterator[StyledLine]:
    """The selected targets, then the others; `verbose` describes all, `quiet` prints only ids."""
    records = targets()
    selected_ids = [id for id in settings.targets if id in records]
    other_ids = [id for id in records if id not in selected_ids]
    if quiet:
        yield from map(StyledLine, (*selected_ids, *other_ids))
        return
    width = max(map(len, records))
    if selected_ids:
        yield StyledLine(f"Selected here by {settings.selected_by}", "heading")
        yield from _describe_targets(selected_ids, width)
    for title, ids in _groups(other_ids).items():
        yield StyledLine(title, "heading")
        yield from _describe_targets(ids, width) if verbose else [StyledLine(", ".join(ids), "", 1)]
    yield StyledLine("Manifest formats", "heading")
    if not verbose:
        yield StyledLine(", ".join(dialect_ids()), "", 1)
        yield StyledLine("-v describes each; skillstudio targets ID prints one", "quiet")
        return
    width = max(len(dialect.id) for dialect in dialects())
    for dialect in dialects():
        versions = ", ".join(dialect.versions) or "without a version"
        yield StyledLine(f" {dialect.title} ({versions})", "", 1, f"{dialect.id:<{width}}")


def _describe_targets(ids: list[str], width: int) -> Iterator[StyledLine]:
    for id in ids:
        yield StyledLine(f" {targets()[id]['about']}", "", 1, f"{id:<{width}}")


def _groups(ids: list[str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for id in sorted(ids, key=lambda id: "reading" not in targets()[id]):
        record = targets()[id]
        title = _GROUPS[record["kind"]] if "reading" in record else _UNREAD
        groups.setdefault(title, []).append(id)
    return groups


def _record(record: dict[str, Any], paint: Paint, quiet: bool) -> Iterator[str]:
    """Every statement with its evidence, and the sources that the evidence names; `quiet` leaves
    out the evidence."""
    yield paint(f"{record['title']} ({record['kind']})", "place")
    yield f"  {record['about']}"
    yield f"  {age(record, date.today())}"
    if selection_text := _explain_selection(record):
        yield f"  {selection_text}"
    for part in ("discovery", "plugins", "installer", "reading", "fields", "switches", "limits"):
        if part in record:
            yield paint(part.capitalize(), "place")
        for name, statements in record.get(part, {}).items():
            for value in (
                statements if isinstance(statements, list) else [{"key": name, **statements}]
            ):
                evidence = "" if quiet else f"  [{_evidence(value['at'], record['sources'])}]"
                yield f"  {_statement(value)}{evidence}"
    if quiet:
        return
    yield paint("Sources", "place")
    for name, source in record["sources"].items():
        yield f"  {name}: {source}"


def age(record: dict[str, Any], today: date) -> str:
    """What the record describes, and how long ago that was compared with its sources."""
    days = (today - date.fromisoformat(record["checked"])).days
    ago = f"{days} days ago" if days > 1 else "yesterday" if days == 1 else "today"
    described_state = record["described"]
    what = f"it as of {described_state}" if described_state[0].isdigit() else described_state
    return f"Describes {what}; checked on {record['checked']}, {ago}."


def _evidence(places: str, sources: dict[str, str]) -> str:
    """The places of a statement, and how it was learned: the surest way of its sources."""
    names = [re.split("[:#]", place)[0] for place in places.split("; ")]
    ways = " ".join(source.rpartition("(")[2] for name in names if (source := sources.get(name)))
    return f"{places} ({next(way for way in EVIDENCE_WAYS if way in ways)})"


def _explain_selection(record: dict[str, Any]) -> str:
    """Which skills the target is selected for by their place."""
    discovery = record["discovery"]
    borrowed_roots = discovery.get("borrowed", {"is": ()})["is"]
    roots = [
        root
        for root in discovery.get("roots", {"is": ()})["is"]
        if root not in borrowed_roots and not root.startswith("~/")
    ]
    if not roots or "reading" not in record:
        return ""
    plugins = record.get("plugins")
    places = [*roots, *([f"plugins with {plugins['files']['is'][0]}"] if plugins else [])]
    return f"Selected without --target and settings for skills in {', '.join(places)}."


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _statement(statement: dict[str, Any]) -> str:
    """A statement in words, such as `name long (max 64): dropped`."""
    if "is" in statement:
        value = statement["is"]
        text = ", ".join(value) if isinstance(value, list) else _plain(value)
        about = [
            f"{name} {statement[name]}" for name in ("unit", "window", "over") if name in statement
        ]
        return f"{statement['key']}: {' · '.join([text, *about])}"
    details = [
        f"{name} {', '.join(value) if isinstance(value, list) else _plain(value)}"
        for name, value in statement.items()
        if name not in ("key", "wrong", "outcome", "effect", "at")
    ]
    subject = " ".join([statement["key"], *([statement["wrong"]] if "wrong" in statement else [])])
    subject += f" ({', '.join(details)})" if details else ""
    return f"{subject}: {', '.join(filter(None, (statement['outcome'], statement.get('effect'))))}"
