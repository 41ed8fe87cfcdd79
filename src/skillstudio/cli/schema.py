"""`skillstudio schema`: print the JSON Schema of a manifest format, of samples or settings."""

from __future__ import annotations

import json

from skillstudio.cli.arguments import CommandOptions, unknown
from skillstudio.cli.output import Result
from skillstudio.dryrun.sampling import samples
from skillstudio.manifest.registry import dialect, dialects, schema_of
from skillstudio.settings import read

_FILES = {"sample": samples.SCHEMA, "settings": read.SCHEMA}
"""The schemas of other files of authors."""


def run(options: CommandOptions) -> Result:
    path = _FILES.get(options.dialect)
    if path is not None:
        with open(path, encoding="utf-8") as file:
            schema = json.load(file)
        return Result(lambda: schema, lambda _: ())
    found = dialect(options.dialect)
    if found is None:
        known = [*(each.id for each in dialects()), *_FILES]
        raise unknown("manifest format", options.dialect, known)
    if options.part != "manifest" and options.part not in found.parts:
        raise unknown(f"part of {found.id}:", options.part, ["manifest", *found.parts])
    return Result(lambda: schema_of(found, options.part), lambda _: ())
