"""A recorded run once more: with the skill that ran, on the same inputs, and what is other now."""

from __future__ import annotations

import json
import os
from argparse import Namespace

from skillstudio.cli.exit_codes import CANCELLED, ISOLATION_MISSING, OK, PROBLEMS
from skillstudio.cli.output import UsageError, print_json, say
from skillstudio.cli.run import ask, perform, record
from skillstudio.cli.run_arguments import (
    IsolationMissing,
    LocalSkill,
    choose_isolation,
    open_skill,
    read_faults,
    read_pairs,
    read_roots,
    read_secrets,
)
from skillstudio.dryrun.plan import IsolationChoice
from skillstudio.dryrun.planning.make import ResolvedOperation, make_plan, resolve_operation
from skillstudio.dryrun.planning.run_inputs import OperationUnknown, RunInputs, this_machine
from skillstudio.dryrun.recording import trace_of_run
from skillstudio.dryrun.report import RunReport
from skillstudio.dryrun.staging.survey import LIMITS
from skillstudio.dryrun.traces.difference import DID, RunDifference, differences
from skillstudio.dryrun.traces.key import Key, KeyUnusable, read_key
from skillstudio.dryrun.traces.reading import Trace, trace_of
from skillstudio.dryrun.traces.replay import again, another_version, missing
from skillstudio.dryrun.traces.store import default_folder
from skillstudio.files.folders import remove
from skillstudio.text.safe import safe_text


def replay(trace: Trace, is_own: bool, options: Namespace) -> int:
    """Run a trace again. `is_own` says that it is a recorded run of this user's: what a file of
    somebody else names on this machine is not believed.

    Exit status 1 where the run did otherwise. Raises UsageError where it is not run.
    """
    opened = open_skill(_skill(trace, is_own, options))
    fault = another_version(trace, _identity(opened))
    if fault and not options.anyway:
        raise UsageError(f"{fault}; --anyway runs it all the same")
    if fault:
        say(safe_text(fault))
    secrets = read_secrets(options.secret)
    env = read_pairs(options.env, "--env")
    lacking = missing(trace, secrets, env, options.behind)
    if lacking:
        raise UsageError("\n".join(lacking))
    told = again(trace, options.behind)
    workspace = trace.report.plan.roots.workspace
    if is_own and not options.workspace and os.path.isdir(workspace):
        options.workspace = workspace
        options.repo_root = trace.report.plan.roots.repository or None
    else:
        options.repo_root = None
    try:
        found = resolve_operation(opened.skill, opened.interface, told.operation)
        isolation = _isolation(found, told.require, is_own, options)
    except OperationUnknown as error:
        raise UsageError(str(error)) from None
    except IsolationMissing as error:
        say(f"skillstudio: {safe_text(str(error))}")
        return ISOLATION_MISSING
    given = RunInputs(
        read_roots(opened, options), value=told.value, arguments=told.arguments,
        env={**told.env, **env}, secrets=secrets, timeout=told.timeout, isolation=isolation,
        faults=read_faults(opened, options),
    )  # fmt: skip
    planned = make_plan(opened.skill, opened.interface, told.operation, given, this_machine())
    if planned.launch is None or isolation.id == "plan":
        errors = [each.message for each in planned.plan.problems if each.severity == "error"]
        raise UsageError("\n".join(errors) or "there is nothing to start")
    ask(planned, options)
    performed = perform(planned, found, opened, LIMITS)
    if isinstance(performed, int):
        return performed
    request, finished = performed
    try:
        key = _key()
        record(finished, request, trace.mode)
        value = trace_of_run(finished, request, trace.mode, key)
        rows = differences(trace, trace_of(json.dumps(value).encode(), "the run"))
    finally:
        remove(finished.folder)
    did = any(each.area in DID for each in rows)
    _print(trace, finished.report, rows, did, options)
    if finished.report.ended.cancelled:
        return CANCELLED
    return PROBLEMS if did else OK


def _isolation(
    found: ResolvedOperation, least: str, is_own: bool, options: Namespace
) -> IsolationChoice:
    """The isolation level that the run was on, else a higher one; of a trace of somebody else's the
    highest at once, for nobody here has chosen its inputs. Raises IsolationMissing."""
    options.require_isolation = None
    if options.isolation is None and is_own:
        options.isolation = least
        try:
            return choose_isolation(found.launching, options)
        except IsolationMissing:
            options.isolation = None
    if options.isolation is None:
        options.require_isolation = least
    return choose_isolation(found.launching, options)


def _skill(trace: Trace, is_own: bool, options: Namespace) -> str:
    if len(options.runs) > 1:
        return str(options.runs[1])
    folder = trace.report.plan.roots.skill
    if not is_own:
        raise UsageError("say which skill: skillstudio trace replay FILE SKILL")
    if not os.path.isdir(folder):
        raise UsageError(f"{folder} is not there any more; name the skill behind the run")
    return folder


def _identity(opened: LocalSkill) -> dict[str, str | None] | None:
    from skillstudio.skill.hashing.content_hash import HashRefused
    from skillstudio.skill.hashing.identity import identify

    try:
        return identify(opened.skill, opened.folder).recorded
    except (HashRefused, OSError):
        # A skill without an identity is none that a trace names: that is what is told.
        return None


def _key() -> Key | None:
    try:
        return read_key(os.path.dirname(default_folder()))
    except KeyUnusable:
        # `keep` has said so, or will: without it masked values cannot be compared.
        return None


def _print(
    trace: Trace,
    report: RunReport,
    rows: tuple[RunDifference, ...],
    did: bool,
    options: Namespace,
) -> None:
    if options.format == "json":
        print_json({
            "of": trace.report.run,
            "run": report.run,
            "same": not did,
            "differences": [each.as_json() for each in rows],
        })  # fmt: skip
        return
    from skillstudio.cli.formats.painting import print_parts
    from skillstudio.present.run_report import difference_lines

    print_parts(difference_lines(rows, trace.report, report), "trace")
