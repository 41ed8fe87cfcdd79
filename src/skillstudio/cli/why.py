"""`skillstudio why`: explain which targets discover, load and accept a skill."""

from __future__ import annotations

from typing import Any

from skillstudio.cli.arguments import CommandOptions
from skillstudio.cli.output import Result
from skillstudio.cli.painting import parts_result
from skillstudio.cli.report import reasons_as_json
from skillstudio.cli.skill_paths import one_skill_path
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.locate import locate
from skillstudio.present.targets import answer_lines
from skillstudio.skill.visibility import Visibility, explain_place
from skillstudio.skill.workspace import WorkspaceSearch


def run(options: CommandOptions) -> Result:
    target, _ = one_skill_path(options.path)
    settings = WorkspaceSearch().placed(target.settings, target.disk)
    skill = locate(DiskTree(target.disk), settings).skill
    seen = explain_place(skill, target.disk)
    return parts_result(
        lambda: _as_json(target.shown, skill, seen),
        lambda: answer_lines(target.shown, skill, seen, options.all),
    )


def _as_json(shown: str, skill: Skill, seen: Visibility) -> dict[str, Any]:
    return {
        "path": shown,
        "name": skill.name,
        "where": seen.where,
        "selected": list(skill.settings.targets),
        "selected_by": skill.settings.selected_by or "all targets",
        "listing": {id: listing._asdict() for id, listing in seen.taken.items()},
        "dialects": [
            {"id": each.dialect.id, "path": each.path, "part": each.part, "reason": each.reason}
            for each in skill.manifests
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
            for answer in seen.answers
        ],
    }
