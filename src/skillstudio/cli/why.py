"""`skillstudio why`: explain which targets discover, load and accept a skill."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.formats.painting import parts_result
from skillstudio.cli.output import Result
from skillstudio.cli.skill_paths import one_skill_path
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.locate import locate
from skillstudio.present.targets import client_lines
from skillstudio.skill.visibility import (
    ClientAnswer,
    Obstacle,
    explain_visibility,
    neighbours,
    where_is,
)


def run(options: CommandOptions) -> Result:
    target, _ = one_skill_path(options.path)
    skill = locate(DiskTree(target.disk), target.settings).skill
    folder, home = os.path.realpath(target.disk), os.path.realpath(os.path.expanduser("~"))
    where = where_is(folder, home)
    answers = explain_visibility(skill, where, neighbours(folder, home))
    return parts_result(
        lambda: _as_json(target.shown, where, skill, answers),
        lambda: client_lines(target.shown, where, skill, answers, partial(_at, skill)),
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
                **answer._asdict(),
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
    path, line, column = "", 1, 1
    if skill.markdown is not None:
        path = skill.markdown.source.path
        if obstacle.span:
            line, column = skill.markdown.source.position(obstacle.span.start)
    return {"path": path, "line": line, "column": column}


def _at(skill: Skill, obstacle: Obstacle) -> str:
    place = _place(skill, obstacle)
    return f"{place['path']}:{place['line']}:{place['column']}" if obstacle.span else ""
