"""The errors that `check` reports for a skill, which prevent a run unless overridden."""

from __future__ import annotations

from skillstudio.dryrun.plan import PlanProblem
from skillstudio.manifest.check import check
from skillstudio.manifest.dialect import Skill
from skillstudio.manifest.locate import locate
from skillstudio.skill.analysis import Analysis

_MOST = 10
"""Errors to list; `check` lists all."""


def manifest_errors(skill: Skill, anyway: bool = False) -> tuple[PlanProblem, ...]:
    """Each error with its position and a hint, as warnings with `anyway`: a run of a broken
    manifest would be judged against declarations it does not mean."""
    located = locate(skill.tree, skill.settings)
    analysis = Analysis(located.skill, check(located.skill, located.diagnostics), {})
    errors = [each for each in analysis.diagnostics if each.severity == "error"]
    if not errors:
        return ()
    found = []
    for each in errors[:_MOST]:
        at, _ = analysis.place(each)
        said = f"{each.path}:{at.line}:{at.column}: {each.message} [{each.rule}]"
        found.append(PlanProblem("manifest-error", said, "", "warning" if anyway else "error"))
    if not anyway:
        count = f"{len(errors)} errors" if len(errors) > 1 else "1 error"
        fix = (
            "fix what `skillstudio check` reports, or run it anyway with `skillstudio run --anyway`"
        )
        found.append(PlanProblem("manifest-errors", f"the manifest has {count}; {fix}", ""))
    return tuple(found)
