"""`--format rdjson`: Reviewdog Diagnostic Format, for comments on pull requests."""

from __future__ import annotations

import os
from typing import Any

from skillstudio.cli.annotations import Annotation, AnnotationLog, Replacement
from skillstudio.resources import docs_address

LEVELS = {"error": "ERROR", "warning": "WARNING", "info": "INFO"}


def value(log: AnnotationLog) -> dict[str, Any]:
    """One value; paths are relative to the working directory, columns count bytes of UTF-8."""
    home = docs_address()
    rules = log.rules() if home else {}
    found = [_diagnostic(log, annotation) for annotation in log.annotations]
    for diagnostic in found:
        rule = rules.get(diagnostic["code"]["value"])
        if rule is not None and rule.page:
            diagnostic["code"]["url"] = f"{home}/{rule.page}"
    return {
        "source": {"name": "skillstudio"} | ({"url": home} if home else {}),
        "diagnostics": found,
    }


def _diagnostic(log: AnnotationLog, each: Annotation) -> dict[str, Any]:
    found: dict[str, Any] = {
        "message": each.message,
        "location": {"path": os.path.relpath(each.path).replace(os.sep, "/")},
        "severity": LEVELS[each.level],
        "code": {"value": each.rule},
    }
    place = Replacement(each.line, each.column, each.end_line, each.end_column, "")
    found["location"]["range"] = _range(log, each.path, place)
    # Each suggestion is applied alone, so a fix of several edits is none.
    suggestions = [
        {"range": _range(log, each.path, fix.edits[0]), "text": fix.edits[0].text}
        for fix in each.fixes
        if len(fix.edits) == 1
    ]
    return found | ({"suggestions": suggestions} if suggestions else {})


def _range(log: AnnotationLog, path: str, at: Replacement) -> dict[str, Any]:
    if not at.column:
        return {"start": {"line": at.line}}
    places = {"start": (at.line, at.column), "end": (at.end_line, at.end_column)}
    return {
        name: {"line": line, "column": log.byte_column(path, line, column)}
        for name, (line, column) in places.items()
        if column
    }
