"""`skillstudio preview`: outputs before a run, a file as a view, a skill's card, discovery."""

from __future__ import annotations

import os
import re
import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from skillstudio.cli.exit_codes import FINDINGS, OK
from skillstudio.cli.output import Paint, Parser, UsageError, colours_wanted, print_json, say
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.cli.dry import Opened
    from skillstudio.dryrun.plan import Plan
    from skillstudio.preview.ahead import Wanted
    from skillstudio.preview.card.permissions import LastRun
    from skillstudio.preview.card.skill_card import Travels
    from skillstudio.preview.view import View

_HOWS = ("preview", "raw", "hex")
_FIRST = 200
"""Lines of a file that are printed where none are asked for."""
_IN_JSON = 10_000
"""Lines that one JSON value has at most."""
_RUNS = 200
"""Kept runs among which one of the skill is looked for."""
_RANGE = re.compile(r"([0-9]{1,15})?:([0-9]{1,15})?")


def parser() -> Parser:
    from skillstudio.cli.dry import add_inputs

    made = Parser(
        "preview",
        "Show where the outputs of an operation would lie and what is there already; or a FILE as "
        "what it holds; or a skill as agents and installers show it; or which skills a prompt "
        "would find. Nothing of a skill is started.",
        usage="skillstudio preview PATH [OPERATION] [OPTIONS]",
    )
    add = made.add_argument
    add("path", metavar="PATH", help="a skill, a file, or with --prompt a folder of skills")
    add("operation", metavar="OPERATION", nargs="?", default="",
        help="an operation; by itself the only one")  # fmt: skip
    add("--card", action="store_true", help="the skill as agents, installers and policies see it")
    add("--prompt", metavar="TEXT", help="which skills of PATH this text would find, and why")
    add("--view", choices=_HOWS, help="how FILE is shown (default: preview)")
    add("--lines", metavar="A:B", help=f"these lines of FILE, from 1 (default: 1:{_FIRST})")
    add_inputs(made)
    add("--workspace", metavar="DIR", help="the folder that is worked in (default: the repository)")
    add("--repo-root", metavar="DIR", help="what repo_root means, when it is below the workspace")
    add("--format", choices=("text", "json"), default="text")
    return made


def run(arguments: list[str]) -> int:
    """Show it. Exit status 1 where an output's path is not known or something stands in its
    place."""
    options = parser().parse_args(arguments)
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
            raise UsageError(f"--{each} is for a file, and {options.path} is a folder")
    return _outputs(options)


def _refuse(options: Namespace, what: str, *others: str) -> None:
    for each in others:
        if getattr(options, each):
            named = "OPERATION" if each == "operation" else f"--{each}"
            raise UsageError(f"{what} and {named} do not go together")


def _paint() -> Paint:
    return Paint(colours_wanted(sys.stdout))


def _width() -> int:
    try:
        return int(os.environ.get("COLUMNS", "")) or os.get_terminal_size().columns
    except (ValueError, OSError):
        return 80


def _file(options: Namespace) -> int:
    from skillstudio.cli.formats.view import painted, view_value
    from skillstudio.preview.files import view_of
    from skillstudio.preview.source import Special, open_source

    start, end = _range(options.lines)
    source = open_source(options.path)
    if isinstance(source, Special) and source.what in ("missing", "unreadable"):
        raise UsageError(f"{source.name}: {source.told}")
    view = view_of(source, options.view or "preview", max(_width(), 20))
    _reach(view, start)
    if options.format == "json":
        # One value is made of them in memory; as text they go out one by one.
        end = min(end, start + _IN_JSON)
        print_json(view_value(options.path, view, options.view or "preview", start, end))
        return OK
    at = start
    paint = _paint()
    while at < end:
        batch = view.lines(at, end - at)
        if not batch:
            if view.complete:
                break
            continue
        for each in batch:
            print(painted(each, paint))
        at += len(batch)
    _say_rest(view, start, at, options)
    return OK


def _reach(view: View, start: int) -> None:
    """Read on until a line is known, however far down it stands."""
    while start and not view.lines(start, 1) and not view.complete:
        pass


def _say_rest(view: View, start: int, at: int, options: Namespace) -> None:
    if view.note:
        say(f"{view.kind}: {safe_text(view.note)}")
    if options.lines is None and (at < view.count or not view.complete):
        of = f" of {view.count:,}" if view.complete else ""
        say(f"lines {start + 1:,} to {at:,}{of}; --lines A:B shows others")
    elif options.lines is not None and at == start:
        say(f"there is no line {start + 1:,}: it has {view.count:,}")


def _range(text: str | None) -> tuple[int, int]:
    """The lines to show, from 0. Raises UsageError."""
    if text is None:
        return 0, _FIRST
    found = _RANGE.fullmatch(text)
    start = int(found[1] or 1) if found else 0
    end = int(found[2]) if found and found[2] else sys.maxsize
    if not 1 <= start <= end:
        raise UsageError(
            "--lines takes A:B, the first and the last line, from 1; one may be left out"
        )
    return start - 1, end


