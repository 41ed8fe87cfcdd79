"""`skillstudio show`: what a skill takes, does and gives, whatever system says so."""

from __future__ import annotations

import sys
from typing import Any

from skillstudio.cli.exit_codes import OK
from skillstudio.cli.lists import SHOWN, add_all, cut_json
from skillstudio.cli.operand import find_version
from skillstudio.cli.output import Paint, Parser, colours_wanted, print_json, say
from skillstudio.interface.model import Interface, Stdout, Term
from skillstudio.skill.versions.comparison import Version, shown_path
from skillstudio.text.safe import safe_text


def parser() -> Parser:
    made = Parser(
        "show",
        "Print the interface of a skill: inputs, outputs, requirements, permissions. Values of "
        "sensitive inputs are not shown.",
    )
    made.add_argument(
        "path",
        metavar="PATH",
        help="a skill, an archive, PATH@REF, REF:path, or the name of a skill of the workspace",
    )
    made.add_argument("--format", choices=("text", "json"), default="text")
    add_all(made)
    return made


def run(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    version = find_version(options.path)
    for note in version.notes:
        say(safe_text(note))
    interface = _without_values(version.interface._replace(version=version.version))
    if options.format == "json":
        print_json(cut_json(_as_json(version, interface), options.all))
        return OK
    from skillstudio.cli.formats.interface import lines

    most = None if options.all else SHOWN
    for line in lines(interface, Paint(colours_wanted(sys.stdout)), most):
        print(line)
    return OK


def _without_values(interface: Interface) -> Interface:
    """The interface without what schemas say of values that are sensitive."""
    from skillstudio.interface.wording import masked_schema

    every = interface.sensitive

    def terms(given: tuple[Term, ...]) -> tuple[Term, ...]:
        return tuple(
            each._replace(value=masked_schema(each.value))
            if every and each.comparer in ("schema-in", "schema-out")
            else each
            for each in given
        )

    def stdout(given: Stdout | None) -> Stdout | None:
        return given._replace(schema=masked_schema(given.schema)) if given and every else given

    operations = tuple(
        operation._replace(
            inputs=tuple(
                each._replace(schema=masked_schema(each.schema))
                if every or each.sensitive
                else each
                for each in operation.inputs
            ),
            fields=tuple(
                each._replace(schema=masked_schema(each.schema)) if every else each
                for each in operation.fields
            ),
            stdout=stdout(operation.stdout),
            terms=terms(operation.terms),
        )
        for operation in interface.operations
    )
    return interface._replace(operations=operations, terms=terms(interface.terms))


def _as_json(version: Version, interface: Interface) -> dict[str, Any]:
    operand = version.operand
    return {
        "path": shown_path(operand),
        "ref": operand.ref,
        "content_hash": version.content_hash,
        **interface._asdict(),
    }
