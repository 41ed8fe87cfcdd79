"""`skillstudio preview`: preview outputs, files, a skill's card or topics."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.help import columns
from skillstudio.cli.output import Paint, Result, UsageError, colours_wanted, say
from skillstudio.cli.painting import paint_lines, parts_result
from skillstudio.cli.view_output import read_lines, view_result

if TYPE_CHECKING:
    from skillstudio.dryrun.plan import Plan
    from skillstudio.preview.ahead import ExpectedOutput

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
    if options.format == "markdown" and not options.card:
        raise UsageError("--format markdown needs --card")
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
        return _topics(options)
    if options.card:
        _refuse(options, "--card", "view", "lines", "operation")
        return _card(options)
    if not os.path.isdir(options.path):
        _refuse(options, "a file", "operation")
        return _file(options)
    for option in ("view", "lines"):
        if getattr(options, option):
            option_name = "diff" if getattr(options, option) == "diff" else option
            raise UsageError(f"--{option_name} is for a file, and {options.path} is a folder")
    return _outputs(options)


def _refuse(options: CommandOptions, what: str, *option_names: str) -> None:
    for option in option_names:
        if getattr(options, option):
            option_text = (
                "OPERATION" if option == "operation" else _INPUTS.get(option, f"--{option}")
            )
            raise UsageError(f"{what} and {option_text} cannot be combined")


def _file(options: CommandOptions) -> Result:
    from skillstudio.preview.files import How, view_of
    from skillstudio.preview.source import Special, open_source

    if options.view == "diff":
        raise UsageError("--diff needs a file of a run; name the run with --run RUN")
    lines = read_lines(options.lines)
    source = open_source(options.path)
    if isinstance(source, Special) and source.what in ("missing", "unreadable"):
        raise UsageError(f"{source.name}: {source.description}")
    how: How = options.view or "preview"
    return view_result(options.path, view_of(source, how, max(columns(), 20)), how, lines)


def _outputs(options: CommandOptions) -> Result:
    from skillstudio.cli.run_arguments import open_skill, read_roots, read_run_inputs
    from skillstudio.present.outputs import declared_outputs, expected_lines
    from skillstudio.present.plan import problem_line
    from skillstudio.preview.ahead import look_ahead

    local_skill = open_skill(options.path)
    run_inputs = read_run_inputs(local_skill, options, (), read_roots(local_skill, options))
    name = options.operation or local_skill.only_operation
    # The paths of outputs do not depend on requirements.
    bare = local_skill._replace(interface=local_skill.interface._replace(requirements=()))
    plan = bare.plan(name, run_inputs).plan
    outputs = look_ahead(declared_outputs(plan))
    faults = [problem for problem in plan.problems if problem.severity == "error"]
    if options.format != "json":
        beside = [
            problem_line(problem, local_skill.place(problem))
            for problem in plan.problems
            if problem.severity != "info" and "/outputs/" not in problem.pointer
        ]
        for line in paint_lines(beside, Paint(colours_wanted(sys.stderr, options.color))):
            print(line, file=sys.stderr)
    is_blocked = any(output.state in ("unknown", "taken") for output in outputs)
    return parts_result(
        lambda: _expected_value(plan, outputs),
        lambda: expected_lines(plan, outputs),
        PROBLEMS if is_blocked or faults else OK,
    )


def _expected_value(plan: Plan, outputs: tuple[ExpectedOutput, ...]) -> dict[str, Any]:
    return {
        "skill": plan.skill,
        "operation": plan.operation,
        "workspace": plan.roots.workspace,
        "outputs": [
            output._asdict()
            | {"path": output.path or None, "why": output.why or None}
            | {"existing": [file._asdict() for file in output.existing]}
            for output in outputs
        ],
        "problems": [
            {key: getattr(problem, key) for key in ("rule", "message", "severity")}
            for problem in plan.problems
        ],
    }


def _card(options: CommandOptions) -> Result:
    from skillstudio.cli.lists import MOST_SHOWN, cut_json
    from skillstudio.cli.run_arguments import open_skill
    from skillstudio.dryrun.traces.store import RunStore, default_folder
    from skillstudio.present.card import card_lines
    from skillstudio.session.previewing.previewing import last_run, make_card

    local_skill = open_skill(options.path)
    last = last_run(RunStore(default_folder()), os.path.realpath(local_skill.folder))
    card = make_card(local_skill.skill, last.trace.report if last else None)
    most = None if options.all else MOST_SHOWN
    return parts_result(
        lambda: cut_json(card._asdict(), options.all), lambda: card_lines(card, most)
    )


def _topics(options: CommandOptions) -> Result:
    from skillstudio.cli.skill_paths import skill_paths
    from skillstudio.files.disk import DiskTree
    from skillstudio.interface.plain import plain
    from skillstudio.manifest.locate import locate
    from skillstudio.present.topics import topic_lines
    from skillstudio.preview.topics.declared import read_topics
    from skillstudio.preview.topics.match import match_prompt
    from skillstudio.skill.workspace import WorkspaceSearch

    search = WorkspaceSearch()
    skills = []
    for target in skill_paths([options.path], search):
        try:
            skill = locate(DiskTree(target.disk), target.settings).skill
        except OSError as error:
            search.add("folder-unreadable", f"{target.label}: {error.strerror}", target.label)
            continue
        skills.append(read_topics(skill, target.label))
    for problem in search.problems:
        say(problem.diagnostic.message)
    if not skills:
        raise UsageError(f"there is no skill in {options.path}")
    matches = match_prompt(skills, options.prompt)
    status = OK if matches.matching else PROBLEMS
    return parts_result(lambda: plain(matches), lambda: topic_lines(matches), status)
