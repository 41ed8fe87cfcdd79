"""Findings that were there before: a file of them, so that only new ones count."""

from __future__ import annotations

import json
from collections import Counter

from skillstudio.cli.output import UsageError
from skillstudio.cli.report import CheckReport, ReportedDiagnostic

_Key = tuple[str, str, str, str]


def write_baseline(file: str, report: CheckReport) -> None:
    """Write what was found, without lines and columns, which move."""
    from skillstudio.files.saving.writer import write_file

    rows = sorted(_key(finding) for finding in report.findings())
    keys = ("path", "rule", "pointer", "message")
    value = {"findings": [dict(zip(keys, row, strict=True)) for row in rows]}
    write_file(file, (json.dumps(value, indent=2) + "\n").encode())


def known_before(file: str, report: CheckReport) -> None:
    """Take the findings that the file knows out of a report, each as often as it is there.

    Raises UsageError where the file is no baseline.
    """
    try:
        with open(file, encoding="utf-8") as stream:
            rows = json.load(stream)["findings"]
        known = Counter((r["path"], r["rule"], r["pointer"], r["message"]) for r in rows)
    except FileNotFoundError:
        raise UsageError(f"{file} is not there; write it with --update-baseline") from None
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{file} is no baseline: {error}") from None
    report.workspace = _new(report.workspace, known)
    report.skills = [
        skill._replace(findings=_new(skill.findings, known)) for skill in report.skills
    ]


def _new(findings: list[ReportedDiagnostic], known: Counter[_Key]) -> list[ReportedDiagnostic]:
    left = []
    for finding in findings:
        key = _key(finding)
        if known[key] > 0:
            known[key] -= 1
        else:
            left.append(finding)
    return left


def _key(finding: ReportedDiagnostic) -> _Key:
    return (finding.path, finding.rule, finding.pointer, finding.message)
