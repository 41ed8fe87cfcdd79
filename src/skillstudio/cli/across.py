"""What can only be said of skills together: their dependencies."""

from __future__ import annotations

from typing import Literal

from skillstudio.cli.skill_paths import SkillPath
from skillstudio.manifest.rulebook import severity_of
from skillstudio.skill.analysis import Analysis
from skillstudio.skill.dependencies import check_dependencies
from skillstudio.text.diagnostic import Severity


def add_workspace_diagnostics(
    analyses: dict[int, tuple[SkillPath, Analysis]],
) -> dict[int, tuple[SkillPath, Analysis]]:
    """The analyses by their numbers, each with what the others have to say of it."""
    found = check_dependencies(
        {skill_path.shown: a.manifests for skill_path, a in analyses.values()}
    )
    made = {}
    for number, (skill_path, analysis) in analyses.items():
        more = tuple(
            each._replace(severity=level)
            for each in found.get(skill_path.shown, [])
            if (level := _level(each.rule, analysis)) != "off"
        )
        made[number] = (skill_path, analysis._replace(diagnostics=analysis.diagnostics + more))
    return made


def _level(rule: str, analysis: Analysis) -> Severity | Literal["off"]:
    return analysis.skill.settings.severities.get(rule) or severity_of(rule)
