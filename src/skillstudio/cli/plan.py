"""`skillstudio plan`: show what a run of an operation would start."""

from __future__ import annotations

from collections.abc import Iterator

from skillstudio.cli.arguments import Options
from skillstudio.cli.dry import choose_rung, open_skill, read_given, read_roots
from skillstudio.cli.exit_codes import FINDINGS, OK
from skillstudio.cli.output import Paint, Result, UsageError
from skillstudio.dryrun.plan_json import plan_value
from skillstudio.dryrun.planning.given import OperationUnknown, this_machine
from skillstudio.dryrun.planning.make import find_operation, make_plan


def run(options: Options) -> Result:
    """Make the plan. Exit status 1 if the run cannot start. Raises RungMissing, UsageError."""
    opened = open_skill(options.path)
    given = read_given(opened, options, options.rest, read_roots(opened, options))
    try:
        found = find_operation(opened.skill, opened.interface, options.operation)
        given = given._replace(rung=choose_rung(found.launching, options))
        made = make_plan(opened.skill, opened.interface, options.operation, given, this_machine())
    except OperationUnknown as error:
        raise UsageError(str(error)) from None
    plan = made.plan

    def text(paint: Paint) -> Iterator[str]:
        from skillstudio.cli.formats.folding import folded, terminal_width
        from skillstudio.cli.formats.plan import lines

        told = lines(plan, opened.interface, opened.shown, paint)
        yield from folded(told, terminal_width())

    return Result(lambda: plan_value(plan), text, OK if plan.runnable else FINDINGS)