def _outputs(options: Namespace) -> int:
    from skillstudio.cli.dry import open_skill, read_given, read_roots
    from skillstudio.dryrun.planning.given import OperationUnknown, this_machine
    from skillstudio.dryrun.planning.make import make_plan
    from skillstudio.preview.ahead import look_ahead

    opened = open_skill(options.path)
    given = read_given(opened, options, (), read_roots(opened, options))
    name = options.operation or _only(opened)
    try:
        # What a machine has of the commands says nothing of where files lie.
        bare = opened.interface._replace(requirements=())
        plan = make_plan(opened.skill, bare, name, given, this_machine()).plan
    except OperationUnknown as error:
        raise UsageError(str(error)) from None
    found = look_ahead(_wanted(plan))
    faults = [each for each in plan.problems if each.severity == "error"]
    if options.format == "json":
        from skillstudio.cli.formats.preview import ahead_value

        print_json(ahead_value(plan, found))
    else:
        from skillstudio.cli.formats.plan import problem_line
        from skillstudio.cli.formats.preview import ahead_lines

        for line in ahead_lines(plan, found, _paint()):
            print(line)
        for problem in plan.problems:
            if problem.severity != "info" and "/outputs/" not in problem.pointer:
                say(problem_line(problem, opened.interface, opened.shown, _paint()))
    stuck = any(each.state in ("unknown", "taken") for each in found)
    return FINDINGS if stuck or faults else OK


def _only(opened: Opened) -> str:
    names = [each.name for each in opened.interface.operations]
    return names[0] if len(names) == 1 else ""


def _wanted(plan: Plan) -> list[Wanted]:
    """The planned outputs with the folders that their bases name, and why one is not known."""
    from skillstudio.interface.model import token
    from skillstudio.interface.wording import SENSITIVE
    from skillstudio.preview.ahead import Wanted

    whys = {
        problem.pointer.rpartition("/outputs/")[2]: problem.message
        for problem in plan.problems
        if "/outputs/" in problem.pointer
    }
    found = []
    for each in plan.outputs:
        path, why = each.path, whys.get(token(each.pattern), "").removeprefix(f"{each.pattern}: ")
        if SENSITIVE in path:
            path, why = "", "it holds a sensitive value, so it is not looked for"
        folder = plan.roots.of(each.base)
        found.append(Wanted(each.pattern, path, folder, each.base, "" if path else why))
    return found


def _card(options: Namespace) -> int:
    from skillstudio.cli.dry import open_skill
    from skillstudio.cli.formats.preview import card_lines
    from skillstudio.interface.plain import plain
    from skillstudio.preview.card.skill_card import skill_card

    opened = open_skill(options.path)
    card = skill_card(opened.skill, _travels(opened), _last_run(opened.interface.name))
    if options.format == "json":
        print_json(plain(card))
    else:
        for line in card_lines(card, _width(), _paint()):
            print(line)
    return OK


def _travels(opened: Opened) -> Travels:
    from skillstudio.preview.card.skill_card import LeftBehind, Travels
    from skillstudio.scaffold.packing.packing import plan
    from skillstudio.scaffold.packing.selecting import PackRefused

    try:
        packing = plan(opened.skill.tree, "zip", opened.skill.settings)
    except PackRefused as error:
        return Travels(refused=tuple(error.reasons))
    left = tuple(LeftBehind(each.path, each.reason) for each in packing.left)
    return Travels(packing.selected.paths, left)


def _last_run(skill: str) -> LastRun | None:
    """The newest kept run of a skill; None where there is none that can be read."""
    from skillstudio.dryrun.traces.reading import TraceRefused, read_trace
    from skillstudio.dryrun.traces.store import RunStore, default_folder
    from skillstudio.preview.card.permissions import LastRun, UsedEffect

    seen = ("declared-seen", "undeclared", "blocked")
    unread = 0
    found: LastRun | None = None
    for kept in RunStore(default_folder()).all()[:_RUNS]:
        try:
            report = read_trace(kept.folder).report
        except TraceRefused:
            unread += 1
            continue
        if report.plan.skill == skill:
            effects = tuple(
                UsedEffect(each.effect, each.verdict in seen, each.evidence)
                for each in report.effects
            )
            steps = report.plan.argv.get("unix", ()) or report.plan.argv.get("any", ())
            started = tuple(os.path.basename(argv[0]) for argv in steps if argv)
            found = LastRun(kept.run, effects, started, report.traced)
            break
    if unread:
        say(f"{unread} kept run{'s' if unread > 1 else ''} of another form, passed over")
    return found


def _discovery(options: Namespace) -> int:
    from skillstudio.cli.formats.preview import discovery_lines
    from skillstudio.cli.targets import Notes, targets
    from skillstudio.files.disk import DiskTree
    from skillstudio.interface.plain import plain
    from skillstudio.manifest.locate import locate
    from skillstudio.preview.discovery.find import find
    from skillstudio.preview.discovery.known import know

    notes = Notes()
    skills = []
    for target in targets([options.path], notes):
        try:
            skill = locate(DiskTree(target.disk), target.settings).skill
        except OSError as error:
            notes.add("folder-unreadable", f"{target.shown}: {error.strerror}", target.shown)
            continue
        skills.append(know(skill, target.shown))
    for _, message, *_ in notes.found:
        say(safe_text(message))
    if not skills:
        raise UsageError(f"there is no skill in {options.path}")
    found = find(skills, options.prompt)
    if options.format == "json":
        print_json(plain(found))
    else:
        for line in discovery_lines(found, _paint()):
            print(line)
    return OK if found.found else FINDINGS
