"""`skillstudio schema`: the JSON Schema of a dialect, for other editors."""

from __future__ import annotations

from skillstudio.cli.exit_codes import OK
from skillstudio.cli.output import Parser, UsageError, print_json
from skillstudio.manifest.registry import dialect, dialects, schema_of


def parser() -> Parser:
    made = Parser("schema", "Print the JSON Schema (2020-12) of a dialect.")
    made.add_argument("dialect", metavar="DIALECT")
    made.add_argument("--part", default="manifest", help="a further part, such as recipe")
    return made


def run(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    found = dialect(options.dialect)
    if found is None:
        known = ", ".join(each.id for each in dialects())
        raise UsageError(f"no dialect {options.dialect}; there are {known}")
    if options.part != "manifest" and options.part not in found.parts:
        parts = ", ".join(["manifest", *found.parts])
        raise UsageError(f"{found.id} has no part {options.part}; it has {parts}")
    print_json(schema_of(found, options.part))
    return OK
