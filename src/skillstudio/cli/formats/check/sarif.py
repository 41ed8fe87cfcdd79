"""`--format sarif`: SARIF 2.1.0 for code scanning."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from skillstudio import __version__
from skillstudio.cli.lists import LISTED
from skillstudio.cli.report import CheckReport, ReportedDiagnostic
from skillstudio.manifest.rulebook import all_rules

LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def value(report: CheckReport) -> dict[str, Any]:
    """The log with one run; columns count code points.

    `properties` of the run count the results that are left out, by rule.
    """
    cut = report.cut(LISTED)
    findings = cut.diagnostics
    known = all_rules()
    ids = sorted({finding.rule for finding in findings})
    total = len(findings) + sum(cut.omitted.values())
    left_out = {"properties": {"total": total, "omitted": cut.omitted}} if cut.omitted else {}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "skillstudio",
                        "version": __version__,
                        "rules": [
                            {
                                "id": id,
                                "shortDescription": {"text": known[id].what},
                                "fullDescription": {"text": known[id].why},
                                "defaultConfiguration": {"level": LEVELS[known[id].severity]},
                            }
                            for id in ids
                        ],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(finding, ids) for finding in findings],
                **left_out,
            }
        ],
    }


def _result(finding: ReportedDiagnostic, ids: list[str]) -> dict[str, Any]:
    return {
        "ruleId": finding.rule,
        "ruleIndex": ids.index(finding.rule),
        "level": LEVELS[finding.severity],
        "message": {"text": finding.message},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(finding.path)},
                    "region": {
                        "startLine": finding.line,
                        "startColumn": finding.column,
                        "endLine": finding.end_line,
                        "endColumn": finding.end_column,
                    },
                }
            }
        ],
    }
