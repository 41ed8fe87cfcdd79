"""`skillstudio schema`: print the JSON Schema of a manifest format, another file or an output."""

from __future__ import annotations

import json
import os

from skillstudio.cli.arguments import CommandOptions, unknown
from skillstudio.cli.output import Result
from skillstudio.dryrun.sampling import samples
from skillstudio.manifest.registry import dialect, dialects, schema_of
from skillstudio.settings import read

_NAMES = ("check", "diff", "explain", "plan", "run", "test", "topics", "why")
OUTPUTS = os.path.join(os.path.dirname(__file__), "schemas")
FILES = {
    "sample": samples.SCHEMA,
    "settings": read.SCHEMA,
    **{name: os.path.join(OUTPUTS, f"{name}.json") for name in _NAMES},
}
"""The schemas of other files of authors, and of what commands print as JSON."""


def run(options: CommandOptions) -> Result:
    path = FILES.get(options.dialect)
    if path is not None:
        with open(path, encoding="utf-8") as file:
            schema = json.load(file)
        return Result(lambda: schema, lambda _: ())
    found = dialect(options.dialect)
    if found is None:
        known = [*(each.id for each in dialects()), *FILES]
        raise unknown("manifest format", options.dialect, known)
    if options.part != "manifest" and options.part not in found.parts:
        raise unknown(f"part of {found.id}:", options.part, ["manifest", *found.parts])
    return Result(lambda: schema_of(found, options.part), lambda _: ())
