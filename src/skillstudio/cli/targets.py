"""`skillstudio targets`: the limits of targets, and the manifest versions of each dialect."""

from __future__ import annotations

import sys

from skillstudio.cli.exit_codes import OK
from skillstudio.cli.output import Paint, Parser, colours_wanted, print_json
from skillstudio.manifest.registry import dialects
from skillstudio.manifest.targets import targets


def parser() -> Parser:
    made = Parser("targets", "List who could accept a skill, and the dialects supported.")
    made.add_argument("--format", choices=("text", "json"), default="text")
    return made


def run(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    known = targets()
    if options.format == "json":
        print_json(
            {
                "targets": [
                    {
                        "id": id,
                        "title": target["title"],
                        "about": target["about"],
                        "keys": target.get("keys"),
                    }
                    for id, target in known.items()
                ],
                "dialects": [
                    {"id": each.id, "title": each.title, "versions": list(each.versions)}
                    for each in dialects()
                ],
            }
        )
        return OK
    paint = Paint(colours_wanted(sys.stdout))
    print(paint("targets: who could accept a skill", "place"))
    for id, target in known.items():
        keys = target.get("keys")
        print(f"  {id:<14} {target['about']}")
        print(f"  {'':<14} keys: {', '.join(keys) if keys else 'any'}")
    print(paint("dialects, with the versions supported", "place"))
    for each in dialects():
        versions = ", ".join(each.versions) or "without a version"
        print(f"  {each.id:<20} {each.title} ({versions})")
    return OK
