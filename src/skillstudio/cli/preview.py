"""`skillstudio preview`: preview outputs, files, a skill's card or its discovery."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.output import Result, UsageError, paint, say
from skillstudio.cli.view_output import read_lines, view_result, width

if TYPE_CHECKING:
    from skillstudio.cli.run_arguments import LocalSkill

_INPUTS = {
    "inputs": "-i",
    "inputs_json": "--inputs-json",
    "sample": "--sample",
    "env": "--env",
    "secret": "--secret",
    "workspace": "--workspace",
    "repo_root": "--repo-root",
}
"""The options with the values of a run, by their attributes."""


def run(options: CommandOptions) -> Result:
    """Preview. Exit status 1 if the path of an output is unknown or blocked."""
    if options.diff:
        options.view = "diff"
    if options.run is not None:
        from skillstudio.cli.previewed_run import preview_run

        _refuse(options, "--run", "card", "prompt", "operation", *_INPUTS)
        return preview_run(options)
    if options.path is None:
        raise UsageError("missing PATH\nskillstudio preview --help lists its arguments")
    if not os.path.lexists(options.path):
        raise UsageError(f"{options.path}: no such file or folder")
    if options.prompt is not None:
        _refuse(options, "--prompt", "card", "view", "lines", "operation")
        return _discovery(options)
    if options.card:
        _refuse(options, "--card", "view", "lines", "operation")
        return _card(options)
    if not os.path.isdir(options.path):
        _refuse(options, "a file", "operation")
        return _file(options)
    for each in ("view", "lines"):
        if getattr(options, each):
            named = "diff" if getattr(options, each) == "diff" else each
            raise UsageError(f"--{named} is for a file, and {options.path} is a folder")
    return _outputs(options)


def _refuse(options: CommandOptions, what: str, *others: str) -> None:
    for each in others:
        if getattr(options, each):
            named = "OPERATION" if each == "operation" else _INPUTS.get(each, f"--{each}")
            raise UsageError(f"{what} and {named} cannot be combined")


def _file(options: CommandOptions) -> Result:
    from skillstudio.preview.files import How, view_of
    from skillstudio.preview.source import Special, open_source

    if options.view == "diff":
        raise UsageError("--diff needs a file of a run; name the run with --run RUN")
    lines = read_lines(options.lines)
    source = open_source(options.path)
    if isinstance(source, Special) and source.what in ("missing", "unreadable"):
        raise UsageError(f"{source.name}: {source.told}")
    how: How = options.view or "preview"
    return view_result(options.path, view_of(source, how, max(width(), 20)), how, lines)


def _outputs(options: CommandOptions) -> Result:
    from skillstudio.cli.formats.plan import problem_line
    from skillstudio.cli.formats.preview import ahead_lines, ahead_value
    from skillstudio.cli.run_arguments import open_skill, read_roots, read_run_inputs
    from skillstudio.dryrun.planning.make import make_plan
    from skillstudio.dryrun.planning.run_inputs import OperationUnknown, this_machine
    from skillstudio.preview.ahead import look_ahead
    from skillstudio.session.previewing.files import wanted_outputs

    opened = open_skill(options.path)
    given = read_run_inputs(opened, options, (), read_roots(opened, options))
    name = options.operation or _only(opened)
    try:
        # The paths of outputs do not depend on requirements.
        bare = opened.interface._replace(requirements=())
        plan = make_plan(opened.skill, bare, name, given, this_machine()).plan
    except OperationUnknown as error:
        raise UsageError(str(error)) from None
    found = look_ahead(wanted_outputs(plan))
    faults = [each for each in plan.problems if each.severity == "error"]
    if options.format != "json":
        for problem in plan.problems:
            if problem.severity != "info" and "/outputs/" not in problem.pointer:
                line = problem_line(problem, opened.interface, opened.shown, paint())
                print(line, file=sys.stderr)
    blocked = any(each.state in ("unknown", "taken") for each in found)
    return Result(
        lambda: ahead_value(plan, found),
        lambda paint: ahead_lines(plan, found, paint),
        PROBLEMS if blocked or faults else OK,
    )


def _only(opened: LocalSkill) -> str:
    names = [each.name for each in opened.interface.operations]
    return names[0] if len(names) == 1 else ""


def _card(options: CommandOptions) -> Result:
    from skillstudio.cli.formats.preview import card_lines
    from skillstudio.cli.lists import SHOWN, cut_json
    from skillstudio.cli.run_arguments import open_skill
    from skillstudio.dryrun.traces.store import RunStore, default_folder
    from skillstudio.session.previewing.card import last_run, make_card

    opened = open_skill(options.path)
    last = last_run(RunStore(default_folder()), os.path.realpath(opened.folder))
    card = make_card(opened.skill, last.report if last else None)
    most = None if options.all else SHOWN
    return Result(
        lambda: cut_json(card._asdict(), options.all),
        lambda paint: card_lines(card, width(), paint, most),
    )


def _discovery(options: CommandOptions) -> Result:
    from skillstudio.cli.formats.preview import discovery_lines
    from skillstudio.cli.skill_paths import Notes, skill_paths
    from skillstudio.files.disk import DiskTree
    from skillstudio.interface.plain import plain
    from skillstudio.manifest.locate import locate
    from skillstudio.preview.discovery.find import find
    from skillstudio.preview.discovery.known import know

    notes = Notes()
    skills = []
    for target in skill_paths([options.path], notes):
        try:
            skill = locate(DiskTree(target.disk), target.settings).skill
        except OSError as error:
            notes.add("folder-unreadable", f"{target.shown}: {error.strerror}", target.shown)
            continue
        skills.append(know(skill, target.shown))
    for _, message, *_ in notes.found:
        say(message)
    if not skills:
        raise UsageError(f"there is no skill in {options.path}")
    found = find(skills, options.prompt)
    return Result(
        lambda: plain(found),
        lambda paint: discovery_lines(found, paint),
        OK if found.found else PROBLEMS,
    )
