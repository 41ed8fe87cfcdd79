"""`skillstudio why`: explain which targets discover, load and accept a skill."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.output import Colour, Paint, Result
from skillstudio.cli.skill_paths import one_skill_path
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.locate import locate
from skillstudio.skill.neighbourhood import neighbours, where_is
from skillstudio.skill.visibility import ClientAnswer, Obstacle, explain_visibility
from skillstudio.text.safe import safe_text

STEPS = ("found", "parsed", "listed", "loaded")


def run(options: CommandOptions) -> Result:
    target, _ = one_skill_path(options.path)
    skill = locate(DiskTree(target.disk), target.settings).skill
    folder, home = os.path.realpath(target.disk), os.path.realpath(os.path.expanduser("~"))
    where = where_is(folder, home)
    answers = explain_visibility(skill, where, neighbours(folder, home))
    return Result(
        lambda: _as_json(target.shown, where, skill, answers),
        lambda paint: _lines(target.shown, where, skill, answers, paint),
    )


def _as_json(shown: str, where: str, skill: Skill, answers: list[ClientAnswer]) -> dict[str, Any]:
    return {
        "path": shown,
        "name": skill.name,
        "where": where,
        "dialects": [
            {"id": each.dialect.id, "path": each.path, "part": each.part, "reason": each.reason}
            for each in skill.manifests
        ],
        "clients": [
            {
                "client": answer.client,
                "title": answer.title,
                **{step: getattr(answer, step) for step in STEPS},
                "obstacles": [
                    {"step": each.step, "reason": each.reason, **_place(skill, each)}
                    for each in answer.obstacles
                ],
            }
            for answer in answers
        ],
    }


def _place(skill: Skill, obstacle: Obstacle) -> dict[str, Any]:
    """The place of an obstacle in SKILL.md; line 1, column 1 if it has none."""
    markdown = skill.markdown
    if markdown is None:
        return {"path": "", "line": 1, "column": 1}
    span = obstacle.span
    line, column = markdown.source.position(span.start) if span else (1, 1)
    return {"path": markdown.source.path, "line": line, "column": column}


def _lines(
    shown: str, where: str, skill: Skill, answers: list[ClientAnswer], paint: Paint
) -> Iterator[str]:
    yield f"{paint(safe_text(shown), 'place')}, which clients see as {safe_text(where)}"
    for manifest in skill.manifests:
        part = "" if manifest.part == "manifest" else f" ({manifest.part})"
        yield f"  {manifest.dialect.id}{part}: {safe_text(manifest.reason)}"
    if not skill.manifests:
        yield "  no manifest was found"
    width = max(len(answer.title) for answer in answers)
    yield ""
    for answer in answers:
        yield f"{answer.title:<{width}}  {paint(*_verdict(answer))}"
        for each in answer.obstacles:
            place = _place(skill, each)
            at = f" ({place['path']}:{place['line']}:{place['column']})" if each.span else ""
            yield f"{'':<{width}}  {each.step}: {safe_text(each.reason + at)}"


def _verdict(answer: ClientAnswer) -> tuple[str, Colour]:
    """What the client does with the skill, and a colour for it."""
    if answer.loaded:
        return "loads it", "good"
    if answer.found and answer.listed:
        return "lists it, but does not load it by default", "warning"
    if not answer.found:
        return "does not find it", "error"
    if not answer.parsed:
        return "cannot read it", "error"
    return "does not list it", "error"
