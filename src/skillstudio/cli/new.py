"""`skillstudio new`: begin a skill with a template."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from typing import TYPE_CHECKING, Any

from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.output import Paint, Parser, UsageError, colours_wanted, print_json, say
from skillstudio.cli.prompts import ask_all, can_ask, choose
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.cli.report import ReportedDiagnostic
    from skillstudio.scaffold.new.creation import SkillDraft
    from skillstudio.scaffold.new.interview import AskedQuestion, Interview
    from skillstudio.settings.settings import SkillSettings


def parser() -> Parser:
    made = Parser(
        "new",
        "Begin a skill with a template or with scripts. The template is a name (skillstudio "
        "templates lists them), a folder with a copier.yml, or the address of a git repository. "
        "Everything is rendered and checked aside, and nothing that exists is overwritten.",
        usage="skillstudio new [-h] [-D KEY=VALUE]... [options] [TEMPLATE] DEST\n"
        "       skillstudio new --from DIR [options] DEST",
    )
    add = made.add_argument
    add("words", nargs="+", metavar="[TEMPLATE] DEST", help="the template, and the new folder")
    add(
        "-D",
        "--data",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="the answer to a question",
    )
    add("--from", dest="scripts", metavar="DIR", help="draft the skill from a folder of scripts")
    add("--defaults", action="store_true", help="take the default of every other question")
    add("--ref", default="", help="the branch or tag of a template's git repository")
    add("--dry-run", action="store_true", help="show what would be made and write nothing")
    add("--anyway", action="store_true", help="make the skill even if the check finds errors")
    add("--format", choices=("text", "json"), default="text")
    return made


def run(arguments: list[str]) -> int:
    """Make a skill. Exit status 1 when its check finds errors or it cannot be written."""
    from skillstudio.dryrun.isolation.confinement import confinement
    from skillstudio.scaffold.new.catalogue import TemplateNotFound, open_template
    from skillstudio.scaffold.new.copier_file import TemplateFault
    from skillstudio.scaffold.new.creation import name_of, where_fault
    from skillstudio.scaffold.new.interview import Interview
    from skillstudio.scaffold.new.renderer import RendererMissing
    from skillstudio.scaffold.new.scripts.gathering import NoScripts
    from skillstudio.scaffold.new.scripts.interview import ScriptInterview

    options = parser().parse_intermixed_args(arguments)
    destination = _destination(options)
    fault = where_fault(destination)
    if fault:
        raise UsageError(
            f"{destination}: {fault}" if destination else "DEST is empty: name a folder"
        )
    try:
        if options.scripts is not None:
            with ScriptInterview(options.scripts, name_of(destination)) as scripts:
                return _make(scripts, destination, options)
        with (
            open_template(_which(options), options.ref) as template,
            Interview(template, name_of(destination), confinement()) as interview,
        ):
            return _make(interview, destination, options)
    except (TemplateNotFound, TemplateFault, RendererMissing, NoScripts) as error:
        raise UsageError(str(error)) from None


def _destination(options: Namespace) -> str:
    """The new folder. Raises UsageError for words and options that do not go together."""
    words: list[str] = options.words
    if options.scripts is not None:
        if len(words) > 1:
            raise UsageError(f"{words[1]} is one too many: with --from name a new folder alone")
        if options.ref:
            raise UsageError("--ref is of a template, and --from takes none")
    elif len(words) > 2:
        raise UsageError(f"{words[2]} is one too many: name a template and a new folder")
    return words[-1]


def _which(options: Namespace) -> str:
    """The template that was named, or that somebody chooses."""
    if len(options.words) == 2:
        return str(options.words[0])
    from skillstudio.scaffold.new.catalogue import list_templates

    templates = list_templates().templates
    only = options.words[0]
    if only in templates:
        raise UsageError(
            f"{only} is a template: name the new folder behind it; ./{only} is a folder"
        )
    if options.defaults:
        return _usual()
    if not can_ask():
        names = ", ".join(templates)
        raise UsageError(f"name a template before the folder, or take --defaults: {names}")
    usual = sorted(templates.values(), key=lambda each: each.name != _usual())
    return choose("template", [(each.name, each.description) for each in usual])


def _usual() -> str:
    """The template of `new DEST --defaults`, called as the dialect that every agent reads."""
    from skillstudio.manifest.registry import base_dialect

    return base_dialect().id


def _make(interview: Interview, destination: str, options: Namespace) -> int:
    from skillstudio.scaffold.new.creation import draft

    template: str | None = interview.template.name
    if options.scripts is not None:
        # What scripts leave open is said by the check afterwards, so nothing has to be asked.
        template, options.defaults = None, True
    answers = _answers(interview, options)
    values = {each.name: each.answer for each in answers if _has_answer(each)}
    made = draft(interview, values, _settings(destination))
    shown = {
        each.name: "‹sensitive›" if each.question.secret else each.answer
        for each in answers
        if each.shown and _has_answer(each)
    }
    return _finish(made, destination, options, template, shown)


def _finish(
    made: SkillDraft,
    destination: str,
    options: Namespace,
    template: str | None,
    answers: dict[str, Any],
) -> int:
    """Write what was drafted, unless it must not be, and say what became of it."""
    from skillstudio.files.placing import NotPlaced
    from skillstudio.scaffold.new.creation import create

    wanted = not options.dry_run and (options.anyway or not made.errors)
    status = PROBLEMS if made.errors and not (wanted and options.anyway) else OK
    trouble = ""
    if wanted:
        try:
            create(made, destination)
        except NotPlaced as error:
            trouble, status, wanted = str(error), PROBLEMS, False
    if options.format == "json":
        print_json(_as_json(destination, made, template, answers, wanted))
    else:
        _print(made, destination, wanted, options)
    if trouble:
        say(f"skillstudio: {safe_text(trouble)}")
    elif made.errors and not wanted and not options.dry_run:
        say(
            f"skillstudio: nothing was made, because of {_count(made.errors, 'error')}; "
            "--anyway makes the skill all the same"
        )
    return status


def _answers(interview: Interview, options: Namespace) -> list[AskedQuestion]:
    """Every question with its answer. Raises UsageError where one is missing or cannot stay."""
    given = _given(interview, options)
    asked = interview.walk(given)
    wrong = [sentence for each in asked for sentence in each.sentences]
    if wrong:
        raise UsageError("\n".join(wrong))
    if not options.defaults and can_ask():
        return ask_all(interview, given)
    lacking = [
        each.name for each in asked if each.open and not (options.defaults and _has_answer(each))
    ]
    if lacking:
        names = ", ".join(lacking)
        also = "" if options.defaults else ", or take --defaults"
        raise UsageError(f"no answer to {names}; give each with -D NAME=VALUE{also}")
    return asked


def _given(interview: Interview, options: Namespace) -> dict[str, Any]:
    from skillstudio.text.nearest import nearest

    known = [each.name for each in interview.template.questions]
    given: dict[str, Any] = {}
    for pair in options.data:
        key, equals, value = pair.partition("=")
        if not equals:
            raise UsageError(f"-D {pair}: write KEY=VALUE")
        if key not in known:
            near = nearest(key, known)
            hint = f"did you mean {near}?" if near else f"it asks {', '.join(known) or 'nothing'}"
            who = "the template" if options.scripts is None else "new --from"
            raise UsageError(f"{who} asks no {key}; {hint}")
        given[key] = value
    return given


def _has_answer(asked: AskedQuestion) -> bool:
    from skillstudio.scaffold.new.template import MISSING

    return asked.answer is not MISSING


def _settings(destination: str) -> SkillSettings:
    """The settings that hold where the skill will lie."""
    from skillstudio.cli.skill_paths import Notes, settings_for
    from skillstudio.settings.settings import NO_SETTINGS

    target = os.path.abspath(destination)
    settings, root = settings_for(os.path.dirname(target), Notes())
    if settings is None:
        return NO_SETTINGS
    return settings.for_skill(os.path.relpath(target, root).replace(os.sep, "/"))


def _print(made: SkillDraft, destination: str, done: bool, options: Namespace) -> None:
    from skillstudio.cli.formats import text
    from skillstudio.cli.report import SHOWN_OF_RULE, CheckReport, checked

    paint = Paint(colours_wanted(sys.stdout))
    shown = destination.replace(os.sep, "/").rstrip("/")
    print(paint(safe_text(f"{shown}/"), "place"))
    for line in _tree(made):
        print(safe_text(line))
    for note in made.rendered.notes:
        say(safe_text(note))
    report = CheckReport()
    report.skills.append(checked(shown, made.analysis))
    report.workspace += _no_skill(made, shown)
    for line in text.lines(report, report.cut(SHOWN_OF_RULE), paint):
        print(line)
    refusing = [id for id, accepted in made.analysis.targets.items() if not accepted]
    if made.analysis.skill.markdown is not None and refusing:
        print(f"not accepted by {', '.join(refusing)}; skillstudio why {safe_text(shown)} says why")
    if done:
        print(safe_text(f"made {shown}; skillstudio {shown} opens it"))
    elif options.dry_run:
        print("nothing was written")


def _no_skill(made: SkillDraft, shown: str) -> list[ReportedDiagnostic]:
    """What there is to say where a template makes something else than a skill."""
    from skillstudio.cli.report import workspace_diagnostic
    from skillstudio.manifest.registry import manifest_files

    if made.is_skill:
        return []
    message = f"{shown} would be no skill: no {manifest_files()}"
    return [workspace_diagnostic("skill-missing", message, shown, 1, 1)]


def _tree(made: SkillDraft) -> list[str]:
    """The files as a tree, folders before what is in them."""
    lines: list[str] = []
    shown: set[str] = set()
    for path in sorted(made.rendered.files):
        parts = path.split("/")
        for depth in range(1, len(parts)):
            folder = "/".join(parts[:depth])
            if folder not in shown:
                shown.add(folder)
                lines.append(f"{'  ' * depth}{parts[depth - 1]}/")
        size = len(made.rendered.files[path])
        mark = ", may be executed" if path in made.rendered.executable else ""
        lines.append(f"{'  ' * len(parts)}{parts[-1]}  ({_count(size, 'byte')}{mark})")
    return lines


def _as_json(
    destination: str, made: SkillDraft, template: str | None, answers: dict[str, Any], done: bool
) -> dict[str, Any]:
    from skillstudio.cli.report import checked

    shown = destination.replace(os.sep, "/")
    row = checked(shown, made.analysis).as_json()
    return {
        "path": shown,
        "template": template,
        "made": done,
        "answers": answers,
        "files": [
            {"path": path, "size": len(data), "executable": path in made.rendered.executable}
            for path, data in sorted(made.rendered.files.items())
        ],
        "notes": list(made.rendered.notes),
        "dialects": row["dialects"],
        "diagnostics": [
            *(each.as_json() for each in _no_skill(made, shown)),
            *row["diagnostics"],
        ],
        "targets": row["targets"],
    }


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
