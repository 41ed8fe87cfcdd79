"""`skillstudio trace replay`: run a recorded run again and compare the two."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from functools import partial

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.exit_codes import CANCELLED, OK, PROBLEMS
from skillstudio.cli.output import Result, UsageError, refuse_on, say
from skillstudio.cli.painting import parts_result
from skillstudio.cli.recorded import find_recorded_run as find_recorded
from skillstudio.cli.recorded import recorded_base
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
from skillstudio.dryrun.network.choice import NetworkRefused, read_network
from skillstudio.dryrun.plan import IsolationChoice, NetworkChoice
from skillstudio.dryrun.planning.make import ResolvedOperation
from skillstudio.dryrun.planning.run_inputs import RunInputs
from skillstudio.dryrun.recording import trace_of_run
from skillstudio.dryrun.staging.survey import LIMITS
from skillstudio.dryrun.traces.difference import DID, differences
from skillstudio.dryrun.traces.key import Key, KeyUnusable, read_key
from skillstudio.dryrun.traces.reading import Trace, trace_of
from skillstudio.dryrun.traces.replay import again, another_version, missing
from skillstudio.dryrun.traces.store import default_folder, recorded_text
from skillstudio.files.folders import remove
from skillstudio.present.run_report import difference_lines


def replay(trace: Trace, folder: str, options: CommandOptions) -> Result | int:
    """Run a trace again; exit status 1 if the result differs. Raises UsageError, IsolationMissing.

    `folder` is that of a recorded run of this user, "" for a trace file. The paths in a trace file
    of someone else are not used.
    """
    is_own = bool(folder)
    local_skill = open_skill(_skill(trace, is_own, options))
    fault = another_version(trace, _identity(local_skill))
    if fault and not options.anyway:
        raise UsageError(f"{fault}; --anyway runs it anyway")
    if fault:
        say(fault)
    secrets = read_secrets(options.secret)
    env = read_pairs(options.env, "--env")
    missing_messages = missing(trace, secrets, env, options.rest)
    if missing_messages:
        raise UsageError("\n".join(missing_messages))
    recorded_inputs = again(trace, options.rest)
    workspace = trace.report.plan.roots.workspace
    if is_own and not options.workspace and os.path.isdir(workspace):
        options.workspace = workspace
        options.repo_root = trace.report.plan.roots.repository or None
    else:
        options.repo_root = None
    resolved_operation = local_skill.operation(recorded_inputs.operation)
    with refuse_on(NetworkRefused):
        network = read_network(trace.report.plan.network)
    if network.mode in ("record", "replay"):
        raise UsageError(
            "the run used the recorded responses of a sample; run it with skillstudio run --sample"
        )
    isolation = _isolation(resolved_operation, recorded_inputs.require, is_own, network, options)
    run_inputs = RunInputs(
        read_roots(local_skill, options),
        value=recorded_inputs.value,
        arguments=recorded_inputs.arguments,
        env={**recorded_inputs.env, **env},
        secrets=secrets,
        timeout=recorded_inputs.timeout,
        isolation=isolation,
        faults=read_faults(local_skill, options),
        network=network,
        network_by="the trace",
    )
    planned_run = local_skill.plan(recorded_inputs.operation, run_inputs)
    if planned_run.launch is None or isolation.id == "plan":
        errors = [
            problem.message for problem in planned_run.plan.problems if problem.severity == "error"
        ]
        raise UsageError("\n".join(errors) or "there is no program to start")
    ask(planned_run, options)
    base = None
    if on := trace.report.on:
        if not is_own:
            raise UsageError(
                f"the run started on the result of run {on}, which a trace file does not contain"
            )
        base = recorded_base(find_recorded(on), options.anyway)
    run_outcome = perform(planned_run, resolved_operation, local_skill, LIMITS, base=base)
    if isinstance(run_outcome, int):
        return run_outcome
    request, completed_run = run_outcome
    try:
        key: Key | None = None
        # `record` reports an unusable key; without it masked values cannot be compared.
        with suppress(KeyUnusable):
            key = read_key(os.path.dirname(default_folder()))
        new_folder = record(completed_run, request, trace.mode) or ""
        value = trace_of_run(completed_run, request, trace.mode, key)
        readers = (partial(recorded_text, folder), partial(recorded_text, new_folder))
        rows = differences(trace, trace_of(json.dumps(value).encode(), "the run"), *readers)
    finally:
        remove(completed_run.folder)
    did = any(row.area in DID for row in rows)
    report = completed_run.report
    return parts_result(
        lambda: {
            "of": trace.report.run,
            "run": report.run,
            "same": not did,
            "differences": [row._asdict() for row in rows],
        },
        lambda: difference_lines(rows, trace.report, report),
        CANCELLED if report.ending.cancelled else PROBLEMS if did else OK,
    )


def _isolation(
    resolved_operation: ResolvedOperation,
    least: str,
    is_own: bool,
    network: NetworkChoice,
    options: CommandOptions,
) -> IsolationChoice:
    """The isolation level of the recorded run, else a stronger one. Raises IsolationMissing.

    For the trace of someone else the strongest one, because nobody here chose its inputs.
    """
    options.require_isolation = None
    if options.isolation is None and is_own:
        options.isolation = least
        try:
            return choose_isolation(resolved_operation.launch_spec, options, network)
        except IsolationMissing:
            options.isolation = None
    if options.isolation is None:
        options.require_isolation = least
    return choose_isolation(resolved_operation.launch_spec, options, network)


def _skill(trace: Trace, is_own: bool, options: CommandOptions) -> str:
    if len(options.runs) > 1:
        return str(options.runs[1])
    folder = trace.report.plan.roots.skill
    if not is_own:
        raise UsageError("name the skill: skillstudio trace replay FILE SKILL")
    if not os.path.isdir(folder):
        raise UsageError(f"{folder} no longer exists; name the skill after the run")
    return folder


def _identity(local_skill: LocalSkill) -> dict[str, str | None] | None:
    from skillstudio.skill.hashing.content_hash import HashRefused
    from skillstudio.skill.hashing.identity import identify

    # A trace never names a skill without an identity, so None differs from it.
    with suppress(HashRefused, OSError):
        return identify(local_skill.skill, local_skill.folder).version_tuple
    return None
