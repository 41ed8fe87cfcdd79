"""`skillstudio new`: create a skill from a template or from scripts, or list the templates."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.output import Paint, Result, UsageError, refuse_on, say, warn
from skillstudio.cli.progress import hidden_progress
from skillstudio.present.lines import count
from skillstudio.text.safe import safe_text

if TYPE_CHECKING:
    from skillstudio.cli.report import CheckReport
    from skillstudio.scaffold.new.creation import SkillDraft
    from skillstudio.scaffold.new.interview import AskedQuestion, Interview
    from skillstudio.scaffold.new.template import Question, Template
    from skillstudio.settings.settings import SkillSettings


def run(options: CommandOptions) -> Result:
    """Create a skill. Exit status 1 if its check finds errors or it cannot be written."""
    from skillstudio.dryrun.isolation.landlock import confinement
    from skillstudio.scaffold.destination import where_fault
    from skillstudio.scaffold.new.catalogue import TemplateNotFound, open_template
    from skillstudio.scaffold.new.copier_file import TemplateFault
    from skillstudio.scaffold.new.creation import name_of
    from skillstudio.scaffold.new.interview import Interview
    from skillstudio.scaffold.new.renderer import RendererMissing
    from skillstudio.scaffold.new.scripts.drafting import ScriptInterview
    from skillstudio.scaffold.new.scripts.gathering import NoScripts

    if options.list:
        with refuse_on(TemplateNotFound, TemplateFault):
            return _list(options)
    destination: str = options.dest
    if options.scripts is not None and options.template is not None:
        raise UsageError(f"unexpected argument {destination}: --from needs only the new folder")
    if options.scripts is not None and options.ref:
        raise UsageError("--ref selects a version of a template; omit --from")
    fault = where_fault(destination)
    if fault:
        raise UsageError(
            f"{destination}: {fault}" if destination else "DEST is empty: name a folder"
        )
    with refuse_on(TemplateNotFound, TemplateFault, RendererMissing, NoScripts):
        if options.scripts is not None:
            with ScriptInterview(options.scripts, name_of(destination)) as scripts:
                return _make(scripts, destination, options)
        with (
            open_template(_which(options), options.ref) as template,
            Interview(template, name_of(destination), confinement()) as interview,
        ):
            return _make(interview, destination, options)


def _list(options: CommandOptions) -> Result:
    """List the templates; exit status 1 if one of the user's own has a fault.

    Raises TemplateNotFound, TemplateFault.
    """
    from skillstudio.scaffold.new.catalogue import list_templates, open_template, user_folder

    if options.template is None:
        catalogue = list_templates()
        templates, faults = list(catalogue.templates.values()), catalogue.faults
        folder = f"your own templates: {safe_text(user_folder())}"
    else:
        with open_template(options.template, options.ref) as template:
            templates, faults, folder = [template], [], ""
    say(*map(str, faults))
    return Result(
        lambda: {"templates": list(map(_template, templates))},
        lambda paint: (
            *(line for template in templates for line in _template_lines(template, paint)),
            *([folder] if folder else []),
        ),
        PROBLEMS if faults else OK,
    )


def _template(template: Template) -> dict[str, Any]:
    """A template in the shape of `new --list --format json`; texts as `copier.yml` has them."""
    return {
        "name": template.name,
        "description": template.description,
        "dialect": template.dialect,
        "questions": list(map(_question, template.questions)),
    }


def _question(question: Question) -> dict[str, Any]:
    from skillstudio.scaffold.new.template import MISSING

    is_hidden = question.secret or question.default is MISSING
    return {
        "name": question.name,
        "type": question.type,
        "default": None if is_hidden else question.default,
        "help": question.help,
        "choices": question.values,
    }


def _template_lines(template: Template, paint: Paint) -> Iterator[str]:
    about = safe_text(template.description)
    kind = f" ({safe_text(template.dialect)})" if template.dialect else ""
    yield f"{paint(safe_text(template.name), 'place')}{kind}: {about}"
    for question in template.questions:
        values = question.values
        choices = f" ({', '.join(safe_text(str(value)) for value in values)})" if values else ""
        yield f"  {safe_text(question.name)}: {safe_text(question.help.strip())}{choices}"


def _which(options: CommandOptions) -> str:
    if options.template is not None:
        return str(options.template)
    from skillstudio.scaffold.new.catalogue import list_templates

    templates = list_templates().templates
    only = options.dest
    if only in templates:
        raise UsageError(
            f"{only} is a template: name the new folder after it, or write ./{only} for a folder"
        )
    if options.defaults:
        return _usual()
    if not _can_ask():
        names = ", ".join(templates)
        raise UsageError(f"name a template before the folder, or use --defaults: {names}")
    usual = sorted(templates.values(), key=lambda template: template.name != _usual())
    return _choose("template", [(template.name, template.description) for template in usual])


def _usual() -> str:
    """The template of `new DEST --defaults`, named as the dialect that every agent reads."""
    from skillstudio.manifest.registry import base_dialect

    return base_dialect().id


def _make(interview: Interview, destination: str, options: CommandOptions) -> Result:
    """Write the draft of a skill, if it may be written, and report."""
    from skillstudio.files.placing import NotPlaced
    from skillstudio.scaffold.new.creation import create, draft

    template: str | None = interview.template.name
    if options.scripts is not None:
        # The check reports what scripts leave open, so nothing has to be asked.
        template, options.defaults = None, True
    answers = [answer for answer in ask_answers(interview, options) if _has_answer(answer)]
    skill_draft = draft(
        interview, {answer.name: answer.answer for answer in answers}, _settings(destination)
    )
    answer_values = {
        answer.name: "‹sensitive›" if answer.question.secret else answer.answer
        for answer in answers
        if answer.is_shown
    }
    is_created = not options.dry_run and (options.anyway or not skill_draft.errors)
    status = PROBLEMS if skill_draft.errors and not (is_created and options.anyway) else OK
    if options.format != "json":
        say(*skill_draft.rendering.notes)
    if is_created:
        try:
            create(skill_draft, destination)
        except NotPlaced as error:
            warn(str(error))
            status, is_created = PROBLEMS, False
    elif skill_draft.errors and not options.dry_run:
        errors = count(skill_draft.errors, "error")
        warn(f"nothing was created because of {errors}; --anyway creates the skill anyway")
    path = destination.replace(os.sep, "/").rstrip("/")
    files = skill_draft.rendering.files
    return Result(
        lambda: {
            "path": path,
            "template": template,
            "made": is_created,
            "answers": answer_values,
            "files": [
                {"path": name, "size": len(files[name]),
                 "executable": name in skill_draft.rendering.executable}
                for name in sorted(files)
            ],
            "links": dict(skill_draft.rendering.links),
            "notes": list(skill_draft.rendering.notes),
            "next": skill_draft.rendering.next,
            "dialects": skill_draft.analysis.dialects,
            "diagnostics": [
                diagnostic.as_json() for diagnostic in _report(skill_draft, path).diagnostics()
            ],
            "targets": _report(skill_draft, path).skills[0].as_json()["targets"],
        },
        lambda paint: _lines(skill_draft, path, is_created, options, paint),
        status,
    )  # fmt: skip


def ask_answers(
    interview: Interview, options: CommandOptions, known_answers: Mapping[str, Any] = {}
) -> list[AskedQuestion]:
    """All questions with their answers: from the options, `known_answers` ones, and at the
    terminal.

    Raises UsageError if an answer is invalid or missing.
    """
    given_answers = {**known_answers, **_read_answers(interview, options)}
    questions = interview.walk(given_answers)
    wrong = [sentence for question in questions for sentence in question.sentences]
    if wrong:
        raise UsageError("\n".join(wrong))
    if not options.defaults and _can_ask():
        return _ask_all(interview, given_answers)
    missing_names = [
        question.name
        for question in questions
        if question.open and not (options.defaults and _has_answer(question))
    ]
    if missing_names:
        names = ", ".join(missing_names)
        also = "" if options.defaults else ", or use --defaults"
        raise UsageError(f"no answer to {names}; answer with -D NAME=VALUE{also}")
    return questions


def _read_answers(interview: Interview, options: CommandOptions) -> dict[str, Any]:
    from skillstudio.text.nearest import did_you_mean

    question_names = [question.name for question in interview.template.questions]
    answers: dict[str, Any] = {}
    for pair in options.data:
        key, equals, value = pair.partition("=")
        if not equals:
            raise UsageError(f"-D {pair}: expected KEY=VALUE")
        if key not in question_names:
            hint = did_you_mean(
                key, question_names, f"; its questions: {', '.join(question_names) or 'none'}"
            )
            who = "new --from" if getattr(options, "scripts", None) is not None else "the template"
            raise UsageError(f"{who} has no question {key}{hint}")
        answers[key] = value
    return answers


def _has_answer(asked_question: AskedQuestion) -> bool:
    from skillstudio.scaffold.new.template import MISSING

    return asked_question.answer is not MISSING


def _settings(destination: str) -> SkillSettings:
    from skillstudio.cli.skill_paths import say_settings_problems
    from skillstudio.skill.workspace import WorkspaceSearch

    target = os.path.abspath(destination)
    search = WorkspaceSearch()
    settings = search.settings_of(target)
    say_settings_problems(search)
    return search.add_place(settings, target)


def _report(skill_draft: SkillDraft, path: str) -> CheckReport:
    from skillstudio.cli.report import CheckReport, make_skill_row, reported_problem
    from skillstudio.manifest.rulebook import severity_of
    from skillstudio.skill.workspace import WorkspaceProblem
    from skillstudio.text.diagnostic import Diagnostic

    report = CheckReport()
    report.skills.append(make_skill_row(path, skill_draft.analysis))
    if not skill_draft.is_skill:
        from skillstudio.manifest.registry import manifest_files

        message = f"{path} would not be a skill: no {manifest_files()}"
        missing = Diagnostic("skill-missing", message, severity=severity_of("skill-missing"))
        report.workspace.append(reported_problem(WorkspaceProblem(path, missing)))
    return report


def _lines(
    skill_draft: SkillDraft, path: str, is_created: bool, options: CommandOptions, paint: Paint
) -> Iterator[str]:
    from skillstudio.cli.report import report_lines

    yield paint(safe_text(f"{path}/"), "place")
    yield from map(safe_text, _tree(skill_draft))
    report = _report(skill_draft, path)
    yield from report_lines(report, paint)
    refusing_targets = [
        id for id, answer in skill_draft.analysis.targets.items() if answer.is_rejection
    ]
    if skill_draft.analysis.skill.markdown is not None and refusing_targets:
        yield (
            f"not accepted by {', '.join(refusing_targets)}; skillstudio why "
            f"{safe_text(path)} explains"
        )
    if is_created:
        yield safe_text(f"created {path}; skillstudio {path} opens it")
        if skill_draft.rendering.next:
            yield safe_text(skill_draft.rendering.next)
    elif options.dry_run:
        yield "nothing was written"


def _tree(skill_draft: SkillDraft) -> list[str]:
    lines: list[str] = []
    listed_folders: set[str] = set()
    links = skill_draft.rendering.links
    for path in sorted([*skill_draft.rendering.files, *links]):
        parts = path.split("/")
        for depth in range(1, len(parts)):
            folder = "/".join(parts[:depth])
            if folder not in listed_folders:
                listed_folders.add(folder)
                lines.append(f"{'  ' * depth}{parts[depth - 1]}/")
        if path in links:
            lines.append(f"{'  ' * len(parts)}{parts[-1]} -> {links[path]}")
            continue
        size = len(skill_draft.rendering.files[path])
        mark = ", executable" if path in skill_draft.rendering.executable else ""
        lines.append(f"{'  ' * len(parts)}{parts[-1]}  ({count(size, 'byte')}{mark})")
    return lines


def _can_ask() -> bool:
    """Whether a person can answer at the terminal; prompts go to standard error."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def _ask_all(interview: Interview, given_answers: dict[str, Any]) -> list[AskedQuestion]:
    """Ask every question without an answer, again if the answer is invalid.

    The answers are added to `given_answers`. Raises UsageError if the input ends.
    """
    while True:
        questions = interview.walk(given_answers)
        next_question = next(
            (question for question in questions if question.open or question.problems), None
        )
        if next_question is None:
            return questions
        if next_question.name in given_answers:
            say(*next_question.sentences)
        given_answers[next_question.name] = _answer(next_question)


