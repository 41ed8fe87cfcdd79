"""What can only be said of skills together: their dependencies."""

from __future__ import annotations

from typing import Literal

from skillstudio.cli.targets import Target
from skillstudio.manifest.rulebook import severity_of
from skillstudio.skill.analysis import Analysis
from skillstudio.text.diagnostic import Severity


def add_workspace_findings(
    analyses: list[tuple[Target, Analysis]],
) -> list[tuple[Target, Analysis]]:
    """The analyses, each with what the others have to say of it."""
    if not any(_has_dependencies(analysis) for _, analysis in analyses):
        return analyses
    from skillstudio.skill.dependencies import check_dependencies

    found = check_dependencies({target.shown: a.manifests for target, a in analyses})
    made = []
    for target, analysis in analyses:
        more = tuple(
            each._replace(severity=level)
            for each in found.get(target.shown, [])
            if (level := _level(each.rule, analysis)) != "off"
        )
        made.append((target, analysis._replace(diagnostics=analysis.diagnostics + more)))
    return made


def _has_dependencies(analysis: Analysis) -> bool:
    return any(
        isinstance(each.document.value, dict) and "dependencies" in each.document.value
        for each in analysis.manifests
    )


def _level(rule: str, analysis: Analysis) -> Severity | Literal["off"]:
    return analysis.skill.settings.severities.get(rule) or severity_of(rule)
