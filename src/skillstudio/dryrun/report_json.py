"""The JSON value of a report."""

from __future__ import annotations

from typing import Any

from skillstudio.dryrun.plan_json import plan_value
from skillstudio.dryrun.report import RunFileChange, RunReport


def report_value(report: RunReport) -> dict[str, Any]:
    """The JSON value of a report and its plan."""
    ended = report.ended
    return {
        **plan_value(report.plan),
        "run": report.run,
        "started_at": report.started_at,
        "exit_code": ended.exit_code,
        "signal": ended.signal or None,
        "timed_out": ended.timed_out,
        "cancelled": ended.cancelled,
        "error": ended.error or None,
        "duration_ms": round(ended.duration_ms, 1),
        "contract": {
            "ok": report.contract.ok,
            "problems": list(report.contract.problems),
            "value": report.contract.value,
        },
        "effects": [
            {
                "effect": each.effect,
                "declared": each.declared,
                "verdict": each.verdict,
                "evidence": list(each.evidence),
                "error": each.is_error,
            }
            for each in report.effects
        ],
        "outputs": [
            {
                "pattern": each.pattern,
                "verdict": each.verdict,
                "paths": list(each.paths),
                "error": each.is_error,
            }
            for each in report.outputs
        ],
        "changes": {
            word: [_change(each) for each in report.changes if each.change == word]
            for word in ("added", "modified", "removed")
        },
        "limits": list(ended.limits),
        "differences": list(report.differences),
        "incomplete": list(report.incomplete),
        "repeated": list(report.repeated),
        "again": None if report.again is None else list(report.again),
        "varying": list(report.varying),
        "traced": report.traced,
        "suspects": list(report.suspects),
        "identity": report.identity,
        "verdict": report.verdict,
        "ok": report.ok,
    }


def _change(change: RunFileChange) -> dict[str, Any]:
    return {
        "root": change.root,
        "path": change.path,
        "size": change.size,
        "kind": change.kind,
        "pattern": change.pattern or None,
        "about": change.about or None,
    }
