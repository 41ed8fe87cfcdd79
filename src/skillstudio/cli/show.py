"""`skillstudio show`: show a skill's interface."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.compared import find_version
from skillstudio.cli.lists import SHOWN, cut_json
from skillstudio.cli.output import Paint, Result, say
from skillstudio.interface.model import Interface, Stdout, Term
from skillstudio.skill.versions.comparison import Version, shown_path


def run(options: CommandOptions) -> Result:
    version = find_version(options.path)
    for note in version.notes:
        say(note)
    interface = _without_values(version.interface._replace(version=version.version))

    def text(paint: Paint) -> Iterator[str]:
        from skillstudio.cli.formats.interface import lines

        yield from lines(interface, paint, None if options.all else SHOWN)

    return Result(lambda: cut_json(_as_json(version, interface), options.all), text)


def _without_values(interface: Interface) -> Interface:
    """The interface without the values that schemas state for sensitive inputs."""
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
