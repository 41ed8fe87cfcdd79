"""`skillstudio targets`: list the targets and the manifest formats."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.output import Paint, Result
from skillstudio.manifest.registry import dialects
from skillstudio.manifest.targets import targets


def run(_: CommandOptions) -> Result:
    return Result(_value, _lines)


def _value() -> dict[str, Any]:
    return {
        "targets": [
            {"id": id, "title": each["title"], "about": each["about"], "keys": each.get("keys")}
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
        keys = target.get("keys")
        yield f"  {id:<14} {target['about']}"
        yield f"  {'':<14} keys: {', '.join(keys) if keys else 'any'}"
    yield paint("Dialects: manifest formats and their supported versions", "place")
    for each in dialects():
        versions = ", ".join(each.versions) or "without a version"
        yield f"  {each.id:<20} {each.title} ({versions})"
