"""`skillstudio preview`: outputs before and after a run, files, a skill's card, discovery."""

from __future__ import annotations

import os
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.output import Parser, UsageError, print_json, say
from skillstudio.cli.view_output import FIRST, paint, print_view, read_lines, width
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.cli.run_arguments import LocalSkill
    from skillstudio.dryrun.plan import Plan
    from skillstudio.preview.ahead import ExpectedOutput

_HOWS = ("preview", "diff", "raw", "hex")
_INPUTS = {
    "inputs": "-i",
    "inputs_json": "--inputs-json",
    "sample": "--sample",
    "env": "--env",
    "secret": "--secret",
    "workspace": "--workspace",
    "repo_root": "--repo-root",
}
"""What a run is given, as it is called."""


def parser() -> Parser:
    from skillstudio.cli.run_arguments import add_inputs

    made = Parser(
        "preview",
        "Show where the outputs of an operation would lie and what is there already; or what a "
        "recorded run changed, and each file of it; or a FILE as what it holds; or a skill as "
        "agents "
        "and installers show it; or which skills a prompt would find. Nothing of a skill is "
        "started.",
        usage="skillstudio preview PATH [OPERATION] [OPTIONS]\n"
        "       skillstudio preview --run RUN [PATH] [OPTIONS]",
    )
    add = made.add_argument
    add("path", metavar="PATH", nargs="?",
        help="a skill, a file, or with --prompt a folder of skills; with --run a file that the run "
        "changed, or a folder of them")  # fmt: skip
    add("operation", metavar="OPERATION", nargs="?", default="",
        help="an operation; by itself the only one")  # fmt: skip
    add("--card", action="store_true", help="the skill as agents, installers and policies see it")
    add("--prompt", metavar="TEXT", help="which skills of PATH this text would find, and why")
    add("--run", metavar="RUN", help="what a recorded run changed: its id, the beginning of it, or "
        "last")  # fmt: skip
    add("--view", choices=_HOWS, help="how a file is shown (default: preview); diff holds one of a "
        "run against what is there now")  # fmt: skip
    add("--diff", action="store_const", dest="view", const="diff", help="the same as --view diff")
    add("--lines", metavar="A:B", help=f"these lines of it, from 1 (default: 1:{FIRST})")
    add_inputs(made)
    add("--workspace", metavar="DIR", help="the folder that is worked in (default: the repository)")
    add("--repo-root", metavar="DIR", help="what repo_root means, when it is below the workspace")
    add("--format", choices=("text", "json", "markdown"), default="text",
        help="markdown is for --card")  # fmt: skip
    add("--all", action="store_true", help="with --card: print whole lists")
    return made


def run(arguments: list[str]) -> int:
    """Show it. Exit status 1 where an output's path is not known or something stands in its
    place."""
    made = parser()
    options = made.parse_intermixed_args(arguments)
    if options.format == "markdown" and not options.card:
        raise UsageError("--format markdown needs --card")
    if options.run is not None:
        from skillstudio.cli.previewed_run import preview_run

        _refuse(options, "--run", "card", "prompt", "operation", *_INPUTS)
        return preview_run(options)
    if options.path is None:
        raise UsageError(f"PATH is missing\n{made.format_usage().strip()}")
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


def _refuse(options: Namespace, what: str, *others: str) -> None:
    for each in others:
        if getattr(options, each):
            named = "OPERATION" if each == "operation" else _INPUTS.get(each, f"--{each}")
            raise UsageError(f"{what} and {named} do not go together")


def _file(options: Namespace) -> int:
    from skillstudio.preview.files import How, view_of
    from skillstudio.preview.source import Special, open_source

    if options.view == "diff":
        raise UsageError("--diff is for a file of a run, which --run RUN names")
    lines = read_lines(options.lines)
    source = open_source(options.path)
    if isinstance(source, Special) and source.what in ("missing", "unreadable"):
        raise UsageError(f"{source.name}: {source.told}")
    how: How = options.view or "preview"
    view = view_of(source, how, max(width(), 20))
    print_view(options.path, view, how, lines, options.format)
    return OK


