"""`skillstudio why`: explain which targets discover, load and accept a skill."""

from __future__ import annotations

import os
from typing import Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.formats.painting import parts_result
from skillstudio.cli.output import Result
from skillstudio.cli.report import reasons_as_json
from skillstudio.cli.skill_paths import one_skill_path
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.locate import locate
from skillstudio.manifest.targets import judge, judging
from skillstudio.present.targets import answer_lines
from skillstudio.skill.listing import Listing, list_skill, listings
from skillstudio.skill.lookup import plugin_around
from skillstudio.skill.visibility import (
    Placed,
    TargetAnswer,
    explain_visibility,
    neighbours,
    where_is,
)


def run(options: CommandOptions) -> Result:
    target, _ = one_skill_path(options.path)
    skill = locate(DiskTree(target.disk), target.settings).skill
    above, name = os.path.split(os.path.abspath(target.disk))
    # Clients follow a link to the skill's folder, so its own name and place count.
    folder, home = os.path.join(os.path.realpath(above), name), os.path.expanduser("~")
    home = os.path.realpath(home)
    where = where_is(folder, home)
    siblings = neighbours(folder, home)
    plugin = plugin_around(folder)
    in_place = where_is(plugin.folder, home) if plugin is not None else ""
    real = os.path.realpath(folder)
    answers = explain_visibility(skill, where, siblings, real, plugin, in_place)
    taken = _taken(skill, where, siblings)
    return parts_result(
        lambda: _as_json(target.shown, where, skill, answers, taken),
        lambda: answer_lines(target.shown, where, skill, answers, taken),
    )


def _taken(skill: Skill, where: str, siblings: list[Placed]) -> dict[str, Listing]:
    """What the skills beside a skill, and itself, take of the listing of each target."""
    above = os.path.dirname(where)
    beside = {each.where: each.skill for each in siblings if os.path.dirname(each.where) == above}
    budgeted = [id for id, each in judging().items() if "limits" in each]
    listed = [
        line
        for each in (beside | {where: skill}).values()
        for line in list_skill(each, above, judge(each, selected=budgeted))
    ]
    return {id: listing for (_, id), listing in listings(listed).items()}


def _as_json(
    shown: str,
    where: str,
    skill: Skill,
    answers: list[TargetAnswer],
    taken: dict[str, Listing],
) -> dict[str, Any]:
    return {
        "path": shown,
        "name": skill.name,
        "where": where,
        "selected": list(skill.settings.targets),
        "selected_by": skill.settings.selected_by or "all targets",
        "listing": {id: listing._asdict() for id, listing in taken.items()},
        "dialects": [
            {"id": each.dialect.id, "path": each.path, "part": each.part, "reason": each.reason}
            for each in skill.manifests
        ],
        "targets": [
            {
                "target": answer.target,
                "title": answer.title,
                "outcome": answer.outcome,
                "reasons": reasons_as_json(answer.reasons, skill),
            }
            for answer in answers
        ],
    }
