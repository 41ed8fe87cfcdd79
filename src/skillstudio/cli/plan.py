"""`skillstudio plan`: show what a run of an operation would start."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.lists import cut_json
from skillstudio.cli.output import Result
from skillstudio.cli.painting import parts_result
from skillstudio.cli.run_arguments import choose_isolation, open_skill, read_roots, read_run_inputs
from skillstudio.dryrun.plan import plan_value
from skillstudio.present.lines import Part, StyledLine
from skillstudio.present.plan import name_of, plan_lines

UNFOLD = "-v shows everything"


def run(options: CommandOptions) -> Result:
    """Make the plan. Exit status 1 if the run cannot start. Raises IsolationMissing, UsageError."""
    local_skill = open_skill(options.path)
    run_inputs = read_run_inputs(
        local_skill, options, options.rest, read_roots(local_skill, options)
    )
    launch_spec = local_skill.operation(options.operation).launch_spec
    run_inputs = run_inputs._replace(
        isolation=choose_isolation(launch_spec, options, run_inputs.network)
    )
    plan = local_skill.plan(options.operation, run_inputs).plan

    def parts() -> Iterator[Part]:
        yield StyledLine(name_of(plan), "title", remark=f"({plan.dialect})")
        yield from plan_lines(
            plan, os.getcwd(), place=local_skill.place, details=options.verbose, unfold=UNFOLD
        )

    status = OK if plan.runnable else PROBLEMS
    return parts_result(lambda: cut_json(plan_value(plan), options.all), parts, status)