def _outputs(options: Namespace) -> int:
    from skillstudio.cli.run_arguments import open_skill, read_roots, read_run_inputs
    from skillstudio.dryrun.planning.make import make_plan
    from skillstudio.dryrun.planning.run_inputs import OperationUnknown, this_machine
    from skillstudio.present.outputs import declared_outputs, expected_lines
    from skillstudio.preview.ahead import look_ahead

    opened = open_skill(options.path)
    given = read_run_inputs(opened, options, (), read_roots(opened, options))
    name = options.operation or _only(opened)
    try:
        # What a machine has of the commands says nothing of where files lie.
        bare = opened.interface._replace(requirements=())
        plan = make_plan(opened.skill, bare, name, given, this_machine()).plan
    except OperationUnknown as error:
        raise UsageError(str(error)) from None
    found = look_ahead(declared_outputs(plan))
    faults = [each for each in plan.problems if each.severity == "error"]
    if options.format == "json":
        print_json(_expected_value(plan, found))
    else:
        from skillstudio.cli.formats.painting import painted, print_parts
        from skillstudio.present.plan import problem_line

        print_parts(expected_lines(plan, found), "preview")
        beside = [
            problem_line(each, opened.place(each))
            for each in plan.problems
            if each.severity != "info" and "/outputs/" not in each.pointer
        ]
        for line in painted(beside, paint()):
            say(line)
    stuck = any(each.state in ("unknown", "taken") for each in found)
    return PROBLEMS if stuck or faults else OK


def _expected_value(plan: Plan, found: tuple[ExpectedOutput, ...]) -> dict[str, Any]:
    return {
        "skill": plan.skill,
        "operation": plan.operation,
        "workspace": plan.roots.workspace,
        "outputs": [
            {
                "pattern": each.pattern,
                "path": each.path or None,
                "folder": each.folder,
                "base": each.base,
                "state": each.state,
                "existing": [{"path": e.path, "size": e.size} for e in each.existing],
                "why": each.why or None,
            }
            for each in found
        ],
        "problems": [
            {"rule": each.rule, "message": each.message, "severity": each.severity}
            for each in plan.problems
        ],
    }


def _only(opened: LocalSkill) -> str:
    names = [each.name for each in opened.interface.operations]
    return names[0] if len(names) == 1 else ""


def _card(options: Namespace) -> int:
    from skillstudio.cli.lists import SHOWN, cut_json
    from skillstudio.cli.run_arguments import open_skill
    from skillstudio.dryrun.traces.store import RunStore, default_folder
    from skillstudio.session.previewing.card import last_run, make_card

    opened = open_skill(options.path)
    last = last_run(RunStore(default_folder()), os.path.realpath(opened.folder))
    card = make_card(opened.skill, last.report if last else None)
    if options.format == "json":
        print_json(cut_json(card._asdict(), options.all))
    else:
        from skillstudio.cli.formats.painting import print_parts
        from skillstudio.present.card import card_lines

        print_parts(card_lines(card, None if options.all else SHOWN), "preview", options.format)
    return OK


def _discovery(options: Namespace) -> int:
    from skillstudio.cli.skill_paths import Notes, skill_paths
    from skillstudio.files.disk import DiskTree
    from skillstudio.interface.plain import plain
    from skillstudio.manifest.locate import locate
    from skillstudio.preview.discovery.find import find
    from skillstudio.preview.discovery.known import know

    notes = Notes()
    skills = []
    for skill_path in skill_paths([options.path], notes):
        try:
            skill = locate(DiskTree(skill_path.disk), skill_path.settings).skill
        except OSError as error:
            notes.add(
                "folder-unreadable", f"{skill_path.shown}: {error.strerror}", skill_path.shown
            )
            continue
        skills.append(know(skill, skill_path.shown))
    for _, message, *_ in notes.found:
        say(safe_text(message))
    if not skills:
        raise UsageError(f"there is no skill in {options.path}")
    found = find(skills, options.prompt)
    if options.format == "json":
        print_json(plain(found))
    else:
        from skillstudio.cli.formats.painting import print_parts
        from skillstudio.present.discovery import discovery_lines

        print_parts(discovery_lines(found), "preview")
    return OK if found.found else PROBLEMS
