"""`skillstudio profiles`: the limits of consumers, and the manifest versions of each dialect."""

from __future__ import annotations

import sys

from skillstudio.cli.exit_codes import OK
from skillstudio.cli.output import Paint, Parser, colours_wanted, print_json
from skillstudio.manifest.profiles import profiles
from skillstudio.manifest.registry import dialects


def parser() -> Parser:
    made = Parser("profiles", "List who could accept a skill, and the manifest systems supported.")
    made.add_argument("--format", choices=("text", "json"), default="text")
    return made


def run(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    known = profiles()
    if options.format == "json":
        print_json(
            {
                "profiles": [
                    {
                        "id": id,
                        "title": profile["title"],
                        "about": profile["about"],
                        "keys": profile.get("keys"),
                    }
                    for id, profile in known.items()
                ],
                "dialects": [
                    {"id": each.id, "title": each.title, "versions": list(each.versions)}
                    for each in dialects()
                ],
            }
        )
        return OK
    paint = Paint(colours_wanted(sys.stdout))
    print(paint("profiles: who could accept a skill", "place"))
    for id, profile in known.items():
        keys = profile.get("keys")
        print(f"  {id:<14} {profile['about']}")
        print(f"  {'':<14} keys: {', '.join(keys) if keys else 'any'}")
    print(paint("dialects: the manifest systems, and the versions supported", "place"))
    for each in dialects():
        versions = ", ".join(each.versions) or "without a version"
        print(f"  {each.id:<20} {each.title} ({versions})")
    return OK
