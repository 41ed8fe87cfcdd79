"""`skillstudio why`: who finds, reads and accepts a skill, client by client."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

from skillstudio.cli.edit import one_skill_path
from skillstudio.cli.exit_codes import OK
from skillstudio.cli.output import Parser, print_json
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.locate import locate
from skillstudio.skill.neighbourhood import neighbours, where_is
from skillstudio.skill.visibility import ClientAnswer, Obstacle, explain_visibility

STEPS = ("found", "parsed", "listed", "loaded")


def parser() -> Parser:
    made = Parser(
        "why", "Say why an agent sees a skill or does not: what each client does with it."
    )
    made.add_argument("path", metavar="PATH", help="a skill, or a file of one")
    made.add_argument("--format", choices=("text", "json", "markdown"), default="text")
    return made


def run(arguments: list[str]) -> int:
    options = parser().parse_args(arguments)
    skill_path, _ = one_skill_path(options.path)
    skill = locate(DiskTree(skill_path.disk), skill_path.settings).skill
    folder, home = os.path.realpath(skill_path.disk), os.path.realpath(os.path.expanduser("~"))
    where = where_is(folder, home)
    answers = explain_visibility(skill, where, neighbours(folder, home))
    if options.format == "json":
        print_json(_as_json(skill_path.shown, where, skill, answers))
    else:
        from skillstudio.cli.formats.painting import print_parts
        from skillstudio.present.targets import client_lines

        parts = client_lines(skill_path.shown, where, skill, answers, partial(_at, skill))
        print_parts(parts, "why", options.format)
    return OK


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
    """Where in SKILL.md an obstacle shows; line 1, column 1 where it has no place."""
    markdown = skill.markdown
    if markdown is None:
        return {"path": "", "line": 1, "column": 1}
    span = obstacle.span
    line, column = markdown.source.position(span.start) if span else (1, 1)
    return {"path": markdown.source.path, "line": line, "column": column}


def _at(skill: Skill, obstacle: Obstacle) -> str:
    place = _place(skill, obstacle)
    return f"{place['path']}:{place['line']}:{place['column']}" if obstacle.span else ""
