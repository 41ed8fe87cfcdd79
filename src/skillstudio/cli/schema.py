"""`skillstudio schema`: print the JSON Schema of a manifest format."""

from __future__ import annotations

from skillstudio.cli.arguments import CommandOptions, unknown
from skillstudio.cli.output import Result
from skillstudio.manifest.registry import dialect, dialects, schema_of


def run(options: CommandOptions) -> Result:
    found = dialect(options.dialect)
    if found is None:
        raise unknown("dialect", options.dialect, [each.id for each in dialects()])
    if options.part != "manifest" and options.part not in found.parts:
        raise unknown(f"part of {found.id}:", options.part, ["manifest", *found.parts])
    return Result(lambda: schema_of(found, options.part), lambda _: ())
