"""`skillstudio why`: explain which targets discover, load and accept a skill."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from skillstudio.cli.annotations import Annotation, AnnotationLog, read_text
from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.output import Result
from skillstudio.cli.painting import parts_result
from skillstudio.cli.progress import count_items
from skillstudio.cli.report import reasons_as_json
from skillstudio.cli.skill_paths import skills_at
from skillstudio.cli.target_names import target_id
from skillstudio.files.disk import DiskTree
from skillstudio.files.paths import make_relative
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.locate import locate
from skillstudio.manifest.targets import recorded_targets, targets
from skillstudio.present.lines import Part
from skillstudio.present.why import why_lines, why_summary
from skillstudio.skill.outcomes import REJECTED_OUTCOMES, TargetAnswer
from skillstudio.skill.selection import OPTION, request_targets
from skillstudio.skill.visibility import NeighbourSearch, Visibility, explain_place
from skillstudio.skill.workspace import SkillPath, WorkspaceSearch

if TYPE_CHECKING:
    from skillstudio.manifest.targets import Reason
    from skillstudio.text.diagnostic import Severity
    from skillstudio.text.source import Span


_RULES: dict[str, tuple[str, Severity]] = {
    **dict.fromkeys(REJECTED_OUTCOMES, ("target-refused", "error")),
    "listed without description": ("target-partial", "warning"),
    "loads without": ("target-partial", "warning"),
}
"""The rule that reports an outcome at a selected target, and its severity."""


class _ExplainedSkill(NamedTuple):
    path: str
    skill: Skill
    visibility: Visibility


def run(options: CommandOptions) -> Result:
    """Explain one skill, or each of a folder in short."""
    target_ids = [target_id(name, targets()) for name in options.target]
    search, beside = WorkspaceSearch(), NeighbourSearch()
    paths = skills_at(options.path, is_around=True)
    rows = [
        _explain_skill(path, target_ids, search, beside)
        for path in count_items(paths, len(paths), "skills")
    ]

    def value() -> dict[str, Any]:
        values = [_as_json(row) for row in rows]
        return {"skills": values} if len(values) > 1 else values[0]

    def parts() -> Iterator[Part]:
        for path, skill, visibility in rows:
            if len(rows) > 1:
                yield from why_summary(path, visibility.answers, options.verbose, options.quiet)
            else:
                command = partial(_install_command, rows[0])
                verbose, quiet = options.verbose, options.quiet
                yield from why_lines(path, skill, visibility, command, verbose, quiet)

    return parts_result(value, parts)._replace(annotations=partial(_annotations, rows))


def _explain_skill(
    path: SkillPath, target_ids: list[str], search: WorkspaceSearch, beside: NeighbourSearch
) -> _ExplainedSkill:
    """A skill and what targets do with it; only at `target_ids`, if any."""
    settings = path.settings
    if target_ids:
        settings = request_targets(settings, target_ids, OPTION)
    skill = locate(DiskTree(path.disk), search.add_place(settings, path.disk)).skill
    visibility = explain_place(skill, path.disk, beside)
    if target_ids:
        answers = [answer for answer in visibility.answers if answer.target in target_ids]
        visibility = visibility._replace(answers=answers)
    return _ExplainedSkill(path.label.removeprefix("./"), skill, visibility)


def _install_command(row: _ExplainedSkill, target: str) -> str:
    """The command that writes a copy of a skill where a target looks; "" for any target."""
    name, project = row.skill.name, row.visibility.project or os.curdir
    source = shlex.quote(row.path)
    if not target:
        return f"skillstudio export {source} --target ID -o FOLDER/{shlex.quote(name)}"
    roots = targets()[target]["discovery"].get("roots", {"is": ()})["is"]
    root = next((path for path in roots if not path.startswith("~/")), next(iter(roots), "FOLDER"))
    # A shell expands only an unquoted `~`.
    if not root.startswith("~/"):
        root = shlex.quote(os.path.normpath(os.path.join(make_relative(project), root)))
    folder = f"{root}/{shlex.quote(name)}"
    if target not in recorded_targets():
        return f"mkdir -p {root} && cp -r {source} {folder}"
    return f"skillstudio export {source} --target {target} -o {folder}"


def _annotations(rows: Iterable[_ExplainedSkill], most: int) -> AnnotationLog:
    """Each reason once, with the targets that have it: the selected ones, if there are any.

    At most `most` of each rule.
    """
    from skillstudio.cli.report import annotated_rules

    annotations: list[Annotation] = []
    counts: Counter[str] = Counter()
    for annotation in (annotation for row in rows for annotation in _annotate_skill(row)):
        counts[annotation.rule] += 1
        if counts[annotation.rule] <= most:
            annotations.append(annotation)
    omitted_counts = {rule: count - most for rule, count in counts.items() if count > most}
    annotated_paths = {annotation.path for annotation in annotations}
    loaded_paths = [row.path for row in rows if _manifest_path(row) not in annotated_paths]
    return AnnotationLog(
        annotations, annotated_rules, read_text, omitted_counts, passed_paths=loaded_paths
    )


def _annotate_skill(row: _ExplainedSkill) -> Iterator[Annotation]:
    answers = row.visibility.answers
    selected_answers = [answer for answer in answers if answer.is_selected]
    reasons: dict[tuple[Span | None, str], list[tuple[TargetAnswer, Reason]]] = {}
    for answer in selected_answers or (answer for answer in answers if answer.looks):
        for reason in answer.reasons:
            reasons.setdefault((reason.span, reason.text), []).append((answer, reason))
    for same_reasons in reasons.values():
        reason = same_reasons[0][1]
        rule, level = _RULES.get(reason.outcome, ("skill-unfound", "info"))
        titles = ", ".join(answer.title for answer, _ in same_reasons)
        # Without selected targets no outcome is a problem.
        annotation = Annotation(
            rule, level if selected_answers else "info",
            f"{titles}: {'; '.join(filter(None, (reason.text, reason.fix)))}", _manifest_path(row),
        )  # fmt: skip
        if row.skill.markdown is not None and reason.span is not None:
            start, end = map(row.skill.markdown.source.position, reason.span)
            annotation = annotation._replace(
                line=start.line, column=start.column, end_line=end.line, end_column=end.column
            )
        yield annotation


def _manifest_path(row: _ExplainedSkill) -> str:
    markdown = row.skill.markdown
    return f"{row.path}/{markdown.source.path}" if markdown is not None else row.path


def _as_json(row: _ExplainedSkill) -> dict[str, Any]:
    skill, visibility = row.skill, row.visibility
    return {
        "path": row.path,
        "name": skill.name,
        "where": visibility.where,
        "selected": list(skill.settings.targets),
        "selected_by": skill.settings.selected_by or "all targets",
        "listing": {id: listing._asdict() for id, listing in visibility.listings.items()},
        "dialects": [
            {
                "id": manifest.dialect.id,
                "path": manifest.path,
                "part": manifest.part,
                "reason": manifest.reason,
            }
            for manifest in skill.manifests
        ],
        "targets": [
            {
                "target": answer.target,
                "title": answer.title,
                "outcome": answer.outcome,
                "selected": answer.is_selected,
                "installed": answer.installed,
                "reasons": reasons_as_json(answer.reasons, skill),
            }
            for answer in visibility.answers
        ],
    }