def _choose(what: str, names: list[tuple[str, str]]) -> str:
    width = max(len(name) for name, _ in names)
    for number, (name, about) in enumerate(names, 1):
        say(f"{number:>3}  {name:<{width}}  {about}")
    while True:
        line = _line(f"{what} [{names[0][0]}]: ").strip() or names[0][0]
        if line.isdecimal() and 1 <= int(line) <= len(names):
            return names[int(line) - 1][0]
        if line in dict(names):
            return line
        say(f"{line} is not one of these")


def _answer(asked_question: AskedQuestion) -> Any:
    from skillstudio.scaffold.new.template import MISSING

    say(f"{asked_question.name}: {asked_question.help.strip() or asked_question.type}")
    for number, choice in enumerate(asked_question.choices, 1):
        unavailable_note = f" (unavailable: {choice.refusal})" if choice.refusal else ""
        say(f"  {number}. {choice.label}{unavailable_note}")
    default_text = "" if asked_question.default is MISSING else _show_default(asked_question)
    line = _line(
        f"  [{default_text}]: " if default_text else "  : ", asked_question.question.secret
    )
    if not line:
        return "" if asked_question.default is MISSING else asked_question.default
    numbered_choices = asked_question.choices if not asked_question.question.multiselect else ()
    if numbered_choices and line.strip().isdecimal() and 1 <= int(line) <= len(numbered_choices):
        return numbered_choices[int(line) - 1].value
    return line


def _show_default(asked_question: AskedQuestion) -> str:
    if asked_question.question.secret:
        return "the template's default"
    if isinstance(asked_question.default, bool):
        return "yes" if asked_question.default else "no"
    return str(asked_question.default)


def _line(prompt: str, secret: bool = False) -> str:
    try:
        if secret:
            from getpass import getpass

            with hidden_progress():
                return getpass(safe_text(prompt))
        print(safe_text(prompt), end="", file=sys.stderr, flush=True)
        return input()
    except EOFError:
        raise UsageError("the input ended before all questions were answered") from None
