"""`--format sarif`: SARIF 2.1.0 for code scanning, with all that GitHub requires."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from skillstudio import __version__
from skillstudio.cli.annotations import AnnotatedRule, Annotation, AnnotationLog
from skillstudio.resources import docs_address

LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_BASE = "%SRCROOT%"


def value(log: AnnotationLog) -> dict[str, Any]:
    """The log with one run; columns count code points.

    `properties` of the run count the results that are left out, by rule.
    """
    rules = log.rules()
    ids = sorted({annotation.rule for annotation in log.annotations})
    results = [
        _result(log, annotation, ids, fingerprint)
        for annotation, fingerprint in zip(log.annotations, log.fingerprints(), strict=True)
    ]
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "skillstudio",
                "version": __version__,
                "semanticVersion": __version__,
                **({"informationUri": docs_address()} if docs_address() else {}),
                "rules": [_rule(id, rules) for id in ids],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            _BASE: {"description": {"text": "The root of the repository with the skills."}}
        },
        "results": results,
    }
    if log.omitted_counts:
        total = len(results) + sum(log.omitted_counts.values())
        run["properties"] = {"total": total, "omitted": dict(log.omitted_counts)}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }


def _rule(id: str, rules: Mapping[str, AnnotatedRule]) -> dict[str, Any]:
    rule = rules.get(id) or AnnotatedRule(id, id, "error")
    text = "\n\n".join(filter(None, (rule.summary, rule.why, rule.advice)))
    address = f"{docs_address()}/{rule.page}" if rule.page and docs_address() else ""
    return {
        "id": id,
        "name": "".join(word.capitalize() for word in id.replace("/", "-").split("-")),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.why},
        "help": {"text": text, "markdown": text},
        **({"helpUri": address} if address else {}),
        "defaultConfiguration": {"level": LEVELS[rule.level]},
        "properties": {"tags": ["skills"], "problem.severity": _SEVERITIES[rule.level]},
    }


_SEVERITIES = {"error": "error", "warning": "warning", "info": "recommendation"}


def _result(
    log: AnnotationLog, annotation: Annotation, ids: list[str], mark: str
) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": _artifact(log, annotation.path)}
    place["region"] = _region(
        annotation.line, annotation.column, annotation.end_line, annotation.end_column
    )
    fixes = [
        {
            "description": {"text": fix.title},
            "artifactChanges": [
                {
                    "artifactLocation": _artifact(log, annotation.path),
                    "replacements": [
                        {
                            "deletedRegion": _region(*edit[:4]),
                            "insertedContent": {"text": edit.text},
                        }
                        for edit in fix.edits
                    ],
                }
            ],
        }
        for fix in annotation.fixes
        if fix.edits
    ]
    return {
        "ruleId": annotation.rule,
        "ruleIndex": ids.index(annotation.rule),
        "level": LEVELS[annotation.level],
        "message": {"text": annotation.message},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"skillstudio/v1": mark},
        **({"fixes": fixes} if fixes else {}),
    }


def _artifact(log: AnnotationLog, path: str) -> dict[str, Any]:
    repository_path = log.repository_path(path)
    # A name that is not UTF-8 has the bytes of the disk in its URI.
    uri = quote(repository_path, errors="surrogateescape")
    if repository_path.startswith("/"):
        return {"uri": f"file://{uri}"}
    if ":" in repository_path.partition("/")[0]:
        return {"uri": f"file:///{uri}"}
    return {"uri": uri, "uriBaseId": _BASE}


def _region(line: int, column: int, end_line: int, end_column: int) -> dict[str, Any]:
    if not column:
        return {"startLine": line}
    start = {"startLine": line, "startColumn": column}
    return start | ({"endLine": end_line, "endColumn": end_column} if end_column else {})
