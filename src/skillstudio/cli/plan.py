"""`skillstudio plan`: what a dry run of an operation would start, and what stands against it."""

from __future__ import annotations

import sys

from skillstudio.cli.exit_codes import ISOLATION_MISSING, OK, PROBLEMS
from skillstudio.cli.output import Paint, Parser, UsageError, colours_wanted, print_json, say
from skillstudio.cli.run_arguments import (
    IsolationMissing,
    add_ground,
    add_inputs,
    add_operation,
    choose_isolation,
    open_skill,
    read_roots,
    read_run_inputs,
    split_arguments,
)
from skillstudio.dryrun.plan_json import plan_value
from skillstudio.dryrun.planning.make import make_plan, resolve_operation
from skillstudio.dryrun.planning.run_inputs import OperationUnknown, this_machine
from skillstudio.text.safe import safe_text


def parser() -> Parser:
    made = Parser(
        "plan",
        "Say what a dry run of an operation would start, with what and where. Nothing of the skill "
        "is started. Behind -- stand the arguments of a script.",
        usage="skillstudio plan PATH [OPERATION] [OPTIONS] [-- ARGS]",
    )
    add_operation(made)
    add_inputs(made)
    add_ground(made)
    made.add_argument("--format", choices=("text", "json"), default="text")
    return made


def run(arguments: list[str]) -> int:
    """Print the plan. Exit status 1 if a problem prevents a run, 4 without the isolation
    level."""
    own, behind = split_arguments(arguments)
    options = parser().parse_args(own)
    opened = open_skill(options.path)
    given = read_run_inputs(opened, options, behind, read_roots(opened, options))
    try:
        found = resolve_operation(opened.skill, opened.interface, options.operation)
        isolation = choose_isolation(found.launching, options)
        plan = make_plan(
            opened.skill,
            opened.interface,
            options.operation,
            given._replace(isolation=isolation),
            this_machine(),
        ).plan
    except OperationUnknown as error:
        raise UsageError(str(error)) from None
    except IsolationMissing as error:
        say(f"skillstudio: {safe_text(str(error))}")
        return ISOLATION_MISSING
    if options.format == "json":
        print_json(plan_value(plan))
    else:
        from skillstudio.cli.formats.folding import folded, terminal_width
        from skillstudio.cli.formats.plan import lines

        told = lines(plan, opened.interface, opened.shown, Paint(colours_wanted(sys.stdout)))
        for line in folded(told, terminal_width()):
            print(line)
    return OK if plan.runnable else PROBLEMS
