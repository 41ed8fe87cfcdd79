"""`skillstudio targets`: list the targets and the manifest formats, or print a target's record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.output import Paint, Result
from skillstudio.cli.target_names import target_id
from skillstudio.manifest.registry import dialects
from skillstudio.manifest.targets import targets


def run(options: CommandOptions) -> Result:
    if not options.target:
        return Result(_value, _lines)
    id = target_id(options.target, targets())
    record = targets()[id]
    return Result(lambda: {"id": id, **record}, lambda paint: _record(record, paint))


def _value() -> dict[str, Any]:
    return {
        "targets": [
            {
                "id": id,
                **{name: each[name] for name in ("title", "kind", "about", "described")},
                "keys": each.get("fields", {}).get("keys", {}).get("is"),
                "unknown": each.get("fields", {}).get("unknown", {}).get("outcome"),
            }
            for id, each in targets().items()
        ],
        "dialects": [
            {"id": each.id, "title": each.title, "versions": list(each.versions)}
            for each in dialects()
        ],
    }


def _lines(paint: Paint) -> Iterator[str]:
    yield paint("Targets: places that a skill must work in", "place")
    for id, target in targets().items():
        yield f"  {id:<14} {target['about']}"
    yield paint("Dialects: manifest formats and their supported versions", "place")
    for each in dialects():
        versions = ", ".join(each.versions) or "without a version"
        yield f"  {each.id:<20} {each.title} ({versions})"


def _record(record: dict[str, Any], paint: Paint) -> Iterator[str]:
    """Every statement with its evidence, and the sources that the evidence names."""
    yield paint(f"{record['title']} ({record['kind']}, {record['described']})", "place")
    yield f"  {record['about']}"
    if selecting := _selecting(record):
        yield f"  {selecting}"
    for part in ("discovery", "reading", "fields", "limits"):
        if part in record:
            yield paint(part.capitalize(), "place")
        for name, stated in record.get(part, {}).items():
            for each in stated if isinstance(stated, list) else [{"key": name, **stated}]:
                yield f"  {_statement(each)}  [{each['at']}]"
    yield paint("Sources", "place")
    for name, source in record["sources"].items():
        yield f"  {name}: {source}"


def _selecting(record: dict[str, Any]) -> str:
    """Which skills the target is selected for by their place."""
    discovery = record["discovery"]
    borrowed = discovery.get("borrowed", {"is": ()})["is"]
    roots = [
        root
        for root in discovery.get("roots", {"is": ()})["is"]
        if root not in borrowed and not root.startswith("~/")
    ]
    if not roots or "reading" not in record:
        return ""
    plugin = discovery.get("plugin-file")
    places = [*roots, *([f"plugins with {plugin['is']}"] if plugin else [])]
    return f"Selected without --target and settings for skills in {', '.join(places)}."


def _statement(stated: dict[str, Any]) -> str:
    """A statement in words, such as `name long (max 64): dropped`."""
    if "is" in stated:
        value = stated["is"]
        shown = ", ".join(value) if isinstance(value, list) else str(value).lower()
        about = [f"{name} {stated[name]}" for name in ("unit", "window", "over") if name in stated]
        return f"{stated['key']}: {' · '.join([shown, *about])}"
    details = [
        f"{name} {', '.join(value) if isinstance(value, list) else str(value).lower()}"
        for name, value in stated.items()
        if name not in ("key", "wrong", "outcome", "effect", "at")
    ]
    subject = " ".join([stated["key"], *([stated["wrong"]] if "wrong" in stated else [])])
    subject += f" ({', '.join(details)})" if details else ""
    return f"{subject}: {', '.join(filter(None, (stated['outcome'], stated.get('effect'))))}"
