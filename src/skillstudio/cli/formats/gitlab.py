"""`--format gitlab`: a code quality report, which GitLab shows in merge requests."""

from __future__ import annotations

from typing import Any

from skillstudio.cli.annotations import AnnotationLog

LEVELS = {"error": "major", "warning": "minor", "info": "info"}


def value(log: AnnotationLog) -> list[dict[str, Any]]:
    """An issue for each problem, with a path relative to the root of the repository."""
    return [
        {
            "description": annotation.message,
            "check_name": annotation.rule,
            "fingerprint": fingerprint,
            "severity": LEVELS[annotation.level],
            "location": {
                "path": log.repository_path(annotation.path),
                "lines": {"begin": annotation.line, "end": annotation.end_line},
            },
        }
        for annotation, fingerprint in zip(log.annotations, log.fingerprints(), strict=True)
    ]
