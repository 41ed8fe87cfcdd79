"""`--format rdjson`: Reviewdog Diagnostic Format, for comments on pull requests."""

from __future__ import annotations

import os
from typing import Any

from skillstudio.cli.annotations import Annotation, AnnotationLog, Replacement
from skillstudio.files.paths import make_relative
from skillstudio.resources import docs_address

LEVELS = {"error": "ERROR", "warning": "WARNING", "info": "INFO"}


def value(log: AnnotationLog) -> dict[str, Any]:
    """One value; paths are relative to the working directory, columns count bytes of UTF-8."""
    home = docs_address()
    rules = log.rules() if home else {}
    diagnostics = [_diagnostic(log, annotation) for annotation in log.annotations]
    for diagnostic in diagnostics:
        rule = rules.get(diagnostic["code"]["value"])
        if rule is not None and rule.page:
            diagnostic["code"]["url"] = f"{home}/{rule.page}"
    return {
        "source": {"name": "skillstudio"} | ({"url": home} if home else {}),
        "diagnostics": diagnostics,
    }


def _diagnostic(log: AnnotationLog, annotation: Annotation) -> dict[str, Any]:
    diagnostic: dict[str, Any] = {
        "message": annotation.message,
        "location": {"path": make_relative(annotation.path).replace(os.sep, "/")},
        "severity": LEVELS[annotation.level],
        "code": {"value": annotation.rule},
    }
    place = Replacement(
        annotation.line, annotation.column, annotation.end_line, annotation.end_column, ""
    )
    diagnostic["location"]["range"] = _range(log, annotation.path, place)
    # Each suggestion is applied alone, so a fix of several edits is none.
    suggestions = [
        {"range": _range(log, annotation.path, fix.edits[0]), "text": fix.edits[0].text}
        for fix in annotation.fixes
        if len(fix.edits) == 1
    ]
    return diagnostic | ({"suggestions": suggestions} if suggestions else {})


def _range(log: AnnotationLog, path: str, at: Replacement) -> dict[str, Any]:
    if not at.column:
        return {"start": {"line": at.line}}
    places = {"start": (at.line, at.column), "end": (at.end_line, at.end_column)}
    return {
        name: {"line": line, "column": log.byte_column(path, line, column)}
        for name, (line, column) in places.items()
        if column
    }
