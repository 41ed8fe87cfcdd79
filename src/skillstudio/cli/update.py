"""`skillstudio update`: update a skill to a newer version of its template."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.lists import cut_json, cut_lines
from skillstudio.cli.output import (
    CommandRefused,
    Paint,
    Result,
    UsageError,
    ask_consent,
    refuse_on,
    say,
)
from skillstudio.cli.skill_paths import one_skill_path
from skillstudio.scaffold.new.updating import TemplateUpdate
from skillstudio.text.safe import safe_text

_COLOURS = {"conflict": "error", "kept": "warning", "removed": "error"}


def run(options: CommandOptions) -> Result:
    """Update. Exit status 1 if there are conflicts, or nothing could be written; with --check, if
    the template has changes."""
    from skillstudio.scaffold.new.catalogue import TemplateNotFound
    from skillstudio.scaffold.new.copier_file import TemplateFault
    from skillstudio.scaffold.new.record import RecordRefused
    from skillstudio.scaffold.new.renderer import RendererMissing
    from skillstudio.scaffold.new.updating import ConflictsLeft, UpdateRefused
    from skillstudio.session.updating import NotUpdated, write_update

    target, _ = one_skill_path(options.path)
    with (
        refuse_on(TemplateNotFound, TemplateFault, RendererMissing),
        refuse_on(RecordRefused, UpdateRefused, of=target.label),
        refuse_on(ConflictsLeft, kind=CommandRefused, of=target.label),
    ):
        update = _plan(target.disk, options)
    for name in update.dropped_names:
        say(f"the template no longer asks for {name}, so its answer is dropped")
    say(*update.notes)
    is_preview = options.check or options.diff or options.dry_run
    is_written = not (is_preview or update.is_current)
    if is_written:
        _confirm(update, target.label, options)
    if not is_preview:
        with refuse_on(NotUpdated, kind=CommandRefused, of=target.label):
            write_update(update, target.disk)
    return _result(update, target.label, is_written, options)


def _plan(folder: str, options: CommandOptions) -> TemplateUpdate:
    from skillstudio.cli.new import ask_answers
    from skillstudio.dryrun.isolation.landlock import confinement
    from skillstudio.scaffold.new.interview import AskedQuestion, Interview
    from skillstudio.scaffold.new.template import MISSING
    from skillstudio.session.updating import look_for_update

    def ask(interview: Interview, recorded_answers: dict[str, Any]) -> list[AskedQuestion]:
        if options.check:
            given_names = [pair.partition("=")[0] for pair in options.data]
            names = [
                question.name
                for question in interview.walk(recorded_answers)
                if question.is_shown
                and question.answer is MISSING
                and question.name not in given_names
            ]
            if names:
                message = f"the template has changes: it now asks for {', '.join(names)}"
                raise CommandRefused(message)
            options.defaults = True
        return ask_answers(interview, options, recorded_answers)

    return look_for_update(folder, confinement(), options.template or "", options.ref, ask)


def _confirm(update: TemplateUpdate, label: str, options: CommandOptions) -> None:
    """Show the diff at a terminal and ask. Raises UsageError without consent."""
    from skillstudio.session.updating import update_diff, update_text

    is_terminal = sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
    if options.yes or options.format != "text" or not is_terminal:
        return
    diff = safe_text(update_diff(update), keep_newlines=True).removesuffix("\n")
    say(*cut_lines(diff.split("\n") if diff else [], options.all))
    say(safe_text(f"{label}: {update_text(update)}"))
    if not ask_consent("Write these changes?"):
        raise UsageError("nothing was written")


def _result(
    update: TemplateUpdate, label: str, is_written: bool, options: CommandOptions
) -> Result:
    from skillstudio.session.updating import update_diff, update_text

    diff = update_diff(update) if options.diff else ""
    value = {
        "path": label,
        "template": update.template,
        "old": update.old or None,
        "new": update.new or None,
        "current": update.is_current,
        "written": is_written,
        "conflicts": update.conflicts,
        "places": update.conflict_places,
        "answers": update.answers,
        "notes": list(update.notes),
        "files": [
            {"path": file.path, "outcome": file.outcome, "conflicts": file.conflicts,
             "lines": file.conflict_lines, "old_path": file.origin or None,
             "note": file.note or None}
            for file in update.files
        ],
        **({"diff": diff} if options.diff else {}),
    }  # fmt: skip

    def lines(paint: Paint) -> Iterator[str]:
        if diff:
            text = safe_text(diff, keep_newlines=True).removesuffix("\n")
            yield from cut_lines(text.split("\n"), options.all)
        for file in update.files:
            colour = _COLOURS.get(file.outcome, "good")
            note = f"  {file.note}" if file.note else ""
            yield f"{paint(f'{file.outcome:<8}', colour)} {safe_text(file.path + note)}"  # type: ignore[arg-type]
        yield safe_text(f"{label}: {update_text(update)}")
        if update.conflicts and (is_written or update.is_current):
            for place in dict.fromkeys(update.conflict_places):
                yield f"{paint(safe_text(f'{label}/{place}'), 'place')}: conflict"
            if any(file.conflict_lines for file in update.files):
                yield "resolve what is between <<<<<<< and >>>>>>>, then run skillstudio check"
            if any(file.conflicts and not file.conflict_lines for file in update.files):
                yield "of a conflict without a line, take what you need from the .new beside it"
        elif not is_written and not update.is_current:
            yield "nothing was written"

    is_problem = not update.is_current if options.check else bool(update.conflicts)
    return Result(lambda: cut_json(value, options.all), lines, PROBLEMS if is_problem else OK)
