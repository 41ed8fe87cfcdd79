"""Protos given to `check`: their references against the skills of their workspace."""

from __future__ import annotations

import os

from skillstudio.cli.report import ReportedDiagnostic, excerpt_at
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.locate import read_file
from skillstudio.manifest.rulebook import severity_of
from skillstudio.skill.lookup import look_up, workspace_of
from skillstudio.skill.pins.proto import check_proto
from skillstudio.text.diagnostic import Diagnostic
from skillstudio.text.source import Source

ENDINGS = (".yaml", ".yml")


def is_proto(path: str) -> bool:
    """Whether a file of no skill's is a YAML document that names skills."""
    if not path.lower().endswith(ENDINGS) or not os.path.isfile(path):
        return False
    source = read_file(_folder(path), os.path.basename(path), [])
    return source is not None and "skill:" in source.text


def proto_diagnostics(path: str, shown: str) -> list[ReportedDiagnostic]:
    """What is wrong with a proto, as problems of the workspace."""
    found: list[Diagnostic] = []
    source = read_file(_folder(path), os.path.basename(path), found)
    if source is not None:
        skills = look_up(workspace_of(os.path.dirname(path)))
        found += check_proto(source, skills.get, skills.names())
    return [_diagnostic(each, shown, source) for each in found]


def _folder(path: str) -> DiskTree:
    return DiskTree(os.path.dirname(path) or ".")


def _diagnostic(each: Diagnostic, shown: str, source: Source | None) -> ReportedDiagnostic:
    start = end = (1, 1)
    if source is not None and each.span is not None:
        start, end = source.position(each.span.start), source.position(each.span.end)
    severity = each.severity or severity_of(each.rule)
    fixes = tuple((fix.title, fix.safe) for fix in each.fixes)
    excerpt = excerpt_at(source, each.span)
    return ReportedDiagnostic(
        each.rule, severity, each.message, shown, *start, *end, each.pointer, fixes, excerpt
    )
