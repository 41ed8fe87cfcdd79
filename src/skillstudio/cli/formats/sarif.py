"""A report as SARIF 2.1.0, which code scanning reads."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from skillstudio import __version__
from skillstudio.cli.report import Cut, ReportedDiagnostic
from skillstudio.manifest.rulebook import all_rules

LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def sarif(cut: Cut) -> dict[str, Any]:
    """The log with one run; columns count code points.

    `properties` of the run count the results left out by rule, where there are any.
    """
    diagnostics = cut.diagnostics
    known = all_rules()
    ids = sorted({diagnostic.rule for diagnostic in diagnostics})
    total = len(diagnostics) + sum(cut.omitted.values())
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
                "results": [_result(diagnostic, ids) for diagnostic in diagnostics],
                **left_out,
            }
        ],
    }


def _result(diagnostic: ReportedDiagnostic, ids: list[str]) -> dict[str, Any]:
    return {
        "ruleId": diagnostic.rule,
        "ruleIndex": ids.index(diagnostic.rule),
        "level": LEVELS[diagnostic.severity],
        "message": {"text": diagnostic.message},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(diagnostic.path)},
                    "region": {
                        "startLine": diagnostic.line,
                        "startColumn": diagnostic.column,
                        "endLine": diagnostic.end_line,
                        "endColumn": diagnostic.end_column,
                    },
                }
            }
        ],
    }
