"""Protos: files that name skills of their workspace."""

from __future__ import annotations

import os

from skillstudio.cli.report import ReportedDiagnostic, file_diagnostics
from skillstudio.files.disk import DiskTree
from skillstudio.manifest.locate import read_file
from skillstudio.skill.lookup import look_up, workspace_of
from skillstudio.skill.pins.proto import check_proto
from skillstudio.text.diagnostic import Diagnostic

ENDINGS = (".yaml", ".yml")


def is_proto(path: str) -> bool:
    """Whether a file is a YAML document that names skills."""
    if not path.lower().endswith(ENDINGS) or not os.path.isfile(path):
        return False
    source = read_file(_folder(path), os.path.basename(path), [])
    return source is not None and "skill:" in source.text


def proto_diagnostics(path: str, shown: str) -> list[ReportedDiagnostic]:
    """The problems of a proto."""
    found: list[Diagnostic] = []
    source = read_file(_folder(path), os.path.basename(path), found)
    if source is not None:
        skills = look_up(workspace_of(os.path.dirname(path)))
        found += check_proto(source, skills.get, skills.names())
    return file_diagnostics(found, shown, source)


def _folder(path: str) -> DiskTree:
    return DiskTree(os.path.dirname(path) or ".")
