"""`skillstudio why`: who finds, reads and accepts a skill, client by client."""

from __future__ import annotations

import os
import sys
from typing import Any

from skillstudio.cli.edit import one_skill_path
from skillstudio.cli.exit_codes import OK
from skillstudio.cli.output import Colour, Paint, Parser, colours_wanted, print_json
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.locate import locate
from skillstudio.skill.neighbourhood import neighbours, where_is
from skillstudio.skill.visibility import ClientAnswer, Obstacle, explain_visibility
from skillstudio.text.safe import safe_text

STEPS = ("found", "parsed", "listed", "loaded")


def parser() -> Parser:
    made = Parser(
        "why", "Say why an agent sees a skill or does not: what each client does with it."
    )
    made.add_argument("path", metavar="PATH", help="a skill, or a file of one")
    made.add_argument("--format", choices=("text", "json"), default="text")
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
        _print(skill_path.shown, where, skill, answers)
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


def _print(shown: str, where: str, skill: Skill, answers: list[ClientAnswer]) -> None:
    paint = Paint(colours_wanted(sys.stdout))
    print(f"{paint(safe_text(shown), 'place')}, which clients see as {safe_text(where)}")
    for manifest in skill.manifests:
        part = "" if manifest.part == "manifest" else f" ({manifest.part})"
        print(f"  {manifest.dialect.id}{part}: {safe_text(manifest.reason)}")
    if not skill.manifests:
        print("  no manifest was found")
    width = max(len(answer.title) for answer in answers)
    print()
    for answer in answers:
        print(f"{answer.title:<{width}}  {paint(*_verdict(answer))}")
        for each in answer.obstacles:
            place = _place(skill, each)
            at = f" ({place['path']}:{place['line']}:{place['column']})" if each.span else ""
            print(f"{'':<{width}}  {each.step}: {safe_text(each.reason + at)}")


def _verdict(answer: ClientAnswer) -> tuple[str, Colour]:
    """How far the client comes, in words, and the colour for them."""
    if answer.loaded:
        return "loads it", "good"
    if answer.found and answer.listed:
        return "lists it and does not load it by itself", "warning"
    if not answer.found:
        return "does not find it", "error"
    if not answer.parsed:
        return "cannot read it", "error"
    return "does not list it", "error"
