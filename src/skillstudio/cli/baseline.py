"""Problems that were there before: a file of them, so that only new ones count."""

from __future__ import annotations

import json
from collections import Counter

from skillstudio.cli.output import UsageError
from skillstudio.cli.report import CheckReport, ReportedDiagnostic

_Key = tuple[str, str, str, str]


def write_baseline(file: str, report: CheckReport) -> None:
    """Write what was found, without lines and columns, which move."""
    from skillstudio.files.saving.writer import write_file

    rows = sorted(_key(diagnostic) for diagnostic in report.diagnostics())
    keys = ("path", "rule", "pointer", "message")
    value = {"diagnostics": [dict(zip(keys, row, strict=True)) for row in rows]}
    write_file(file, (json.dumps(value, indent=2) + "\n").encode())


def known_before(file: str, report: CheckReport) -> None:
    """Take the problems that the file knows out of a report, each as often as it is there.

    Raises UsageError where the file is no baseline.
    """
    try:
        with open(file, encoding="utf-8") as stream:
            rows = json.load(stream)["diagnostics"]
        known = Counter((r["path"], r["rule"], r["pointer"], r["message"]) for r in rows)
    except FileNotFoundError:
        raise UsageError(f"{file} is not there; write it with --update-baseline") from None
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{file} is no baseline: {error}") from None
    report.workspace = _new(report.workspace, known)
    report.skills = [
        skill._replace(diagnostics=_new(skill.diagnostics, known)) for skill in report.skills
    ]


def _new(diagnostics: list[ReportedDiagnostic], known: Counter[_Key]) -> list[ReportedDiagnostic]:
    left = []
    for diagnostic in diagnostics:
        key = _key(diagnostic)
        if known[key] > 0:
            known[key] -= 1
        else:
            left.append(diagnostic)
    return left


def _key(diagnostic: ReportedDiagnostic) -> _Key:
    return (diagnostic.path, diagnostic.rule, diagnostic.pointer, diagnostic.message)
