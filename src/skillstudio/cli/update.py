"""`skillstudio update`: update a skill to a newer version of its template."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.exit_codes import OK, PROBLEMS
from skillstudio.cli.lists import cut_json, cut_lines
from skillstudio.cli.output import CommandRefused, Paint, Result, refuse_on, say
from skillstudio.cli.skill_paths import one_skill_path
from skillstudio.files.disk import DiskTree
from skillstudio.scaffold.new.updating import TemplateUpdate
from skillstudio.text.safe import safe_text

_COLOURS = {"conflict": "error", "kept": "warning", "removed": "error"}


def run(options: CommandOptions) -> Result:
    """Update. Exit status 1 if there are conflicts, or nothing could be written."""
    from skillstudio.dryrun.isolation.landlock import confinement
    from skillstudio.scaffold.new.catalogue import TemplateNotFound
    from skillstudio.scaffold.new.copier_file import TemplateFault
    from skillstudio.scaffold.new.record import RecordRefused, read_record
    from skillstudio.scaffold.new.renderer import RendererMissing
    from skillstudio.scaffold.new.updating import ConflictsLeft, UpdateRefused
    from skillstudio.session.updating import NotUpdated, write_update

    target, _ = one_skill_path(options.path)
    tree = DiskTree(target.disk)
    with (
        refuse_on(TemplateNotFound, TemplateFault, RendererMissing),
        refuse_on(RecordRefused, UpdateRefused, of=target.label),
        refuse_on(ConflictsLeft, kind=CommandRefused, of=target.label),
    ):
        update = _plan(read_record(tree), tree, options, confinement())
    for name in update.dropped_names:
        say(f"the template no longer asks for {name}, so its answer is dropped")
    is_written = not (options.diff or options.dry_run or update.is_current)
    if is_written:
        with refuse_on(NotUpdated, kind=CommandRefused, of=target.label):
            write_update(update, target.disk)
    return _result(update, target.label, is_written, options)


def _plan(record: Any, tree: DiskTree, options: CommandOptions, confinement: Any) -> TemplateUpdate:
    from skillstudio.cli.new import ask_answers
    from skillstudio.scaffold.new.interview import Interview
    from skillstudio.scaffold.new.updating import (
        known_answers,
        open_source,
        plan_update,
        rendered_before,
    )

    record = rendered_before(record, confinement)
    with (
        open_source(record, tree.root, options.template or "", options.ref) as template,
        Interview(template, record.folder, confinement) as interview,
    ):
        questions = ask_answers(interview, options, known_answers(interview, record))
        return plan_update(interview, questions, record, tree)


def _result(
    update: TemplateUpdate, label: str, is_written: bool, options: CommandOptions
) -> Result:
    from skillstudio.session.updating import file_diff, update_text

    diff = "".join(map(file_diff, update.files)) if options.diff else ""
    value = {
        "path": label,
        "template": update.template,
        "old": update.old or None,
        "new": update.new or None,
        "written": is_written,
        "conflicts": update.conflicts,
        "answers": update.answers,
        "files": [
            {"path": file.path, "outcome": file.outcome, "conflicts": file.conflicts,
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
        if update.conflicts and is_written:
            yield "resolve the conflicts between <<<<<<< and >>>>>>>, then run skillstudio check"
        elif not is_written and not update.is_current:
            yield "nothing was written"

    status = PROBLEMS if update.conflicts else OK
    return Result(lambda: cut_json(value, options.all), lines, status)
